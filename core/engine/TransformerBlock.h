// SPDX-License-Identifier: Apache-2.0
#pragma once

// A transformer block of today's shape around an implementation of attention: norm, projection to queries, keys and
// values, rotary positions (arXiv 2104.09864) on queries and keys, attention, output projection, norm, MLP with GELU,
// both with a residual. The model's size is heads times head size. Weights are drawn from a seed and shared, so that
// two blocks differ in their attention alone. One thread at a time.

#include <cstdint>
#include <memory>
#include <vector>

#include "core/engine/Implementation.h"

namespace attnscope::engine {

struct BlockWeights {
  at::Tensor toHeads, toHeadsBias;      // [Hq D + Hk D + Hk V, model], and one for each row
  at::Tensor fromHeads, fromHeadsBias;  // [model, Hq V], [model]
  at::Tensor up, upBias;                // [4 model, model], [4 model]
  at::Tensor down, downBias;            // [model, 4 model], [model]

  [[nodiscard]] std::vector<at::Tensor> all() const;
  // In another type; with gradients where these have them.
  [[nodiscard]] BlockWeights to(at::ScalarType type) const;
};
// Of the problem's type, from its seed; they require gradients where the problem has a backward.
[[nodiscard]] BlockWeights makeBlockWeights(const Problem& problem);
// [B, N, model], normal; requires a gradient where the problem has a backward.
[[nodiscard]] at::Tensor makeBlockInput(const Problem& problem);

class TransformerBlock {
 public:
  TransformerBlock(const Problem& problem, std::unique_ptr<Implementation> attention, BlockWeights weights);

  // input and output: [B, N, model].
  [[nodiscard]] at::Tensor forward(const at::Tensor& input) const;

 private:
  struct Heads {
    at::Tensor query, key, value;
  };
  [[nodiscard]] Heads projectHeads(const at::Tensor& input) const;
  [[nodiscard]] at::Tensor projectOutput(const at::Tensor& heads) const;
  [[nodiscard]] at::Tensor mlp(const at::Tensor& input) const;
  [[nodiscard]] at::Tensor normalised(const at::Tensor& input) const;
  [[nodiscard]] at::Tensor rotated(const at::Tensor& heads) const;
  [[nodiscard]] at::Tensor headsOf(const at::Tensor& part, std::int64_t heads) const;

  Problem m_problem;
  std::unique_ptr<Implementation> m_attention;
  BlockWeights m_weights;
  at::Tensor m_cosines, m_sines;  // [N, D / 2 rounded down], of the weights' type
};

}  // namespace attnscope::engine
