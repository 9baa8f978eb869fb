// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Rows of one run over a stretch of time: what was dragged over. A value that a worker may keep.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "core/base/TimeRange.h"
#include "ui/timeline/DisplayTracks.h"

namespace attnscope::ui {

struct MeasuredArea {
  int run = -1;
  std::shared_ptr<const DisplayTracks> tracks;
  std::vector<std::pair<int, int>> rows;  // (track, row)
  TimeRange own;                          // of the run's own time
  bool operator==(const MeasuredArea&) const = default;
};

// Slices that overlap it, ascending, none twice, though a leaf operator may stand in two rows; the first `most` that
// are found. O(n log n) of them.
[[nodiscard]] std::vector<SliceId> slicesOf(const MeasuredArea& area, std::size_t most = SIZE_MAX);

}  // namespace attnscope::ui
