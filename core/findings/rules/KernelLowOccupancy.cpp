// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "core/findings/Words.h"
#include "core/findings/rules/Catalogue.h"
#include "core/findings/rules/Parts.h"

namespace attnscope::rules {

RuleAnswer kernelLowOccupancy(const Metrics& metrics, double threshold) {
  if (!metrics.hasDevice) return withoutDevice();
  std::vector<Finding> findings;
  bool any = false;
  for (std::size_t i = 0; i < metrics.launches.rows.size(); ++i) {
    const KernelRow& row = metrics.launches.rows[i];
    const auto& occupancy = metrics.launchFigures[i].occupancy;
    if (!occupancy) continue;
    any = true;
    if (row.kind == WorkKind::kAttention || row.totalShare < kKernelMatters) continue;
    if (occupancy->theoretical >= threshold) continue;
    Finding finding;
    finding.headline = fmt::format("{} reaches {} occupancy, limited by {}, with {} of the kernel time", row.shortName,
                                   words::percent(occupancy->theoretical), toString(occupancy->limitedBy),
                                   words::percent(row.totalShare));
    finding.why = fmt::format(
        "{} registers a thread and {} of shared memory leave room for {}. With few threads a multiprocessor cannot "
        "hide "
        "how long memory takes.",
        row.registersPerThread, words::bytes(row.sharedMemoryBytes),
        words::count(static_cast<std::uint64_t>(occupancy->blocksPerSm), "block at once", "blocks at once"));
    finding.change = occupancy->limitedBy == OccupancyLimit::kRegisters
                         ? "Fewer registers a thread (__launch_bounds__, smaller tiles), where it waits for memory."
                         : "Smaller blocks or tiles, where it waits for memory.";
    finding.evidence.push_back(kernelEvidence(row));
    finding.caveats = {
        "Matmuls keep tiles in registers and reach their peak at low occupancy: look at what it waits for "
        "before changing anything."};
    findings.push_back(std::move(finding));
  }
  if (!any) return NotApplicable{"no kernel whose launch is recorded in full on a device that is known"};
  return findings;
}

}  // namespace attnscope::rules
