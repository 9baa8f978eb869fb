// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The ruler that all panes share: ticks by the 1-2-5 rule, what zero is in the corner, the cursor's time and the
// measured stretch as chips. Dragging measures. GUI thread.

#include <QWidget>

#include "ui/theme/Theme.h"
#include "ui/timeline/TimelineControl.h"

namespace attnscope::ui {

class Ruler : public QWidget {
  Q_OBJECT

 public:
  Ruler(TimelineControl& control, const Theme& theme, QWidget* parent = nullptr);
  [[nodiscard]] QString zeroWords() const;  // "0 = start of step 3"

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void leaveEvent(QEvent* event) override;

 private:
  [[nodiscard]] double trackX(QPointF position) const;
  // A chip with its middle at x, kept on the tracks; returns what it takes.
  QRectF chip(QPainter& painter, double x, const QString& words);

  TimelineControl& m_control;
  const Theme& m_theme;
};

}  // namespace attnscope::ui
