// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "core/findings/Words.h"
#include "core/findings/rules/Catalogue.h"
#include "core/findings/rules/Parts.h"

namespace attnscope::rules {

namespace {

constexpr std::size_t kFewestSteps = 3;

// The level that holds at `ns`: of the last record at or before it.
std::optional<std::int64_t> levelAt(const MemorySeries& series, std::int64_t ns) {
  const auto after = std::upper_bound(series.atNs.begin(), series.atNs.end(), ns);
  if (after == series.atNs.begin()) return std::nullopt;
  return series.allocatedBytes[static_cast<std::size_t>(after - series.atNs.begin()) - 1];
}

}  // namespace

RuleAnswer memoryGrowth(const Metrics& metrics, double threshold) {
  const std::vector<Step>& steps = metrics.trace->steps;
  if (metrics.memory->empty()) return NotApplicable{"no memory records in this trace"};
  if (!(metrics.scope == TimeRange::all())) return NotApplicable{"the scope is a part of the trace"};
  // The first step fills caches and the optimizer's state.
  if (steps.size() < kFewestSteps + 1) return NotApplicable{fmt::format("fewer than {} steps", kFewestSteps + 1)};
  std::vector<Finding> findings;
  for (const MemorySeries& series : *metrics.memory) {
    std::vector<std::int64_t> ends;
    for (std::size_t i = 1; i < steps.size(); ++i) {
      if (const auto level = levelAt(series, steps[i].startNs + steps[i].durationNs)) ends.push_back(*level);
    }
    if (ends.size() < kFewestSteps || !std::is_sorted(ends.begin(), ends.end())) continue;
    const auto each = static_cast<std::int64_t>(static_cast<double>(ends.back() - ends.front()) /
                                                static_cast<double>(ends.size() - 1));
    if (each <= 0 || share(each, series.peakBytes) < threshold) continue;
    Finding finding;
    finding.severity = FindingSeverity::kProblem;
    finding.headline =
        fmt::format("Memory of {} grows by {} a step over {} steps", series.device, words::bytes(each), ends.size());
    finding.why =
        "What is alive at the end of a step should be the same each time: something keeps what the step made, "
        "until memory runs out.";
    finding.change =
        "Look for tensors that are kept with their graph (a loss that is summed without .item() or .detach()), lists "
        "that are never emptied, and caches that grow with each call.";
    finding.evidence.push_back(
        {"these steps", {}, TimeRange{steps[1].startNs, steps.back().startNs + steps.back().durationNs}, kNoString});
    finding.caveats = {"A cache of keys and values that grows with the length does this on purpose."};
    findings.push_back(std::move(finding));
  }
  return findings;
}

}  // namespace attnscope::rules
