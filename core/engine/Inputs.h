// SPDX-License-Identifier: Apache-2.0
#pragma once

// What attention is computed from: normal random values from the problem's seed, rounded to its type, in its layout.
// Never zeros, on which processors are faster.

#include <ATen/core/Tensor.h>

#include "core/problem/Problem.h"

namespace attnscope::engine {

struct Inputs {
  at::Tensor query;  // [B, Hq, N, D]; in the layout bnhd a view of memory [B, N, Hq, D]
  at::Tensor key;    // [B, Hk, M, D]
  at::Tensor value;  // [B, Hk, M, V]
};

[[nodiscard]] at::ScalarType scalarTypeOf(DataType type);
// Of the type in which sums are kept: double for float64, else float.
[[nodiscard]] at::ScalarType accumulatorTypeOf(DataType type);

// Throws c10::Error as ATen does. With backward, queries, keys and values require gradients.
[[nodiscard]] Inputs makeInputs(const Problem& problem);
// The gradient that comes from above: [B, Hq, N, V], from the same seed.
[[nodiscard]] at::Tensor makeOutputGradient(const Problem& problem);

// Normal with mean 0 and the deviation given.
[[nodiscard]] at::Tensor randomNormal(at::IntArrayRef shape, double deviation, std::uint64_t seed,
                                      at::ScalarType type = at::kFloat);

}  // namespace attnscope::engine
