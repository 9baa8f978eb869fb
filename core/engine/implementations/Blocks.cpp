// SPDX-License-Identifier: Apache-2.0
#include "core/engine/implementations/Blocks.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>

#include <algorithm>

#include "core/engine/Stage.h"
#include "core/problem/MaskTable.h"

namespace attnscope::engine {
namespace {

void fillRow(const KeyRange& seen, const KeyRange& keys, bool* row) {
  const std::int64_t from = std::clamp<std::int64_t>(seen.from - keys.from, 0, keys.size());
  const std::int64_t to = std::clamp<std::int64_t>(seen.to - keys.from, from, keys.size());
  std::fill(row, row + from, true);
  std::fill(row + from, row + to, false);
  std::fill(row + to, row + keys.size(), true);
}

void fillRow(const MaskTable& table, std::int64_t query, const KeyRange& keys, bool* row) {
  for (std::int64_t key = keys.from; key < keys.to; ++key) *row++ = !table.sees(query, key);
}

}  // namespace

bool isWhollySeen(const Problem& problem, const Block& block) {
  return attnscope::isWhollySeen(problem, block.firstQuery, block.queries, block.keys);
}

at::Tensor hiddenIn(const Problem& problem, const Block& block, EmptyRows empty) {
  const MaskTable* table = tableOf(problem.mask);
  const KeyRange all{.from = 0, .to = problem.keyValueLength};
  at::Tensor hidden = at::empty({block.queries, keysIn(block.keys)}, at::kBool);
  bool* row = hidden.mutable_data_ptr<bool>();
  for (std::int64_t query = block.firstQuery; query < block.firstQuery + block.queries; ++query) {
    const KeyRange seen = keysSeenBy(problem, query);
    const bool unmasked = seen.size() == 0 && empty == EmptyRows::kUnmasked;
    for (const KeyRange& keys : block.keys) {
      if (table != nullptr && !unmasked) {
        fillRow(*table, query, keys, row);
      } else {
        fillRow(unmasked ? all : seen, keys, row);
      }
      row += keys.size();
    }
  }
  return hidden;
}

at::Tensor gathered(const at::Tensor& tensor, const std::vector<KeyRange>& keys) {
  if (keys.size() == 1) return tensor.narrow(2, keys.front().from, keys.front().size());
  const Stage stage("copy");
  std::vector<at::Tensor> parts;
  parts.reserve(keys.size());
  for (const KeyRange& range : keys) parts.push_back(tensor.narrow(2, range.from, range.size()));
  return at::cat(parts, 2);
}

}  // namespace attnscope::engine
