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

#include "core/problem/BlockPeaks.h"
#include "core/problem/CardTables.h"
#include "core/problem/KeyBlocks.h"
#include "core/problem/Ledger.h"
#include "core/problem/ScoreGradients.h"

namespace attnscope {
namespace {

// --- sparse.blocks --------------------------------------------------------------------------------------------------

std::vector<KeyRange> blocksOf(const Problem& problem, std::int64_t first, std::int64_t queries) {
  return blocksSeenByAny(problem, first, queries, kSparseBlock);
}

CardFigures sparseFigures(const Problem& problem, const CardConditions& conditions) {
  CardFigures figures = commonFigures(problem);
  std::int64_t pairs = 0;
  for (std::int64_t first = 0; first < problem.queryLength; first += kSparseBlock) {
    const std::int64_t rows = std::min(kSparseBlock, problem.queryLength - first);
    pairs += rows * keysIn(blocksOf(problem, first, rows));
  }
  figures.executedFlops = saturatingSum({storedFlopsOfPairs(problem, pairs), linearLayerFlops(problem)});
  const std::int64_t peak = peakInBlocks(problem, conditions, kSparseBlock, blocksOf);
  putPeak(figures, problem, peak,
          fmt::format("output of {} + {} of {}", sizeInWords(outputBytes(problem)),
                      problem.pass == Pass::kForward ? "a block" : "what is kept of all blocks, and gradients,",
                      sizeInWords(peak - outputBytes(problem))),
          kSoftcap | kSink | kBias | kBackward);
  return figures;
}

std::optional<std::string> refusedSparse(const Problem& problem) {
  if (!hasMask(problem)) return "Needs a mask: without one there is nothing to skip. Use sdpa.flash.";
  return refusedExtras(problem, kSoftcap | kSink | kBias, "Block-sparse attention");
}

// --- chunked.plain --------------------------------------------------------------------------------------------------

// The tensors of one part, n chunks of C tokens, in bytes.
struct PartSizes {
  PartSizes(const Problem& problem, std::int64_t chunks, std::int64_t length) {
    const std::int64_t e = bytesOf(problem.dtype);
    const std::int64_t tokens = chunks * length;
    const std::int64_t row = saturatingProduct({e, problem.batch, problem.heads, tokens});
    const std::int64_t keyRow = saturatingProduct({e, problem.batch, problem.keyValueHeads, tokens});
    const bool repeats = problem.keyValueHeads != problem.heads;
    const bool heads = problem.heads > 1 && problem.layout == Layout::kBnhd && (problem.batch > 1 || chunks > 1);
    const bool partial = problem.batch * problem.heads > 1 && chunks > 1 && tokens < problem.queryLength;
    copies = heads || (partial && (problem.layout == Layout::kBhnd || problem.heads == 1));
    several = chunks > 1;
    rows = row;
    scores = saturatingProduct({row, length});
    query = saturatingProduct({row, problem.headSize});
    output = value = saturatingProduct({row, problem.valueHeadSize});
    key = query;
    keyGiven = saturatingProduct({keyRow, problem.headSize});
    valueGiven = saturatingProduct({keyRow, problem.valueHeadSize});
    ownQuery = copies ? query : 0;
    ownKey = copies || repeats ? key : 0;
    ownValue = copies || repeats ? value : 0;
  }

  bool copies = false;   // by the products, unless they are repeated
  bool several = false;  // chunks
  std::int64_t rows = 0, scores = 0, query = 0, key = 0, value = 0, output = 0, keyGiven = 0, valueGiven = 0;
  std::int64_t ownQuery = 0, ownKey = 0, ownValue = 0;  // kept for backward, where they are copies
};

class ChunkedLedger {
 public:
  ChunkedLedger(const Problem& problem, const DocumentsMask& documents)
      : m_problem(problem),
        m_masked(documents.inside == InsideDocument::kCausal),
        m_repeats(problem.keyValueHeads != problem.heads) {
    const std::int64_t chunk = documents.lengths.front();
    const std::int64_t whole = problem.queryLength / chunk;
    if (whole > 0) m_parts.emplace_back(problem, whole, chunk);
    if (problem.queryLength > whole * chunk) m_parts.emplace_back(problem, 1, problem.queryLength - whole * chunk);
  }

  std::int64_t peak() {
    m_ledger.take(outputBytes(m_problem));
    for (const PartSizes& part : m_parts) writeForward(part);
    if (!keeps()) return m_ledger.peakBytes();
    for (auto part = m_parts.rbegin(); part != m_parts.rend(); ++part) {
      writeBackward(*part, part == m_parts.rbegin(), part + 1 == m_parts.rend());
    }
    return m_ledger.peakBytes();
  }

 private:
  [[nodiscard]] bool keeps() const { return m_problem.pass == Pass::kForwardBackward; }

  void writeForward(const PartSizes& part) {
    const std::int64_t before = m_ledger.aliveBytes();
    if (m_repeats) m_ledger.take(saturatingSum({part.key, part.value}));
    const std::int64_t operands = saturatingSum({part.ownQuery, m_repeats ? 0 : part.ownKey});
    m_ledger.take(saturatingSum({operands, part.scores}));
    if (!keeps()) m_ledger.free(operands);
    if (m_problem.softcap > 0) {
      m_ledger.take(saturatingProduct({3, part.scores}));
      m_ledger.free(saturatingProduct({keeps() ? 2 : 3, part.scores}));
    }
    if (hasBias(m_problem)) m_ledger.use(part.scores);
    m_ledger.take(part.scores);  // probabilities
    m_ledger.take(saturatingSum({part.output, m_repeats ? 0 : part.ownValue}));
    if (!keeps() && !m_repeats) m_ledger.free(part.ownValue);
    if (m_problem.sink) {
      m_ledger.use(saturatingSum({part.scores, part.rows}));
      m_ledger.use(saturatingSum({part.output, part.rows, part.rows}));
    }
    m_ledger.keepOnly(keeps() ? saturatingSum({before, keptOf(part)}) : before);
  }

  [[nodiscard]] std::int64_t keptOf(const PartSizes& part) const {
    const std::int64_t sink = saturatingSum({part.scores, part.output, part.rows, part.rows});
    return saturatingSum({part.ownQuery, part.ownKey, part.ownValue, part.scores,
                          m_problem.softcap > 0 ? part.scores : 0, m_problem.sink ? sink : 0});
  }

  // As in blocks (BlockPeaks.h), but for the order of the three gradients, and that of the keys, which is put in order.
  void writeBackward(const PartSizes& part, bool first, bool last) {
    const std::int64_t whole = outputBytes(m_problem);
    m_ledger.take(saturatingSum({whole, part.output}));
    if (!last) m_ledger.use(part.output);
    m_ledger.free(saturatingSum({first ? 0 : whole, last ? whole : 0}));
    const ScoreMatrix scores{.one = part.scores,
                             .hiddenBytes = 0,
                             .sums = m_problem.sink ? SinkSums::kAfterSoftmax : SinkSums::kNone,
                             .masked = m_masked,
                             .softcap = m_problem.softcap > 0};
    if (m_problem.sink) {
      m_ledger.take(saturatingProduct({2, part.output}));
      m_ledger.free(saturatingProduct({3, part.output}));
      writeSumsBack(m_ledger, scores);
      m_ledger.free(saturatingProduct({2, part.rows}));
    }
    m_ledger.take(saturatingSum({part.value, part.scores}));
    m_ledger.free(saturatingSum({part.output, part.ownValue}));
    writeScoresBack(m_ledger, scores);
    m_ledger.take(saturatingSum({part.key, part.query}));
    m_ledger.free(saturatingSum({part.scores, part.ownKey, part.ownQuery}));
    putAway(part.query, queryBytes(m_problem), first);
    if (m_repeats) m_ledger.replace(part.value, part.valueGiven);
    putAway(part.valueGiven, valueBytes(m_problem), first);
    if (part.several) m_ledger.use(part.key);
    if (m_repeats) m_ledger.replace(part.key, part.keyGiven);
    putAway(part.keyGiven, keyBytes(m_problem), first);
  }

  // Into zeros as large as the whole; the first become the gradient.
  void putAway(std::int64_t part, std::int64_t whole, bool first) {
    if (first) {
      m_ledger.replace(part, whole);
    } else {
      m_ledger.use(whole);
      m_ledger.free(part);
    }
  }

  const Problem& m_problem;
  bool m_masked;
  bool m_repeats;
  std::vector<PartSizes> m_parts;
  Ledger m_ledger;
};

CardFigures chunkedFigures(const Problem& problem, const CardConditions&) {
  CardFigures figures = commonFigures(problem);
  const auto* documents = std::get_if<DocumentsMask>(&problem.mask);
  if (documents == nullptr) return figures;
  const std::int64_t chunk = documents->lengths.front();
  std::int64_t pairs = 0;
  for (const std::int64_t length : documents->lengths) pairs += length * length;
  figures.executedFlops = saturatingSum({storedFlopsOfPairs(problem, pairs), linearLayerFlops(problem)});
  const std::int64_t square = saturatingProduct({chunk, chunk});
  const std::int64_t bias =
      hasBias(problem) ? saturatingProduct({bytesOf(problem.dtype), problem.alibi ? problem.heads : 1, square}) : 0;
  figures.heldBytes = saturatingSum({documents->inside == InsideDocument::kCausal ? square : 0, bias});
  const std::int64_t scores =
      saturatingProduct({bytesOf(problem.dtype), problem.batch, problem.heads, problem.queryLength, chunk});
  putPeak(figures, problem, ChunkedLedger(problem, *documents).peak(),
          fmt::format("output of {} + {} times the scores of the chunks, {}", sizeInWords(outputBytes(problem)),
                      problem.pass == Pass::kForward ? 2 : 3, sizeInWords(scores)),
          kSoftcap | kSink | kBias | kBackward);
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
