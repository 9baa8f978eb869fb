// SPDX-License-Identifier: Apache-2.0
#pragma once

// Shared by the cards' files alone: the cards of each, and the words and sums that they have in common.

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/problem/Cards.h"
#include "core/problem/Formulas.h"

namespace attnscope {

[[nodiscard]] std::span<const Card> naiveCards();    // CardsNaive.cpp: naive.plain, naive.inplace, naive.fp32
[[nodiscard]] std::span<const Card> sdpaCards();     // CardsSdpa.cpp: sdpa.*, gqa.repeat
[[nodiscard]] std::span<const Card> blockCards();    // CardsBlocks.cpp: blockwise.aten, window.blocks
[[nodiscard]] std::span<const Card> sparseCards();   // CardsSparse.cpp: sparse.blocks, chunked.plain
[[nodiscard]] std::span<const Card> linearCards();   // CardsLinear.cpp: linear.elu
[[nodiscard]] std::span<const Card> ownCards();      // CardsOwn.cpp: own.fused, own.decode
[[nodiscard]] std::span<const Card> hashedCards();   // CardsHashed.cpp: lsh.reformer
[[nodiscard]] std::span<const Card> latentCards();   // CardsLatent.cpp: mla.*
[[nodiscard]] std::span<const Card> decodeCards();   // CardsDecode.cpp: decode.*
[[nodiscard]] std::span<const Card> ringCards();     // CardsRing.cpp: ring.threads
[[nodiscard]] std::span<const Card> yourCards();     // CardsYours.cpp: byo.*
[[nodiscard]] std::span<const Card> plannedCards();  // CardsPlanned.cpp: what cannot run in this version

// A card that this version runs, which is on the CPU.
[[nodiscard]] Card builtCard(std::string_view id, std::string_view title, CardGroup group, std::string_view complexity,
                             CardRefusal refusal, CardFiguresOf figures, Exactness exactness = Exactness::kExact);
// Everything but what is executed and the peak.
[[nodiscard]] CardFigures commonFigures(const Problem& problem);

// What a problem may ask for beside softmax attention under a mask, as bits of a set.
enum Extra : unsigned { kSoftcap = 1, kSink = 2, kBias = 4, kDropout = 8 };
using Extras = unsigned;
inline constexpr Extras kNoExtras = 0;
inline constexpr Extras kAllExtras = kSoftcap | kSink | kBias | kDropout;
// Counted by a peak beside them, and no extra of the problem: what backward keeps and takes.
inline constexpr Extras kBackward = 16;
[[nodiscard]] Extras extrasOf(const Problem& problem);
// Why an implementation that has these alone does not do what the problem asks for; `who` begins the sentence:
// "LibTorch's operator".
[[nodiscard]] std::optional<std::string> refusedExtras(const Problem& problem, Extras supported, std::string_view who);

// `bytes` are of attention alone; in a block they are put among what the block takes. Leaves the peak out and says so
// with extras, or a backward, that the bytes do not count.
void putPeak(CardFigures& figures, const Problem& problem, std::int64_t bytes, std::string words,
             Extras counted = kNoExtras);
[[nodiscard]] std::string sizeInWords(std::int64_t bytes);  // "664.5 KiB"
// Of the bias [1 or Hq, N, M] that is made once: 0 without one.
[[nodiscard]] std::int64_t biasBytes(const Problem& problem);

// The bias of a block of `pairs` queries times keys, the keys in so many ranges, that is made for it: ALiBi's distances
// and a matrix a head in the accumulator's type, a file's values, their sum; rounded; several ranges side by side.
struct BiasOfBlock {
  std::int64_t making = 0;  // the most while it is made
  std::int64_t made = 0;    // what is left
};
[[nodiscard]] BiasOfBlock biasOfBlock(const Problem& problem, std::int64_t pairs, std::int64_t ranges);
// Whether LibTorch multiplies values of this type on the CPU's matrix units, which copies operands that do not lie side
// by side while they are multiplied.
[[nodiscard]] bool usesMatrixUnits(const Problem& problem, const CardConditions& conditions);

[[nodiscard]] std::optional<std::string> refusedBackward(const Problem& problem, std::string_view because);
[[nodiscard]] bool isTopLeftCausal(const Mask& mask);  // CausalMask alone
[[nodiscard]] bool hasMask(const Problem& problem);
// Pairs that LibTorch's flash kernel computes for the CPU: in its blocks, of which is_causal skips those that lie
// beyond the diagonal of each block of queries.
[[nodiscard]] std::int64_t flashPairs(std::int64_t queries, std::int64_t keys, bool causal);
// Its buffer for one thread: scores, row sums and the output of a block.
[[nodiscard]] std::int64_t flashBufferBytes(const Problem& problem, std::int64_t queries, std::int64_t keys);
// What one call of it allocates, with so many key heads; and with backward.
[[nodiscard]] std::int64_t flashPeak(const Problem& problem, const CardConditions& conditions, std::int64_t keyHeads);
// e B Hq M (D + V) where there are fewer heads of keys than of queries, else 0: K and V repeated for each.
[[nodiscard]] std::int64_t repeatedBytes(const Problem& problem, std::int64_t bytesPerValue);
// Whether aten::matmul copies its operands: heads and sequences that do not lie one after the other.
[[nodiscard]] bool matmulCopies(const Problem& problem);

}  // namespace attnscope
