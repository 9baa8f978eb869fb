// SPDX-License-Identifier: Apache-2.0
#pragma once

// Two or more runs side by side: host operators matched by name and input shapes (first form: `exact`, only-base,
// only-other), each with its host self time and device time, which sum to the runs' totals to the nanosecond.
// A difference is other less base: positive is slower. Pure functions, any thread.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
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
  std::uint64_t calls = 0;  // that start in the scope; with 0 there may be device work of a call before it
  std::int64_t hostSelfNs = 0;
  std::int64_t deviceNs = 0;
  std::int64_t meanNs = 0;  // of the calls' device time where the run has device work, else host self time
  std::int64_t medianNs = 0;
};

struct ComparisonGroup {
  std::string key;  // operator and shapes, unique
  std::string operatorName;
  std::string inputShapes;  // canonical text or empty
  bool isUserAnnotation = false;
  bool isUnlinked = false;  // the remainder group: device work linked to no operator
  WorkKind kind = WorkKind::kCpuOperator;
  MatchKind match = MatchKind::kExact;  // over all runs: exact when the base and every other has it
  std::vector<RunFigures> runs;         // as the runs given, base first
  [[nodiscard]] std::int64_t hostDeltaNs(std::size_t run) const { return runs[run].hostSelfNs - runs[0].hostSelfNs; }
  [[nodiscard]] std::int64_t deviceDeltaNs(std::size_t run) const { return runs[run].deviceNs - runs[0].deviceNs; }
};

struct RunTotals {
  std::int64_t hostSelfNs = 0;
  std::int64_t deviceNs = 0;  // all kernels, copies and memsets that start in scope, linked or not
  std::int64_t kernelNs = 0;  // kernels alone
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
  std::size_t run = 1;   // the other run
  bool refuses = false;  // the runs do different work: no verdict
};

struct Comparison {
  std::vector<std::string> titles;
  std::vector<ComparisonGroup> groups;  // by amount of the largest difference downwards
  std::vector<KernelGroup> kernels;     // likewise
  std::vector<RunTotals> totals;
  std::vector<MemoryComparison> memory;
  bool byDevice = false;  // every run has device work: the headline figure is kernel time
  bool byShape = true;    // false: a run has no shapes recorded, so names alone were matched
  Comparable comparable = Comparable::kYes;
  std::vector<Condition> reasons;
  std::vector<std::uint64_t> steps;  // ProfilerSteps in each run's scope
};

// The first run is the base. O(n log n) in the slices and device work of all runs.
[[nodiscard]] Comparison compareRuns(const std::vector<ComparedRun>& runs);

enum class VerdictKind : std::uint8_t { kFaster, kSlower, kWithinNoise, kInconclusive, kNone };
[[nodiscard]] std::string_view toString(VerdictKind kind);  // "within-noise"...

// What is said about a run in one line. Saved traces are one profiled run a side, so there is a difference and no
// verdict; with Comparable::kNo there is not even that.
struct RunHeadline {
  VerdictKind verdict = VerdictKind::kNone;
  std::int64_t valueNs = 0;
  std::optional<double> changeRatio;  // (this - base) / base: negative took less; none for the base and for base 0
  std::string sentence;               // "B took 56.8 % less kernel time in one step"; empty for the base
};

struct Headline {
  std::string figure;  // "kernel time" or "host self time of operators"
  std::string scope;   // "in one step", "in 3 steps", "in the whole trace"
  std::string method;  // "one profiled trace a side, no repeats"
  std::vector<RunHeadline> runs;
};
[[nodiscard]] Headline headlineOf(const Comparison& comparison);
// "A", "B"... "Z", "AA": the letter of a run.
[[nodiscard]] std::string runLetter(std::size_t run);

}  // namespace attnscope
