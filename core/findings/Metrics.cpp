// SPDX-License-Identifier: Apache-2.0
#include "core/findings/Metrics.h"

#include <algorithm>
#include <map>

namespace attnscope {

namespace {

bool isDeviceWork(CategoryClass category) {
  return category == CategoryClass::kKernel || category == CategoryClass::kGpuMemcpy ||
         category == CategoryClass::kGpuMemset;
}

// Overlapping or touching ones as one, in order.
std::vector<TimeRange> merged(std::vector<TimeRange> ranges) {
  std::sort(ranges.begin(), ranges.end(), [](const TimeRange& a, const TimeRange& b) { return a.startNs < b.startNs; });
  std::vector<TimeRange> result;
  for (const TimeRange& range : ranges) {
    if (!result.empty() && range.startNs <= result.back().endNs) {
      result.back().endNs = std::max(result.back().endNs, range.endNs);
    } else {
      result.push_back(range);
    }
  }
  return result;
}

std::int64_t overlapNs(const TimeRange& a, const TimeRange& b) {
  return std::max<std::int64_t>(0, std::min(a.endNs, b.endNs) - std::max(a.startNs, b.startNs));
}

// Of ranges in order that do not overlap one another.
std::int64_t overlapNs(const std::vector<TimeRange>& ranges, const TimeRange& with) {
  std::int64_t sum = 0;
  auto at = std::lower_bound(ranges.begin(), ranges.end(), with.startNs,
                             [](const TimeRange& range, std::int64_t start) { return range.endNs <= start; });
  for (; at != ranges.end() && at->startNs < with.endNs; ++at) sum += overlapNs(*at, with);
  return sum;
}

// What one device did, in order of start.
struct Work {
  TimeRange range;
  std::int64_t calledAtNs;  // INT64_MIN: no call is known
};

std::map<std::int32_t, std::vector<Work>> workByDevice(const Trace& trace) {
  std::map<std::int32_t, std::vector<Work>> byDevice;
  for (std::size_t i = 0; i < trace.deviceWork.size(); ++i) {
    const SliceId slice = trace.deviceWork.slice[i];
    if (!isDeviceWork(trace.slices.categoryClass[index(slice)])) continue;
    const SliceId call = trace.deviceWork.launch[i];
    byDevice[trace.deviceWork.device[i]].push_back({{trace.slices.startNs[index(slice)], trace.slices.endNs(slice)},
                                                    call == kNoSlice ? INT64_MIN : trace.slices.startNs[index(call)]});
  }
  for (auto& [device, work] : byDevice) {
    std::sort(work.begin(), work.end(), [](const Work& a, const Work& b) { return a.range.startNs < b.range.startNs; });
  }
  return byDevice;
}

std::vector<TimeRange> rangesOf(const std::vector<Work>& work) {
  std::vector<TimeRange> ranges;
  ranges.reserve(work.size());
  for (const Work& each : work) ranges.push_back(each.range);
  return merged(std::move(ranges));
}

std::vector<TimeRange> windowsOf(const Trace& trace, const OperatorTree& tree, TimeRange scope,
                                 const std::map<std::int32_t, std::vector<Work>>& byDevice) {
  if (!(scope == TimeRange::all())) return {scope};
  std::vector<TimeRange> windows;
  for (const Step& step : trace.steps) windows.push_back({step.startNs, step.startNs + step.durationNs});
  if (!windows.empty()) return merged(std::move(windows));
  bool any = false;
  TimeRange span;
  const auto extend = [&](const TimeRange& range) {
    span = any ? TimeRange{std::min(span.startNs, range.startNs), std::max(span.endNs, range.endNs)} : range;
    any = true;
  };
  for (const auto& [device, work] : byDevice) {
    for (const Work& each : work) extend(each.range);
  }
  if (!any) {
    for (const OperatorNode& node : tree.nodes) {
      if (node.slice == kNoSlice) continue;
      extend({trace.slices.startNs[index(node.slice)], trace.slices.endNs(node.slice)});
    }
  }
  if (any) windows.push_back(span);
  return windows;
}

std::vector<TimeRange> synchronisations(const Trace& trace) {
  std::vector<TimeRange> ranges;
  for (std::size_t i = 0; i < trace.slices.size(); ++i) {
    const CategoryClass category = trace.slices.categoryClass[i];
    if (trace.slices.kind[i] != WorkKind::kSynchronisation) continue;
    if (category != CategoryClass::kRuntime && category != CategoryClass::kDriver) continue;
    ranges.push_back({trace.slices.startNs[i], trace.slices.startNs[i] + trace.slices.durationNs[i]});
  }
  return merged(std::move(ranges));
}

// The device waits for the work that ends the gap: until the host calls for it, and after that until it starts.
DeviceGap explained(TimeRange gap, const std::vector<Work>& work, const std::vector<TimeRange>& syncs) {
  DeviceGap result{gap, 0, 0, 0};
  const auto next = std::lower_bound(work.begin(), work.end(), gap.endNs,
                                     [](const Work& each, std::int64_t end) { return each.range.startNs < end; });
  std::int64_t calledAt = gap.startNs;
  if (next == work.end()) {
    calledAt = gap.endNs;  // nothing came any more
  } else if (next->calledAtNs != INT64_MIN) {
    calledAt = std::clamp(next->calledAtNs, gap.startNs, gap.endNs);
  }
  result.launchNs = gap.endNs - calledAt;
  result.syncNs = overlapNs(syncs, {gap.startNs, calledAt});
  result.hostNs = calledAt - gap.startNs - result.syncNs;
  return result;
}

void findGaps(Metrics& metrics, const std::vector<Work>& work) {
  const std::vector<TimeRange> busy = rangesOf(work);
  const std::vector<TimeRange> syncs = synchronisations(*metrics.trace);
  for (const TimeRange& window : metrics.windows) {
    std::int64_t from = window.startNs;
    auto at = std::lower_bound(busy.begin(), busy.end(), window.startNs,
                               [](const TimeRange& range, std::int64_t start) { return range.endNs <= start; });
    for (; at != busy.end() && at->startNs < window.endNs; ++at) {
      if (at->startNs > from) metrics.gaps.push_back(explained({from, at->startNs}, work, syncs));
      from = std::min(at->endNs, window.endNs);
    }
    if (from < window.endNs) metrics.gaps.push_back(explained({from, window.endNs}, work, syncs));
  }
  std::stable_sort(metrics.gaps.begin(), metrics.gaps.end(),
                   [](const DeviceGap& a, const DeviceGap& b) { return a.range.durationNs() > b.range.durationNs(); });
}

void findDevice(Metrics& metrics, const std::map<std::int32_t, std::vector<Work>>& byDevice) {
  const std::vector<Work>* busiest = nullptr;
  for (const auto& [device, work] : byDevice) {
    const std::vector<TimeRange> busy = rangesOf(work);
    std::int64_t ns = 0;
    for (const TimeRange& window : metrics.windows) ns += overlapNs(busy, window);
    if (busiest != nullptr && ns <= metrics.busyNs) continue;
    busiest = &work;
    metrics.device = device;
    metrics.busyNs = ns;
  }
  if (busiest != nullptr) findGaps(metrics, *busiest);
}

void findNodes(Metrics& metrics) {
  const OperatorNodes& nodes = metrics.tree->nodes;
  for (std::uint32_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i].slice == kNoSlice) continue;
    if (!metrics.scope.contains(metrics.trace->slices.startNs[index(nodes[i].slice)])) continue;
    metrics.nodes.push_back(i);
    if (nodes[i].isWorking) metrics.working.push_back(i);
  }
}

}  // namespace

std::string_view Metrics::name(std::uint32_t node) const { return trace->strings.view(tree->nodes[node].name); }

std::int64_t Metrics::totalNs(std::uint32_t node) const {
  return hasDevice ? tree->nodes[node].deviceTotalNs : tree->nodes[node].cpuTotalNs;
}

std::int64_t Metrics::selfNs(std::uint32_t node) const {
  return hasDevice ? tree->nodes[node].deviceSelfNs : tree->nodes[node].cpuSelfNs;
}

std::int64_t Metrics::allWorkNs() const { return hasDevice ? kernels.totalNs : operators.totals.cpuSelfNs; }

WorkOfName Metrics::workOf(const std::function<bool(std::string_view)>& isMeant) const {
  WorkOfName work;
  std::vector<bool> meant(trace->strings.size());
  std::vector<bool> asked(trace->strings.size());
  const auto ask = [&](StringId id) {
    if (id == kNoString) return false;
    if (!asked[index(id)]) {
      asked[index(id)] = true;
      meant[index(id)] = isMeant(trace->strings.view(id));
    }
    return meant[index(id)] == true;
  };
  for (const std::uint32_t node : nodes) {
    if (!tree->nodes[node].isOperator || !ask(tree->nodes[node].name)) continue;
    bool isInside = false;
    for (std::uint32_t up = tree->nodes[node].parent; up != OperatorNode::kNone && !isInside;
         up = tree->nodes[up].parent) {
      isInside = tree->nodes[up].isOperator && ask(tree->nodes[up].name);
    }
    if (isInside) continue;
    work.slices.push_back(tree->nodes[node].slice);
    work.totalNs += totalNs(node);
    ++work.calls;
  }
  return work;
}

bool Metrics::isUnder(std::uint32_t node, std::string_view prefix) const {
  for (std::uint32_t up = tree->nodes[node].parent; up != OperatorNode::kNone; up = tree->nodes[up].parent) {
    if (name(up).starts_with(prefix)) return true;
  }
  return false;
}

Metrics metricsOf(const Trace& trace, const OperatorTree& tree, const std::vector<MemorySeries>& memory,
                  TimeRange scope, const std::stop_token& stop) {
  Metrics metrics;
  metrics.trace = &trace;
  metrics.tree = &tree;
  metrics.memory = &memory;
  metrics.scope = scope;
  const auto byDevice = workByDevice(trace);
  metrics.hasDevice = !byDevice.empty();
  metrics.windows = windowsOf(trace, tree, scope, byDevice);
  for (const TimeRange& window : metrics.windows) metrics.windowNs += window.durationNs();
  if (stop.stop_requested()) return metrics;
  metrics.kernels = kernelTable(trace, KernelGrouping::kByName, scope);
  metrics.launches = kernelTable(trace, KernelGrouping::kByLaunch, scope);
  metrics.launchFigures = kernelLaunches(trace, metrics.launches.rows);
  if (stop.stop_requested()) return metrics;
  metrics.operators = operatorTable(trace, tree, OperatorGrouping::kByName, OperatorFilter::kAll, scope);
  if (stop.stop_requested()) return metrics;
  findDevice(metrics, byDevice);
  findNodes(metrics);
  if (stop.stop_requested()) return metrics;
  metrics.attention = attentionCalls(trace, tree, scope);
  metrics.gemms = gemmGroups(trace, scope);
  return metrics;
}

}  // namespace attnscope
