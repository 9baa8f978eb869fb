// SPDX-License-Identifier: Apache-2.0
#pragma once

// The hash of lsh.reformer (CardsHashed.cpp), which is part of its definition: the implementation and the reference
// take it from here, of inputs in the same precision.

#include <ATen/core/Tensor.h>

#include "core/problem/Problem.h"

namespace attnscope::engine {

// Of one round: where each query or key stands among those of its head, sorted by bucket and then by position.
// vectors: [..., N, D]; the order [..., N] lists positions, int64: order[i] is the position of the i-th.
[[nodiscard]] at::Tensor hashedOrder(const Problem& problem, const at::Tensor& vectors, std::int64_t round);
// The chunk of each position: [..., N], int64.
[[nodiscard]] at::Tensor chunkOfEach(const at::Tensor& order);

}  // namespace attnscope::engine
