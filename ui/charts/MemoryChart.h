// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Allocated bytes of all runs over aligned time, on the stretch that the timelines show, and under them what one run
// takes more than another. Levels that belong to no time (predicted peaks, the score matrix) are dashed lines whose
// labels stand in a column at the right, where no line passes; a peak's label stands where no line crosses it, or is
// left to the table. GUI thread only; view state and theme outlive it. QCustomPlot is behind it and in no header.

#include <functional>
#include <memory>
#include <optional>

#include <QWidget>

#include "ui/charts/MemoryData.h"

class QCustomPlot;
class QMouseEvent;
class QWheelEvent;

namespace attnscope::ui {

class Theme;
class ViewState;

class MemoryChart : public QWidget {
  Q_OBJECT

 public:
  // `anchor` gives the own time of aligned zero for a run's number.
  MemoryChart(ViewState& view, const Theme& theme, std::function<std::int64_t(int)> anchor, QWidget* parent = nullptr);
  ~MemoryChart() override;

  void setRuns(std::shared_ptr<const MemoryRuns> runs, std::optional<MemoryDifference> difference = {});
  [[nodiscard]] const MemoryRuns& runs() const { return *m_runs; }
  [[nodiscard]] const std::optional<MemoryDifference>& difference() const { return m_difference; }
  void refresh();  // after the anchors changed
  // The records in view, tab-separated: run, time in ns from the aligned zero, bytes.
  [[nodiscard]] QString dataInView() const;
  bool save(const QString& path);  // .png or .svg
  // Where words stand, in px of the chart; and whether a line of the chart passes through there.
  [[nodiscard]] std::vector<QRectF> labelPlaces() const;
  [[nodiscard]] bool isCrossed(const QRectF& place) const;

 protected:
  void resizeEvent(QResizeEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;

 private:
  struct Parts;
  void applyTheme();
  void rebuild();  // graphs and labels for the runs
  void addRun(const MemoryRun& run);
  void addDifference();
  void addLevels();
  void scaleBytes();
  void feed();  // points of the view
  void feedDifference();
  void placeLabels();
  void placeUnits();
  void placeLevels();
  void placePeak(std::size_t run, std::vector<QRectF>& taken);
  void placeCursor();
  void pressed(QMouseEvent* event);
  void moved(QMouseEvent* event);
  void released(QMouseEvent* event);
  void wheeled(QWheelEvent* event);
  [[nodiscard]] double nsAt(double x) const;
  [[nodiscard]] int plotWidth() const;

  ViewState& m_view;
  const Theme& m_theme;
  std::function<std::int64_t(int)> m_anchor;
  std::shared_ptr<const MemoryRuns> m_runs;
  std::optional<MemoryDifference> m_difference;
  std::unique_ptr<Parts> m_parts;
  QCustomPlot* m_plot = nullptr;
  double m_unitBytes = 1;
  double m_pressX = 0;
  double m_pressStartNs = 0;
  bool m_pressed = false;
  bool m_dragging = false;
};

}  // namespace attnscope::ui
