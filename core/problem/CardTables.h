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
[[nodiscard]] std::span<const Card> linearCards();   // CardsLinear.cpp: linear.elu
[[nodiscard]] std::span<const Card> plannedCards();  // CardsPlanned.cpp: what cannot run in this version

// A card that this version runs, which is on the CPU.
[[nodiscard]] Card builtCard(std::string_view id, std::string_view title, CardGroup group, std::string_view complexity,
                             CardRefusal refusal, CardFiguresOf figures, Exactness exactness = Exactness::kExact);
// Everything but what is executed and the peak.
[[nodiscard]] CardFigures commonFigures(const Problem& problem);
// With backward and in a block the peak is not predicted: leaves it out and says so.
void putPeak(CardFigures& figures, const Problem& problem, std::int64_t bytes, std::string words);
[[nodiscard]] std::string sizeInWords(std::int64_t bytes);  // "664.5 KiB"

// Softcap, sink, ALiBi and dropout, which nothing that runs in this version computes.
[[nodiscard]] std::optional<std::string> refusedExtras(const Problem& problem);
[[nodiscard]] std::optional<std::string> refusedBackward(const Problem& problem, std::string_view because);
[[nodiscard]] bool isTopLeftCausal(const Mask& mask);  // CausalMask alone
[[nodiscard]] bool hasMask(const Problem& problem);
// e B Hq M (D + V) where there are fewer heads of keys than of queries, else 0: K and V repeated for each.
[[nodiscard]] std::int64_t repeatedBytes(const Problem& problem, std::int64_t bytesPerValue);
// Whether aten::matmul copies its operands: heads and sequences that do not lie one after the other.
[[nodiscard]] bool matmulCopies(const Problem& problem);

}  // namespace attnscope
