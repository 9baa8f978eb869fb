// SPDX-License-Identifier: Apache-2.0
// Multi-head latent attention (arXiv 2405.04434): keys and values are linear in one latent vector c [B, M, r] a token,
// and in dr values that all heads share and that carry the position. What is kept a token is r + dr values. Symbols as
// in Formulas.h; Dn = D - dr.
//
// mla.plain     expands: k = cat(c Wk^T, rope): [B, Hq, M, D]; v = c Wv^T: [B, Hq, M, V]; then s = matmul(q, k^T)
//               .mul_(scale).masked_fill_(hidden, -inf); p = softmax(s); output = matmul(p, v)
//               2 B Hq (M r (Dn + V) + N M (D + V)) FLOPs
//               peak = e B Hq M (D + V) + 2 S + O, or while they are put in order e B Hq M (Dn + D) and then (D + 2 V)
// mla.absorbed  the weights go to the side of the queries: a = q Wk: [B, Hq, N, r]; s = matmul(a, c^T) + matmul(q's
// rope
//               part, rope^T); p = softmax(s mul_(scale) ...); output = matmul(matmul(p, c), Wv^T)
//               2 B Hq (N M (2 r + dr) + N r (Dn + V)) FLOPs; keys and values are never made
//               peak = 2 S + e B Hq N (r + V), and r more with batch > 1, to put the heads in order: of one query they
//               are, and are copied only where matrix units multiply them
//
// Bytes: both read the cache, e B M (r + dr), and the weights, e Hq r (Dn + V).

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/problem/CardTables.h"

namespace attnscope {
namespace {

CardFigures latentFigures(const Problem& problem) {
  CardFigures figures = commonFigures(problem);
  const std::int64_t e = bytesOf(problem.dtype);
  const std::int64_t cache =
      saturatingProduct({e, problem.batch, problem.keyValueLength, problem.latentSize + problem.ropeSize});
  const std::int64_t weights = saturatingProduct(
      {e, problem.heads, problem.latentSize, problem.headSize - problem.ropeSize + problem.valueHeadSize});
  figures.minimumBytes = saturatingSum({queryBytes(problem), outputBytes(problem), cache, weights});
  figures.heldBytes = saturatingSum({cache, weights, maskBytes(problem)});
  return figures;
}

std::int64_t flopsOf(const Problem& problem, std::int64_t perHead) {
  return saturatingProduct({2, problem.batch, problem.heads, perHead});
}

CardFigures plainFigures(const Problem& problem, const CardConditions&) {
  if (problem.latentSize == 0) return commonFigures(problem);
  CardFigures figures = latentFigures(problem);
  const std::int64_t d = problem.headSize;
  const std::int64_t nope = d - problem.ropeSize;
  const std::int64_t v = problem.valueHeadSize;
  const std::int64_t keys = problem.keyValueLength;
  figures.executedFlops = flopsOf(problem, saturatingSum({saturatingProduct({keys, problem.latentSize, nope + v}),
                                                          saturatingProduct({problem.queryLength, keys, d + v})}));
  const std::int64_t row = saturatingProduct({bytesOf(problem.dtype), problem.batch, problem.heads, keys});
  const std::int64_t scores = scoreBytes(problem, bytesOf(problem.dtype));
  const std::int64_t peak =
      std::max({saturatingProduct({row, nope + d}), saturatingProduct({row, d + 2 * v}),
                saturatingSum({saturatingProduct({row, d + v}), scores, scores, outputBytes(problem)})});
  putPeak(figures, problem, peak,
          fmt::format("keys and values expanded, {} + 2 score matrices of {}",
                      sizeInWords(saturatingProduct({row, d + v})), sizeInWords(scores)));
  return figures;
}

CardFigures absorbedFigures(const Problem& problem, const CardConditions& conditions) {
  if (problem.latentSize == 0) return commonFigures(problem);
  CardFigures figures = latentFigures(problem);
  const std::int64_t nope = problem.headSize - problem.ropeSize;
  const std::int64_t r = problem.latentSize;
  figures.executedFlops =
      flopsOf(problem,
              saturatingSum({saturatingProduct({problem.queryLength, problem.keyValueLength, 2 * r + problem.ropeSize}),
                             saturatingProduct({problem.queryLength, r, nope + problem.valueHeadSize})}));
  const std::int64_t scores = scoreBytes(problem, bytesOf(problem.dtype));
  const std::int64_t rows =
      saturatingProduct({bytesOf(problem.dtype), problem.batch, problem.heads, problem.queryLength});
  const bool isInOrder = problem.queryLength == 1 && !usesMatrixUnits(problem, conditions);
  const std::int64_t ordered = problem.batch > 1 && problem.heads > 1 && !isInOrder ? r : 0;
  const std::int64_t peak =
      saturatingSum({scores, scores, saturatingProduct({rows, r + ordered + problem.valueHeadSize})});
  putPeak(figures, problem, peak,
          fmt::format("2 score matrices of {} + queries and sums in the latent of {}", sizeInWords(scores),
                      sizeInWords(saturatingProduct({rows, r}))));
  return figures;
}

std::optional<std::string> refusedLatent(const Problem& problem) {
  if (problem.latentSize == 0) return "Needs a latent that gives keys and values. Use --latent R, or a model's preset.";
  return refusedExtras(problem, kNoExtras, "Latent attention");
}

}  // namespace

std::span<const Card> latentCards() {
  static const std::array<Card, 2> cards = {{
      builtCard("mla.absorbed", "Latent attention, absorbed", CardGroup::kShared, "time N M r, cache M r",
                refusedLatent, absorbedFigures),
      builtCard("mla.plain", "Latent attention, expanded", CardGroup::kShared, "time N M D, memory M H D",
                refusedLatent, plainFigures),
  }};
  return cards;
}

}  // namespace attnscope
