// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "core/findings/Words.h"
#include "core/findings/rules/Catalogue.h"
#include "core/findings/rules/Parts.h"

namespace attnscope::rules {

RuleAnswer attentionCpuCost(const Metrics& metrics, double threshold) {
  if (!metrics.hasDevice) return withoutDevice();
  std::vector<SliceId> slices;
  std::int64_t host = 0;
  std::int64_t device = 0;
  for (const std::uint32_t node : metrics.nodes) {
    const OperatorNode& each = metrics.tree->nodes[node];
    if (!each.isOperator || !isAttentionCall(metrics.name(node)) || each.deviceTotalNs == 0) continue;
    const std::uint32_t parent = each.parent;
    if (parent != OperatorNode::kNone && isAttentionCall(metrics.name(parent))) continue;
    slices.push_back(each.slice);
    host += each.cpuTotalNs;
    device += each.deviceTotalNs;
  }
  if (slices.empty()) return NotApplicable{"no attention call that launched device work"};
  if (share(host, device) < threshold) return std::vector<Finding>{};
  Finding finding;
  finding.severity = FindingSeverity::kWarning;
  finding.headline = fmt::format("{} of attention take {} of the host and {} of the device",
                                 words::count(slices.size(), "call", "calls"), words::time(host), words::time(device));
  finding.why =
      "The host spends longer on choosing the backend, checking and launching than the device on computing: attention "
      "is limited by its calls.";
  finding.change =
      "Larger batches or lengths for each call, a CUDA graph of the step, or torch.compile, which makes the choice "
      "once.";
  finding.savingNs = host - device;
  finding.savingFormula = "host time of these calls less their device time";
  finding.evidence.push_back(slicesEvidence(words::count(slices.size(), "call", "calls"), slices));
  finding.caveats = {"The profiler adds to the host's time.",
                     "Where the host runs ahead of the device its time does not show in the step."};
  return std::vector<Finding>{finding};
}

}  // namespace attnscope::rules
