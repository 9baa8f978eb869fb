// SPDX-License-Identifier: Apache-2.0
#include "core/engine/implementations/DecodePreallocated.h"

#include <ATen/ops/empty.h>

#include "core/engine/Inputs.h"
#include "core/engine/implementations/DecodeLoop.h"

namespace attnscope::engine {
namespace {

class DecodePreallocated final : public DecodeLoop {
 public:
  explicit DecodePreallocated(const Problem& problem) : DecodeLoop(problem) {
    const auto cache = [&](std::int64_t size) {
      return at::empty({problem.batch, problem.keyValueHeads, problem.keyValueLength, size},
                       scalarTypeOf(problem.dtype));
    };
    m_keys = cache(problem.headSize);
    m_values = cache(problem.valueHeadSize);
  }

  void prepare(const at::Tensor& /*query*/, const at::Tensor& key, const at::Tensor& value) override {
    m_keys.narrow(2, 0, prompt()).copy_(key.narrow(2, 0, prompt()));
    m_values.narrow(2, 0, prompt()).copy_(value.narrow(2, 0, prompt()));
  }

 private:
  class Allocated final : public Cache {
   public:
    Allocated(const Problem& problem, at::Tensor keys, at::Tensor values)
        : m_scale(problem.scale), m_keys(std::move(keys)), m_values(std::move(values)) {}

    void append(std::int64_t position, const at::Tensor& key, const at::Tensor& value) override {
      m_keys.narrow(2, position, 1).copy_(key);
      m_values.narrow(2, position, 1).copy_(value);
    }
    [[nodiscard]] FusedResult attend(const at::Tensor& query, KeyRange tokens, const at::Tensor& bias) const override {
      FusedMask mask;
      if (bias.defined()) mask.added = bias;
      return fused(query, m_keys.narrow(2, tokens.from, tokens.size()), m_values.narrow(2, tokens.from, tokens.size()),
                   mask, m_scale);
    }

   private:
    std::optional<double> m_scale;
    at::Tensor m_keys, m_values;  // share the memory of the implementation's
  };

  [[nodiscard]] std::unique_ptr<Cache> cacheOf(const at::Tensor& /*key*/, const at::Tensor& /*value*/) const override {
    return std::make_unique<Allocated>(problem(), m_keys, m_values);
  }

  at::Tensor m_keys, m_values;
};

}  // namespace

ImplementationEntry decodePreallocated() {
  return {.id = "decode.preallocated", .make = [](const Problem& problem) -> std::unique_ptr<Implementation> {
            return std::make_unique<DecodePreallocated>(problem);
          }};
}

}  // namespace attnscope::engine
