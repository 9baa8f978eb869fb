// SPDX-License-Identifier: Apache-2.0
#include "core/engine/implementations/SdpaFlash.h"

#include <ATen/ops/scaled_dot_product_attention.h>

#include "core/engine/Stage.h"

namespace attnscope::engine {
namespace {

class SdpaFlash final : public Implementation {
 public:
  explicit SdpaFlash(const AttentionProblem& problem) : m_causal(problem.causal) {}

  at::Tensor forward(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value) const override {
    const Stage stage("fused");
    return at::scaled_dot_product_attention(query, key, value, std::nullopt, 0.0, m_causal);
  }

 private:
  bool m_causal;
};

}  // namespace

ImplementationEntry sdpaFlash() {
  return {.id = "sdpa.flash",
          .title = "SDPA flash",
          .make = [](const AttentionProblem& problem) -> std::unique_ptr<Implementation> {
            return std::make_unique<SdpaFlash>(problem);
          }};
}

}  // namespace attnscope::engine
