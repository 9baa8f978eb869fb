// SPDX-License-Identifier: Apache-2.0
#pragma once

// How the work behind each slice changed, as one of a few classes that a timeline can be coloured by. Pure; any thread.

#include <cstdint>
#include <vector>

#include "core/compare/Comparison.h"

namespace attnscope {

// From much less time to much more: the ratio of other to base lies under 1/1.5, 1/1.2, 1/1.02, within 2 %, over...
inline constexpr std::uint8_t kChangeSteps = 7;
inline constexpr std::uint8_t kNeutralChange = 3;
inline constexpr std::uint8_t kUnmatchedChange = 7;  // of one side alone
inline constexpr std::uint8_t kChangeClassCount = 8;
inline constexpr std::uint8_t kNoChangeClass = 255;  // not in the scope, or nothing that is compared

[[nodiscard]] std::uint8_t changeClassOf(std::int64_t baseNs, std::int64_t otherNs);

// By slice of a compared run: the class of its group; kernels have that of what launched them. The base's slices show
// the change of the run that differs most. O(slices).
[[nodiscard]] std::vector<std::uint8_t> changeClasses(const Comparison& comparison, std::size_t run, const Trace& trace,
                                                      const OperatorTree& tree);

}  // namespace attnscope
