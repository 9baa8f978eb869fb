// SPDX-License-Identifier: Apache-2.0
#include "core/engine/implementations/SdpaFlash.h"

#include "core/engine/Extras.h"
#include "core/engine/Inputs.h"
#include "core/engine/Masks.h"
#include "core/engine/implementations/Fused.h"
#include "core/engine/implementations/Stages.h"

namespace attnscope::engine {
namespace {

enum class Repeat : std::uint8_t { kNothing, kKeysAndValues };

class SdpaFlash final : public Implementation {
 public:
  SdpaFlash(const Problem& problem, Repeat repeat)
      : m_repeat(repeat), m_scale(problem.scale), m_sinks(sinkLogits(problem)) {
    m_mask.causal = isTopLeftCausal(problem);
    if (hasBias(problem) || (isMasked(problem) && !m_mask.causal)) {
      m_mask.added = additiveMask(problem, scalarTypeOf(problem.dtype));
    }
  }

  at::Tensor call(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value) const override {
    if (m_repeat == Repeat::kNothing) return attend(query, key, value);
    const at::Tensor keys = repeatedHeads(key, query.size(1));
    const at::Tensor values = repeatedHeads(value, query.size(1));
    return attend(query, keys, values);
  }

 private:
  [[nodiscard]] at::Tensor attend(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value) const {
    FusedResult result = fused(query, key, value, m_mask, m_scale);
    if (m_sinks.defined()) result.output.mul_(shareBesideSink(result.rowSums, m_sinks));
    return result.output;
  }

  Repeat m_repeat;
  std::optional<double> m_scale;
  at::Tensor m_sinks;
  FusedMask m_mask;
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
