// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The whole of all runs, a thin line each, with the window that the panes show; the window can be dragged, its ends
// too, and a press elsewhere moves it there. The lines are kept as an image until runs or theme change. GUI thread.

#include <unordered_map>
#include <vector>

#include <QImage>
#include <QWidget>

#include "ui/theme/Theme.h"
#include "ui/timeline/TimelineControl.h"

namespace attnscope::ui {

class OverviewStrip : public QWidget {
  Q_OBJECT

 public:
  OverviewStrip(TimelineControl& control, const Theme& theme, QWidget* parent = nullptr);
  void refresh();  // runs, models, alignment or theme changed
  // At least the theme's; more where there are many runs, so that each keeps a line of its own.
  [[nodiscard]] int wantedHeight() const;
  // Starts of what a search found in a run, in its own time, sorted.
  void setHits(int run, std::vector<std::int64_t> startNs);
  void clearHits();

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;

 private:
  enum class Grip : std::uint8_t { kNone, kWindow, kLeft, kRight };
  void drawLines();
  void drawHits(int run, const TimeScale& whole, int top, int bottom);
  [[nodiscard]] TimeScale scale() const;  // of the whole
  [[nodiscard]] QRectF window() const;
  [[nodiscard]] Grip gripAt(double x) const;

  TimelineControl& m_control;
  const Theme& m_theme;
  QImage m_lines;
  std::unordered_map<int, std::vector<std::int64_t>> m_hits;  // by run
  bool m_isStale = true;
  Grip m_grip = Grip::kNone;
  double m_lastX = 0;
};

}  // namespace attnscope::ui
