// SPDX-License-Identifier: Apache-2.0
#include "core/engine/implementations/SdpaMath.h"

#include <ATen/ops/_scaled_dot_product_attention_math.h>

#include "core/engine/Inputs.h"
#include "core/engine/Masks.h"

namespace attnscope::engine {
namespace {

class SdpaMath final : public Implementation {
 public:
  explicit SdpaMath(const Problem& problem)
      : m_causal(isTopLeftCausal(problem)), m_grouped(problem.heads != problem.keyValueHeads), m_scale(problem.scale) {
    if (isMasked(problem) && !m_causal) m_mask = additiveMask(problem, scalarTypeOf(problem.dtype));
  }

  at::Tensor call(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value) const override {
    return std::get<0>(at::_scaled_dot_product_attention_math(query, key, value, m_mask, /*dropout_p=*/0.0, m_causal,
                                                              /*dropout_mask=*/std::nullopt, m_scale, m_grouped));
  }

 private:
  bool m_causal;
  bool m_grouped;
  std::optional<double> m_scale;
  std::optional<at::Tensor> m_mask;
};

}  // namespace

ImplementationEntry sdpaMath() {
  return {.id = "sdpa.math", .make = [](const Problem& problem) -> std::unique_ptr<Implementation> {
            return std::make_unique<SdpaMath>(problem);
          }};
}

}  // namespace attnscope::engine
