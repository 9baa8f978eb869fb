// SPDX-License-Identifier: Apache-2.0
#include "core/engine/Reference.h"

#include <ATen/ops/elu.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/engine/Extras.h"
#include "core/engine/Hashing.h"
#include "core/engine/Masks.h"
#include "core/problem/Cards.h"
#include "core/problem/Formulas.h"

namespace attnscope::engine {
namespace {

constexpr std::int64_t kBlockBytes = 16 << 20;  // of one matrix of scores of a block
constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::int64_t rowsPerBlock(const Problem& problem) {
  const std::int64_t rowBytes = problem.keyValueLength * static_cast<std::int64_t>(sizeof(double));
  return std::clamp<std::int64_t>(kBlockBytes / rowBytes, 1, problem.queryLength);
}

// What is made once for all heads.
struct Shared {
  at::Tensor key, value;  // float64 [B, Hk, M, .] of a latent problem; else as given
  at::Tensor kept;        // [B, Hq, N, M] under dropout
  at::Tensor sinks;       // [Hq, 1, 1]
};

// The keys and values of a latent are not rounded: it is what they are computed from that was.
Shared sharedBy(const Problem& problem, const Inputs& inputs) {
  Shared shared{.key = inputs.key.detach(), .value = inputs.value.detach(), .kept = {}, .sinks = {}};
  if (problem.latentSize > 0) {
    const Expanded made = expanded(makeLatent(problem).to(at::kDouble));
    shared.key = made.key;
    shared.value = made.value;
  }
  if (problem.dropout > 0) shared.kept = keptByDropout(problem);
  if (problem.sink) shared.sinks = sinkLogits(problem).to(at::kDouble);
  return shared;
}

// One head of one sequence in float64.
struct Head {
  std::int64_t index = 0;
  at::Tensor query;  // [N, D]
  at::Tensor key;    // [M, D]
  at::Tensor value;  // [M, V]
  at::Tensor kept;   // [N, M] under dropout
  std::optional<double> sink;
};

Head headOf(const Problem& problem, const Inputs& inputs, const Shared& shared, std::int64_t batch, std::int64_t head) {
  const std::int64_t group = head / problem.groupSize();
  const auto part = [batch](const at::Tensor& tensor, std::int64_t index) {
    return tensor.detach().select(0, batch).select(0, index).to(at::kDouble).contiguous();
  };
  Head one{.index = head,
           .query = part(inputs.query, head),
           .key = part(shared.key, group),
           .value = part(shared.value, group),
           .kept = {},
           .sink = {}};
  if (shared.kept.defined()) one.kept = shared.kept.select(0, batch).select(0, head);
  if (shared.sinks.defined()) one.sink = shared.sinks.select(0, head).item<double>();
  return one;
}

// Of one block of rows: [rows, M] each.
struct Weights {
  at::Tensor probabilities;  // rows that see nothing are 0
  at::Tensor slope;          // of the capped score by the plain one; undefined without a softcap
  at::Tensor factors;        // of dropout: 0 or 1 / (1 - dropout); undefined without
  [[nodiscard]] at::Tensor applied() const { return factors.defined() ? probabilities.mul(factors) : probabilities; }
};

Weights softmaxRows(const Problem& problem, const Head& head, RowRange rows) {
  Weights weights;
  at::Tensor scores = at::matmul(head.query.narrow(0, rows.first, rows.count), head.key.t());
  scores.mul_(problem.effectiveScale());
  if (problem.softcap > 0) {
    scores.div_(problem.softcap).tanh_();
    weights.slope = scores.square().neg_().add_(1.0);
    scores.mul_(problem.softcap);
  }
  if (hasBias(problem)) {
    const at::Tensor bias = biasOf(problem, rows.first, rows.count, {{0, problem.keyValueLength}});
    scores.add_(bias.select(0, bias.size(0) == 1 ? 0 : head.index));
  }
  if (isMasked(problem)) scores.masked_fill_(hiddenKeys(problem, rows), -kInfinity);
  at::Tensor largest = scores.amax(-1, /*keepdim=*/true);
  if (head.sink) largest.clamp_min_(*head.sink);
  largest.masked_fill_(largest.eq(-kInfinity), 0.0);
  scores.sub_(largest).exp_();
  at::Tensor sum = scores.sum(-1, /*keepdim=*/true);
  if (head.sink) sum.add_(largest.neg().add_(*head.sink).exp_());
  sum.masked_fill_(sum.eq(0), 1.0);
  weights.probabilities = scores.div_(sum);
  if (head.kept.defined()) {
    weights.factors = head.kept.narrow(0, rows.first, rows.count).to(at::kDouble).div_(1.0 - problem.dropout);
  }
  return weights;
}

// Times each pair meets: chunk i of the queries and chunks i - 1 and i of the keys, in each round.
at::Tensor meetingsOf(const Problem& problem, const Head& head, RowRange rows) {
  at::Tensor meetings = at::zeros({rows.count, problem.keyValueLength}, at::kDouble);
  for (std::int64_t round = 0; round < kHashedRounds; ++round) {
    const at::Tensor queries = chunkOfEach(hashedOrder(problem, head.query, round)).narrow(0, rows.first, rows.count);
    const at::Tensor apart = queries.unsqueeze(1).sub(chunkOfEach(hashedOrder(problem, head.key, round)));
    meetings.add_(apart.eq(0).logical_or(apart.eq(1)));
  }
  return meetings;
}

at::Tensor hashedRows(const Problem& problem, const Head& head, RowRange rows) {
  const at::Tensor meetings = meetingsOf(problem, head, rows);
  at::Tensor scores = at::matmul(head.query.narrow(0, rows.first, rows.count), head.key.t());
  scores.mul_(problem.effectiveScale()).masked_fill_(meetings.eq(0), -kInfinity);
  if (isMasked(problem)) scores.masked_fill_(hiddenKeys(problem, rows), -kInfinity);
  at::Tensor largest = scores.amax(-1, /*keepdim=*/true);
  largest.masked_fill_(largest.eq(-kInfinity), 0.0);
  scores.sub_(largest).exp_().mul_(meetings);
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

Weights weightsOf(const Problem& problem, const Head& head, RowRange rows, Definition definition) {
  switch (definition) {
    case Definition::kSoftmax:
      return softmaxRows(problem, head, rows);
    case Definition::kHashed:
      return {.probabilities = hashedRows(problem, head, rows), .slope = {}, .factors = {}};
    case Definition::kLinearElu:
      return {.probabilities = linearRows(problem, head, rows), .slope = {}, .factors = {}};
  }
  return {};
}

// Gradients of one block: with P the probabilities, F the factors of dropout and dO from above, dV = (P F)^T dO,
// dP = F dO V^T, dS = P (dP - sum(P dP)). A sink takes part in P and has no gradient of its own here.
void addGradients(const Problem& problem, const Head& head, RowRange rows, const Weights& weights,
                  const at::Tensor& above, ReferenceResult& result, std::int64_t batch, std::int64_t index) {
  const std::int64_t group = index / problem.groupSize();
  result.valueGradient.select(0, batch).select(0, group).add_(at::matmul(weights.applied().t(), above));
  at::Tensor scores = at::matmul(above, head.value.t());
  if (weights.factors.defined()) scores.mul_(weights.factors);
  const at::Tensor mean = scores.mul(weights.probabilities).sum(-1, /*keepdim=*/true);
  scores.sub_(mean).mul_(weights.probabilities).mul_(problem.effectiveScale());
  if (weights.slope.defined()) scores.mul_(weights.slope);
  result.queryGradient.select(0, batch)
      .select(0, index)
      .narrow(0, rows.first, rows.count)
      .copy_(at::matmul(scores, head.key));
  result.keyGradient.select(0, batch).select(0, group).add_(
      at::matmul(scores.t(), head.query.narrow(0, rows.first, rows.count)));
}

}  // namespace

Definition definitionOf(std::string_view id) {
  if (id == "linear.elu") return Definition::kLinearElu;
  return id == "lsh.reformer" ? Definition::kHashed : Definition::kSoftmax;
}

ReferenceMemory referenceMemory(const Problem& problem) {
  constexpr auto kValue = static_cast<std::int64_t>(sizeof(double));
  constexpr std::int64_t kMatricesOfABlock = 5;  // scores, their copy or gradient, slopes, factors, the mask
  const std::int64_t queryValues = saturatingProduct({problem.batch, problem.heads, problem.queryLength});
  const std::int64_t keyValues = saturatingProduct({problem.batch, problem.keyValueHeads, problem.keyValueLength});
  ReferenceMemory memory;
  memory.resultBytes = saturatingProduct({kValue, queryValues, problem.valueHeadSize});
  if (problem.pass == Pass::kForwardBackward) {
    memory.resultBytes =
        saturatingSum({memory.resultBytes, saturatingProduct({kValue, queryValues, problem.headSize}),
                       saturatingProduct({kValue, keyValues, problem.headSize + problem.valueHeadSize})});
  }
  memory.workBytes = saturatingSum(
      {saturatingProduct({kMatricesOfABlock, kValue, rowsPerBlock(problem), problem.keyValueLength}),
       saturatingProduct({kValue, problem.queryLength, problem.headSize}),
       saturatingProduct({kValue, problem.keyValueLength, problem.headSize + problem.valueHeadSize}),
       problem.dropout > 0 ? scoreBytes(problem, 1) : 0,
       problem.latentSize > 0 ? saturatingProduct({2, kValue, keyValues, problem.headSize + problem.valueHeadSize})
                              : 0});
  return memory;
}

std::optional<ReferenceResult> referenceAttention(const Problem& problem, const Inputs& inputs, Definition definition,
                                                  const at::Tensor& outputGradient, const KeepGoing& keepGoing) {
  const Shared shared = sharedBy(problem, inputs);
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
      const Head head = headOf(problem, inputs, shared, batch, index);
      for (std::int64_t first = 0; first < problem.queryLength; first += blockRows) {
        if (keepGoing && !keepGoing(done / total)) return std::nullopt;
        const RowRange rows{.first = first, .count = std::min(blockRows, problem.queryLength - first)};
        const Weights weights = weightsOf(problem, head, rows, definition);
        result.output.select(0, batch)
            .select(0, index)
            .narrow(0, rows.first, rows.count)
            .copy_(at::matmul(weights.applied(), head.value));
        if (outputGradient.defined()) {
          const at::Tensor above = outputGradient.select(0, batch)
                                       .select(0, index)
                                       .narrow(0, rows.first, rows.count)
                                       .to(at::kDouble)
                                       .contiguous();
          addGradients(problem, head, rows, weights, above, result, batch, index);
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
