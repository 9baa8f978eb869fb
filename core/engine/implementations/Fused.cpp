// SPDX-License-Identifier: Apache-2.0
#include "core/engine/implementations/Fused.h"

#include <ATen/ops/_scaled_dot_product_flash_attention_for_cpu.h>
#include <ATen/ops/logaddexp.h>

#include "core/engine/Stage.h"

namespace attnscope::engine {

FusedResult fused(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value, const FusedMask& mask,
                  std::optional<double> scale) {
  const Stage stage("fused");
  auto [output, rowSums] = at::_scaled_dot_product_flash_attention_for_cpu(query, key, value, /*dropout_p=*/0.0,
                                                                           mask.causal, mask.added, scale);
  return {.output = output, .rowSums = rowSums.unsqueeze(-1)};
}

void MergedParts::add(const FusedResult& part) {
  const Stage stage("merge");
  const at::Tensor output = part.output.to(part.rowSums.scalar_type());
  if (empty()) {
    m_output = output;
    m_rowSums = part.rowSums;
    return;
  }
  const at::Tensor together = at::logaddexp(m_rowSums, part.rowSums);
  m_output = m_output.mul(m_rowSums.sub(together).exp_()).add_(output.mul(part.rowSums.sub(together).exp_()));
  m_rowSums = together;
}

}  // namespace attnscope::engine
