// SPDX-License-Identifier: Apache-2.0
#pragma once

// Fused attention for few rows, as in decoding: bound by reading the cache, so each key and value is read once for all
// rows of its head. A score is a dot product along the head, lanes are its elements; scores and weights are [row][key].
// Values are asked for while the keys are read. Online softmax over blocks of kDotBlock keys, as in TileKernel.h.

#include "core/engine/kernels/FinishRow.h"
#include "core/engine/kernels/KernelTypes.h"
#include "core/engine/kernels/Watch.h"

namespace attnscope::kernels {
namespace {

template <class V, class T, class Watch>
class DotItem {
 public:
  KERNEL_INLINE DotItem(const KernelArguments& arguments, const ItemTask& task)
      : m_arguments(arguments),
        m_task(task),
        m_watch(task),
        m_changes(changesScores(arguments)),
        m_scale(scaleOf(arguments, m_changes)),
        m_size(roundedUp(arguments.headSize, kPair)),
        m_valueSize(roundedUp(arguments.valueHeadSize, kPair)) {
    // What dotBufferFloats() counts.
    float* free = task.buffers;
    m_queries = free;
    free += roundedUp(task.rows * m_size, kMostLanes);
    m_outputs = free;
    free += roundedUp(task.rows * m_valueSize, kMostLanes);
    m_scores = free;
    free += task.rows * kBlock;
    m_largest = free;
    free += roundedUp(task.rows, kMostLanes);
    m_sums = free;
    free += roundedUp(task.rows, kMostLanes);
    m_row = free;
  }

  void run() {
    prepare();
    tell(TileStep::kPack, 0, 0);
    const RowPlace first = placeOf(m_arguments, m_task, 0);
    const RowPlace last = placeOf(m_arguments, m_task, m_task.rows - 1);
    KeyRange all{m_task.keys.to, m_task.keys.from};
    for (Index query = first.query; query <= last.query; ++query) {
      const KeyRange range = keysOf(m_arguments, m_task, query);
      if (range.from >= range.to) continue;
      if (range.from < all.from) all.from = range.from;
      if (range.to > all.to) all.to = range.to;
    }
    visitKeys(m_arguments, first.query, all.from, all.to, kBlock, [this](Index from, Index to) { attend(from, to); });
    finish();
    tell(TileStep::kWrite, 0, 0);
  }

 private:
  using Float = typename V::Float;
  static constexpr Index kLanes = V::kLanes;
  static constexpr Index kPair = 2 * kLanes;  // elements are taken two vectors at a time: V::loadPair
  static constexpr Index kBlock = kDotBlock;
  static constexpr int kSums = 8;  // sums in registers

  // The end of a step of all rows.
  KERNEL_INLINE void tell(TileStep step, Index from, Index to) {
    if constexpr (Watch::kOn) {
      m_watch.end(m_arguments, step, 0, m_task.rows, from, to);
      if (step == TileStep::kSoftmax) m_watch.keepStates(m_largest, m_sums, m_task.rows, m_scale.factor);
    }
  }

  // Element d of a row sits at this place of its pair of vectors.
  [[nodiscard]] static Index placeInPair(Index d) { return d / kPair * kPair + V::template slot<T>(d % kPair); }

  void prepare() {
    const TensorView& view = m_arguments.tensors.query;
    for (Index row = 0; row < m_task.rows; ++row) {
      const RowPlace place = placeOf(m_arguments, m_task, row);
      const T* in = at<T>(
          view.data, m_task.batch * view.batchStride + place.head * view.headStride + place.query * view.rowStride);
      float* out = m_queries + row * m_size;
      std::memset(out, 0, sizeof(float) * static_cast<std::size_t>(m_size));
      for (Index d = 0; d < m_arguments.headSize; ++d) out[placeInPair(d)] = widened(in[d]) * m_scale.query;
      m_largest[row] = kLowest;
      m_sums[row] = 0;
    }
    std::memset(m_outputs, 0, sizeof(float) * static_cast<std::size_t>(m_task.rows * m_valueSize));
  }

  void attend(Index from, Index to) {
    m_from = from;
    m_keys = to - from;
    for (Index key = from; key < to; ++key) {
      m_keyRows[key - from] = keyRow<T>(m_arguments, m_arguments.tensors.key, m_task.batch, m_task.keyValueHead, key);
      m_valueRows[key - from] =
          keyRow<T>(m_arguments, m_arguments.tensors.value, m_task.batch, m_task.keyValueHead, key);
    }
    Index row = 0;
    for (; row + 4 <= m_task.rows; row += 4) score<4>(row);
    if (row + 2 <= m_task.rows) {
      score<2>(row);
      row += 2;
    }
    if (row < m_task.rows) score<1>(row);
    tell(TileStep::kScores, from, to);
    for (row = 0; row < m_task.rows; ++row) {
      if (m_changes) change(row);
      hide(row);
      weigh(row);
    }
    tell(TileStep::kSoftmax, from, to);
    for (row = 0; row + 4 <= m_task.rows; row += 4) addValues<4>(row);
    if (row + 2 <= m_task.rows) {
      addValues<2>(row);
      row += 2;
    }
    if (row < m_task.rows) addValues<1>(row);
    tell(TileStep::kWeightedSum, from, to);
  }

  // --- Scores ---
  template <int kRows>
  void score(Index row) {
    constexpr Index kKeys = kSums / kRows;
    for (Index key = 0; key < m_keys; key += kKeys) {
      const T* keys[kKeys];
      for (Index j = 0; j < kKeys; ++j) keys[j] = m_keyRows[smaller(key + j, m_keys - 1)];
      if (row == 0) {
        for (Index j = key; j < smaller(key + kKeys, m_keys); ++j) fetchValues(j);
      }
      Float sums[kSums];
      KERNEL_UNROLL
      for (int i = 0; i < kSums; ++i) sums[i] = V::all(0);
      const Index whole = m_arguments.headSize / kPair * kPair;
      for (Index d = 0; d < whole; d += kPair) addProducts<kRows>(keys, d, row, sums);
      if (whole < m_arguments.headSize) {
        T ends[kKeys][kPair];
        const T* starts[kKeys];
        for (Index j = 0; j < kKeys; ++j)
          starts[j] = paddedEnd(keys[j] + whole, m_arguments.headSize - whole, ends[j]) - whole;
        addProducts<kRows>(starts, whole, row, sums);
      }
      float scores[kSums];
      V::sumEight(sums, scores);
      const Index valid = smaller(kKeys, m_keys - key);
      for (int r = 0; r < kRows; ++r) {
        for (Index j = 0; j < valid; ++j) m_scores[(row + r) * kBlock + key + j] = scores[r * kKeys + j];
      }
    }
  }
  template <int kRows>
  KERNEL_INLINE void addProducts(const T* const* keys, Index d, Index row, Float* sums) const {
    constexpr int kKeys = kSums / kRows;
    Float left[kKeys], right[kKeys];
    KERNEL_UNROLL
    for (int j = 0; j < kKeys; ++j) V::loadPair(keys[j] + d, left[j], right[j]);
    KERNEL_UNROLL
    for (int r = 0; r < kRows; ++r) {
      const Float first = V::load(m_queries + (row + r) * m_size + d);
      const Float second = V::load(m_queries + (row + r) * m_size + d + kLanes);
      KERNEL_UNROLL
      for (int j = 0; j < kKeys; ++j) {
        sums[r * kKeys + j] = V::multiplyAdd(first, left[j], sums[r * kKeys + j]);
        sums[r * kKeys + j] = V::multiplyAdd(second, right[j], sums[r * kKeys + j]);
      }
    }
  }
  // The last elements of a row with zeros after them: nothing is read behind a row.
  static const T* paddedEnd(const T* in, Index count, T* out) {
    std::memset(out, 0, sizeof(T) * kPair);
    std::memcpy(out, in, sizeof(T) * static_cast<std::size_t>(count));
    return out;
  }
  KERNEL_INLINE void fetchValues(Index key) const {
    constexpr Index kLine = 64;
    const char* row = reinterpret_cast<const char*>(m_valueRows[key]);
    const Index bytes = m_arguments.valueHeadSize * Index{sizeof(T)};
    for (Index offset = 0; offset < bytes; offset += kLine) __builtin_prefetch(row + offset, 0, 3);
  }

  void change(Index row) {
    const RowPlace place = placeOf(m_arguments, m_task, row);
    const ScoreChange<V> changed(m_arguments);
    const TensorView& view = m_arguments.tensors.bias;
    const Index bias =
        m_task.batch * view.batchStride + place.head * view.headStride + place.query * view.rowStride + m_from;
    const Float slope = V::all(m_arguments.slopes == nullptr ? 0 : m_arguments.slopes[place.head]);
    const Index position = m_arguments.firstPosition + place.query;
    alignas(64) float biases[kLanes] = {};
    alignas(64) float distances[kLanes];
    float* scores = m_scores + row * kBlock;
    for (Index key = 0; key < m_keys; key += kLanes) {
      for (Index lane = 0; lane < kLanes; ++lane)
        distances[lane] = static_cast<float>(position - (m_from + key + lane));
      if (m_arguments.hasBias) {
        for (Index lane = 0; lane < smaller(kLanes, m_keys - key); ++lane) {
          biases[lane] = biasAt(view.data, m_arguments.biasType, bias + key + lane);
        }
      }
      V::store(scores + key, changed(V::load(scores + key), V::load(biases), slope, V::load(distances)));
    }
  }

  void hide(Index row) {
    const KeyRange range = keysOf(m_arguments, m_task, placeOf(m_arguments, m_task, row).query);
    float* scores = m_scores + row * kBlock;
    for (Index key = 0; key < smaller(range.from - m_from, m_keys); ++key) scores[key] = -kInfinity;
    for (Index key = larger(range.to - m_from, 0); key < m_keys; ++key) scores[key] = -kInfinity;
    for (Index key = m_keys; key < roundedUp(m_keys, kLanes); ++key) scores[key] = -kInfinity;
  }

  // Scores become weights; what was summed before is shrunk.
  void weigh(Index row) {
    float* scores = m_scores + row * kBlock;
    Float largest = V::all(m_largest[row]);
    for (Index key = 0; key < m_keys; key += kLanes) largest = V::max(V::load(scores + key), largest);
    const float before = m_largest[row];
    m_largest[row] = V::largest(largest);
    const Exponential<V> power(m_scale);
    const Float all = V::all(m_largest[row]);
    Float sum = V::all(0);
    for (Index key = 0; key < m_keys; key += kLanes) {
      const Float weight = power(V::subtract(V::load(scores + key), all));
      V::store(scores + key, weight);
      sum = V::add(sum, weight);
    }
    float shrink = 1;
    if (before < m_largest[row]) {
      shrink = V::first(power(V::all(before - m_largest[row])));
      float* output = m_outputs + row * m_valueSize;
      for (Index d = 0; d < m_valueSize; d += kLanes)
        V::store(output + d, V::multiply(V::load(output + d), V::all(shrink)));
    }
    m_sums[row] = m_sums[row] * shrink + V::sum(sum);
  }

  // --- Weighted values ---
  template <int kRows>
  void addValues(Index row) {
    constexpr int kPairs = kSums / 2 / kRows;
    const Index whole = m_arguments.valueHeadSize / kPair;
    Index pair = addPairs<kRows, kPairs>(row, 0, whole);
    if (pair * kPair < m_arguments.valueHeadSize) addEnds<kRows>(row, pair * kPair);
  }
  // As many pairs of vectors at once as there are registers for, then fewer.
  template <int kRows, int kPairs>
  Index addPairs(Index row, Index pair, Index whole) {
    for (; pair + kPairs <= whole; pair += kPairs) addColumns<kRows, kPairs>(row, pair * kPair);
    if constexpr (kPairs > 1) pair = addPairs<kRows, kPairs / 2>(row, pair, whole);
    return pair;
  }
  template <int kRows, int kPairs>
  KERNEL_INLINE void addColumns(Index row, Index d) {
    Float sums[kRows][2 * kPairs];
    KERNEL_UNROLL
    for (int r = 0; r < kRows; ++r) {
      KERNEL_UNROLL
      for (int c = 0; c < 2 * kPairs; ++c) sums[r][c] = V::all(0);
    }
    const float* weights = m_scores + row * kBlock;
    for (Index key = 0; key < m_keys; ++key) {
      Float values[2 * kPairs];
      KERNEL_UNROLL
      for (int c = 0; c < kPairs; ++c) V::loadPair(m_valueRows[key] + d + c * kPair, values[2 * c], values[2 * c + 1]);
      KERNEL_UNROLL
      for (int r = 0; r < kRows; ++r) {
        const Float weight = V::all(weights[r * kBlock + key]);
        KERNEL_UNROLL
        for (int c = 0; c < 2 * kPairs; ++c) sums[r][c] = V::multiplyAdd(weight, values[c], sums[r][c]);
      }
    }
    KERNEL_UNROLL
    for (int r = 0; r < kRows; ++r) {
      KERNEL_UNROLL
      for (int c = 0; c < 2 * kPairs; ++c) {
        float* output = m_outputs + (row + r) * m_valueSize + d + c * kLanes;
        V::store(output, V::add(V::load(output), sums[r][c]));
      }
    }
  }
  template <int kRows>
  void addEnds(Index row, Index d) {
    T end[kPair];
    for (Index key = 0; key < m_keys; ++key) {
      paddedEnd(m_valueRows[key] + d, m_arguments.valueHeadSize - d, end);
      Float left, right;
      V::loadPair(end, left, right);
      for (int r = 0; r < kRows; ++r) {
        const Float weight = V::all(m_scores[(row + r) * kBlock + key]);
        float* output = m_outputs + (row + r) * m_valueSize + d;
        V::store(output, V::multiplyAdd(weight, left, V::load(output)));
        V::store(output + kLanes, V::multiplyAdd(weight, right, V::load(output + kLanes)));
      }
    }
  }

  void finish() {
    for (Index row = 0; row < m_task.rows; ++row) {
      const float* output = m_outputs + row * m_valueSize;
      for (Index d = 0; d < m_arguments.valueHeadSize; ++d) m_row[d] = output[placeInPair(d)];
      finishRow<V, T>(m_arguments, m_task, row, m_row, m_largest[row], m_sums[row], m_scale.factor);
    }
  }

  const KernelArguments& m_arguments;
  const ItemTask& m_task;
  [[no_unique_address]] Watch m_watch;
  bool m_changes;
  ScoreScale m_scale;
  Index m_size, m_valueSize;     // padded to pairs
  Index m_from = 0, m_keys = 0;  // of the block
  const T* m_keyRows[kBlock];
  const T* m_valueRows[kBlock];
  float *m_queries, *m_outputs, *m_scores, *m_largest, *m_sums, *m_row;
};

template <class V, class T, class Watch>
void dotItem(const KernelArguments& arguments, const ItemTask& task) {
  DotItem<V, T, Watch>(arguments, task).run();
}

}  // namespace
}  // namespace attnscope::kernels
