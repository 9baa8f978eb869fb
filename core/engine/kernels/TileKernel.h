// SPDX-License-Identifier: Apache-2.0
#pragma once

// Fused attention for many rows. Online softmax (arXiv 2205.14135) over blocks of keys; rows lie in the lanes of
// vectors. A panel is up to V::kVectors vectors of rows:
//
//   queries  [D][panel]        the item's rows, transposed once
//   scores   [key block][panel] = keys . queries; rows of K are read where they lie, one value a broadcast
//   weights  written over the scores
//   outputs  [V][panel]       += values^T . weights
//
// Keys are never transposed. Blocks of keys are the outer loop, the item's panels the inner: a block is read from
// memory once for all rows of the item. Each block's output is summed from zero and joined afterwards: the error grows
// with the blocks, not with the keys.

#include "core/engine/kernels/TileProduct.h"
#include "core/engine/kernels/TileRows.h"

namespace attnscope::kernels {
namespace {

template <class V, class T, class Watch>
class TileItem : TileRows<V, T, Watch> {
  using Rows = TileRows<V, T, Watch>;

 public:
  KERNEL_INLINE TileItem(const KernelArguments& arguments, const ItemTask& task)
      : Rows(arguments, task, changesScores(arguments), kStrip) {
    placeBuffers();
  }

  void run() {
    prepareRows();
    prepareQueries();
    tell(TileStep::kPack, 0, 0);
    visitKeys(m_arguments, placeOf(m_arguments, m_task, 0).query, m_all.from, m_all.to, m_task.sizes.keyBlock,
              [this](Index from, Index to) { attendBlock(from, to); });
    finish();
    tell(TileStep::kWrite, 0, 0);
  }

 private:
  using Rows::change, Rows::hide, Rows::findLargest, Rows::prepareRows, Rows::finish;
  using Rows::kLanes, Rows::kVectors, Rows::kPanel;
  using Rows::m_all, Rows::m_blockFrom, Rows::m_largest, Rows::m_sums, Rows::m_bounds, Rows::m_scores,
      Rows::m_rowBuffer;
  using Rows::m_arguments, Rows::m_task, Rows::m_changes, Rows::m_scale, Rows::m_paddedValues, Rows::m_panels;
  using Rows::tell, Rows::tellPanel, Rows::firstVectorOf, Rows::vectorsOf, Rows::scoresOf, Rows::outputsOf;
  using typename Rows::Float, typename Rows::VectorBounds;
  static constexpr int kStrip = V::kStrip;  // value columns of a tile, and of packed values
  static constexpr int kMostRuns = 2 * kVectors + 1;
  static constexpr Index kLineFloats = 16;  // of a cache line
  // Keys that are summed in one chain: rounding grows with it (256: 4.1e-7 of 256 keys, 128: 3.5e-7).
  static constexpr Index kLongestSum = 128;

  // What tileBufferFloats() counts.
  void placeBuffers() {
    float* free = m_task.buffers;
    const Index keys = m_task.sizes.keyBlock;
    Rows::placeRows(free, keys);
    m_queries = Rows::template take<float>(free, m_panels * kPanel * m_arguments.headSize);
    m_stagedKeys = Rows::template take<float>(free, keys * m_arguments.headSize);
    m_stagedValues = Rows::template take<float>(free, keys * m_paddedValues + m_paddedValues / kStrip * kLineFloats);
  }

  // --- Once an item ---
  void prepareQueries() {
    const Index size = m_arguments.headSize;
    const Index padded = roundedUp(size, kLanes);
    for (Index panel = 0; panel < m_panels; ++panel) {
      for (int vector = 0; vector < vectorsOf(panel); ++vector) {
        const Index firstRow = (firstVectorOf(panel) + vector) * kLanes;
        float* column = m_queries + panel * size * kPanel + vector * kLanes;
        const float* rows = m_rowBuffer;
        Index stride = padded;
        if (!readInPlace(firstRow, rows, stride)) loadQueries(firstRow, padded);
        for (Index d = 0; d < size; d += kLanes) {
          V::transpose(rows + d, stride, column + d * kPanel, kPanel, smaller(kLanes, size - d));
        }
      }
    }
  }

  // Whole vectors of a head that stands alone need no copy before they are transposed.
  bool readInPlace(Index firstRow, const float*& rows, Index& stride) const {
    if constexpr (sizeof(T) == sizeof(float)) {
      const TensorView& view = m_arguments.tensors.query;
      if (m_arguments.group != 1 || m_scale.query != 1 || m_arguments.headSize % kLanes != 0) return false;
      if (firstRow + kLanes > m_task.rows) return false;
      rows = at<float>(view.data, m_task.batch * view.batchStride + m_task.keyValueHead * view.headStride +
                                      (m_task.firstRow + firstRow) * view.rowStride);
      stride = view.rowStride;
      return true;
    }
    return false;
  }
  void loadQueries(Index firstRow, Index padded) {
    const TensorView& view = m_arguments.tensors.query;
    for (Index lane = 0; lane < kLanes; ++lane) {
      float* row = m_rowBuffer + lane * padded;
      if (firstRow + lane >= m_task.rows) {
        std::memset(row, 0, sizeof(float) * static_cast<std::size_t>(padded));
        continue;
      }
      const RowPlace place = placeOf(m_arguments, m_task, firstRow + lane);
      const T* in = at<T>(
          view.data, m_task.batch * view.batchStride + place.head * view.headStride + place.query * view.rowStride);
      widenRow<V>(in, m_arguments.headSize, row);
      if (m_scale.query == 1) continue;
      for (Index d = 0; d < m_arguments.headSize; ++d) row[d] *= m_scale.query;
    }
  }

  // --- Once a block of keys ---
  void attendBlock(Index from, Index to) {
    m_blockTo = to;
    stageKeys(from, to);
    stageValues(from, to);
    tell(TileStep::kPack, from, to);
    for (Index panel = 0; panel < m_panels; ++panel) attend(panel, from, to);
  }

  // Keys are read in place where their rows lie one after the other or are read by few panels.
  void stageKeys(Index from, Index to) {
    const TensorView& view = m_arguments.tensors.key;
    const Index size = m_arguments.headSize;
    if constexpr (sizeof(T) == sizeof(float)) {
      if (m_arguments.pageLength == 0 && (view.rowStride == size || m_panels <= 2)) {
        m_keys = keyRow<T>(m_arguments, view, m_task.batch, m_task.keyValueHead, from);
        m_keyStride = view.rowStride;
        return;
      }
    }
    for (Index key = from; key < to; ++key) {
      widenRow<V>(keyRow<T>(m_arguments, view, m_task.batch, m_task.keyValueHead, key), size,
                  m_stagedKeys + (key - from) * size);
    }
    m_keys = m_stagedKeys;
    m_keyStride = size;
  }

  // Values are read down their columns, which would meet in few sets of the first cache: they are packed in strips of
  // columns, unless they are few or read by few panels.
  void stageValues(Index from, Index to) {
    constexpr Index kFewFloats = 4096;
    const TensorView& view = m_arguments.tensors.value;
    const Index size = m_arguments.valueHeadSize;
    m_valuesPacked = true;
    if constexpr (sizeof(T) == sizeof(float)) {
      const bool few = view.rowStride == size && (to - from) * size <= kFewFloats;
      if (m_arguments.pageLength == 0 && (few || m_panels <= 1)) {
        m_values = keyRow<T>(m_arguments, view, m_task.batch, m_task.keyValueHead, from);
        m_valueStride = view.rowStride;
        m_valuesPacked = false;
        return;
      }
    }
    m_values = m_stagedValues;
    // From a strip to the next; a line more than its keys, or the strips' lines of a key would meet in one set.
    m_valueStride = (to - from) * kStrip + kLineFloats;
    for (Index d = size; d < m_paddedValues; ++d) m_rowBuffer[d] = 0;
    for (Index key = from; key < to; ++key) {
      const T* in = keyRow<T>(m_arguments, view, m_task.batch, m_task.keyValueHead, key);
      const float* row = m_rowBuffer;
      if constexpr (sizeof(T) == sizeof(float)) {
        if (size == m_paddedValues) row = in;
      }
      if (row == m_rowBuffer) widenRow<V>(in, size, m_rowBuffer);
      float* out = m_stagedValues + (key - from) * kStrip;
      for (Index d = 0; d < m_paddedValues; d += kStrip) {
        std::memcpy(out, row + d, kStrip * sizeof(float));
        out += m_valueStride;
      }
    }
  }

  // --- Once a panel and block ---
  void attend(Index panel, Index from, Index to) {
    Run runs[kMostRuns];
    const int count = findRuns(panel, from, to, runs);
    if (count == 0) return;
    m_blockFrom = from;
    for (int i = 0; i < count; ++i) {
      withVectors<kVectors>(runs[i].vectors, [&](auto wide) { score<wide.value>(panel, runs[i]); });
      if (m_changes) change(panel, runs[i]);
      hide(panel, runs[i]);
    }
    tellPanel(TileStep::kScores, panel, runs, count);
    alignas(64) float shrink[kPanel];
    findLargest(panel, runs, count, shrink);
    for (int i = 0; i < count; ++i) {
      withVectors<kVectors>(runs[i].vectors, [&](auto wide) { weigh<wide.value>(panel, runs[i]); });
    }
    tellPanel(TileStep::kSoftmax, panel, runs, count);
    // More than one rectangle: what was summed before is shrunk first, and the rectangles are added.
    if (count > 1) shrinkOutputs(panel, shrink);
    for (int i = 0; i < count; ++i) {
      for (Run part = runs[i]; part.from < runs[i].to; part.from = part.to) {
        part.to = smaller(part.from + kLongestSum, runs[i].to);
        if (part.from != runs[i].from && count == 1) leaveUnshrunk(shrink);
        withVectors<kVectors>(part.vectors, [&](auto wide) { addValues<wide.value>(panel, part, shrink); });
      }
    }
    tellPanel(TileStep::kWeightedSum, panel, runs, count);
  }

  // Cuts the keys where the set of vectors that see them changes.
  int findRuns(Index panel, Index from, Index to, Run* runs) const {
    const VectorBounds* bounds = m_bounds + firstVectorOf(panel);
    const int vectors = vectorsOf(panel);
    int count = 0;
    for (Index key = from; key < to;) {
      Run run{.from = key, .to = to, .firstVector = vectors, .vectors = 0};
      int last = -1;
      for (int w = 0; w < vectors; ++w) {
        const Index first = bounds[w].anyFrom;
        const Index end = bounds[w].anyTo;
        if (first <= key && key < end) {
          if (last < 0) run.firstVector = w;
          last = w;
          run.to = smaller(run.to, end);
        } else if (first > key && first < end) {
          run.to = smaller(run.to, first);
        }
      }
      if (last >= 0) {
        run.vectors = last + 1 - run.firstVector;
        runs[count++] = run;
      }
      key = run.to;
    }
    return count;
  }

  // Rows of a tile that is kWide vectors wide: as many sums as there are registers for.
  static constexpr int rowsFor(int wide) { return V::kTileRows[wide - 1]; }

  template <int kWide>
  void score(Index panel, const Run& run) {
    constexpr int kRows = rowsFor(kWide);
    const float* queries = m_queries + panel * m_arguments.headSize * kPanel + run.firstVector * kLanes;
    const float* keys = m_keys + (run.from - m_blockFrom) * m_keyStride;
    float* scores = scoresOf(run);
    Index left = run.to - run.from;
    for (; left >= kRows; left -= kRows) {
      if (waitsForMemory() && panel == 0) fetchValues(run.to - left, kRows);
      scoreTile<kRows, kWide>(keys, queries, scores);
      keys += kRows * m_keyStride;
      scores += kRows * kPanel;
    }
    if constexpr (kRows > 1) scoreRest<kRows - 1, kWide>(left, keys, queries, scores);
  }
  template <int kRows, int kWide>
  void scoreRest(Index left, const float* keys, const float* queries, float* scores) {
    if (left == kRows) {
      scoreTile<kRows, kWide>(keys, queries, scores);
    } else if constexpr (kRows > 1) {
      scoreRest<kRows - 1, kWide>(left, keys, queries, scores);
    }
  }
  template <int kRows, int kWide>
  KERNEL_INLINE void scoreTile(const float* keys, const float* queries, float* scores) {
    Float sums[kRows][kWide];
    multiplyTile<V, kRows, kWide>(keys, m_keyStride, 1, queries, kPanel, m_arguments.headSize, sums);
    KERNEL_UNROLL
    for (int r = 0; r < kRows; ++r) {
      KERNEL_UNROLL
      for (int w = 0; w < kWide; ++w) V::store(scores + r * kPanel + w * kLanes, sums[r][w]);
    }
  }

  template <int kWide>
  void weigh(Index panel, const Run& run) {
    const Exponential<V> power(m_scale);
    const Index row = (firstVectorOf(panel) + run.firstVector) * kLanes;
    constexpr Index kStretch = 16;  // sums of short stretches are added: rounding grows with the stretches
    Float largest[kWide];
    KERNEL_UNROLL
    for (int w = 0; w < kWide; ++w) largest[w] = V::load(m_largest + row + w * kLanes);
    Float whole[kWide];
    KERNEL_UNROLL
    for (int w = 0; w < kWide; ++w) whole[w] = V::all(0);
    float* scores = scoresOf(run);
    for (Index first = run.from; first < run.to; first += kStretch) {
      Float sums[kWide];
      KERNEL_UNROLL
      for (int w = 0; w < kWide; ++w) sums[w] = V::all(0);
      for (Index key = first; key < smaller(first + kStretch, run.to); ++key) {
        KERNEL_UNROLL
        for (int w = 0; w < kWide; ++w) {
          const Float weight = power(V::subtract(V::load(scores + w * kLanes), largest[w]));
          V::store(scores + w * kLanes, weight);
          sums[w] = V::add(sums[w], weight);
        }
        scores += kPanel;
      }
      KERNEL_UNROLL
      for (int w = 0; w < kWide; ++w) whole[w] = V::add(whole[w], sums[w]);
    }
    KERNEL_UNROLL
    for (int w = 0; w < kWide; ++w) {
      float* sum = m_sums + row + w * kLanes;
      V::store(sum, V::add(V::load(sum), whole[w]));
    }
  }

  void shrinkOutputs(Index panel, float* shrink) {
    float* outputs = outputsOf(panel);
    const int vectors = vectorsOf(panel);
    for (Index d = 0; d < m_paddedValues; ++d) {
      for (int w = 0; w < vectors; ++w) {
        float* output = outputs + d * kPanel + w * kLanes;
        V::store(output, V::multiply(V::load(output), V::load(shrink + w * kLanes)));
      }
    }
    leaveUnshrunk(shrink);
  }
  static KERNEL_INLINE void leaveUnshrunk(float* shrink) {
    for (Index lane = 0; lane < kPanel; ++lane) shrink[lane] = 1;
  }

  // Few rows wait for memory: values are asked for while keys are multiplied, and the next block's keys while values
  // are. What is packed is read before it is multiplied, so of that the next block's is asked for.
  [[nodiscard]] KERNEL_INLINE bool waitsForMemory() const { return m_panels <= 2; }
  KERNEL_INLINE void fetchValues(Index from, Index keys) const {
    const Index ahead = m_valuesPacked ? m_blockTo - m_blockFrom : 0;
    fetch(m_arguments.tensors.value, from + ahead, keys, m_arguments.valueHeadSize);
  }
  void fetch(const TensorView& view, Index from, Index keys, Index size) const {
    constexpr Index kLine = 64;
    for (Index key = from; key < smaller(from + keys, m_all.to); ++key) {
      const char* row =
          reinterpret_cast<const char*>(keyRow<T>(m_arguments, view, m_task.batch, m_task.keyValueHead, key));
      for (Index offset = 0; offset < size * Index{sizeof(T)}; offset += kLine) __builtin_prefetch(row + offset, 0, 2);
    }
  }

  template <int kWide>
  void addValues(Index panel, const Run& run, const float* shrink) {
    float* outputs = outputsOf(panel) + run.firstVector * kLanes;
    const float* weights = scoresOf(run);
    const Index depth = run.to - run.from;
    shrink += run.firstVector * kLanes;
    if (m_valuesPacked) {
      const float* values = m_values + (run.from - m_blockFrom) * kStrip;
      const Index nextKeys = depth * kStrip / m_paddedValues + 1;
      Index next = m_blockTo + run.from - m_blockFrom;
      for (Index d = 0; d < m_paddedValues; d += kStrip, next += nextKeys) {
        if (waitsForMemory() && panel == 0) fetch(m_arguments.tensors.key, next, nextKeys, m_arguments.headSize);
        addTile<kStrip, kWide>(values, kStrip, weights, depth, shrink, outputs + d * kPanel);
        values += m_valueStride;
      }
      return;
    }
    constexpr int kRows = rowsFor(kWide);
    const float* values = m_values + (run.from - m_blockFrom) * m_valueStride;
    Index left = m_arguments.valueHeadSize;
    const Index nextKeys = depth * kRows / left + 1;
    for (Index next = m_blockTo + run.from - m_blockFrom; left >= kRows; left -= kRows, next += nextKeys) {
      if (waitsForMemory() && panel == 0) fetch(m_arguments.tensors.key, next, nextKeys, m_arguments.headSize);
      addTile<kRows, kWide>(values, m_valueStride, weights, depth, shrink, outputs);
      values += kRows;
      outputs += kRows * kPanel;
    }
    if constexpr (kRows > 1) addRest<kRows - 1, kWide>(left, values, weights, depth, shrink, outputs);
  }
  template <int kRows, int kWide>
  void addRest(Index left, const float* values, const float* weights, Index depth, const float* shrink,
               float* outputs) {
    if (left == kRows) {
      addTile<kRows, kWide>(values, m_valueStride, weights, depth, shrink, outputs);
    } else if constexpr (kRows > 1) {
      addRest<kRows - 1, kWide>(left, values, weights, depth, shrink, outputs);
    }
  }
  template <int kRows, int kWide>
  KERNEL_INLINE void addTile(const float* values, Index valueStride, const float* weights, Index depth,
                             const float* shrink, float* outputs) {
    Float sums[kRows][kWide];
    multiplyTile<V, kRows, kWide>(values, 1, valueStride, weights, kPanel, depth, sums);
    KERNEL_UNROLL
    for (int r = 0; r < kRows; ++r) {
      KERNEL_UNROLL
      for (int w = 0; w < kWide; ++w) {
        float* output = outputs + r * kPanel + w * kLanes;
        V::store(output, V::multiplyAdd(V::load(shrink + w * kLanes), V::load(output), sums[r][w]));
      }
    }
  }

  Index m_blockTo = 0;
  const float* m_keys = nullptr;
  Index m_keyStride = 0;
  const float* m_values = nullptr;
  Index m_valueStride = 0;
  bool m_valuesPacked = false;
  float *m_queries = nullptr, *m_stagedKeys = nullptr, *m_stagedValues = nullptr;
};

template <class V, class T, class Watch>
void tileItem(const KernelArguments& arguments, const ItemTask& task) {
  TileItem<V, T, Watch>(arguments, task).run();
}

}  // namespace
}  // namespace attnscope::kernels
