// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/AttentionChains.h"

#include <algorithm>
#include <array>
#include <optional>

#include "core/analysis/InputSizes.h"

namespace attnscope {

namespace {

constexpr std::size_t kMostBetween = 12;  // operators between the softmax and each of its matmuls

bool isMatmul(std::string_view name) {
  return name == "aten::bmm" || name == "aten::baddbmm" || name == "aten::mm" || name == "aten::matmul";
}

class Chains {
 public:
  Chains(const Trace& trace, const OperatorTree& tree, std::span<const std::uint32_t> working)
      : m_trace(trace), m_tree(tree), m_working(working) {}

  [[nodiscard]] bool isSoftmax(std::size_t position) const { return isSoftmaxOperator(name(position)); }
  [[nodiscard]] std::optional<AttentionChain> around(std::size_t softmax) const {
    const auto scores = nearest(softmax, -1);
    const auto sum = nearest(softmax, 1);
    if (!scores || !sum) return std::nullopt;
    const bool hasAll = hasShapes(*scores) && hasShapes(softmax) && hasShapes(*sum);
    if (hasAll && !fit(*scores, softmax, *sum)) return std::nullopt;
    return AttentionChain{*scores, softmax, *sum, hasAll};
  }

 private:
  [[nodiscard]] OperatorNode node(std::size_t position) const { return m_tree.nodes[m_working[position]]; }
  [[nodiscard]] std::string_view name(std::size_t position) const { return m_trace.strings.view(node(position).name); }
  [[nodiscard]] TrackId track(std::size_t position) const { return m_trace.slices.track[index(node(position).slice)]; }
  [[nodiscard]] StringId dims(std::size_t position) const {
    return m_trace.slices.inputDims[index(node(position).slice)];
  }
  [[nodiscard]] bool hasShapes(std::size_t position) const { return dims(position) != kNoString; }
  [[nodiscard]] std::vector<std::vector<std::int64_t>> sizes(std::size_t position) const {
    return inputSizes(m_trace.strings.view(dims(position)));
  }

  // The matmul before or after on the same thread, with no other softmax between.
  [[nodiscard]] std::optional<std::size_t> nearest(std::size_t softmax, int direction) const {
    std::size_t at = softmax;
    for (std::size_t passed = 0; passed < kMostBetween;) {
      if (direction < 0 ? at == 0 : at + 1 >= m_working.size()) return std::nullopt;
      at = direction < 0 ? at - 1 : at + 1;
      if (track(at) != track(softmax) || isSoftmax(at)) return std::nullopt;
      if (isMatmul(name(at))) return at;
      if (!movesNothing(name(at))) ++passed;
    }
    return std::nullopt;
  }
  [[nodiscard]] bool fit(std::size_t scores, std::size_t softmax, std::size_t sum) const {
    const auto of = sizes(softmax);
    const auto left = sizes(scores);
    const auto right = sizes(sum);
    if (of.empty() || of.front().size() < 2 || left.size() < 2 || right.size() < 2) return false;
    const std::int64_t queries = of.front()[of.front().size() - 2];
    const std::int64_t keys = of.front().back();
    // baddbmm has what is added first.
    const std::size_t at = left.size() >= 3 && left[2].size() >= 2 && name(scores) == "aten::baddbmm" ? 1 : 0;
    const std::vector<std::int64_t>& first = left[at];
    const std::vector<std::int64_t>& second = left[at + 1];
    const std::vector<std::int64_t>& weights = right.front();
    if (first.size() < 2 || second.size() < 2 || weights.size() < 2) return false;
    return first[first.size() - 2] == queries && second.back() == keys && weights[weights.size() - 2] == queries &&
           weights.back() == keys;
  }

  const Trace& m_trace;
  const OperatorTree& m_tree;
  std::span<const std::uint32_t> m_working;
};

}  // namespace

bool isSoftmaxOperator(std::string_view name) { return name == "aten::_softmax" || name == "aten::_safe_softmax"; }

bool movesNothing(std::string_view name) {
  static constexpr std::array<std::string_view, 33> kNames = {"aten::_reshape_alias",
                                                              "aten::_unsafe_view",
                                                              "aten::alias",
                                                              "aten::as_strided",
                                                              "aten::chunk",
                                                              "aten::detach",
                                                              "aten::empty",
                                                              "aten::empty_like",
                                                              "aten::empty_strided",
                                                              "aten::expand",
                                                              "aten::expand_as",
                                                              "aten::flatten",
                                                              "aten::lift_fresh",
                                                              "aten::mT",
                                                              "aten::movedim",
                                                              "aten::narrow",
                                                              "aten::permute",
                                                              "aten::reshape",
                                                              "aten::resolve_conj",
                                                              "aten::resolve_neg",
                                                              "aten::result_type",
                                                              "aten::select",
                                                              "aten::slice",
                                                              "aten::split",
                                                              "aten::split_with_sizes",
                                                              "aten::squeeze",
                                                              "aten::t",
                                                              "aten::transpose",
                                                              "aten::unbind",
                                                              "aten::unflatten",
                                                              "aten::unsqueeze",
                                                              "aten::view",
                                                              "detach"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

std::vector<std::uint32_t> chainOperators(const Trace& trace, const OperatorTree& tree,
                                          std::span<const std::uint32_t> nodes) {
  const auto isInnerMatmul = [&](std::uint32_t node) {
    const std::string_view name = trace.strings.view(tree.nodes[node].name);
    return tree.nodes[node].isOperator && (isMatmul(name) || name == "aten::addmm");
  };
  std::vector<bool> callsMatmul(tree.nodes.size());
  for (const std::uint32_t node : nodes) {
    if (!isInnerMatmul(node)) continue;
    for (std::uint32_t up = tree.nodes[node].parent; up != OperatorNode::kNone && !callsMatmul[up];
         up = tree.nodes[up].parent) {
      callsMatmul[up] = true;
    }
  }
  std::vector<std::uint32_t> chosen;
  for (const std::uint32_t node : nodes) {
    if (tree.nodes[node].isWorking || (isInnerMatmul(node) && !callsMatmul[node])) chosen.push_back(node);
  }
  return chosen;
}

std::vector<AttentionChain> attentionChains(const Trace& trace, const OperatorTree& tree,
                                            std::span<const std::uint32_t> working) {
  const Chains chains(trace, tree, working);
  std::vector<AttentionChain> found;
  for (std::size_t i = 0; i < working.size(); ++i) {
    if (!chains.isSoftmax(i)) continue;
    if (const auto chain = chains.around(i)) found.push_back(*chain);
  }
  return found;
}

}  // namespace attnscope
