// SPDX-License-Identifier: Apache-2.0
#pragma once

// Host operators as PyTorch's key_averages() counts them. The definitions (which events, tree, folding,
// memory by time, device time by link) stand in core/analysis/README.md; equal to PyTorch's own figures to
// the nanosecond and byte on recorded traces. Pure functions of the trace, any thread.

#include <cstdint>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/Ids.h"
#include "core/base/TimeRange.h"
#include "core/trace/Trace.h"

namespace attnscope {

// The call tree after folding. Nodes in (thread, start) order; a parent stands before its children.
struct OperatorNode {
  SliceId slice = kNoSlice;
  std::uint32_t parent = kNone;
  StringId name = kNoString;  // one id for all ProfilerStep#N; its text is operatorName()
  bool isUserAnnotation = false;
  bool isOperator = false;  // cpu_op (not an annotation, runtime or overhead slice)
  bool isLeaf = false;      // a cpu_op without cpu_op under it
  // A cpu_op that does work of its own: a leaf, or of a name that over the whole trace spends at least half of its
  // time itself. aten::addmm copies its bias through aten::copy_ and then multiplies: it is no leaf, and it works.
  bool isWorking = false;
  std::int64_t cpuSelfNs = 0;
  std::int64_t cpuTotalNs = 0;
  std::int64_t deviceSelfNs = 0;
  std::int64_t deviceTotalNs = 0;
  std::int64_t cpuMemoryBytes = 0;
  std::int64_t cpuMemorySelfBytes = 0;
  std::int64_t deviceMemoryBytes = 0;
  std::int64_t deviceMemorySelfBytes = 0;
  static constexpr std::uint32_t kNone = 0xFFFFFFFFu;
};

struct OperatorTree {
  std::vector<OperatorNode> nodes;
  std::vector<std::uint32_t> nodeOfSlice;  // by SliceId; OperatorNode::kNone: no node (folded slices name their keeper)
  StringId stepName = kNoString;           // the id that stands for ProfilerStep*
  StringId memoryName = kNoString;         // "[memory]" where records lie inside no slice
  std::int64_t unattributedCpuBytes = 0;
  std::int64_t unattributedDeviceBytes = 0;
  std::uint64_t unattributedRecords = 0;
  std::vector<std::uint32_t> unattributed;  // rows of MemoryTable inside no slice
};
// O(n log n) in the host slices. Where a stop is requested the tree may be empty: the caller asks `stop` and drops it.
[[nodiscard]] OperatorTree buildOperatorTree(const Trace& trace, std::stop_token stop = {});

// "ProfilerStep*" for steps, demangled where it is a mangled symbol, else the name as it was recorded.
[[nodiscard]] std::string operatorName(const Trace& trace, const OperatorTree& tree, StringId name);
// "Input Dims" as key_averages() shows them: a list of tensors is [], like a scalar; none at all is [].
[[nodiscard]] std::string operatorShapes(std::string_view inputDims);

enum class OperatorGrouping : std::uint8_t { kByName, kByShape };
enum class OperatorFilter : std::uint8_t { kAll, kLeaf };  // kLeaf: operators without operators under them

struct OperatorRow {
  StringId name = kNoString;
  StringId inputShapes = kNoString;  // "Input Dims" of the first call; kNoString when not grouped by shape or none
  std::string nameText;              // what to show: operatorName()
  std::string shapesText;            // what to show: operatorShapes(); empty when not grouped by shape
  bool isUserAnnotation = false;
  bool isMemoryRow = false;                // "[memory]": records inside no slice
  WorkKind kind = WorkKind::kCpuOperator;  // what it computes (classifyOperator)
  std::uint64_t calls = 0;
  std::int64_t cpuTotalNs = 0;
  std::int64_t cpuSelfNs = 0;
  std::int64_t deviceTotalNs = 0;
  std::int64_t deviceSelfNs = 0;
  std::int64_t cpuMemoryBytes = 0;
  std::int64_t cpuMemorySelfBytes = 0;
  std::int64_t deviceMemoryBytes = 0;
  std::int64_t deviceMemorySelfBytes = 0;
  std::vector<std::uint32_t> nodes;  // of the tree, in order of start
};

struct OperatorTotals {
  std::int64_t cpuSelfNs = 0;       // of all nodes in scope, whatever the filter
  std::int64_t deviceSelfNs = 0;    // linked to operators
  std::int64_t deviceEventsNs = 0;  // all kernels, copies and memsets
  std::int64_t cpuMemorySelfBytes = 0;
  std::int64_t deviceMemorySelfBytes = 0;
};

struct OperatorTable {
  std::vector<OperatorRow> rows;  // by cpuSelfNs downwards, then name
  OperatorTotals totals;
};
// Rows of the nodes that start inside `scope`.
[[nodiscard]] OperatorTable operatorTable(const Trace& trace, const OperatorTree& tree, OperatorGrouping grouping,
                                          OperatorFilter filter = OperatorFilter::kAll,
                                          TimeRange scope = TimeRange::all());

}  // namespace attnscope
