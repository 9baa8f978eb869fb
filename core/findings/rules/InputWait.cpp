// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "core/findings/Words.h"
#include "core/findings/rules/Catalogue.h"
#include "core/findings/rules/Parts.h"

namespace attnscope::rules {

namespace {

// Of `wait`, what falls into gaps, which are in order and apart.
std::int64_t idleIn(const std::vector<TimeRange>& gaps, const TimeRange& wait) {
  std::int64_t idle = 0;
  auto gap = std::partition_point(gaps.begin(), gaps.end(),
                                  [&wait](const TimeRange& each) { return each.endNs <= wait.startNs; });
  for (; gap != gaps.end() && gap->startNs < wait.endNs; ++gap) {
    idle += std::min(gap->endNs, wait.endNs) - std::max(gap->startNs, wait.startNs);
  }
  return idle;
}

}  // namespace

RuleAnswer inputWait(const Metrics& metrics, double threshold) {
  const Trace& trace = *metrics.trace;
  std::vector<TimeRange> gaps;
  for (const DeviceGap& gap : metrics.gaps) gaps.push_back(gap.range);
  std::sort(gaps.begin(), gaps.end(), [](const TimeRange& a, const TimeRange& b) { return a.startNs < b.startNs; });
  std::vector<SliceId> slices;
  std::int64_t total = 0;
  bool any = false;
  for (const std::uint32_t node : metrics.nodes) {
    const std::string_view name = metrics.name(node);
    if (name.find("DataLoader") == std::string_view::npos || name.find("__next__") == std::string_view::npos) continue;
    any = true;
    const SliceId slice = metrics.tree->nodes[node].slice;
    slices.push_back(slice);
    // What the device does meanwhile hides the wait.
    const TimeRange wait{trace.slices.startNs[index(slice)], trace.slices.endNs(slice)};
    total += metrics.hasDevice ? idleIn(gaps, wait) : wait.durationNs();
  }
  if (!any) return NotApplicable{"no data loader in this trace"};
  // Steps begin before or after the loader is asked: the whole stretch is what the wait is a part of.
  const std::int64_t whole = std::max(metrics.windowNs, total);
  if (share(total, whole) < threshold) return std::vector<Finding>{};
  Finding finding;
  finding.severity = share(total, whole) >= 0.2 ? FindingSeverity::kProblem : FindingSeverity::kWarning;
  finding.headline = fmt::format("{} wait for input {}, {}", words::time(total), inWindows(metrics),
                                 words::percent(share(total, whole)));
  finding.why = metrics.hasDevice
                    ? "The device stands idle while the data loader makes the next batch: the input is the limit, and "
                      "nothing done to the model makes the step shorter."
                    : "The step cannot begin before the data loader has made its batch.";
  finding.change =
      "More workers (num_workers), prefetch_factor, pinned memory; do the costly part of the input once and keep it.";
  finding.savingNs = total;
  finding.savingFormula =
      metrics.hasDevice ? "time in the data loader while the device idles" : "time in the data loader";
  finding.evidence.push_back(slicesEvidence(words::count(slices.size(), "wait", "waits"), slices));
  return std::vector<Finding>{finding};
}

}  // namespace attnscope::rules
