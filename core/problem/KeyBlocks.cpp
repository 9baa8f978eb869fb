// SPDX-License-Identifier: Apache-2.0
#include "core/problem/KeyBlocks.h"

#include <algorithm>

#include "core/problem/MaskTable.h"

namespace attnscope {
namespace {

// How many of the queries see something of each block of keys: of ranges only their ends are written, so that a long
// one takes no longer than a short one.
class SeenBlocks {
 public:
  explicit SeenBlocks(std::int64_t blocks) : m_steps(static_cast<std::size_t>(blocks) + 1, 0) {}

  void add(std::int64_t first, std::int64_t last) {
    ++m_steps[static_cast<std::size_t>(first)];
    --m_steps[static_cast<std::size_t>(last) + 1];
  }
  // In order, once each.
  [[nodiscard]] bool next() { return (m_depth += m_steps[m_at++]) > 0; }

 private:
  std::vector<std::int64_t> m_steps;
  std::size_t m_at = 0;
  std::int64_t m_depth = 0;
};

void markSeen(const Problem& problem, std::int64_t query, std::int64_t keyBlock, SeenBlocks& seen) {
  if (const MaskTable* table = tableOf(problem.mask)) {
    for (std::int64_t key = 0; key < table->keys; ++key) {
      if (table->sees(query, key)) seen.add(key / keyBlock, key / keyBlock);
    }
    return;
  }
  const KeyRange range = keysSeenBy(problem, query);
  if (range.size() > 0) seen.add(range.from / keyBlock, (range.to - 1) / keyBlock);
}

bool seesAll(const MaskTable& table, std::int64_t query, const KeyRange& keys) {
  const auto row = table.visible.begin() + query * table.keys;
  return std::all_of(row + keys.from, row + keys.to, [](std::uint8_t visible) { return visible != 0; });
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
  SeenBlocks seen(blocks);
  for (std::int64_t query = firstQuery; query < firstQuery + queries; ++query) {
    markSeen(problem, query, keyBlock, seen);
  }
  std::vector<KeyRange> ranges;
  for (std::int64_t block = 0; block < blocks; ++block) {
    if (!seen.next()) continue;
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

bool isWhollySeen(const Problem& problem, std::int64_t firstQuery, std::int64_t queries,
                  const std::vector<KeyRange>& ranges) {
  const MaskTable* table = tableOf(problem.mask);
  for (std::int64_t query = firstQuery; query < firstQuery + queries; ++query) {
    const KeyRange seen = keysSeenBy(problem, query);
    for (const KeyRange& keys : ranges) {
      if (seen.from > keys.from || seen.to < keys.to) return false;
      if (table != nullptr && !seesAll(*table, query, keys)) return false;
    }
  }
  return true;
}

bool hasBlindQuery(const Problem& problem) {
  // In a document of its own every query sees itself.
  if (std::holds_alternative<NoMask>(problem.mask) || std::holds_alternative<DocumentsMask>(problem.mask)) return false;
  for (std::int64_t query = 0; query < problem.queryLength; ++query) {
    if (keysSeenBy(problem, query).size() == 0) return true;
  }
  return false;
}

std::int64_t keysIn(const std::vector<KeyRange>& ranges) {
  std::int64_t keys = 0;
  for (const KeyRange& range : ranges) keys += range.size();
  return keys;
}

}  // namespace attnscope
