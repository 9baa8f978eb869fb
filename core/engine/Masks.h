// SPDX-License-Identifier: Apache-2.0
#pragma once

// A problem's mask as tensors: what the implementations that store one hold for a problem, and parts of it for those
// that compute in blocks.

#include <ATen/core/Tensor.h>

#include "core/problem/Problem.h"

namespace attnscope::engine {

struct RowRange {
  std::int64_t first = 0;
  std::int64_t count = 0;
};

[[nodiscard]] bool isMasked(const Problem& problem);
// [rows, M], true where a query does not see a key. O(rows M).
[[nodiscard]] at::Tensor hiddenKeys(const Problem& problem, RowRange rows);
// The queries that see no key at all, in order; undefined where every query sees one. O(N).
[[nodiscard]] at::Tensor emptyRows(const Problem& problem);

// Softmax over a row of nothing is NaN. Rows that see nothing are left unmasked here, and their output is set to 0
// afterwards: so their gradients are 0 and not NaN.
struct StoredMask {
  at::Tensor hidden;     // [N, M], true where it hides; undefined without a mask
  at::Tensor emptyRows;  // as above
};
[[nodiscard]] StoredMask storedMask(const Problem& problem);
// Of `type`, 0 where a query sees a key and -inf where not, and a bias where the problem has one: what SDPA adds to the
// scores. [N, M]; with ALiBi [1, Hq, N, M].
[[nodiscard]] at::Tensor additiveMask(const Problem& problem, at::ScalarType type);
// The mask that PyTorch calls is_causal, which needs no tensor there.
[[nodiscard]] bool isTopLeftCausal(const Problem& problem);  // and has no bias, which needs one
// output: [..., N, V].
void clearRows(at::Tensor& output, const at::Tensor& rows);

}  // namespace attnscope::engine
