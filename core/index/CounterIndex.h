// SPDX-License-Identifier: Apache-2.0
#pragma once

// Minimum and maximum of a step series over any range of columns: leaves of 16 samples, then powers of two above.
// Build O(n), query O(columns * log). Immutable after build; any number of threads may query. NaN samples are gaps.

#include <cstdint>
#include <span>
#include <vector>

namespace attnscope {

struct CounterColumn {
  float low = 0;
  float high = 0;
  float last = 0;   // value at the column's right edge; NaN in a gap
  bool gap = true;  // no value in force anywhere in the column
};

struct CounterRange {
  double low = 0;
  double high = 0;
  bool empty = true;
};

class CounterIndex {
 public:
  CounterIndex() = default;
  static CounterIndex build(std::span<const std::int64_t> atNs, std::span<const double> values);
  // One column a pixel of a view; the value in force at the left edge counts for its column.
  void query(std::span<const std::int64_t> atNs, std::span<const double> values, double startNs, double nsPerPixel,
             std::int32_t width, std::vector<CounterColumn>& out) const;
  // Of the samples at positions [from, to). O(log n).
  [[nodiscard]] CounterRange range(std::span<const double> values, std::size_t from, std::size_t to) const;

 private:
  struct Node {
    float low;
    float high;
  };
  std::vector<std::vector<Node>> m_levels;
};

}  // namespace attnscope
