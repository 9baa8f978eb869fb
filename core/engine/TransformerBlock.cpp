// SPDX-License-Identifier: Apache-2.0
#include "core/engine/TransformerBlock.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/ops/add.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/zeros.h>

#include <cmath>
#include <utility>

#include "core/engine/Stage.h"

namespace attnscope::engine {

at::Tensor randomNormal(at::IntArrayRef shape, double deviation, std::uint64_t seed) {
  const at::Generator generator = at::detail::createCPUGenerator(seed);
  return at::empty(shape, at::kFloat).normal_(0.0, deviation, generator);
}

TransformerBlock::TransformerBlock(const AttentionProblem& problem, std::unique_ptr<Implementation> attention,
                                   std::uint64_t seed)
    : m_problem(problem), m_attention(std::move(attention)) {
  const std::int64_t model = problem.modelDimension();
  const double deviation = 1.0 / std::sqrt(static_cast<double>(model));
  m_toHeads = randomNormal({3 * model, model}, deviation, seed);
  m_fromHeads = randomNormal({model, model}, deviation, seed + 1);
  m_up = randomNormal({4 * model, model}, deviation, seed + 2);
  m_down = randomNormal({model, 4 * model}, deviation / 2, seed + 3);
  m_toHeadsBias = at::zeros({3 * model});
  m_fromHeadsBias = at::zeros({model});
  m_upBias = at::zeros({4 * model});
  m_downBias = at::zeros({model});
}

TransformerBlock::Heads TransformerBlock::projectHeads(const at::Tensor& input) const {
  const Stage stage("qkv_projection");
  const at::Tensor all = at::linear(input, m_toHeads, m_toHeadsBias)
                             .view({m_problem.batch, m_problem.sequence, 3, m_problem.heads, m_problem.headDimension})
                             .permute({2, 0, 3, 1, 4});
  return {all.select(0, 0), all.select(0, 1), all.select(0, 2)};
}

at::Tensor TransformerBlock::projectOutput(const at::Tensor& heads) const {
  const Stage stage("output_projection");
  const at::Tensor joined =
      heads.transpose(1, 2).reshape({m_problem.batch, m_problem.sequence, m_problem.modelDimension()});
  return at::linear(joined, m_fromHeads, m_fromHeadsBias);
}

at::Tensor TransformerBlock::mlp(const at::Tensor& input) const {
  const Stage stage("mlp");
  return at::linear(at::gelu(at::linear(input, m_up, m_upBias)), m_down, m_downBias);
}

at::Tensor TransformerBlock::normalised(const at::Tensor& input) const {
  return at::layer_norm(input, {m_problem.modelDimension()});
}

at::Tensor TransformerBlock::forward(const at::Tensor& input) const {
  const Heads heads = projectHeads(normalised(input));
  const at::Tensor attended = [&] {
    const Stage stage("attention");
    return m_attention->forward(heads.query, heads.key, heads.value);
  }();
  const at::Tensor mixed = at::add(input, projectOutput(attended));
  return at::add(mixed, mlp(normalised(mixed)));
}

}  // namespace attnscope::engine
