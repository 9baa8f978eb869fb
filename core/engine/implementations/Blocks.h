// SPDX-License-Identifier: Apache-2.0
#pragma once

// What implementations in blocks share: which keys a block of queries sees, and its part of the mask.

#include <ATen/core/Tensor.h>

#include "core/problem/Problem.h"

namespace attnscope::engine {

struct Block {
  std::int64_t firstQuery = 0;
  std::int64_t queries = 0;
  std::int64_t firstKey = 0;
  std::int64_t keys = 0;
};

// The smallest range that holds every key that any of these queries sees; empty where they see none.
[[nodiscard]] KeyRange keysSeenByAny(const Problem& problem, std::int64_t firstQuery, std::int64_t queries);
// Whether every query of the block sees every key of it: then it needs no mask.
[[nodiscard]] bool isWhollySeen(const Problem& problem, const Block& block);
// A row that sees nothing at all would be NaN after softmax, and so would be gradients: it may be left unmasked, where
// its output is set to 0 afterwards.
enum class EmptyRows : std::uint8_t { kHidden, kUnmasked };
// [queries, keys], true where it hides.
[[nodiscard]] at::Tensor hiddenIn(const Problem& problem, const Block& block, EmptyRows empty);

}  // namespace attnscope::engine
