// SPDX-License-Identifier: Apache-2.0
#pragma once

// What attention in blocks of queries allocates, each block with the keys that it meets at once (MaskedBlocks.h of the
// engine): shared by window.blocks and sparse.blocks. Symbols as in Formulas.h; r queries and c keys of a block, and of
// it S = e B Hq r c.
//
// Forward: output = empty [B, Hq, N, V]; for each block
//   kb, vb = the keys side by side [cat where they are several ranges], [repeated]
//   s = matmul(qb, kb^T).mul_(scale) [, a softcap or a bias: another s each] .masked_fill_(hidden, -inf)
//   p = softmax(s); o = matmul(p, vb) [.mul(a sink's share)]; output's block.copy_(o)
// With backward kb and vb where they are copies, p, hidden, what tanh gave, and for a sink s and o, are kept of every
// block. Then, from the last block to the first: the gradient of the output once more, without the block (e B Hq N V),
// the block's own, and those of all operators; the gradients of kb, vb and qb are each put into zeros as large as K, V
// and Q, which are the gradients after the first and are added to these from the second on.
//
// In the layout bnhd with batch > 1, matmul copies what it multiplies, and keeps it. Where the CPU has matrix units,
// 16-bit blocks that do not lie side by side are copied in bhnd too, while they are multiplied.
//
// O(blocks (r + ranges)), for tables O(N M).

#include <cstdint>
#include <vector>

#include "core/problem/Cards.h"
#include "core/problem/Problem.h"

namespace attnscope {

// The keys that queries [first, first + queries) meet, as those of the engine.
using KeysOfQueries = std::vector<KeyRange> (*)(const Problem& problem, std::int64_t first, std::int64_t queries);

[[nodiscard]] std::int64_t peakInBlocks(const Problem& problem, const CardConditions& conditions,
                                        std::int64_t queryBlock, KeysOfQueries keysOf);

}  // namespace attnscope
