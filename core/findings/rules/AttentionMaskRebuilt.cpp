// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "core/findings/Words.h"
#include "core/findings/rules/Catalogue.h"
#include "core/findings/rules/Parts.h"

namespace attnscope::rules {

RuleAnswer attentionMaskRebuilt(const Metrics& metrics, double threshold) {
  const auto isMask = [](std::string_view name) { return name == "aten::tril" || name == "aten::triu"; };
  const WorkOfName masks = metrics.workOf(isMask);
  if (masks.calls == 0) return NotApplicable{"no tril or triu in this trace"};
  if (static_cast<double>(masks.calls) < threshold) return std::vector<Finding>{};
  std::size_t under = 0;
  for (const std::uint32_t node : metrics.nodes) {
    if (isMask(metrics.name(node)) && metrics.isUnder(node, "aten::_scaled_dot_product_attention_math")) ++under;
  }
  Finding finding;
  finding.confidence = Confidence::kNamed;
  finding.severity = FindingSeverity::kWarning;
  finding.headline = fmt::format("A triangular mask is built {} times {}, {}", masks.calls, inWindows(metrics),
                                 words::time(masks.totalNs));
  finding.why = under > 0 ? "The math backend builds the causal mask anew in each call; a mask of the scores' size is "
                            "written and read for what is the same every time."
                          : "The mask depends on the length alone and is built anew each time; it is as large as the "
                            "matrix of scores of one head.";
  finding.change =
      "Build it once and keep it (register_buffer), or pass is_causal=True to a fused backend, which needs no mask at "
      "all.";
  finding.savingNs = masks.totalNs;
  finding.savingFormula = "time of these operators with what they call";
  finding.evidence.push_back(slicesEvidence(words::count(masks.calls, "mask", "masks"), masks.slices));
  finding.caveats = {"A triangle that is no mask (a decomposition, say) is named here as well."};
  return std::vector<Finding>{finding};
}

}  // namespace attnscope::rules
