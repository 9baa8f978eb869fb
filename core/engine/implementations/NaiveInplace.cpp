// SPDX-License-Identifier: Apache-2.0
#include "core/engine/implementations/NaiveInplace.h"

#include <ATen/ops/_softmax.h>
#include <ATen/ops/empty.h>

#include <limits>

#include "core/engine/Extras.h"
#include "core/engine/Masks.h"
#include "core/engine/Stage.h"
#include "core/engine/implementations/Stages.h"

namespace attnscope::engine {
namespace {

class NaiveInplace final : public Implementation {
 public:
  explicit NaiveInplace(const Problem& problem)
      : m_problem(problem), m_mask(storedMask(problem)), m_bias(storedBias(problem)), m_sinks(sinkLogits(problem)) {}

  at::Tensor call(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value) const override {
    const std::int64_t heads = query.size(1);
    const at::Tensor keys = repeatedHeads(key, heads);
    const at::Tensor values = repeatedHeads(value, heads);
    at::Tensor scores = at::empty({query.size(0), heads, query.size(2), key.size(2)}, query.options());
    putScaledScores(scores, query, keys);
    if (m_problem.softcap > 0) softcapInPlace(scores, m_problem.softcap);
    if (m_bias.defined()) {
      const Stage stage("bias");
      scores.add_(m_bias);
    }
    if (m_mask.hidden.defined()) {
      const Stage stage("mask");
      scores.masked_fill_(m_mask.hidden, -std::numeric_limits<double>::infinity());
    }
    at::Tensor share;
    if (m_sinks.defined()) share = shareBesideSink(rowSums(scores), m_sinks);
    {
      const Stage stage("softmax");
      at::_softmax_out(scores, scores, -1, /*half_to_float=*/false);
    }
    if (m_problem.dropout > 0) {
      const at::Tensor kept = keptByDropout(m_problem);
      const Stage stage("dropout");
      scores.mul_(kept).mul_(1.0 / (1.0 - m_problem.dropout));
    }
    at::Tensor output = weightedSum(scores, values);
    if (share.defined()) output.mul_(share);
    clearRows(output, m_mask.emptyRows);
    return output;
  }

 private:
  void putScaledScores(at::Tensor& scores, const at::Tensor& query, const at::Tensor& keys) const {
    const Stage stage("scores");
    const std::int64_t products = query.size(0) * query.size(1);
    at::Tensor flat = scores.view({products, scores.size(2), scores.size(3)});
    flat.baddbmm_(query.reshape({products, query.size(2), query.size(3)}),
                  keys.reshape({products, keys.size(2), keys.size(3)}).transpose(1, 2), /*beta=*/0,
                  m_problem.effectiveScale());
  }

  Problem m_problem;
  StoredMask m_mask;
  at::Tensor m_bias;
  at::Tensor m_sinks;
};

}  // namespace

ImplementationEntry naiveInplace() {
  return {.id = "naive.inplace", .make = [](const Problem& problem) -> std::unique_ptr<Implementation> {
            return std::make_unique<NaiveInplace>(problem);
          }};
}

}  // namespace attnscope::engine
