// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "core/findings/Words.h"
#include "core/findings/rules/Catalogue.h"
#include "core/findings/rules/Parts.h"

namespace attnscope::rules {

namespace {

bool isWaitingCall(const Trace& trace, SliceId slice) {
  const CategoryClass category = trace.slices.categoryClass[index(slice)];
  if (category != CategoryClass::kRuntime && category != CategoryClass::kDriver) return false;
  if (trace.slices.kind[index(slice)] == WorkKind::kSynchronisation) return true;
  const std::string_view name = trace.name(slice);  // a copy that returns when it is done
  return name == "cudaMemcpy" || name == "hipMemcpy" || name == "hipMemcpyWithStream";
}

// The start of the last call that launched anything: what waits later is the end of the recording.
std::int64_t lastLaunch(const Trace& trace) {
  std::int64_t last = INT64_MIN;
  for (const SliceId call : trace.deviceWork.launch) {
    if (call != kNoSlice) last = std::max(last, trace.slices.startNs[index(call)]);
  }
  return last;
}

}  // namespace

RuleAnswer syncInStep(const Metrics& metrics, double threshold) {
  if (!metrics.hasDevice) return withoutDevice();
  const Trace& trace = *metrics.trace;
  const OperatorNodes& nodes = metrics.tree->nodes;
  const std::int64_t last = lastLaunch(trace);
  struct Caller {
    StringId name;
    std::vector<SliceId> calls;
    std::int64_t totalNs = 0;
  };
  std::vector<Caller> callers;
  std::int64_t total = 0;
  std::size_t count = 0;
  for (std::uint32_t i = 0; i < nodes.size(); ++i) {
    const SliceId slice = nodes[i].slice;
    if (slice == kNoSlice || !isWaitingCall(trace, slice)) continue;
    if (trace.slices.startNs[index(slice)] >= last || !isIn(metrics.windows, trace.slices.startNs[index(slice)])) {
      continue;
    }
    // The outermost operator: aten::item calls aten::_local_scalar_dense, and a person wrote .item().
    StringId caller = kNoString;
    for (std::uint32_t up = nodes[i].parent; up != OperatorNode::kNone; up = nodes[up].parent) {
      if (nodes[up].isOperator) caller = nodes[up].name;
    }
    auto at = std::find_if(callers.begin(), callers.end(), [&](const Caller& each) { return each.name == caller; });
    if (at == callers.end()) at = callers.insert(callers.end(), {caller, {}, 0});
    at->calls.push_back(slice);
    at->totalNs += trace.slices.durationNs[index(slice)];
    total += trace.slices.durationNs[index(slice)];
    ++count;
  }
  if (count == 0 || share(total, metrics.windowNs) < threshold) return std::vector<Finding>{};
  std::stable_sort(callers.begin(), callers.end(),
                   [](const Caller& a, const Caller& b) { return a.totalNs > b.totalNs; });
  const auto nameOf = [&](const Caller& caller) {
    return caller.name == kNoString ? std::string("outside any operator")
                                    : fmt::format("in {}", trace.strings.view(caller.name));
  };
  Finding finding;
  finding.severity = share(total, metrics.windowNs) >= 0.2 ? FindingSeverity::kProblem : FindingSeverity::kWarning;
  finding.headline = fmt::format("The host waits {} for the device {}, {} of it {}", words::time(total),
                                 inWindows(metrics), words::time(callers.front().totalNs), nameOf(callers.front()));
  finding.why =
      "While the host waits it launches nothing, so that the device runs dry when it is done and stands idle until the "
      "next launch arrives.";
  finding.change =
      "Read values of tensors after the step or every N steps, keep conditions on the device (torch.where), copy with "
      "non_blocking=True from pinned memory.";
  finding.savingNs = total;
  finding.savingFormula = "sum of the durations of these calls";
  for (std::size_t i = 0; i < std::min<std::size_t>(callers.size(), 4); ++i) {
    finding.evidence.push_back(
        slicesEvidence(fmt::format("{} {}", words::count(callers[i].calls.size(), "wait", "waits"), nameOf(callers[i])),
                       callers[i].calls));
  }
  finding.caveats = {"Where the device is the limit all the time, a wait only shows that the host is ahead of it.",
                     "What waits after the last launch is taken for the end of the recording and left out."};
  return std::vector<Finding>{finding};
}

}  // namespace attnscope::rules
