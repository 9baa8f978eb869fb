// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "core/analysis/AttentionChains.h"
#include "core/analysis/InputSizes.h"
#include "core/findings/Words.h"
#include "core/findings/rules/Catalogue.h"
#include "core/findings/rules/Parts.h"

namespace attnscope::rules {

RuleAnswer attentionUnfused(const Metrics& metrics, double threshold) {
  const auto isSoftmax = [&](std::uint32_t node) { return isSoftmaxOperator(metrics.name(node)); };
  const bool anySoftmax = std::any_of(metrics.working.begin(), metrics.working.end(), isSoftmax);
  const std::vector<std::uint32_t> working = chainOperators(*metrics.trace, *metrics.tree, metrics.nodes);
  std::vector<AttentionChain> found = attentionChains(*metrics.trace, *metrics.tree, working);
  // The math backend of scaled_dot_product_attention has a rule of its own.
  std::erase_if(found, [&](const AttentionChain& chain) {
    return metrics.isUnder(working[chain.softmax], "aten::_scaled_dot_product_attention_math");
  });
  const auto sliceOf = [&](std::size_t position) { return metrics.tree->nodes[working[position]].slice; };
  if (!anySoftmax) return NotApplicable{"no softmax in this trace"};
  if (found.empty() || static_cast<double>(found.size()) < threshold) return std::vector<Finding>{};
  std::int64_t all = 0;
  std::int64_t between = 0;  // what a fused form does not do as work of its own
  std::vector<SliceId> softmaxes;
  std::vector<SliceId> matmuls;
  for (const AttentionChain& chain : found) {
    for (std::size_t i = chain.scores; i <= chain.sum; ++i) {
      const std::int64_t ns = metrics.selfNs(working[i]);
      all += ns;
      if (i != chain.scores && i != chain.sum) between += ns;
    }
    softmaxes.push_back(sliceOf(chain.softmax));
    matmuls.push_back(sliceOf(chain.scores));
    matmuls.push_back(sliceOf(chain.sum));
  }
  const StringId dims = metrics.trace->slices.inputDims[index(softmaxes.front())];
  const auto sizes = inputSizes(metrics.trace->strings.view(dims));
  Finding finding;
  finding.confidence = Confidence::kInferred;
  const double part = share(all, metrics.allWorkNs());
  finding.severity = part >= 0.2 ? FindingSeverity::kProblem : FindingSeverity::kWarning;
  finding.headline =
      fmt::format("Attention runs unfused {}: {} of matmul, softmax and matmul take {}, {} of the {}",
                  words::count(found.size(), "time", "times"), found.size() == 1 ? "its chain" : "chains",
                  words::time(all), words::percent(part), workWords(metrics));
  finding.why = "The matrix of scores is written to memory and read again by each step between the two matmuls.";
  if (!sizes.empty() && !sizes.front().empty()) {
    const std::int64_t elements = elementsOf(sizes.front());
    const auto bytes = elementBytes(*metrics.trace, softmaxes.front());
    finding.why +=
        bytes ? fmt::format(" The first one here is {} large, and grows with the square of the length.",
                            words::bytes(elements * *bytes))
              : fmt::format(" The first one here has {} elements, and grows with the square of the length.", elements);
  } else {
    finding.caveats.push_back("No shapes are recorded: the chains are told by the order of the operators alone.");
  }
  finding.change =
      "Call torch.nn.functional.scaled_dot_product_attention: its fused backends keep the scores on the chip. They "
      "need "
      "a type they know, a head size within their limit, and is_causal or a mask they take.";
  finding.savingNs = between;
  finding.savingFormula = fmt::format("{} of the chains less that of their matmuls", workWords(metrics));
  finding.evidence.push_back(slicesEvidence(words::count(softmaxes.size(), "softmax", "softmaxes"), softmaxes));
  finding.evidence.push_back(slicesEvidence(words::count(matmuls.size(), "matmul", "matmuls"), matmuls));
  finding.caveats.push_back("Where the weights themselves are wanted (need_weights), no fused backend gives them.");
  return std::vector<Finding>{finding};
}

}  // namespace attnscope::rules
