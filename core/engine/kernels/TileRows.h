// SPDX-License-Identifier: Apache-2.0
#pragma once

// What all kernels for many rows share, whatever multiplies their matrices: rows in the lanes of vectors and vectors in
// panels, what a row sees and what changes its scores, the largest score and the sum of a row, its end.
//
//   scores   [key block][panel]
//   outputs  [V][panel]
//
// So a largest score, a sum and a scale are vectors, and no lane ever meets another.

#include "core/engine/kernels/FinishRow.h"
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

// How vectors are shared among panels: as many to each as can be, or whole panels and what is left.
enum class PanelCut : std::uint8_t { kEven, kWhole };

template <class V, class T, class Watch, PanelCut kCut = PanelCut::kEven>
class TileRows {
 protected:
  using Float = typename V::Float;
  static constexpr Index kLanes = V::kLanes;
  static constexpr int kVectors = V::kVectors;
  static constexpr Index kPanel = kLanes * kVectors;

  // Value columns are padded to valueStep.
  KERNEL_INLINE TileRows(const KernelArguments& arguments, const ItemTask& task, bool changes, Index valueStep)
      : m_arguments(arguments),
        m_task(task),
        m_watch(task),
        m_changes(changes),
        m_scale(scaleOf(arguments, changes)),
        m_paddedRows(roundedUp(task.rows, kLanes)),
        m_paddedValues(roundedUp(arguments.valueHeadSize, valueStep)) {
    placePanels();
  }

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
  // As many panels as needed.
  void placePanels() {
    const Index vectors = m_paddedRows / kLanes;
    m_panels = (vectors + kVectors - 1) / kVectors;
    m_vectors = vectors;
  }
  [[nodiscard]] KERNEL_INLINE Index firstVectorOf(Index panel) const { return m_firstVectors[panel]; }
  [[nodiscard]] KERNEL_INLINE int vectorsOf(Index panel) const {
    return m_firstVectors[panel + 1] - m_firstVectors[panel];
  }
  // Looked up: a division for each look takes a tenth of a short causal item.
  void cutPanels() {
    for (Index panel = 0; panel <= m_panels; ++panel) {
      const Index first =
          kCut == PanelCut::kWhole ? smaller(panel * kVectors, m_vectors) : panel * m_vectors / m_panels;
      m_firstVectors[panel] = static_cast<std::int32_t>(first);
    }
  }

  template <class U>
  U* take(float*& free, Index count) {
    U* taken = reinterpret_cast<U*>(free);
    free += roundedUp(count, kMostLanes);
    return taken;
  }
  void placeRows(float*& free, Index scores) {
    m_firstVectors = take<std::int32_t>(free, m_panels + 1);
    cutPanels();
    m_from = take<std::int32_t>(free, m_paddedRows);
    m_to = take<std::int32_t>(free, m_paddedRows);
    m_slopes = take<float>(free, m_paddedRows);
    m_positions = take<float>(free, m_paddedRows);
    m_largest = take<float>(free, m_paddedRows);
    m_sums = take<float>(free, m_paddedRows);
    m_bounds = take<VectorBounds>(free, m_vectors * Index{sizeof(VectorBounds) / sizeof(float)});
    m_outputs = take<float>(free, m_panels * kPanel * m_paddedValues);
    m_scores = take<float>(free, scores * kPanel);
    m_bias = take<float>(free, m_task.sizes.keyBlock * kPanel);
    m_rowBuffer = take<float>(free, kLanes * roundedUp(larger(m_arguments.headSize, m_paddedValues), kMostLanes));
  }

  // Keys that any row of a vector sees, and that all of them see.
  struct VectorBounds {
    std::int32_t anyFrom, anyTo, allFrom, allTo;
  };

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

  // --- Once a panel and block ---
  [[nodiscard]] KERNEL_INLINE float* scoresOf(const Run& run) const {
    return m_scores + (run.from - m_blockFrom) * kPanel + run.firstVector * kLanes;
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

  [[nodiscard]] KERNEL_INLINE float* outputsOf(Index panel) const {
    return m_outputs + panel * m_paddedValues * kPanel;
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
  KeyRange m_all;                          // that any row sees
  Index m_blockFrom = 0;                   // where m_scores begins
  std::int32_t* m_firstVectors = nullptr;  // of each panel, and behind the last
  std::int32_t *m_from = nullptr, *m_to = nullptr;
  float *m_slopes = nullptr, *m_positions = nullptr, *m_largest = nullptr, *m_sums = nullptr;
  VectorBounds* m_bounds = nullptr;
  float *m_outputs = nullptr, *m_scores = nullptr, *m_bias = nullptr, *m_rowBuffer = nullptr;
};

}  // namespace
}  // namespace attnscope::kernels
