// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/Surface.h"

#include <QPainter>

namespace attnscope::ui {

Surface::Surface(const Theme& theme, const QString& ground, Qt::Edges lines, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_ground(ground), m_lines(lines) {
  setAttribute(Qt::WA_OpaquePaintEvent);
  connect(&m_theme, &Theme::changed, this, qOverload<>(&QWidget::update));
}

void Surface::setLines(Qt::Edges lines) {
  m_lines = lines;
  update();
}

void Surface::setLineColour(const QString& token) {
  m_lineColour = token;
  update();
}

void Surface::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  painter.fillRect(rect(), m_theme.colour(m_ground));
  const QColor line = m_theme.colour(m_lineColour);
  if (m_lines.testFlag(Qt::TopEdge)) painter.fillRect(0, 0, width(), 1, line);
  if (m_lines.testFlag(Qt::BottomEdge)) painter.fillRect(0, height() - 1, width(), 1, line);
  if (m_lines.testFlag(Qt::LeftEdge)) painter.fillRect(0, 0, 1, height(), line);
  if (m_lines.testFlag(Qt::RightEdge)) painter.fillRect(width() - 1, 0, 1, height(), line);
}

void scaleLayout(const Theme& theme, QLayout* layout, const QMargins& margins, int spacing) {
  const auto apply = [&theme, layout, margins, spacing] {
    layout->setContentsMargins(theme.scaled(margins.left()), theme.scaled(margins.top()), theme.scaled(margins.right()),
                               theme.scaled(margins.bottom()));
    if (spacing >= 0) layout->setSpacing(theme.scaled(spacing));
  };
  QObject::connect(&theme, &Theme::changed, layout, apply);
  apply();
}

QWidget* makeHairline(const Theme& theme, QWidget* parent) {
  auto* line = new Surface(theme, QStringLiteral("border.hairline"), {}, parent);
  line->setFixedHeight(1);
  return line;
}

}  // namespace attnscope::ui
