// SPDX-License-Identifier: Apache-2.0
#pragma once

// How long a call may take before the runner counts as hung. Generous: a machine may be busy with something else, and
// a deadline that is too short ends a run that was well. Pure.

#include <algorithm>
#include <cstdint>

namespace attnscope::engine {

inline constexpr std::int64_t kDeadlineFloorNs = 10'000'000'000;

// Of a call that was never made: LibTorch's slowest ways (bfloat16 without instructions for it) give about 1 GFLOP/s.
[[nodiscard]] inline std::int64_t deadlineFromFlops(std::int64_t flops) {
  constexpr double kSlowestFlopsPerNs = 0.5;
  constexpr double kFactor = 4;
  constexpr double kMost = 9e18;
  const double ns = std::min(kMost, static_cast<double>(flops) / kSlowestFlopsPerNs * kFactor);
  return std::max(kDeadlineFloorNs, static_cast<std::int64_t>(ns));
}

// Of calls whose time is known.
[[nodiscard]] inline std::int64_t deadlineFromTime(std::int64_t perCallNs, std::int64_t calls) {
  constexpr double kFactor = 50;
  constexpr double kMost = 9e18;
  const double ns = std::min(kMost, static_cast<double>(perCallNs) * static_cast<double>(calls) * kFactor);
  return std::max(kDeadlineFloorNs, static_cast<std::int64_t>(ns));
}

}  // namespace attnscope::engine
