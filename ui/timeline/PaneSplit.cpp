// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/PaneSplit.h"

#include <cmath>

#include <QMouseEvent>

namespace attnscope::ui {

PaneSplit::PaneSplit(QWidget* parent) : QWidget(parent) {
  setCursor(Qt::SizeVerCursor);
  setFocusPolicy(Qt::NoFocus);
}

void PaneSplit::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return;
  m_pressY = event->globalPosition().y();
  Q_EMIT pressed();
}

void PaneSplit::mouseMoveEvent(QMouseEvent* event) {
  if ((event->buttons() & Qt::LeftButton) == 0) return;
  Q_EMIT dragged(static_cast<int>(std::lround(event->globalPosition().y() - m_pressY)));
}

void PaneSplit::mouseDoubleClickEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton) Q_EMIT resetWanted();
}

}  // namespace attnscope::ui
