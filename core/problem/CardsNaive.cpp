// SPDX-License-Identifier: Apache-2.0
// Attention written out, one ATen operator a stage. Symbols as in Formulas.h; S = e B Hq N M is one matrix of scores,
// O = e B Hq N V the output, R = e B Hq M (D + V) the keys and values repeated for each query head, where there are
// fewer of them (expand and reshape before all else; 0 otherwise). Any mask is a boolean matrix [N, M], true where it
// hides, made once: N M held bytes. Every variable lives to the end of the call, as attention is usually written.
//
// naive.plain    k, v = repeated; raw = matmul(q, k^T); scores = mul(raw, scale); [visible = masked_fill(scores,
// hidden,
//                -inf), out of place]; probabilities = softmax(visible); output = matmul(probabilities, v)
//                peak = 3 S + O + R, with a mask 4 S + O + R
//                (measured: float32 B1 H4 N512 D64 without a mask 12800 KiB, S being 4096 KiB)
// naive.inplace  k, v = repeated; scores = empty; baddbmm_(beta 0, alpha scale); masked_fill_(hidden, -inf);
//                softmax_out(scores, scores); output = matmul(scores, v)
//                peak = S + O + R, with and without a mask
// naive.fp32     k, v = repeated; q32 = q.to(float32), k32 = k.to(float32); raw, scores, [visible], probabilities32 as
//                naive.plain in float32; probabilities = probabilities32.to(type); output = matmul(probabilities, v)
//                peak = R + 4 B Hq (N + M) D + 3 (with a mask 4) S at 4 bytes + S + O; for float32 the conversions
//                are no copies: as naive.plain
//
// A softcap, a bias and dropout are operators of their own: each adds a matrix to naive.plain and naive.fp32 and
// nothing to naive.inplace; dropout also draws B Hq N M booleans. A sink scales the output by its share of each row
// (Extras.h of the engine), which needs the sums of the rows: logsumexp takes S once more while it runs; only in
// naive.inplace is that the peak. A bias [1 or Hq, N, M] is made once: held bytes.
//
// A row that sees nothing is NaN after softmax and is set to 0 by the engine (masked rows alone, in the output, in
// place). In the layout bnhd with batch > 1, matmul copies q and k for the first product and v for the second, each
// freed after it: the last adds e B Hq M V to the peak.

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/problem/CardTables.h"

namespace attnscope {
namespace {

std::int64_t copyOfValues(const Problem& problem) {
  const bool repeated = problem.keyValueHeads != problem.heads;
  return matmulCopies(problem) && !repeated ? valueBytes(problem) : 0;
}

// The largest of what lives during the first and the last product: `before` is there all the time.
std::int64_t peakOf(const Problem& problem, std::int64_t before, std::int64_t firstScores, std::int64_t allScores,
                    std::int64_t bytesPerValue) {
  std::int64_t copies = 0;
  if (matmulCopies(problem)) {
    const std::int64_t ratio = bytesPerValue / bytesOf(problem.dtype);
    copies = ratio * (queryBytes(problem) + (problem.keyValueHeads == problem.heads ? keyBytes(problem) : 0));
  }
  return std::max(saturatingSum({before, firstScores, copies}),
                  saturatingSum({before, allScores, outputBytes(problem), copyOfValues(problem)}));
}

std::string words(std::int64_t matrices, std::int64_t oneMatrix, const Problem& problem, std::int64_t others) {
  std::string text = fmt::format("{} score {} of {} + output of {}", matrices, matrices == 1 ? "matrix" : "matrices",
                                 sizeInWords(oneMatrix), sizeInWords(outputBytes(problem)));
  if (others > 0) text += fmt::format(" + copies of {}", sizeInWords(others));
  return text;
}

CardFigures base(const Problem& problem) {
  CardFigures figures = commonFigures(problem);
  figures.heldBytes = saturatingSum({maskBytes(problem), biasBytes(problem)});
  const std::int64_t pairs = saturatingProduct({problem.queryLength, problem.keyValueLength});
  figures.executedFlops = saturatingSum({flopsOfPairs(problem, pairs), linearLayerFlops(problem)});
  // The stored probabilities save the product that a fused backward repeats: 2 (2 D + 2 V) instead of 2 (3 D + 2 V).
  if (problem.pass == Pass::kForwardBackward) {
    figures.executedFlops = saturatingSum(
        {saturatingProduct({2, problem.batch, problem.heads, pairs, 3 * (problem.headSize + problem.valueHeadSize)}),
         linearLayerFlops(problem)});
  }
  return figures;
}

// Of scores, each of its own: raw, scaled, capped, biased, masked, probabilities, what dropout leaves.
std::int64_t matricesOfPlain(const Problem& problem) {
  const Extras extras = extrasOf(problem);
  return 3 + (hasMask(problem) ? 1 : 0) + ((extras & kSoftcap) != 0 ? 1 : 0) + ((extras & kBias) != 0 ? 1 : 0) +
         ((extras & kDropout) != 0 ? 1 : 0);
}

std::int64_t drawnBytes(const Problem& problem) { return problem.dropout > 0 ? scoreBytes(problem, 1) : 0; }

CardFigures plainFigures(const Problem& problem, const CardConditions&) {
  CardFigures figures = base(problem);
  const std::int64_t matrices = matricesOfPlain(problem);
  const std::int64_t one = scoreBytes(problem, bytesOf(problem.dtype));
  const std::int64_t repeated = repeatedBytes(problem, bytesOf(problem.dtype));
  putPeak(figures, problem,
          peakOf(problem, repeated, one, saturatingSum({saturatingProduct({matrices, one}), drawnBytes(problem)}),
                 bytesOf(problem.dtype)),
          words(matrices, one, problem, repeated + drawnBytes(problem)), kAllExtras);
  return figures;
}

CardFigures inplaceFigures(const Problem& problem, const CardConditions&) {
  CardFigures figures = base(problem);
  const std::int64_t one = scoreBytes(problem, bytesOf(problem.dtype));
  const std::int64_t repeated = repeatedBytes(problem, bytesOf(problem.dtype));
  const std::int64_t matrices = problem.sink ? 2 : 1;
  const std::int64_t scores = std::max(saturatingProduct({matrices, one}), saturatingSum({one, drawnBytes(problem)}));
  putPeak(figures, problem, peakOf(problem, repeated, one, scores, bytesOf(problem.dtype)),
          words(matrices, one, problem, repeated), kAllExtras);
  return figures;
}

CardFigures fp32Figures(const Problem& problem, const CardConditions& conditions) {
  if (problem.dtype == DataType::kFloat32) return plainFigures(problem, conditions);
  CardFigures figures = base(problem);
  const std::int64_t matrices = matricesOfPlain(problem);
  const std::int64_t one = scoreBytes(problem, 4);
  const std::int64_t rounded = scoreBytes(problem, bytesOf(problem.dtype));
  const std::int64_t raised = saturatingProduct(
      {4, problem.batch, problem.heads, problem.queryLength + problem.keyValueLength, problem.headSize});
  const std::int64_t before = saturatingSum({repeatedBytes(problem, bytesOf(problem.dtype)), raised});
  putPeak(figures, problem,
          peakOf(problem, before, one,
                 saturatingSum({saturatingProduct({matrices, one}), rounded, drawnBytes(problem)}), 4),
          words(matrices, one, problem, before) + fmt::format(" + rounded scores of {}", sizeInWords(rounded)),
          kAllExtras);
  return figures;
}

std::optional<std::string> refusedInplace(const Problem& problem) {
  return refusedBackward(problem, "Writes over the scores that backward needs.");
}

std::optional<std::string> refusedFp32(const Problem& problem) {
  if (problem.dtype == DataType::kFloat64) return "float32 scores would lose what float64 keeps. Use naive.plain.";
  return std::nullopt;
}

}  // namespace

std::span<const Card> naiveCards() {
  static const std::array<Card, 3> cards = {{
      builtCard("naive.plain", "Naive", CardGroup::kWrittenOut, "time N², memory N²", nullptr, plainFigures),
      builtCard("naive.inplace", "Naive, in place", CardGroup::kWrittenOut, "time N², memory N²", refusedInplace,
                inplaceFigures),
      builtCard("naive.fp32", "Naive, fp32 scores", CardGroup::kWrittenOut, "time N², memory N²", refusedFp32,
                fp32Figures),
  }};
  return cards;
}

}  // namespace attnscope
