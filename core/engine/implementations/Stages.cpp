// SPDX-License-Identifier: Apache-2.0
#include "core/engine/implementations/Stages.h"

#include <ATen/ops/masked_fill.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/softmax.h>

#include <limits>

#include "core/engine/Stage.h"

namespace attnscope::engine {

at::Tensor repeatedHeads(const at::Tensor& tensor, std::int64_t heads) {
  const std::int64_t own = tensor.size(1);
  if (own == heads) return tensor;
  const Stage stage("copy");
  // Not reshape(): of one head it would give a view, and another amount of memory.
  return tensor.unsqueeze(2)
      .expand({tensor.size(0), own, heads / own, tensor.size(2), tensor.size(3)})
      .clone(at::MemoryFormat::Contiguous)
      .view({tensor.size(0), heads, tensor.size(2), tensor.size(3)});
}

at::Tensor scoresOf(const at::Tensor& query, const at::Tensor& key) {
  const Stage stage("scores");
  return at::matmul(query, key.transpose(-2, -1));
}

at::Tensor scaled(const at::Tensor& scores, double scale) {
  const Stage stage("scale");
  return at::mul(scores, scale);
}

at::Tensor masked(const at::Tensor& scores, const at::Tensor& hidden) {
  const Stage stage("mask");
  return at::masked_fill(scores, hidden, -std::numeric_limits<double>::infinity());
}

at::Tensor withBias(const at::Tensor& scores, const at::Tensor& bias) {
  const Stage stage("bias");
  return scores.add(bias);
}

at::Tensor converted(const at::Tensor& tensor, at::ScalarType type) {
  if (tensor.scalar_type() == type) return tensor;
  const Stage stage("copy");
  return tensor.to(type);
}

at::Tensor probabilitiesOf(const at::Tensor& scores) {
  const Stage stage("softmax");
  return at::softmax(scores, -1);
}

at::Tensor weightedSum(const at::Tensor& probabilities, const at::Tensor& value) {
  const Stage stage("weighted_sum");
  return at::matmul(probabilities, value);
}

}  // namespace attnscope::engine
