// SPDX-License-Identifier: Apache-2.0
#pragma once

// What implementations in blocks share: which keys a block of queries sees, and its part of the mask.

#include <ATen/core/Tensor.h>

#include <vector>

#include "core/problem/KeyBlocks.h"
#include "core/problem/Problem.h"

namespace attnscope::engine {

// Queries [firstQuery, firstQuery + queries) and the keys of these ranges, side by side.
struct Block {
  std::int64_t firstQuery = 0;
  std::int64_t queries = 0;
  std::vector<KeyRange> keys;
};

// Whether every query of the block sees every key of it: then it needs no mask.
[[nodiscard]] bool isWhollySeen(const Problem& problem, const Block& block);
// A row that sees nothing at all would be NaN after softmax, and so would be gradients: it may be left unmasked, where
// its output is set to 0 afterwards.
enum class EmptyRows : std::uint8_t { kHidden, kUnmasked };
// [queries, keys of all ranges], true where it hides.
[[nodiscard]] at::Tensor hiddenIn(const Problem& problem, const Block& block, EmptyRows empty);
// The keys or values of the ranges, side by side: a view where they are one. tensor: [B, H, M, .].
[[nodiscard]] at::Tensor gathered(const at::Tensor& tensor, const std::vector<KeyRange>& keys);

}  // namespace attnscope::engine
