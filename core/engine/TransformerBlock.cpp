// SPDX-License-Identifier: Apache-2.0
#include "core/engine/TransformerBlock.h"

#include <ATen/ops/add.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/pow.h>
#include <ATen/ops/zeros.h>

#include <cmath>
#include <utility>

#include "core/engine/Inputs.h"
#include "core/engine/Stage.h"

namespace attnscope::engine {
namespace {

constexpr std::uint64_t kWeightStreams = 0x5EED'0000;  // apart from those of the inputs of attention alone

at::Tensor withGradient(const Problem& problem, const at::Tensor& tensor) {
  return problem.pass == Pass::kForwardBackward ? tensor.detach().requires_grad_(true) : tensor;
}

}  // namespace

std::vector<at::Tensor> BlockWeights::all() const {
  return {toHeads, toHeadsBias, fromHeads, fromHeadsBias, up, upBias, down, downBias};
}

BlockWeights BlockWeights::to(at::ScalarType type) const {
  const auto converted = [type](const at::Tensor& tensor) {
    return tensor.detach().to(type).requires_grad_(tensor.requires_grad());
  };
  return {.toHeads = converted(toHeads),
          .toHeadsBias = converted(toHeadsBias),
          .fromHeads = converted(fromHeads),
          .fromHeadsBias = converted(fromHeadsBias),
          .up = converted(up),
          .upBias = converted(upBias),
          .down = converted(down),
          .downBias = converted(downBias)};
}

BlockWeights makeBlockWeights(const Problem& problem) {
  const std::int64_t model = problem.modelSize();
  const std::int64_t projected =
      problem.heads * problem.headSize + problem.keyValueHeads * (problem.headSize + problem.valueHeadSize);
  const std::int64_t attended = problem.heads * problem.valueHeadSize;
  const at::ScalarType type = scalarTypeOf(problem.dtype);
  const std::uint64_t seed = problem.seed + kWeightStreams;
  const auto weight = [&](std::int64_t rows, std::int64_t columns, double share, std::uint64_t stream) {
    const double deviation = share / std::sqrt(static_cast<double>(model));
    return withGradient(problem, randomNormal({rows, columns}, deviation, seed + stream).to(type));
  };
  const auto bias = [&](std::int64_t rows) { return withGradient(problem, at::zeros({rows}, type)); };
  return {.toHeads = weight(projected, model, 1.0, 0),
          .toHeadsBias = bias(projected),
          .fromHeads = weight(model, attended, 1.0, 1),
          .fromHeadsBias = bias(model),
          .up = weight(4 * model, model, 1.0, 2),
          .upBias = bias(4 * model),
          .down = weight(model, 4 * model, 0.5, 3),
          .downBias = bias(model)};
}

at::Tensor makeBlockInput(const Problem& problem) {
  const std::int64_t model = problem.modelSize();
  return withGradient(problem,
                      randomNormal({problem.batch, problem.queryLength, model}, 1.0, problem.seed + kWeightStreams + 4)
                          .to(scalarTypeOf(problem.dtype)));
}

TransformerBlock::TransformerBlock(const Problem& problem, std::unique_ptr<Implementation> attention,
                                   BlockWeights weights)
    : m_problem(problem), m_attention(std::move(attention)), m_weights(std::move(weights)) {
  // The angle of pair i at position n: n 10000^(-2 i / D).
  const std::int64_t pairs = problem.headSize / 2;
  const at::Tensor exponents = at::arange(pairs, at::kDouble).mul_(-2.0 / static_cast<double>(problem.headSize));
  const at::Tensor frequencies = at::pow(10'000.0, exponents);
  const at::Tensor angles = at::arange(problem.queryLength, at::kDouble).unsqueeze(1).mul(frequencies);
  // Rounded to the problem's type first, as its inputs are: the block in float64 turns by the same angles.
  const at::ScalarType rounded = scalarTypeOf(problem.dtype);
  m_cosines = angles.cos().to(rounded).to(m_weights.toHeads.scalar_type());
  m_sines = angles.sin().to(rounded).to(m_weights.toHeads.scalar_type());
}

// The two halves of each head as pairs, a last odd value as it is.
at::Tensor TransformerBlock::rotated(const at::Tensor& heads) const {
  const std::int64_t pairs = m_cosines.size(1);
  const at::Tensor first = heads.narrow(-1, 0, pairs);
  const at::Tensor second = heads.narrow(-1, pairs, pairs);
  return at::cat({first.mul(m_cosines).sub_(second.mul(m_sines)), second.mul(m_cosines).add_(first.mul(m_sines)),
                  heads.narrow(-1, 2 * pairs, heads.size(-1) - 2 * pairs)},
                 -1);
}

// [B, N, heads * size] as [B, heads, N, size]: a view in the layout bnhd, a copy in bhnd.
at::Tensor TransformerBlock::headsOf(const at::Tensor& part, std::int64_t heads) const {
  const at::Tensor split = part.unflatten(-1, {heads, part.size(-1) / heads}).transpose(1, 2);
  return m_problem.layout == Layout::kBhnd ? split.contiguous() : split;
}

TransformerBlock::Heads TransformerBlock::projectHeads(const at::Tensor& input) const {
  const Stage stage("qkv_projection");
  const at::Tensor all = at::linear(input, m_weights.toHeads, m_weights.toHeadsBias);
  const std::int64_t queries = m_problem.heads * m_problem.headSize;
  const std::int64_t keys = m_problem.keyValueHeads * m_problem.headSize;
  const std::int64_t values = m_problem.keyValueHeads * m_problem.valueHeadSize;
  return {.query = headsOf(all.narrow(-1, 0, queries), m_problem.heads),
          .key = headsOf(all.narrow(-1, queries, keys), m_problem.keyValueHeads),
          .value = headsOf(all.narrow(-1, queries + keys, values), m_problem.keyValueHeads)};
}

at::Tensor TransformerBlock::projectOutput(const at::Tensor& heads) const {
  const Stage stage("output_projection");
  return at::linear(heads.transpose(1, 2).flatten(2), m_weights.fromHeads, m_weights.fromHeadsBias);
}

at::Tensor TransformerBlock::mlp(const at::Tensor& input) const {
  const Stage stage("mlp");
  return at::linear(at::gelu(at::linear(input, m_weights.up, m_weights.upBias)), m_weights.down, m_weights.downBias);
}

at::Tensor TransformerBlock::normalised(const at::Tensor& input) const {
  return at::layer_norm(input, {m_problem.modelSize()});
}

at::Tensor TransformerBlock::forward(const at::Tensor& input) const {
  Heads heads = projectHeads(normalised(input));
  {
    const Stage stage("rope");
    heads.query = rotated(heads.query);
    heads.key = rotated(heads.key);
  }
  const at::Tensor attended = [&] {
    const Stage stage("attention");
    return m_attention->call(heads.query, heads.key, heads.value);
  }();
  const at::Tensor mixed = at::add(input, projectOutput(attended));
  return at::add(mixed, mlp(normalised(mixed)));
}

}  // namespace attnscope::engine
