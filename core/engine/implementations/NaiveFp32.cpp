// SPDX-License-Identifier: Apache-2.0
#include "core/engine/implementations/NaiveFp32.h"

#include "core/engine/Masks.h"
#include "core/engine/Stage.h"
#include "core/engine/implementations/Stages.h"

namespace attnscope::engine {
namespace {

at::Tensor converted(const at::Tensor& tensor, at::ScalarType type) {
  if (tensor.scalar_type() == type) return tensor;
  const Stage stage("copy");
  return tensor.to(type);
}

class NaiveFp32 final : public Implementation {
 public:
  explicit NaiveFp32(const Problem& problem) : m_scale(problem.effectiveScale()), m_mask(storedMask(problem)) {}

  at::Tensor call(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value) const override {
    const at::Tensor keys = repeatedHeads(key, query.size(1));
    const at::Tensor values = repeatedHeads(value, query.size(1));
    const at::Tensor query32 = converted(query, at::kFloat);
    const at::Tensor keys32 = converted(keys, at::kFloat);
    const at::Tensor raw = scoresOf(query32, keys32);
    const at::Tensor scores = scaled(raw, m_scale);
    at::Tensor visible;
    if (m_mask.hidden.defined()) visible = masked(scores, m_mask.hidden);
    const at::Tensor probabilities32 = probabilitiesOf(visible.defined() ? visible : scores);
    const at::Tensor probabilities = converted(probabilities32, value.scalar_type());
    at::Tensor output = weightedSum(probabilities, values);
    clearRows(output, m_mask.emptyRows);
    return output;
  }

 private:
  double m_scale;
  StoredMask m_mask;
};

}  // namespace

ImplementationEntry naiveFp32() {
  return {.id = "naive.fp32", .make = [](const Problem& problem) -> std::unique_ptr<Implementation> {
            return std::make_unique<NaiveFp32>(problem);
          }};
}

}  // namespace attnscope::engine
