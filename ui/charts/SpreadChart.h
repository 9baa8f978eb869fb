// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Histogram of the calls' durations, and over it the share of calls that take no longer. One run as bars, several as
// steps. GUI thread only; the theme outlives it. QCustomPlot is behind it and in no header.

#include <memory>

#include <QWidget>

#include "ui/charts/DurationSpread.h"

class QCustomPlot;

namespace attnscope::ui {

class Theme;

class SpreadChart : public QWidget {
  Q_OBJECT

 public:
  explicit SpreadChart(const Theme& theme, QWidget* parent = nullptr);

  void setSpread(std::shared_ptr<const DurationSpread> spread);
  [[nodiscard]] const DurationSpread& spread() const { return *m_spread; }
  [[nodiscard]] QString data() const;  // tab-separated: from, to (ns), calls of each run
  [[nodiscard]] bool save(const QString& path);

 private:
  void rebuild();

  const Theme& m_theme;
  std::shared_ptr<const DurationSpread> m_spread;
  QCustomPlot* m_plot = nullptr;
};

}  // namespace attnscope::ui
