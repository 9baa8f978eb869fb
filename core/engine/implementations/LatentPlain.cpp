// SPDX-License-Identifier: Apache-2.0
#include "core/engine/implementations/LatentPlain.h"

#include <limits>

#include "core/engine/Inputs.h"
#include "core/engine/Masks.h"
#include "core/engine/Stage.h"
#include "core/engine/implementations/Stages.h"

namespace attnscope::engine {
namespace {

class LatentPlain final : public Implementation {
 public:
  explicit LatentPlain(const Problem& problem)
      : m_scale(problem.effectiveScale()), m_latent(makeLatent(problem)), m_mask(storedMask(problem)) {}

  at::Tensor call(const at::Tensor& query, const at::Tensor& /*key*/, const at::Tensor& /*value*/) const override {
    const Expanded made = [this] {
      const Stage stage("expand");
      return expanded(m_latent);
    }();
    at::Tensor scores = scoresOf(query, made.key);
    {
      const Stage stage("scale");
      scores.mul_(m_scale);
    }
    if (m_mask.hidden.defined()) {
      const Stage stage("mask");
      scores.masked_fill_(m_mask.hidden, -std::numeric_limits<double>::infinity());
    }
    const at::Tensor probabilities = probabilitiesOf(scores);
    at::Tensor output = weightedSum(probabilities, made.value);
    clearRows(output, m_mask.emptyRows);
    return output;
  }

 private:
  double m_scale;
  Latent m_latent;
  StoredMask m_mask;
};

}  // namespace

ImplementationEntry mlaPlain() {
  return {.id = "mla.plain", .make = [](const Problem& problem) -> std::unique_ptr<Implementation> {
            return std::make_unique<LatentPlain>(problem);
          }};
}

}  // namespace attnscope::engine
