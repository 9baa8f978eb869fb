// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/DropOverlay.h"

#include <QFontMetricsF>
#include <QPainter>

namespace attnscope::ui {

DropOverlay::DropOverlay(const Theme& theme, QWidget* parent) : QWidget(parent), m_theme(theme) {
  setAttribute(Qt::WA_TransparentForMouseEvents);
  setObjectName(QStringLiteral("dropOverlay"));
  hide();
}

void DropOverlay::showWords(const QString& words) {
  m_words = words;
  setAccessibleName(words);
  setGeometry(parentWidget()->rect());
  raise();
  show();
  update();
}

void DropOverlay::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  QColor veil = m_theme.colour(QStringLiteral("surface.window"));
  veil.setAlphaF(0.72F);
  painter.fillRect(rect(), veil);
  painter.setPen(QPen(m_theme.colour(QStringLiteral("text.primary")), 2));
  painter.drawRect(rect().adjusted(1, 1, -1, -1));
  const QFont font = m_theme.font(FontRole::kVerdict, QFont::DemiBold);
  const double wide = QFontMetricsF(font).horizontalAdvance(m_words) + m_theme.scaled(48);
  QRectF box(0, 0, wide, m_theme.scaled(64));
  box.moveCenter(QRectF(rect()).center());
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setBrush(m_theme.colour(QStringLiteral("surface.raised")));
  painter.setPen(m_theme.colour(QStringLiteral("border.strong")));
  painter.drawRoundedRect(box, 6, 6);
  painter.setFont(font);
  painter.setPen(m_theme.colour(QStringLiteral("text.primary")));
  painter.drawText(box, Qt::AlignCenter, m_words);
}

}  // namespace attnscope::ui
