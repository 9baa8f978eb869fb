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
// So a largest score, a sum and a scale are vectors, no lane ever meets another, and keys are never transposed. Blocks
// of keys are the outer loop, the item's panels the inner: a block is read from memory once for all rows of the item.
// Each block's output is summed from zero and joined afterwards: the error grows with the blocks, not with the keys.

#include "core/engine/kernels/FinishRow.h"
#include "core/engine/kernels/TileProduct.h"
#include "core/engine/kernels/Watch.h"

namespace attnscope::kernels {
namespace {

// Keys [from, to) of a block, with vectors [firstVector, firstVector + vectors) of a panel: a rectangle of pairs.
struct Run {
  Index from = 0;
  Index to = 0;
  int firstVector = 0;
  int vectors = 0;
};

template <class V, class T, class Watch>
class TileItem {
 public:
  KERNEL_INLINE TileItem(const KernelArguments& arguments, const ItemTask& task)
      : m_arguments(arguments),
        m_task(task),
        m_watch(task),
        m_changes(arguments.softcap > 0 || arguments.slopes != nullptr || arguments.hasBias),
        m_scale(scaleOf(arguments, m_changes)),
        m_paddedRows(roundedUp(task.rows, kLanes)),
        m_paddedValues(roundedUp(arguments.valueHeadSize, kStrip)) {
    placePanels();
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
  using Float = typename V::Float;
  static constexpr Index kLanes = V::kLanes;
  static constexpr int kVectors = V::kVectors;
  static constexpr Index kPanel = kLanes * kVectors;
  static constexpr int kStrip = V::kStrip;  // value columns of a tile, and of packed values
  static constexpr int kMostRuns = 2 * kVectors + 1;
  static constexpr Index kLineFloats = 16;  // of a cache line

  // The end of a step of the item's rows, or of a panel's.
  KERNEL_INLINE void tell(TileStep step, Index from, Index to) {
    if constexpr (Watch::kOn) m_watch.end(m_arguments, step, 0, m_task.rows, from, to);
  }
  KERNEL_INLINE void tellPanel(TileStep step, Index panel, const Run* runs, int count) {
    if constexpr (Watch::kOn) {
      const Index first = firstVectorOf(panel) * kLanes;
      const Index rows = smaller(firstVectorOf(panel + 1) * kLanes, m_task.rows) - first;
      m_watch.end(m_arguments, step, first, rows, runs[0].from, runs[count - 1].to);
      if (step == TileStep::kSoftmax) m_watch.keepStates(m_largest + first, m_sums + first, rows, m_scale.factor);
    }
  }

  // --- Layout ---
  // As many panels as needed, as even as vectors allow.
  void placePanels() {
    const Index vectors = m_paddedRows / kLanes;
    m_panels = (vectors + kVectors - 1) / kVectors;
    m_vectors = vectors;
  }
  [[nodiscard]] KERNEL_INLINE Index firstVectorOf(Index panel) const { return panel * m_vectors / m_panels; }
  [[nodiscard]] KERNEL_INLINE int vectorsOf(Index panel) const {
    return static_cast<int>(firstVectorOf(panel + 1) - firstVectorOf(panel));
  }

  template <class U>
  U* take(float*& free, Index count) {
    U* taken = reinterpret_cast<U*>(free);
    free += roundedUp(count, kMostLanes);
    return taken;
  }
  // What tileBufferFloats() counts.
  void placeBuffers() {
    float* free = m_task.buffers;
    const Index rows = m_panels * kPanel;
    m_from = take<std::int32_t>(free, m_paddedRows);
    m_to = take<std::int32_t>(free, m_paddedRows);
    m_slopes = take<float>(free, m_paddedRows);
    m_positions = take<float>(free, m_paddedRows);
    m_largest = take<float>(free, m_paddedRows);
    m_sums = take<float>(free, m_paddedRows);
    m_bounds = take<VectorBounds>(free, m_vectors * Index{sizeof(VectorBounds) / sizeof(float)});
    m_queries = take<float>(free, rows * m_arguments.headSize);
    m_outputs = take<float>(free, rows * m_paddedValues);
    m_scores = take<float>(free, m_task.sizes.keyBlock * kPanel);
    m_bias = take<float>(free, m_task.sizes.keyBlock * kPanel);
    m_stagedKeys = take<float>(free, m_task.sizes.keyBlock * m_arguments.headSize);
    m_stagedValues = take<float>(free, m_task.sizes.keyBlock * m_paddedValues + m_paddedValues / kStrip * kLineFloats);
    m_rowBuffer = take<float>(free, kLanes * roundedUp(larger(m_arguments.headSize, m_paddedValues), kMostLanes));
  }

  // Keys that any row of a vector sees, and that all of them see.
  struct VectorBounds {
    std::int32_t anyFrom, anyTo, allFrom, allTo;
  };

  // --- Once an item ---
  void prepareRows() {
    m_all = {m_task.keys.to, m_task.keys.from};
    for (Index row = 0; row < m_paddedRows; ++row) {
      // Lanes after the last row repeat it: what they compute goes nowhere.
      const RowPlace place = placeOf(m_arguments, m_task, smaller(row, m_task.rows - 1));
      const KeyRange range = keysOf(m_arguments, m_task, place.query);
      m_from[row] = range.from;
      m_to[row] = range.to;
      if (m_arguments.slopes != nullptr) m_slopes[row] = m_arguments.slopes[place.head];
      m_positions[row] = static_cast<float>(m_arguments.firstPosition + place.query);
      m_largest[row] = kLowest;
      m_sums[row] = 0;
    }
    for (Index vector = 0; vector < m_vectors; ++vector) {
      const VectorBounds bounds = boundsOf(vector * kLanes);
      m_bounds[vector] = bounds;
      if (bounds.anyFrom >= bounds.anyTo) continue;
      if (bounds.anyFrom < m_all.from) m_all.from = bounds.anyFrom;
      if (bounds.anyTo > m_all.to) m_all.to = bounds.anyTo;
    }
    std::memset(m_outputs, 0, sizeof(float) * static_cast<std::size_t>(m_panels * kPanel * m_paddedValues));
  }

  [[nodiscard]] VectorBounds boundsOf(Index firstRow) const {
    VectorBounds bounds{m_task.keys.to, m_task.keys.from, m_task.keys.from, m_task.keys.to};
    for (Index row = firstRow; row < firstRow + kLanes; ++row) {
      if (m_from[row] < m_to[row]) {
        if (m_from[row] < bounds.anyFrom) bounds.anyFrom = m_from[row];
        if (m_to[row] > bounds.anyTo) bounds.anyTo = m_to[row];
      }
      if (m_from[row] > bounds.allFrom) bounds.allFrom = m_from[row];
      if (m_to[row] < bounds.allTo) bounds.allTo = m_to[row];
    }
    return bounds;
  }

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
      if (m_arguments.pageLength == 0 && (few || m_panels <= 2)) {
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
      withVectors<kVectors>(runs[i].vectors, [&](auto wide) { addValues<wide.value>(panel, runs[i], shrink); });
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

  [[nodiscard]] KERNEL_INLINE float* scoresOf(const Run& run) const {
    return m_scores + (run.from - m_blockFrom) * kPanel + run.firstVector * kLanes;
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

  // Softcap, bias, distance.
  void change(Index panel, const Run& run) {
    const ScoreChange<V> changed(m_arguments);
    for (int w = 0; w < run.vectors; ++w) {
      const Index row = (firstVectorOf(panel) + run.firstVector + w) * kLanes;
      float* scores = scoresOf(run) + w * kLanes;
      if (m_arguments.hasBias) loadBias(row, run);
      const bool slopes = m_arguments.slopes != nullptr;
      const Float slope = slopes ? V::load(m_slopes + row) : V::all(0);
      const Float position = V::load(m_positions + row);
      for (Index key = run.from; key < run.to; ++key) {
        const Float bias = m_arguments.hasBias ? V::load(m_bias + (key - run.from) * kLanes) : V::all(0);
        const Float distance = V::subtract(position, V::all(static_cast<float>(key)));
        V::store(scores, changed(V::load(scores), bias, slope, distance));
        scores += kPanel;
      }
    }
  }

  // m_bias [key][lane], transposed from the rows of the bias.
  void loadBias(Index firstRow, const Run& run) {
    const TensorView& view = m_arguments.tensors.bias;
    alignas(64) float rows[kLanes * kLanes];
    for (Index key = run.from; key < run.to; key += kLanes) {
      const Index keys = smaller(kLanes, run.to - key);
      for (Index lane = 0; lane < kLanes; ++lane) {
        const RowPlace place = placeOf(m_arguments, m_task, smaller(firstRow + lane, m_task.rows - 1));
        const Index offset =
            m_task.batch * view.batchStride + place.head * view.headStride + place.query * view.rowStride + key;
        if (m_arguments.biasType == BiasType::kFloat32 && keys == kLanes) {
          V::store(rows + lane * kLanes, V::load(at<float>(view.data, offset)));
          continue;
        }
        for (Index i = 0; i < keys; ++i) {
          rows[lane * kLanes + i] = biasAt(view.data, m_arguments.biasType, offset + i);
        }
      }
      V::transpose(rows, kLanes, m_bias + (key - run.from) * kLanes, kLanes, keys);
    }
  }

  // Only the keys that some lane of a vector does not see are looked at.
  void hide(Index panel, const Run& run) {
    for (int w = 0; w < run.vectors; ++w) {
      const Index vector = firstVectorOf(panel) + run.firstVector + w;
      const VectorBounds& bounds = m_bounds[vector];
      hideKeys(run, w, vector * kLanes, run.from, smaller(run.to, bounds.allFrom));
      hideKeys(run, w, vector * kLanes, larger(run.from, larger(bounds.allTo, bounds.allFrom)), run.to);
    }
  }
  void hideKeys(const Run& run, int w, Index row, Index from, Index to) {
    float* scores = scoresOf(run) + (from - run.from) * kPanel + w * kLanes;
    for (Index key = from; key < to; ++key) {
      V::store(scores, V::hide(V::load(scores), static_cast<std::int32_t>(key), m_from + row, m_to + row));
      scores += kPanel;
    }
  }

  void findLargest(Index panel, const Run* runs, int count, float* shrink) {
    const Exponential<V> power(m_scale);
    for (int w = 0; w < vectorsOf(panel); ++w) {
      float* kept = m_largest + (firstVectorOf(panel) + w) * kLanes;
      const Float before = V::load(kept);
      Float largest = before;
      for (int i = 0; i < count; ++i) {
        if (w < runs[i].firstVector || w >= runs[i].firstVector + runs[i].vectors) continue;
        const float* scores = m_scores + (runs[i].from - m_blockFrom) * kPanel + w * kLanes;
        largest = V::max(largestOf(scores, runs[i].to - runs[i].from), largest);
      }
      V::store(kept, largest);
      // Exactly 1 where nothing changes: it is multiplied in block after block.
      const Float factor = V::whereLess(before, largest, power(V::subtract(before, largest)), V::all(1));
      V::store(shrink + w * kLanes, factor);
      float* sums = m_sums + (firstVectorOf(panel) + w) * kLanes;
      V::store(sums, V::multiply(V::load(sums), factor));
    }
  }
  // Of one column of scores; four at a time, as each maximum waits for the one before. NaN may be lost here: it comes
  // back in its weight.
  [[nodiscard]] KERNEL_INLINE static Float largestOf(const float* scores, Index keys) {
    Float some[4] = {V::all(kLowest), V::all(kLowest), V::all(kLowest), V::all(kLowest)};
    Index key = 0;
    for (; key + 4 <= keys; key += 4) {
      KERNEL_UNROLL
      for (int i = 0; i < 4; ++i) some[i] = V::max(V::load(scores + (key + i) * kPanel), some[i]);
    }
    for (; key < keys; ++key) some[0] = V::max(V::load(scores + key * kPanel), some[0]);
    return V::max(V::max(some[0], some[1]), V::max(some[2], some[3]));
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

  [[nodiscard]] KERNEL_INLINE float* outputsOf(Index panel) const {
    return m_outputs + panel * m_paddedValues * kPanel;
  }

  void shrinkOutputs(Index panel, float* shrink) {
    float* outputs = outputsOf(panel);
    for (Index d = 0; d < m_paddedValues; ++d) {
      for (int w = 0; w < vectorsOf(panel); ++w) {
        float* output = outputs + d * kPanel + w * kLanes;
        V::store(output, V::multiply(V::load(output), V::load(shrink + w * kLanes)));
      }
    }
    for (Index lane = 0; lane < kPanel; ++lane) shrink[lane] = 1;
  }

  template <int kWide>
  void addValues(Index panel, const Run& run, const float* shrink) {
    float* outputs = outputsOf(panel) + run.firstVector * kLanes;
    const float* weights = scoresOf(run);
    const Index depth = run.to - run.from;
    shrink += run.firstVector * kLanes;
    if (m_valuesPacked) {
      const float* values = m_values + (run.from - m_blockFrom) * kStrip;
      for (Index d = 0; d < m_paddedValues; d += kStrip) {
        addTile<kStrip, kWide>(values, kStrip, weights, depth, shrink, outputs + d * kPanel);
        values += m_valueStride;
      }
      return;
    }
    constexpr int kRows = rowsFor(kWide);
    const float* values = m_values + (run.from - m_blockFrom) * m_valueStride;
    Index left = m_arguments.valueHeadSize;
    for (; left >= kRows; left -= kRows) {
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

  // --- Once an item, at its end ---
  void finish() {
    const Index padded = roundedUp(m_paddedValues, kLanes);
    for (Index panel = 0; panel < m_panels; ++panel) {
      for (int vector = 0; vector < vectorsOf(panel); ++vector) {
        const Index firstRow = (firstVectorOf(panel) + vector) * kLanes;
        const float* column = outputsOf(panel) + vector * kLanes;
        for (Index d = 0; d < m_paddedValues; d += kLanes) {
          V::transposeRows(column + d * kPanel, kPanel, smaller(kLanes, m_paddedValues - d), m_rowBuffer + d, padded);
        }
        for (Index lane = 0; lane < smaller(kLanes, m_task.rows - firstRow); ++lane) {
          putRow(firstRow + lane, m_rowBuffer + lane * padded);
        }
      }
    }
  }

  void putRow(Index row, float* values) {
    finishRow<V, T>(m_arguments, m_task, row, values, m_largest[row], m_sums[row], m_scale.factor);
  }

  const KernelArguments& m_arguments;
  const ItemTask& m_task;
  [[no_unique_address]] Watch m_watch;
  bool m_changes;
  ScoreScale m_scale;
  Index m_paddedRows, m_paddedValues;
  Index m_panels = 0, m_vectors = 0;
  KeyRange m_all;  // that any row sees
  Index m_blockFrom = 0;
  const float* m_keys = nullptr;
  Index m_keyStride = 0;
  const float* m_values = nullptr;
  Index m_valueStride = 0;
  bool m_valuesPacked = false;
  std::int32_t *m_from = nullptr, *m_to = nullptr;
  float *m_slopes = nullptr, *m_positions = nullptr, *m_largest = nullptr, *m_sums = nullptr;
  VectorBounds* m_bounds = nullptr;
  float *m_queries = nullptr, *m_outputs = nullptr, *m_scores = nullptr, *m_bias = nullptr;
  float *m_stagedKeys = nullptr, *m_stagedValues = nullptr, *m_rowBuffer = nullptr;
};

template <class V, class T, class Watch>
void tileItem(const KernelArguments& arguments, const ItemTask& task) {
  TileItem<V, T, Watch>(arguments, task).run();
}

}  // namespace
}  // namespace attnscope::kernels
