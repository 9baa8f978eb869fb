// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a zoomed-out row of slices looks like: a sparse time mipmap. Per row, level k has buckets of width w0 * 2^k ns
// (w0 = power of two >= the 25th percentile of the span of 4 consecutive slices, times 8); only buckets in which a
// slice lies exist; each carries the paint class and coverage, so that a query reads sequentially and touches no slice
// shorter than a bucket. Finer than w0, the slices themselves are walked. Not more than 4 bytes a slice.
// Build: O(n), one thread. Query: O(columns). Immutable after build; any number of threads may query.

#include <cstdint>
#include <span>
#include <vector>

namespace attnscope {

// Slices of one drawn row: sorted by start, not overlapping. The spans outlive the index.
struct RowColumns {
  std::span<const std::int64_t> startNs;
  std::span<const std::int64_t> durationNs;
  std::span<const std::uint8_t> paintClass;  // a colour's number, given from outside
};

// A run of pixel columns [x0, x1) to paint.
struct RowRun {
  std::int32_t x0 = 0;
  std::int32_t x1 = 0;
  std::uint32_t slice = 0;    // position in the row: the slice drawn, or the dominant one of a column
  std::uint8_t coverage = 0;  // 255: full
  std::uint8_t paintClass = 0;
  bool exact = false;         // edges are those of `slice`
};

class RowIndex {
 public:
  RowIndex() = default;
  static RowIndex build(RowColumns row);
  // Columns [0, width) of a view whose left edge is `startNs` with `nsPerPixel`; appends runs in order of x,
  // not overlapping. Snap startNs to whole pixels so that colours do not flicker while panning.
  void query(RowColumns row, double startNs, double nsPerPixel, std::int32_t width, std::vector<RowRun>& out) const;
  [[nodiscard]] std::size_t bytes() const;

 private:
  struct Bucket {
    std::uint32_t number;
    std::uint32_t first;
    std::uint32_t dominant;
    std::uint8_t coverage;
    std::uint8_t paintClass;
    std::uint8_t lastLengthClass;
  };
  struct Level {
    std::int64_t widthNs = 0;
    std::vector<Bucket> buckets;
  };
  std::vector<Level> m_levels;
};

}  // namespace attnscope
