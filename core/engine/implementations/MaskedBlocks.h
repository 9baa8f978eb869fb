// SPDX-License-Identifier: Apache-2.0
#pragma once

// Softmax attention of one block of queries over the keys that it meets at once: what window.blocks, sparse.blocks and
// chunks share. Gradients go through it.

#include <ATen/core/Tensor.h>

#include <functional>
#include <memory>
#include <vector>

#include "core/engine/Implementation.h"
#include "core/problem/KeyBlocks.h"

namespace attnscope::engine {

// The keys that queries [first, first + queries) meet.
using KeysOfBlock = std::vector<KeyRange> (*)(const Problem& problem, std::int64_t first, std::int64_t queries);

// Goes over the queries in blocks of `queryBlock`.
[[nodiscard]] std::unique_ptr<Implementation> makeMaskedBlocks(const Problem& problem, std::int64_t queryBlock,
                                                               KeysOfBlock keysOf);

}  // namespace attnscope::engine
