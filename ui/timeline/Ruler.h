// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The ruler that all panes share, or that of one run while they move freely: ticks by the 1-2-5 rule, what zero is in
// the corner, the cursor's time and the measured stretch as chips, notes as flags. Dragging measures. GUI thread.

#include <QWidget>

#include "ui/theme/Theme.h"
#include "ui/timeline/TimelineControl.h"

namespace attnscope::ui {

class Ruler : public QWidget {
  Q_OBJECT

 public:
  Ruler(TimelineControl& control, const Theme& theme, QWidget* parent = nullptr);
  void setRun(int run);                     // whose time it shows; -1: that of all
  [[nodiscard]] QString zeroWords() const;  // "0 = start of step 3"

 Q_SIGNALS:
  void noteActivated(int note);                      // its flag was clicked
  void menuWanted(int note, QPoint globalPosition);  // of a note, or -1

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;

 private:
  struct Flag {
    int note = 0;
    QRectF box;
  };
  [[nodiscard]] TimeScale scale() const;
  [[nodiscard]] std::vector<Flag> flags() const;
  [[nodiscard]] int noteAt(QPointF position) const;
  void paintFlags(QPainter& painter, std::vector<QRectF>& taken);
  void paintTicks(QPainter& painter, const std::vector<QRectF>& taken);
  [[nodiscard]] double trackX(QPointF position) const;
  // A chip with its middle at x, kept on the tracks; returns what it takes.
  QRectF chip(QPainter& painter, double x, const QString& words);

  TimelineControl& m_control;
  const Theme& m_theme;
  int m_run = -1;
};

}  // namespace attnscope::ui
