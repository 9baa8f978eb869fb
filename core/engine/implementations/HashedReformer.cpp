// SPDX-License-Identifier: Apache-2.0
#include "core/engine/implementations/HashedReformer.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/full.h>
#include <ATen/ops/gather.h>
#include <ATen/ops/maximum.h>
#include <ATen/ops/zeros.h>

#include <limits>

#include "core/engine/Hashing.h"
#include "core/engine/Inputs.h"
#include "core/engine/Masks.h"
#include "core/engine/Stage.h"
#include "core/engine/implementations/Stages.h"
#include "core/problem/Cards.h"

namespace attnscope::engine {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Of each query, over the rounds so far, by position.
struct Sums {
  at::Tensor largest;  // [B, H, N, 1], the largest score
  at::Tensor weight;   // [B, H, N, 1], sum of exp(score - largest)
  at::Tensor output;   // [B, H, N, V], the same of the values
};

class HashedReformer final : public Implementation {
 public:
  explicit HashedReformer(const Problem& problem)
      : m_problem(problem),
        m_causal(isMasked(problem)),
        m_accumulator(accumulatorTypeOf(problem.dtype)),
        m_padding((kHashedChunk - problem.queryLength % kHashedChunk) % kHashedChunk) {}

  at::Tensor call(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value) const override {
    const std::int64_t heads = query.size(1);
    const at::Tensor queries = query.to(m_accumulator);
    const at::Tensor keys = repeatedHeads(key, heads).to(m_accumulator);
    const at::Tensor values = repeatedHeads(value, heads).to(m_accumulator);
    const at::TensorOptions options = queries.options();
    Sums sums{.largest = at::full({query.size(0), heads, query.size(2), 1}, -kInfinity, options),
              .weight = at::zeros({query.size(0), heads, query.size(2), 1}, options),
              .output = at::zeros({query.size(0), heads, query.size(2), value.size(3)}, options)};
    for (std::int64_t round = 0; round < kHashedRounds; ++round) addRound(sums, round, queries, keys, values);
    sums.weight.masked_fill_(sums.weight.eq(0), 1.0);
    return sums.output.div_(sums.weight).to(query.scalar_type());
  }

 private:
  // Rows in the order given, in chunks: [B, H, chunks, C, .]; the last is filled up.
  [[nodiscard]] at::Tensor inChunks(const at::Tensor& tensor, const at::Tensor& order) const {
    const Stage stage("gather");
    const at::Tensor sorted = at::gather(tensor, 2, order.unsqueeze(-1).expand({-1, -1, -1, tensor.size(3)}));
    return at::constant_pad_nd(sorted, {0, 0, 0, m_padding}).unflatten(2, {-1, kHashedChunk});
  }
  // Positions of the sorted rows, in chunks; what fills up the last one lies beyond all.
  [[nodiscard]] at::Tensor positionsInChunks(const at::Tensor& order) const {
    return at::constant_pad_nd(order, {0, m_padding}, m_problem.keyValueLength).unflatten(2, {-1, kHashedChunk});
  }
  // Each chunk with the one before it: [B, H, chunks, 2 C, ...]; before the first lies `filler`.
  [[nodiscard]] static at::Tensor withEarlier(const at::Tensor& chunks, double filler) {
    at::Tensor earlier = chunks.roll(1, 2);
    earlier.select(2, 0).fill_(filler);
    return at::cat({earlier, chunks}, 3);
  }

  void addRound(Sums& sums, std::int64_t round, const at::Tensor& query, const at::Tensor& key,
                const at::Tensor& value) const {
    at::Tensor queryOrder;
    at::Tensor keyOrder;
    {
      const Stage stage("hash");
      queryOrder = hashedOrder(m_problem, query, round);
      keyOrder = hashedOrder(m_problem, key, round);
    }
    const at::Tensor keys = withEarlier(inChunks(key, keyOrder), 0);
    const at::Tensor values = withEarlier(inChunks(value, keyOrder), 0);
    at::Tensor scores = scoresOf(inChunks(query, queryOrder), keys);
    {
      const Stage stage("mask");
      const auto beyond = static_cast<double>(m_problem.keyValueLength);
      const at::Tensor keyPositions = withEarlier(positionsInChunks(keyOrder), beyond).unsqueeze(-2);
      scores.mul_(m_problem.effectiveScale());
      scores.masked_fill_(keyPositions.ge(m_problem.keyValueLength), -kInfinity);
      if (m_causal) scores.masked_fill_(keyPositions.gt(positionsInChunks(queryOrder).unsqueeze(-1)), -kInfinity);
    }
    at::Tensor largest;
    {
      const Stage stage("softmax");
      largest = scores.amax(-1, /*keepdim=*/true);
      scores.sub_(largest.clamp_min(std::numeric_limits<float>::lowest())).exp_();
    }
    const at::Tensor weight = scores.sum(-1, /*keepdim=*/true);
    merge(sums, queryOrder, largest, weight, weightedSum(scores, values));
  }

  // From chunks back to positions.
  [[nodiscard]] at::Tensor byPosition(const at::Tensor& chunks, const at::Tensor& order) const {
    const at::Tensor sorted = chunks.flatten(2, 3).narrow(2, 0, m_problem.queryLength);
    return at::zeros(sorted.sizes(), sorted.options())
        .scatter_(2, order.unsqueeze(-1).expand({-1, -1, -1, sorted.size(3)}), sorted);
  }

  void merge(Sums& sums, const at::Tensor& order, const at::Tensor& largest, const at::Tensor& weight,
             const at::Tensor& output) const {
    const Stage stage("merge");
    const at::Tensor ofRound = byPosition(largest, order);
    // Not below the lowest number: -inf less -inf, of a query that met nothing yet, would be NaN.
    const at::Tensor next = at::maximum(sums.largest, ofRound).clamp_min_(std::numeric_limits<float>::lowest());
    const at::Tensor before = sums.largest.sub(next).exp_();
    const at::Tensor now = ofRound.sub(next).exp_();
    sums.weight.mul_(before).add_(byPosition(weight, order).mul_(now));
    sums.output.mul_(before).add_(byPosition(output, order).mul_(now));
    sums.largest = next;
  }

  Problem m_problem;
  bool m_causal;
  at::ScalarType m_accumulator;
  std::int64_t m_padding;
};

}  // namespace

ImplementationEntry lshReformer() {
  return {.id = "lsh.reformer", .make = [](const Problem& problem) -> std::unique_ptr<Implementation> {
            return std::make_unique<HashedReformer>(problem);
          }};
}

}  // namespace attnscope::engine
