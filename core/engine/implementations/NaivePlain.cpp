// SPDX-License-Identifier: Apache-2.0
#include "core/engine/implementations/NaivePlain.h"

#include "core/engine/Masks.h"
#include "core/engine/implementations/Stages.h"

namespace attnscope::engine {
namespace {

class NaivePlain final : public Implementation {
 public:
  explicit NaivePlain(const Problem& problem) : m_scale(problem.effectiveScale()), m_mask(storedMask(problem)) {}

  at::Tensor call(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value) const override {
    const at::Tensor keys = repeatedHeads(key, query.size(1));
    const at::Tensor values = repeatedHeads(value, query.size(1));
    const at::Tensor raw = scoresOf(query, keys);
    const at::Tensor scores = scaled(raw, m_scale);
    if (!m_mask.hidden.defined()) {
      const at::Tensor probabilities = probabilitiesOf(scores);
      return weightedSum(probabilities, values);
    }
    const at::Tensor visible = masked(scores, m_mask.hidden);
    const at::Tensor probabilities = probabilitiesOf(visible);
    at::Tensor output = weightedSum(probabilities, values);
    clearRows(output, m_mask.emptyRows);
    return output;
  }

 private:
  double m_scale;
  StoredMask m_mask;
};

}  // namespace

ImplementationEntry naivePlain() {
  return {.id = "naive.plain", .make = [](const Problem& problem) -> std::unique_ptr<Implementation> {
            return std::make_unique<NaivePlain>(problem);
          }};
}

}  // namespace attnscope::engine
