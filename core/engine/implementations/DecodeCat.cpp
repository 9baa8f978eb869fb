// SPDX-License-Identifier: Apache-2.0
#include "core/engine/implementations/DecodeCat.h"

#include <ATen/ops/cat.h>

#include "core/engine/implementations/DecodeLoop.h"

namespace attnscope::engine {
namespace {

class DecodeCat final : public DecodeLoop {
 public:
  using DecodeLoop::DecodeLoop;

 private:
  class Grown final : public Cache {
   public:
    Grown(const Problem& problem, at::Tensor keys, at::Tensor values)
        : m_scale(problem.scale), m_keys(std::move(keys)), m_values(std::move(values)) {}

    void append(std::int64_t /*position*/, const at::Tensor& key, const at::Tensor& value) override {
      m_keys = at::cat({m_keys, key}, 2);
      m_values = at::cat({m_values, value}, 2);
    }
    [[nodiscard]] FusedResult attend(const at::Tensor& query, KeyRange tokens, const at::Tensor& bias) const override {
      FusedMask mask;
      if (bias.defined()) mask.added = bias;
      return fused(query, m_keys.narrow(2, tokens.from, tokens.size()), m_values.narrow(2, tokens.from, tokens.size()),
                   mask, m_scale);
    }

   private:
    std::optional<double> m_scale;
    at::Tensor m_keys, m_values;
  };

  [[nodiscard]] std::unique_ptr<Cache> cacheOf(const at::Tensor& key, const at::Tensor& value) const override {
    return std::make_unique<Grown>(problem(), key.narrow(2, 0, prompt()), value.narrow(2, 0, prompt()));
  }
};

}  // namespace

ImplementationEntry decodeCat() {
  return {.id = "decode.cat", .make = [](const Problem& problem) -> std::unique_ptr<Implementation> {
            return std::make_unique<DecodeCat>(problem);
          }};
}

}  // namespace attnscope::engine
