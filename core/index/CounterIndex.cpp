// SPDX-License-Identifier: Apache-2.0
#include "core/index/CounterIndex.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace attnscope {

namespace {

constexpr std::size_t kLeaf = 16;

void widen(CounterRange& range, double low, double high) {
  if (range.empty) {
    range = {low, high, false};
    return;
  }
  range.low = std::min(range.low, low);
  range.high = std::max(range.high, high);
}

}  // namespace

CounterIndex CounterIndex::build(std::span<const std::int64_t> atNs, std::span<const double> values) {
  CounterIndex index;
  const std::size_t count = std::min(atNs.size(), values.size());
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  std::vector<Node> leaves((count + kLeaf - 1) / kLeaf, Node{kInfinity, -kInfinity});
  for (std::size_t at = 0; at < count; ++at) {
    if (std::isnan(values[at])) continue;
    Node& leaf = leaves[at / kLeaf];
    leaf.low = std::min(leaf.low, static_cast<float>(values[at]));
    leaf.high = std::max(leaf.high, static_cast<float>(values[at]));
  }
  if (leaves.empty()) return index;
  index.m_levels.push_back(std::move(leaves));
  while (index.m_levels.back().size() > 1) {
    const std::vector<Node>& fine = index.m_levels.back();
    std::vector<Node> coarse((fine.size() + 1) / 2, Node{kInfinity, -kInfinity});
    for (std::size_t at = 0; at < fine.size(); ++at) {
      coarse[at / 2].low = std::min(coarse[at / 2].low, fine[at].low);
      coarse[at / 2].high = std::max(coarse[at / 2].high, fine[at].high);
    }
    index.m_levels.push_back(std::move(coarse));
  }
  return index;
}

CounterRange CounterIndex::range(std::span<const double> values, std::size_t from, std::size_t to) const {
  CounterRange result;
  const auto samples = [&](std::size_t begin, std::size_t end) {
    for (std::size_t at = begin; at < end; ++at) {
      if (!std::isnan(values[at])) widen(result, values[at], values[at]);
    }
  };
  std::size_t first = (from + kLeaf - 1) / kLeaf;
  std::size_t last = to / kLeaf;
  if (m_levels.empty() || first >= last) {
    samples(from, to);
    return result;
  }
  samples(from, first * kLeaf);
  samples(last * kLeaf, to);
  const auto node = [&](std::size_t level, std::size_t at) {
    const Node& value = m_levels[level][at];
    if (value.low <= value.high) widen(result, value.low, value.high);
  };
  for (std::size_t level = 0; first < last; ++level) {
    if ((first & 1) != 0) node(level, first++);
    if ((last & 1) != 0) node(level, --last);
    first /= 2;
    last /= 2;
  }
  return result;
}

void CounterIndex::query(std::span<const std::int64_t> atNs, std::span<const double> values, double startNs,
                         double nsPerPixel, std::int32_t width, std::vector<CounterColumn>& out) const {
  const std::size_t count = std::min(atNs.size(), values.size());
  const auto position = [&](std::size_t from, double ns) {  // first sample at or after ns
    const auto begin = atNs.begin() + static_cast<std::ptrdiff_t>(from);
    const auto end = atNs.begin() + static_cast<std::ptrdiff_t>(count);
    const auto found =
        std::lower_bound(begin, end, ns, [](std::int64_t at, double value) { return static_cast<double>(at) < value; });
    return static_cast<std::size_t>(found - atNs.begin());
  };
  std::size_t from = position(0, startNs);
  for (std::int32_t x = 0; x < width; ++x) {
    const double right = startNs + (x + 1) * nsPerPixel;
    std::size_t to = from;
    if (to < count && static_cast<double>(atNs[to]) < right) to = position(from, right);
    CounterRange found = range(values, from, to);
    const bool startsInside = from < to && static_cast<double>(atNs[from]) <= startNs + x * nsPerPixel;
    if (from > 0 && !startsInside && !std::isnan(values[from - 1])) widen(found, values[from - 1], values[from - 1]);
    CounterColumn column;
    column.gap = found.empty;
    if (!found.empty) {
      column.low = static_cast<float>(found.low);
      column.high = static_cast<float>(found.high);
    }
    column.last = to > 0 ? static_cast<float>(values[to - 1]) : std::numeric_limits<float>::quiet_NaN();
    out.push_back(column);
    from = to;
  }
}

}  // namespace attnscope
