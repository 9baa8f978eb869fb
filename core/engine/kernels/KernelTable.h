// SPDX-License-Identifier: Apache-2.0
#pragma once

// What lies between AttentionKernel and the kernels of one instruction set. Plain structs and pointers: a translation
// unit that is compiled for newer instructions must not hold an inline function of the standard library, which the
// linker might then keep for all.

#include <cstddef>
#include <cstdint>

#include "core/engine/kernels/Attention.h"
#include "core/engine/kernels/Isa.h"
#include "core/engine/kernels/TileWatch.h"

namespace attnscope::kernels {

// How a tile kernel cuts its work.
struct TileSizes {
  std::int64_t keyBlock = 256;  // keys whose scores are made before their softmax
  std::int64_t rowChunk = 384;  // rows that share a block of keys while it is in the cache: one item of work
  bool operator==(const TileSizes&) const = default;
};

// An AttentionShape and AttentionTensors, as the kernels read them.
struct KernelArguments {
  std::int64_t heads = 1;
  std::int64_t group = 1;  // query heads of a key head
  std::int64_t queryLength = 1;
  std::int64_t keyLength = 1;
  std::int64_t headSize = 1;
  std::int64_t valueHeadSize = 1;
  float scale = 1;
  float softcap = 0;
  const KeyRange* ranges = nullptr;
  const std::uint8_t* blocks = nullptr;
  std::int64_t queryBlock = 0;
  std::int64_t keyBlock = 0;
  std::int64_t blockColumns = 0;
  const float* slopes = nullptr;
  std::int64_t firstPosition = 0;
  const float* sinks = nullptr;
  bool hasBias = false;
  BiasType biasType = BiasType::kFloat32;
  std::int64_t pageLength = 0;  // 0: no pages
  AttentionTensors tensors;
};

// Rows of a key head are its queries and their heads together, row = query * group + head in group: neighbours read the
// same keys. An item is some rows with some keys.
struct ItemTask {
  std::int64_t batch = 0;
  std::int64_t keyValueHead = 0;
  std::int64_t firstRow = 0;
  std::int64_t rows = 0;
  KeyRange keys;  // the part of the cache that is this item's
  TileSizes sizes;
  // Where the keys are split: rows x (valueHeadSize + 2) for each row, sums not yet divided, largest score in powers of
  // two, sum of weights. Null: the output is written.
  float* partial = nullptr;
  float* buffers = nullptr;  // of bufferFloats(), aligned to 64 bytes
  TileLog* log = nullptr;    // of the watched build alone
};

using ItemKernel = void (*)(const KernelArguments& arguments, const ItemTask& task);

// How a kernel for many rows lays them out.
struct TileLayout {
  int lanes = 1;         // rows of a vector
  int panelVectors = 1;  // vectors of a panel: its rows are computed together
  int keyStep = 1;       // more: panels are whole, and one computes whole steps of keys (PairTileKernel.h)
};

struct KernelTable {
  ItemKernel tiles[3]{};    // many rows; by ElementType
  TileLayout layouts[3]{};  // of `tiles`
  ItemKernel dots[3]{};     // few rows
};
// Null where this build does not hold it.
[[nodiscard]] const KernelTable* kernelTable(Isa isa);
// The same kernels with their steps stamped (Watch.h): for a look inside, never for a measurement.
[[nodiscard]] const KernelTable* watchedKernelTable(Isa isa);

// Of one worker. The tiles' buffers for any instruction set: rows of a chunk are rounded up to a panel's.
[[nodiscard]] std::int64_t tileBufferFloats(std::int64_t headSize, std::int64_t valueHeadSize, const TileSizes& sizes);
[[nodiscard]] std::int64_t pairTileBufferFloats(std::int64_t headSize, std::int64_t valueHeadSize,
                                                const TileSizes& sizes);
[[nodiscard]] std::int64_t dotBufferFloats(std::int64_t headSize, std::int64_t valueHeadSize, std::int64_t rows);

inline constexpr std::int64_t kMostLanes = 16;
inline constexpr std::int64_t kMostPanelRows = 64;
inline constexpr std::int64_t kDotBlock = 64;  // keys whose scores are made before their softmax

const KernelTable& scalarKernels();
const KernelTable& avx2Kernels();
const KernelTable& avx512Kernels();
const KernelTable& amxKernels();
const KernelTable& emulatedAmxKernels();
const KernelTable& watchedScalarKernels();
const KernelTable& watchedAvx2Kernels();
const KernelTable& watchedAvx512Kernels();
const KernelTable& watchedAmxKernels();
const KernelTable& watchedEmulatedAmxKernels();

}  // namespace attnscope::kernels
