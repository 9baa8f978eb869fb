// SPDX-License-Identifier: Apache-2.0
#include "core/problem/KeyBlocks.h"

#include <algorithm>

#include "core/problem/MaskTable.h"

namespace attnscope {
namespace {

void markSeen(const Problem& problem, std::int64_t query, std::int64_t keyBlock, std::vector<bool>& seen) {
  if (const MaskTable* table = tableOf(problem.mask)) {
    for (std::int64_t key = 0; key < table->keys; ++key) {
      if (table->sees(query, key)) seen[static_cast<std::size_t>(key / keyBlock)] = true;
    }
    return;
  }
  const KeyRange range = keysSeenBy(problem, query);
  if (range.size() == 0) return;
  for (std::int64_t block = range.from / keyBlock; block <= (range.to - 1) / keyBlock; ++block) {
    seen[static_cast<std::size_t>(block)] = true;
  }
}

}  // namespace

KeyRange keysSeenByAny(const Problem& problem, std::int64_t firstQuery, std::int64_t queries) {
  KeyRange all{problem.keyValueLength, 0};
  for (std::int64_t query = firstQuery; query < firstQuery + queries; ++query) {
    const KeyRange range = keysSeenBy(problem, query);
    if (range.size() == 0) continue;
    all.from = std::min(all.from, range.from);
    all.to = std::max(all.to, range.to);
  }
  return all.to > all.from ? all : KeyRange{};
}

std::vector<KeyRange> blocksSeenByAny(const Problem& problem, std::int64_t firstQuery, std::int64_t queries,
                                      std::int64_t keyBlock) {
  const std::int64_t blocks = (problem.keyValueLength + keyBlock - 1) / keyBlock;
  std::vector<bool> seen(static_cast<std::size_t>(blocks), false);
  for (std::int64_t query = firstQuery; query < firstQuery + queries; ++query) {
    markSeen(problem, query, keyBlock, seen);
  }
  std::vector<KeyRange> ranges;
  for (std::int64_t block = 0; block < blocks; ++block) {
    if (!seen[static_cast<std::size_t>(block)]) continue;
    const std::int64_t from = block * keyBlock;
    const std::int64_t to = std::min(from + keyBlock, problem.keyValueLength);
    if (!ranges.empty() && ranges.back().to == from) {
      ranges.back().to = to;
    } else {
      ranges.push_back({from, to});
    }
  }
  return ranges;
}

std::int64_t keysIn(const std::vector<KeyRange>& ranges) {
  std::int64_t keys = 0;
  for (const KeyRange& range : ranges) keys += range.size();
  return keys;
}

}  // namespace attnscope
