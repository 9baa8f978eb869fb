// SPDX-License-Identifier: Apache-2.0
#include "core/engine/Inputs.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/ops/empty.h>

namespace attnscope::engine {
namespace {

// One seed gives several streams of numbers that have nothing to do with one another.
std::uint64_t streamOf(std::uint64_t seed, std::uint64_t stream) { return seed * 0x9E3779B97F4A7C15ull + stream; }

at::Tensor heads(const Problem& problem, std::int64_t count, std::int64_t length, std::int64_t size,
                 std::uint64_t stream) {
  const at::ScalarType type = scalarTypeOf(problem.dtype);
  const std::uint64_t seed = streamOf(problem.seed, stream);
  if (problem.layout == Layout::kBhnd) return randomNormal({problem.batch, count, length, size}, 1.0, seed, type);
  return randomNormal({problem.batch, length, count, size}, 1.0, seed, type).transpose(1, 2);
}

}  // namespace

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
  if (problem.pass == Pass::kForwardBackward) {
    for (at::Tensor* tensor : {&inputs.query, &inputs.key, &inputs.value}) {
      *tensor = tensor->detach().requires_grad_(true);
    }
  }
  return inputs;
}

at::Tensor makeOutputGradient(const Problem& problem) {
  return heads(problem, problem.heads, problem.queryLength, problem.valueHeadSize, 4);
}

}  // namespace attnscope::engine
