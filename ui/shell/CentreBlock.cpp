// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/CentreBlock.h"

#include <QHBoxLayout>
#include <QPainter>
#include <QPushButton>
#include <QVBoxLayout>

namespace attnscope::ui {

IconLabel::IconLabel(const Theme& theme, const QString& icon, const char* colour, int side, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_icon(icon), m_colour(colour), m_side(side) {
  setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
  connect(&m_theme, &Theme::changed, this, qOverload<>(&QWidget::update));
}

void IconLabel::setIcon(const QString& icon, const char* colour) {
  m_icon = icon;
  m_colour = colour;
  update();
}

QSize IconLabel::sizeHint() const {
  const int side = m_theme.scaled(m_side);
  return {side, side};
}

void IconLabel::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  const int side = m_theme.scaled(m_side);
  const QPixmap pixmap =
      m_theme.iconPixmap(m_icon, side, m_theme.colour(QString::fromLatin1(m_colour)), devicePixelRatioF());
  painter.drawPixmap((width() - side) / 2, (height() - side) / 2, pixmap);
}

CentreBlock::CentreBlock(const Theme& theme, const QString& icon, const char* iconColour, QWidget* parent)
    : QWidget(parent) {
  auto* outer = new QHBoxLayout(this);
  outer->setContentsMargins(theme.scaled(16), theme.scaled(16), theme.scaled(16), theme.scaled(16));
  outer->addStretch(1);
  auto* block = new QWidget(this);
  block->setMaximumWidth(theme.scaled(470));
  outer->addWidget(block, 1000);
  outer->addStretch(1);

  auto* row = new QHBoxLayout(block);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(theme.scaled(12));
  row->addWidget(new IconLabel(theme, icon, iconColour, 20, block), 0, Qt::AlignTop);
  auto* column = new QVBoxLayout;
  column->setSpacing(theme.scaled(6));
  row->addLayout(column, 1);
  column->addStretch(1);
  m_title = new TextLabel(theme, QString(), {FontRole::kTitle, QFont::DemiBold, "text.primary"}, block);
  m_title->setWrapped(true);
  m_body = new TextLabel(theme, QString(), {FontRole::kUi, QFont::Normal, "text.secondary"}, block);
  m_body->setWrapped(true);
  m_remedy = new TextLabel(theme, QString(), {FontRole::kData, QFont::Normal, "text.tertiary"}, block);
  m_remedy->setWrapped(true);
  m_remedy->hide();
  column->addWidget(m_title);
  column->addWidget(m_body);
  column->addWidget(m_remedy);
  m_buttons = new QHBoxLayout;
  m_buttons->setSpacing(theme.scaled(8));
  m_buttons->setContentsMargins(0, theme.scaled(8), 0, 0);
  m_buttons->addStretch(1);
  column->addLayout(m_buttons);
  column->addStretch(1);
}

void CentreBlock::setTitle(const QString& title) { m_title->setText(title); }
void CentreBlock::setBody(const QString& text) { m_body->setText(text); }

void CentreBlock::setRemedy(const QString& text) {
  m_remedy->setText(text);
  m_remedy->setVisible(!text.isEmpty());
}

QPushButton* CentreBlock::addButton(const QString& words, bool isPrimary) {
  auto* button = new QPushButton(words, this);
  if (isPrimary) button->setProperty("kind", QStringLiteral("primary"));
  button->setAccessibleName(words);
  m_buttons->insertWidget(m_buttons->count() - 1, button);
  return button;
}

}  // namespace attnscope::ui
