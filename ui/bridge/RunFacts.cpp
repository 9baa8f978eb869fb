// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/RunFacts.h"

#include <algorithm>
#include <thread>

#include "ui/bridge/FreedAside.h"

namespace attnscope::ui {

namespace {

// Host operators are pale and what computes is loud. Where no device computes, the operators that work themselves do:
// they take the colour of their work.
std::vector<std::uint8_t> paintClasses(const Trace& trace, const OperatorTree& tree) {
  std::vector<std::uint8_t> classes(trace.slices.size());
  for (std::size_t i = 0; i < classes.size(); ++i) classes[i] = static_cast<std::uint8_t>(trace.slices.kind[i]);
  if (trace.hasDeviceWork()) return classes;
  for (std::size_t i = 0; i < classes.size(); ++i) {
    if (trace.slices.categoryClass[i] != CategoryClass::kCpuOperator || i >= tree.nodeOfSlice.size()) continue;
    const std::uint32_t node = tree.nodeOfSlice[i];
    if (node == OperatorNode::kNone || !tree.nodes[node].isWorking) continue;
    const WorkKind work = classifyOperator(trace.strings.view(trace.slices.name[i]));
    if (work != WorkKind::kUnknown) classes[i] = static_cast<std::uint8_t>(work);
  }
  return classes;
}

TrackId busiestTrack(const Trace& trace, const OperatorTree& tree) {
  std::vector<std::int64_t> busy(trace.tracks.size(), 0);
  const bool device = trace.hasDeviceWork();
  if (device) {
    for (const SliceId slice : trace.deviceWork.slice) {
      if (trace.slices.categoryClass[index(slice)] == CategoryClass::kSynchronisation) continue;
      busy[index(trace.slices.track[index(slice)])] += trace.slices.durationNs[index(slice)];
    }
  } else {
    for (const OperatorNode& node : tree.nodes) {
      if (node.isOperator) busy[index(trace.slices.track[index(node.slice)])] += node.cpuSelfNs;
    }
    // No operators at all: any slices that stand at the top of a thread.
    if (std::all_of(busy.begin(), busy.end(), [](std::int64_t ns) { return ns == 0; })) {
      for (std::size_t i = 0; i < trace.slices.size(); ++i) {
        if (trace.slices.parent[i] == kNoSlice) busy[index(trace.slices.track[i])] += trace.slices.durationNs[i];
      }
    }
  }
  TrackId best = kNoTrack;
  for (std::size_t track = 0; track < busy.size(); ++track) {
    const TrackKind kind = trace.tracks[track].kind;
    if (kind != (device ? TrackKind::kStream : TrackKind::kThread)) continue;
    if (busy[track] > 0 && (best == kNoTrack || busy[track] > busy[index(best)])) {
      best = TrackId{static_cast<std::uint32_t>(track)};
    }
  }
  return best;
}

Result<std::shared_ptr<const RunFacts>> factsOf(std::shared_ptr<const Trace> trace, std::stop_token stop) {
  auto facts = makeFreedAside<RunFacts>();
  facts->trace = std::move(trace);
  const unsigned threads = std::clamp(std::thread::hardware_concurrency(), 1u, 8u);
  facts->tree = buildOperatorTree(*facts->trace, stop, threads);
  if (stop.stop_requested()) return cancelled();
  facts->memory = memorySeries(*facts->trace);
  if (stop.stop_requested()) return cancelled();
  facts->paintClass = paintClasses(*facts->trace, facts->tree);
  facts->comparedTrack = busiestTrack(*facts->trace, facts->tree);
  return std::shared_ptr<const RunFacts>(std::move(facts));
}

}  // namespace

Result<std::shared_ptr<const RunFacts>> readRun(
    const std::string& path, LoadOptions options, Progress& progress, std::stop_token stop,
    const std::function<void(std::shared_ptr<const RunFacts>)>& onBeginning) {
  if (onBeginning) {
    options.onBeginning = [&](std::shared_ptr<const Trace> trace) {
      if (auto facts = factsOf(std::move(trace), stop)) onBeginning(std::move(*facts));
    };
  }
  auto trace = loadTrace(path, options, progress, stop);
  if (!trace) return fail(trace.error());
  progress.enter("Summarise", 0);
  return factsOf(std::move(*trace), stop);
}

std::shared_ptr<const RunTables> tablesOf(const RunFacts& facts, TimeRange scope) {
  const Trace& trace = *facts.trace;
  auto tables = makeFreedAside<RunTables>();
  tables->scope = scope;
  tables->operators = operatorTable(trace, facts.tree, OperatorGrouping::kByName, OperatorFilter::kAll, scope);
  tables->operatorsByShape = operatorTable(trace, facts.tree, OperatorGrouping::kByShape, OperatorFilter::kAll, scope);
  tables->kernels = kernelTable(trace, KernelGrouping::kByName, scope);
  tables->busy = deviceBusy(trace, scope);
  const std::int64_t start = std::max(scope.startNs, trace.dense.startNs);
  const std::int64_t end = std::min(scope.endNs, trace.dense.endNs);
  tables->durationNs = std::max<std::int64_t>(0, end - start);
  return tables;
}

}  // namespace attnscope::ui
