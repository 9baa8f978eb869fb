// SPDX-License-Identifier: Apache-2.0
#pragma once

// What rules read of one trace in a scope, worked out once. The windows are where work is judged: the scope where it
// is one step or a range, else each step of the trace, else the stretch in which the device worked (or, without a
// device, in which operators ran). Pure; any thread.

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string_view>
#include <vector>

#include "core/analysis/AttentionStages.h"
#include "core/analysis/Gemms.h"
#include "core/analysis/KernelLaunches.h"
#include "core/analysis/Memory.h"
#include "core/analysis/Operators.h"

namespace attnscope {

// Device work that one or more operators of a name stand for.
struct WorkOfName {
  std::vector<SliceId> slices;  // the operators' own, in order of start
  std::int64_t totalNs = 0;     // device time with that of what they call; without a device host time
  std::uint64_t calls = 0;
};

// A stretch in which a device did nothing, and what it waited for.
struct DeviceGap {
  TimeRange range;
  std::int64_t syncNs = 0;    // of it, while the host waited for the device or another stream
  std::int64_t hostNs = 0;    // of it, else before the host called for the next work
  std::int64_t launchNs = 0;  // of it, after that call: launching, queueing
};

struct Metrics {
  const Trace* trace = nullptr;
  const OperatorTree* tree = nullptr;
  const std::vector<MemorySeries>* memory = nullptr;
  TimeRange scope = TimeRange::all();
  bool hasDevice = false;
  std::vector<TimeRange> windows;             // in order and apart
  std::int64_t windowNs = 0;                  // of all windows
  KernelTable kernels;                        // by name
  KernelTable launches;                       // by launch shape
  std::vector<KernelLaunches> launchFigures;  // by row of `launches`
  OperatorTable operators;
  std::int32_t device = -1;            // the busiest
  std::int64_t busyNs = 0;             // of it in the windows
  std::vector<DeviceGap> gaps;         // of it in the windows, longest first
  std::vector<std::uint32_t> nodes;    // of the tree, in the scope
  std::vector<std::uint32_t> working;  // of those, operators that work themselves, by thread and time
  std::vector<AttentionCall> attention;
  std::vector<GemmGroup> gemms;

  [[nodiscard]] std::string_view name(std::uint32_t node) const;
  // The figure that operators are judged by: device time where there is a device, else host time.
  [[nodiscard]] std::int64_t totalNs(std::uint32_t node) const;
  [[nodiscard]] std::int64_t selfNs(std::uint32_t node) const;
  [[nodiscard]] std::int64_t allWorkNs() const;  // of all: kernel time, or host self time
  // Operators in the scope whose name `isMeant` accepts, but for those under one that was accepted.
  [[nodiscard]] WorkOfName workOf(const std::function<bool(std::string_view)>& isMeant) const;
  [[nodiscard]] bool isUnder(std::uint32_t node, std::string_view prefix) const;  // an operator above it is named so
};

// `memory` is of the whole trace. All three outlive the metrics. O(n log n). Where a stop is requested the metrics are
// incomplete: the caller asks `stop` and drops them.
[[nodiscard]] Metrics metricsOf(const Trace& trace, const OperatorTree& tree, const std::vector<MemorySeries>& memory,
                                TimeRange scope = TimeRange::all(), const std::stop_token& stop = {});

}  // namespace attnscope
