// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Timed samples over the rounds in which they were taken: drift, slow-downs, outliers and modes are seen at a glance.
// Times on a logarithmic axis, for ratios are what is compared. GUI thread only; the theme outlives it.

#include <vector>

#include <QString>
#include <QWidget>

namespace attnscope::ui {

class Theme;

struct SampleSeries {
  int runNumber = 0;
  QString letter;
  std::vector<double> perCallNs;  // by round
};

class SamplesPlot : public QWidget {
  Q_OBJECT

 public:
  SamplesPlot(std::vector<SampleSeries> series, const Theme& theme, QWidget* parent = nullptr);
  [[nodiscard]] QSize sizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  struct Scale {
    double least = 0;  // logarithms of ns
    double most = 0;
    std::size_t rounds = 0;
  };
  [[nodiscard]] Scale scale() const;

  std::vector<SampleSeries> m_series;
  const Theme& m_theme;
};

}  // namespace attnscope::ui
