// SPDX-License-Identifier: Apache-2.0
#pragma once

// A mask that is given pair by pair: which keys each query sees, and what is added to its scores. Read from a NumPy
// file (.npy, versions 1 to 3) of shape [N, M], with leading dimensions of 1 allowed: booleans, true where a query
// sees a key (PyTorch's meaning), or an additive bias in float16, float32 or float64, -inf where it sees nothing.
// Immutable after reading; any thread.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/base/Result.h"
#include "core/problem/Problem.h"

namespace attnscope {

struct MaskTable {
  std::int64_t queries = 0;
  std::int64_t keys = 0;
  std::vector<std::uint8_t> visible;  // [queries, keys], 1 where the query sees the key
  std::vector<float> bias;            // [queries, keys]; empty for a boolean mask
  [[nodiscard]] bool sees(std::int64_t query, std::int64_t key) const { return visible[query * keys + key] != 0; }
};

// Errors: the file is not there, is no .npy, has another type, more than two dimensions that are not 1, or more than
// 2^30 entries.
[[nodiscard]] Result<std::shared_ptr<const MaskTable>> readMaskTable(const std::string& path);
// Reads the table of a FileMask that has none yet; every other problem stays as it is.
[[nodiscard]] Result<void> readMaskOf(Problem& problem);

}  // namespace attnscope
