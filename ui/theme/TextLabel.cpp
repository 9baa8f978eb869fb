// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/TextLabel.h"

#include <algorithm>
#include <cmath>

#include <QFontDatabase>
#include <QFontMetricsF>
#include <QPainter>
#include <QResizeEvent>
#include <QTextLayout>
#include <QTextOption>

namespace attnscope::ui {

int lineHeightOf(const Theme& theme, FontRole role) {
  switch (role) {
    case FontRole::kCaption:
      return theme.scaled(14);
    case FontRole::kData:
      return theme.scaled(16);
    case FontRole::kUi:
      return theme.scaled(18);
    case FontRole::kTitle:
      return theme.scaled(20);
    case FontRole::kVerdict:
      return theme.scaled(24);
    case FontRole::kDisplay:
      return theme.scaled(32);
  }
  return theme.scaled(16);
}

QFont codeFontOf(const Theme& theme) {
  QFont font = QFontDatabase::systemFont(QFontDatabase::FixedFont);
  font.setPixelSize(theme.font(FontRole::kCaption).pixelSize());
  return font;
}

int wrappedHeight(const QFont& font, const QString& text, int width, int lineHeight) {
  QTextLayout layout(text, font);
  QTextOption option;
  option.setWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
  layout.setTextOption(option);
  layout.beginLayout();
  int lines = 0;
  double height = 0;
  for (QTextLine line = layout.createLine(); line.isValid(); line = layout.createLine()) {
    line.setLineWidth(width);
    height += line.height();
    ++lines;
  }
  layout.endLayout();
  return std::max(std::max(lines, 1) * lineHeight, static_cast<int>(std::ceil(height)));
}

void drawWrapped(QPainter& painter, const QRectF& rect, const QString& text, Qt::Alignment alignment) {
  QTextOption option(alignment | Qt::AlignTop);
  option.setWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
  painter.drawText(rect, text, option);
}

TextLabel::TextLabel(const Theme& theme, const QString& text, TextLook look, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_text(text), m_look(look) {
  setAccessibleName(text);
  setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
  connect(&m_theme, &Theme::changed, this, &TextLabel::refresh);
}

QFont TextLabel::labelFont() const {
  return m_look.isCode ? codeFontOf(m_theme) : m_theme.font(m_look.role, m_look.weight);
}

int TextLabel::lineHeight() const { return lineHeightOf(m_theme, m_look.role); }
int TextLabel::indent() const { return m_icon.isEmpty() ? 0 : m_theme.scaled(14 + 4); }

void TextLabel::refresh() {
  // Once it was laid out, a paragraph keeps the height of its text as its minimum: layouts ask for it once.
  if (m_wrapped && minimumHeight() > 0) setMinimumHeight(heightForWidth(width()));
  updateGeometry();
  update();
}

void TextLabel::setText(const QString& text) {
  if (text == m_text) return;
  m_text = text;
  setAccessibleName(text);
  refresh();
}

void TextLabel::setIcon(const QString& icon, const QString& colour) {
  m_icon = icon;
  m_iconColour = colour;
  refresh();
}

void TextLabel::setColour(const char* token) {
  m_look.colour = token;
  update();
}

void TextLabel::setAlignment(Qt::Alignment alignment) {
  m_alignment = alignment;
  update();
}

void TextLabel::setWrapped(bool wrapped) {
  m_wrapped = wrapped;
  QSizePolicy policy(QSizePolicy::Preferred, wrapped ? QSizePolicy::Minimum : QSizePolicy::Fixed);
  policy.setHeightForWidth(wrapped);
  setSizePolicy(policy);
  refresh();
}

void TextLabel::setElide(Qt::TextElideMode elide) {
  m_elide = elide;
  refresh();
}

void TextLabel::setNumeric(bool numeric) {
  m_numeric = numeric;
  refresh();
}

QSize TextLabel::sizeHint() const {
  const QFont font = labelFont();
  const double width = m_numeric ? m_theme.numberWidth(font, m_text) : QFontMetricsF(font).horizontalAdvance(m_text);
  const int wanted = indent() + static_cast<int>(std::ceil(width)) + 1;
  if (!m_wrapped) return {wanted, lineHeight()};
  const int shown = std::min(wanted, m_theme.scaled(280));
  return {shown, heightForWidth(shown)};
}

QSize TextLabel::minimumSizeHint() const {
  if (m_wrapped) return {m_theme.scaled(24), lineHeight()};
  if (m_elide == Qt::ElideNone) return sizeHint();
  return {std::min(sizeHint().width(), m_theme.scaled(24)), lineHeight()};
}

int TextLabel::heightForWidth(int width) const {
  if (!m_wrapped) return lineHeight();
  return wrappedHeight(labelFont(), m_text, std::max(width - indent(), 1), lineHeight());
}

void TextLabel::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  // A layout asks for the height once; a paragraph in a narrower column needs more of it.
  if (m_wrapped && event->oldSize().width() != event->size().width()) {
    setMinimumHeight(heightForWidth(event->size().width()));
  }
}

void TextLabel::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::TextAntialiasing);
  const QFont font = labelFont();
  painter.setFont(font);
  painter.setPen(m_theme.colour(QString::fromLatin1(isEnabled() ? m_look.colour : "text.disabled")));
  if (!m_icon.isEmpty()) {
    const int side = m_theme.scaled(14);
    const QPixmap pixmap = m_theme.iconPixmap(m_icon, side, m_theme.colour(m_iconColour), devicePixelRatioF());
    painter.drawPixmap(QPointF(0, (lineHeight() - side) / 2), pixmap);
  }
  const QRectF box = QRectF(rect()).adjusted(indent(), 0, 0, 0);
  if (m_numeric) {
    m_theme.drawNumber(painter, box, m_text, m_alignment & Qt::AlignHorizontal_Mask);
    return;
  }
  if (m_wrapped) {
    drawWrapped(painter, box, m_text, m_alignment & Qt::AlignHorizontal_Mask);
    return;
  }
  const QString shown =
      m_elide == Qt::ElideNone ? m_text : QFontMetricsF(font).elidedText(m_text, m_elide, box.width());
  painter.drawText(box, static_cast<int>(m_alignment | Qt::TextSingleLine), shown);
}

}  // namespace attnscope::ui
