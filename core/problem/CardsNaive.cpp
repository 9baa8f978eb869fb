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
// nothing to naive.inplace. A softcap is three operators, whose first two results live until the third is there;
// dropout draws B Hq N M booleans, which the product turns into a matrix of the scores' type while it runs. A sink
// scales the output by its share of each row (Extras.h of the engine), which needs the sums of the rows: logsumexp
// takes S once more while it runs. A bias [1 or Hq, N, M] is made once: held bytes.
//
// A row that sees nothing is NaN after softmax and is set to 0 by the engine (masked rows alone, in the output, in
// place). In the layout bnhd with batch > 1, matmul copies q and k for the first product and v for the second, each
// freed after it: the last adds e B Hq M V to the peak. Where the CPU has matrix units, 16-bit operands in this layout
// are copied with batch = 1 too, while they are multiplied.
//
// With backward autograd keeps what each operator's gradient needs: the operands of both products (copies of theirs
// too), the probabilities, what tanh gave, what was drawn, and for a sink the scores and the output before it. All
// other variables end with the forward. The gradients come in the order of the operators turned round; each matrix of
// them is freed when the next is there, and beside them what it needed: the peak is the forward's, or 3 S + O + e B Hq
// M V where softmax has the probabilities, their gradient and its own result (writtenOutPeak() below, in order;
// measured: float32 B1 H4 N512 D64 without a mask 13312 KiB).

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/problem/CardTables.h"
#include "core/problem/KeyBlocks.h"
#include "core/problem/Ledger.h"
#include "core/problem/ScoreGradients.h"

namespace attnscope {
namespace {

std::int64_t drawnBytes(const Problem& problem) { return problem.dropout > 0 ? scoreBytes(problem, 1) : 0; }

// The bytes of tensors, with s bytes a value where the scores are of another type than the operands.
struct Sizes {
  Sizes(const Problem& problem, const CardConditions& conditions, std::int64_t s)
      : one(scoreBytes(problem, s)),
        rounded(scoreBytes(problem, bytesOf(problem.dtype))),
        rows(saturatingProduct({s, problem.batch, problem.heads, problem.queryLength})),
        query(saturatingProduct({rows, problem.headSize})),
        key(saturatingProduct({s, problem.batch, problem.heads, problem.keyValueLength, problem.headSize})),
        keyGiven(saturatingProduct(
            {bytesOf(problem.dtype), problem.batch, problem.heads, problem.keyValueLength, problem.headSize})),
        value(saturatingProduct(
            {bytesOf(problem.dtype), problem.batch, problem.heads, problem.keyValueLength, problem.valueHeadSize})),
        drawn(drawnBytes(problem)),
        output(outputBytes(problem)),
        raised(s != bytesOf(problem.dtype)),
        repeats(problem.keyValueHeads != problem.heads),
        copies(matmulCopies(problem)),
        copiedOperands(copies ? saturatingSum({query, repeats ? 0 : key}) : 0),
        copiedValues(copies && !repeats ? value : 0) {
    const bool interleaved = problem.layout == Layout::kBnhd && problem.heads > 1 && !copies;
    if (!interleaved || !usesMatrixUnits(problem, conditions)) return;
    stridedValues = repeats ? 0 : value;
    stridedOutput = output;
    stridedOperands = raised ? 0 : saturatingSum({query, repeats ? 0 : key});
  }

  std::int64_t one, rounded;          // matrices of scores, as they are and rounded to the type of the values
  std::int64_t rows;                  // one value a row
  std::int64_t query, key, keyGiven;  // for all query heads, the last in the type that is given
  std::int64_t value, drawn, output;
  bool raised, repeats, copies;
  std::int64_t copiedOperands, copiedValues;  // by the products
  // While they are multiplied; of the output its gradient.
  std::int64_t stridedOperands = 0, stridedValues = 0, stridedOutput = 0;
};

void writeForward(Ledger& ledger, const Problem& problem, const Sizes& sizes) {
  const bool keeps = problem.pass == Pass::kForwardBackward;
  if (sizes.repeats) ledger.take(saturatingSum({sizes.keyGiven, sizes.value}));
  if (sizes.raised) ledger.take(saturatingSum({sizes.query, sizes.key}));
  ledger.take(sizes.copiedOperands);
  ledger.take(sizes.one);  // raw
  ledger.use(sizes.stridedOperands);
  if (!keeps) ledger.free(sizes.copiedOperands);
  ledger.take(sizes.one);  // scaled
  if (problem.softcap > 0) {
    ledger.take(saturatingProduct({3, sizes.one}));
    ledger.free(saturatingProduct({keeps ? 1 : 2, sizes.one}));
  }
  if (hasBias(problem)) ledger.take(sizes.one);
  if (hasMask(problem)) ledger.take(sizes.one);
  if (problem.sink) {
    ledger.use(saturatingSum({sizes.one, sizes.rows}));
    ledger.take(saturatingProduct({keeps ? 2 : 1, sizes.rows}));
  }
  ledger.take(sizes.one);  // probabilities
  if (problem.dropout > 0) {
    ledger.take(sizes.drawn);
    ledger.take(saturatingProduct({2, sizes.one}));
    ledger.free(sizes.one);
  }
  if (sizes.raised) ledger.take(sizes.rounded);
  ledger.take(saturatingSum({sizes.copiedValues, sizes.output}));
  ledger.use(sizes.stridedValues);
  if (!keeps) ledger.free(sizes.copiedValues);
  if (problem.sink) ledger.take(sizes.output);
}

// What autograd keeps of them, and the output.
std::int64_t keptByWrittenOut(const Problem& problem, const Sizes& sizes) {
  const bool ownQuery = sizes.raised || sizes.copies;
  const bool drops = problem.dropout > 0;
  const std::int64_t weights = sizes.raised ? sizes.rounded : (drops ? sizes.one : 0);
  const std::int64_t sink = saturatingSum({sizes.one, sizes.output, sizes.rows, sizes.rows});
  return saturatingSum({ownQuery ? sizes.query : 0, ownQuery || sizes.repeats ? sizes.key : 0,
                        sizes.repeats ? sizes.value : sizes.copiedValues, problem.softcap > 0 ? sizes.one : 0,
                        sizes.one, sizes.drawn, weights, problem.sink ? sink : 0, sizes.output});
}

void writeBackward(Ledger& ledger, const Problem& problem, const Sizes& sizes) {
  std::int64_t above = 0;  // the gradient of the output is given; what is made of it is not
  const auto replaceAbove = [&] {
    ledger.replace(above, sizes.output);
    above = sizes.output;
  };
  if (hasBlindQuery(problem)) replaceAbove();
  if (problem.sink) {
    ledger.take(saturatingProduct({2, sizes.output}));
    ledger.free(saturatingSum({sizes.output, sizes.output, above}));
    above = sizes.output;
  }
  if (sizes.copies) replaceAbove();
  ledger.take(saturatingSum({sizes.value, sizes.rounded}));  // of the values and the weights
  ledger.use(saturatingSum({sizes.stridedOutput, sizes.stridedValues}));
  ledger.free(saturatingSum({above, sizes.repeats ? sizes.value : sizes.copiedValues}));
  if (sizes.raised) {
    ledger.free(sizes.rounded);
    ledger.replace(sizes.rounded, sizes.one);
  } else if (problem.dropout > 0) {
    ledger.free(sizes.one);
  }
  if (problem.dropout > 0) {
    ledger.use(sizes.one);
    ledger.use(saturatingProduct({2, sizes.one}));
    ledger.free(sizes.drawn);
  }
  writeScoresBack(ledger, {.one = sizes.one,
                           .hiddenBytes = 0,
                           .sums = problem.sink ? SinkSums::kBeforeSoftmax : SinkSums::kNone,
                           .masked = hasMask(problem),
                           .softcap = problem.softcap > 0});
  ledger.take(saturatingSum({sizes.key, sizes.query}));
  ledger.free(sizes.one);
  ledger.free(sizes.raised || sizes.copies ? sizes.query : 0);
  ledger.free(sizes.raised || sizes.copies || sizes.repeats ? sizes.key : 0);
  if (sizes.raised) {
    ledger.replace(sizes.key, sizes.keyGiven);
    ledger.replace(sizes.query, queryBytes(problem));
  }
  if (sizes.repeats) {
    ledger.replace(sizes.value, valueBytes(problem));
    ledger.replace(sizes.keyGiven, keyBytes(problem));
  }
}

// s: bytes of a score.
std::int64_t writtenOutPeak(const Problem& problem, const CardConditions& conditions, std::int64_t s) {
  const Sizes sizes(problem, conditions, s);
  Ledger ledger;
  writeForward(ledger, problem, sizes);
  if (problem.pass == Pass::kForwardBackward) {
    ledger.keepOnly(keptByWrittenOut(problem, sizes));
    writeBackward(ledger, problem, sizes);
  }
  return ledger.peakBytes();
}

CardFigures base(const Problem& problem) {
  CardFigures figures = commonFigures(problem);
  figures.heldBytes = saturatingSum({maskBytes(problem), biasBytes(problem)});
  const std::int64_t pairs = saturatingProduct({problem.queryLength, problem.keyValueLength});
  figures.executedFlops = saturatingSum({storedFlopsOfPairs(problem, pairs), linearLayerFlops(problem)});
  return figures;
}

// Of scores, each of its own: raw, scaled, capped, biased, masked, probabilities, what dropout leaves.
std::int64_t matricesOfPlain(const Problem& problem) {
  const Extras extras = extrasOf(problem);
  return 3 + (hasMask(problem) ? 1 : 0) + ((extras & kSoftcap) != 0 ? 1 : 0) + ((extras & kBias) != 0 ? 1 : 0) +
         ((extras & kDropout) != 0 ? 1 : 0);
}

std::string words(std::int64_t matrices, std::int64_t oneMatrix, const Problem& problem, std::int64_t peak) {
  std::string text = fmt::format("{} score {} of {} + output of {}", matrices, matrices == 1 ? "matrix" : "matrices",
                                 sizeInWords(oneMatrix), sizeInWords(outputBytes(problem)));
  const std::int64_t others = peak - saturatingSum({saturatingProduct({matrices, oneMatrix}), outputBytes(problem)});
  if (others <= 0) return text;
  return text + fmt::format(" + {} of {}", problem.pass == Pass::kForward ? "copies" : "copies and gradients",
                            sizeInWords(others));
}

CardFigures plainFigures(const Problem& problem, const CardConditions& conditions) {
  CardFigures figures = base(problem);
  const std::int64_t one = scoreBytes(problem, bytesOf(problem.dtype));
  const std::int64_t peak = writtenOutPeak(problem, conditions, bytesOf(problem.dtype));
  putPeak(figures, problem, peak, words(matricesOfPlain(problem), one, problem, peak), kAllExtras | kBackward);
  return figures;
}

// q and k are copied for the first product, v for the last.
std::int64_t inplacePeak(const Problem& problem, const CardConditions& conditions, std::int64_t one) {
  const Sizes sizes(problem, conditions, bytesOf(problem.dtype));
  Ledger ledger;
  if (sizes.repeats) ledger.take(saturatingSum({sizes.keyGiven, sizes.value}));
  ledger.take(one);
  ledger.use(saturatingSum({sizes.copiedOperands, sizes.stridedOperands}));
  if (problem.sink) ledger.use(saturatingSum({one, sizes.rows}));
  if (problem.dropout > 0) {
    ledger.take(sizes.drawn);
    ledger.use(one);
    ledger.free(sizes.drawn);
  }
  ledger.take(saturatingSum({sizes.output, sizes.copiedValues, sizes.stridedValues}));
  return ledger.peakBytes();
}

CardFigures inplaceFigures(const Problem& problem, const CardConditions& conditions) {
  CardFigures figures = base(problem);
  const std::int64_t one = scoreBytes(problem, bytesOf(problem.dtype));
  const std::int64_t peak = inplacePeak(problem, conditions, one);
  putPeak(figures, problem, peak, words(problem.sink || problem.dropout > 0 ? 2 : 1, one, problem, peak), kAllExtras);
  return figures;
}

CardFigures fp32Figures(const Problem& problem, const CardConditions& conditions) {
  if (problem.dtype == DataType::kFloat32) return plainFigures(problem, conditions);
  CardFigures figures = base(problem);
  const std::int64_t one = scoreBytes(problem, 4);
  const std::int64_t rounded = scoreBytes(problem, bytesOf(problem.dtype));
  const std::int64_t peak = writtenOutPeak(problem, conditions, 4);
  putPeak(figures, problem, peak,
          words(matricesOfPlain(problem), one, problem, peak - rounded) +
              fmt::format(" + rounded scores of {}", sizeInWords(rounded)),
          kAllExtras | kBackward);
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
