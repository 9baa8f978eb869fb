// SPDX-License-Identifier: Apache-2.0
#include "core/trace/Nesting.h"

#include <algorithm>

namespace attnscope {

namespace {

bool before(const NestItem& a, const NestItem& b) {
  if (a.startNs != b.startNs) return a.startNs < b.startNs;
  if (a.durationNs != b.durationNs) return a.durationNs > b.durationNs;
  return a.source->order < b.source->order;
}

struct Open {
  std::int64_t endNs;
  std::uint32_t item;
  std::uint32_t row;
};

// Recorders write a thread as a few sequences that are each in order: those are merged rather than sorted.
void sortItems(std::vector<NestItem>& items) {
  constexpr std::size_t kMostRuns = 32;
  std::vector<std::ptrdiff_t> runs{0};
  for (std::size_t i = 1; i < items.size() && runs.size() <= kMostRuns; ++i)
    if (before(items[i], items[i - 1])) runs.push_back(static_cast<std::ptrdiff_t>(i));
  if (runs.size() == 1) return;
  if (runs.size() > kMostRuns) {
    std::sort(items.begin(), items.end(), before);
    return;
  }
  runs.push_back(static_cast<std::ptrdiff_t>(items.size()));
  while (runs.size() > 2) {
    std::vector<std::ptrdiff_t> merged{0};
    for (std::size_t i = 0; i + 2 < runs.size(); i += 2) {
      std::inplace_merge(items.begin() + runs[i], items.begin() + runs[i + 1], items.begin() + runs[i + 2], before);
      merged.push_back(runs[i + 2]);
    }
    if (merged.back() != runs.back()) merged.push_back(runs.back());
    runs = std::move(merged);
  }
}

constexpr std::uint32_t kLastRow = 0xFFFF;

bool holds(const Open& open, std::int64_t start, std::int64_t end) {
  if (end <= open.endNs) return true;
  const std::int64_t excess = end - open.endNs;
  // Rounding only explains an excess that is smaller than what lies inside.
  return excess <= kRoundingNs && excess < open.endNs - start;
}

}  // namespace

NestCounts nest(std::vector<NestItem>& items) {
  NestCounts counts;
  sortItems(items);

  std::vector<Open> open;  // by row
  bool holes = false;      // something below the innermost may have ended
  for (std::uint32_t i = 0; i < items.size(); ++i) {
    NestItem& item = items[i];
    const std::int64_t start = item.startNs;
    const std::int64_t end = start + item.durationNs;
    while (!open.empty() && open.back().endNs <= start) open.pop_back();
    if (holes) {
      open.erase(std::remove_if(open.begin(), open.end(), [&](const Open& o) { return o.endNs <= start; }), open.end());
      holes = false;
      for (std::size_t k = 1; k < open.size() && !holes; ++k) holes = open[k].endNs > open[k - 1].endNs;
    }
    // The innermost open slice that holds this one is its parent.
    std::size_t inside = open.size();
    while (inside > 0 && !holds(open[inside - 1], start, end)) --inside;
    std::uint32_t row = 0;
    if (inside > 0) {
      item.parent = open[inside - 1].item;
      row = open[inside - 1].row + 1;
      if (end > open[inside - 1].endNs) {
        ++counts.clamped;
        holes = true;
      }
    }
    if (inside < open.size()) {
      ++counts.overlaps;
      counts.firstOverlap = std::min(counts.firstOverlap, item.source->order);
      holes = true;
    }
    // The first row below the parent that is free.
    std::size_t place = inside;
    while (place < open.size() && open[place].row == row) {
      ++place;
      ++row;
    }
    if (row > kLastRow) {  // the last row takes the rest, side by side
      row = kLastRow;
      ++counts.crowded;
    }
    item.row = static_cast<std::uint16_t>(row);
    open.insert(open.begin() + static_cast<std::ptrdiff_t>(place), Open{end, i, row});
  }
  return counts;
}

}  // namespace attnscope
