// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/lab/LabSegment.h"

#include <QButtonGroup>
#include <QHBoxLayout>
#include <QToolButton>

namespace attnscope::ui {

LabSegment::LabSegment(const Theme& theme, const QStringList& words, const QString& name, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_group(new QButtonGroup(this)) {
  setObjectName(QStringLiteral("segment"));  // the sheet's rule
  setAttribute(Qt::WA_StyledBackground);
  setAccessibleName(name);
  setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Fixed);
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(2, 2, 2, 2);
  row->setSpacing(0);
  for (int i = 0; i < words.size(); ++i) {
    auto* button = new QToolButton(this);
    button->setText(words[i]);
    button->setCheckable(true);
    button->setAccessibleName(QStringLiteral("%1: %2").arg(name, words[i]));
    button->setFocusPolicy(Qt::StrongFocus);
    button->setStyleSheet(QStringLiteral("padding: 0 4px"));  // three words fit a narrow column
    m_group->addButton(button, i);
    row->addWidget(button);
  }
  m_group->button(0)->setChecked(true);
  connect(m_group, &QButtonGroup::idClicked, this, &LabSegment::chosen);
  connect(&m_theme, &Theme::changed, this, &LabSegment::applyTheme);
  applyTheme();
}

void LabSegment::applyTheme() {
  const auto buttons = m_group->buttons();
  for (QAbstractButton* button : buttons) button->setFixedHeight(m_theme.scaled(24));
}

int LabSegment::current() const { return m_group->checkedId(); }

void LabSegment::setCurrent(int position) { m_group->button(position)->setChecked(true); }

void LabSegment::setWord(int position, const QString& word) { m_group->button(position)->setText(word); }

}  // namespace attnscope::ui
