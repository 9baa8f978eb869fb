// SPDX-License-Identifier: Apache-2.0
// The kernels of our own (core/engine/kernels). Symbols as in Formulas.h; g = Hq / Hk.
//
// own.fused   output = empty [B, Hq, N, V]; one kernel. Rows of a key head, its queries and heads together, lie in
//             vectors of L rows (CardConditions::vectorRows); a vector's scores and weighted sums are computed for the
//             keys between the first and the last that any of its rows sees:
//               FLOPs  2 B Hk (D + V) L sum over vectors of those keys
//             bfloat16 where the CPU has matrix units: panels of 32 rows, 16 where the last has no more, and whole
//             steps of 32 keys. peak = O. Held between calls, for each thread, in float32 and at most (Cards.h:
//             kOwnRowChunk rows r, kOwnKeyBlock keys c, panels of p = 64 rows; D and V in whole 32): 4 ((r + p) (10 + D
//             + V) + c (2 p + D + V)); the bias of a file, e N M; and with several threads and few rows the parts of
//             split keys, at most 4 B Hk N g (V + 2) for each split: as many as give each thread 6 items, of 512 keys
//             or more.
// own.decode  the same for up to kOwnDecodeQueries queries; kOwnDotRows rows of a key head or fewer are computed one by
//             one (L = 1), each key and value read once for all of them, in parts of 4096 keys at most.

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/problem/CardTables.h"

namespace attnscope {
namespace {

constexpr std::int64_t kUnitStep = 32;

std::int64_t roundedUp(std::int64_t value, std::int64_t step) { return (value + step - 1) / step * step; }

// Rows that are computed together, a whole `rows` of them or what is left in whole `leastRows`, and their keys.
struct OwnTile {
  std::int64_t rows = 1;
  std::int64_t leastRows = 1;
  std::int64_t keyStep = 1;
};
OwnTile tileOf(const Problem& problem, const CardConditions& conditions) {
  const bool units = conditions.packsBFloat16 && problem.dtype == DataType::kBFloat16;
  if (units) return {.rows = kUnitStep, .leastRows = kUnitStep / 2, .keyStep = kUnitStep};
  return {.rows = conditions.vectorRows, .leastRows = conditions.vectorRows, .keyStep = 1};
}

// Pairs of a row and a key that are computed, of one key head of one sequence. O(N), for documents times their number.
std::int64_t computedPairs(const Problem& problem, const OwnTile& tile) {
  const std::int64_t group = problem.groupSize();
  const std::int64_t rows = problem.queryLength * group;
  std::int64_t pairs = 0;
  for (std::int64_t first = 0; first < rows; first += tile.rows) {
    const std::int64_t last = std::min(first + tile.rows, rows) - 1;
    KeyRange all{problem.keyValueLength, 0};
    for (std::int64_t query = first / group; query <= last / group; ++query) {
      const KeyRange seen = keysSeenBy(problem, query);
      if (seen.size() == 0) continue;
      all.from = std::min(all.from, seen.from);
      all.to = std::max(all.to, seen.to);
    }
    if (all.from >= all.to) continue;
    const std::int64_t keys =
        std::min(roundedUp(all.to, tile.keyStep), problem.keyValueLength) - all.from / tile.keyStep * tile.keyStep;
    pairs = saturatingSum({pairs, saturatingProduct({roundedUp(last + 1 - first, tile.leastRows), keys})});
  }
  return pairs;
}

// Of what is kept between calls. longestPart: keys of a row that are summed in one chain at most.
std::int64_t keptBytes(const Problem& problem, std::int64_t threads, std::int64_t longestPart) {
  constexpr std::int64_t kPanel = 64;
  constexpr std::int64_t kItemsOfThread = 6;
  constexpr std::int64_t kKeysOfSplit = 512;
  const std::int64_t sizes = roundedUp(problem.headSize, kUnitStep) + roundedUp(problem.valueHeadSize, kUnitStep);
  const std::int64_t buffers =
      saturatingProduct({threads, 4, (kOwnRowChunk + kPanel) * (10 + sizes) + kOwnKeyBlock * (2 * kPanel + sizes)});
  Problem withoutAlibi = problem;
  withoutAlibi.alibi = false;
  const std::int64_t heads = saturatingProduct({problem.batch, problem.keyValueHeads});
  const std::int64_t rows = saturatingProduct({problem.queryLength, problem.groupSize()});
  const std::int64_t itemsOfHead = (kItemsOfThread * threads + heads - 1) / heads;
  const bool isShared = threads > 1 && rows < kPanel * itemsOfHead;
  const std::int64_t splits = std::max(isShared ? std::min(itemsOfHead, problem.keyValueLength / kKeysOfSplit) : 1,
                                       (problem.keyValueLength + longestPart - 1) / longestPart);
  const std::int64_t parts = splits > 1 ? saturatingProduct({4, heads, splits, rows, problem.valueHeadSize + 2}) : 0;
  return saturatingSum({buffers, biasBytes(withoutAlibi), parts});
}

CardFigures ownFigures(const Problem& problem, const CardConditions& conditions, const OwnTile& tile,
                       std::int64_t longestPart) {
  CardFigures figures = commonFigures(problem);
  figures.executedFlops =
      saturatingSum({saturatingProduct({2, problem.batch, problem.keyValueHeads, computedPairs(problem, tile),
                                        problem.headSize + problem.valueHeadSize}),
                     linearLayerFlops(problem)});
  figures.heldBytes = keptBytes(problem, conditions.threads, longestPart);
  putPeak(figures, problem, outputBytes(problem),
          fmt::format("output of {}; buffers of at most {} are kept between calls", sizeInWords(outputBytes(problem)),
                      sizeInWords(figures.heldBytes)),
          kSoftcap | kSink | kBias);
  return figures;
}

CardFigures fusedFigures(const Problem& problem, const CardConditions& conditions) {
  return ownFigures(problem, conditions, tileOf(problem, conditions), problem.keyValueLength);
}

CardFigures decodeFigures(const Problem& problem, const CardConditions& conditions) {
  const bool few = problem.queryLength * problem.groupSize() <= kOwnDotRows;
  constexpr std::int64_t kKeysOfChain = 4096;
  return few ? ownFigures(problem, conditions, OwnTile{}, kKeysOfChain)
             : ownFigures(problem, conditions, tileOf(problem, conditions), problem.keyValueLength);
}

std::optional<std::string> refusedOwn(const Problem& problem) {
  if (problem.dtype == DataType::kFloat64) {
    return "Computes float32, bfloat16 and float16, not float64. Use sdpa.flash or naive.plain.";
  }
  if (std::max(problem.headSize, problem.valueHeadSize) > kOwnHeadSize) {
    return fmt::format("Heads have at most {} values, not {}. Use sdpa.math.", kOwnHeadSize,
                       std::max(problem.headSize, problem.valueHeadSize));
  }
  if (auto reason = refusedExtras(problem, kSoftcap | kSink | kBias, "The own kernel")) return reason;
  return refusedBackward(problem, "Has no backward.");
}

std::optional<std::string> refusedDecode(const Problem& problem) {
  if (problem.queryLength > kOwnDecodeQueries) {
    return fmt::format("Is for 1 to {} queries, not {}. Use own.fused.", kOwnDecodeQueries, problem.queryLength);
  }
  return refusedOwn(problem);
}

}  // namespace

std::span<const Card> ownCards() {
  static const std::array<Card, 2> cards = {{
      builtCard("own.fused", "Fused, own kernel", CardGroup::kFused, "time N², memory N", refusedOwn, fusedFigures),
      builtCard("own.decode", "Decode, own kernel", CardGroup::kDecode, "time M, memory M", refusedDecode,
                decodeFigures),
  }};
  return cards;
}

}  // namespace attnscope
