// SPDX-License-Identifier: Apache-2.0
#pragma once

// Longest common subsequence of two sequences of keys, by Myers' greedy algorithm ("An O(ND) Difference Algorithm and
// Its Variations", 1986). Pure function, any thread. O((n + m) * d) time and O(d^2) memory for d differences.

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace attnscope {

// Matched positions (a, b), rising in both. Beyond `maxDifferences` only the equal beginning and end are matched.
[[nodiscard]] std::vector<std::pair<std::uint32_t, std::uint32_t>> alignSequences(std::span<const std::uint32_t> a,
                                                                                  std::span<const std::uint32_t> b,
                                                                                  std::int32_t maxDifferences = 2000);

}  // namespace attnscope
