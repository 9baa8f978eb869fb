// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The tiles of one call of an own kernel, read from the slices and their args in a trace (category "tile"; what they
// hold is said in core/engine/InsideView.h): which rows met which keys, when, and by which worker; and how a row's
// largest score and sum grew. Pure functions, any thread.

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

#include "ui/bridge/Run.h"

namespace attnscope::ui {

// Some rows of a head of keys with a block of keys: scores, softmax and weighted sum, one after the other.
struct Tile {
  std::int32_t sequence = 0;
  std::int32_t head = 0;      // of keys
  std::int32_t firstRow = 0;  // row = query * group + head in group
  std::int32_t rows = 0;
  std::int32_t firstQuery = 0;
  std::int32_t endQuery = 0;
  std::int32_t firstKey = 0;
  std::int32_t endKey = 0;
  std::int32_t worker = 0;
  std::int64_t startNs = 0;
  std::int64_t endNs = 0;
  std::array<SliceId, 3> slices{kNoSlice, kNoSlice, kNoSlice};
};

struct TileMap {
  int runNumber = -1;
  std::shared_ptr<const RunFacts> facts;
  std::vector<Tile> tiles;   // by start
  std::int64_t queries = 0;  // of a sequence
  std::int64_t keys = 0;
  std::int64_t group = 1;  // query heads of a head of keys
  std::int32_t heads = 0;  // of keys
  std::int32_t sequences = 0;
  int workers = 0;
  std::int64_t slices = 0;
  std::int64_t byFormula = 0;
  double leastCovered = 1;  // of a worker's time by its slices
  double costOfWatching = 0;
  // The tile that a slice is part of. O(log n).
  [[nodiscard]] std::optional<std::size_t> tileOf(SliceId slice) const;

  std::vector<std::pair<SliceId, std::uint32_t>> bySlice;  // sorted
};

// Whether a trace has any. O(slices), but O(1) where no category is called so.
[[nodiscard]] bool hasTiles(const Trace& trace);
[[nodiscard]] std::shared_ptr<const TileMap> tileMapOf(int runNumber, std::shared_ptr<const RunFacts> facts,
                                                       const std::stop_token& stop);

// A row after one of its tiles; tiles in order of time.
struct RowPoint {
  std::size_t tile = 0;
  std::int32_t endKey = 0;
  double largest = 0;  // NaN: it has seen no key yet
  double sum = 0;      // of exp(score - largest)
};
struct RowOfTiles {
  std::int32_t sequence = 0;
  std::int32_t head = 0;  // of queries
  std::int64_t query = 0;
  bool operator==(const RowOfTiles&) const = default;
};
// Empty where the trace does not keep this row's states.
[[nodiscard]] std::vector<RowPoint> historyOf(const TileMap& map, const RowOfTiles& row);

}  // namespace attnscope::ui
