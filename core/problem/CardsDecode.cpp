// SPDX-License-Identifier: Apache-2.0
// A generator's loop: N tokens one after the other, after M - N that lie in the cache already. Step t adds key and
// value M - N + t to the cache and attends from query t to all that are there: bottom-right causal attention, a query
// at a time. The g query heads of a key head are given to LibTorch's flash kernel as g queries, so that a cache is read
// once a step. Symbols as in Formulas.h; `step` is that kernel's output e B Hq V, its row sums a B Hq and its buffers.
//
// decode.cat           keys = cat(keys, key), values = cat(values, value): e B Hk L (D + V) at step L, the older ones
//                      freed after each; peak = O + step + at the last step e B Hk M (D + 2 V) (N = 1: e B Hk M (D +
//                      V))
// decode.preallocated  the cache [B, Hk, M, .] is allocated once and holds the first M - N tokens before the call: held
//                      e B Hk M (D + V) bytes; each step writes one row; peak = O + step
// decode.paged         pages of p = kPageTokens tokens [pages, Hk, p, .] in an order drawn from the seed, and a table
//                      of pages for each sequence, held; a step gathers kPagesOfSplit pages at a time, attends to them,
//                      and merges the parts by their row sums (flash-decoding); s tokens of the pages of a split. To
//                      put pages in order copies them once more, unless there is one head peak = O + the larger of e B
//                      Hk s (D + 2 V) and e B Hk s (D + V) + step, and of several splits what is merged so far, a B Hq
//                      (V + 1)
//
// Executed FLOPs are the useful ones: a kernel with one block of queries skips nothing and adds nothing.

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/problem/CardTables.h"

namespace attnscope {
namespace {

std::int64_t cacheBytes(const Problem& problem, std::int64_t tokens) {
  return saturatingProduct(
      {bytesOf(problem.dtype), problem.batch, problem.keyValueHeads, tokens, problem.headSize + problem.valueHeadSize});
}

// `bias` is made before a step and lives to its end.
std::int64_t stepBytes(const Problem& problem, const CardConditions& conditions, std::int64_t keys,
                       const BiasOfBlock& bias) {
  const std::int64_t rows = problem.batch * problem.heads;
  const std::int64_t output = saturatingProduct({bytesOf(problem.dtype), rows, problem.valueHeadSize});
  const std::int64_t sums = saturatingProduct({accumulatorBytesOf(problem.dtype), rows});
  const std::int64_t scaled = problem.sink ? saturatingSum({output, sums, sums}) : 0;
  const std::int64_t kernel =
      saturatingSum({bias.made, conditions.threads * flashBufferBytes(problem, problem.groupSize(), keys)});
  return std::max(bias.making, saturatingSum({output, sums, std::max(kernel, scaled)}));
}

BiasOfBlock biasOfStep(const Problem& problem, std::int64_t keys) { return biasOfBlock(problem, keys, 1); }

// That a step sees at most.
std::int64_t keysOfStep(const Problem& problem) {
  const auto* window = std::get_if<WindowMask>(&problem.mask);
  return window == nullptr ? problem.keyValueLength : std::min(window->width, problem.keyValueLength);
}

CardFigures loopFigures(const Problem& problem) {
  CardFigures figures = commonFigures(problem);
  figures.executedFlops = figures.usefulFlops;
  return figures;
}

CardFigures catFigures(const Problem& problem, const CardConditions& conditions) {
  CardFigures figures = loopFigures(problem);
  const std::int64_t keys = problem.keyValueLength;
  const std::int64_t seen = keysOfStep(problem);
  const std::int64_t older = problem.queryLength == 1 ? 0 : keys - 1;
  const std::int64_t olderValues =
      saturatingProduct({bytesOf(problem.dtype), problem.batch, problem.keyValueHeads, older, problem.valueHeadSize});
  const std::int64_t peak =
      saturatingSum({outputBytes(problem), cacheBytes(problem, keys),
                     std::max(olderValues, stepBytes(problem, conditions, seen, biasOfStep(problem, seen)))});
  putPeak(figures, problem, peak,
          fmt::format("cache of {} copied each step + output of {}", sizeInWords(cacheBytes(problem, keys)),
                      sizeInWords(outputBytes(problem))),
          kSink | kBias);
  return figures;
}

CardFigures preallocatedFigures(const Problem& problem, const CardConditions& conditions) {
  CardFigures figures = loopFigures(problem);
  figures.heldBytes = cacheBytes(problem, problem.keyValueLength);
  const std::int64_t seen = keysOfStep(problem);
  const std::int64_t step = stepBytes(problem, conditions, seen, biasOfStep(problem, seen));
  putPeak(figures, problem, saturatingSum({outputBytes(problem), step}),
          fmt::format("output of {} + a step of {}; the cache of {} is held", sizeInWords(outputBytes(problem)),
                      sizeInWords(step), sizeInWords(figures.heldBytes)),
          kSink | kBias);
  return figures;
}

CardFigures pagedFigures(const Problem& problem, const CardConditions& conditions) {
  CardFigures figures = loopFigures(problem);
  const std::int64_t pages = (problem.keyValueLength + kPageTokens - 1) / kPageTokens;
  figures.heldBytes =
      saturatingSum({cacheBytes(problem, pages * kPageTokens), saturatingProduct({8, problem.batch, pages})});
  // A window lies across the end of a page at worst.
  const std::int64_t seen = keysOfStep(problem);
  const std::int64_t touched = std::min(pages, (seen + kPageTokens - 2) / kPageTokens + 1);
  const std::int64_t split = std::min(touched, kPagesOfSplit) * kPageTokens;
  const std::int64_t again =
      saturatingProduct({bytesOf(problem.dtype), problem.batch, problem.keyValueHeads, split, problem.valueHeadSize});
  const std::int64_t parts = touched > kPagesOfSplit
                                 ? saturatingProduct({accumulatorBytesOf(problem.dtype), problem.batch, problem.heads,
                                                      problem.valueHeadSize + 1})
                                 : 0;
  const std::int64_t gathered =
      saturatingSum({cacheBytes(problem, split), std::max(problem.keyValueHeads > 1 ? again : 0,
                                                          stepBytes(problem, conditions, std::min(seen, split), {}))});
  // Made for all keys before the first part, and there to the last.
  const BiasOfBlock bias = biasOfStep(problem, seen);
  putPeak(figures, problem,
          saturatingSum({outputBytes(problem), std::max(bias.making, saturatingSum({bias.made, gathered, parts}))}),
          fmt::format("output of {} + pages gathered, {}; the cache of {} is held", sizeInWords(outputBytes(problem)),
                      sizeInWords(gathered), sizeInWords(figures.heldBytes)),
          kSink | kBias);
  return figures;
}

std::optional<std::string> refusedDecode(const Problem& problem) {
  const auto* causal = std::get_if<CausalMask>(&problem.mask);
  const auto* window = std::get_if<WindowMask>(&problem.mask);
  const bool square = problem.queryLength == problem.keyValueLength;
  if (problem.queryLength > problem.keyValueLength) {
    return fmt::format("Each step adds a key: needs at least as many keys as the {} queries, not {}.",
                       problem.queryLength, problem.keyValueLength);
  }
  const bool bottomRight = (causal != nullptr && (square || causal->alignment == CausalAlignment::kBottomRight)) ||
                           (window != nullptr && (square || window->alignment == CausalAlignment::kBottomRight));
  if (!bottomRight && !(problem.queryLength == 1 && !hasMask(problem))) {
    return "A step sees what is in the cache so far. Use causal or a window, bottom right, or one query without a "
           "mask.";
  }
  if (problem.valueHeadSize != problem.headSize) {
    return fmt::format(
        "A step is LibTorch's flash kernel, which needs value heads as large as key heads: {} is not "
        "{}.",
        problem.valueHeadSize, problem.headSize);
  }
  if (auto reason = refusedExtras(problem, kSink | kBias, "A step, LibTorch's fused operator,")) return reason;
  return refusedBackward(problem, "A generator learns nothing: its cache is written in place.");
}

}  // namespace

std::span<const Card> decodeCards() {
  static constexpr std::string_view kSteps = "time N M, memory M";
  static const std::array<Card, 3> cards = {{
      builtCard("decode.cat", "Cache grown by cat", CardGroup::kDecode, kSteps, refusedDecode, catFigures),
      builtCard("decode.preallocated", "Cache allocated once", CardGroup::kDecode, kSteps, refusedDecode,
                preallocatedFigures),
      builtCard("decode.paged", "Paged cache, split", CardGroup::kDecode, kSteps, refusedDecode, pagedFigures),
  }};
  return cards;
}

}  // namespace attnscope
