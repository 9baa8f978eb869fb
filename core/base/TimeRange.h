// SPDX-License-Identifier: Apache-2.0
#pragma once

// A half-open range [start, end) of integer nanoseconds from a trace's zero.

#include <algorithm>
#include <cstdint>
#include <limits>

namespace attnscope {

struct TimeRange {
  std::int64_t startNs = 0;
  std::int64_t endNs = 0;

  // The largest number where 64 bits do not hold it, as of all().
  [[nodiscard]] std::int64_t durationNs() const {
    std::int64_t length = 0;
    if (!__builtin_sub_overflow(endNs, startNs, &length)) return length;
    return endNs > startNs ? std::numeric_limits<std::int64_t>::max() : std::numeric_limits<std::int64_t>::min();
  }
  [[nodiscard]] bool contains(std::int64_t ns) const { return ns >= startNs && ns < endNs; }
  [[nodiscard]] bool overlaps(std::int64_t from, std::int64_t to) const { return from < endNs && to > startNs; }
  bool operator==(const TimeRange&) const = default;

  // Holds every time a trace can have.
  [[nodiscard]] static constexpr TimeRange all() {
    return {std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()};
  }
};

}  // namespace attnscope
