// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The frame that every chart has: left and bottom axis of 1 px, grid, captions, the unit once at the axis' end.
// Includes QCustomPlot: for the few .cpp files that draw charts. GUI thread only.

#include "ui/bridge/Format.h"
#include "ui/charts/CustomPlot.h"

namespace attnscope::ui {

class Theme;

// Ticks by the 1-2-5 rule over ns, written without their unit.
class TimeTicker : public QCPAxisTicker {
 public:
  [[nodiscard]] format::TimeUnit unit() const { return m_unit; }

 protected:
  double getTickStep(const QCPRange& range) override;
  QString getTickLabel(double tick, const QLocale& locale, QChar formatChar, int precision) override;
  int getSubTickCount(double) override { return 0; }

 private:
  format::TimeUnit m_unit = format::TimeUnit::kUs;
  int m_decimals = 0;
  double m_labelledUntil = 0;
};

// Ticks by the 1-2-5 rule over plain numbers.
class NumberTicker : public QCPAxisTicker {
 protected:
  double getTickStep(const QCPRange& range) override;
  QString getTickLabel(double tick, const QLocale& locale, QChar formatChar, int precision) override;
  int getSubTickCount(double) override { return 0; }

 private:
  int m_decimals = 0;
};

// The unit at the right end of the time axis, where TimeTicker leaves room for it. Known once the chart was drawn:
// draws it, and again with the unit.
void drawWithTimeUnit(QCustomPlot& plot, const TimeTicker& ticker, const Theme& theme);

// Colours, fonts and pens of a pair of axes from the theme.
void styleAxes(QCPAxisRect& axes, const Theme& theme);
// The same of a whole chart, and its margins.
void styleChart(QCustomPlot& plot, const Theme& theme);

// A plot that fills `chart`, which keeps the focus and the context menu.
[[nodiscard]] QCustomPlot* addPlot(QWidget& chart);
// Takes everything off that was drawn, styles the plot, and gives it a time axis at the bottom.
[[nodiscard]] QSharedPointer<TimeTicker> beginTimeChart(QCustomPlot& plot, const Theme& theme);

}  // namespace attnscope::ui
