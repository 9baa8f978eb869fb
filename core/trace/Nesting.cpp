// SPDX-License-Identifier: Apache-2.0
#include "core/trace/Nesting.h"

#include <algorithm>

#include "core/trace/RowEnds.h"
#include "core/trace/SortRuns.h"

namespace attnscope {

namespace {

bool before(const NestItem& a, const NestItem& b) {
  if (a.startNs != b.startNs) return a.startNs < b.startNs;
  if (a.durationNs != b.durationNs) return a.durationNs > b.durationNs;
  return a.source->order < b.source->order;
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
  sortRuns(items, [](const NestItem& a, const NestItem& b) { return before(a, b); });
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
      if (end > rows[parent].endNs) {
        ++counts.clamped;
        counts.firstClamped = std::min(counts.firstClamped, item.source->order);
      }
    }
    rows.take(item.row, end, i);
  }
  return counts;
}

}  // namespace attnscope
