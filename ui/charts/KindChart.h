// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Bars of the time by kind of work, a group for each kind and a bar for each run. GUI thread only; the theme outlives
// it. QCustomPlot is behind it and in no header.

#include <memory>

#include <QWidget>

#include "ui/charts/KindTimes.h"

class QCustomPlot;

namespace attnscope::ui {

class Theme;

class KindChart : public QWidget {
  Q_OBJECT

 public:
  explicit KindChart(const Theme& theme, QWidget* parent = nullptr);

  void setTimes(std::shared_ptr<const KindTimes> times);
  [[nodiscard]] const KindTimes& times() const { return *m_times; }
  [[nodiscard]] QString data() const;  // tab-separated: kind, ns of each run
  [[nodiscard]] bool save(const QString& path);

 private:
  void rebuild();

  const Theme& m_theme;
  std::shared_ptr<const KindTimes> m_times;
  QCustomPlot* m_plot = nullptr;
};

}  // namespace attnscope::ui
