// SPDX-License-Identifier: Apache-2.0
#pragma once

// One way to compute attention. Its id is the id of its card (core/problem/Cards.h), which says what it supports, what
// it allocates and in which order its operators come. An implementation is made for one problem (what does not
// depend on the inputs, such as a mask, is made then) and is used by one thread at a time.

#include <ATen/core/Tensor.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "core/problem/Problem.h"

namespace attnscope::engine {

class Inside;  // InsideView.h

class Implementation {
 public:
  Implementation() = default;
  Implementation(const Implementation&) = delete;
  Implementation& operator=(const Implementation&) = delete;
  virtual ~Implementation() = default;

  // query [B, Hq, N, D], key [B, Hk, M, D], value [B, Hk, M, V]; the output is [B, Hq, N, V], its memory in any order.
  // Throws c10::Error as ATen does.
  [[nodiscard]] virtual at::Tensor call(const at::Tensor& query, const at::Tensor& key,
                                        const at::Tensor& value) const = 0;

  // Once, before the first call, with the tensors that each call of attention alone will get: for what a generator has
  // in its cache before it goes on. Not in a block, where every call makes its own.
  virtual void prepare(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value);

  // Null where a call cannot be looked into. Lives as long as the implementation.
  [[nodiscard]] virtual Inside* inside();
};

struct ImplementationEntry {
  const char* id;
  // For a problem that the card does not refuse.
  std::function<std::unique_ptr<Implementation>(const Problem&)> make;
  // What is refused beyond what the card says; may be empty.
  std::function<std::optional<std::string>(const Problem&)> refusal = nullptr;
};

}  // namespace attnscope::engine
