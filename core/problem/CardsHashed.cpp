// SPDX-License-Identifier: Apache-2.0
// Attention between what hashes alike, after Reformer (arXiv 2001.04451), for queries and keys of their own. Another
// function than softmax attention: it is checked against this definition in float64, and its distance to softmax
// attention is stated beside.
//
// In each of R = kHashedRounds rounds every query and key x gets the bucket argmax [x P, -x P] of b buckets, with P
// [D, b / 2] normal from the seed and b = 2 ceil(N / (2 C)), C = kHashedChunk. Queries and keys are sorted by bucket,
// then by position, and cut into chunks of C; chunk i of the queries meets chunks i - 1 and i of the keys. A weight is
// exp(score) times the rounds in which the two meet; causal hides later keys; a query that meets none gives 0.
//
// Buckets are of the inputs as they are given. In a block they are made by operators before, and in a 16-bit type their
// rounding moves some vectors to other buckets than in float64: that is refused.
//
// FLOPs: 2 B Hq R (2 C) N' (D + V) with N' = N in whole chunks, and for hashing 2 B Hq R 2 N D b / 2.

#include <fmt/format.h>

#include <array>

#include "core/problem/CardTables.h"

namespace attnscope {
namespace {

CardFigures hashedFigures(const Problem& problem, const CardConditions&) {
  CardFigures figures = commonFigures(problem);
  const std::int64_t chunks = (problem.queryLength + kHashedChunk - 1) / kHashedChunk;
  const std::int64_t met = saturatingProduct({kHashedRounds, chunks * kHashedChunk, 2 * kHashedChunk});
  const std::int64_t hashing = saturatingProduct(
      {2 * kHashedRounds, problem.batch, problem.heads, problem.queryLength, problem.headSize, 2 * ((chunks + 1) / 2)});
  figures.usefulFlops = saturatingSum({flopsOfPairs(problem, met), linearLayerFlops(problem)});
  figures.executedFlops = saturatingSum({figures.usefulFlops, hashing});
  return figures;
}

std::optional<std::string> refusedHashed(const Problem& problem) {
  const auto* causal = std::get_if<CausalMask>(&problem.mask);
  if (hasMask(problem) && causal == nullptr) return "Is built without a mask and for causal. Use one of these.";
  if (problem.queryLength != problem.keyValueLength) {
    return fmt::format(
        "Chunks of sorted queries and keys lie side by side: needs as many queries as keys, not {} and "
        "{}. Make them equal.",
        problem.queryLength, problem.keyValueLength);
  }
  if (problem.workload == Workload::kBlock && bytesOf(problem.dtype) == 2) {
    return fmt::format(
        "In a block, {} rounds queries and keys before they are hashed: some fall into other buckets than those of "
        "the definition. Use float32, or attention alone.",
        toString(problem.dtype));
  }
  if (auto reason = refusedExtras(problem, kNoExtras, "Hashed attention")) return reason;
  return refusedBackward(problem, "Is built forward only.");
}

}  // namespace

std::span<const Card> hashedCards() {
  static const std::array<Card, 1> cards = {{
      builtCard("lsh.reformer", "Reformer, hashed", CardGroup::kApproximate, "time N log N, memory N", refusedHashed,
                hashedFigures, Exactness::kApproximate),
  }};
  return cards;
}

}  // namespace attnscope
