// SPDX-License-Identifier: Apache-2.0
#pragma once

// One way to compute attention. Its id is `family.variant` and its title is what a person reads. An implementation
// is made for one problem (what does not depend on the inputs, such as a mask, is made then) and is used by one
// thread at a time.

#include <ATen/core/Tensor.h>

#include <memory>

#include "core/engine/AttentionProblem.h"

namespace attnscope::engine {

class Implementation {
 public:
  Implementation() = default;
  Implementation(const Implementation&) = delete;
  Implementation& operator=(const Implementation&) = delete;
  virtual ~Implementation() = default;

  // query, key, value and the output: [batch, heads, sequence, headDimension]. Throws c10::Error as ATen does.
  [[nodiscard]] virtual at::Tensor forward(const at::Tensor& query, const at::Tensor& key,
                                           const at::Tensor& value) const = 0;
};

struct ImplementationEntry {
  const char* id;
  const char* title;
  std::unique_ptr<Implementation> (*make)(const AttentionProblem&);
};

}  // namespace attnscope::engine
