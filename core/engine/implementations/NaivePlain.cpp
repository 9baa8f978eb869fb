// SPDX-License-Identifier: Apache-2.0
#include "core/engine/implementations/NaivePlain.h"

#include <ATen/ops/masked_fill.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/triu.h>

#include <cmath>
#include <limits>

#include "core/engine/Stage.h"

namespace attnscope::engine {
namespace {

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

at::Tensor probabilitiesOf(const at::Tensor& scores) {
  const Stage stage("softmax");
  return at::softmax(scores, -1);
}

at::Tensor weightedSum(const at::Tensor& probabilities, const at::Tensor& value) {
  const Stage stage("weighted_sum");
  return at::matmul(probabilities, value);
}

class NaivePlain final : public Implementation {
 public:
  explicit NaivePlain(const AttentionProblem& problem)
      : m_scale(1.0 / std::sqrt(static_cast<double>(problem.headDimension))) {
    if (problem.causal) m_hidden = at::triu(at::ones({problem.sequence, problem.sequence}, at::kBool), 1);
  }

  at::Tensor forward(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value) const override {
    // One variable for each stage, as attention is usually written: that is what makes its peak.
    const at::Tensor raw = scoresOf(query, key);
    const at::Tensor scores = scaled(raw, m_scale);
    if (!m_hidden.defined()) return weightedSum(probabilitiesOf(scores), value);
    const at::Tensor visible = masked(scores, m_hidden);
    const at::Tensor probabilities = probabilitiesOf(visible);
    return weightedSum(probabilities, value);
  }

 private:
  double m_scale;
  at::Tensor m_hidden;  // [sequence, sequence], true where a query may not look; undefined without a mask
};

}  // namespace

ImplementationEntry naivePlain() {
  return {.id = "naive.plain",
          .title = "Naive attention",
          .make = [](const AttentionProblem& problem) -> std::unique_ptr<Implementation> {
            return std::make_unique<NaivePlain>(problem);
          }};
}

}  // namespace attnscope::engine
