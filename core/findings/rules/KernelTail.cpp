// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/findings/Words.h"
#include "core/findings/rules/Catalogue.h"
#include "core/findings/rules/Parts.h"

namespace attnscope::rules {

RuleAnswer kernelTail(const Metrics& metrics, double threshold) {
  if (!metrics.hasDevice) return withoutDevice();
  std::vector<Finding> findings;
  bool any = false;
  for (std::size_t i = 0; i < metrics.launches.rows.size(); ++i) {
    const KernelRow& row = metrics.launches.rows[i];
    const auto& occupancy = metrics.launchFigures[i].occupancy;
    if (!occupancy || occupancy->waves <= 0) continue;
    any = true;
    // Below one wave the grid is small, which is another rule; above many the last one does not matter.
    if (row.totalShare < kKernelMatters || occupancy->waves <= 1 || occupancy->waves > 8) continue;
    if (occupancy->lastWaveFill >= threshold) continue;
    const double wavesRun = std::ceil(occupancy->waves);
    const auto lost =
        static_cast<std::int64_t>(static_cast<double>(row.totalNs) * (1 - occupancy->lastWaveFill) / wavesRun);
    Finding finding;
    finding.confidence = Confidence::kInferred;
    finding.severity = FindingSeverity::kWarning;
    finding.headline =
        fmt::format("The last wave of {} fills {} of the device, with {} of the kernel time", row.shortName,
                    words::percent(occupancy->lastWaveFill), words::percent(row.totalShare));
    finding.why = fmt::format(
        "Its {} blocks are {:.2f} times what the device holds at once: the last of {:.0f} waves runs on a part of the "
        "multiprocessors while the others wait.",
        LaunchShape{row.grid, row.block, 0, 0}.blocks(), occupancy->waves, wavesRun);
    finding.change =
        "Another tile or split (stream-K, split-K), or sizes whose number of tiles is a multiple of what fits at once.";
    finding.savingNs = lost;
    finding.savingFormula = "time of the kernel over its waves, times the empty part of the last one";
    finding.evidence.push_back(kernelEvidence(row));
    finding.caveats = {"Blocks that take different times even the waves out; another stream may fill the rest."};
    findings.push_back(std::move(finding));
  }
  if (!any) return NotApplicable{"no kernel whose launch is recorded in full on a device that is known"};
  return findings;
}

}  // namespace attnscope::rules
