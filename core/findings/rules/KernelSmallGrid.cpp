// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "core/findings/Words.h"
#include "core/findings/rules/Catalogue.h"
#include "core/findings/rules/Parts.h"

namespace attnscope::rules {

namespace {

std::int64_t smCountOf(const Metrics& metrics) {
  for (const DeviceProperties& device : metrics.trace->devices) {
    if (device.id == metrics.device) return device.smCount;
  }
  return -1;
}

}  // namespace

RuleAnswer kernelSmallGrid(const Metrics& metrics, double threshold) {
  if (!metrics.hasDevice) return withoutDevice();
  const std::int64_t smCount = smCountOf(metrics);
  if (smCount <= 0) return NotApplicable{"the number of multiprocessors is not recorded"};
  std::vector<Finding> findings;
  for (const KernelRow& row : metrics.launches.rows) {
    const std::int64_t blocks = LaunchShape{row.grid, row.block, 0, 0}.blocks();
    if (blocks <= 0 || row.totalShare < kKernelMatters || row.kind == WorkKind::kCommunication) continue;
    const double perSm = static_cast<double>(blocks) / static_cast<double>(smCount);
    if (perSm >= threshold) continue;
    Finding finding;
    finding.severity = FindingSeverity::kWarning;
    finding.headline = fmt::format("{} launches {} for {} multiprocessors, with {} of the kernel time", row.shortName,
                                   words::count(static_cast<std::uint64_t>(blocks), "block", "blocks"), smCount,
                                   words::percent(row.totalShare));
    finding.why = fmt::format("{} of the multiprocessors have nothing to do while it runs.",
                              words::percent(1 - std::min(perSm, 1.0)));
    finding.change =
        "More blocks: split the long dimension (split-K, split over keys and values as in flash decoding), a larger "
        "batch, or another stream beside it.";
    finding.savingNs = static_cast<std::int64_t>(static_cast<double>(row.totalNs) * (1 - std::min(perSm, 1.0)));
    finding.savingFormula = "time of the kernel, times the part of the multiprocessors without a block";
    finding.evidence.push_back(kernelEvidence(row));
    finding.caveats = {"Work of other streams may run on the rest meanwhile."};
    findings.push_back(std::move(finding));
  }
  return findings;
}

}  // namespace attnscope::rules
