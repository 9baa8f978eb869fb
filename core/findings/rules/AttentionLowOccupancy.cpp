// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "core/findings/Words.h"
#include "core/findings/rules/Catalogue.h"
#include "core/findings/rules/Parts.h"

namespace attnscope::rules {

RuleAnswer attentionLowOccupancy(const Metrics& metrics, double threshold) {
  if (!metrics.hasDevice) return withoutDevice();
  std::vector<Finding> findings;
  bool any = false;
  for (std::size_t i = 0; i < metrics.launches.rows.size(); ++i) {
    const KernelRow& row = metrics.launches.rows[i];
    const auto& occupancy = metrics.launchFigures[i].occupancy;
    if (row.kind != WorkKind::kAttention || !occupancy) continue;
    any = true;
    if (occupancy->theoretical >= threshold || findings.size() == 3) continue;
    Finding finding;
    finding.headline =
        fmt::format("{} occupancy of {} is normal", words::percent(occupancy->theoretical), row.shortName);
    finding.why = fmt::format(
        "A fused attention kernel keeps its tiles in registers and shared memory on purpose: {} registers a thread and "
        "{} of shared memory leave room for {}; {} run out first.",
        row.registersPerThread, words::bytes(row.sharedMemoryBytes),
        words::count(static_cast<std::uint64_t>(occupancy->blocksPerSm), "block a multiprocessor",
                     "blocks a multiprocessor"),
        toString(occupancy->limitedBy));
    finding.change = "Nothing for its occupancy; judge it by its share of the peak.";
    finding.evidence.push_back(kernelEvidence(row));
    findings.push_back(std::move(finding));
  }
  if (!any) return NotApplicable{"no attention kernel whose launch is recorded in full"};
  return findings;
}

}  // namespace attnscope::rules
