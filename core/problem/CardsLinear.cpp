// SPDX-License-Identifier: Apache-2.0
// Linear attention (arXiv 2006.16236): O = f(Q) (f(K)^T V) / (f(Q) sum f(K)) with f = elu + 1, and no scale. Another
// function than softmax attention: it is checked against this definition in float64, and its distance to softmax
// attention is stated beside. Symbols as in Formulas.h; a bytes of the accumulator (8 for float64, else 4), in whose
// type all is computed; C = kLinearChunk; every variable lives to the end of its loop.
//
//   fq = elu(q) + 1: a B Hq N D; fk: a B Hk M D (elu, then add_ in place; of 16-bit types: to, elu_, add_);
//   va = v in the accumulator's type: a B Hk M V where that is another
//   fq and fk are contiguous in each layout; va keeps its own, so that matmul copies it in bnhd with batch > 1
// no mask           kv = matmul(fk^T, va): a B Hk D V; z = fk.sum(-2): a B Hk D, both repeated for fewer key heads:
//                   a B Hq D (V + 1); num = matmul(fq, kv): a B Hq N V; den = matmul(fq, z^T): a B Hq N;
//                   num.div_(den); output = num.to(type)
//                   peak = fq + fk + va + the larger of kv + z (+ repeated) + num + den, and for 16-bit types num + O
// causal, square,   output = empty; kv, z = zeros; for each chunk of C: qc, kc, vc; for fewer key heads kc, vc, kv, z
// top-left          repeated: a B Hq (C D + C V + D V + D); s = matmul(qc, kc^T).tril_(); num = matmul(qc, kv);
//                   num.add_(matmul(s, vc)); den = matmul(qc, z^T).add_(s.sum); output's chunk.copy_(num.div_(den));
//                   kv.add_(matmul(kc^T, vc)); z.add_(kc.sum)
//                   peak = fq + fk + va + O + kv + z (+ repeated) + a B Hq C (C + V + 2) + the larger of a B Hq C V and
//                   a B Hk D V [+ a B Hq C V: in the layout bnhd with batch > 1, matmul copies vc]
// fq and fk are contiguous whatever the layout.
// Useful FLOPs are those of this function: 2 B (Hq N + Hk M) D V; executed with a mask: 2 B Hq N C (D + V) more.

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/problem/CardTables.h"

namespace attnscope {
namespace {

CardFigures linearFigures(const Problem& problem, const CardConditions&) {
  const std::int64_t a = accumulatorBytesOf(problem.dtype);
  const bool raised = a != bytesOf(problem.dtype);
  const std::int64_t ratio = a / bytesOf(problem.dtype);
  const std::int64_t queryHeads = problem.batch * problem.heads;
  const std::int64_t keyHeads = problem.batch * problem.keyValueHeads;
  const bool repeats = problem.keyValueHeads != problem.heads;
  const std::int64_t d = problem.headSize;
  const std::int64_t v = problem.valueHeadSize;
  const std::int64_t features = saturatingProduct(
      {ratio, saturatingSum({queryBytes(problem), keyBytes(problem), raised ? valueBytes(problem) : 0})});
  const std::int64_t state = saturatingProduct({a, keyHeads, d * (v + 1)});

  CardFigures figures = commonFigures(problem);
  const std::int64_t products = saturatingSum({saturatingProduct({2, queryHeads, problem.queryLength, d, v}),
                                               saturatingProduct({2, keyHeads, problem.keyValueLength, d, v})});
  figures.usefulFlops = saturatingSum({products, linearLayerFlops(problem)});
  figures.executedFlops = figures.usefulFlops;
  std::int64_t peak = 0;
  if (hasMask(problem)) {
    const std::int64_t chunk = std::min(kLinearChunk, problem.queryLength);
    figures.executedFlops =
        saturatingSum({figures.usefulFlops, saturatingProduct({2, queryHeads, problem.queryLength, chunk, d + v})});
    const std::int64_t repeated = repeats ? saturatingProduct({a, queryHeads, chunk * (d + v) + d * (v + 1)}) : 0;
    const std::int64_t inChunk = saturatingProduct({a, queryHeads, chunk * (chunk + v + 2)});
    const std::int64_t product =
        std::max(saturatingProduct({a, queryHeads, chunk, v}), saturatingProduct({a, keyHeads, d, v}));
    const std::int64_t copied = matmulCopies(problem) && !repeats ? saturatingProduct({a, queryHeads, chunk, v}) : 0;
    peak = saturatingSum({features, outputBytes(problem), state, repeated, inChunk, product, copied});
  } else {
    const std::int64_t repeated = repeats ? saturatingProduct({a, queryHeads, d * (v + 1)}) : 0;
    const std::int64_t sums = saturatingProduct({a, queryHeads, problem.queryLength, v + 1});
    const std::int64_t copied = matmulCopies(problem) ? saturatingProduct({a, keyHeads, problem.keyValueLength, v}) : 0;
    // When the output is rounded the state and the denominators are gone.
    const std::int64_t rounding = saturatingProduct({ratio + 1, outputBytes(problem)});
    peak = saturatingSum({features, std::max(saturatingSum({state, std::max(copied, saturatingSum({repeated, sums}))}),
                                             raised ? rounding : 0)});
  }
  putPeak(figures, problem, peak,
          fmt::format("features of {} + state of {} + output and sums of {}", sizeInWords(features), sizeInWords(state),
                      sizeInWords(std::max<std::int64_t>(0, peak - features - state))));
  return figures;
}

std::optional<std::string> refusedLinear(const Problem& problem) {
  const bool square = problem.queryLength == problem.keyValueLength;
  const auto* causal = std::get_if<CausalMask>(&problem.mask);
  if (hasMask(problem) && causal == nullptr) return "Is built without a mask and for causal. Use one of these.";
  if (causal != nullptr && !square) {
    return fmt::format("Causal needs as many queries as keys, not {} and {}. Make them equal, or use no mask.",
                       problem.queryLength, problem.keyValueLength);
  }
  if (auto reason = refusedExtras(problem, kNoExtras, "Linear attention has no scores: it")) return reason;
  return refusedBackward(problem, "Is built forward only.");
}

}  // namespace

std::span<const Card> linearCards() {
  static const std::array<Card, 1> cards = {{
      builtCard("linear.elu", "Linear, elu + 1", CardGroup::kApproximate, "time N, memory N", refusedLinear,
                linearFigures, Exactness::kApproximate),
  }};
  return cards;
}

}  // namespace attnscope
