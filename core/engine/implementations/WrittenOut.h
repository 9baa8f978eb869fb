// SPDX-License-Identifier: Apache-2.0
#pragma once

// Attention one ATen operator a stage, each result in a tensor of its own that lives to the end of the call: what
// naive.plain and naive.fp32 have in common. Gradients go through it.

#include <ATen/core/Tensor.h>

#include "core/engine/Masks.h"
#include "core/engine/implementations/Stages.h"

namespace attnscope::engine {

class WrittenOut {
 public:
  explicit WrittenOut(const Problem& problem);

  // query [B, Hq, N, D] and keys [B, Hq, M, D] of one type, in which the scores are; values [B, Hq, M, V] of the type
  // of the output, to which the probabilities are converted.
  [[nodiscard]] at::Tensor attend(const at::Tensor& query, const at::Tensor& keys, const at::Tensor& values) const;

 private:
  [[nodiscard]] at::Tensor dropped(const at::Tensor& probabilities, const at::Tensor& kept) const;

  Problem m_problem;
  StoredMask m_mask;
  at::Tensor m_bias;
  at::Tensor m_sinks;
};

}  // namespace attnscope::engine
