// SPDX-License-Identifier: Apache-2.0
// Attention in blocks, written with ATen operators. Symbols as in Formulas.h; a bytes of the accumulator (8 for
// float64, else 4), r queries and c keys of a block. A block's mask is a boolean [r, c], filled from keysSeenBy() for
// blocks that are partly hidden; blocks that no query of the block sees are left out.
//
// blockwise.aten  online softmax (arXiv 2205.14135), r = kBlockwiseQueryBlock, c = kBlockwiseKeyBlock on a grid from 0.
//                 output = empty [B, Hq, N, V]; for each block of queries, in the accumulator's type:
//                   qb = copy of the block, mul_(scale); m = full(-inf), l = zeros [B, Hq, r, 1]; acc = zeros
//                   for each block of keys: kb, vb = blocks in the accumulator's type, repeated for each query head
//                     s = matmul(qb, kb^T); s.masked_fill_(hidden, -inf); next = maximum(m, s.amax);
//                     s.sub_(next).exp_() shrink = exp(m - next); l = l * shrink + s.sum;
//                     acc.mul_(shrink).add_(matmul(s, vb)); m = next
//                   acc.div_(l); output's block.copy_(acc)
//                 (next is at least -1e30 and l at least 1e-30, both in place: a row that sees nothing gives 0)
//                 peak = O + a B Hq (r D + 2 r V + r c + 4 r) [+ a B Hq c (D + V) where the type or the heads differ]
//                 with few queries, a 16-bit type and fewer key heads: while vb is repeated, a B Hk c V instead of
//                 a B Hq r (c + V)
// window.blocks   r = windowQueryBlock(), all keys c that its queries see at once, at most r + W - 1, in the problem's
//                 type: kb, vb = repeated; s = matmul(qb, kb^T).mul_(scale).masked_fill_(hidden, -inf);
//                 p = softmax(s); o = matmul(p, vb); output's block.copy_(o); rows that see nothing are set to 0
//                 peak = O + e B Hq (2 r c + r V) + r c [+ e B Hq c (D + V) repeated]; with backward all of
//                 BlockPeaks.h
//
// In the layout bnhd with batch > 1, matmul copies what it multiplies: k blocks in the first product, where
// blockwise.aten has q blocks contiguous, v in the second.

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/problem/BlockPeaks.h"
#include "core/problem/CardTables.h"
#include "core/problem/KeyBlocks.h"

namespace attnscope {
namespace {

// --- blockwise.aten -------------------------------------------------------------------------------------------------

std::int64_t blockwisePairs(const Problem& problem) {
  std::int64_t pairs = 0;
  for (std::int64_t first = 0; first < problem.queryLength; first += kBlockwiseQueryBlock) {
    const std::int64_t queries = std::min(kBlockwiseQueryBlock, problem.queryLength - first);
    const KeyRange range = keysSeenByAny(problem, first, queries);
    if (range.size() == 0) continue;
    const std::int64_t from = range.from / kBlockwiseKeyBlock * kBlockwiseKeyBlock;
    const std::int64_t to = (range.to + kBlockwiseKeyBlock - 1) / kBlockwiseKeyBlock * kBlockwiseKeyBlock;
    pairs += queries * (std::min(to, problem.keyValueLength) - from);
  }
  return pairs;
}

std::int64_t blockwisePeak(const Problem& problem) {
  const std::int64_t a = accumulatorBytesOf(problem.dtype);
  const std::int64_t rows = std::min(kBlockwiseQueryBlock, problem.queryLength);
  const std::int64_t columns = std::min(kBlockwiseKeyBlock, problem.keyValueLength);
  const std::int64_t heads = problem.batch * problem.heads;
  const bool repeats = problem.keyValueHeads != problem.heads;
  const bool converted = a != bytesOf(problem.dtype) || repeats;
  const std::int64_t operands =
      converted ? saturatingProduct({a, heads, columns, problem.headSize + problem.valueHeadSize}) : 0;
  const std::int64_t kept =
      saturatingProduct({a, heads, rows * (problem.headSize + problem.valueHeadSize + columns + 4)});
  const std::int64_t product = saturatingProduct({a, heads, rows, problem.valueHeadSize});
  const std::int64_t copiedKeys =
      matmulCopies(problem) && !repeats ? saturatingProduct({a, heads, columns, problem.headSize}) : 0;
  const std::int64_t copiedValues =
      matmulCopies(problem) && !repeats ? saturatingProduct({a, heads, columns, problem.valueHeadSize}) : 0;
  // Scores are in `kept`, and not yet there when the last operand is repeated.
  const std::int64_t scores = saturatingProduct({a, heads, rows, columns});
  const std::int64_t beforeRepeat =
      repeats && a != bytesOf(problem.dtype)
          ? saturatingProduct({a, problem.batch, problem.keyValueHeads, columns, problem.valueHeadSize})
          : 0;
  const BiasOfBlock bias = biasOfBlock(problem, rows * columns, 1);
  const std::int64_t added =
      a == bytesOf(problem.dtype) ? 0 : saturatingProduct({a / bytesOf(problem.dtype), bias.made});
  return saturatingSum({outputBytes(problem), kept, operands,
                        std::max({product + copiedValues, copiedKeys, hasMask(problem) ? rows * columns : 0,
                                  bias.making, saturatingSum({bias.made, added}), beforeRepeat - scores})});
}

CardFigures blockwiseFigures(const Problem& problem, const CardConditions&) {
  CardFigures figures = commonFigures(problem);
  figures.executedFlops = saturatingSum({flopsOfPairs(problem, blockwisePairs(problem)), linearLayerFlops(problem)});
  const std::int64_t peak = blockwisePeak(problem);
  putPeak(figures, problem, peak,
          fmt::format("output of {} + blocks of {}", sizeInWords(outputBytes(problem)),
                      sizeInWords(peak - outputBytes(problem))),
          kSoftcap | kSink | kBias);
  return figures;
}

std::optional<std::string> refusedBlockwise(const Problem& problem) {
  if (auto reason = refusedExtras(problem, kSoftcap | kSink | kBias, "Online softmax in blocks")) return reason;
  return refusedBackward(problem, "Writes over the blocks that backward needs.");
}

// --- window.blocks --------------------------------------------------------------------------------------------------

std::vector<KeyRange> keysOfWindow(const Problem& problem, std::int64_t first, std::int64_t queries) {
  const KeyRange keys = keysSeenByAny(problem, first, queries);
  return keys.size() == 0 ? std::vector<KeyRange>{} : std::vector<KeyRange>{keys};
}

struct WindowWork {
  std::int64_t pairs = 0;
  std::int64_t largest = 0;  // pairs of a block
};

WindowWork windowWork(const Problem& problem) {
  WindowWork work;
  const std::int64_t rows = windowQueryBlock(problem);
  for (std::int64_t first = 0; first < problem.queryLength; first += rows) {
    const std::int64_t queries = std::min(rows, problem.queryLength - first);
    const std::int64_t pairs = queries * keysSeenByAny(problem, first, queries).size();
    work.pairs += pairs;
    work.largest = std::max(work.largest, pairs);
  }
  return work;
}

CardFigures windowFigures(const Problem& problem, const CardConditions& conditions) {
  CardFigures figures = commonFigures(problem);
  const WindowWork work = windowWork(problem);
  figures.executedFlops = saturatingSum({storedFlopsOfPairs(problem, work.pairs), linearLayerFlops(problem)});
  const bool keeps = problem.pass == Pass::kForwardBackward;
  const std::int64_t row = saturatingProduct({bytesOf(problem.dtype), problem.batch, problem.heads});
  const std::int64_t scores = saturatingProduct({row, keeps ? work.pairs : saturatingProduct({2, work.largest})});
  const std::int64_t peak = peakInBlocks(problem, conditions, windowQueryBlock(problem), keysOfWindow);
  putPeak(figures, problem, peak,
          fmt::format("output of {} + {} of scores, {} + {}", sizeInWords(outputBytes(problem)),
                      keeps ? "all blocks" : "2 blocks", sizeInWords(scores),
                      sizeInWords(std::max<std::int64_t>(0, peak - outputBytes(problem) - scores))),
          kSoftcap | kSink | kBias | kBackward);
  return figures;
}

std::optional<std::string> refusedWindow(const Problem& problem) {
  if (!std::holds_alternative<WindowMask>(problem.mask)) {
    return fmt::format("Needs a window, not {}. Use the mask window.",
                       std::holds_alternative<NoMask>(problem.mask) ? "no mask" : "this mask");
  }
  return refusedExtras(problem, kSoftcap | kSink | kBias, "A window in blocks");
}

}  // namespace

std::int64_t windowQueryBlock(const Problem& problem) {
  constexpr std::int64_t kStep = 16;
  constexpr std::int64_t kMost = 128;
  const auto* window = std::get_if<WindowMask>(&problem.mask);
  const std::int64_t width = window == nullptr ? problem.keyValueLength : window->width;
  return std::clamp(width / 10 / kStep * kStep, kStep, kMost);
}

std::span<const Card> blockCards() {
  static const std::array<Card, 2> cards = {{
      builtCard("blockwise.aten", "Blockwise, ATen", CardGroup::kFused, "time N², memory N", refusedBlockwise,
                blockwiseFigures),
      builtCard("window.blocks", "Sliding window, blocks", CardGroup::kSparse, "time N W, memory N", refusedWindow,
                windowFigures),
  }};
  return cards;
}

}  // namespace attnscope
