// SPDX-License-Identifier: Apache-2.0
#pragma once

// Slices of one track across its rows, by start, then the longer first. A row is in that order by itself, so that the
// rows are merged: heads of rows stand in an array by their order, and a row's next slice seldom moves far in it. O(n)
// for a few rows; tracks of many are sorted, O(n log n). Any thread.

#include <algorithm>
#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

#include "core/trace/Trace.h"

namespace attnscope {

// Slices of `rows` that are `wanted`; `tie` decides between two of one start and one length. Where a stop is requested
// it leaves off.
template <class Wanted, class Tie>
[[nodiscard]] std::vector<SliceId> inStartOrder(const SliceTable& slices, std::span<const RowSpan> rows, Wanted wanted,
                                                Tie tie, const std::stop_token& stop = {}) {
  constexpr std::size_t kMostRows = 32;
  constexpr std::size_t kStopEvery = 0x10000;
  struct Head {
    std::int64_t startNs;
    std::int64_t durationNs;
    std::uint32_t slice;
    std::uint32_t end;  // of its row
  };
  const auto before = [&](const Head& a, const Head& b) {
    if (a.startNs != b.startNs) return a.startNs < b.startNs;
    if (a.durationNs != b.durationNs) return a.durationNs > b.durationNs;
    return tie(SliceId{a.slice}, SliceId{b.slice});
  };
  const auto headAt = [&](std::uint32_t slice, std::uint32_t end) {
    while (slice < end && !wanted(slice)) ++slice;
    if (slice == end) return Head{0, 0, end, end};
    return Head{slices.startNs[slice], slices.durationNs[slice], slice, end};
  };
  std::vector<SliceId> order;
  const auto sortAll = [&] {
    std::sort(order.begin(), order.end(), [&](SliceId a, SliceId b) {
      const auto i = static_cast<std::uint32_t>(a);
      const auto k = static_cast<std::uint32_t>(b);
      return before({slices.startNs[i], slices.durationNs[i], i, 0}, {slices.startNs[k], slices.durationNs[k], k, 0});
    });
  };
  if (rows.size() > kMostRows) {
    for (const RowSpan& row : rows)
      for (std::uint32_t slice = row.first; slice < row.first + row.count; ++slice)
        if (wanted(slice)) order.push_back(SliceId{slice});
    sortAll();
    return order;
  }
  std::vector<Head> heads;  // the first comes last
  std::size_t most = 0;
  for (const RowSpan& row : rows) {
    const Head head = headAt(row.first, row.first + row.count);
    if (head.slice == head.end) continue;
    most += head.end - head.slice;
    heads.insert(std::find_if(heads.begin(), heads.end(), [&](const Head& other) { return before(other, head); }),
                 head);
  }
  order.reserve(most);
  bool sorted = true;  // slices of no length may stand in a row in another order than `tie` wants
  while (!heads.empty()) {
    const Head first = heads.back();
    order.push_back(SliceId{first.slice});
    if (order.size() % kStopEvery == 0 && stop.stop_requested()) return order;
    const Head next = headAt(first.slice + 1, first.end);
    if (next.slice == next.end) {
      heads.pop_back();
      continue;
    }
    sorted = sorted && !before(next, first);
    std::size_t place = heads.size() - 1;
    for (; place > 0 && before(heads[place - 1], next); --place) heads[place] = heads[place - 1];
    heads[place] = next;
  }
  if (!sorted) sortAll();
  return order;
}

}  // namespace attnscope
