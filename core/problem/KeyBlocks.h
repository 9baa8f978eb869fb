// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which keys a block of queries sees: for implementations that skip what a mask hides, and for their formulas. Pure;
// any thread; the problem must be valid.

#include <cstdint>
#include <vector>

#include "core/problem/Problem.h"

namespace attnscope {

// The smallest range that holds every key that any of the queries sees; empty where they see none. O(queries), for
// documents and tables times what keysSeenBy() takes.
[[nodiscard]] KeyRange keysSeenByAny(const Problem& problem, std::int64_t firstQuery, std::int64_t queries);

// The keys in blocks of `keyBlock` from key 0, without the blocks that none of the queries sees; neighbours are one
// range, and the last ends with the keys. In order. O(queries + keys / keyBlock), for tables O(queries keys).
[[nodiscard]] std::vector<KeyRange> blocksSeenByAny(const Problem& problem, std::int64_t firstQuery,
                                                    std::int64_t queries, std::int64_t keyBlock);

// Whether every one of the queries sees every key of these ranges: then a block of them needs no mask. O(queries
// ranges), for tables O(queries keys).
[[nodiscard]] bool isWhollySeen(const Problem& problem, std::int64_t firstQuery, std::int64_t queries,
                                const std::vector<KeyRange>& ranges);

// Whether there is a query that sees no key at all: its row is set to 0 after all else. O(queries).
[[nodiscard]] bool hasBlindQuery(const Problem& problem);

// Keys of all these ranges together.
[[nodiscard]] std::int64_t keysIn(const std::vector<KeyRange>& ranges);

}  // namespace attnscope
