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

// What keys and values of a latent problem are made of: k = cat(c Wk^T, rope), v = c Wv^T, all of the problem's type.
struct Latent {
  at::Tensor vectors;       // c [B, M, r]
  at::Tensor rope;          // [B, M, dr], shared by all heads
  at::Tensor keyWeights;    // Wk [Hq, D - dr, r], of deviation 1 / sqrt(r)
  at::Tensor valueWeights;  // Wv [Hq, V, r]
  // In another type.
  [[nodiscard]] Latent to(at::ScalarType type) const;
};
[[nodiscard]] Latent makeLatent(const Problem& problem);
// Keys [B, Hq, M, D] and values [B, Hq, M, V], contiguous: products copy what lies otherwise, each time.
struct Expanded {
  at::Tensor key, value;
};
[[nodiscard]] Expanded expanded(const Latent& latent);

// One seed gives several streams of numbers that have nothing to do with one another.
[[nodiscard]] std::uint64_t streamOf(std::uint64_t seed, std::uint64_t stream);
// Normal with mean 0 and the deviation given.
[[nodiscard]] at::Tensor randomNormal(at::IntArrayRef shape, double deviation, std::uint64_t seed,
                                      at::ScalarType type = at::kFloat);

}  // namespace attnscope::engine
