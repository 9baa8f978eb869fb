// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/IconButton.h"

#include <cmath>

#include <QFontMetricsF>
#include <QPainter>

namespace attnscope::ui {

IconButton::IconButton(const Theme& theme, const QString& icon, const QString& name, QWidget* parent)
    : QToolButton(parent), m_theme(theme), m_icon(icon) {
  setAccessibleName(name);
  setToolTip(name);
  setFocusPolicy(Qt::TabFocus);
  setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
  connect(&m_theme, &Theme::changed, this, &IconButton::refresh);
}

void IconButton::setIconName(const QString& icon) {
  m_icon = icon;
  update();
}

void IconButton::setWords(const QString& words) {
  setText(words);
  refresh();
}

void IconButton::setSmall(bool isSmall) {
  m_small = isSmall;
  refresh();
}

void IconButton::refresh() {
  updateGeometry();
  update();
}

int IconButton::side() const {
  return m_theme.size(m_small ? QStringLiteral("control_small") : QStringLiteral("control"));
}

int IconButton::iconSide() const { return m_theme.scaled(m_small ? 14 : 16); }

QSize IconButton::sizeHint() const {
  if (text().isEmpty()) return {side(), side()};
  const FontRole role = m_small ? FontRole::kData : FontRole::kUi;
  const double words = QFontMetricsF(m_theme.font(role)).horizontalAdvance(text());
  return {static_cast<int>(std::ceil(words)) + iconSide() + m_theme.scaled(8 + 6 + 8), side()};
}

void IconButton::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const bool isRaised = isEnabled() && (underMouse() || isDown());
  if (isRaised || isChecked()) {
    painter.setPen(Qt::NoPen);
    painter.setBrush(m_theme.colour(isDown() ? QStringLiteral("state.pressed") : QStringLiteral("state.hover")));
    if (isChecked() && !isRaised) painter.setBrush(m_theme.colour(QStringLiteral("state.pressed")));
    painter.drawRoundedRect(QRectF(rect()), 4, 4);
  }
  if (hasFocus()) {
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(m_theme.colour(QStringLiteral("state.focus")), 2));
    painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), 4, 4);
  }
  const char* ink = !isEnabled()                       ? "text.disabled"
                    : isChecked() || !text().isEmpty() ? "text.primary"
                                                       : "text.secondary";
  const QColor colour = m_theme.colour(QString::fromLatin1(ink));
  const int icon = iconSide();
  const int left = text().isEmpty() ? (width() - icon) / 2 : m_theme.scaled(8);
  painter.drawPixmap(QPointF(left, (height() - icon) / 2),
                     m_theme.iconPixmap(m_icon, icon, colour, devicePixelRatioF()));
  if (text().isEmpty()) return;
  painter.setFont(m_theme.font(m_small ? FontRole::kData : FontRole::kUi));
  painter.setPen(colour);
  painter.drawText(QRectF(left + icon + m_theme.scaled(6), 0, width(), height()),
                   Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine, text());
}

}  // namespace attnscope::ui
