// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// How one row's largest score (left axis) and its sum of exp(score - largest) (right axis) grew over its tiles: online
// softmax at work. GUI thread only; the theme outlives it. QCustomPlot is behind it and in no header.

#include <vector>

#include <QWidget>

#include "ui/charts/TileMap.h"

class QCustomPlot;

namespace attnscope::ui {

class Theme;

class RowChart : public QWidget {
  Q_OBJECT

 public:
  explicit RowChart(const Theme& theme, QWidget* parent = nullptr);

  // `keys`: where the axis ends.
  void setPoints(std::vector<RowPoint> points, std::int64_t keys);
  [[nodiscard]] const std::vector<RowPoint>& points() const { return m_points; }
  [[nodiscard]] QString data() const;  // tab-separated: keys so far, largest score, sum

 private:
  void rebuild();

  const Theme& m_theme;
  std::vector<RowPoint> m_points;
  std::int64_t m_keys = 0;
  QCustomPlot* m_plot = nullptr;
};

}  // namespace attnscope::ui
