// SPDX-License-Identifier: Apache-2.0
#pragma once

// Host operators as PyTorch's key_averages() counts them. The definitions (which events, tree, folding,
// memory by time, device time by link) stand in core/analysis/README.md; equal to PyTorch's own figures to
// the nanosecond and byte on recorded traces. Pure functions of the trace, any thread.

#include <cstddef>
#include <cstdint>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/Ids.h"
#include "core/base/TimeRange.h"
#include "core/trace/Trace.h"

namespace attnscope {

// One node of the call tree after folding.
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
  bool operator==(const OperatorNode&) const = default;
};

// All nodes, in (thread, start) order; a parent stands before its children. They are kept in columns (21 bytes a node,
// and 48 for one that used memory or a device) and put together when they are asked for: a node is a value. Names and
// lengths are those of the trace, which outlives them.
class OperatorNodes {
 public:
  class Iterator {
   public:
    Iterator(const OperatorNodes& nodes, std::size_t at) : m_nodes(&nodes), m_at(at) {}
    OperatorNode operator*() const { return (*m_nodes)[m_at]; }
    Iterator& operator++() {
      ++m_at;
      return *this;
    }
    bool operator==(const Iterator& other) const { return m_at == other.m_at; }

   private:
    const OperatorNodes* m_nodes;
    std::size_t m_at;
  };

  [[nodiscard]] std::size_t size() const { return m_slice.size(); }
  [[nodiscard]] bool empty() const { return m_slice.empty(); }
  [[nodiscard]] Iterator begin() const { return {*this, 0}; }
  [[nodiscard]] Iterator end() const { return {*this, size()}; }
  [[nodiscard]] OperatorNode operator[](std::size_t at) const {
    const SliceId slice = m_slice[at];
    const std::uint8_t flags = m_flags[at];
    const Facts& facts = m_facts[m_fact[at]];
    return {.slice = slice,
            .parent = m_parent[at],
            .name = (flags & kIsStep) != 0 ? m_stepName : m_names[index(slice)],
            .isUserAnnotation = (flags & kIsAnnotation) != 0,
            .isOperator = (flags & kIsOperator) != 0,
            .isLeaf = (flags & (kIsOperator | kHasOperatorBelow)) == kIsOperator,
            .isWorking = (flags & kIsWorking) != 0,
            .cpuSelfNs = m_cpuSelfNs[at],
            .cpuTotalNs = m_durationNs[index(slice)],
            .deviceSelfNs = facts.deviceSelfNs,
            .deviceTotalNs = facts.deviceTotalNs,
            .cpuMemoryBytes = facts.cpuMemoryBytes,
            .cpuMemorySelfBytes = facts.cpuMemorySelfBytes,
            .deviceMemoryBytes = facts.deviceMemoryBytes,
            .deviceMemorySelfBytes = facts.deviceMemorySelfBytes};
  }

 private:
  friend class OperatorTreeBuilder;

  struct Facts {
    std::int64_t deviceSelfNs = 0;
    std::int64_t deviceTotalNs = 0;
    std::int64_t cpuMemoryBytes = 0;
    std::int64_t cpuMemorySelfBytes = 0;
    std::int64_t deviceMemoryBytes = 0;
    std::int64_t deviceMemorySelfBytes = 0;
  };
  static constexpr std::uint8_t kIsAnnotation = 1;
  static constexpr std::uint8_t kIsOperator = 2;
  static constexpr std::uint8_t kHasOperatorBelow = 4;
  static constexpr std::uint8_t kIsWorking = 8;
  static constexpr std::uint8_t kIsStep = 16;

  std::span<const StringId> m_names;  // of the trace's slices
  std::span<const std::int64_t> m_durationNs;
  StringId m_stepName = kNoString;
  std::vector<SliceId> m_slice;
  std::vector<std::uint32_t> m_parent;
  std::vector<std::uint8_t> m_flags;
  std::vector<std::int64_t> m_cpuSelfNs;
  std::vector<std::uint32_t> m_fact;       // row of m_facts
  std::vector<Facts> m_facts = {Facts{}};  // the first is of the nodes that have none
};

struct OperatorTree {
  OperatorNodes nodes;
  std::vector<std::uint32_t> nodeOfSlice;  // by SliceId; OperatorNode::kNone: no node (folded slices name their keeper)
  StringId stepName = kNoString;           // the id that stands for ProfilerStep*
  StringId memoryName = kNoString;         // "[memory]" where records lie inside no slice
  std::int64_t unattributedCpuBytes = 0;
  std::int64_t unattributedDeviceBytes = 0;
  std::uint64_t unattributedRecords = 0;
  std::vector<std::uint32_t> unattributed;  // rows of MemoryTable inside no slice
};
// O(n) in the host slices of rows that nest, else O(n log n); the trace's threads are shared out among up to `workers`
// threads. Where a stop is requested the tree may be empty: the caller asks `stop` and drops it.
[[nodiscard]] OperatorTree buildOperatorTree(const Trace& trace, std::stop_token stop = {}, unsigned workers = 1);

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
