// SPDX-License-Identifier: Apache-2.0
#pragma once

// Pairs begins with ends: B and E of a thread, b and e, S and F of an async id.

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "core/trace/RawEvents.h"

namespace attnscope {

struct PairedEvents {
  const RawPoint* begin = nullptr;
  const RawPoint* end = nullptr;        // nullptr: never closed
  const RawPoint* outermost = nullptr;  // begin of the bottom of the stack it stood on
};

struct StrayEnds {  // that closed nothing
  std::uint64_t count = 0;
  std::uint64_t firstOrder = TraceHealth::kNowhere;
};

// `points` are begins and ends of one stack in any order; `isBegin` tells them apart. They are taken by (time, file
// order). An end closes the nearest open begin of its name, one without a name the innermost; an end that finds none
// waits for the begins of its own time, then is a stray. O(n log n), O(n) where they are in
// order.
StrayEnds pairEvents(std::vector<const RawPoint*>& points, const std::function<bool(const RawPoint&)>& isBegin,
                     std::vector<PairedEvents>& pairs);

}  // namespace attnscope
