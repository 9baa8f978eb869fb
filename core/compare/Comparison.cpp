// SPDX-License-Identifier: Apache-2.0
#include "core/compare/Comparison.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <unordered_map>
#include <utility>

#include "core/compare/Alignment.h"
#include "core/compare/CallGroups.h"
#include "core/compare/Conditions.h"
#include "core/compare/MatchedWork.h"

namespace attnscope {

namespace {

template <class Figures>
MatchKind matchOf(const std::vector<Figures>& runs, bool (*present)(const Figures&)) {
  if (std::all_of(runs.begin(), runs.end(), present)) return MatchKind::kExact;
  return present(runs.front()) ? MatchKind::kOnlyBase : MatchKind::kOnlyOther;
}

void compareKernels(const std::vector<ComparedRun>& runs, Comparison& comparison) {
  std::unordered_map<std::string, std::size_t> groups;
  for (std::size_t run = 0; run < runs.size(); ++run) {
    const Trace& trace = *runs[run].trace;
    const KernelTable table = kernelTable(trace, KernelGrouping::kByName, runs[run].scope);
    for (const KernelRow& row : table.rows) {
      const auto [entry, added] =
          groups.emplace(demangledName(trace.strings.view(row.name)), comparison.kernels.size());
      if (added) {
        KernelGroup group;
        group.name = entry->first;
        group.shortName = row.shortName;
        group.family = row.family;
        group.kind = row.kind;
        group.runs.resize(runs.size());
        comparison.kernels.push_back(std::move(group));
      }
      KernelGroup& group = comparison.kernels[entry->second];
      group.runs[run].calls += row.calls;
      group.runs[run].totalNs += row.totalNs;
      if (group.launchedBy.empty() && !row.operators.empty()) {
        group.launchedBy = trace.strings.view(row.operators.front().name);
      }
    }
  }
  const auto present = +[](const KernelGroup::Figures& f) { return f.calls != 0; };
  const auto amount = [](const KernelGroup& group) {
    std::int64_t largest = 0;
    for (const auto& run : group.runs) largest = std::max(largest, std::abs(run.totalNs - group.runs[0].totalNs));
    return largest;
  };
  for (KernelGroup& group : comparison.kernels) group.match = matchOf(group.runs, present);
  std::sort(comparison.kernels.begin(), comparison.kernels.end(), [&](const KernelGroup& a, const KernelGroup& b) {
    return amount(a) != amount(b) ? amount(a) > amount(b) : a.name < b.name;
  });
}

// The headline figure of each step in scope: kernels, or host calls less the profiler's own, by where they start.
std::vector<std::int64_t> stepFigures(const ComparedRun& run, bool byDevice) {
  if (!run.repeatNs.empty()) return run.repeatNs;
  const Trace& trace = *run.trace;
  std::vector<Step> steps;
  for (const Step& step : trace.steps) {
    if (run.scope.contains(step.startNs)) steps.push_back(step);
  }
  // The first recorded step carries what is done once: where there are enough others it is no sample.
  const bool leavesOut =
      trace.steps.size() >= kFewestToLeaveOut && !steps.empty() && steps.front().slice == trace.steps.front().slice;
  if (leavesOut) steps.erase(steps.begin());
  std::vector<std::int64_t> figures(steps.size(), 0);
  const auto add = [&](std::int64_t startNs, std::int64_t ns) {
    const auto after = std::upper_bound(steps.begin(), steps.end(), startNs,
                                        [](std::int64_t at, const Step& step) { return at < step.startNs; });
    if (after == steps.begin()) return;
    const auto step = after - 1;
    // Kernels of a step may start after its annotation has ended, up to the next one.
    if (byDevice || startNs < step->startNs + step->durationNs)
      figures[static_cast<std::size_t>(step - steps.begin())] += ns;
  };
  const SliceTable& slices = trace.slices;
  if (byDevice) {
    for (const SliceId id : trace.deviceWork.slice) {
      if (slices.categoryClass[index(id)] != CategoryClass::kKernel) continue;
      if (run.scope.contains(slices.startNs[index(id)])) add(slices.startNs[index(id)], slices.durationNs[index(id)]);
    }
  } else {
    for (const OperatorNode& node : run.tree->nodes) {
      if (slices.categoryClass[index(node.slice)] == CategoryClass::kOverhead) continue;
      if (run.scope.contains(slices.startNs[index(node.slice)])) add(slices.startNs[index(node.slice)], node.cpuSelfNs);
    }
  }
  return figures;
}

// Of one metric for all: the thread's own time says nothing of a run with several threads.
std::vector<std::vector<double>> timedCalls(const std::vector<ComparedRun>& runs) {
  const auto isMeasured = [](const ComparedRun& run) { return run.measurement != nullptr; };
  if (!std::all_of(runs.begin(), runs.end(), isMeasured)) return {};
  const TimeMetric first = runs[0].measurement->plan.metric();
  const bool isOneMetric = std::all_of(runs.begin(), runs.end(),
                                       [&](const ComparedRun& run) { return run.measurement->plan.metric() == first; });
  std::vector<std::vector<double>> calls;
  for (const ComparedRun& run : runs) {
    calls.push_back(
        perCallNs(run.measurement->implementations[run.measuredAs], isOneMetric ? first : TimeMetric::kWall));
  }
  return calls;
}

void compareMemory(const std::vector<ComparedRun>& runs, Comparison& comparison) {
  std::map<std::pair<std::int16_t, std::int16_t>, MemoryComparison> devices;
  for (std::size_t run = 0; run < runs.size(); ++run) {
    for (const MemorySeries& series : memorySeries(*runs[run].trace, runs[run].scope)) {
      MemoryComparison& entry = devices[{series.deviceType, series.deviceId}];
      entry.device = series.device;
      entry.peakBytes.resize(runs.size());
      if (series.hasTotals) entry.peakBytes[run] = series.peakBytes;
    }
  }
  for (auto& [device, entry] : devices) comparison.memory.push_back(std::move(entry));
}

}  // namespace

std::string_view toString(Comparable value) {
  switch (value) {
    case Comparable::kYes:
      return "yes";
    case Comparable::kReservations:
      return "reservations";
    case Comparable::kNo:
      return "no";
  }
  return "no";
}

Comparison compareRuns(const std::vector<ComparedRun>& runs, const std::stop_token& stop) {
  Comparison comparison;
  if (runs.empty()) return comparison;
  const auto everyTrace = [&](bool (*holds)(const Trace&)) {
    return std::all_of(runs.begin(), runs.end(), [&](const ComparedRun& run) { return holds(*run.trace); });
  };
  comparison.byDevice = everyTrace(hasDeviceTime);
  comparison.byShape = everyTrace(hasShapes);
  comparison.totals.resize(runs.size());
  for (std::size_t run = 0; run < runs.size(); ++run) {
    comparison.titles.push_back(runs[run].title);
    comparison.steps.push_back(stepsIn(*runs[run].trace, runs[run].scope));
    comparison.stepNs.push_back(stepFigures(runs[run], comparison.byDevice));
  }
  addCallGroups(runs, comparison, stop);
  if (stop.stop_requested()) return comparison;
  compareKernels(runs, comparison);
  compareMemory(runs, comparison);
  comparison.callNs = timedCalls(runs);
  comparison.isByPlan.resize(runs.size());
  for (std::size_t run = 1; run < runs.size(); ++run) {
    comparison.isByPlan[run] = runs[0].measurement != nullptr && runs[run].measurement != nullptr;
    for (Condition& condition : conditionsBetween(runs[0], runs[run], run)) {
      comparison.reasons.push_back(std::move(condition));
    }
  }
  judgeMatchedWork(comparison);
  return comparison;
}

}  // namespace attnscope
