// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a call's workers did, tile by tile: written by a second build of the kernels (WatchedKernels.h), never by the
// one that is timed. Plain structs, as in KernelTable.h.

#include <cstdint>

namespace attnscope::kernels {

enum class TileStep : std::uint8_t {
  kPack,         // rows and queries of an item, or keys and values of a block, brought where they are read
  kScores,       // with everything that changes or hides one
  kSoftmax,      // largest scores, weights and their sums
  kWeightedSum,  // values times weights, added to what was summed before
  kWrite,        // an item's rows divided and written, or left as parts
  kMerge,        // a row put together from its parts
};
inline constexpr int kTileSteps = 6;

// Of a row after a tile: over all keys so far, in natural units; minus infinity and 0 where it has seen none.
struct RowState {
  float largest = 0;  // score
  float sum = 0;      // of exp(score - largest)
};

struct TileRecord {
  std::int64_t startNs = 0;  // of CLOCK_REALTIME
  std::int64_t endNs = 0;
  std::int32_t batch = 0;
  std::int32_t keyValueHead = 0;
  std::int32_t firstRow = 0;  // row = query * group + head in group
  std::int32_t rows = 0;
  std::int32_t firstQuery = 0;
  std::int32_t endQuery = 0;
  std::int32_t firstKey = 0;  // equal to endKey where a step has no keys
  std::int32_t endKey = 0;
  std::int64_t states = -1;  // of kSoftmax: where its rows' states begin; -1: not kept
  std::int32_t worker = 0;
  TileStep step = TileStep::kPack;
};

// Where an item writes; what does not fit is counted.
struct TileLog {
  TileRecord* next = nullptr;
  TileRecord* end = nullptr;
  RowState* states = nullptr;  // of all items
  std::int64_t nextState = 0;
  std::int64_t endState = 0;
  std::int64_t dropped = 0;
};

}  // namespace attnscope::kernels
