// SPDX-License-Identifier: Apache-2.0
#pragma once

// Attention of one shape, made once and called many times: what is computed is cut into items, which the workers of an
// own pool take from one counter. Used by one thread at a time. Between calls it keeps its buffers (bufferBytes()) and
// its sleeping workers; a call allocates nothing.

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include "core/base/Result.h"
#include "core/engine/kernels/Attention.h"
#include "core/engine/kernels/Isa.h"
#include "core/engine/kernels/KernelTable.h"
#include "core/engine/kernels/TileCount.h"
#include "core/engine/kernels/TileWatch.h"
#include "core/engine/kernels/WorkerPool.h"

namespace attnscope::kernels {

enum class Method : std::uint8_t {
  kByRows,  // dots for few rows of a key head, tiles for more
  kTiles,   // TileKernel.h
  kDots,    // DotKernel.h
};

struct KernelOptions {
  Isa isa = Isa::kScalar;
  int workers = 1;
  Method method = Method::kByRows;
  TileSizes sizes;
};

// What the workers did in one call. Records of an item follow each other; items are in no order of time.
struct WatchedCall {
  std::vector<TileRecord> records;
  std::vector<RowState> states;
  std::int64_t startNs = 0;  // of CLOCK_REALTIME, around all of it
  std::int64_t endNs = 0;
  std::int64_t dropped = 0;   // records for which there was no room: always 0 (TileCount.h)
  std::vector<TileLog> logs;  // where each item writes
};

class AttentionKernel {
 public:
  // An error names what the kernels do not compute: sizes out of range, a mask that does not fit.
  [[nodiscard]] static Result<std::unique_ptr<AttentionKernel>> make(AttentionShape shape,
                                                                     const KernelOptions& options);

  // The tensors must be those of the shape; all but the output are only read. The output may not overlap an input.
  void run(const AttentionTensors& tensors);
  // The same by the watched build, which looks at the clock after each step of a tile, into `call`: made by
  // roomToWatch() for one call, so that nothing is allocated during it. States of rows are kept for as many items as
  // hold no more than `mostStates` of them.
  [[nodiscard]] WatchedCall roomToWatch(std::int64_t mostStates) const;
  void watch(const AttentionTensors& tensors, WatchedCall& call);
  // What watch() records, known beforehand.
  [[nodiscard]] StepCount count() const;

  [[nodiscard]] Method method() const { return m_method; }  // never kByRows
  [[nodiscard]] std::int64_t items() const { return m_heads * m_splits * static_cast<std::int64_t>(m_chunks.size()); }
  [[nodiscard]] std::int64_t bufferBytes() const;

 private:
  struct RowChunk {
    std::int64_t first = 0;
    std::int64_t rows = 0;
  };
  // Floats that begin at a cache line.
  struct Free {
    void operator()(float* floats) const { std::free(floats); }
  };
  using Floats = std::unique_ptr<float[], Free>;

  AttentionKernel(AttentionShape shape, const KernelOptions& options);
  [[nodiscard]] std::int64_t neededFloats() const;  // of a worker
  static Floats allocate(std::int64_t floats);
  void fillArguments();
  void cutRows(std::int64_t mostRows);
  void cutKeys();
  [[nodiscard]] std::int64_t merges() const { return m_splits == 1 ? 0 : m_heads * m_rows; }
  [[nodiscard]] ItemTask taskOf(std::int64_t item) const;
  [[nodiscard]] StepCount countOf(std::int64_t item) const;
  void runItem(ItemKernel kernel, int worker, std::int64_t item, TileLog* log);
  void merge(std::int64_t item);
  [[nodiscard]] TileRecord watchedMerge(int worker, std::int64_t item);
  template <class T>
  void mergeRow(std::int64_t head, std::int64_t row);

  AttentionShape m_shape;
  TileSizes m_sizes;
  Method m_method = Method::kTiles;
  KernelArguments m_arguments;
  ItemKernel m_kernel = nullptr;
  ItemKernel m_watchedKernel = nullptr;
  TileLayout m_layout;
  WorkerPool m_pool;
  std::int64_t m_heads = 0;  // of keys, in all sequences
  std::int64_t m_rows = 0;   // of a key head
  std::vector<RowChunk> m_chunks;
  std::int64_t m_splits = 1;
  std::int64_t m_keysPerSplit = 0;
  std::int64_t m_bufferFloats = 0;  // of a worker
  std::vector<Floats> m_buffers;
  Floats m_partials;  // [head][split][row][V + 2]
};

// Rows of a key head up to which dots are faster than tiles.
inline constexpr std::int64_t kMostDotRows = 6;

}  // namespace attnscope::kernels
