// SPDX-License-Identifier: Apache-2.0
#include "core/compare/CallGroups.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "core/analysis/Averages.h"
#include "core/compare/CallMatching.h"
#include "core/compare/Conditions.h"

namespace attnscope {

namespace {

constexpr std::uint32_t kNone = CallTree::kNone;
constexpr const char* kUnlinkedName = "Device work linked to no operator";
constexpr const char* kProfilerName = "The profiler's own work";
constexpr std::size_t kNamesShown = 4;  // of the calls on one side of a group by role

bool isDeviceTime(const Trace& trace, SliceId id) {
  return trace.slices.categoryClass[index(id)] != CategoryClass::kSynchronisation;
}

bool isProfilers(const Trace& trace, const OperatorNode& node) {
  return trace.slices.categoryClass[index(node.slice)] == CategoryClass::kOverhead;
}

// Device work in the scope and the calls that it belongs to.
struct DeviceWork {
  struct Piece {
    SliceId slice;
    std::uint32_t node;  // kNone: of no operator
  };
  std::vector<Piece> pieces;
  std::vector<std::int64_t> ofNode;  // ns
};

DeviceWork deviceWorkOf(const ComparedRun& run, RunTotals& totals) {
  const Trace& trace = *run.trace;
  DeviceWork work;
  work.ofNode.assign(run.tree->nodes.size(), 0);
  for (std::size_t i = 0; i < trace.deviceWork.size(); ++i) {
    const SliceId id = trace.deviceWork.slice[i];
    if (!isDeviceTime(trace, id) || !run.scope.contains(trace.slices.startNs[index(id)])) continue;
    const std::int64_t duration = trace.slices.durationNs[index(id)];
    totals.deviceNs += duration;
    if (trace.slices.categoryClass[index(id)] == CategoryClass::kKernel) totals.kernelNs += duration;
    const SliceId launcher = trace.deviceWork.launchOperator[i];
    const std::uint32_t node = launcher == kNoSlice ? kNone : run.tree->nodeOfSlice[index(launcher)];
    if (node != kNone) work.ofNode[node] += duration;
    work.pieces.push_back({id, node});
  }
  return work;
}

// Sets of the base's calls that some run links together.
class UnitSets {
 public:
  explicit UnitSets(std::size_t count) : m_parent(count) { std::iota(m_parent.begin(), m_parent.end(), 0u); }
  std::uint32_t find(std::uint32_t call) {
    while (m_parent[call] != call) call = m_parent[call] = m_parent[m_parent[call]];
    return call;
  }
  void join(std::uint32_t a, std::uint32_t b) {
    a = find(a);
    b = find(b);
    m_parent[std::max(a, b)] = std::min(a, b);
  }

 private:
  std::vector<std::uint32_t> m_parent;
};

struct RunCalls {
  CallTree tree;
  DeviceWork device;
  std::vector<std::uint32_t> unit;  // by node: a call of the base that stands for it; kNone: matched with nothing
};

// A group is found by what its units hold. 64 bits: thousands of groups do not collide.
std::uint64_t mixed(std::uint64_t seed, std::uint64_t value) {
  seed ^= value + 0x9E3779B97F4A7C15u + (seed << 12) + (seed >> 4);
  return seed * 0xBF58476D1CE4E5B9u ^ (seed >> 31);
}

class GroupMaker {
 public:
  GroupMaker(const std::vector<ComparedRun>& runs, Comparison& comparison, const std::stop_token& stop)
      : m_runs(runs), m_comparison(comparison), m_stop(stop) {}
  void make();

 private:
  void readRuns();
  void matchRuns();
  void describeUnits();
  void chooseGroups();
  void addFigures(std::size_t run);
  void addKernels(std::size_t run);
  void nameGroups();

  [[nodiscard]] bool beginsUnit(std::size_t run, std::uint32_t node) const;
  [[nodiscard]] bool isRole(std::uint32_t unit) const;
  [[nodiscard]] const CallKeys::Key& keyOf(std::size_t run, std::uint32_t node) const {
    return m_keys.at(m_calls[run].tree.key[node]);
  }
  std::uint32_t newGroup();
  std::uint32_t groupOfUnit(std::uint32_t unit);
  std::uint32_t groupOfUnmatched(std::size_t run, std::uint32_t node);
  std::uint32_t remainder(std::uint32_t& group, const char* name, bool ComparisonGroup::*flag);
  void addName(std::size_t run, std::uint32_t node, std::uint32_t group);

  const std::vector<ComparedRun>& m_runs;
  Comparison& m_comparison;
  const std::stop_token& m_stop;
  CallKeys m_keys;
  std::vector<RunCalls> m_calls;
  std::vector<std::vector<MatchKind>> m_kinds;  // per run, by unit; kOnlyBase: the run has nothing for it
  std::vector<std::uint64_t> m_content;         // by unit
  std::unordered_map<std::uint64_t, std::uint32_t> m_groups;
  std::vector<std::uint32_t> m_namedBy;  // by group: the unit whose calls name it; kNone: any
  std::uint32_t m_unlinked = kNone;
  std::uint32_t m_profiler = kNone;
};

void GroupMaker::make() {
  readRuns();
  matchRuns();
  describeUnits();
  chooseGroups();
  for (std::size_t run = 0; run < m_runs.size() && !m_stop.stop_requested(); ++run) {
    addFigures(run);
    addKernels(run);
  }
  nameGroups();
  sortGroups(m_comparison);
}

void GroupMaker::readRuns() {
  const ShapeUse shapes = m_comparison.byShape ? ShapeUse::kMatch : ShapeUse::kIgnore;
  m_calls.resize(m_runs.size());
  for (std::size_t run = 0; run < m_runs.size(); ++run) {
    RunCalls& calls = m_calls[run];
    calls.device = deviceWorkOf(m_runs[run], m_comparison.totals[run]);
    calls.tree =
        callTree(*m_runs[run].trace, *m_runs[run].tree, m_runs[run].scope, calls.device.ofNode, shapes, m_keys);
  }
}

void GroupMaker::matchRuns() {
  const std::size_t baseCount = m_calls[0].tree.tree->nodes.size();
  UnitSets units(baseCount);
  std::vector<CallMatching> matchings(m_runs.size());
  for (std::size_t run = 1; run < m_runs.size(); ++run) {
    CallMatching& matching = matchings[run] = matchCalls(m_calls[0].tree, m_calls[run].tree, m_keys, m_stop);
    for (std::uint32_t call = 0; call < baseCount; ++call) {
      if (matching.linkOfBase[call] != kNone) units.join(call, matching.links[matching.linkOfBase[call]].firstBase);
    }
  }
  m_kinds.assign(m_runs.size(), std::vector<MatchKind>(baseCount, MatchKind::kOnlyBase));
  std::fill(m_kinds[0].begin(), m_kinds[0].end(), MatchKind::kExact);
  m_calls[0].unit.assign(baseCount, kNone);
  for (std::uint32_t call = 0; call < baseCount; ++call) {
    if (m_calls[0].tree.takesPart[call]) m_calls[0].unit[call] = units.find(call);
  }
  for (std::size_t run = 1; run < m_runs.size(); ++run) {
    const CallMatching& matching = matchings[run];
    RunCalls& calls = m_calls[run];
    calls.unit.assign(calls.tree.tree->nodes.size(), kNone);
    for (std::size_t node = 0; node < calls.unit.size(); ++node) {
      const std::uint32_t link = matching.linkOfOther[node];
      if (link != kNone) calls.unit[node] = units.find(matching.links[link].firstBase);
    }
    for (const CallMatching::Link& link : matching.links) {
      MatchKind& kind = m_kinds[run][units.find(link.firstBase)];
      kind = kind == MatchKind::kOnlyBase ? link.kind : std::max(kind, link.kind);
    }
  }
}

// The outermost calls of a unit are what it is named and counted by; those below them are their insides.
bool GroupMaker::beginsUnit(std::size_t run, std::uint32_t node) const {
  const RunCalls& calls = m_calls[run];
  const std::uint32_t parent = calls.tree.tree->nodes[node].parent;
  return parent == OperatorNode::kNone || calls.unit[parent] != calls.unit[node];
}

bool GroupMaker::isRole(std::uint32_t unit) const {
  return std::any_of(m_kinds.begin() + 1, m_kinds.end(),
                     [unit](const auto& kinds) { return kinds[unit] == MatchKind::kRole; });
}

// By role a unit may hold hundreds of calls, and seldom the same number twice: what counts are its names, and the
// shapes of the first call.
void GroupMaker::describeUnits() {
  m_content.assign(m_calls[0].unit.size(), 0);
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> names;  // by unit
  for (std::size_t run = 0; run < m_runs.size(); ++run) {
    const RunCalls& calls = m_calls[run];
    names.clear();
    for (std::uint32_t node = 0; node < calls.unit.size(); ++node) {
      const std::uint32_t unit = calls.unit[node];
      if (unit == kNone || !beginsUnit(run, node)) continue;
      if (!isRole(unit)) {
        m_content[unit] = mixed(m_content[unit], static_cast<std::uint64_t>(run) << 32 | calls.tree.key[node]);
        continue;
      }
      std::vector<std::uint32_t>& known = names[unit];
      const CallKeys::Key& key = keyOf(run, node);
      if (known.empty()) m_content[unit] = mixed(m_content[unit], key.shapesId);
      if (std::find(known.begin(), known.end(), key.nameId) == known.end()) known.push_back(key.nameId);
    }
    for (auto& [unit, ids] : names) {
      std::sort(ids.begin(), ids.end());
      for (const std::uint32_t id : ids) m_content[unit] = mixed(m_content[unit], id);
    }
    for (std::size_t unit = 0; unit < m_content.size(); ++unit) {
      m_content[unit] = mixed(m_content[unit], static_cast<std::uint64_t>(m_kinds[run][unit]));
    }
  }
}

std::uint32_t GroupMaker::newGroup() {
  ComparisonGroup& group = m_comparison.groups.emplace_back();
  group.runs.resize(m_runs.size());
  group.names.resize(m_runs.size());
  group.kernels.resize(m_runs.size());
  group.matches.assign(m_runs.size(), MatchKind::kExact);
  m_namedBy.push_back(kNone);
  return static_cast<std::uint32_t>(m_comparison.groups.size() - 1);
}

std::uint32_t GroupMaker::groupOfUnit(std::uint32_t unit) {
  const auto [entry, added] = m_groups.emplace(m_content[unit], 0);
  if (!added) return entry->second;
  const std::uint32_t group = entry->second = newGroup();
  m_namedBy[group] = unit;
  ComparisonGroup& made = m_comparison.groups[group];
  for (std::size_t run = 1; run < m_runs.size(); ++run) {
    made.matches[run] = m_kinds[run][unit];
    made.match = std::max(made.match, m_kinds[run][unit]);
  }
  return group;
}

std::uint32_t GroupMaker::groupOfUnmatched(std::size_t run, std::uint32_t node) {
  const std::uint64_t content = mixed(0x5bd1e995u, m_calls[run].tree.key[node]);
  const auto [entry, added] = m_groups.emplace(content, 0);
  if (added) {
    entry->second = newGroup();
    ComparisonGroup& made = m_comparison.groups[entry->second];
    made.match = MatchKind::kOnlyOther;
    std::fill(made.matches.begin() + 1, made.matches.end(), MatchKind::kOnlyOther);
  }
  return entry->second;
}

std::uint32_t GroupMaker::remainder(std::uint32_t& group, const char* name, bool ComparisonGroup::*flag) {
  if (group != kNone) return group;
  group = newGroup();
  ComparisonGroup& made = m_comparison.groups[group];
  made.operatorName = made.key = name;
  made.*flag = true;
  made.kind = WorkKind::kUnknown;
  return group;
}

void GroupMaker::addName(std::size_t run, std::uint32_t node, std::uint32_t group) {
  ComparisonGroup& made = m_comparison.groups[group];
  const CallKeys::Key& key = keyOf(run, node);
  std::string& names = made.names[run];
  const auto listed = static_cast<std::size_t>(std::count(names.begin(), names.end(), ','));
  if (names.empty()) {
    names = key.name;
  } else if (listed + 1 < kNamesShown && names != key.name && !names.starts_with(key.name + ",") &&
             !names.ends_with(", " + key.name) && names.find(", " + key.name + ",") == std::string::npos) {
    names += ", " + key.name;
  }
  const OperatorNode& call = m_calls[run].tree.tree->nodes[node];
  const bool first = made.inputShapes.empty() && !key.shapes.empty();
  const Trace& trace = *m_runs[run].trace;
  const WorkKind kind =
      call.isOperator ? classifyOperator(trace.name(call.slice)) : trace.slices.kind[index(call.slice)];
  if (made.kind == WorkKind::kCpuOperator) made.kind = kind;
  if (first) made.inputShapes = key.shapes;
  made.isUserAnnotation = made.isUserAnnotation || key.isUserAnnotation;
}

void GroupMaker::chooseGroups() {
  m_comparison.groupOfNode.resize(m_runs.size());
  for (std::size_t run = 0; run < m_runs.size(); ++run) {
    const RunCalls& calls = m_calls[run];
    std::vector<std::uint32_t>& groups = m_comparison.groupOfNode[run];
    groups.assign(calls.unit.size(), Comparison::kNoGroup);
    for (std::uint32_t node = 0; node < calls.unit.size(); ++node) {
      if (!calls.tree.takesPart[node]) continue;
      const std::uint32_t unit = calls.unit[node];
      const std::uint32_t group = groups[node] = unit == kNone ? groupOfUnmatched(run, node) : groupOfUnit(unit);
      if (beginsUnit(run, node) || unit == kNone) {
        if (m_namedBy[group] == unit || m_comparison.groups[group].names[run].empty()) addName(run, node, group);
      }
    }
  }
}

void GroupMaker::addFigures(std::size_t run) {
  const RunCalls& calls = m_calls[run];
  const ComparedRun& compared = m_runs[run];
  const auto& nodes = compared.tree->nodes;
  std::vector<std::uint32_t>& groups = m_comparison.groupOfNode[run];
  const bool byDevice = hasDeviceTime(*compared.trace);
  std::vector<std::uint32_t> head(nodes.size(), kNone);  // the outermost call of the unit that a call is in
  std::vector<std::int64_t> work(nodes.size(), 0);       // by head: of the call and its insides
  for (std::uint32_t node = 0; node < nodes.size(); ++node) {
    const bool starts = compared.scope.contains(compared.trace->slices.startNs[index(nodes[node].slice)]);
    if (isProfilers(*compared.trace, nodes[node])) {
      if (!starts) continue;
      groups[node] = remainder(m_profiler, kProfilerName, &ComparisonGroup::isProfiler);
      m_comparison.totals[run].profilerNs += nodes[node].cpuSelfNs;
    }
    if (groups[node] == Comparison::kNoGroup) continue;
    RunFigures& figures = m_comparison.groups[groups[node]].runs[run];
    const bool inside = calls.tree.takesPart[node] && calls.unit[node] != kNone && !beginsUnit(run, node);
    head[node] = inside ? head[nodes[node].parent] : node;
    figures.deviceNs += calls.device.ofNode[node];
    if (byDevice) work[head[node]] += calls.device.ofNode[node];
    if (!starts) continue;
    if (!inside) ++figures.calls;
    figures.hostSelfNs += nodes[node].cpuSelfNs;
    if (!byDevice) work[head[node]] += nodes[node].cpuSelfNs;
    m_comparison.totals[run].hostSelfNs += nodes[node].cpuSelfNs;
  }
  for (const DeviceWork::Piece& piece : calls.device.pieces) {
    if (piece.node != kNone && groups[piece.node] != Comparison::kNoGroup) continue;
    const std::uint32_t group = remainder(m_unlinked, kUnlinkedName, &ComparisonGroup::isUnlinked);
    m_comparison.groups[group].runs[run].deviceNs += compared.trace->slices.durationNs[index(piece.slice)];
  }

  std::vector<std::vector<std::int64_t>> perCall(m_comparison.groups.size());
  for (std::uint32_t node = 0; node < nodes.size(); ++node) {
    if (head[node] != node) continue;
    if (!compared.scope.contains(compared.trace->slices.startNs[index(nodes[node].slice)])) continue;
    perCall[groups[node]].push_back(work[node]);
  }
  for (std::size_t group = 0; group < perCall.size(); ++group) {
    std::vector<std::int64_t>& values = perCall[group];
    if (values.empty()) continue;
    RunFigures& figures = m_comparison.groups[group].runs[run];
    std::sort(values.begin(), values.end());
    const __int128_t sum = std::accumulate(values.begin(), values.end(), __int128_t{0});
    figures.meanNs = halfUp(sum, static_cast<std::int64_t>(values.size()));
    figures.medianNs = medianOfSorted(values);
  }
}

void GroupMaker::addKernels(std::size_t run) {
  const Trace& trace = *m_runs[run].trace;
  const std::vector<std::uint32_t>& groups = m_comparison.groupOfNode[run];
  std::unordered_map<std::uint64_t, std::size_t> places;  // group and name, into the group's list
  for (const DeviceWork::Piece& piece : m_calls[run].device.pieces) {
    const bool linked = piece.node != kNone && groups[piece.node] != Comparison::kNoGroup;
    const std::uint32_t group = linked ? groups[piece.node] : m_unlinked;
    std::vector<LaunchedKernel>& kernels = m_comparison.groups[group].kernels[run];
    const StringId name = trace.slices.name[index(piece.slice)];
    const auto [entry, added] =
        places.emplace(static_cast<std::uint64_t>(group) << 32 | static_cast<std::uint64_t>(name), kernels.size());
    if (added) {
      const std::string_view text = trace.strings.view(name);
      kernels.push_back({std::string(text), shortKernelName(text), trace.slices.kind[index(piece.slice)], 0, 0});
    }
    ++kernels[entry->second].calls;
    kernels[entry->second].totalNs += trace.slices.durationNs[index(piece.slice)];
  }
  for (ComparisonGroup& group : m_comparison.groups) {
    std::stable_sort(group.kernels[run].begin(), group.kernels[run].end(),
                     [](const LaunchedKernel& a, const LaunchedKernel& b) { return a.totalNs > b.totalNs; });
  }
}

void GroupMaker::nameGroups() {
  std::unordered_map<std::string, int> seen;
  for (ComparisonGroup& group : m_comparison.groups) {
    if (group.isUnlinked || group.isProfiler) {
      seen[group.key] = 1;
      continue;
    }
    std::vector<std::string> sides;
    for (const std::string& names : group.names) {
      if (!names.empty() && std::find(sides.begin(), sides.end(), names) == sides.end()) sides.push_back(names);
    }
    group.operatorName = fmt::format("{}", fmt::join(sides, " -> "));
    group.key = group.operatorName;
    if (!group.inputShapes.empty()) group.key += " " + group.inputShapes;
    if (group.isUserAnnotation) group.key += " (annotation)";
    if (group.match != MatchKind::kExact) group.key += fmt::format(" ({})", toString(group.match));
  }
  for (ComparisonGroup& group : m_comparison.groups) {  // names that read alike, or other parts of the same calls
    const int times = ++seen[group.key];
    if (times > 1 && !group.isUnlinked && !group.isProfiler) group.key += fmt::format(" ({})", times);
  }
}

}  // namespace

void sortGroups(Comparison& comparison) {
  const auto amount = [](const ComparisonGroup& group, bool device) {
    std::int64_t largest = 0;
    for (std::size_t run = 1; run < group.runs.size(); ++run) {
      const std::int64_t delta = device ? group.deviceDeltaNs(run) : group.hostDeltaNs(run);
      largest = std::max(largest, delta < 0 ? -delta : delta);
    }
    return largest;
  };
  std::vector<ComparisonGroup>& groups = comparison.groups;
  const bool device = comparison.byDevice;
  std::vector<std::uint32_t> order(groups.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&](std::uint32_t x, std::uint32_t y) {
    const ComparisonGroup& a = groups[x];
    const ComparisonGroup& b = groups[y];
    if (a.isProfiler != b.isProfiler) return b.isProfiler;
    const std::int64_t firstA = amount(a, device);
    const std::int64_t firstB = amount(b, device);
    if (firstA != firstB) return firstA > firstB;
    const std::int64_t secondA = amount(a, !device);
    const std::int64_t secondB = amount(b, !device);
    return secondA != secondB ? secondA > secondB : a.key < b.key;
  });
  std::vector<std::uint32_t> place(groups.size());
  std::vector<ComparisonGroup> sorted;
  sorted.reserve(groups.size());
  for (const std::uint32_t i : order) {
    place[i] = static_cast<std::uint32_t>(sorted.size());
    sorted.push_back(std::move(groups[i]));
  }
  groups = std::move(sorted);
  for (std::vector<std::uint32_t>& ofNode : comparison.groupOfNode) {
    for (std::uint32_t& group : ofNode) {
      if (group != Comparison::kNoGroup) group = place[group];
    }
  }
}

void addCallGroups(const std::vector<ComparedRun>& runs, Comparison& comparison, const std::stop_token& stop) {
  GroupMaker(runs, comparison, stop).make();
}

}  // namespace attnscope
