// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "core/findings/Words.h"
#include "core/findings/rules/Catalogue.h"
#include "core/findings/rules/Parts.h"

namespace attnscope::rules {

namespace {

constexpr std::size_t kMostBetween = 12;  // operators that work between the softmax and each of its matmuls

// Positions in Metrics::working.
struct Chain {
  std::size_t scores = 0;
  std::size_t softmax = 0;
  std::size_t sum = 0;
};

bool isMatmul(std::string_view name) {
  return name == "aten::bmm" || name == "aten::baddbmm" || name == "aten::mm" || name == "aten::matmul";
}
bool isSoftmax(std::string_view name) { return name == "aten::_softmax" || name == "aten::_safe_softmax"; }

class Chains {
 public:
  explicit Chains(const Metrics& metrics) : m_metrics(metrics) {}

  [[nodiscard]] std::optional<Chain> around(std::size_t softmax) const {
    const auto scores = nearest(softmax, -1);
    const auto sum = nearest(softmax, 1);
    if (!scores || !sum || !fit(*scores, softmax, *sum)) return std::nullopt;
    return Chain{*scores, softmax, *sum};
  }
  [[nodiscard]] bool hasShapes(std::size_t position) const {
    return slices().inputDims[index(sliceOf(position))] != kNoString;
  }
  [[nodiscard]] std::vector<std::vector<std::int64_t>> sizes(std::size_t position) const {
    return inputSizes(m_metrics.trace->strings.view(slices().inputDims[index(sliceOf(position))]));
  }
  [[nodiscard]] SliceId sliceOf(std::size_t position) const { return node(position).slice; }

 private:
  [[nodiscard]] const SliceTable& slices() const { return m_metrics.trace->slices; }
  [[nodiscard]] OperatorNode node(std::size_t position) const {
    return m_metrics.tree->nodes[m_metrics.working[position]];
  }
  [[nodiscard]] TrackId track(std::size_t position) const { return slices().track[index(sliceOf(position))]; }

  // The matmul before or after on the same thread, with no other softmax between.
  [[nodiscard]] std::optional<std::size_t> nearest(std::size_t softmax, int direction) const {
    std::size_t at = softmax;
    for (std::size_t passed = 0; passed < kMostBetween; ++passed) {
      if (direction < 0 ? at == 0 : at + 1 >= m_metrics.working.size()) return std::nullopt;
      at = direction < 0 ? at - 1 : at + 1;
      if (track(at) != track(softmax)) return std::nullopt;
      const std::string_view name = m_metrics.name(m_metrics.working[at]);
      if (isSoftmax(name)) return std::nullopt;
      if (isMatmul(name)) return at;
    }
    return std::nullopt;
  }
  // Where shapes are recorded: the scores are queries by keys, and the weights that are summed are of that size.
  [[nodiscard]] bool fit(std::size_t scores, std::size_t softmax, std::size_t sum) const {
    if (!hasShapes(scores) || !hasShapes(softmax) || !hasShapes(sum)) return true;
    const auto of = sizes(softmax);
    const auto left = sizes(scores);
    const auto right = sizes(sum);
    if (of.empty() || of.front().size() < 2 || left.size() < 2 || right.size() < 2) return false;
    const std::int64_t queries = of.front()[of.front().size() - 2];
    const std::int64_t keys = of.front().back();
    // baddbmm has what is added first.
    const std::vector<std::int64_t>& first = left[left.size() >= 3 && left[2].size() >= 2 ? 1 : 0];
    const std::vector<std::int64_t>& second = left[left.size() >= 3 && left[2].size() >= 2 ? 2 : 1];
    const std::vector<std::int64_t>& weights = right.front();
    if (first.size() < 2 || second.size() < 2 || weights.size() < 2) return false;
    return first[first.size() - 2] == queries && second.back() == keys && weights[weights.size() - 2] == queries &&
           weights.back() == keys;
  }

  const Metrics& m_metrics;
};

std::int64_t product(const std::vector<std::int64_t>& sizes) {
  std::int64_t product = 1;
  for (const std::int64_t size : sizes) product *= size;
  return product;
}

}  // namespace

RuleAnswer attentionUnfused(const Metrics& metrics, double threshold) {
  const Chains chains(metrics);
  std::vector<Chain> found;
  bool anySoftmax = false;
  for (std::size_t i = 0; i < metrics.working.size(); ++i) {
    const std::uint32_t node = metrics.working[i];
    if (!isSoftmax(metrics.name(node))) continue;
    anySoftmax = true;
    // The math backend of scaled_dot_product_attention has a rule of its own.
    if (metrics.isUnder(node, "aten::_scaled_dot_product_attention_math")) continue;
    if (const auto chain = chains.around(i)) found.push_back(*chain);
  }
  if (!anySoftmax) return NotApplicable{"no softmax in this trace"};
  if (found.empty() || static_cast<double>(found.size()) < threshold) return std::vector<Finding>{};
  std::int64_t all = 0;
  std::int64_t between = 0;  // what a fused form does not do as work of its own
  std::vector<SliceId> softmaxes;
  std::vector<SliceId> matmuls;
  for (const Chain& chain : found) {
    for (std::size_t i = chain.scores; i <= chain.sum; ++i) {
      const std::int64_t ns = metrics.selfNs(metrics.working[i]);
      all += ns;
      if (i != chain.scores && i != chain.sum) between += ns;
    }
    softmaxes.push_back(chains.sliceOf(chain.softmax));
    matmuls.push_back(chains.sliceOf(chain.scores));
    matmuls.push_back(chains.sliceOf(chain.sum));
  }
  const auto sizes = chains.hasShapes(found.front().softmax) ? chains.sizes(found.front().softmax)
                                                             : std::vector<std::vector<std::int64_t>>{};
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
    const std::int64_t elements = product(sizes.front());
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
