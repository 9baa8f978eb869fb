// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "core/findings/Words.h"
#include "core/findings/rules/Catalogue.h"
#include "core/findings/rules/Parts.h"

namespace attnscope::rules {

RuleAnswer attentionOccupancyUnknown(const Metrics& metrics, double threshold) {
  if (!metrics.hasDevice) return withoutDevice();
  std::vector<const KernelRow*> rows;
  double first = 0;  // occupancy of the first
  bool any = false;
  for (std::size_t i = 0; i < metrics.launches.rows.size(); ++i) {
    const KernelRow& row = metrics.launches.rows[i];
    const auto& occupancy = metrics.launchFigures[i].occupancy;
    if (row.occupancyReported < 0 || !occupancy) continue;
    any = true;
    if (row.occupancyReported > 0 || occupancy->achieved < 0.01) continue;
    if (rows.empty()) first = occupancy->theoretical;
    rows.push_back(&row);
  }
  if (!any) return NotApplicable{"no occupancy recorded"};
  if (rows.empty() || static_cast<double>(rows.size()) < threshold) return std::vector<Finding>{};
  Finding finding;
  finding.headline = fmt::format("{} with 0 % occupancy in the trace: {} has {}",
                                 words::count(rows.size(), "kernel stands", "kernels stand"), rows.front()->shortName,
                                 words::percent(first));
  finding.why = fmt::format(
      "The recorder reckons with the 48 KiB of shared memory that a block has without asking; these blocks ask for up "
      "to {}, so that it finds room for none.",
      words::bytes(std::max_element(rows.begin(), rows.end(),
                                    [](const KernelRow* a, const KernelRow* b) {
                                      return a->sharedMemoryBytes < b->sharedMemoryBytes;
                                    })[0]
                       ->sharedMemoryBytes));
  finding.change = "Read the occupancy that is worked out here from registers, block and shared memory.";
  for (std::size_t i = 0; i < std::min<std::size_t>(rows.size(), 4); ++i) {
    finding.evidence.push_back(kernelEvidence(*rows[i]));
  }
  return std::vector<Finding>{finding};
}

}  // namespace attnscope::rules
