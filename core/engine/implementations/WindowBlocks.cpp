// SPDX-License-Identifier: Apache-2.0
#include "core/engine/implementations/WindowBlocks.h"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <limits>

#include "core/engine/Masks.h"
#include "core/engine/Stage.h"
#include "core/engine/implementations/Blocks.h"
#include "core/engine/implementations/Stages.h"
#include "core/problem/Cards.h"

namespace attnscope::engine {
namespace {

class WindowBlocks final : public Implementation {
 public:
  explicit WindowBlocks(const Problem& problem) : m_problem(problem), m_emptyRows(emptyRows(problem)) {}

  at::Tensor call(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value) const override {
    at::Tensor output = at::empty({query.size(0), query.size(1), query.size(2), value.size(3)}, query.options());
    for (std::int64_t first = 0; first < m_problem.queryLength; first += kWindowQueryBlock) {
      const std::int64_t queries = std::min(kWindowQueryBlock, m_problem.queryLength - first);
      at::Tensor target = output.narrow(2, first, queries);
      putBlock(target, first, query.narrow(2, first, queries), key, value);
    }
    clearRows(output, m_emptyRows);
    return output;
  }

 private:
  void putBlock(at::Tensor& target, std::int64_t first, const at::Tensor& query, const at::Tensor& key,
                const at::Tensor& value) const {
    const std::int64_t heads = query.size(1);
    const KeyRange seen = keysSeenByAny(m_problem, first, query.size(2));
    if (seen.size() == 0) {
      target.zero_();
      return;
    }
    const Block block{.firstQuery = first, .queries = query.size(2), .firstKey = seen.from, .keys = seen.size()};
    const at::Tensor keys = repeatedHeads(key.narrow(2, block.firstKey, block.keys), heads);
    const at::Tensor values = repeatedHeads(value.narrow(2, block.firstKey, block.keys), heads);
    at::Tensor scores = scoresOf(query, keys);
    {
      const Stage stage("scale");
      scores.mul_(m_problem.effectiveScale());
    }
    at::Tensor hidden;
    if (!isWhollySeen(m_problem, block)) {
      const Stage stage("mask");
      hidden = hiddenIn(m_problem, block, EmptyRows::kUnmasked);
      scores.masked_fill_(hidden, -std::numeric_limits<double>::infinity());
    }
    const at::Tensor probabilities = probabilitiesOf(scores);
    target.copy_(weightedSum(probabilities, values));
  }

  Problem m_problem;
  at::Tensor m_emptyRows;
};

}  // namespace

ImplementationEntry windowBlocks() {
  return {.id = "window.blocks", .make = [](const Problem& problem) -> std::unique_ptr<Implementation> {
            return std::make_unique<WindowBlocks>(problem);
          }};
}

}  // namespace attnscope::engine
