// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/lab/LabGround.h"

#include <QPainter>

namespace attnscope::ui {

LabGround::LabGround(const Theme& theme, const QString& ground, Qt::Edges lines, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_ground(ground), m_lines(lines) {
  setAttribute(Qt::WA_OpaquePaintEvent);
  connect(&m_theme, &Theme::changed, this, qOverload<>(&QWidget::update));
}

void LabGround::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  painter.fillRect(rect(), m_theme.colour(m_ground));
  const QColor line = m_theme.colour(QStringLiteral("border.hairline"));
  if (m_lines.testFlag(Qt::TopEdge)) painter.fillRect(0, 0, width(), 1, line);
  if (m_lines.testFlag(Qt::BottomEdge)) painter.fillRect(0, height() - 1, width(), 1, line);
}

}  // namespace attnscope::ui
