// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/lab/FormRow.h"

#include <QGridLayout>
#include <QHBoxLayout>

#include "ui/lab/NumberField.h"
#include "ui/theme/TextLabel.h"

namespace attnscope::ui {

FormRow::FormRow(const Theme& theme, const QString& label, QWidget* field, QWidget* beside, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_field(field) {
  m_label = new TextLabel(theme, label, {FontRole::kData, QFont::Normal, "text.secondary"}, this);
  m_hint = new TextLabel(theme, {}, {FontRole::kData, QFont::Normal, "text.tertiary"}, this);
  m_remark = new TextLabel(theme, {}, {}, this);
  m_hint->setWrapped(true);
  m_remark->setWrapped(true);
  m_hint->hide();
  m_remark->hide();
  if (field->accessibleName().isEmpty()) field->setAccessibleName(label);
  auto* line = new QHBoxLayout;
  line->setSpacing(m_theme.scaled(6));
  line->addWidget(field);
  if (beside != nullptr) line->addWidget(beside);
  if (field->sizePolicy().horizontalPolicy() != QSizePolicy::Expanding) line->addStretch(1);
  auto* grid = new QGridLayout(this);
  grid->setContentsMargins(0, 0, 0, 0);
  grid->setHorizontalSpacing(0);
  grid->setVerticalSpacing(m_theme.scaled(2));
  grid->addWidget(m_label, 0, 0);
  grid->addLayout(line, 0, 1);
  grid->addWidget(m_hint, 1, 1);
  grid->addWidget(m_remark, 2, 1);
  grid->setColumnStretch(1, 1);
  connect(&m_theme, &Theme::changed, this, &FormRow::applyTheme);
  applyTheme();
}

void FormRow::applyTheme() {
  m_label->setFixedWidth(m_theme.scaled(100));
  static_cast<QGridLayout*>(layout())->setRowMinimumHeight(0, m_theme.scaled(28));
}

QString FormRow::label() const { return m_label->text(); }

void FormRow::setLabel(const QString& label) { m_label->setText(label); }

QString FormRow::remark() const { return m_remark->text(); }

void FormRow::setHint(const QString& hint) {
  m_hint->setText(hint);
  m_hint->setVisible(!hint.isEmpty() && m_remark->text().isEmpty());
  describe();
}

void FormRow::setRemark(const QString& text, RemarkSeverity severity) {
  const bool isError = severity == RemarkSeverity::kError;
  m_remark->setColour(isError ? "severity.problem" : "text.secondary");
  m_remark->setIcon(isError ? QStringLiteral("problem") : QStringLiteral("warning"),
                    isError ? QStringLiteral("severity.problem") : QStringLiteral("severity.warning"));
  m_remark->setText(text);
  m_remark->show();
  m_hint->hide();  // the remark says what to change
  if (auto* number = qobject_cast<NumberField*>(m_field)) number->setInvalid(isError);
  describe();
}

void FormRow::clearRemark() {
  m_remark->setText({});
  m_remark->hide();
  m_hint->setVisible(!m_hint->text().isEmpty());
  if (auto* number = qobject_cast<NumberField*>(m_field)) number->setInvalid(false);
  describe();
}

void FormRow::describe() {
  m_field->setAccessibleDescription(m_remark->text().isEmpty() ? m_hint->text() : m_remark->text());
}

}  // namespace attnscope::ui
