// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/SliceTip.h"

#include <algorithm>

#include <QPainter>

namespace attnscope::ui {

namespace {
constexpr int kMostWidth = 420;
constexpr int kPad = 10;
constexpr int kAway = 14;  // px from the pointer
}  // namespace

SliceTip::SliceTip(const Theme& theme, QWidget* parent) : QWidget(parent), m_theme(theme) {
  setAttribute(Qt::WA_TransparentForMouseEvents);
  setFocusPolicy(Qt::NoFocus);
  m_delay.setSingleShot(true);
  m_delay.setInterval(static_cast<int>(theme.number(QStringLiteral("motion.tooltip_delay_ms"))));
  connect(&m_delay, &QTimer::timeout, this, [this] {
    place();
    show();
    raise();
  });
  hide();
}

void SliceTip::showSoon(TipText text, QPoint pointer, QRect avoid) {
  m_text = std::move(text);
  m_pointer = pointer;
  m_avoid = avoid;
  if (isVisible()) {
    place();
    update();
  } else {
    m_delay.start();
  }
}

void SliceTip::conceal() {
  m_delay.stop();
  hide();
}

QSize SliceTip::wantedSize() const {
  const QFontMetrics bold(m_theme.font(FontRole::kData, QFont::DemiBold));
  const QFontMetrics plain(m_theme.font(FontRole::kData));
  const QFontMetrics large(m_theme.font(FontRole::kTitle, QFont::DemiBold));
  const int pad = m_theme.scaled(kPad);
  int width = bold.horizontalAdvance(m_text.name) + m_theme.scaled(16);
  width = std::max(
      width, large.horizontalAdvance(m_text.duration) + m_theme.scaled(14) + plain.horizontalAdvance(m_text.share));
  for (const auto& [what, value] : m_text.rows)
    width = std::max(width, m_theme.scaled(86) + plain.horizontalAdvance(value));
  if (!m_text.partner.isEmpty()) width = std::max(width, m_theme.scaled(24) + plain.horizontalAdvance(m_text.partner));
  const int line = m_theme.scaled(18);
  int height = 2 * pad + line + m_theme.scaled(24) + static_cast<int>(m_text.rows.size()) * line;
  if (!m_text.partner.isEmpty()) height += m_theme.scaled(9) + line;
  return {std::min(width + 2 * pad + 4, m_theme.scaled(kMostWidth)), height};
}

void SliceTip::place() {
  resize(wantedSize());
  const QRect room = parentWidget()->rect().adjusted(4, 4, -4, -4);
  int x = m_pointer.x() + m_theme.scaled(kAway);
  if (x + width() > room.right()) x = m_pointer.x() - m_theme.scaled(kAway) - width();
  x = std::clamp(x, room.left(), std::max(room.left(), room.right() - width()));
  int y = m_avoid.bottom() + m_theme.scaled(8);
  if (y + height() > room.bottom()) y = m_avoid.top() - m_theme.scaled(8) - height();
  if (y < room.top()) y = std::min(m_avoid.bottom() + m_theme.scaled(8), room.bottom() - height());
  move(x, y);
}

void SliceTip::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(m_theme.colour(QStringLiteral("border.strong")));
  painter.setBrush(m_theme.colour(QStringLiteral("surface.tooltip")));
  const double radius = m_theme.number(QStringLiteral("radius.control"));
  painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), radius, radius);
  painter.setRenderHint(QPainter::Antialiasing, false);
  const QColor primary = m_theme.colour(QStringLiteral("text.tooltip"));
  const QColor secondary = m_theme.colour(QStringLiteral("text.tooltip_secondary"));
  const int pad = m_theme.scaled(kPad);
  const int line = m_theme.scaled(18);
  const int inner = width() - 2 * pad;
  int y = pad;
  const KindColours colours = m_theme.kind(m_text.kind);
  const int side = m_theme.scaled(10);
  painter.fillRect(QRect(pad, y + (line - side) / 2, side, side), colours.edge);
  painter.fillRect(QRect(pad + 1, y + (line - side) / 2 + 1, side - 2, side - 2), colours.fill);
  const QFont bold = m_theme.font(FontRole::kData, QFont::DemiBold);
  painter.setFont(bold);
  painter.setPen(primary);
  const int nameX = pad + m_theme.scaled(16);
  painter.drawText(QRect(nameX, y, width() - pad - nameX, line), Qt::AlignLeft | Qt::AlignVCenter,
                   QFontMetrics(bold).elidedText(m_text.name, Qt::ElideRight, width() - pad - nameX));
  y += line;
  const QFont large = m_theme.font(FontRole::kTitle, QFont::DemiBold);
  painter.setFont(large);
  const int tall = m_theme.scaled(24);
  const double durationWidth = m_theme.numberWidth(large, m_text.duration);
  m_theme.drawNumber(painter, QRectF(pad, y, durationWidth, tall), m_text.duration, Qt::AlignLeft);
  const QFont plain = m_theme.font(FontRole::kData);
  painter.setFont(plain);
  painter.setPen(secondary);
  painter.drawText(QRectF(pad + durationWidth + m_theme.scaled(8), y + 1, inner, tall),
                   Qt::AlignLeft | Qt::AlignVCenter, m_text.share);
  y += tall;
  for (const auto& [what, value] : m_text.rows) {
    painter.setPen(secondary);
    painter.drawText(QRect(pad, y, m_theme.scaled(80), line), Qt::AlignLeft | Qt::AlignVCenter, what);
    painter.setPen(primary);
    const int x = pad + m_theme.scaled(84);
    painter.drawText(QRect(x, y, width() - pad - x, line), Qt::AlignLeft | Qt::AlignVCenter,
                     QFontMetrics(plain).elidedText(value, Qt::ElideRight, width() - pad - x));
    y += line;
  }
  if (m_text.partner.isEmpty()) return;
  painter.fillRect(QRect(pad, y + m_theme.scaled(4), inner, 1), m_theme.colour(QStringLiteral("border.control")));
  y += m_theme.scaled(9);
  m_theme.drawChip(painter, QPointF(pad, y + (line - m_theme.chipSize()) / 2.0), m_text.partnerRun,
                   m_text.partnerLetter);
  painter.setFont(plain);
  painter.setPen(secondary);
  const int x = pad + m_theme.chipSize() + m_theme.scaled(8);
  painter.drawText(QRect(x, y, width() - pad - x, line), Qt::AlignLeft | Qt::AlignVCenter,
                   QFontMetrics(plain).elidedText(m_text.partner, Qt::ElideRight, width() - pad - x));
}

}  // namespace attnscope::ui
