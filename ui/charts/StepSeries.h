// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// A level that holds until the next record, and the corners of its line at the resolution of a screen.
// Immutable after build; any thread.

#include <cstdint>
#include <utility>
#include <vector>

#include "core/index/CounterIndex.h"

namespace attnscope::ui {

struct ChartPoint {
  double ns = 0;
  double value = 0;  // NaN: the line is broken here
};

class StepSeries {
 public:
  StepSeries() = default;
  // Times ascending, as many values; NaN is a gap. The last level holds to `endNs`.
  StepSeries(std::vector<std::int64_t> atNs, std::vector<double> values, std::int64_t endNs);

  [[nodiscard]] bool isEmpty() const { return m_atNs.empty(); }
  [[nodiscard]] const std::vector<std::int64_t>& atNs() const { return m_atNs; }
  [[nodiscard]] const std::vector<double>& values() const { return m_values; }
  [[nodiscard]] CounterRange range() const { return m_index.range(m_values, 0, m_values.size()); }  // O(log n)
  [[nodiscard]] double valueAt(double ns) const;  // NaN before the first record and after the end
  // Of the levels in force anywhere in [startNs, endNs). O(log n).
  [[nodiscard]] CounterRange rangeIn(double startNs, double endNs) const;
  [[nodiscard]] std::int64_t endNs() const { return m_endNs; }
  // Records with start <= time < end: [first, second).
  [[nodiscard]] std::pair<std::size_t, std::size_t> recordsIn(double startNs, double endNs) const;
  // Corners of the line in a view of `width` columns, in order of time: the records themselves while there are few,
  // else at most four a column (level at its edge, lowest, highest, last), so that no peak is lost. Joined by straight
  // lines they are the steps.
  [[nodiscard]] std::vector<ChartPoint> corners(double startNs, double nsPerPixel, std::int32_t width) const;

 private:
  [[nodiscard]] std::vector<ChartPoint> exactCorners(double startNs, double endNs) const;

  std::vector<std::int64_t> m_atNs;
  std::vector<double> m_values;
  std::int64_t m_endNs = 0;
  CounterIndex m_index;
};

// `other` less `base` over base's time; `shiftNs` is what of other's time base's zero is. A gap where either has one;
// empty where the two share no time. O(n + m).
[[nodiscard]] StepSeries differenceOf(const StepSeries& other, const StepSeries& base, std::int64_t shiftNs);

}  // namespace attnscope::ui
