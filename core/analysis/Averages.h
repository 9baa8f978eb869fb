// SPDX-License-Identifier: Apache-2.0
#pragma once

// Averages of whole numbers, rounded half up, so that the same figures come out wherever they are shown. Pure; O(1).

#include <cstdint>
#include <span>

namespace attnscope {

// sum / count to the nearest, half up (-1/2 is 0); `count` is above 0.
[[nodiscard]] constexpr std::int64_t halfUp(__int128_t sum, std::int64_t count) {
  const __int128_t twice = 2 * sum + count;
  const __int128_t whole = __int128_t{2} * count;
  return static_cast<std::int64_t>(twice >= 0 ? twice / whole : -((-twice + whole - 1) / whole));
}

// The middle one, or the mean of the middle two. Of one or more values in order.
[[nodiscard]] constexpr std::int64_t medianOfSorted(std::span<const std::int64_t> sorted) {
  const std::size_t count = sorted.size();
  return halfUp(__int128_t{sorted[(count - 1) / 2]} + sorted[count / 2], 2);
}

}  // namespace attnscope
