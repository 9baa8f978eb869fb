// SPDX-License-Identifier: Apache-2.0
#pragma once

// The stages of attention that is written out, each one ATen operator under its annotation. What lives on is up to the
// caller's variables.

#include <ATen/core/Tensor.h>

namespace attnscope::engine {

// [B, Hk, M, D] to [B, heads, M, D]: each head of keys or values g times in a row. No copy where nothing is repeated.
[[nodiscard]] at::Tensor repeatedHeads(const at::Tensor& tensor, std::int64_t heads);
[[nodiscard]] at::Tensor scoresOf(const at::Tensor& query, const at::Tensor& key);    // "scores"
[[nodiscard]] at::Tensor scaled(const at::Tensor& scores, double scale);              // "scale"
[[nodiscard]] at::Tensor masked(const at::Tensor& scores, const at::Tensor& hidden);  // "mask"
[[nodiscard]] at::Tensor withBias(const at::Tensor& scores, const at::Tensor& bias);  // "bias"
// "copy"; the tensor itself where it is of the type.
[[nodiscard]] at::Tensor converted(const at::Tensor& tensor, at::ScalarType type);
[[nodiscard]] at::Tensor probabilitiesOf(const at::Tensor& scores);                              // "softmax"
[[nodiscard]] at::Tensor weightedSum(const at::Tensor& probabilities, const at::Tensor& value);  // "weighted_sum"

}  // namespace attnscope::engine
