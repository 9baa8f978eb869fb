// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "core/findings/Words.h"
#include "core/findings/rules/Catalogue.h"
#include "core/findings/rules/Parts.h"

namespace attnscope::rules {

RuleAnswer attentionSafeSoftmax(const Metrics& metrics, double threshold) {
  const WorkOfName safe = metrics.workOf([](std::string_view name) { return name == "aten::_safe_softmax"; });
  if (safe.calls == 0) return NotApplicable{"no _safe_softmax in this trace"};
  if (static_cast<double>(safe.calls) < threshold) return std::vector<Finding>{};
  std::int64_t inner = 0;
  for (const std::uint32_t node : metrics.nodes) {
    if (metrics.name(node) == "aten::_softmax" && metrics.isUnder(node, "aten::_safe_softmax")) {
      inner += metrics.totalNs(node);
    }
  }
  Finding finding;
  finding.headline = fmt::format("_safe_softmax costs {} more than softmax in {}", words::time(safe.totalNs - inner),
                                 words::count(safe.calls, "call", "calls"));
  finding.why =
      "It looks for rows that are masked as a whole and gives them zeros where a plain softmax gives NaN: a "
      "comparison, "
      "a reduction and a choice over the matrix of scores each time.";
  finding.change = "Where no row is ever masked as a whole, is_causal=True or a fused backend does without it.";
  finding.savingNs = safe.totalNs - inner;
  finding.savingFormula = "time of _safe_softmax less that of the softmax in it";
  finding.evidence.push_back(slicesEvidence(words::count(safe.calls, "call", "calls"), safe.slices));
  return std::vector<Finding>{finding};
}

}  // namespace attnscope::rules
