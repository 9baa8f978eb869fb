// SPDX-License-Identifier: Apache-2.0
#include "core/engine/implementations/MaskedBlocks.h"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <limits>

#include "core/engine/Extras.h"
#include "core/engine/Masks.h"
#include "core/engine/Stage.h"
#include "core/engine/implementations/Blocks.h"
#include "core/engine/implementations/Stages.h"

namespace attnscope::engine {
namespace {

class MaskedBlocks final : public Implementation {
 public:
  MaskedBlocks(const Problem& problem, std::int64_t queryBlock, KeysOfBlock keysOf)
      : m_problem(problem),
        m_queryBlock(queryBlock),
        m_keysOf(keysOf),
        m_emptyRows(emptyRows(problem)),
        m_sinks(sinkLogits(problem)) {}

  at::Tensor call(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value) const override {
    at::Tensor output = at::empty({query.size(0), query.size(1), query.size(2), value.size(3)}, query.options());
    for (std::int64_t first = 0; first < m_problem.queryLength; first += m_queryBlock) {
      const std::int64_t queries = std::min(m_queryBlock, m_problem.queryLength - first);
      at::Tensor target = output.narrow(2, first, queries);
      putBlock(target, first, query.narrow(2, first, queries), key, value);
    }
    clearRows(output, m_emptyRows);
    return output;
  }

 private:
  // Of queries that see no key: 0, as a product over no keys, so that backward finds its way to all three, with
  // gradients of 0, where no other block does.
  [[nodiscard]] static at::Tensor sumOfNothing(const at::Tensor& query, const at::Tensor& key,
                                               const at::Tensor& value) {
    const std::int64_t heads = query.size(1);
    return weightedSum(scoresOf(query, repeatedHeads(key.narrow(2, 0, 0), heads)),
                       repeatedHeads(value.narrow(2, 0, 0), heads));
  }

  void putBlock(at::Tensor& target, std::int64_t first, const at::Tensor& query, const at::Tensor& key,
                const at::Tensor& value) const {
    const std::int64_t heads = query.size(1);
    const Block block{.firstQuery = first, .queries = query.size(2), .keys = m_keysOf(m_problem, first, query.size(2))};
    if (block.keys.empty()) {
      target.copy_(sumOfNothing(query, key, value));
      return;
    }
    const at::Tensor keys = repeatedHeads(gathered(key, block.keys), heads);
    const at::Tensor values = repeatedHeads(gathered(value, block.keys), heads);
    at::Tensor scores = scoresOf(query, keys);
    {
      const Stage stage("scale");
      scores.mul_(m_problem.effectiveScale());
    }
    // Out of place: backward needs what tanh gave.
    if (m_problem.softcap > 0) scores = softcapped(scores, m_problem.softcap);
    if (hasBias(m_problem)) scores = withBias(scores, biasOf(m_problem, first, block.queries, block.keys));
    at::Tensor hidden;
    if (!isWhollySeen(m_problem, block)) {
      const Stage stage("mask");
      hidden = hiddenIn(m_problem, block, EmptyRows::kUnmasked);
      scores.masked_fill_(hidden, -std::numeric_limits<double>::infinity());
    }
    const at::Tensor probabilities = probabilitiesOf(scores);
    const at::Tensor output = weightedSum(probabilities, values);
    target.copy_(m_sinks.defined() ? output.mul(shareBesideSink(rowSums(scores), m_sinks)) : output);
  }

  Problem m_problem;
  std::int64_t m_queryBlock;
  KeysOfBlock m_keysOf;
  at::Tensor m_emptyRows;
  at::Tensor m_sinks;
};

}  // namespace

std::unique_ptr<Implementation> makeMaskedBlocks(const Problem& problem, std::int64_t queryBlock, KeysOfBlock keysOf) {
  return std::make_unique<MaskedBlocks>(problem, queryBlock, keysOf);
}

}  // namespace attnscope::engine
