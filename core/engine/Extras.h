// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a problem adds to softmax attention under a mask, as tensors and operators: a softcap, a bias (ALiBi's or a
// file's), a sink, dropout. In this order: score, softcap, bias, mask, softmax, sink, dropout.
//
// A sink z of a head is an extra logit in the denominator: it takes its share of each row and gives nothing. With the
// row's sum l = log sum exp(score) the output is O sigmoid(l - z): added after any softmax that tells l.

#include <ATen/core/Tensor.h>

#include <vector>

#include "core/problem/Problem.h"

namespace attnscope::engine {

// c tanh(score / c), out of place and in place.
[[nodiscard]] at::Tensor softcapped(const at::Tensor& scores, double cap);
void softcapInPlace(at::Tensor& scores, double cap);

// Added to the scores of queries [firstQuery, firstQuery + queries) and of the keys of these ranges, side by side:
// [1 or Hq, queries, keys], rounded to the problem's type as inputs are; undefined where the problem has none.
[[nodiscard]] at::Tensor biasOf(const Problem& problem, std::int64_t firstQuery, std::int64_t queries,
                                const std::vector<KeyRange>& keys);
// Of all queries and keys: made once for a problem.
[[nodiscard]] at::Tensor storedBias(const Problem& problem);

// The sinks of the heads: [Hq, 1, 1], normal from the seed, of the problem's type; undefined where it has none.
[[nodiscard]] at::Tensor sinkLogits(const Problem& problem);
// What is left for the keys: sigmoid(l - z). rowSums: [B, Hq, N, 1], l of each row.
[[nodiscard]] at::Tensor shareBesideSink(const at::Tensor& rowSums, const at::Tensor& sinks);
// l of each row of scores: [..., N, 1].
[[nodiscard]] at::Tensor rowSums(const at::Tensor& scores);

// [B, Hq, N, M], true where dropout keeps a probability: drawn anew, and from the seed the same each time. What is kept
// is divided by 1 - dropout.
[[nodiscard]] at::Tensor keptByDropout(const Problem& problem);

}  // namespace attnscope::engine
