// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the keys beside traceEvents say: devices, rank, base of the clock, producer.

#include <string>
#include <string_view>

#include "core/trace/RawEvents.h"

namespace attnscope {

// Takes one top-level member into `raw`; long values are cut, sub-traces and samples left out.
void takeTopLevel(RawTrace& raw, std::string_view key, std::string_view value, std::uint64_t byte);

// From distributedInfo, else from the file's name (rank-3, rank_3, rank3, worker3); index -1 where neither says.
[[nodiscard]] Rank rankOf(const RawTrace& raw);

// "kineto", "kineto-rocm", "kineto-xpu", "autograd" (the profiler before Kineto), "ascend", "rpd", "xprof", "chrome",
// "perfetto", "viztracer", "bazel", "clang", "go", "unknown".
[[nodiscard]] std::string producerOf(const Trace& trace);

}  // namespace attnscope
