// SPDX-License-Identifier: Apache-2.0
#include "core/engine/Extras.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/isneginf.h>
#include <ATen/ops/logsumexp.h>

#include "core/engine/Inputs.h"
#include "core/engine/Stage.h"
#include "core/problem/MaskTable.h"

namespace attnscope::engine {
namespace {

constexpr std::uint64_t kSinkStream = 5;
constexpr std::uint64_t kDropoutStream = 6;

// [Hq, queries, keys of the range], in the accumulator's type.
at::Tensor alibiOf(const Problem& problem, std::int64_t firstQuery, std::int64_t queries, const KeyRange& keys) {
  const at::ScalarType type = accumulatorTypeOf(problem.dtype);
  const std::int64_t position = positionOf(problem, firstQuery);
  const at::Tensor rows = at::arange(position, position + queries, type).unsqueeze(1);
  const at::Tensor distance = rows.sub(at::arange(keys.from, keys.to, type)).abs_();
  at::Tensor slopes = at::empty({problem.heads, 1, 1}, at::kDouble);
  for (std::int64_t head = 0; head < problem.heads; ++head) {
    slopes.mutable_data_ptr<double>()[head] = -alibiSlope(problem, head);
  }
  return slopes.to(type).mul(distance);
}

// [1, queries, keys of the range]; 0 where it hides: that is the mask's work, and -inf in a row that sees nothing would
// make its gradients NaN.
at::Tensor biasOfTable(const Problem& problem, const MaskTable& table, std::int64_t firstQuery, std::int64_t queries,
                       const KeyRange& keys) {
  // from_blob() takes no const; the tensor is copied before anything could write to it.
  auto* values = const_cast<float*>(table.bias.data());
  at::Tensor bias = at::from_blob(values, {table.queries, table.keys}, at::kFloat)
                        .narrow(0, firstQuery, queries)
                        .narrow(1, keys.from, keys.size())
                        .to(accumulatorTypeOf(problem.dtype), /*non_blocking=*/false, /*copy=*/true);
  return bias.masked_fill_(bias.isneginf(), 0.0).unsqueeze(0);
}

}  // namespace

at::Tensor softcapped(const at::Tensor& scores, double cap) {
  const Stage stage("softcap");
  return scores.div(cap).tanh().mul(cap);
}

void softcapInPlace(at::Tensor& scores, double cap) {
  const Stage stage("softcap");
  scores.div_(cap).tanh_().mul_(cap);
}

at::Tensor biasOf(const Problem& problem, std::int64_t firstQuery, std::int64_t queries,
                  const std::vector<KeyRange>& keys) {
  if (!hasBias(problem)) return {};
  const MaskTable* table = tableOf(problem.mask);
  const bool fromTable = table != nullptr && !table->bias.empty();
  std::vector<at::Tensor> parts;
  for (const KeyRange& range : keys) {
    at::Tensor part;
    if (fromTable) part = biasOfTable(problem, *table, firstQuery, queries, range);
    if (problem.alibi) {
      const at::Tensor alibi = alibiOf(problem, firstQuery, queries, range);
      part = part.defined() ? alibi.add(part) : alibi;
    }
    parts.push_back(part.to(scalarTypeOf(problem.dtype)));
  }
  return parts.size() == 1 ? parts.front() : at::cat(parts, -1);
}

at::Tensor storedBias(const Problem& problem) {
  return biasOf(problem, 0, problem.queryLength, {{0, problem.keyValueLength}});
}

at::Tensor sinkLogits(const Problem& problem) {
  if (!problem.sink) return {};
  return randomNormal({problem.heads, 1, 1}, 1.0, streamOf(problem.seed, kSinkStream), scalarTypeOf(problem.dtype));
}

at::Tensor shareBesideSink(const at::Tensor& rowSums, const at::Tensor& sinks) {
  const Stage stage("sink");
  return rowSums.sub(sinks.to(rowSums.scalar_type())).sigmoid();
}

at::Tensor rowSums(const at::Tensor& scores) {
  const Stage stage("sink");
  return at::logsumexp(scores, {-1}, /*keepdim=*/true);
}

at::Tensor keptByDropout(const Problem& problem) {
  const Stage stage("dropout");
  const at::Generator generator = at::detail::createCPUGenerator(streamOf(problem.seed, kDropoutStream));
  return at::empty({problem.batch, problem.heads, problem.queryLength, problem.keyValueLength}, at::kBool)
      .bernoulli_(1.0 - problem.dropout, generator);
}

}  // namespace attnscope::engine
