// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/AttentionStages.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "core/analysis/AttentionChains.h"
#include "core/analysis/InputSizes.h"

namespace attnscope {

namespace {

using Names = std::initializer_list<std::string_view>;

constexpr std::size_t kMostToProjection = 40;  // operators between attention and its projections
constexpr std::int64_t kMostHeadsPerKey = 64;

constexpr std::array<std::string_view, kAttentionStageCount> kStageNames = {
    "qkv_projection",    "scores", "scale", "mask",        "softmax", "dropout", "weighted_sum",
    "output_projection", "copy",   "fused", "unattributed"};

bool isOneOf(std::string_view name, Names names) { return std::find(names.begin(), names.end(), name) != names.end(); }

bool isSdpa(std::string_view name) {
  return name == "aten::scaled_dot_product_attention" || name.starts_with("aten::_scaled_dot_product_");
}
bool isAttentionOperator(std::string_view name) {
  if (name.find("backward") != std::string_view::npos) return false;
  return isSdpa(name) || name.starts_with("flash_attn") || name.starts_with("xformers") ||
         name.find("flash_attention") != std::string_view::npos ||
         name.find("flash_attn::") != std::string_view::npos ||
         name.find("unified_attention") != std::string_view::npos ||
         name.find("mha_batch_prefill") != std::string_view::npos;
}

std::string_view backendOf(std::string_view name) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kBackends = {
      {{"aten::_scaled_dot_product_flash_attention_for_cpu", "flash-cpu"},
       {"aten::_scaled_dot_product_flash_attention", "flash"},
       {"aten::_scaled_dot_product_efficient_attention", "efficient"},
       {"aten::_scaled_dot_product_cudnn_attention", "cudnn"},
       {"aten::_scaled_dot_product_fused_attention_overrideable", "overrideable"},
       {"aten::_scaled_dot_product_attention_math", "math"}}};
  for (const auto& [prefix, backend] : kBackends) {
    if (name.starts_with(prefix)) return backend;
  }
  return {};
}

bool isCopy(std::string_view name) {
  return isOneOf(name, {"aten::copy_", "aten::clone", "aten::contiguous", "aten::to", "aten::_to_copy", "aten::cat",
                        "aten::repeat_interleave", "aten::repeat"});
}
bool isScale(std::string_view name) { return isOneOf(name, {"aten::mul", "aten::mul_", "aten::div", "aten::div_"}); }
bool isMask(std::string_view name) {
  return isOneOf(
      name, {"aten::add",       "aten::add_",        "aten::masked_fill", "aten::masked_fill_", "aten::where",
             "aten::tril",      "aten::tril_",       "aten::triu",        "aten::triu_",        "aten::ones",
             "aten::ones_like", "aten::zeros",       "aten::zeros_like",  "aten::full",         "aten::full_like",
             "aten::fill_",     "aten::logical_not", "aten::logical_and", "aten::bitwise_not",  "aten::bitwise_and",
             "aten::eq",        "aten::ne",          "aten::lt",          "aten::le",           "aten::gt",
             "aten::ge"});
}
bool isDropout(std::string_view name) {
  return isOneOf(name, {"aten::dropout", "aten::dropout_", "aten::native_dropout", "aten::bernoulli_"});
}
bool isOfSoftmax(std::string_view name) { return name == "aten::softmax" || isSoftmaxOperator(name); }
bool callsMatmul(std::string_view name) {
  return isOneOf(
      name, {"aten::linear", "aten::matmul", "aten::einsum", "aten::addmm", "aten::mm", "aten::bmm", "aten::baddbmm"});
}
bool isProjection(std::string_view name) { return isOneOf(name, {"aten::addmm", "aten::mm", "aten::linear"}); }

bool holdsCopies(AttentionStage stage) {
  switch (stage) {
    case AttentionStage::kQkvProjection:
    case AttentionStage::kScores:
    case AttentionStage::kWeightedSum:
    case AttentionStage::kOutputProjection:
    case AttentionStage::kFused:
    case AttentionStage::kUnattributed:
      return true;
    default:
      return false;
  }
}

std::int64_t elementsAt(const std::vector<std::vector<std::int64_t>>& inputs, std::size_t at) {
  return at < inputs.size() && inputs[at].size() >= 2 ? elementsOf(inputs[at]) : 0;
}

// What one matmul of a projection takes and gives, in elements; 0: not known.
struct Projected {
  std::int64_t input = 0;
  std::int64_t output = 0;
};
Projected projected(std::string_view name, const std::vector<std::vector<std::int64_t>>& inputs) {
  const std::size_t at = name == "aten::addmm" ? 1 : 0;
  const std::int64_t input = elementsAt(inputs, at);
  if (input == 0 || elementsAt(inputs, at + 1) == 0) return {};
  // The weights of linear are [out, in], those of the others [in, out].
  const std::int64_t out = name == "aten::linear" ? inputs[at + 1].front() : inputs[at + 1].back();
  return {input, elementsOf({input / inputs[at].back(), out})};
}

// The elements of what attention takes and gives; 0: not known.
struct Tensors {
  std::int64_t queries = 0;
  std::int64_t keys = 0;
  std::int64_t values = 0;
  std::int64_t output = 0;
};

// A call before its projections are looked for. Nodes of the tree.
struct Core {
  std::uint32_t first = 0;  // its first and last operator
  std::uint32_t last = 0;
  std::uint32_t around = OperatorNode::kNone;  // an operator with more than attention proper
  std::uint32_t scores = OperatorNode::kNone;  // of a chain: the outermost operators of its parts
  std::uint32_t softmax = OperatorNode::kNone;
  std::uint32_t sum = OperatorNode::kNone;
  std::size_t firstWorking = 0;  // positions among what works
  std::size_t lastWorking = 0;
  Tensors tensors;
  AttentionCall call;
};

struct Projections {
  std::vector<std::uint32_t> inputs;  // outermost operators
  std::uint32_t output = OperatorNode::kNone;
  std::size_t lastWorking = 0;
};

class Calls {
 public:
  Calls(const Trace& trace, const OperatorTree& tree) : m_trace(trace), m_tree(tree) {
    std::vector<std::uint32_t> nodes;
    for (std::uint32_t i = 0; i < tree.nodes.size(); ++i) {
      if (tree.nodes[i].slice != kNoSlice) nodes.push_back(i);
    }
    m_working = chainOperators(trace, tree, nodes);
    m_isAttention.resize(trace.strings.size());
    for (std::uint32_t i = 0; i < trace.strings.size(); ++i) {
      m_isAttention[i] = isAttentionOperator(trace.strings.view(StringId{i}));
    }
    if (!trace.hasDeviceWork()) return;
    m_kernels.assign(tree.nodes.size(), 0);
    for (std::size_t i = 0; i < trace.deviceWork.size(); ++i) {
      const SliceId by = trace.deviceWork.launchOperator[i];
      if (by == kNoSlice) continue;
      if (trace.slices.categoryClass[index(trace.deviceWork.slice[i])] != CategoryClass::kKernel) continue;
      if (const std::uint32_t node = tree.nodeOfSlice[index(by)]; node != OperatorNode::kNone) ++m_kernels[node];
    }
  }

  [[nodiscard]] std::vector<AttentionCall> all(TimeRange scope) const {
    std::vector<AttentionCall> calls;
    std::size_t free = 0;  // position among what works from which no call has taken anything
    for (Core& core : cores()) {
      const Projections projections = projectionsOf(core, free);
      free = projections.lastWorking + 1;
      fill(core, projections);
      if (scope.contains(core.call.host.startNs)) calls.push_back(std::move(core.call));
    }
    return calls;
  }

 private:
  [[nodiscard]] std::string_view name(std::uint32_t node) const {
    return m_trace.strings.view(m_tree.nodes[node].name);
  }
  [[nodiscard]] std::size_t row(std::uint32_t node) const { return index(m_tree.nodes[node].slice); }
  [[nodiscard]] std::int64_t start(std::uint32_t node) const { return m_trace.slices.startNs[row(node)]; }
  [[nodiscard]] std::int64_t end(std::uint32_t node) const { return m_trace.slices.endNs(m_tree.nodes[node].slice); }
  [[nodiscard]] TrackId track(std::uint32_t node) const { return m_trace.slices.track[row(node)]; }
  [[nodiscard]] std::uint32_t parent(std::uint32_t node) const { return m_tree.nodes[node].parent; }
  [[nodiscard]] std::vector<std::vector<std::int64_t>> sizes(std::uint32_t node) const {
    return inputSizes(m_trace.strings.view(m_trace.slices.inputDims[row(node)]));
  }
  [[nodiscard]] bool isAttention(std::uint32_t node) const {
    const OperatorNode facts = m_tree.nodes[node];
    return facts.slice != kNoSlice && facts.isOperator && facts.name != kNoString && m_isAttention[index(facts.name)];
  }
  // A stage that the program itself named.
  [[nodiscard]] std::optional<AttentionStage> annotated(std::uint32_t node) const {
    if (!m_tree.nodes[node].isUserAnnotation) return std::nullopt;
    const auto found = std::find(kStageNames.begin(), kStageNames.end(), name(node));
    if (found == kStageNames.end()) return std::nullopt;
    return static_cast<AttentionStage>(found - kStageNames.begin());
  }
  // The outermost of the operators around `node` that `isMeant` accepts one after another.
  template <typename IsMeant>
  [[nodiscard]] std::uint32_t outermost(std::uint32_t node, IsMeant isMeant) const {
    while (parent(node) != OperatorNode::kNone && (isMeant(name(parent(node))) || annotated(parent(node)))) {
      node = parent(node);
    }
    return node;
  }
  [[nodiscard]] bool isAround(std::uint32_t outer, std::uint32_t inner) const {
    while (inner != OperatorNode::kNone && inner > outer) inner = parent(inner);
    return inner == outer;
  }
  // The outermost operator that `isMeant` accepts around both.
  template <typename IsMeant>
  [[nodiscard]] std::uint32_t around(std::uint32_t a, std::uint32_t b, IsMeant isMeant) const {
    std::uint32_t found = OperatorNode::kNone;
    for (std::uint32_t up = parent(a); up != OperatorNode::kNone; up = parent(up)) {
      if (m_tree.nodes[up].isOperator && isMeant(name(up)) && isAround(up, b)) found = up;
    }
    return found;
  }

  [[nodiscard]] Core chainCore(const AttentionChain& chain) const {
    Core core;
    core.scores = outermost(m_working[chain.scores], callsMatmul);
    core.softmax = outermost(m_working[chain.softmax], isOfSoftmax);
    core.sum = outermost(m_working[chain.sum], callsMatmul);
    core.firstWorking = chain.scores;
    core.lastWorking = chain.sum;
    core.first = core.scores;
    core.last = core.sum;
    core.call.evidence = chain.fitsByShapes ? AttentionEvidence::kShapes : AttentionEvidence::kOrder;
    core.call.backend = "unfused";
    core.call.slice = m_tree.nodes[m_working[chain.softmax]].slice;
    core.call.inputDims = m_trace.slices.inputDims[row(m_working[chain.scores])];
    if (const auto sdpa = around(core.scores, core.sum, isSdpa); sdpa != OperatorNode::kNone) {
      core.first = core.last = sdpa;
      core.call.backend = "math";
      describe(core, sdpa);
    }
    core.around = around(core.scores, core.sum,
                         [](std::string_view each) { return each == "aten::_native_multi_head_attention"; });
    if (core.around != OperatorNode::kNone) describe(core, core.around);
    const auto left = sizes(m_working[chain.scores]);
    const auto right = sizes(m_working[chain.sum]);
    const std::size_t at = name(m_working[chain.scores]) == "aten::baddbmm" ? 1 : 0;
    core.tensors = {elementsAt(left, at), elementsAt(left, at + 1), elementsAt(right, 1), 0};
    if (elementsAt(right, 0) != 0 && core.tensors.values != 0) {
      core.tensors.output =
          elementsOf({elementsAt(right, 0) / std::max<std::int64_t>(1, right[0].back()), right[1].back()});
    }
    return core;
  }
  void describe(Core& core, std::uint32_t node) const {
    core.call.slice = m_tree.nodes[node].slice;
    core.call.inputDims = m_trace.slices.inputDims[row(node)];
  }

  [[nodiscard]] Core fusedCore(std::uint32_t node, std::uint32_t past) const {
    Core core;
    core.first = core.last = node;
    describe(core, node);
    core.call.backend = "other";
    for (std::uint32_t i = node; i < past; ++i) {
      if (const std::string_view backend = backendOf(name(i)); !backend.empty()) {
        core.call.backend = backend;
        break;
      }
    }
    const auto at = [&](std::uint32_t of) {
      return static_cast<std::size_t>(std::lower_bound(m_working.begin(), m_working.end(), of) - m_working.begin());
    };
    core.firstWorking = at(node);
    core.lastWorking = std::max(core.firstWorking, at(past) - std::min<std::size_t>(at(past), 1));
    const auto inputs = sizes(node);
    core.tensors = {elementsAt(inputs, 0), elementsAt(inputs, 1), elementsAt(inputs, 2), 0};
    if (core.tensors.queries != 0 && core.tensors.values != 0) {
      core.tensors.output = elementsOf({core.tensors.queries / inputs[0].back(), inputs[2].back()});
    }
    return core;
  }

  // The first node that is not below `node`.
  [[nodiscard]] std::uint32_t pastOf(std::uint32_t node) const {
    std::uint32_t past = node + 1;
    while (past < m_tree.nodes.size() && isAround(node, past)) ++past;
    return past;
  }

  // In order of their nodes. What lies inside a call is no call of its own.
  [[nodiscard]] std::vector<Core> cores() const {
    std::vector<Core> chains;
    for (const AttentionChain& chain : attentionChains(m_trace, m_tree, m_working)) chains.push_back(chainCore(chain));
    std::vector<Core> found;
    auto chain = chains.begin();
    std::uint32_t free = 0;
    const auto take = [&](Core core) {
      free = pastOf(core.last);
      found.push_back(std::move(core));
    };
    for (std::uint32_t node = 0; node < m_tree.nodes.size(); ++node) {
      while (chain != chains.end() && chain->first < node) ++chain;
      if (chain != chains.end() && chain->first == node) {
        if (node >= free) take(std::move(*chain));
        continue;
      }
      if (node < free || !isAttention(node)) continue;
      const std::uint32_t past = pastOf(node);
      // A chain inside it is of parts that are told apart, unless it begins before.
      if (chain == chains.end() || chain->first >= past) take(fusedCore(node, past));
    }
    return found;
  }

  [[nodiscard]] Projections projectionsOf(const Core& core, std::size_t free) const {
    Projections projections;
    projections.lastWorking = core.lastWorking;
    const Tensors& tensors = core.tensors;
    if (tensors.queries == 0 || tensors.keys == 0 || tensors.values == 0) return projections;
    std::vector<std::int64_t> outputs;  // of the matmuls before it, the nearest first
    for (std::size_t at = core.firstWorking, passed = 0;
         at > free && passed < kMostToProjection && outputs.size() < 3;) {
      const std::uint32_t node = m_working[--at];
      if (track(node) != track(core.first)) break;
      if (!movesNothing(name(node))) ++passed;
      if (!isProjection(name(node))) continue;
      outputs.push_back(projected(name(node), sizes(node)).output);
      projections.inputs.push_back(outermost(node, callsMatmul));
    }
    projections.inputs.resize(projectionsAmong(outputs, tensors));
    for (std::size_t at = core.lastWorking + 1, passed = 0; at < m_working.size() && passed < kMostToProjection; ++at) {
      const std::uint32_t node = m_working[at];
      if (track(node) != track(core.first) || isSoftmaxOperator(name(node)) || isAttention(node)) break;
      if (name(node) == "aten::bmm") break;
      if (!movesNothing(name(node))) ++passed;
      if (!isProjection(name(node))) continue;
      if (projected(name(node), sizes(node)).input != tensors.output || tensors.output == 0) break;
      projections.output = outermost(node, callsMatmul);
      projections.lastWorking = at;
      break;
    }
    return projections;
  }
  // How many of them, from the first on, give queries, keys and values: one, two or all three matmuls; else 0.
  [[nodiscard]] static std::size_t projectionsAmong(std::vector<std::int64_t> outputs, const Tensors& tensors) {
    for (std::size_t count = 1; count <= outputs.size(); ++count) {
      std::vector<std::int64_t> given(outputs.begin(), outputs.begin() + static_cast<std::ptrdiff_t>(count));
      std::sort(given.begin(), given.end());
      for (std::int64_t group = 1; group <= kMostHeadsPerKey; ++group) {
        if (tensors.keys % group != 0 || tensors.values % group != 0) continue;
        // One for queries and one for half as many keys and values are as large as two of three that are equal.
        if (count == 2 && group > 1) break;
        const std::int64_t keys = tensors.keys / group;
        const std::int64_t values = tensors.values / group;
        std::vector<std::int64_t> wanted = {tensors.queries, keys, values};
        if (count == 1) wanted = {tensors.queries + keys + values};
        if (count == 2) wanted = {tensors.queries, keys + values};
        std::sort(wanted.begin(), wanted.end());
        if (given == wanted) return count;
      }
    }
    return 0;
  }

  // The stage that an operator has by itself, where none is above it.
  [[nodiscard]] AttentionStage own(std::uint32_t node, const Core& core, const Projections& projections) const {
    if (const auto stage = annotated(node)) return *stage;
    if (std::find(projections.inputs.begin(), projections.inputs.end(), node) != projections.inputs.end()) {
      return AttentionStage::kQkvProjection;
    }
    if (node == projections.output) return AttentionStage::kOutputProjection;
    if (node == core.scores) return AttentionStage::kScores;
    if (node == core.softmax) return AttentionStage::kSoftmax;
    if (node == core.sum) return AttentionStage::kWeightedSum;
    const std::string_view text = name(node);
    if (text == "aten::_transform_bias_rescale_qkv" && !projections.inputs.empty()) {
      return AttentionStage::kQkvProjection;
    }
    if (!m_tree.nodes[node].isOperator) return AttentionStage::kUnattributed;
    if (core.scores == OperatorNode::kNone && node == core.first) return AttentionStage::kFused;
    if (isCopy(text)) return AttentionStage::kCopy;
    if (core.scores == OperatorNode::kNone || node < core.first || start(node) >= end(core.last)) {
      return AttentionStage::kUnattributed;
    }
    if (node < core.softmax && isScale(text)) return AttentionStage::kScale;
    if (isDropout(text)) return AttentionStage::kDropout;
    if (isMask(text)) return AttentionStage::kMask;
    return isOfSoftmax(text) ? AttentionStage::kSoftmax : AttentionStage::kUnattributed;
  }

  void fill(Core& core, const Projections& projections) const {
    std::uint32_t first = core.first;
    std::int64_t endNs = end(core.last);
    const auto include = [&](std::uint32_t node) {
      if (node == OperatorNode::kNone) return;
      first = std::min(first, node);
      endNs = std::max(endNs, end(node));
    };
    for (const std::uint32_t node : projections.inputs) include(node);
    include(projections.output);
    include(core.around);
    AttentionCall& call = core.call;
    call.host = {start(first), endNs};
    std::vector<AttentionStage> stages;  // of the nodes from `first` on
    std::int64_t attributedNs = 0;
    for (std::uint32_t node = first; node < m_tree.nodes.size(); ++node) {
      const OperatorNode facts = m_tree.nodes[node];
      if (facts.slice == kNoSlice || start(node) >= endNs) break;
      // Calls of a runtime stand where their operator does, whatever thread they are recorded on.
      if (track(node) != track(first) && (facts.isOperator || facts.isUserAnnotation)) break;
      const bool hasAbove = facts.parent != OperatorNode::kNone && facts.parent >= first;
      const AttentionStage above = hasAbove ? stages[facts.parent - first] : AttentionStage::kUnattributed;
      AttentionStage stage = above;
      const bool isPartOfMatmul =
          hasAbove && name(node) == "aten::copy_" && isOneOf(name(facts.parent), {"aten::addmm", "aten::baddbmm"});
      if (above == AttentionStage::kUnattributed) {
        stage = own(node, core, projections);
      } else if (holdsCopies(above) && isCopy(name(node)) && !isPartOfMatmul) {
        stage = AttentionStage::kCopy;
      }
      stages.push_back(stage);
      if (stage == AttentionStage::kUnattributed) {
        call.deviceNs += facts.deviceSelfNs;
        call.stages[static_cast<std::size_t>(stage)].deviceNs += facts.deviceSelfNs;
      } else {
        StageTime& time = call.stages[static_cast<std::size_t>(stage)];
        time.hostNs += facts.cpuSelfNs;
        time.deviceNs += facts.deviceSelfNs;
        attributedNs += facts.cpuSelfNs;
        call.deviceNs += facts.deviceSelfNs;
        if (stage != above) time.slices.push_back(facts.slice);
      }
      if (!m_kernels.empty()) call.kernels += m_kernels[node];
    }
    call.stages[static_cast<std::size_t>(AttentionStage::kUnattributed)].hostNs = call.host.durationNs() - attributedNs;
  }

  const Trace& m_trace;
  const OperatorTree& m_tree;
  std::vector<std::uint32_t> m_working;
  std::vector<bool> m_isAttention;       // by name
  std::vector<std::uint32_t> m_kernels;  // by node; empty without a device
};

}  // namespace

std::string_view toString(AttentionStage stage) { return kStageNames[static_cast<std::size_t>(stage)]; }

std::string_view toString(AttentionEvidence evidence) {
  switch (evidence) {
    case AttentionEvidence::kName:
      return "name";
    case AttentionEvidence::kShapes:
      return "shapes";
    case AttentionEvidence::kOrder:
      return "order";
  }
  return "name";
}

std::vector<AttentionCall> attentionCalls(const Trace& trace, const OperatorTree& tree, TimeRange scope) {
  return Calls(trace, tree).all(scope);
}

std::array<StageTime, kAttentionStageCount> attentionTotals(const std::vector<AttentionCall>& calls) {
  std::array<StageTime, kAttentionStageCount> totals;
  for (const AttentionCall& call : calls) {
    for (std::size_t i = 0; i < kAttentionStageCount; ++i) {
      totals[i].hostNs += call.stages[i].hostNs;
      totals[i].deviceNs += call.stages[i].deviceNs;
      totals[i].slices.insert(totals[i].slices.end(), call.stages[i].slices.begin(), call.stages[i].slices.end());
    }
  }
  return totals;
}

}  // namespace attnscope
