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
// Operators, in the accumulator's type (a bytes a value):
//   q32 = q.to, k32, v32 = repeated, to; largest, weight [B, Hq, N, 1] and output [B, Hq, N, V] of all rounds
//   for each round
//     order of q and of k: x.to(double); along = matmul(x, P); argmax(cat(along, -along)); argsort: 8 B Hq N each
//     k, v = gather(order), padded to N', each chunk with the one before it (roll, cat): 2 a B Hq N' (D + V)
//     s = matmul(gather(q), k^T): a B Hq N' 2 C, masked by positions, exp in place; o = matmul(s, v)
//     largest, weight, o scattered to their positions and merged
// The peak is in the merge, or with a large D while a vector is hashed in double (HashedLedger below, in order).
//
// FLOPs: 2 B Hq R (2 C) N' (D + V) with N' = N in whole chunks, and for hashing 2 B Hq R 2 N D b / 2.

#include <fmt/format.h>

#include <array>

#include "core/problem/CardTables.h"
#include "core/problem/Ledger.h"

namespace attnscope {
namespace {

// What one call allocates and frees.
class HashedLedger {
 public:
  explicit HashedLedger(const Problem& problem)
      : m_problem(problem),
        m_a(accumulatorBytesOf(problem.dtype)),
        m_chunks((problem.queryLength + kHashedChunk - 1) / kHashedChunk),
        m_vectors(saturatingProduct({problem.batch, problem.heads, problem.queryLength})),
        m_padded(saturatingProduct({problem.batch, problem.heads, m_chunks, kHashedChunk})) {}

  std::int64_t peak() {
    takeOperands();
    m_ledger.take(saturatingProduct({m_a, m_vectors, m_problem.valueHeadSize + 2}));  // sums of all rounds
    // Every round takes and frees the same.
    const bool repeats = m_problem.keyValueHeads != m_problem.heads;
    writeHash(matmulCopies(m_problem));
    writeHash(matmulCopies(m_problem) && !repeats);
    writeWithEarlier(m_problem.headSize);
    writeWithEarlier(m_problem.valueHeadSize);
    writeScores();
    writeMerge();
    return m_ledger.peakBytes();
  }

 private:
  void takeOperands() {
    const bool raised = m_a != bytesOf(m_problem.dtype);
    const bool repeats = m_problem.keyValueHeads != m_problem.heads;
    if (raised) m_ledger.take(saturatingProduct({m_a, m_vectors, m_problem.headSize}));
    for (const std::int64_t size : {m_problem.headSize, m_problem.valueHeadSize}) {
      const std::int64_t given = saturatingProduct({bytesOf(m_problem.dtype), m_vectors, size});
      if (repeats) m_ledger.take(given);
      if (raised) m_ledger.replace(repeats ? given : 0, saturatingProduct({m_a, m_vectors, size}));
    }
  }

  void writeHash(bool copies) {
    const std::int64_t vectors = saturatingProduct({8, m_vectors, m_problem.headSize});
    const std::int64_t along = saturatingProduct({8, m_vectors, (m_chunks + 1) / 2});
    const std::int64_t numbers = saturatingProduct({8, m_vectors});
    const std::int64_t raised = m_problem.dtype == DataType::kFloat64 ? 0 : vectors;
    m_ledger.take(saturatingSum({raised, copies ? vectors : 0, along}));
    m_ledger.free(saturatingSum({raised, copies ? vectors : 0}));
    m_ledger.take(saturatingProduct({3, along}));  // negative, and both side by side
    m_ledger.take(numbers);                        // buckets
    m_ledger.free(saturatingProduct({3, along}));
    m_ledger.take(saturatingProduct({2, numbers}));  // sorted, and the order, which stays
    m_ledger.free(saturatingSum({numbers, numbers, along}));
  }

  // Sorted, padded, and beside the chunk before.
  void writeWithEarlier(std::int64_t size) {
    const std::int64_t sorted = saturatingProduct({m_a, m_vectors, size});
    const std::int64_t padded = saturatingProduct({m_a, m_padded, size});
    m_ledger.take(sorted);
    m_ledger.replace(sorted, padded);
    m_ledger.take(padded);
    m_ledger.take(saturatingProduct({2, padded}));
    m_ledger.free(saturatingProduct({2, padded}));
  }

  void writeScores() {
    const std::int64_t sorted = saturatingProduct({m_a, m_vectors, m_problem.headSize});
    const std::int64_t padded = saturatingProduct({m_a, m_padded, m_problem.headSize});
    const std::int64_t met = saturatingProduct({m_padded, 2 * kHashedChunk});
    m_ledger.take(sorted);
    m_ledger.replace(sorted, padded);
    m_ledger.replace(padded, saturatingProduct({m_a, met}));
    if (hasMask(m_problem)) m_ledger.use(saturatingSum({met, saturatingProduct({24, m_padded})}));
    m_ledger.take(saturatingProduct({2 * m_a, m_padded}));  // largest and sum of each row
  }

  void writeMerge() {
    m_ledger.take(saturatingProduct({m_a, m_padded, m_problem.valueHeadSize}));
    // Of the round, both together, and two weights; then the output by position.
    m_ledger.take(saturatingProduct({m_a, m_vectors, 4}));
    m_ledger.use(saturatingProduct({m_a, m_vectors}));
    m_ledger.use(saturatingProduct({m_a, m_vectors, m_problem.valueHeadSize}));
  }

  const Problem& m_problem;
  std::int64_t m_a;
  std::int64_t m_chunks;
  std::int64_t m_vectors, m_padded;  // of all heads, as they are and in whole chunks
  Ledger m_ledger;
};

CardFigures hashedFigures(const Problem& problem, const CardConditions&) {
  CardFigures figures = commonFigures(problem);
  const std::int64_t chunks = (problem.queryLength + kHashedChunk - 1) / kHashedChunk;
  const std::int64_t met = saturatingProduct({kHashedRounds, chunks * kHashedChunk, 2 * kHashedChunk});
  const std::int64_t hashing = saturatingProduct(
      {2 * kHashedRounds, problem.batch, problem.heads, problem.queryLength, problem.headSize, 2 * ((chunks + 1) / 2)});
  figures.usefulFlops = saturatingSum({flopsOfPairs(problem, met), linearLayerFlops(problem)});
  figures.executedFlops = saturatingSum({figures.usefulFlops, hashing});
  const std::int64_t peak = HashedLedger(problem).peak();
  putPeak(figures, problem, peak,
          fmt::format("output of {} + sorted vectors and scores of {} chunks, {}", sizeInWords(outputBytes(problem)),
                      chunks, sizeInWords(peak - outputBytes(problem))));
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
