// SPDX-License-Identifier: Apache-2.0
#pragma once

// Rows and parents of the slices of one track. Rules: core/trace/README.md.

#include <cstdint>
#include <stop_token>
#include <vector>

#include "core/trace/RawEvents.h"

namespace attnscope {

struct NestItem {
  std::int64_t startNs = 0;
  std::int64_t durationNs = 0;
  const RawSlice* source = nullptr;
  std::uint32_t parent = kNone;  // position among the sorted items
  std::uint32_t row = 0;
};

struct NestCounts {
  std::uint64_t overlaps = 0;          // slices that do not nest and went to another row
  std::uint64_t clamped = 0;           // that end up to kRoundingNs after their parent
  std::uint32_t firstOverlap = kNone;  // order of the first
  std::uint32_t firstClamped = kNone;
};

// Recorders that cut start and length to whole microseconds let a child end this much after its parent.
inline constexpr std::int64_t kRoundingNs = 1000;

// Sorts by (start, longer first, file order) and gives each a row and a parent.
// Two items of one row never overlap. O(n log n). Leaves off where a stop is requested.
NestCounts nest(std::vector<NestItem>& items, const std::stop_token& stop = {});

}  // namespace attnscope
