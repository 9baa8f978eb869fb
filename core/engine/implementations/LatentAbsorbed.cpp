// SPDX-License-Identifier: Apache-2.0
#include "core/engine/implementations/LatentAbsorbed.h"

#include <ATen/ops/bmm.h>

#include <limits>

#include "core/engine/Inputs.h"
#include "core/engine/Masks.h"
#include "core/engine/Stage.h"
#include "core/engine/implementations/Stages.h"

namespace attnscope::engine {
namespace {

// tensor [B, H, N, x] times a matrix of each head [H, x, y]: [B, H, N, y], a view of memory [H, B, N, y]. The sequences
// of a head are one product: the weights are not copied for each.
at::Tensor byHead(const at::Tensor& tensor, const at::Tensor& weights) {
  return at::bmm(tensor.transpose(0, 1).flatten(1, 2), weights)
      .unflatten(1, {tensor.size(0), tensor.size(2)})
      .transpose(0, 1);
}

class LatentAbsorbed final : public Implementation {
 public:
  explicit LatentAbsorbed(const Problem& problem)
      : m_problem(problem), m_latent(makeLatent(problem)), m_mask(storedMask(problem)) {}

  at::Tensor call(const at::Tensor& query, const at::Tensor& /*key*/, const at::Tensor& /*value*/) const override {
    at::Tensor scores = scoresInLatent(query);
    {
      const Stage stage("scale");
      scores.mul_(m_problem.effectiveScale());
    }
    if (m_mask.hidden.defined()) {
      const Stage stage("mask");
      scores.masked_fill_(m_mask.hidden, -std::numeric_limits<double>::infinity());
    }
    const at::Tensor probabilities = probabilitiesOf(scores);
    at::Tensor sums;
    {
      const Stage stage("weighted_sum");
      sums =
          at::bmm(probabilities.flatten(1, 2), m_latent.vectors).unflatten(1, {m_problem.heads, m_problem.queryLength});
    }
    const Stage stage("expand");
    at::Tensor output = byHead(sums, m_latent.valueWeights.transpose(1, 2));
    clearRows(output, m_mask.emptyRows);
    return output;
  }

 private:
  // [B, Hq, N, M]; the heads of a sequence are one product, that reads the cache once.
  [[nodiscard]] at::Tensor scoresInLatent(const at::Tensor& query) const {
    const std::int64_t plain = m_problem.headSize - m_problem.ropeSize;
    at::Tensor absorbed;
    {
      const Stage stage("absorb");
      absorbed = byHead(query.narrow(-1, 0, plain), m_latent.keyWeights).flatten(1, 2);
    }
    const Stage stage("scores");
    at::Tensor scores = at::bmm(absorbed, m_latent.vectors.transpose(1, 2));
    if (m_problem.ropeSize > 0) {
      scores.baddbmm_(query.narrow(-1, plain, m_problem.ropeSize).flatten(1, 2), m_latent.rope.transpose(1, 2));
    }
    return scores.unflatten(1, {m_problem.heads, m_problem.queryLength});
  }

  Problem m_problem;
  Latent m_latent;
  StoredMask m_mask;
};

}  // namespace

ImplementationEntry mlaAbsorbed() {
  return {.id = "mla.absorbed", .make = [](const Problem& problem) -> std::unique_ptr<Implementation> {
            return std::make_unique<LatentAbsorbed>(problem);
          }};
}

}  // namespace attnscope::engine
