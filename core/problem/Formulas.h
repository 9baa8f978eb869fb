// SPDX-License-Identifier: Apache-2.0
#pragma once

// Counts that belong to a problem whatever computes it. Symbols: B batch, Hq/Hk heads of queries/keys, N queries,
// M keys, D/V size of a head of keys/values, e bytes a value, P pairs of query and key that see each other, a head.
// All saturate at the largest int64 and need a valid problem. O(1), but O(N) for prefix and document masks and
// windows that are not square.
//
// Sources: FLOPs 2 B Hq P (D + V) forward, as in the FlashAttention papers (arXiv 2205.14135, 2307.08691), but with P
// counted exactly: causal and square is N (N + 1) / 2, not N^2 / 2. Backward that recomputes the scores:
// 2 B Hq P (3 D + 2 V), which is 2.5 times the forward where D = V.

#include <cstdint>
#include <initializer_list>

#include "core/problem/Problem.h"

namespace attnscope {

[[nodiscard]] std::int64_t attendedPairs(const Problem& problem);  // P: of one head of one sequence
// Of attention's two products, and in a block of its linear layers, for the pass of the problem: what the answer
// needs, not what is executed. The linear layers: 2 B N (d Hq D + d Hk (D + V) + Hq V d + 8 d^2) with d = Hq D, and
// three times that with backward.
[[nodiscard]] std::int64_t usefulFlops(const Problem& problem);
// 2 B Hq `pairs` (D + V), and the backward's where the problem has one.
[[nodiscard]] std::int64_t flopsOfPairs(const Problem& problem, std::int64_t pairs);
// The same where the probabilities are stored: backward does not repeat the first product, 2 B Hq `pairs` 2 (D + V).
[[nodiscard]] std::int64_t storedFlopsOfPairs(const Problem& problem, std::int64_t pairs);
[[nodiscard]] std::int64_t linearLayerFlops(const Problem& problem);  // 0 for attention alone
// Of attention: every input read and every output written once: e B (Hq N (D + V) + Hk M (D + V)) + 4 B Hq N for the
// row sums that a fused kernel keeps; with backward also e B (Hq N (2 D + 2 V) + Hk M (2 D + 2 V)) + 12 B Hq N.
[[nodiscard]] std::int64_t minimumBytes(const Problem& problem);

[[nodiscard]] std::int64_t queryBytes(const Problem& problem);   // e B Hq N D
[[nodiscard]] std::int64_t keyBytes(const Problem& problem);     // e B Hk M D
[[nodiscard]] std::int64_t valueBytes(const Problem& problem);   // e B Hk M V
[[nodiscard]] std::int64_t outputBytes(const Problem& problem);  // e B Hq N V
[[nodiscard]] std::int64_t inputBytes(const Problem& problem);   // queries, keys and values
// One matrix of scores, B Hq N M values of this many bytes.
[[nodiscard]] std::int64_t scoreBytes(const Problem& problem, std::int64_t bytesPerValue);
// N M bytes of a boolean mask shared by all heads; 0 without a mask.
[[nodiscard]] std::int64_t maskBytes(const Problem& problem);

[[nodiscard]] std::int64_t saturatingProduct(std::initializer_list<std::int64_t> factors);
[[nodiscard]] std::int64_t saturatingSum(std::initializer_list<std::int64_t> terms);

}  // namespace attnscope
