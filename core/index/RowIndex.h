// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a zoomed-out row of slices looks like: a sparse time mipmap. Per row, level k has buckets of width w0 * 2^k ns
// (w0 = power of two >= the 25th percentile of the span of 4 consecutive slices, times 2). A bucket exists where a
// slice starts or ends; those that one slice fills from edge to edge do not, for a slice as long as a bucket is drawn
// from its own times. Each bucket carries paint class and coverage, so that a query reads sequentially and touches no
// slice shorter than a bucket. Finer than w0, the slices themselves are walked, which costs the more the more of them
// share a column: so the finest level is kept where 4 bytes a slice allow it, before the one above it.
// Build: O(n), one thread. Query: O(columns). Immutable after build; any number of threads may query.

#include <cstdint>
#include <span>
#include <vector>

namespace attnscope {

// Slices of one drawn row: sorted by start, not overlapping. The spans outlive the index.
struct RowColumns {
  std::span<const std::int64_t> startNs;
  std::span<const std::int64_t> durationNs;
  std::span<const std::uint8_t> paintClass;  // a colour's number below 128, given from outside

  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(startNs.size()); }
  [[nodiscard]] std::int64_t endNs(std::uint32_t slice) const { return startNs[slice] + durationNs[slice]; }
  // First slice that ends after `ns`; size() when there is none. O(log n).
  [[nodiscard]] std::uint32_t firstEndingAfter(double ns) const;
};

// A run of pixel columns [x0, x1) to paint.
struct RowRun {
  std::int32_t x0 = 0;
  std::int32_t x1 = 0;
  std::uint32_t slice = 0;    // position in the row: the slice drawn, or the dominant one of a column
  std::uint8_t coverage = 0;  // 255: full
  std::uint8_t paintClass = 0;
  bool exact = false;  // edges are those of `slice`
};

class RowIndex {
 public:
  RowIndex() = default;
  static RowIndex build(RowColumns row);
  // Columns [0, width) of a view whose left edge is `startNs` with `nsPerPixel`; appends runs in order of x,
  // not overlapping. Snap startNs to whole pixels so that colours do not flicker while panning. An index that was
  // not built answers too, by walking the slices.
  void query(RowColumns row, double startNs, double nsPerPixel, std::int32_t width, std::vector<RowRun>& out) const;
  [[nodiscard]] std::size_t bytes() const;

 private:
  struct Bucket {  // 12 bytes: a frame of the whole trace reads some hundred thousand
    static constexpr std::uint8_t kLong = 0x80;
    std::uint32_t number;    // from the row's first start
    std::uint32_t first;     // first slice that starts in it, or the next to start after it
    std::uint16_t dominant;  // of the slice with the largest share of it: Level::dominantOf()
    std::uint8_t coverage;
    std::uint8_t paint;  // class of the dominant slice; kLong: the last that starts in it is at least a bucket long
    [[nodiscard]] std::uint8_t paintClass() const { return paint & static_cast<std::uint8_t>(~kLong); }
    [[nodiscard]] bool lastIsLong() const { return (paint & kLong) != 0; }
  };
  struct Level {
    std::int64_t widthNs = 0;
    int dominantShift = 0;  // above 0 where more than 65,535 slices start in one bucket: then it is a near one
    std::vector<Bucket> buckets;
    [[nodiscard]] std::uint32_t dominantOf(const Bucket& bucket, std::uint32_t count) const;
  };
  class Builder;
  class Query;
  std::vector<Level> m_levels;
};

}  // namespace attnscope
