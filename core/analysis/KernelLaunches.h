// SPDX-License-Identifier: Apache-2.0
#pragma once

// What can be worked out of the launches that a row of the kernel table stands for: occupancy, delays, the tensor core
// instructions that its name tells. Pure functions, any thread.

#include <optional>
#include <string_view>
#include <vector>

#include "core/analysis/Kernels.h"
#include "core/analysis/Occupancy.h"

namespace attnscope {

// The instructions by which a kernel uses tensor cores, as far as its name says: "HMMA 884" (Volta), "HMMA 1688",
// "HMMA 16816", "IMMA", "WGMMA" (Hopper), "tcgen05" (Blackwell), "MFMA" (AMD), "MMA" where only that it does is known;
// else empty.
[[nodiscard]] std::string_view tensorCoreFamily(std::string_view name);

struct KernelLaunches {
  // From block, registers and shared memory that all calls agree on, on a device that is known and can hold them;
  // waves, their last fill and what is achieved only where they agree on the grid too, else these are 0.
  std::optional<Occupancy> occupancy;
  std::int64_t launchMedianNs = -1;  // LaunchDelays: of the calls whose runtime call is known; -1: of none
  std::int64_t queueMedianNs = -1;
  std::string_view tensorCoreFamily;
};
// One for each row, in their order. O(n log n) in the device work.
[[nodiscard]] std::vector<KernelLaunches> kernelLaunches(const Trace& trace, const std::vector<KernelRow>& rows);

}  // namespace attnscope
