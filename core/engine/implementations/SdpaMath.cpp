// SPDX-License-Identifier: Apache-2.0
#include "core/engine/implementations/SdpaMath.h"

#include <ATen/ops/_scaled_dot_product_attention_math.h>

#include "core/engine/Extras.h"
#include "core/engine/Inputs.h"
#include "core/engine/Masks.h"

namespace attnscope::engine {
namespace {

class SdpaMath final : public Implementation {
 public:
  explicit SdpaMath(const Problem& problem)
      : m_problem(problem), m_causal(isTopLeftCausal(problem)), m_grouped(problem.heads != problem.keyValueHeads) {
    if (hasBias(problem) || (isMasked(problem) && !m_causal))
      m_mask = additiveMask(problem, scalarTypeOf(problem.dtype));
  }

  at::Tensor call(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value) const override {
    // Drawn by us and not in the operator, so that what it keeps is known: the cost of drawing is in the call as there.
    std::optional<at::Tensor> kept;
    if (m_problem.dropout > 0) kept = keptByDropout(m_problem);
    return std::get<0>(at::_scaled_dot_product_attention_math(query, key, value, m_mask, m_problem.dropout, m_causal,
                                                              kept, m_problem.scale, m_grouped));
  }

 private:
  Problem m_problem;
  bool m_causal;
  bool m_grouped;
  std::optional<at::Tensor> m_mask;
};

}  // namespace

ImplementationEntry sdpaMath() {
  return {.id = "sdpa.math", .make = [](const Problem& problem) -> std::unique_ptr<Implementation> {
            return std::make_unique<SdpaMath>(problem);
          }};
}

}  // namespace attnscope::engine
