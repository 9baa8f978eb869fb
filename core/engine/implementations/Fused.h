// SPDX-License-Identifier: Apache-2.0
#pragma once

// LibTorch's flash kernel for the CPU, and what is put together from several calls of it.

#include <ATen/core/Tensor.h>

#include <optional>

namespace attnscope::engine {

struct FusedResult {
  at::Tensor output;   // [B, Hq, N, V]
  at::Tensor rowSums;  // [B, Hq, N, 1], log sum exp of each row, float (double for double); 0 where a row sees nothing
};
struct FusedMask {
  bool causal = false;              // top-left
  std::optional<at::Tensor> added;  // [N, M], or with leading dimensions: -inf hides
};
// Heads of keys may be fewer. One annotation, "fused".
[[nodiscard]] FusedResult fused(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                                const FusedMask& mask, std::optional<double> scale);

// Attention over keys that come in parts, each of which every row sees something of: the outputs are weighed by their
// rows' sums, in float (double for double).
class MergedParts {
 public:
  void add(const FusedResult& part);
  [[nodiscard]] bool empty() const { return !m_output.defined(); }
  [[nodiscard]] const at::Tensor& output() const { return m_output; }  // [B, Hq, N, V]
  [[nodiscard]] const at::Tensor& rowSums() const { return m_rowSums; }

 private:
  at::Tensor m_output, m_rowSums;
};

}  // namespace attnscope::engine
