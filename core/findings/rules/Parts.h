// SPDX-License-Identifier: Apache-2.0
#pragma once

// What several rules share. Pure; any thread.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/findings/Rules.h"

namespace attnscope::rules {

inline constexpr double kKernelMatters = 0.05;  // share of the kernel time from which one kernel is worth a finding

[[nodiscard]] NotApplicable withoutDevice();
// 0 where the whole is.
[[nodiscard]] double share(std::int64_t part, std::int64_t whole);
// "in 3 steps", "in this step", "in this trace".
[[nodiscard]] std::string inWindows(const Metrics& metrics);
// "kernel time" or "host time": what Metrics::allWorkNs() is.
[[nodiscard]] std::string_view workWords(const Metrics& metrics);
[[nodiscard]] Evidence slicesEvidence(std::string title, std::vector<SliceId> slices);
[[nodiscard]] Evidence kernelEvidence(const KernelRow& row);
// `windows` in order and apart, as Metrics has them. O(log n).
[[nodiscard]] bool isIn(const std::vector<TimeRange>& windows, std::int64_t ns);

// How fast the thread that launches most calls for kernels.
struct LaunchPace {
  std::int64_t kernelNs = 0;    // median of its kernels
  std::int64_t distanceNs = 0;  // median from call to call; 0: its kernels share calls, as those of graphs do
  std::vector<SliceId> calls;
};
// Nothing where too few kernels are linked to their calls.
[[nodiscard]] std::optional<LaunchPace> launchPace(const Metrics& metrics);
inline constexpr const char* kFewLaunches = "fewer than 50 launches of kernels are linked to their calls";

// The operators' own names of attention in PyTorch: "aten::scaled_dot_product_attention" and its backends.
[[nodiscard]] bool isAttentionCall(std::string_view name);
[[nodiscard]] bool isCallOfSdpa(std::string_view name);

// Bytes of an element of the first input, from the recorded "Input type"; nothing where that is not recorded. Reads
// the arguments of one slice.
[[nodiscard]] std::optional<std::int64_t> elementBytes(const Trace& trace, SliceId slice);

}  // namespace attnscope::rules
