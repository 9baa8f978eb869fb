// SPDX-License-Identifier: Apache-2.0
#pragma once

// A transformer block of today's shape around an implementation of attention: norm, projection to queries, keys and
// values, attention, output projection, norm, MLP with GELU, both with a residual. Weights are drawn from a seed, so
// that two blocks of one seed differ in their attention alone. One thread at a time.

#include <cstdint>
#include <memory>

#include "core/engine/Implementation.h"

namespace attnscope::engine {

class TransformerBlock {
 public:
  TransformerBlock(const AttentionProblem& problem, std::unique_ptr<Implementation> attention, std::uint64_t seed);

  // input and output: [batch, sequence, modelDimension].
  [[nodiscard]] at::Tensor forward(const at::Tensor& input) const;

 private:
  struct Heads {
    at::Tensor query, key, value;
  };
  [[nodiscard]] Heads projectHeads(const at::Tensor& input) const;
  [[nodiscard]] at::Tensor projectOutput(const at::Tensor& heads) const;
  [[nodiscard]] at::Tensor mlp(const at::Tensor& input) const;
  [[nodiscard]] at::Tensor normalised(const at::Tensor& input) const;

  AttentionProblem m_problem;
  std::unique_ptr<Implementation> m_attention;
  at::Tensor m_toHeads, m_toHeadsBias;      // [3 * model, model], [3 * model]
  at::Tensor m_fromHeads, m_fromHeadsBias;  // [model, model], [model]
  at::Tensor m_up, m_upBias;                // [4 * model, model], [4 * model]
  at::Tensor m_down, m_downBias;            // [model, 4 * model], [model]
};

// Values from a seed, normal with mean 0 and the deviation given; float32.
[[nodiscard]] at::Tensor randomNormal(at::IntArrayRef shape, double deviation, std::uint64_t seed);

}  // namespace attnscope::engine
