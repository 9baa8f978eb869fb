// SPDX-License-Identifier: Apache-2.0
#include "core/engine/Inputs.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/matmul.h>

#include <cmath>
#include <utility>

namespace attnscope::engine {
namespace {

at::Tensor heads(const Problem& problem, std::int64_t count, std::int64_t length, std::int64_t size,
                 std::uint64_t stream) {
  const at::ScalarType type = scalarTypeOf(problem.dtype);
  const std::uint64_t seed = streamOf(problem.seed, stream);
  if (problem.layout == Layout::kBhnd) return randomNormal({problem.batch, count, length, size}, 1.0, seed, type);
  return randomNormal({problem.batch, length, count, size}, 1.0, seed, type).transpose(1, 2);
}

}  // namespace

std::uint64_t streamOf(std::uint64_t seed, std::uint64_t stream) { return seed * 0x9E3779B97F4A7C15ull + stream; }

at::ScalarType scalarTypeOf(DataType type) {
  switch (type) {
    case DataType::kFloat32:
      return at::kFloat;
    case DataType::kBFloat16:
      return at::kBFloat16;
    case DataType::kFloat16:
      return at::kHalf;
    case DataType::kFloat64:
      return at::kDouble;
  }
  return at::kFloat;
}

at::ScalarType accumulatorTypeOf(DataType type) { return type == DataType::kFloat64 ? at::kDouble : at::kFloat; }

at::Tensor randomNormal(at::IntArrayRef shape, double deviation, std::uint64_t seed, at::ScalarType type) {
  const at::Generator generator = at::detail::createCPUGenerator(seed);
  return at::empty(shape, type).normal_(0.0, deviation, generator);
}

Inputs makeInputs(const Problem& problem) {
  Inputs inputs;
  inputs.query = heads(problem, problem.heads, problem.queryLength, problem.headSize, 1);
  inputs.key = heads(problem, problem.keyValueHeads, problem.keyValueLength, problem.headSize, 2);
  inputs.value = heads(problem, problem.keyValueHeads, problem.keyValueLength, problem.valueHeadSize, 3);
  if (problem.latentSize > 0) {
    const Expanded made = expanded(makeLatent(problem));
    inputs.key.copy_(made.key);
    inputs.value.copy_(made.value);
  }
  if (problem.pass == Pass::kForwardBackward) {
    for (at::Tensor* tensor : {&inputs.query, &inputs.key, &inputs.value}) {
      *tensor = tensor->detach().requires_grad_(true);
    }
  }
  return inputs;
}

Latent Latent::to(at::ScalarType type) const {
  return {.vectors = vectors.to(type),
          .rope = rope.to(type),
          .keyWeights = keyWeights.to(type),
          .valueWeights = valueWeights.to(type)};
}

Latent makeLatent(const Problem& problem) {
  constexpr std::uint64_t kFirstStream = 7;
  const at::ScalarType type = scalarTypeOf(problem.dtype);
  const double deviation = 1.0 / std::sqrt(static_cast<double>(problem.latentSize));
  const auto draw = [&](at::IntArrayRef shape, double spread, std::uint64_t stream) {
    return randomNormal(shape, spread, streamOf(problem.seed, kFirstStream + stream), type);
  };
  return {.vectors = draw({problem.batch, problem.keyValueLength, problem.latentSize}, 1.0, 0),
          .rope = draw({problem.batch, problem.keyValueLength, problem.ropeSize}, 1.0, 1),
          .keyWeights = draw({problem.heads, problem.headSize - problem.ropeSize, problem.latentSize}, deviation, 2),
          .valueWeights = draw({problem.heads, problem.valueHeadSize, problem.latentSize}, deviation, 3)};
}

Expanded expanded(const Latent& latent) {
  const std::int64_t heads = latent.keyWeights.size(0);
  // All heads in one product: repeating the latent for each would copy it as often.
  const auto ofHeads = [&](const at::Tensor& weights) {
    return at::matmul(latent.vectors, weights.flatten(0, 1).t())
        .unflatten(-1, {heads, weights.size(1)})
        .transpose(1, 2);
  };
  const at::Tensor shared = latent.rope.unsqueeze(1).expand({-1, heads, -1, -1});
  // One after the other: what a key is put together from is freed before the values are made.
  at::Tensor key = at::cat({ofHeads(latent.keyWeights), shared}, -1);
  at::Tensor value = ofHeads(latent.valueWeights).contiguous();
  return {.key = std::move(key), .value = std::move(value)};
}

at::Tensor makeOutputGradient(const Problem& problem) {
  return heads(problem, problem.heads, problem.queryLength, problem.valueHeadSize, 4);
}

}  // namespace attnscope::engine
