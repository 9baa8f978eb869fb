// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "core/findings/Words.h"
#include "core/findings/rules/Catalogue.h"
#include "core/findings/rules/Parts.h"

namespace attnscope::rules {

RuleAnswer deviceIdle(const Metrics& metrics, double threshold) {
  if (!metrics.hasDevice) return withoutDevice();
  const std::int64_t idle = metrics.windowNs - metrics.busyNs;
  const double idleShare = share(idle, metrics.windowNs);
  if (metrics.windowNs <= 0 || idleShare < threshold) return std::vector<Finding>{};
  std::int64_t sync = 0;
  std::int64_t host = 0;
  std::int64_t launch = 0;
  for (const DeviceGap& gap : metrics.gaps) {
    sync += gap.syncNs;
    host += gap.hostNs;
    launch += gap.launchNs;
  }
  Finding finding;
  finding.severity = idleShare >= 0.6 ? FindingSeverity::kProblem : FindingSeverity::kWarning;
  finding.headline = fmt::format("The device idles for {} of {} {}, {}", words::time(idle),
                                 words::time(metrics.windowNs), inWindows(metrics), words::percent(idleShare));
  finding.why = fmt::format(
      "Of the idle time {} passed before the host called for the next work, {} while it waited in a synchronisation, "
      "and {} between a call and the start of its work. While the device is not the limit, faster kernels change "
      "nothing.",
      words::time(host), words::time(sync), words::time(launch));
  finding.change = host >= sync && host >= launch
                       ? "Give the device more work for each call of the host: larger batches, fused operators, "
                         "torch.compile, CUDA graphs; look at what the host does in the longest gaps."
                   : sync >= launch
                       ? "Remove the synchronisations: .item(), .cpu(), printing of tensors and blocking copies in the "
                         "step."
                       : "Work is called for in time and starts late: launch it as a CUDA graph, and check other "
                         "processes on the device and clocks that fall between kernels.";
  finding.savingNs = idle;
  finding.savingFormula = fmt::format("time of the windows less the device's busy time, {}", inWindows(metrics));
  const std::size_t shown = std::min<std::size_t>(metrics.gaps.size(), 5);
  for (std::size_t i = 0; i < shown; ++i) {
    const DeviceGap& gap = metrics.gaps[i];
    finding.evidence.push_back(
        {fmt::format("gap of {}", words::time(gap.range.durationNs())), {}, gap.range, kNoString});
  }
  finding.caveats = {"The profiler slows the host, so that gaps without it are shorter.",
                     "One device is judged, the busiest."};
  return std::vector<Finding>{finding};
}

}  // namespace attnscope::rules
