// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// What MemoryChart draws with. Includes QCustomPlot: for MemoryChart.cpp and MemoryChartLabels.cpp alone.

#include <vector>

#include "ui/charts/ChartAxes.h"
#include "ui/charts/MemoryChart.h"

namespace attnscope::ui {

struct MemoryChart::Parts {
  struct RunParts {
    QCPGraph* allocated = nullptr;
    QCPGraph* reserved = nullptr;
    QCPGraph* peak = nullptr;
    QCPGraph* dot = nullptr;  // on the cursor
    QCPItemText* peakTitle = nullptr;
    QCPItemText* peakHolder = nullptr;
  };
  struct Level {  // a dashed line over the whole width, and its label in the column at the right
    double bytes = 0;
    int priority = 0;
    QString full;
    QString brief;
    QCPItemLine* line = nullptr;
    QCPItemLine* leader = nullptr;
    QCPItemText* label = nullptr;
  };
  struct Difference {
    QCPAxisRect* axes = nullptr;  // under the others; nullptr: there is none
    QCPGraph* more = nullptr;
    QCPGraph* less = nullptr;
    QCPItemText* title = nullptr;
    QCPItemText* largest = nullptr;
    QCPItemLine* cursor = nullptr;
  };
  QSharedPointer<TimeTicker> timeTicker{new TimeTicker};
  QSharedPointer<NumberTicker> byteTicker{new NumberTicker};
  QSharedPointer<NumberTicker> differenceTicker{new NumberTicker};
  std::vector<RunParts> runs;
  std::vector<Level> levels;
  Difference difference;
  QCPItemLine* cursor = nullptr;
  QCPItemText* timeUnit = nullptr;
  QCPItemText* byteUnit = nullptr;

  // In px of the plot; its size is there before the item was drawn.
  [[nodiscard]] static QRectF placeOf(const QCPItemText& item) {
    return {item.topLeft->pixelPosition(), item.bottomRight->pixelPosition()};
  }
};

}  // namespace attnscope::ui
