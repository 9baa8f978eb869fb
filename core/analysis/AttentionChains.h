// SPDX-License-Identifier: Apache-2.0
#pragma once

// Attention that is computed part by part: a matmul of queries and keys, a softmax, a matmul with the values. Pure
// function, any thread.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/analysis/Operators.h"

namespace attnscope {

// Of `nodes` of the tree, in their order: those that work (OperatorNode::isWorking), and matmuls that call no other
// matmul, also where their name mostly stands for its casts.
[[nodiscard]] std::vector<std::uint32_t> chainOperators(const Trace& trace, const OperatorTree& tree,
                                                        std::span<const std::uint32_t> nodes);

// Positions in the list of working operators that was asked about.
struct AttentionChain {
  std::size_t scores = 0;
  std::size_t softmax = 0;
  std::size_t sum = 0;
  bool fitsByShapes = false;  // else no shapes are recorded: told by the order alone
};

[[nodiscard]] bool isSoftmaxOperator(std::string_view name);
// Views and allocations, which read and write no elements.
[[nodiscard]] bool movesNothing(std::string_view name);

// Around each softmax: the nearest matmuls before and after it on its thread, with no other softmax and few operators
// that move anything between. Where shapes are recorded, the scores are queries by keys and the weights that are summed
// are of that size. `working` are chainOperators(). O(length).
[[nodiscard]] std::vector<AttentionChain> attentionChains(const Trace& trace, const OperatorTree& tree,
                                                          std::span<const std::uint32_t> working);

}  // namespace attnscope
