// SPDX-License-Identifier: Apache-2.0
#pragma once

// Longest common subsequence of two sequences of keys in linear space: Myers' greedy algorithm from both ends, split
// where they meet ("An O(ND) Difference Algorithm and Its Variations", 1986, section 4b). Pure function, any thread.
// O(n + m) space; O((n + m) * d) time for d differences, so linear for equal sequences. Where the ends have not met
// after `maxDifferences` steps each, the sequences are split at the point that got furthest: then the matches are
// still matches, but there may be longer ones.

#include <cstdint>
#include <span>
#include <stop_token>
#include <utility>
#include <vector>

namespace attnscope {

using SequenceMatches = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

// Matched positions (a, b), rising in both. Where a stop is requested the rest stays unmatched.
[[nodiscard]] SequenceMatches alignSequences(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b,
                                             std::int32_t maxDifferences = 2000, const std::stop_token& stop = {});

}  // namespace attnscope
