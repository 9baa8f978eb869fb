// SPDX-License-Identifier: Apache-2.0
#include "core/engine/implementations/BlockwiseAten.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/maximum.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <limits>

#include "core/engine/Extras.h"
#include "core/engine/Inputs.h"
#include "core/engine/Stage.h"
#include "core/engine/implementations/Blocks.h"
#include "core/engine/implementations/Stages.h"
#include "core/problem/Cards.h"

namespace attnscope::engine {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Of one block of queries, over the blocks of keys so far.
struct Running {
  at::Tensor largest;  // [B, Hq, r, 1]
  at::Tensor sum;      // [B, Hq, r, 1]
  at::Tensor output;   // [B, Hq, r, V]
};

class BlockwiseAten final : public Implementation {
 public:
  explicit BlockwiseAten(const Problem& problem)
      : m_problem(problem), m_accumulator(accumulatorTypeOf(problem.dtype)), m_sinks(sinkLogits(problem)) {}

  at::Tensor call(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value) const override {
    at::Tensor output = at::empty({query.size(0), query.size(1), query.size(2), value.size(3)}, query.options());
    for (std::int64_t first = 0; first < m_problem.queryLength; first += kBlockwiseQueryBlock) {
      const std::int64_t queries = std::min(kBlockwiseQueryBlock, m_problem.queryLength - first);
      at::Tensor target = output.narrow(2, first, queries);
      putBlock(target, first, query.narrow(2, first, queries), key, value);
    }
    return output;
  }

 private:
  [[nodiscard]] at::Tensor scaledQueries(const at::Tensor& query) const {
    const Stage stage("scale");
    return query.to(m_accumulator, /*non_blocking=*/false, /*copy=*/true, at::MemoryFormat::Contiguous)
        .mul_(m_problem.effectiveScale());
  }

  [[nodiscard]] at::Tensor operand(const at::Tensor& tensor, std::int64_t first, std::int64_t keys,
                                   std::int64_t heads) const {
    return repeatedHeads(tensor.narrow(2, first, keys).to(m_accumulator), heads);
  }

  void putBlock(at::Tensor& target, std::int64_t first, const at::Tensor& query, const at::Tensor& key,
                const at::Tensor& value) const {
    const std::int64_t queries = query.size(2);
    const KeyRange seen = keysSeenByAny(m_problem, first, queries);
    if (seen.size() == 0) {
      target.zero_();
      return;
    }
    const at::Tensor scaled = scaledQueries(query);
    const at::TensorOptions options = scaled.options();
    Running running{
        .largest = at::full({query.size(0), query.size(1), queries, 1}, -kInfinity, options),
        .sum = at::zeros({query.size(0), query.size(1), queries, 1}, options),
        .output = at::zeros({query.size(0), query.size(1), queries, value.size(3)}, options),
    };
    for (std::int64_t at = seen.from / kBlockwiseKeyBlock * kBlockwiseKeyBlock; at < seen.to;
         at += kBlockwiseKeyBlock) {
      const Block block{.firstQuery = first,
                        .queries = queries,
                        .keys = {{at, std::min(at + kBlockwiseKeyBlock, m_problem.keyValueLength)}}};
      addBlock(running, block, scaled, key, value);
    }
    // A row that saw nothing has sum 0 and output 0.
    running.sum.masked_fill_(running.sum.eq(0), 1.0);
    running.output.div_(running.sum);
    if (m_sinks.defined()) {
      running.output.mul_(shareBesideSink(running.sum.log().add_(running.largest), m_sinks));
    }
    target.copy_(running.output);
  }

  void addBlock(Running& running, const Block& block, const at::Tensor& query, const at::Tensor& key,
                const at::Tensor& value) const {
    const KeyRange range = block.keys.front();
    const at::Tensor keys = operand(key, range.from, range.size(), query.size(1));
    const at::Tensor values = operand(value, range.from, range.size(), query.size(1));
    at::Tensor scores = scoresOf(query, keys);
    if (m_problem.softcap > 0) softcapInPlace(scores, m_problem.softcap);
    if (hasBias(m_problem)) {
      const Stage stage("bias");
      scores.add_(biasOf(m_problem, block.firstQuery, block.queries, block.keys));
    }
    if (!isWhollySeen(m_problem, block)) {
      const Stage stage("mask");
      scores.masked_fill_(hiddenIn(m_problem, block, EmptyRows::kHidden), -kInfinity);
    }
    at::Tensor shrink;
    {
      const Stage stage("softmax");
      // Not below the lowest number: -inf less -inf, of a row that has seen nothing yet, would be NaN.
      const at::Tensor next = at::maximum(running.largest, scores.amax(-1, /*keepdim=*/true))
                                  .clamp_min_(std::numeric_limits<float>::lowest());
      scores.sub_(next).exp_();
      shrink = running.largest.sub_(next).exp_();
      running.sum.mul_(shrink).add_(scores.sum(-1, /*keepdim=*/true));
      running.largest = next;
    }
    const Stage stage("weighted_sum");
    running.output.mul_(shrink).add_(at::matmul(scores, values));
  }

  Problem m_problem;
  at::ScalarType m_accumulator;
  at::Tensor m_sinks;
};

}  // namespace

ImplementationEntry blockwiseAten() {
  return {.id = "blockwise.aten", .make = [](const Problem& problem) -> std::unique_ptr<Implementation> {
            return std::make_unique<BlockwiseAten>(problem);
          }};
}

}  // namespace attnscope::engine
