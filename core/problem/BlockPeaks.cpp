// SPDX-License-Identifier: Apache-2.0
#include "core/problem/BlockPeaks.h"

#include <algorithm>
#include <utility>

#include "core/problem/CardTables.h"
#include "core/problem/KeyBlocks.h"
#include "core/problem/Ledger.h"
#include "core/problem/ScoreGradients.h"

namespace attnscope {
namespace {

// The tensors of one block, in bytes.
struct BlockSizes {
  std::int64_t ranges = 0;
  std::int64_t scores = 0;
  std::int64_t hidden = 0;  // 0: it needs no mask
  BiasOfBlock bias;
  std::int64_t query = 0, output = 0, rows = 0;                     // of its queries
  std::int64_t keyGiven = 0, valueGiven = 0;                        // for the key heads
  std::int64_t key = 0, value = 0;                                  // for all heads
  std::int64_t ownQuery = 0, ownKey = 0, ownValue = 0;              // kept for backward, where they are copies
  std::int64_t stridedQuery = 0, stridedKey = 0, stridedValue = 0;  // copied while they are multiplied
};

class BlockLedger {
 public:
  BlockLedger(const Problem& problem, const CardConditions& conditions)
      : m_problem(problem),
        m_repeats(problem.keyValueHeads != problem.heads),
        m_copies(matmulCopies(problem)),
        m_matrixUnits(usesMatrixUnits(problem, conditions)) {}

  std::int64_t peak(std::int64_t queryBlock, KeysOfQueries keysOf) {
    m_ledger.take(outputBytes(m_problem));
    std::vector<BlockSizes> blocks;
    for (std::int64_t first = 0; first < m_problem.queryLength; first += queryBlock) {
      const std::int64_t queries = std::min(queryBlock, m_problem.queryLength - first);
      const BlockSizes block = sizesOf(first, queries, keysOf(m_problem, first, queries));
      writeForward(block);
      if (keeps()) blocks.push_back(block);
    }
    if (!keeps()) return m_ledger.peakBytes();
    // A gradient that is given is not counted; the first copy of it is.
    m_above = 0;
    if (hasBlindQuery(m_problem)) {
      m_above = outputBytes(m_problem);
      m_ledger.take(m_above);
    }
    for (auto block = blocks.rbegin(); block != blocks.rend(); ++block) {
      writeBackward(*block, block == blocks.rbegin(), block + 1 == blocks.rend());
    }
    return m_ledger.peakBytes();
  }

 private:
  [[nodiscard]] bool keeps() const { return m_problem.pass == Pass::kForwardBackward; }

  [[nodiscard]] BlockSizes sizesOf(std::int64_t first, std::int64_t queries,
                                   const std::vector<KeyRange>& ranges) const {
    const std::int64_t e = bytesOf(m_problem.dtype);
    const std::int64_t columns = keysIn(ranges);
    const std::int64_t d = m_problem.headSize;
    const std::int64_t v = m_problem.valueHeadSize;
    const std::int64_t row = saturatingProduct({e, m_problem.batch, m_problem.heads});
    const std::int64_t keyRow = saturatingProduct({e, m_problem.batch, m_problem.keyValueHeads});
    BlockSizes sizes;
    sizes.ranges = static_cast<std::int64_t>(ranges.size());
    sizes.rows = saturatingProduct({row, queries});
    sizes.scores = saturatingProduct({sizes.rows, columns});
    sizes.query = saturatingProduct({sizes.rows, d});
    sizes.output = saturatingProduct({sizes.rows, v});
    sizes.keyGiven = saturatingProduct({keyRow, columns, d});
    sizes.valueGiven = saturatingProduct({keyRow, columns, v});
    sizes.key = saturatingProduct({row, columns, d});
    sizes.value = saturatingProduct({row, columns, v});
    if (columns > 0 && !isWhollySeen(m_problem, first, queries, ranges)) sizes.hidden = queries * columns;
    sizes.bias = biasOfBlock(m_problem, queries * columns, sizes.ranges);
    const bool gathers = ranges.size() > 1;
    const bool own = m_repeats || gathers || m_copies;
    sizes.ownQuery = m_copies ? sizes.query : 0;
    sizes.ownKey = own ? sizes.key : 0;
    sizes.ownValue = own ? sizes.value : 0;
    if (!m_matrixUnits || m_copies) return sizes;
    const bool several = m_problem.batch * m_problem.heads > 1;
    const bool interleaved = m_problem.layout == Layout::kBnhd && m_problem.heads > 1;
    if (interleaved || (several && queries < m_problem.queryLength)) sizes.stridedQuery = sizes.query;
    if (own || (!interleaved && columns == m_problem.keyValueLength)) return sizes;
    sizes.stridedKey = sizes.key;  // it is turned: even a single one must be as it was made
    sizes.stridedValue = several ? sizes.value : 0;
    return sizes;
  }

  // Values once more for the heads that share them, and what was put side by side.
  void takeKeysAndValues(const BlockSizes& block) {
    for (const auto& [given, all] : {std::pair(block.keyGiven, block.key), std::pair(block.valueGiven, block.value)}) {
      if (block.ranges > 1) m_ledger.take(given);
      if (m_repeats) m_ledger.replace(block.ranges > 1 ? given : 0, all);
    }
  }

  void writeForward(const BlockSizes& block) {
    const std::int64_t before = m_ledger.aliveBytes();
    takeKeysAndValues(block);
    const bool copied = m_copies && !m_repeats && block.ranges <= 1;
    const std::int64_t operands = saturatingSum({block.ownQuery, copied ? block.key : 0});
    m_ledger.take(saturatingSum({operands, block.scores}));
    m_ledger.use(saturatingSum({block.stridedQuery, block.stridedKey}));
    if (!keeps()) m_ledger.free(operands);
    if (m_problem.softcap > 0) {
      m_ledger.take(saturatingProduct({3, block.scores}));
      m_ledger.free(saturatingProduct({keeps() ? 2 : 3, block.scores}));
    }
    if (hasBias(m_problem)) {
      m_ledger.use(block.bias.making);
      m_ledger.use(saturatingSum({block.bias.made, block.scores}));
    }
    m_ledger.take(block.hidden);
    m_ledger.take(block.scores);  // probabilities
    m_ledger.take(saturatingSum({block.output, copied ? block.value : 0}));
    m_ledger.use(block.stridedValue);
    if (!keeps()) m_ledger.free(copied ? block.value : 0);
    if (m_problem.sink) {
      m_ledger.use(saturatingSum({block.scores, block.rows}));
      m_ledger.use(saturatingSum({block.output, block.rows, block.rows}));
    }
    m_ledger.keepOnly(keeps() ? saturatingSum({before, keptOf(block)}) : before);
  }

  [[nodiscard]] std::int64_t keptOf(const BlockSizes& block) const {
    const std::int64_t sink = saturatingSum({block.scores, block.output, block.rows, block.rows});
    return saturatingSum({block.ownQuery, block.ownKey, block.ownValue, block.scores, block.hidden,
                          m_problem.softcap > 0 ? block.scores : 0, m_problem.sink ? sink : 0});
  }

  void writeBackward(const BlockSizes& block, bool first, bool last) {
    const std::int64_t whole = outputBytes(m_problem);
    m_ledger.take(saturatingSum({whole, block.output}));
    if (!last) m_ledger.use(block.output);
    m_ledger.free(saturatingSum({m_above, last ? whole : 0}));
    m_above = whole;
    const ScoreMatrix scores{.one = block.scores,
                             .hiddenBytes = block.hidden,
                             .sums = m_problem.sink ? SinkSums::kAfterSoftmax : SinkSums::kNone,
                             .masked = block.hidden > 0,
                             .softcap = m_problem.softcap > 0};
    if (m_problem.sink) {
      m_ledger.take(saturatingProduct({2, block.output}));
      m_ledger.free(saturatingProduct({3, block.output}));  // times the output, the output kept, what came
      writeSumsBack(m_ledger, scores);
      m_ledger.free(saturatingProduct({2, block.rows}));
    }
    m_ledger.take(saturatingSum({block.value, block.scores}));
    m_ledger.use(block.stridedValue);
    m_ledger.free(saturatingSum({block.output, block.ownValue}));
    writeScoresBack(m_ledger, scores);
    m_ledger.take(block.key);
    m_ledger.use(block.stridedQuery);
    m_ledger.take(block.query);
    m_ledger.use(block.stridedKey);
    m_ledger.free(saturatingSum({block.scores, block.ownKey, block.ownQuery}));
    if (m_repeats) m_ledger.replace(block.value, block.valueGiven);
    putAway(block.valueGiven, valueBytes(m_problem), std::max<std::int64_t>(1, block.ranges), first);
    if (m_repeats) m_ledger.replace(block.key, block.keyGiven);
    putAway(block.keyGiven, keyBytes(m_problem), std::max<std::int64_t>(1, block.ranges), first);
    putAway(block.query, queryBytes(m_problem), 1, first);
  }

  // A block's gradient into zeros as large as the whole, once for each range; the first zeros become the gradient.
  void putAway(std::int64_t part, std::int64_t whole, std::int64_t ranges, bool first) {
    if (first) m_ledger.take(whole);
    if (!first || ranges > 1) m_ledger.use(whole);
    m_ledger.free(part);
  }

  const Problem& m_problem;
  bool m_repeats;
  bool m_copies;
  bool m_matrixUnits;
  std::int64_t m_above = 0;  // the gradient of the output so far, where it is one of ours
  Ledger m_ledger;
};

}  // namespace

std::int64_t peakInBlocks(const Problem& problem, const CardConditions& conditions, std::int64_t queryBlock,
                          KeysOfQueries keysOf) {
  return BlockLedger(problem, conditions).peak(queryBlock, keysOf);
}

}  // namespace attnscope
