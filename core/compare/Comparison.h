// SPDX-License-Identifier: Apache-2.0
#pragma once

// Two or more runs side by side: host operators matched by name and input shapes (first form: `exact`, only-base,
// only-other), each with its host self time and device time, which sum to the runs' totals to the nanosecond.
// A difference is other less base: positive is slower. Pure functions, any thread.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/Kernels.h"
#include "core/analysis/Memory.h"
#include "core/analysis/Operators.h"

namespace attnscope {

enum class MatchKind : std::uint8_t { kExact, kSignature, kRole, kOnlyBase, kOnlyOther };
[[nodiscard]] std::string_view toString(MatchKind kind);  // "exact", "only-base"...

// One run of a comparison. The pointers outlive the comparison's making, not its result.
struct ComparedRun {
  const Trace* trace = nullptr;
  const OperatorTree* tree = nullptr;
  std::string title;
  TimeRange scope = TimeRange::all();
};

struct RunFigures {
  std::uint64_t calls = 0;  // 0: not in this run
  std::int64_t hostSelfNs = 0;
  std::int64_t deviceNs = 0;
  std::int64_t meanNs = 0;    // of the calls' device time where the run has device work, else host self time
  std::int64_t medianNs = 0;
};

struct ComparisonGroup {
  std::string key;           // operator and shapes, unique
  std::string operatorName;
  std::string inputShapes;   // canonical text or empty
  bool isUserAnnotation = false;
  bool isUnlinked = false;   // the remainder group: device work linked to no operator
  WorkKind kind = WorkKind::kCpuOperator;
  MatchKind match = MatchKind::kExact;  // over all runs: exact when the base and every other has it
  std::vector<RunFigures> runs;         // as the runs given, base first
  // Largest-run differences: of the last run with figures against the base; per run see difference().
  [[nodiscard]] std::int64_t hostDeltaNs(std::size_t run) const { return runs[run].hostSelfNs - runs[0].hostSelfNs; }
  [[nodiscard]] std::int64_t deviceDeltaNs(std::size_t run) const { return runs[run].deviceNs - runs[0].deviceNs; }
};

struct RunTotals {
  std::int64_t hostSelfNs = 0;
  std::int64_t deviceNs = 0;  // all kernels, copies and memsets in scope, linked or not
};

// Kernels matched by name.
struct KernelGroup {
  std::string name;
  std::string shortName;
  std::string family;
  WorkKind kind = WorkKind::kUnknown;
  std::string launchedBy;  // the operator with most calls in the base, else in another run; empty: unknown
  MatchKind match = MatchKind::kExact;
  struct Figures {
    std::uint64_t calls = 0;
    std::int64_t totalNs = 0;
  };
  std::vector<Figures> runs;
};

struct MemoryComparison {
  std::string device;
  std::vector<std::optional<std::int64_t>> peakBytes;  // per run
};

enum class Comparable : std::uint8_t { kYes, kReservations, kNo };
[[nodiscard]] std::string_view toString(Comparable value);

struct Condition {  // something that differs between the base and a run, and what that means
  std::string subject;
  std::string base;
  std::string other;
  std::string meaning;
};

struct Comparison {
  std::vector<std::string> titles;
  std::vector<ComparisonGroup> groups;  // by amount of the largest difference downwards
  std::vector<KernelGroup> kernels;     // likewise
  std::vector<RunTotals> totals;
  std::vector<MemoryComparison> memory;
  bool byDevice = false;                // any run has device work: the headline figure is device time
  Comparable comparable = Comparable::kYes;
  std::vector<Condition> reasons;
  std::vector<std::uint64_t> steps;     // ProfilerSteps in each run's scope
};

[[nodiscard]] Comparison compareRuns(const std::vector<ComparedRun>& runs);

}  // namespace attnscope
