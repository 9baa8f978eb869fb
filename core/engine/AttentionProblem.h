// SPDX-License-Identifier: Apache-2.0
#pragma once

// The shape that an implementation is run on: self-attention in float32, queries as many as keys. Plain values.

#include <cstdint>

namespace attnscope::engine {

struct AttentionProblem {
  std::int64_t batch = 1;
  std::int64_t heads = 8;
  std::int64_t sequence = 512;
  std::int64_t headDimension = 64;
  bool causal = true;

  [[nodiscard]] std::int64_t modelDimension() const { return heads * headDimension; }
};

}  // namespace attnscope::engine
