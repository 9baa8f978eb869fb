// SPDX-License-Identifier: Apache-2.0
// PyTorch's scaled_dot_product_attention, one backend a card, pinned by calling the backend's operator directly.
// Symbols as in Formulas.h; a bytes of the accumulator (8 for float64, else 4); S_a = a B Hq N M, O the output.
// Sources: LibTorch 2.11.0, each allocation recorded by a counting allocator on float32 and bfloat16 with and without
// causal, and with fewer key heads.
//
// A mask that is not top-left causal is given as a matrix [N, M] of the problem's type, 0 and -inf, made once:
// e N M held bytes. Top-left causal is is_causal. A bias is given in the same matrix, with the mask in it; of ALiBi it
// is [Hq, N, M].
//
// sdpa.math   at::_scaled_dot_product_attention_math. bfloat16 and float16 are computed in float32.
//             kept: [q, k, v in float32: a B (Hq N D + Hk M (D + V))] + scaled q: a B Hq N D + [mask of is_causal:
//             a N M] + [k, v repeated: a B Hq M (D + V)] = kept. The peak is the largest of
//             making the mask  kept without it and repeats + N M booleans twice, then + a N M
//             scores           kept + scaled k: a B Hq M D + S_a
//             softmax          kept + 2 S_a + B Hq N M booleans + B Hq N booleans, that find rows which see nothing
//             output           kept + S_a + a B Hq N V [+ S_e + O, rounded]
//             (float32 B1 H4 N512 D64: 9730 KiB; causal 10754; 2 key heads 10754; bfloat16 11266: all measured)
//             Dropout fills B Hq N M negated booleans and another S_a, and scales v: a B Hq M V.
//             With backward the scaled q and k, v, the probabilities and what dropout left are kept for it, and the
//             peak is most often where softmax has the probabilities, their gradient and its own result (mathPeak(),
//             in order; float32 B1 H4 N512 D64 causal: 14336 KiB, measured)
// sdpa.flash  at::_scaled_dot_product_flash_attention_for_cpu: O + row sums a B Hq N + a buffer for each thread of
//             a (q k + 2 q + q D) with q, k the block sizes, and for 16-bit types 2 q k more. Where the CPU has
//             matrix units, bfloat16 also packs K and V: 2 B Hk M (D + V) + 2 k D for each thread.
//             Blocks: q 256 from N = 768, 64 from 192, else 32; k 512; neither longer than the sequence.
//             (float32 B1 H4 N512 D64, 1 thread: 664.5 KiB; bfloat16 packed 1048.5 KiB: measured)
//             A sink scales the output after the kernel: of a 16-bit type by way of float32, twice.
//             Causal work stops at the block that holds the diagonal; any other mask skips nothing.
//             With fewer key heads it reads K and V once for each query head. Where a sequence has one query, which
//             sees the same keys for all heads, the g heads of a key head can be given as g queries instead, and K and
//             V are read once (LibTorch 2.11.0 with AVX2, heads of 128 values, g = 4: 2 to 3 times faster for float32,
//             about 10 for bfloat16).
//             With backward O and the row sums stay, and its kernel takes the gradients Q + K + V, in the layout bhnd
//             the gradient from above put in order, O, and for each thread a (2 q k + q), for 16-bit types 4 q k more.
//             (float32 B1 H4 N512 D64, 1 thread: 2824.25 KiB, measured)
// gqa.repeat  k, v repeated for each query head (expand and reshape: e B Hq M (D + V)), then sdpa.flash.

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/problem/CardTables.h"
#include "core/problem/Ledger.h"

namespace attnscope {
namespace {

bool isReduced(DataType type) { return type == DataType::kBFloat16 || type == DataType::kFloat16; }

struct FlashBlocks {
  std::int64_t query = 0;
  std::int64_t key = 0;
};

FlashBlocks blocksOf(std::int64_t queries, std::int64_t keys) {
  std::int64_t query = 32;
  if (queries >= 192) query = 64;
  if (queries >= 768) query = 256;
  return {std::min(query, queries), std::min<std::int64_t>(512, keys)};
}

FlashBlocks blocksOf(const Problem& problem) { return blocksOf(problem.queryLength, problem.keyValueLength); }

bool asksForCausal(const Problem& problem) { return isTopLeftCausal(problem.mask) && !hasBias(problem); }

std::int64_t pairsOfFlash(const Problem& problem) {
  return flashPairs(problem.queryLength, problem.keyValueLength, asksForCausal(problem));
}

std::int64_t heldMaskBytes(const Problem& problem) {
  if (hasBias(problem)) return biasBytes(problem);
  if (isTopLeftCausal(problem.mask)) return 0;
  return saturatingProduct({bytesOf(problem.dtype), maskBytes(problem)});
}

// --- sdpa.math ------------------------------------------------------------------------------------------------------

// Tensors of the accumulator's type, but for what is rounded to the problem's.
struct MathSizes {
  explicit MathSizes(const Problem& problem)
      : a(accumulatorBytesOf(problem.dtype)),
        ratio(a / bytesOf(problem.dtype)),
        scores(scoreBytes(problem, a)),
        flags(scoreBytes(problem, 1)),
        rows(saturatingProduct({problem.batch, problem.heads, problem.queryLength})),
        query(saturatingProduct({ratio, queryBytes(problem)})),
        keyGiven(saturatingProduct({ratio, keyBytes(problem)})),
        valueGiven(saturatingProduct({ratio, valueBytes(problem)})),
        key(saturatingProduct({keyGiven, problem.groupSize()})),
        value(saturatingProduct({valueGiven, problem.groupSize()})),
        output(saturatingProduct({ratio, outputBytes(problem)})),
        raised(isReduced(problem.dtype)),
        repeats(problem.keyValueHeads != problem.heads),
        copies(matmulCopies(problem)),
        copiedOperands(copies ? saturatingSum({query, repeats ? 0 : key}) : 0),
        copiedValues(copies && !repeats ? value : 0) {}

  std::int64_t a, ratio;
  std::int64_t scores, flags, rows;  // a matrix of scores, one of booleans, a boolean a row
  std::int64_t query, keyGiven, valueGiven;
  std::int64_t key, value;  // for all query heads
  std::int64_t output;
  bool raised, repeats, copies;
  std::int64_t copiedOperands, copiedValues;  // by the products
};

void writeMathForward(Ledger& ledger, const Problem& problem, const MathSizes& sizes) {
  const bool keeps = problem.pass == Pass::kForwardBackward;
  const bool drops = problem.dropout > 0;
  if (drops) ledger.take(sizes.flags);
  if (sizes.raised) ledger.take(saturatingSum({sizes.query, sizes.keyGiven, sizes.valueGiven}));
  ledger.take(sizes.query);  // scaled
  if (asksForCausal(problem)) {
    const std::int64_t pairs = saturatingProduct({problem.queryLength, problem.keyValueLength});
    ledger.use(saturatingProduct({2, pairs}));
    ledger.take(saturatingProduct({sizes.a, pairs}));
  }
  if (sizes.repeats) ledger.take(saturatingSum({sizes.key, sizes.value}));
  ledger.take(sizes.key);  // scaled
  ledger.take(saturatingSum({sizes.copiedOperands, sizes.scores}));
  if (!keeps) ledger.free(sizes.copiedOperands);
  if (!keeps || sizes.copiedOperands > sizes.query) ledger.free(sizes.key);  // unless the product keeps it
  ledger.take(sizes.scores);                                                 // softmax
  ledger.use(saturatingSum({sizes.flags, sizes.rows}));
  ledger.free(sizes.scores);
  if (drops) {
    ledger.take(saturatingSum({sizes.flags, sizes.scores}));
    if (!keeps) ledger.free(saturatingSum({sizes.flags, sizes.scores}));
    ledger.take(sizes.value);
  }
  if (sizes.raised) ledger.take(scoreBytes(problem, bytesOf(problem.dtype)));
  ledger.take(saturatingSum({sizes.copiedValues, sizes.output}));
  if (sizes.raised) ledger.replace(sizes.output, outputBytes(problem));
}

// What autograd keeps: the operands of the products, the probabilities, and of dropout what it left and where.
std::int64_t keptByMath(const Problem& problem, const MathSizes& sizes) {
  const bool drops = problem.dropout > 0;
  const bool ownValues = sizes.repeats || sizes.copies || sizes.raised || drops;
  return saturatingSum({sizes.query, sizes.key, ownValues ? sizes.value : 0, sizes.scores,
                        drops ? saturatingSum({sizes.scores, sizes.flags}) : 0, outputBytes(problem)});
}

void writeMathBackward(Ledger& ledger, const Problem& problem, const MathSizes& sizes) {
  const bool drops = problem.dropout > 0;
  const bool ownValues = sizes.repeats || sizes.copies || sizes.raised || drops;
  std::int64_t above = 0;  // the gradient of the output is given; what is made of it is not
  for (const bool made : {sizes.raised, sizes.copies}) {
    if (!made) continue;
    ledger.replace(above, sizes.output);
    above = sizes.output;
  }
  ledger.take(saturatingSum({sizes.value, sizes.scores}));
  ledger.free(saturatingSum({above, ownValues ? sizes.value : 0}));
  if (drops) {
    ledger.free(sizes.scores);
    ledger.use(sizes.value);
    ledger.use(sizes.scores);
    ledger.free(sizes.flags);
  }
  ledger.use(sizes.scores);  // softmax
  ledger.free(sizes.scores);
  ledger.take(saturatingSum({sizes.key, sizes.query}));
  ledger.free(saturatingSum({sizes.scores, sizes.key, sizes.query}));
  ledger.use(sizes.key);
  if (sizes.repeats) {
    ledger.replace(sizes.value, sizes.valueGiven);
    ledger.replace(sizes.key, sizes.keyGiven);
  }
  ledger.use(sizes.query);
  if (!sizes.raised) return;
  ledger.replace(sizes.valueGiven, valueBytes(problem));
  ledger.replace(sizes.keyGiven, keyBytes(problem));
  ledger.replace(sizes.query, queryBytes(problem));
}

std::int64_t mathPeak(const Problem& problem) {
  const MathSizes sizes(problem);
  Ledger ledger;
  writeMathForward(ledger, problem, sizes);
  if (problem.pass == Pass::kForwardBackward) {
    ledger.keepOnly(keptByMath(problem, sizes));
    writeMathBackward(ledger, problem, sizes);
  }
  return ledger.peakBytes();
}

CardFigures mathFigures(const Problem& problem, const CardConditions&) {
  CardFigures figures = commonFigures(problem);
  figures.heldBytes = heldMaskBytes(problem);
  const std::int64_t pairs = saturatingProduct({problem.queryLength, problem.keyValueLength});
  figures.executedFlops = saturatingSum({storedFlopsOfPairs(problem, pairs), linearLayerFlops(problem)});
  const std::int64_t one = scoreBytes(problem, accumulatorBytesOf(problem.dtype));
  const std::int64_t peak = mathPeak(problem);
  putPeak(figures, problem, peak,
          fmt::format("2 score matrices of {} + copies and masks of {}", sizeInWords(one),
                      sizeInWords(std::max<std::int64_t>(0, peak - saturatingProduct({2, one})))),
          kBias | kDropout | kBackward);
  return figures;
}

// --- sdpa.flash -----------------------------------------------------------------------------------------------------

// The kernel packs where it multiplies each packed value often enough.
bool packs(const Problem& problem, const CardConditions& conditions, std::int64_t keyHeads) {
  if (problem.dtype != DataType::kBFloat16 || !conditions.packsBFloat16) return false;
  if (problem.queryLength < 64 || problem.keyValueLength < 64) return false;
  const FlashBlocks blocks = blocksOf(problem);
  const std::int64_t slices = (problem.queryLength + blocks.query - 1) / blocks.query;
  const std::int64_t items = problem.batch * problem.heads * slices;
  const std::int64_t itemsPerThread = (items + conditions.threads - 1) / conditions.threads;
  const std::int64_t keys =
      isTopLeftCausal(problem.mask) ? std::min(problem.queryLength, problem.keyValueLength) : problem.keyValueLength;
  const double products = static_cast<double>(itemsPerThread * blocks.query) * static_cast<double>(keys);
  const double packed = static_cast<double>(problem.batch * keyHeads) * static_cast<double>(problem.keyValueLength);
  return products / packed >= 4;
}

// The gradients, the one from above put in order, and for each thread two blocks of scores and a sum a row.
std::int64_t flashBackwardBytes(const Problem& problem, const CardConditions& conditions, std::int64_t keyHeads) {
  const FlashBlocks blocks = blocksOf(problem);
  const std::int64_t a = accumulatorBytesOf(problem.dtype);
  const std::int64_t block = blocks.query * blocks.key;
  const std::int64_t buffers = a * (2 * block + blocks.query) + (isReduced(problem.dtype) ? 4 * block : 0);
  const std::int64_t gradients = saturatingProduct({bytesOf(problem.dtype), problem.batch, keyHeads,
                                                    problem.keyValueLength, problem.headSize + problem.valueHeadSize});
  const bool ordered = problem.layout == Layout::kBnhd || problem.heads == 1 || problem.queryLength == 1;
  return saturatingSum({queryBytes(problem), gradients, ordered ? 0 : outputBytes(problem),
                        saturatingProduct({conditions.threads, buffers})});
}

// A share a row, and the output of a 16-bit type in float32, before and after it is scaled.
std::int64_t bytesOfSink(const Problem& problem, std::int64_t rows) {
  if (!problem.sink) return 0;
  return saturatingSum({rows, isReduced(problem.dtype) ? saturatingProduct({4, outputBytes(problem)}) : rows});
}

CardFigures flashFigures(const Problem& problem, const CardConditions& conditions) {
  CardFigures figures = commonFigures(problem);
  figures.heldBytes = heldMaskBytes(problem);
  figures.executedFlops = saturatingSum({flopsOfPairs(problem, pairsOfFlash(problem)), linearLayerFlops(problem)});
  const std::int64_t peak = flashPeak(problem, conditions, problem.keyValueHeads);
  putPeak(figures, problem, peak,
          fmt::format("output of {} + {} of {}", sizeInWords(outputBytes(problem)),
                      problem.pass == Pass::kForward ? "row sums and buffers" : "row sums, gradients and buffers",
                      sizeInWords(peak - outputBytes(problem))),
          kSink | kBias | kBackward);
  return figures;
}

CardFigures repeatFigures(const Problem& problem, const CardConditions& conditions) {
  CardFigures figures = flashFigures(problem, conditions);
  const std::int64_t repeated = repeatedBytes(problem, bytesOf(problem.dtype));
  const std::int64_t peak = saturatingSum({repeated, flashPeak(problem, conditions, problem.heads)});
  putPeak(figures, problem, peak, fmt::format("keys and values repeated, {} + as sdpa.flash", sizeInWords(repeated)),
          kSink | kBias | kBackward);
  return figures;
}

std::optional<std::string> refusedFlash(const Problem& problem) {
  if (problem.valueHeadSize != problem.headSize) {
    return fmt::format("Needs value heads as large as key heads: {} is not {}. Use sdpa.math.", problem.valueHeadSize,
                       problem.headSize);
  }
  if (problem.sink) {
    if (auto reason = refusedBackward(problem, "LibTorch gives no gradient of the row sums that a sink needs.")) {
      return reason;
    }
  }
  return refusedExtras(problem, kSink | kBias, "LibTorch's fused operator");
}

std::optional<std::string> adviceOnFlash(const Problem& problem) {
  const bool isShared = problem.keyValueHeads != problem.heads && !hasBias(problem) && problem.pass == Pass::kForward;
  if (problem.queryLength != 1 || !isShared) return std::nullopt;
  if (attendedPairs(problem) != problem.keyValueLength) return std::nullopt;  // with no mask it would see more
  return fmt::format(
      "Reads each key {0} times. Faster: give the {0} heads of a key head as {0} queries, "
      "q.view({1}, {2}, {0}, {3}), with no mask.",
      problem.groupSize(), problem.batch, problem.keyValueHeads, problem.headSize);
}

std::optional<std::string> refusedMath(const Problem& problem) {
  return refusedExtras(problem, kBias | kDropout, "LibTorch's operator");
}

std::optional<std::string> refusedRepeat(const Problem& problem) {
  if (problem.keyValueHeads == problem.heads) {
    return fmt::format("Needs fewer key/value heads than the {} heads: there is nothing to repeat.", problem.heads);
  }
  return refusedFlash(problem);
}

Card flashCard() {
  Card card = builtCard("sdpa.flash", "SDPA flash", CardGroup::kFused, "time N², memory N", refusedFlash, flashFigures);
  card.advice = adviceOnFlash;
  return card;
}

}  // namespace

std::int64_t flashPairs(std::int64_t queries, std::int64_t keys, bool causal) {
  if (!causal) return saturatingProduct({queries, keys});
  const FlashBlocks blocks = blocksOf(queries, keys);
  std::int64_t pairs = 0;
  for (std::int64_t first = 0; first < queries; first += blocks.query) {
    const std::int64_t rows = std::min(blocks.query, queries - first);
    const std::int64_t seen = std::min(first + blocks.query, keys);
    const std::int64_t inBlocks = (seen + blocks.key - 1) / blocks.key * blocks.key;
    pairs += rows * std::min(inBlocks, keys);
  }
  return pairs;
}

std::int64_t flashBufferBytes(const Problem& problem, std::int64_t queries, std::int64_t keys) {
  const FlashBlocks blocks = blocksOf(queries, keys);
  const std::int64_t a = accumulatorBytesOf(problem.dtype);
  const std::int64_t rounded = isReduced(problem.dtype) ? 2 * blocks.query * blocks.key : 0;
  return a * (blocks.query * blocks.key + 2 * blocks.query + blocks.query * problem.headSize) + rounded;
}

std::int64_t flashPeak(const Problem& problem, const CardConditions& conditions, std::int64_t keyHeads) {
  const std::int64_t a = accumulatorBytesOf(problem.dtype);
  const FlashBlocks blocks = blocksOf(problem);
  std::int64_t packing = 0;
  if (packs(problem, conditions, keyHeads)) {
    packing = saturatingSum({saturatingProduct({2, problem.batch, keyHeads, problem.keyValueLength,
                                                problem.headSize + problem.valueHeadSize}),
                             conditions.threads * 2 * blocks.key * problem.headSize});
  }
  const std::int64_t forward = saturatingSum(
      {conditions.threads * flashBufferBytes(problem, problem.queryLength, problem.keyValueLength), packing});
  const std::int64_t backward = problem.pass == Pass::kForward ? 0 : flashBackwardBytes(problem, conditions, keyHeads);
  const std::int64_t rows = saturatingProduct({a, problem.batch, problem.heads, problem.queryLength});
  return saturatingSum({outputBytes(problem), rows, std::max({forward, backward, bytesOfSink(problem, rows)})});
}

std::span<const Card> sdpaCards() {
  static const std::array<Card, 3> cards = {{
      builtCard("sdpa.math", "SDPA math", CardGroup::kWrittenOut, "time N², memory N²", refusedMath, mathFigures),
      flashCard(),
      builtCard("gqa.repeat", "Repeated keys, SDPA flash", CardGroup::kShared, "time N², memory N", refusedRepeat,
                repeatFigures),
  }};
  return cards;
}

}  // namespace attnscope
