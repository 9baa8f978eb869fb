// SPDX-License-Identifier: Apache-2.0
#include "core/engine/Reference.h"

#include <ATen/ops/elu.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/engine/Masks.h"
#include "core/problem/Formulas.h"

namespace attnscope::engine {
namespace {

constexpr std::int64_t kBlockBytes = 16 << 20;  // of one matrix of scores of a block
constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::int64_t rowsPerBlock(const Problem& problem) {
  const std::int64_t rowBytes = problem.keyValueLength * static_cast<std::int64_t>(sizeof(double));
  return std::clamp<std::int64_t>(kBlockBytes / rowBytes, 1, problem.queryLength);
}

// One head of one sequence in float64.
struct Head {
  at::Tensor query;  // [N, D]
  at::Tensor key;    // [M, D]
  at::Tensor value;  // [M, V]
};

Head headOf(const Problem& problem, const Inputs& inputs, std::int64_t batch, std::int64_t head) {
  const std::int64_t group = head / problem.groupSize();
  const auto part = [batch](const at::Tensor& tensor, std::int64_t index) {
    return tensor.detach().select(0, batch).select(0, index).to(at::kDouble).contiguous();
  };
  return {.query = part(inputs.query, head), .key = part(inputs.key, group), .value = part(inputs.value, group)};
}

// [rows, M]; rows that see nothing are 0.
at::Tensor softmaxRows(const Problem& problem, const Head& head, RowRange rows) {
  at::Tensor scores = at::matmul(head.query.narrow(0, rows.first, rows.count), head.key.t());
  scores.mul_(problem.effectiveScale());
  if (isMasked(problem)) scores.masked_fill_(hiddenKeys(problem, rows), -kInfinity);
  at::Tensor largest = scores.amax(-1, /*keepdim=*/true);
  largest.masked_fill_(largest.eq(-kInfinity), 0.0);
  scores.sub_(largest).exp_();
  at::Tensor sum = scores.sum(-1, /*keepdim=*/true);
  sum.masked_fill_(sum.eq(0), 1.0);
  return scores.div_(sum);
}

at::Tensor linearRows(const Problem& problem, const Head& head, RowRange rows) {
  const at::Tensor query = at::elu(head.query.narrow(0, rows.first, rows.count)).add_(1);
  at::Tensor weights = at::matmul(query, at::elu(head.key).add_(1).t());
  if (isMasked(problem)) weights.masked_fill_(hiddenKeys(problem, rows), 0.0);
  at::Tensor sum = weights.sum(-1, /*keepdim=*/true);
  sum.masked_fill_(sum.eq(0), 1.0);
  return weights.div_(sum);
}

// Gradients of one block: with P the probabilities and dO from above, dV = P^T dO, dS = P (dP - sum(P dP)).
void addGradients(const Problem& problem, const Head& head, RowRange rows, const at::Tensor& probabilities,
                  const at::Tensor& above, ReferenceResult& result, std::int64_t batch, std::int64_t index) {
  const std::int64_t group = index / problem.groupSize();
  result.valueGradient.select(0, batch).select(0, group).add_(at::matmul(probabilities.t(), above));
  at::Tensor scores = at::matmul(above, head.value.t());
  const at::Tensor mean = scores.mul(probabilities).sum(-1, /*keepdim=*/true);
  scores.sub_(mean).mul_(probabilities).mul_(problem.effectiveScale());
  result.queryGradient.select(0, batch)
      .select(0, index)
      .narrow(0, rows.first, rows.count)
      .copy_(at::matmul(scores, head.key));
  result.keyGradient.select(0, batch).select(0, group).add_(
      at::matmul(scores.t(), head.query.narrow(0, rows.first, rows.count)));
}

}  // namespace

ReferenceMemory referenceMemory(const Problem& problem) {
  constexpr auto kValue = static_cast<std::int64_t>(sizeof(double));
  constexpr std::int64_t kMatricesOfABlock = 3;  // scores, their copy or gradient, the mask
  const std::int64_t queryValues = saturatingProduct({problem.batch, problem.heads, problem.queryLength});
  const std::int64_t keyValues = saturatingProduct({problem.batch, problem.keyValueHeads, problem.keyValueLength});
  ReferenceMemory memory;
  memory.resultBytes = saturatingProduct({kValue, queryValues, problem.valueHeadSize});
  if (problem.pass == Pass::kForwardBackward) {
    memory.resultBytes =
        saturatingSum({memory.resultBytes, saturatingProduct({kValue, queryValues, problem.headSize}),
                       saturatingProduct({kValue, keyValues, problem.headSize + problem.valueHeadSize})});
  }
  memory.workBytes =
      saturatingSum({saturatingProduct({kMatricesOfABlock, kValue, rowsPerBlock(problem), problem.keyValueLength}),
                     saturatingProduct({kValue, problem.queryLength, problem.headSize}),
                     saturatingProduct({kValue, problem.keyValueLength, problem.headSize + problem.valueHeadSize})});
  return memory;
}

std::optional<ReferenceResult> referenceAttention(const Problem& problem, const Inputs& inputs, Definition definition,
                                                  const at::Tensor& outputGradient, const KeepGoing& keepGoing) {
  ReferenceResult result;
  result.output = at::empty({problem.batch, problem.heads, problem.queryLength, problem.valueHeadSize}, at::kDouble);
  if (outputGradient.defined()) {
    result.queryGradient =
        at::zeros({problem.batch, problem.heads, problem.queryLength, problem.headSize}, at::kDouble);
    result.keyGradient =
        at::zeros({problem.batch, problem.keyValueHeads, problem.keyValueLength, problem.headSize}, at::kDouble);
    result.valueGradient =
        at::zeros({problem.batch, problem.keyValueHeads, problem.keyValueLength, problem.valueHeadSize}, at::kDouble);
  }
  const std::int64_t blockRows = rowsPerBlock(problem);
  const double total = static_cast<double>(problem.batch * problem.heads * problem.queryLength);
  double done = 0;
  for (std::int64_t batch = 0; batch < problem.batch; ++batch) {
    for (std::int64_t index = 0; index < problem.heads; ++index) {
      const Head head = headOf(problem, inputs, batch, index);
      for (std::int64_t first = 0; first < problem.queryLength; first += blockRows) {
        if (keepGoing && !keepGoing(done / total)) return std::nullopt;
        const RowRange rows{.first = first, .count = std::min(blockRows, problem.queryLength - first)};
        const at::Tensor probabilities =
            definition == Definition::kSoftmax ? softmaxRows(problem, head, rows) : linearRows(problem, head, rows);
        result.output.select(0, batch)
            .select(0, index)
            .narrow(0, rows.first, rows.count)
            .copy_(at::matmul(probabilities, head.value));
        if (outputGradient.defined()) {
          const at::Tensor above = outputGradient.select(0, batch)
                                       .select(0, index)
                                       .narrow(0, rows.first, rows.count)
                                       .to(at::kDouble)
                                       .contiguous();
          addGradients(problem, head, rows, probabilities, above, result, batch, index);
        }
        done += static_cast<double>(rows.count);
      }
    }
  }
  return result;
}

Distance distanceOf(std::span<const at::Tensor> actual, std::span<const at::Tensor> expected) {
  Distance distance;
  double squaredError = 0;
  double squaredExpected = 0;
  for (std::size_t tensor = 0; tensor < expected.size(); ++tensor) {
    // A part at a time: the difference of all of it in float64 may not fit.
    for (std::int64_t part = 0; part < expected[tensor].size(0); ++part) {
      const at::Tensor wanted = expected[tensor].select(0, part);
      const at::Tensor difference = actual[tensor].detach().select(0, part).to(at::kDouble).sub(wanted);
      if (!difference.isfinite().all().item<bool>()) distance.finite = false;
      squaredError += difference.square().sum().item<double>();
      squaredExpected += wanted.square().sum().item<double>();
      distance.maxAbs = std::max(distance.maxAbs, difference.abs().max().item<double>());
    }
  }
  distance.relativeL2 = squaredExpected > 0 ? std::sqrt(squaredError / squaredExpected) : std::sqrt(squaredError);
  return distance;
}

}  // namespace attnscope::engine
