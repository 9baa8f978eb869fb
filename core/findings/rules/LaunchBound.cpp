// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "core/findings/Words.h"
#include "core/findings/rules/Catalogue.h"
#include "core/findings/rules/Parts.h"

namespace attnscope::rules {

RuleAnswer launchBound(const Metrics& metrics, double threshold) {
  if (!metrics.hasDevice) return withoutDevice();
  const auto pace = launchPace(metrics);
  if (!pace) return NotApplicable{kFewLaunches};
  if (pace->distanceNs == 0) return NotApplicable{"kernels are launched as graphs"};
  if (share(pace->kernelNs, pace->distanceNs) >= threshold) return std::vector<Finding>{};
  const std::int64_t idle = metrics.windowNs - metrics.busyNs;
  Finding finding;
  finding.severity = FindingSeverity::kWarning;
  finding.headline = fmt::format("The median kernel takes {}, but the host launches one every {}",
                                 words::time(pace->kernelNs), words::time(pace->distanceNs));
  finding.why =
      "The host cannot call for kernels as fast as the device finishes them: the device waits between them, and the "
      "time of the step is that of the host.";
  finding.change =
      "Fewer and larger kernels: fuse (torch.compile, a fused attention call), larger batches, or a CUDA graph of the "
      "step.";
  finding.savingNs = idle;
  finding.savingFormula = "idle time of the device, of which launching is the cause where nothing else is";
  finding.evidence.push_back(slicesEvidence(
      words::count(pace->calls.size(), "launch of the busiest thread", "launches of the busiest thread"), pace->calls));
  finding.caveats = {"The profiler adds to the time of each call: without it launches follow one another faster."};
  return std::vector<Finding>{finding};
}

}  // namespace attnscope::rules
