// SPDX-License-Identifier: Apache-2.0
#pragma once

// Fused attention for many rows of bfloat16 by units that multiply small matrices of pairs (AMX). As TileKernel.h, with
// rows in the lanes and in the columns of a unit's right matrix. A left tile is 16 rows of 32 elements, a right tile is
// 16 pairs of 16 columns, the product 16 x 16 floats; two by two of them make a square of 32 keys or values by a panel
// of 32 rows:
//
//   queries  [panel][D / 32][16 rows][pair][row][2]   right; the item's rows, transposed once
//   keys     [key][D]                                 left; read where they lie unless they must be padded
//   scores   [key block][panel] = keys . queries
//   weights  [keys / 32][16 rows][pair][row][2]       right; rounded to bfloat16, sums are of what they were before
//   values   [keys / 32][V / 16][value][32 keys]      left; a block is transposed for all rows of the item
//   outputs  [V][panel]       += values . weights
//
// The keys that a panel computes begin and end at multiples of 32 from the first of its block; what a row does not see
// of them is hidden. Products are summed in float32, in which the units count what is less than 2^-126 as 0: values
// near that are multiplied in a product of their own, kLift times as large.

#include "core/engine/kernels/TileProduct.h"
#include "core/engine/kernels/TileRows.h"

namespace attnscope::kernels {
namespace {

constexpr Index kUnitRows = 16;     // of a left tile, and columns of a right one
constexpr Index kUnitDepth = 32;    // elements of a row of a left tile
constexpr Index kUnitWords = 256;   // pairs of a tile
constexpr Index kUnitBytes = 1024;  // of a tile
constexpr Index kSquare = 32;       // rows and columns of two by two tiles

// In bytes. A left tile's rows lie rowStride apart; a right tile lies without gaps.
struct LeftTiles {
  const void* first;
  Index rowStride;
  Index nextTile;   // 16 rows down
  Index nextDepth;  // 32 elements on
};
struct RightTiles {
  const void* first;
  Index nextTile;   // 16 columns on
  Index nextDepth;  // 16 pairs down
};

// Values under this, 2^-100, are multiplied 2^64 times as large.
constexpr std::uint16_t kTinyBits = 27 << 7;
constexpr float kLift = 0x1p64F;

// Units: multiply<columns>(left, right, depth, out, outStride) gives 32 rows by 1 or 2 tiles of columns;
// zip(first, second, count, words) pairs two rows; putPairs(first, second, words) pairs two vectors of weights;
// holdsTiny(words, count) says whether a value lies under kTinyBits and is not 0; Session: as long as units are used.
template <class V, class Units, class Watch>
class PairTileItem : TileRows<V, BFloat16, Watch, PanelCut::kWhole> {
  using Rows = TileRows<V, BFloat16, Watch, PanelCut::kWhole>;

 public:
  KERNEL_INLINE PairTileItem(const KernelArguments& arguments, const ItemTask& task)
      : Rows(arguments, task, changesScores(arguments) || isTinyScale(arguments), kSquare),
        m_paddedSize(roundedUp(arguments.headSize, kUnitDepth)) {
    static_assert(kPanel == kSquare);
    placeBuffers();
  }

  void run() {
    const typename Units::Session session;
    prepareRows();
    prepareQueries();
    tell(TileStep::kPack, 0, 0);
    // Whole steps, so that keys can be read where they lie.
    const Index from = m_all.from / kSquare * kSquare;
    const Index to = smaller(roundedUp(m_all.to, kSquare), m_task.keys.to);
    visitKeys(m_arguments, placeOf(m_arguments, m_task, 0).query, from, to, m_task.sizes.keyBlock,
              [this](Index first, Index end) { attendBlock(first, end); });
    finish();
    tell(TileStep::kWrite, 0, 0);
  }

 private:
  using Rows::change, Rows::hide, Rows::findLargest, Rows::prepareRows, Rows::finish;
  using Rows::kLanes, Rows::kPanel;
  using Rows::m_all, Rows::m_blockFrom, Rows::m_largest, Rows::m_sums, Rows::m_bounds, Rows::m_scores,
      Rows::m_rowBuffer;
  using Rows::m_arguments, Rows::m_task, Rows::m_changes, Rows::m_scale, Rows::m_paddedValues, Rows::m_panels;
  using Rows::tell, Rows::tellPanel, Rows::firstVectorOf, Rows::vectorsOf, Rows::scoresOf, Rows::outputsOf;
  using typename Rows::Float;
  enum class Part : std::uint8_t { kAll, kUsual, kTiny };  // of the values

  // Queries are not multiplied by a scale, which would round them: one too small for the powers of two (scaleOf) is
  // multiplied in afterwards.
  static bool isTinyScale(const KernelArguments& arguments) {
    const float query = scaleOf(arguments, false).query;
    return query != 1 && query != -1;
  }

  // What pairTileBufferFloats() counts.
  void placeBuffers() {
    float* free = m_task.buffers;
    const Index keys = roundedUp(m_task.sizes.keyBlock, kSquare);
    Rows::placeRows(free, larger(keys, m_paddedValues));
    m_queries = Rows::template take<std::uint32_t>(free, m_panels * kPanel * m_paddedSize / 2);
    m_weights = Rows::template take<std::uint32_t>(free, keys * kPanel / 2);
    m_stagedKeys = Rows::template take<BFloat16>(free, keys * stagedStride() / 2);
    m_pairs = Rows::template take<std::uint32_t>(free, kUnitRows * m_paddedValues);
    m_values = Rows::template take<std::uint32_t>(free, keys * m_paddedValues / 2);
    m_tinyValues = Rows::template take<std::uint32_t>(free, keys * m_paddedValues / 2);
  }
  // A line more, or the rows of a tile would meet in few sets of the first cache.
  [[nodiscard]] Index stagedStride() const { return m_paddedSize + kUnitDepth; }

  // Of a panel: tiles of columns that hold a row.
  [[nodiscard]] KERNEL_INLINE int columnsOf(Index panel) const { return vectorsOf(panel) * kLanes > kUnitRows ? 2 : 1; }
  // Where the pairs of a vector of rows begin in a step's right tiles.
  static KERNEL_INLINE Index columnOf(int vector) {
    return vector * kLanes / kUnitRows * kUnitWords + vector * kLanes % kUnitRows;
  }

  // --- Once an item ---
  void prepareQueries() {
    const Index words = m_paddedSize / 2;
    std::memset(m_queries, 0, sizeof(std::uint32_t) * static_cast<std::size_t>(m_panels * kPanel * words));
    for (Index panel = 0; panel < m_panels; ++panel) {
      for (int vector = 0; vector < vectorsOf(panel); ++vector) {
        loadQueries((firstVectorOf(panel) + vector) * kLanes);
        float* tiles = reinterpret_cast<float*>(m_queries + panel * kPanel * words + columnOf(vector));
        for (Index pair = 0; pair < words; pair += kLanes) {
          float* out = tiles + pair / kUnitRows * 2 * kUnitWords + pair % kUnitRows * kUnitRows;
          V::transpose(m_rowBuffer + pair, words, out, kUnitRows, kLanes);
        }
      }
    }
  }
  void loadQueries(Index firstRow) {
    const TensorView& view = m_arguments.tensors.query;
    auto* out = reinterpret_cast<BFloat16*>(m_rowBuffer);
    std::memset(out, 0, sizeof(BFloat16) * static_cast<std::size_t>(kLanes * m_paddedSize));
    for (Index row = firstRow; row < smaller(firstRow + kLanes, m_task.rows); ++row, out += m_paddedSize) {
      const RowPlace place = placeOf(m_arguments, m_task, row);
      const auto* in = at<BFloat16>(
          view.data, m_task.batch * view.batchStride + place.head * view.headStride + place.query * view.rowStride);
      std::memcpy(out, in, sizeof(BFloat16) * static_cast<std::size_t>(m_arguments.headSize));
      if (m_scale.query == 1) continue;
      for (Index d = 0; d < m_arguments.headSize; ++d) out[d].bits ^= 0x8000U;  // a scale under 0
    }
  }

  // --- Once a block of keys ---
  void attendBlock(Index from, Index to) {
    m_blockFrom = from;
    stageKeys(from, to);
    m_holdsTiny = packValues(from, to, Part::kAll, m_values);
    if (m_holdsTiny) {
      packValues(from, to, Part::kUsual, m_values);
      packValues(from, to, Part::kTiny, m_tinyValues);
    }
    tell(TileStep::kPack, from, to);
    for (Index panel = 0; panel < m_panels; ++panel) attend(panel, from, to);
  }

  void stageKeys(Index from, Index to) {
    const TensorView& view = m_arguments.tensors.key;
    const Index size = m_arguments.headSize;
    const bool whole = size == m_paddedSize && (to - from) % kSquare == 0;
    if (whole && m_arguments.pageLength == 0 && (view.rowStride == size || m_panels <= 2)) {
      m_keys = keyRow<BFloat16>(m_arguments, view, m_task.batch, m_task.keyValueHead, from);
      m_keyStride = view.rowStride;
      return;
    }
    m_keys = m_stagedKeys;
    m_keyStride = stagedStride();
    const Index rows = roundedUp(to - from, kSquare);
    std::memset(m_stagedKeys, 0, sizeof(BFloat16) * static_cast<std::size_t>(rows * m_keyStride));
    for (Index key = from; key < to; ++key) {
      std::memcpy(m_stagedKeys + (key - from) * m_keyStride,
                  keyRow<BFloat16>(m_arguments, view, m_task.batch, m_task.keyValueHead, key),
                  sizeof(BFloat16) * static_cast<std::size_t>(size));
    }
  }

  // Whether any value is tiny.
  bool packValues(Index from, Index to, Part part, std::uint32_t* out) {
    bool tiny = false;
    auto* rows = reinterpret_cast<float*>(m_pairs);
    for (Index first = from; first < to; first += kUnitDepth) {
      const Index pairs = (smaller(kUnitDepth, to - first) + 1) / 2;
      for (Index pair = 0; pair < kUnitRows; ++pair) {
        std::uint32_t* words = m_pairs + pair * m_paddedValues;
        if (pair >= pairs) {
          std::memset(words, 0, sizeof(std::uint32_t) * static_cast<std::size_t>(m_paddedValues));
        } else {
          zipRows(first + 2 * pair, to, words);
        }
      }
      if (part == Part::kAll) tiny = Units::holdsTiny(m_pairs, kUnitRows * m_paddedValues) || tiny;
      if (part != Part::kAll) keepPart(part);
      for (Index d = 0; d < m_paddedValues; d += kLanes) {
        for (Index pair = 0; pair < kUnitRows; pair += kLanes) {
          float* tile = reinterpret_cast<float*>(out + d / kUnitRows * kUnitWords + d % kUnitRows * kUnitRows + pair);
          V::transpose(rows + pair * m_paddedValues + d, m_paddedValues, tile, kUnitRows, kLanes);
        }
      }
      out += kUnitRows * m_paddedValues;
    }
    return tiny;
  }
  // Two keys' values, the second's 0 where there is none.
  void zipRows(Index key, Index to, std::uint32_t* words) {
    const TensorView& view = m_arguments.tensors.value;
    const Index size = m_arguments.valueHeadSize;
    const auto* first = keyRow<BFloat16>(m_arguments, view, m_task.batch, m_task.keyValueHead, key);
    const auto* second = first;
    if (key + 1 < to) second = keyRow<BFloat16>(m_arguments, view, m_task.batch, m_task.keyValueHead, key + 1);
    Units::zip(first, second, size, words);
    for (Index d = size; d < m_paddedValues; ++d) words[d] = 0;
    if (key + 1 < to) return;
    for (Index d = 0; d < size; ++d) words[d] &= 0xffffU;
  }
  void keepPart(Part part) {
    for (Index i = 0; i < kUnitRows * m_paddedValues; ++i) {
      const auto low = static_cast<std::uint16_t>(m_pairs[i]);
      const auto high = static_cast<std::uint16_t>(m_pairs[i] >> 16);
      m_pairs[i] = static_cast<std::uint32_t>(partOf(low, part)) | static_cast<std::uint32_t>(partOf(high, part)) << 16;
    }
  }
  static std::uint16_t partOf(std::uint16_t bits, Part part) {
    const bool tiny = (bits & 0x7fffU) < kTinyBits;
    if (tiny != (part == Part::kTiny)) return 0;
    if (!tiny) return bits;
    BFloat16 lifted;
    narrow(widened(BFloat16{bits}) * kLift, &lifted);
    return lifted.bits;
  }

  // --- Once a panel and block ---
  void attend(Index panel, Index from, Index to) {
    const Run run = seenBy(panel, from, to);
    if (run.from >= run.to) return;
    score(panel, run);
    if (m_changes) change(panel, run);
    hide(panel, run);
    tellPanel(TileStep::kScores, panel, &run, 1);
    alignas(64) float shrink[kPanel];
    findLargest(panel, &run, 1, shrink);
    for (int vector = 0; vector < run.vectors; ++vector) weigh(panel, run, vector);
    tellPanel(TileStep::kSoftmax, panel, &run, 1);
    sumValues(panel, run, m_values);
    addSums(panel, shrink, 1);
    if (m_holdsTiny) {
      for (float& factor : shrink) factor = 1;
      sumValues(panel, run, m_tinyValues);
      addSums(panel, shrink, 1 / kLift);
    }
    tellPanel(TileStep::kWeightedSum, panel, &run, 1);
  }

  // The keys that any row of the panel sees, with those that a unit computes beside them.
  [[nodiscard]] Run seenBy(Index panel, Index from, Index to) const {
    Run run{.from = to, .to = from, .firstVector = 0, .vectors = vectorsOf(panel)};
    for (int vector = 0; vector < run.vectors; ++vector) {
      const auto& bounds = m_bounds[firstVectorOf(panel) + vector];
      const Index first = larger(bounds.anyFrom, from);
      const Index end = smaller(bounds.anyTo, to);
      if (first >= end) continue;
      run.from = smaller(run.from, first);
      run.to = larger(run.to, end);
    }
    if (run.from >= run.to) return run;
    run.from = from + (run.from - from) / kSquare * kSquare;
    run.to = smaller(from + roundedUp(run.to - from, kSquare), to);
    return run;
  }

  void score(Index panel, const Run& run) {
    const RightTiles queries{m_queries + panel * kPanel * m_paddedSize / 2, kUnitBytes, 2 * kUnitBytes};
    const Index row = m_keyStride * Index{sizeof(BFloat16)};
    LeftTiles keys{m_keys + (run.from - m_blockFrom) * m_keyStride, row, kUnitRows * row,
                   kUnitDepth * Index{sizeof(BFloat16)}};
    float* scores = scoresOf(run);
    withVectors<2>(columnsOf(panel), [&](auto columns) {
      for (Index key = run.from; key < run.to; key += kSquare) {
        Units::template multiply<columns.value>(keys, queries, m_paddedSize / kUnitDepth, scores, kPanel);
        keys.first = at<char>(keys.first, kSquare * row);
        scores += kSquare * kPanel;
      }
    });
  }

  // Scores become weights, pairs of keys side by side; after the last key 0.
  void weigh(Index panel, const Run& run, int vector) {
    const Exponential<V> power(m_scale);
    const Index row = (firstVectorOf(panel) + vector) * kLanes;
    const Float largest = V::load(m_largest + row);
    const float* scores = scoresOf(run) + vector * kLanes;
    std::uint32_t* weights = m_weights + columnOf(vector);
    Float whole = V::load(m_sums + row);
    for (Index first = run.from; first < run.to; first += kUnitDepth) {
      const Index keys = smaller(kUnitDepth, run.to - first);
      Float sums[2] = {V::all(0), V::all(0)};  // of few keys each: rounding grows with their number
      Index key = 0;
      for (; key + 2 <= keys; key += 2) {
        const Float even = power(V::subtract(V::load(scores), largest));
        const Float odd = power(V::subtract(V::load(scores + kPanel), largest));
        Units::putPairs(even, odd, weights + key / 2 * kUnitRows);
        sums[0] = V::add(sums[0], even);
        sums[1] = V::add(sums[1], odd);
        scores += 2 * kPanel;
      }
      for (; key < kUnitDepth; key += 2) {
        const Float last = key < keys ? power(V::subtract(V::load(scores), largest)) : V::all(0);
        Units::putPairs(last, V::all(0), weights + key / 2 * kUnitRows);
        sums[0] = V::add(sums[0], last);
      }
      whole = V::add(whole, V::add(sums[0], sums[1]));
      weights += 2 * kUnitWords;
    }
    V::store(m_sums + row, whole);
  }

  // Of the block, over its scores.
  void sumValues(Index panel, const Run& run, const std::uint32_t* values) {
    const Index step = kUnitRows * m_paddedValues;
    const RightTiles weights{m_weights, kUnitBytes, 2 * kUnitBytes};
    LeftTiles left{values + (run.from - m_blockFrom) / kUnitDepth * step, kUnitDepth * Index{sizeof(BFloat16)},
                   kUnitBytes, step * Index{sizeof(std::uint32_t)}};
    const Index depth = (run.to - run.from + kUnitDepth - 1) / kUnitDepth;
    withVectors<2>(columnsOf(panel), [&](auto columns) {
      for (Index d = 0; d < m_paddedValues; d += kSquare) {
        Units::template multiply<columns.value>(left, weights, depth, m_scores + d * kPanel, kPanel);
        left.first = at<char>(left.first, 2 * kUnitBytes);
      }
    });
  }
  void addSums(Index panel, const float* shrink, float factor) {
    for (int vector = 0; vector < vectorsOf(panel); ++vector) {
      const Float shrinks = V::load(shrink + vector * kLanes);
      const float* sums = m_scores + vector * kLanes;
      float* output = outputsOf(panel) + vector * kLanes;
      for (Index d = 0; d < m_arguments.valueHeadSize; ++d) {
        V::store(output, V::multiplyAdd(shrinks, V::load(output), V::multiply(V::load(sums), V::all(factor))));
        output += kPanel;
        sums += kPanel;
      }
    }
  }

  Index m_paddedSize;
  const BFloat16* m_keys = nullptr;
  Index m_keyStride = 0;
  bool m_holdsTiny = false;
  std::uint32_t *m_queries = nullptr, *m_weights = nullptr, *m_pairs = nullptr;
  std::uint32_t *m_values = nullptr, *m_tinyValues = nullptr;
  BFloat16* m_stagedKeys = nullptr;
};

template <class V, class Units, class Watch>
void pairTileItem(const KernelArguments& arguments, const ItemTask& task) {
  PairTileItem<V, Units, Watch>(arguments, task).run();
}

}  // namespace
}  // namespace attnscope::kernels
