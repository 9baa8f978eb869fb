// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "core/analysis/InputSizes.h"
#include "core/findings/Words.h"
#include "core/findings/rules/Catalogue.h"
#include "core/findings/rules/Parts.h"

namespace attnscope::rules {

namespace {

// What the recorded inputs tell of why the fused backends were ruled out.
std::string constraintOf(const Trace& trace, SliceId slice) {
  const StringId dims = trace.slices.inputDims[index(slice)];
  if (dims == kNoString) return "the inputs' shapes are not recorded (record_shapes=True), so why is not known";
  const auto inputs = inputSizes(trace.strings.view(dims));
  if (inputs.size() < 3) return "the recorded inputs do not tell why";
  std::vector<std::string> reasons;
  const auto bytes = elementBytes(trace, slice);
  if (bytes && *bytes == 8) reasons.emplace_back("float64 inputs, which no fused backend takes");
  if (inputs.size() > 3 && !inputs[3].empty()) {
    reasons.emplace_back("a mask is given, which the flash backend does not take");
  }
  const std::vector<std::int64_t>& query = inputs[0];
  const std::vector<std::int64_t>& value = inputs[2];
  if (query.size() != 4) {
    reasons.push_back(fmt::format("inputs of {} dimensions: the fused backends want 4", query.size()));
  } else {
    if (query.back() > 256) reasons.push_back(fmt::format("a head size of {}, above 256", query.back()));
    if (!value.empty() && value.back() != query.back()) {
      reasons.push_back(fmt::format("head sizes of queries and values differ, {} and {}", query.back(), value.back()));
    }
  }
  if (reasons.empty())
    return "the recorded shapes rule out no fused backend: look at strides, gradients, dropout and at what sdp_kernel "
           "allows";
  return fmt::format("{}", fmt::join(reasons, "; "));
}

}  // namespace

RuleAnswer attentionMathBackend(const Metrics& metrics, double threshold) {
  const WorkOfName sdpa = metrics.workOf(isAttentionCall);
  if (sdpa.calls == 0) return NotApplicable{"no scaled_dot_product_attention in this trace"};
  const WorkOfName math =
      metrics.workOf([](std::string_view name) { return name == "aten::_scaled_dot_product_attention_math"; });
  if (math.calls == 0 || static_cast<double>(math.calls) < threshold) return std::vector<Finding>{};
  std::int64_t matmuls = 0;
  for (const std::uint32_t node : metrics.working) {
    const bool isMatmul = metrics.name(node) == "aten::bmm" || metrics.name(node) == "aten::baddbmm";
    if (isMatmul && metrics.isUnder(node, "aten::_scaled_dot_product_attention_math")) matmuls += metrics.selfNs(node);
  }
  const double part = share(math.totalNs, metrics.allWorkNs());
  Finding finding;
  finding.severity = part >= 0.2 ? FindingSeverity::kProblem : FindingSeverity::kWarning;
  finding.headline = fmt::format("The math backend ran in {} of scaled_dot_product_attention, {}, {} of the {}",
                                 words::count(math.calls, "call", "calls"), words::time(math.totalNs),
                                 words::percent(part), workWords(metrics));
  finding.why = fmt::format(
      "It writes the matrix of scores to memory and makes scaled copies of queries and keys, where a fused backend "
      "keeps the scores on the chip. Of the first call: {}.",
      constraintOf(*metrics.trace, math.slices.front()));
  finding.change =
      "Remove what rules the fused backends out: is_causal in place of a causal mask, half precision, a head size up "
      "to "
      "256; torch.nn.attention.sdpa_kernel with one backend alone raises an error that says why it cannot run.";
  finding.savingNs = math.totalNs - matmuls;
  finding.savingFormula = fmt::format("{} of these calls less that of their matmuls", workWords(metrics));
  finding.evidence.push_back(slicesEvidence(words::count(math.calls, "call", "calls"), math.slices));
  finding.caveats = {"In training a fused backend computes the scores again in the backward pass."};
  return std::vector<Finding>{finding};
}

}  // namespace attnscope::rules
