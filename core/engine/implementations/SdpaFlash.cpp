// SPDX-License-Identifier: Apache-2.0
#include "core/engine/implementations/SdpaFlash.h"

#include <ATen/ops/_scaled_dot_product_flash_attention_for_cpu.h>

#include "core/engine/Inputs.h"
#include "core/engine/Masks.h"
#include "core/engine/Stage.h"
#include "core/engine/implementations/Stages.h"

namespace attnscope::engine {
namespace {

enum class Repeat : std::uint8_t { kNothing, kKeysAndValues };

class SdpaFlash final : public Implementation {
 public:
  SdpaFlash(const Problem& problem, Repeat repeat)
      : m_repeat(repeat), m_causal(isTopLeftCausal(problem)), m_scale(problem.scale) {
    if (isMasked(problem) && !m_causal) m_mask = additiveMask(problem, scalarTypeOf(problem.dtype));
  }

  at::Tensor call(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value) const override {
    if (m_repeat == Repeat::kNothing) return fused(query, key, value);
    const at::Tensor keys = repeatedHeads(key, query.size(1));
    const at::Tensor values = repeatedHeads(value, query.size(1));
    return fused(query, keys, values);
  }

 private:
  [[nodiscard]] at::Tensor fused(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value) const {
    const Stage stage("fused");
    return std::get<0>(at::_scaled_dot_product_flash_attention_for_cpu(query, key, value, /*dropout_p=*/0.0, m_causal,
                                                                       m_mask, m_scale));
  }

  Repeat m_repeat;
  bool m_causal;
  std::optional<double> m_scale;
  std::optional<at::Tensor> m_mask;
};

}  // namespace

ImplementationEntry sdpaFlash() {
  return {.id = "sdpa.flash", .make = [](const Problem& problem) -> std::unique_ptr<Implementation> {
            return std::make_unique<SdpaFlash>(problem, Repeat::kNothing);
          }};
}

ImplementationEntry gqaRepeat() {
  return {.id = "gqa.repeat", .make = [](const Problem& problem) -> std::unique_ptr<Implementation> {
            return std::make_unique<SdpaFlash>(problem, Repeat::kKeysAndValues);
          }};
}

}  // namespace attnscope::engine
