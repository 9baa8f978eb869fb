// SPDX-License-Identifier: Apache-2.0
#include "core/compare/Comparison.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "core/analysis/Averages.h"
#include "core/compare/Conditions.h"

namespace attnscope {

namespace {

constexpr std::string_view kUnlinkedName = "Device work linked to no operator";

std::string keyOf(const OperatorRow& row) {
  std::string key = row.nameText;
  if (!row.shapesText.empty()) key += " " + row.shapesText;
  if (row.isUserAnnotation) key += " (annotation)";
  return key;
}

bool isDeviceTime(const Trace& trace, SliceId id) {
  return trace.slices.categoryClass[index(id)] != CategoryClass::kSynchronisation;
}

class GroupMaker {
 public:
  GroupMaker(const std::vector<ComparedRun>& runs, Comparison& comparison) : m_runs(runs), m_comparison(comparison) {}

  void add(std::size_t run);
  void finish();

 private:
  ComparisonGroup& group(const std::string& key, bool& added) {
    const auto [entry, fresh] = m_groups.emplace(key, m_comparison.groups.size());
    added = fresh;
    if (fresh) {
      m_comparison.groups.emplace_back();
      m_comparison.groups.back().key = key;
      m_comparison.groups.back().runs.resize(m_runs.size());
    }
    return m_comparison.groups[entry->second];
  }
  std::size_t groupOf(const OperatorRow& row);
  std::size_t unlinkedGroup();

  const std::vector<ComparedRun>& m_runs;
  Comparison& m_comparison;
  std::unordered_map<std::string, std::size_t> m_groups;
};

std::size_t GroupMaker::groupOf(const OperatorRow& row) {
  bool added = false;
  ComparisonGroup& entry = group(keyOf(row), added);
  if (added) {
    entry.operatorName = row.nameText;
    entry.inputShapes = row.shapesText;
    entry.isUserAnnotation = row.isUserAnnotation;
    entry.kind = row.kind;
  }
  return m_groups.at(entry.key);
}

std::size_t GroupMaker::unlinkedGroup() {
  bool added = false;
  ComparisonGroup& entry = group(std::string("\n") + std::string(kUnlinkedName), added);  // no operator's key
  entry.operatorName = kUnlinkedName;
  entry.isUnlinked = true;
  entry.kind = WorkKind::kUnknown;
  return m_groups.at(entry.key);
}

void GroupMaker::add(std::size_t run) {
  const ComparedRun& compared = m_runs[run];
  const Trace& trace = *compared.trace;
  const OperatorTree& tree = *compared.tree;
  RunTotals& totals = m_comparison.totals[run];
  const auto grouping = m_comparison.byShape ? OperatorGrouping::kByShape : OperatorGrouping::kByName;
  // Of the whole trace: work that starts in the scope may belong to a call before it.
  const OperatorTable table = operatorTable(trace, tree, grouping);

  std::vector<std::int64_t> deviceOfNode(tree.nodes.size(), 0);
  std::int64_t unlinked = 0;
  bool anyUnlinked = false;
  for (std::size_t i = 0; i < trace.deviceWork.size(); ++i) {
    const SliceId id = trace.deviceWork.slice[i];
    if (!isDeviceTime(trace, id) || !compared.scope.contains(trace.slices.startNs[index(id)])) continue;
    const std::int64_t duration = trace.slices.durationNs[index(id)];
    totals.deviceNs += duration;
    if (trace.slices.categoryClass[index(id)] == CategoryClass::kKernel) totals.kernelNs += duration;
    const SliceId launcher = trace.deviceWork.launchOperator[i];
    const std::uint32_t node = launcher == kNoSlice ? OperatorNode::kNone : tree.nodeOfSlice[index(launcher)];
    if (node == OperatorNode::kNone) {
      unlinked += duration;
      anyUnlinked = true;
    } else {
      deviceOfNode[node] += duration;
    }
  }
  if (anyUnlinked) m_comparison.groups[unlinkedGroup()].runs[run].deviceNs = unlinked;

  const bool byDevice = hasDeviceTime(trace);
  std::vector<std::int64_t> perCall;
  for (const OperatorRow& row : table.rows) {
    if (row.isMemoryRow) continue;
    RunFigures figures;
    perCall.clear();
    for (const std::uint32_t i : row.nodes) {
      figures.deviceNs += deviceOfNode[i];
      const OperatorNode& node = tree.nodes[i];
      if (!compared.scope.contains(trace.slices.startNs[index(node.slice)])) continue;
      ++figures.calls;
      figures.hostSelfNs += node.cpuSelfNs;
      perCall.push_back(byDevice ? deviceOfNode[i] : node.cpuSelfNs);
    }
    if (figures.calls == 0 && figures.deviceNs == 0) continue;
    totals.hostSelfNs += figures.hostSelfNs;
    if (!perCall.empty()) {
      std::int64_t sum = 0;
      for (const std::int64_t ns : perCall) sum += ns;
      std::sort(perCall.begin(), perCall.end());
      figures.meanNs = halfUp(sum, static_cast<std::int64_t>(perCall.size()));
      figures.medianNs = medianOfSorted(perCall);
    }
    // Two mangled names may read alike: then their rows are one group.
    RunFigures& sum = m_comparison.groups[groupOf(row)].runs[run];
    const bool first = sum.calls == 0;
    sum.calls += figures.calls;
    sum.hostSelfNs += figures.hostSelfNs;
    sum.deviceNs += figures.deviceNs;
    if (first) {
      sum.meanNs = figures.meanNs;
      sum.medianNs = figures.medianNs;
    }
  }
}

template <class Figures>
MatchKind matchOf(const std::vector<Figures>& runs, bool (*present)(const Figures&)) {
  if (std::all_of(runs.begin(), runs.end(), present)) return MatchKind::kExact;
  return present(runs.front()) ? MatchKind::kOnlyBase : MatchKind::kOnlyOther;
}

void GroupMaker::finish() {
  const auto present = +[](const RunFigures& f) { return f.calls != 0 || f.deviceNs != 0 || f.hostSelfNs != 0; };
  for (ComparisonGroup& entry : m_comparison.groups) {
    entry.match = matchOf(entry.runs, present);
    if (entry.isUnlinked) entry.key = kUnlinkedName;
  }
  const auto amount = [](const ComparisonGroup& entry, bool device) {
    std::int64_t largest = 0;
    for (std::size_t run = 1; run < entry.runs.size(); ++run) {
      largest = std::max(largest, std::abs(device ? entry.deviceDeltaNs(run) : entry.hostDeltaNs(run)));
    }
    return largest;
  };
  const bool device = m_comparison.byDevice;
  std::sort(m_comparison.groups.begin(), m_comparison.groups.end(),
            [&](const ComparisonGroup& a, const ComparisonGroup& b) {
              const std::int64_t firstA = amount(a, device);
              const std::int64_t firstB = amount(b, device);
              if (firstA != firstB) return firstA > firstB;
              const std::int64_t secondA = amount(a, !device);
              const std::int64_t secondB = amount(b, !device);
              return secondA != secondB ? secondA > secondB : a.key < b.key;
            });
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

std::string_view toString(MatchKind kind) {
  switch (kind) {
    case MatchKind::kExact:
      return "exact";
    case MatchKind::kSignature:
      return "signature";
    case MatchKind::kRole:
      return "role";
    case MatchKind::kOnlyBase:
      return "only-base";
    case MatchKind::kOnlyOther:
      return "only-other";
  }
  return "exact";
}

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

Comparison compareRuns(const std::vector<ComparedRun>& runs) {
  Comparison comparison;
  if (runs.empty()) return comparison;
  const auto everyTrace = [&](bool (*holds)(const Trace&)) {
    return std::all_of(runs.begin(), runs.end(), [&](const ComparedRun& run) { return holds(*run.trace); });
  };
  comparison.byDevice = everyTrace(hasDeviceTime);
  comparison.byShape = everyTrace(hasShapes);
  comparison.totals.resize(runs.size());
  GroupMaker maker(runs, comparison);
  for (std::size_t run = 0; run < runs.size(); ++run) {
    comparison.titles.push_back(runs[run].title);
    comparison.steps.push_back(stepsIn(*runs[run].trace, runs[run].scope));
    maker.add(run);
  }
  maker.finish();
  compareKernels(runs, comparison);
  compareMemory(runs, comparison);
  for (std::size_t run = 1; run < runs.size(); ++run) {
    for (Condition& condition : conditionsBetween(runs[0], runs[run], run)) {
      comparison.comparable =
          condition.refuses ? Comparable::kNo : std::max(comparison.comparable, Comparable::kReservations);
      comparison.reasons.push_back(std::move(condition));
    }
  }
  if (std::any_of(comparison.reasons.begin(), comparison.reasons.end(), [](const Condition& c) { return c.refuses; })) {
    comparison.comparable = Comparable::kNo;
  }
  return comparison;
}

}  // namespace attnscope
