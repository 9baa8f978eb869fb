// SPDX-License-Identifier: Apache-2.0
// Ring attention (arXiv 2310.01889) with its hosts simulated by the threads of this process: kRingHosts hosts, each
// with a part of the queries, keys and values. In each of as many steps every host attends from its queries to the keys
// that it holds at the moment, merges by the row sums, and takes over its neighbour's keys and values: copied as a
// network would. Causal parts are dealt out as a zigzag: of 2 H chunks host h has h and 2 H - 1 - h, so that all
// compute as much. One chunk against another is LibTorch's flash kernel; chunks that the mask hides are left out.
//
// Executed FLOPs: those of the chunks, each in the kernel's blocks.
//
// Peak: the output, what the hosts merge, in the accumulator's type with a sum a row: a B Hq N (V + 1), and all keys
// and values, e B Hk N (D + V), twice while they are passed on, or once and what the hosts that compute at the moment
// take: a chunk through the kernel, or while it is merged its output, in a 16-bit type raised, and two of them scaled.
// With more than one thread that is the most: how many hosts are at it at once is up to chance.

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/problem/CardTables.h"

namespace attnscope {
namespace {

// Of the longest chunk of queries against the longest of keys, which are one chunk.
std::int64_t bytesOfChunk(const Problem& problem, const CardConditions& conditions) {
  constexpr std::int64_t kChunks = 2 * kRingHosts;
  Problem chunk = problem;
  chunk.queryLength = chunk.keyValueLength = (problem.queryLength + kChunks - 1) / kChunks;
  chunk.mask = NoMask{};
  chunk.sink = false;
  const std::int64_t a = accumulatorBytesOf(problem.dtype);
  const std::int64_t rows = saturatingProduct({a, problem.batch, problem.heads, chunk.queryLength});
  const std::int64_t output = saturatingProduct({rows, problem.valueHeadSize});
  const bool raised = a != bytesOf(problem.dtype);
  const std::int64_t merging =
      saturatingSum({outputBytes(chunk), raised ? output : 0, output, output, saturatingProduct({4, rows})});
  const BiasOfBlock bias = biasOfBlock(problem, chunk.queryLength * chunk.keyValueLength, 1);
  return std::max(
      {bias.making, saturatingSum({bias.made, flashPeak(chunk, conditions, problem.keyValueHeads)}), merging});
}

CardFigures ringFigures(const Problem& problem, const CardConditions& conditions) {
  CardFigures figures = commonFigures(problem);
  // What it does not run has other pairs.
  if (problem.queryLength != problem.keyValueLength) return figures;
  if (hasMask(problem) && !std::holds_alternative<CausalMask>(problem.mask)) return figures;
  const bool causal = hasMask(problem);
  constexpr std::int64_t kChunks = 2 * kRingHosts;
  const auto begin = [&](std::int64_t chunk) { return problem.queryLength * chunk / kChunks; };
  std::int64_t pairs = 0;
  for (std::int64_t q = 0; q < kChunks; ++q) {
    const std::int64_t queries = begin(q + 1) - begin(q);
    for (std::int64_t k = 0; k < (causal ? q : kChunks); ++k) pairs += queries * (begin(k + 1) - begin(k));
    if (causal && queries > 0) pairs += flashPairs(queries, queries, !hasBias(problem));
  }
  figures.executedFlops = saturatingSum({flopsOfPairs(problem, pairs), linearLayerFlops(problem)});
  const std::int64_t merged = saturatingProduct({accumulatorBytesOf(problem.dtype), problem.batch, problem.heads,
                                                 problem.queryLength, problem.valueHeadSize + 1});
  const std::int64_t shards = saturatingSum({keyBytes(problem), valueBytes(problem)});
  const std::int64_t atOnce = std::min(conditions.threads, kRingHosts);
  const std::int64_t chunks = saturatingProduct({atOnce, bytesOfChunk(problem, conditions)});
  const std::int64_t peak = saturatingSum({outputBytes(problem), merged, shards, std::max(shards, chunks)});
  putPeak(figures, problem, peak,
          fmt::format("output of {} + merged parts of {} + keys and values of {}, twice while they are passed on",
                      sizeInWords(outputBytes(problem)), sizeInWords(merged), sizeInWords(shards)),
          kSink | kBias);
  return figures;
}

std::optional<std::string> refusedRing(const Problem& problem) {
  if (problem.queryLength != problem.keyValueLength) {
    return fmt::format("A host holds a part of the sequence: needs as many queries as keys, not {} and {}.",
                       problem.queryLength, problem.keyValueLength);
  }
  if (hasMask(problem) && !std::holds_alternative<CausalMask>(problem.mask)) {
    return "Is built without a mask and for causal. Use one of these.";
  }
  if (problem.valueHeadSize != problem.headSize) {
    return fmt::format(
        "A host uses LibTorch's flash kernel, which needs value heads as large as key heads: {} is not "
        "{}.",
        problem.valueHeadSize, problem.headSize);
  }
  if (auto reason = refusedExtras(problem, kSink | kBias, "A host, LibTorch's fused operator,")) return reason;
  return refusedBackward(problem, "Is built forward only.");
}

}  // namespace

std::span<const Card> ringCards() {
  static const std::array<Card, 1> cards = {{
      builtCard("ring.threads", "Ring, by threads", CardGroup::kDistributed, "time N² / hosts, memory N", refusedRing,
                ringFigures),
  }};
  return cards;
}

}  // namespace attnscope
