// SPDX-License-Identifier: Apache-2.0
// Attention that leaves out what the mask hides, whole blocks or whole chunks at a time. Symbols as in Formulas.h.
//
// sparse.blocks  blocks of r = kSparseBlock queries; of the keys, in blocks of kSparseBlock from key 0, those that any
//                query of the block sees (KeyBlocks.h), c keys together. kb, vb = these keys side by side: a view where
//                they are one range, else cat: e B Hk c (D + V); then as window.blocks (CardsBlocks.cpp)
//                peak = O + the most of any block: e B Hq (2 r c + r V) + r c [+ gathered] [+ repeated e B Hq c (D +
//                V)]
// chunked.plain  documents of C tokens each, the last with what is left: n = N / C whole ones at once, then the rest.
//                output = empty; q, k, v as [B, H, n, C, .], k and v repeated; s = matmul(q, k^T).mul_(scale)
//                .masked_fill_(hidden [C, C], -inf); p = softmax(s); output's part.copy_(matmul(p, v))
//                peak = O + e B Hq n C (2 C + V) [+ e B Hq n C (D + V) repeated]
//                held: C C booleans where it is causal inside
//
// In the layout bnhd matmul copies v: in sparse.blocks with batch > 1, in chunked.plain with any two of batch, heads
// and n over 1. Where the CPU has matrix units, bfloat16 blocks of v are copied in bhnd too, unless they are copies
// already.

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/problem/CardTables.h"
#include "core/problem/KeyBlocks.h"

namespace attnscope {
namespace {

// --- sparse.blocks --------------------------------------------------------------------------------------------------

struct SparseWork {
  std::int64_t pairs = 0;
  std::int64_t largestBytes = 0;  // of one block, beside the output
};

std::int64_t bytesOfBlock(const Problem& problem, const CardConditions& conditions, std::int64_t rows,
                          const std::vector<KeyRange>& ranges) {
  const std::int64_t e = bytesOf(problem.dtype);
  const std::int64_t heads = problem.batch * problem.heads;
  const std::int64_t columns = keysIn(ranges);
  const bool gathers = ranges.size() > 1;
  const bool repeats = problem.keyValueHeads != problem.heads;
  const bool matrixUnits = conditions.packsBFloat16 && problem.dtype == DataType::kBFloat16;
  const bool copies = (matmulCopies(problem) || matrixUnits) && !gathers && !repeats;
  const std::int64_t gathered = gathers ? saturatingProduct({e, problem.batch, problem.keyValueHeads, columns,
                                                             problem.headSize + problem.valueHeadSize})
                                        : 0;
  const std::int64_t repeated =
      repeats ? saturatingProduct({e, heads, columns, problem.headSize + problem.valueHeadSize}) : 0;
  const std::int64_t copied = copies ? saturatingProduct({e, heads, columns, problem.valueHeadSize}) : 0;
  return saturatingSum({saturatingProduct({e, heads, rows, 2 * columns + problem.valueHeadSize}), rows * columns,
                        gathered, repeated, copied});
}

SparseWork sparseWork(const Problem& problem, const CardConditions& conditions) {
  SparseWork work;
  for (std::int64_t first = 0; first < problem.queryLength; first += kSparseBlock) {
    const std::int64_t rows = std::min(kSparseBlock, problem.queryLength - first);
    const std::vector<KeyRange> ranges = blocksSeenByAny(problem, first, rows, kSparseBlock);
    work.pairs += rows * keysIn(ranges);
    work.largestBytes = std::max(work.largestBytes, bytesOfBlock(problem, conditions, rows, ranges));
  }
  return work;
}

CardFigures sparseFigures(const Problem& problem, const CardConditions& conditions) {
  CardFigures figures = commonFigures(problem);
  const SparseWork work = sparseWork(problem, conditions);
  figures.executedFlops = saturatingSum({flopsOfPairs(problem, work.pairs), linearLayerFlops(problem)});
  putPeak(
      figures, problem, saturatingSum({outputBytes(problem), work.largestBytes}),
      fmt::format("output of {} + a block of {}", sizeInWords(outputBytes(problem)), sizeInWords(work.largestBytes)));
  return figures;
}

std::optional<std::string> refusedSparse(const Problem& problem) {
  if (!hasMask(problem)) return "Needs a mask: without one there is nothing to skip. Use sdpa.flash.";
  return refusedExtras(problem, kSoftcap | kSink | kBias, "Block-sparse attention");
}

// --- chunked.plain --------------------------------------------------------------------------------------------------

CardFigures chunkedFigures(const Problem& problem, const CardConditions&) {
  CardFigures figures = commonFigures(problem);
  const auto* documents = std::get_if<DocumentsMask>(&problem.mask);
  if (documents == nullptr) return figures;
  const std::int64_t chunk = documents->lengths.front();
  std::int64_t pairs = 0;
  for (const std::int64_t length : documents->lengths) pairs += length * length;
  figures.executedFlops = saturatingSum({flopsOfPairs(problem, pairs), linearLayerFlops(problem)});
  figures.heldBytes = documents->inside == InsideDocument::kCausal ? chunk * chunk : 0;

  const std::int64_t e = bytesOf(problem.dtype);
  const std::int64_t whole = problem.queryLength / chunk;
  const std::int64_t rows = saturatingProduct({problem.batch, problem.heads, whole * chunk});
  const bool repeats = problem.keyValueHeads != problem.heads;
  const bool strided = problem.layout == Layout::kBnhd && problem.heads > 1 && (problem.batch > 1 || whole > 1);
  const std::int64_t scores = saturatingProduct({e, rows, chunk});
  const std::int64_t repeated = repeats ? saturatingProduct({e, rows, problem.headSize + problem.valueHeadSize}) : 0;
  const std::int64_t copied = strided && !repeats ? saturatingProduct({e, rows, problem.valueHeadSize}) : 0;
  const std::int64_t peak = saturatingSum(
      {outputBytes(problem), scores, scores, saturatingProduct({e, rows, problem.valueHeadSize}), repeated, copied});
  putPeak(figures, problem, peak,
          fmt::format("output of {} + 2 times the scores of {} chunks, {}", sizeInWords(outputBytes(problem)), whole,
                      sizeInWords(scores)));
  return figures;
}

std::optional<std::string> refusedChunked(const Problem& problem) {
  const auto* documents = std::get_if<DocumentsMask>(&problem.mask);
  if (documents == nullptr) return "Needs chunks of one length. Use --mask chunks:N.";
  for (std::size_t i = 0; i < documents->lengths.size(); ++i) {
    const bool last = i + 1 == documents->lengths.size();
    const std::int64_t length = documents->lengths[i];
    if (length == documents->lengths.front() || (last && length < documents->lengths.front())) continue;
    return fmt::format("Needs documents of one length, the last may be shorter: {} is not {}. Use sparse.blocks.",
                       length, documents->lengths.front());
  }
  return refusedExtras(problem, kSoftcap | kSink | kBias, "Attention in chunks");
}

}  // namespace

std::span<const Card> sparseCards() {
  static const std::array<Card, 2> cards = {{
      builtCard("sparse.blocks", "Block-sparse", CardGroup::kSparse, "time r N², memory N", refusedSparse,
                sparseFigures),
      builtCard("chunked.plain", "Chunked", CardGroup::kSparse, "time N C, memory N C", refusedChunked, chunkedFigures),
  }};
  return cards;
}

}  // namespace attnscope
