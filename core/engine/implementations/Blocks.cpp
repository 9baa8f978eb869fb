// SPDX-License-Identifier: Apache-2.0
#include "core/engine/implementations/Blocks.h"

#include <ATen/ops/empty.h>

#include <algorithm>

namespace attnscope::engine {

KeyRange keysSeenByAny(const Problem& problem, std::int64_t firstQuery, std::int64_t queries) {
  KeyRange all{.from = problem.keyValueLength, .to = 0};
  for (std::int64_t query = firstQuery; query < firstQuery + queries; ++query) {
    const KeyRange range = keysSeenBy(problem, query);
    if (range.size() == 0) continue;
    all.from = std::min(all.from, range.from);
    all.to = std::max(all.to, range.to);
  }
  return all.to > all.from ? all : KeyRange{};
}

bool isWhollySeen(const Problem& problem, const Block& block) {
  for (std::int64_t query = block.firstQuery; query < block.firstQuery + block.queries; ++query) {
    const KeyRange range = keysSeenBy(problem, query);
    if (range.from > block.firstKey || range.to < block.firstKey + block.keys) return false;
  }
  return true;
}

at::Tensor hiddenIn(const Problem& problem, const Block& block, EmptyRows empty) {
  at::Tensor hidden = at::empty({block.queries, block.keys}, at::kBool);
  bool* row = hidden.mutable_data_ptr<bool>();
  for (std::int64_t query = block.firstQuery; query < block.firstQuery + block.queries; ++query) {
    KeyRange range = keysSeenBy(problem, query);
    if (range.size() == 0 && empty == EmptyRows::kUnmasked) range = {.from = 0, .to = problem.keyValueLength};
    const std::int64_t from = std::clamp<std::int64_t>(range.from - block.firstKey, 0, block.keys);
    const std::int64_t to = std::clamp<std::int64_t>(range.to - block.firstKey, from, block.keys);
    std::fill(row, row + from, true);
    std::fill(row + from, row + to, false);
    std::fill(row + to, row + block.keys, true);
    row += block.keys;
  }
  return hidden;
}

}  // namespace attnscope::engine
