// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "core/findings/Words.h"
#include "core/findings/rules/Catalogue.h"
#include "core/findings/rules/Parts.h"

namespace attnscope::rules {

namespace {

// The accelerator with the highest peak; without one the host.
const MemorySeries* mainSeries(const Metrics& metrics) {
  const MemorySeries* best = nullptr;
  for (const MemorySeries& series : *metrics.memory) {
    if (series.atNs.empty()) continue;
    const bool isBetter = best == nullptr || (series.device != "cpu") > (best->device != "cpu") ||
                          ((series.device != "cpu") == (best->device != "cpu") && series.peakBytes > best->peakBytes);
    if (isBetter) best = &series;
  }
  return best;
}

}  // namespace

RuleAnswer memoryPeak(const Metrics& metrics, double threshold) {
  const MemorySeries* series = mainSeries(metrics);
  if (series == nullptr) return NotApplicable{"no memory records in this trace"};
  if (static_cast<double>(series->peakBytes) < threshold) return std::vector<Finding>{};
  const Trace& trace = *metrics.trace;
  Finding finding;
  finding.headline = fmt::format("Memory of {} peaks at {}{}", series->device, words::bytes(series->peakBytes),
                                 series->hasTotals ? "" : " over its start");
  std::vector<std::string> holders;
  for (std::size_t i = 0; i < std::min<std::size_t>(series->holdersAtPeak.size(), 3); ++i) {
    const MemoryHolder& holder = series->holdersAtPeak[i];
    holders.push_back(fmt::format(
        "{} holds {} in {}",
        holder.operatorName == kNoString ? std::string_view("no operator") : trace.strings.view(holder.operatorName),
        words::bytes(holder.bytes), words::count(holder.blocks, "block", "blocks")));
  }
  finding.why = holders.empty()
                    ? "Nothing that was allocated in this trace is alive at the peak: all of it is from before."
                    : fmt::format("At the peak {}. What was allocated before the trace is not among them.",
                                  fmt::join(holders, ", "));
  finding.change =
      "The peak decides the longest context and the largest batch that fit: free or recompute what its holders keep, "
      "or "
      "use a form of attention that does not write the matrix of scores.";
  finding.evidence.push_back({"the peak", {}, TimeRange{series->peakAtNs, series->peakAtNs + 1}, kNoString});
  return std::vector<Finding>{finding};
}

}  // namespace attnscope::rules
