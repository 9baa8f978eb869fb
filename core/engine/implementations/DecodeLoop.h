// SPDX-License-Identifier: Apache-2.0
#pragma once

// The loop of a generator (CardsDecode.cpp): its steps one after the other, each with one more token in the cache. What
// a cache is, is up to who derives from it.

#include <ATen/core/Tensor.h>

#include "core/engine/Implementation.h"
#include "core/engine/implementations/Fused.h"

namespace attnscope::engine {

class DecodeLoop : public Implementation {
 public:
  explicit DecodeLoop(const Problem& problem);
  at::Tensor call(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value) const final;

 protected:
  // A cache during one call.
  class Cache {
   public:
    Cache() = default;
    Cache(const Cache&) = delete;
    Cache& operator=(const Cache&) = delete;
    virtual ~Cache() = default;
    // Of token `position`: [B, Hk, 1, .]. Every token of the call comes once, in order.
    virtual void append(std::int64_t position, const at::Tensor& key, const at::Tensor& value) = 0;
    // Of the g query heads of each key head [B, Hk, g, D] over the tokens of the range; `bias` may be undefined, else
    // [1, 1 or Hk, 1 or g, tokens].
    [[nodiscard]] virtual FusedResult attend(const at::Tensor& query, KeyRange tokens,
                                             const at::Tensor& bias) const = 0;
  };

  // With the first `prompt` tokens of these in it.
  [[nodiscard]] virtual std::unique_ptr<Cache> cacheOf(const at::Tensor& key, const at::Tensor& value) const = 0;
  [[nodiscard]] const Problem& problem() const { return m_problem; }
  // Tokens that were there before the first step.
  [[nodiscard]] std::int64_t prompt() const { return m_problem.keyValueLength - m_problem.queryLength; }

 private:
  [[nodiscard]] at::Tensor biasOfStep(std::int64_t step, KeyRange tokens) const;

  Problem m_problem;
  at::Tensor m_sinks;
};

}  // namespace attnscope::engine
