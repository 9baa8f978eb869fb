// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// From one slice to the next: by name, by row, by nesting. Pure functions of the trace; kNoSlice where there is none.

#include <cstdint>
#include <vector>

#include "core/index/NameIndex.h"
#include "core/trace/Trace.h"
#include "ui/timeline/DisplayTracks.h"

namespace attnscope::ui {

enum class Direction : std::uint8_t { kBack, kForward };

// By (start, row number) among slices of the same name; O(log n), on the same track also the slices passed over.
[[nodiscard]] SliceId nextOfName(const Trace& trace, const NameIndex& names, SliceId from, Direction direction,
                                 bool onSameTrack);
// Beside it on its row.
[[nodiscard]] SliceId nextInRow(const DisplayTracks& tracks, SliceId from, Direction direction);
// In the row above or below, in the order given, the slice at the middle of `from`, else the nearest; empty rows are
// passed over.
[[nodiscard]] SliceId inNextRow(const DisplayTracks& tracks, const std::vector<int>& trackOrder, SliceId from,
                                Direction direction);
[[nodiscard]] SliceId firstChild(const Trace& trace, SliceId from);

}  // namespace attnscope::ui
