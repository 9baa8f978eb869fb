// SPDX-License-Identifier: Apache-2.0
#include "core/trace/Nesting.h"

#include <algorithm>

#include "core/trace/RowEnds.h"

namespace attnscope {

namespace {

bool before(const NestItem& a, const NestItem& b) {
  if (a.startNs != b.startNs) return a.startNs < b.startNs;
  if (a.durationNs != b.durationNs) return a.durationNs > b.durationNs;
  return a.source->order < b.source->order;
}

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

// The least end of a slice that holds one from `start` to `end`: see core/trace/README.md. Rounding only explains an
// excess that is smaller than what lies inside.
std::int64_t leastEnd(std::int64_t start, std::int64_t end) {
  const std::int64_t half = start + (end - start) / 2 + 1;
  return std::max(start + 1, std::min(end, std::max(end - kRoundingNs, half)));
}

}  // namespace

NestCounts nest(std::vector<NestItem>& items, const std::stop_token& stop) {
  NestCounts counts;
  sortItems(items);
  RowEnds rows;
  for (std::uint32_t i = 0; i < items.size(); ++i) {
    if ((i & 0xFFFF) == 0 && stop.stop_requested()) return counts;
    NestItem& item = items[i];
    const std::int64_t start = item.startNs;
    const std::int64_t end = start + item.durationNs;
    const std::int64_t least = leastEnd(start, end);
    std::uint32_t parent = rows.lowestTaken(start);
    item.row = parent + 1;
    if (parent != kNone && rows[parent].endNs < least) {
      ++counts.overlaps;
      counts.firstOverlap = std::min(counts.firstOverlap, item.source->order);
      parent = rows.lowestEndingFrom(least);
      item.row = rows.firstFree(parent + 1, start);
    }
    if (parent != kNone) {
      item.parent = rows[parent].item;
      if (end > rows[parent].endNs) ++counts.clamped;
    }
    rows.take(item.row, end, i);
  }
  return counts;
}

}  // namespace attnscope
