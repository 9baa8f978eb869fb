// SPDX-License-Identifier: Apache-2.0
#pragma once

// Two or more runs side by side: host calls matched in their call trees (CallMatching), equal matches gathered into
// groups, each with its host self time and device time, which sum to the runs' totals to the nanosecond.
// A difference is other less base: positive is slower. Pure functions, any thread.

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/Kernels.h"
#include "core/analysis/Memory.h"
#include "core/analysis/Operators.h"
#include "core/compare/MatchKind.h"
#include "core/session/RunResult.h"

namespace attnscope {

// One run of a comparison. The pointers outlive the comparison's making, not its result.
struct ComparedRun {
  const Trace* trace = nullptr;
  const OperatorTree* tree = nullptr;
  std::string title;
  TimeRange scope = TimeRange::all();
  const RunResult* measurement = nullptr;   // where the run was timed; null: a trace from elsewhere
  std::size_t measuredAs = 0;               // position in its plan
  std::vector<std::int64_t> repeatNs = {};  // headline figures of repeats that lie in other files; empty: its steps
};

struct RunFigures {
  std::uint64_t calls = 0;  // that start in the scope; with 0 there may be device work of a call before it
  std::int64_t hostSelfNs = 0;
  std::int64_t deviceNs = 0;
  std::int64_t meanNs = 0;  // of the calls' device time where the run has device work, else host self time
  std::int64_t medianNs = 0;
};

// Kernels, copies and memsets of one name that a group's calls launched in one run.
struct LaunchedKernel {
  std::string name;
  std::string shortName;
  WorkKind kind = WorkKind::kUnknown;
  std::uint64_t calls = 0;
  std::int64_t totalNs = 0;
};

// Calls that stand for one another in the same way: of one name and shapes; or, matched by role, all occurrences of
// the same calls on one side against the same calls on the other.
struct ComparisonGroup {
  std::string key;           // unique: what stands below, as one text
  std::string operatorName;  // "aten::bmm"; by role "aten::bmm, aten::softmax -> aten::scaled_dot_product_attention"
  std::string inputShapes;   // canonical text or empty; of the base's first call
  bool isUserAnnotation = false;
  bool isUnlinked = false;    // the remainder group: device work linked to no operator
  bool isProfiler = false;    // the profiler's own work: in the totals, not in the headline
  bool isMadeByHand = false;  // paired or cut by a person
  WorkKind kind = WorkKind::kCpuOperator;
  MatchKind match = MatchKind::kExact;  // over all runs: the weakest; only-base where any run misses it
  std::vector<MatchKind> matches;       // per run, of that run with the base; the base's own is kExact
  std::vector<std::string> names;       // per run: its calls' names in order, each once; empty where it has none
  std::vector<RunFigures> runs;         // as the runs given, base first
  std::vector<std::vector<LaunchedKernel>> kernels;  // per run, by totalNs downwards
  [[nodiscard]] std::int64_t hostDeltaNs(std::size_t run) const { return runs[run].hostSelfNs - runs[0].hostSelfNs; }
  [[nodiscard]] std::int64_t deviceDeltaNs(std::size_t run) const { return runs[run].deviceNs - runs[0].deviceNs; }
};

struct RunTotals {
  std::int64_t hostSelfNs = 0;
  std::int64_t deviceNs = 0;    // all kernels, copies and memsets that start in scope, linked or not
  std::int64_t kernelNs = 0;    // kernels alone
  std::int64_t profilerNs = 0;  // of hostSelfNs: the profiler's own work
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
  std::vector<bool> isByPlan;        // per run: it and the base were measured by plans, which say what work they do
  std::vector<std::uint64_t> steps;  // ProfilerSteps in each run's scope
  // Per run, the headline figure of each step in scope (or of each repeat), in order: the samples of saved traces. The
  // first recorded step is none of them where there are three or more: then these are fewer than `steps`.
  std::vector<std::vector<std::int64_t>> stepNs;
  // Per run, ns of one call in each round that was timed: the samples in place of the steps, where all runs were
  // measured. Empty where one was not.
  std::vector<std::vector<double>> callNs;
  [[nodiscard]] bool isTimed() const { return !callNs.empty(); }
  [[nodiscard]] std::size_t sampleCount(std::size_t run) const;
  // Per run, by node of its operator tree: the position in `groups`; kNoGroup outside the scope.
  std::vector<std::vector<std::uint32_t>> groupOfNode;
  static constexpr std::uint32_t kNoGroup = 0xFFFFFFFFu;
  // What a difference is measured by: kernels and copies where every run has device work, else the host's self time.
  [[nodiscard]] std::int64_t totalNs(std::size_t run) const {
    return byDevice ? totals[run].deviceNs : totals[run].hostSelfNs;
  }
  [[nodiscard]] std::int64_t deltaNs(const ComparisonGroup& group, std::size_t run) const {
    return byDevice ? group.deviceDeltaNs(run) : group.hostDeltaNs(run);
  }
};

// The first run is the base. Near-linear in the slices and device work of all runs. Where a stop is requested the
// answer is incomplete: the caller asks `stop` and drops it.
[[nodiscard]] Comparison compareRuns(const std::vector<ComparedRun>& runs, const std::stop_token& stop = {});

enum class VerdictKind : std::uint8_t { kFaster, kSlower, kWithinNoise, kInconclusive, kNone };
[[nodiscard]] std::string_view toString(VerdictKind kind);  // "within-noise"...

// What is said about a run in one line. Runs that were measured each on its own have their timed calls as samples,
// saved traces with several steps these (compareApart); with one step a side there is a difference and no verdict; with
// Comparable::kNo there is not even that unless it is forced.
struct RunHeadline {
  VerdictKind verdict = VerdictKind::kNone;
  std::int64_t valueNs = 0;
  std::optional<double> changeRatio;      // (this - base) / base: negative took less; none for the base and for base 0
  std::optional<PairedComparison> steps;  // of the samples, where both runs have several
  bool isForced = false;                  // said against a refusal, which the sentence keeps
  std::string figure;                     // what the ratio and the sentence are of; empty for the base
  std::string sentence;                   // "B took 56.8 % less kernel time in one step"; empty for the base
  std::string method;                     // "one profiled trace a side, no repeats"
};

enum class Refusal : std::uint8_t { kKeep, kForce };  // kForce: figures are said, and the refusal with them
struct HeadlineOptions {
  double thresholdRatio = kDefaultThresholdRatio;
  Refusal refusal = Refusal::kKeep;
};

struct Headline {
  std::string figure;  // "kernel time" or "host self time of operators"
  std::string scope;   // "in one step", "in 3 steps", "in the whole trace"
  std::string method;  // of the first other run
  std::vector<RunHeadline> runs;
};
[[nodiscard]] Headline headlineOf(const Comparison& comparison, const HeadlineOptions& options = {});

// Why a run is refused, as a clause: "A and B do different work"; empty where it is not.
[[nodiscard]] std::string refusalOf(const Comparison& comparison, std::size_t run);
// Groups that contribute most to the difference of a run in its own direction, largest first: positions.
[[nodiscard]] std::vector<std::size_t> largestChanges(const Comparison& comparison, std::size_t run, std::size_t count);
// What stands for what between the base and one run: "aten::bmm, aten::softmax -> aten::linear", one name where both
// are the same or one has none. `operatorName` is this over all runs.
[[nodiscard]] std::string nameBetween(const ComparisonGroup& group, std::size_t run);
// A group's share in the whole difference of a run; negative: it goes the other way. None where there is none.
[[nodiscard]] std::optional<double> contributionOf(const Comparison& comparison, const ComparisonGroup& group,
                                                   std::size_t run);

enum class Normalisation : std::uint8_t { kRun, kStep, kCall };
[[nodiscard]] std::string_view toString(Normalisation normalisation);  // "run", "step", "call"
// What a run's times of a group are divided by: 1, its steps, the group's calls; none where that is 0.
[[nodiscard]] std::optional<double> divisorOf(const Comparison& comparison, const ComparisonGroup& group,
                                              std::size_t run, Normalisation normalisation);
// "A", "B"... "Z", "AA": the letter of a run.
[[nodiscard]] std::string runLetter(std::size_t run);

}  // namespace attnscope
