// SPDX-License-Identifier: Apache-2.0
#pragma once

// Operators summed up by where they were called: by the operators above them, by the modules, or by the Python frames.
// Self times of all rows sum to those of the operator table: nothing is counted twice, and nothing is left out.
//
// calls    the path of operators that were open, as OperatorTree has it
// modules  the nn.Module slices around the call (recorded with with_stack or with_modules), then the operator
// frames   the Python functions and modules around it (with_stack), then the operator
// Modules and frames lie on the thread of the operator and enclose it. In the last two an operator stands for all that
// it calls; runtime calls belong to the operator that made them. Pure function, any thread, O(n log n).

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "core/analysis/Operators.h"

namespace attnscope {

enum class PathGrouping : std::uint8_t { kCalls, kModules, kFrames };

struct PathRow {
  static constexpr std::uint32_t kNone = 0xFFFFFFFFu;
  std::uint32_t parent = kNone;  // it stands before
  StringId name = kNoString;
  bool isOperator = false;  // else a module, a frame or an annotation
  WorkKind kind = WorkKind::kCpuOperator;
  std::uint64_t calls = 0;  // of the operator; of a module or frame: its slices in scope
  std::int64_t cpuSelfNs = 0;
  std::int64_t cpuTotalNs = 0;  // with all rows under it
  std::int64_t deviceSelfNs = 0;
  std::int64_t deviceTotalNs = 0;
  std::int64_t cpuMemorySelfBytes = 0;
  std::int64_t deviceMemorySelfBytes = 0;
  std::vector<SliceId> slices;  // that it stands for, in order of start of each thread
};

struct PathTable {
  std::vector<PathRow> rows;  // a row stands before those under it
  bool hasContext = true;     // false: no module or frame is recorded, so that every path is an operator alone
};
// Rows of the nodes that start inside `scope`. Where a stop is requested the table may be empty.
[[nodiscard]] PathTable operatorPaths(const Trace& trace, const OperatorTree& tree, PathGrouping grouping,
                                      TimeRange scope = TimeRange::all(), const std::stop_token& stop = {});
// As a person reads it: "nn.Module: Linear_3" is "Linear_3".
[[nodiscard]] std::string pathName(const Trace& trace, const OperatorTree& tree, StringId name);

}  // namespace attnscope
