// SPDX-License-Identifier: Apache-2.0
#pragma once

// Kernels by name (or by name and launch shape), with the operators that launched them.
// Copies and memsets are in `copies`, not among the kernels. Pure functions, any thread.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/TimeRange.h"
#include "core/trace/Trace.h"

namespace attnscope {

// Without namespaces, template arguments kept short, return type and parameters dropped: what fits on a slice.
[[nodiscard]] std::string shortKernelName(std::string_view name);
// Itanium-mangled names demangled, others as they are.
[[nodiscard]] std::string demangledName(std::string_view name);
// "gemm", "attention", "softmax", "elementwise", "reduce", "normalisation", "copy", "communication", "triton", "other".
[[nodiscard]] std::string_view kernelFamily(std::string_view name);
enum class TensorCores : std::uint8_t { kYes, kNo, kUnknown };
[[nodiscard]] TensorCores usesTensorCores(std::string_view name);

struct LaunchingOperator {
  StringId name = kNoString;
  std::uint64_t calls = 0;
};

struct KernelRow {
  StringId name = kNoString;
  std::string shortName;
  std::string_view family;
  WorkKind kind = WorkKind::kUnknown;
  TensorCores tensorCores = TensorCores::kUnknown;
  std::uint64_t calls = 0;
  std::int64_t totalNs = 0;
  std::int64_t minNs = 0;
  std::int64_t meanNs = 0;    // half up
  std::int64_t medianNs = 0;  // mean of the middle two, half up
  std::int64_t p95Ns = 0;     // nearest rank
  std::int64_t maxNs = 0;
  double totalShare = 0;                     // of the sum of the same list
  std::vector<LaunchingOperator> operators;  // most calls first
  // Of the first call when grouped by name and all calls agree, or when grouped by launch shape; else not recorded.
  std::array<std::int32_t, 3> grid{};
  std::array<std::int32_t, 3> block{};
  std::int32_t registersPerThread = -1;
  std::int64_t sharedMemoryBytes = -1;
  float occupancyReported = -1;
  std::vector<SliceId> slices;  // in order of start
};

enum class KernelGrouping : std::uint8_t { kByName, kByLaunch };

struct KernelTable {
  std::vector<KernelRow> rows;    // by totalNs downwards, then name
  std::vector<KernelRow> copies;  // copies and memsets, likewise
  std::int64_t totalNs = 0;       // of rows
};
// Slices that start inside `scope`.
[[nodiscard]] KernelTable kernelTable(const Trace& trace, KernelGrouping grouping = KernelGrouping::kByName,
                                      TimeRange scope = TimeRange::all());

// Union of the kernel, copy and memset intervals of each device over all streams.
struct DeviceBusy {
  std::int32_t device = -1;
  std::int64_t busyNs = 0;
  std::int64_t spanNs = 0;  // first start to last end; with a scope: clipped to it
};
[[nodiscard]] std::vector<DeviceBusy> deviceBusy(const Trace& trace, TimeRange scope = TimeRange::all());

}  // namespace attnscope
