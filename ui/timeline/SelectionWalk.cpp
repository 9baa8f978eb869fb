// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/SelectionWalk.h"

#include <algorithm>
#include <cstdlib>

namespace attnscope::ui {

SliceId nextOfName(const Trace& trace, const NameIndex& names, SliceId from, Direction direction, bool onSameTrack) {
  const SliceTable& table = trace.slices;
  const std::span<const SliceId> alike = names.of(table.name[index(from)]);
  const auto key = [&](SliceId slice) { return std::pair{table.startNs[index(slice)], slice}; };
  auto at = std::lower_bound(alike.begin(), alike.end(), from,
                             [&](SliceId left, SliceId right) { return key(left) < key(right); });
  const auto fits = [&](SliceId slice) {
    return !onSameTrack || table.track[index(slice)] == table.track[index(from)];
  };
  if (direction == Direction::kForward) {
    while (at != alike.end() && (*at == from || !fits(*at))) ++at;
    return at == alike.end() ? kNoSlice : *at;
  }
  while (at != alike.begin()) {
    if (fits(*--at)) return *at;
  }
  return kNoSlice;
}

SliceId nextInRow(const DisplayTracks& tracks, SliceId from, Direction direction) {
  const auto place = tracks.find(from);
  if (!place) return kNoSlice;
  const DisplayRow& row =
      tracks.tracks[static_cast<std::size_t>(place->track)].rows[static_cast<std::size_t>(place->row)];
  if (direction == Direction::kBack) return place->position > 0 ? row.slice(place->position - 1) : kNoSlice;
  return place->position + 1 < row.size() ? row.slice(place->position + 1) : kNoSlice;
}

SliceId inNextRow(const DisplayTracks& tracks, const std::vector<int>& trackOrder, SliceId from, Direction direction) {
  const auto place = tracks.find(from);
  if (!place) return kNoSlice;
  std::vector<std::pair<int, int>> rows;  // track, row, as they stand
  std::size_t here = 0;
  for (const int track : trackOrder) {
    const DisplayTrack& display = tracks.tracks[static_cast<std::size_t>(track)];
    for (int row = 0; row < static_cast<int>(display.rows.size()); ++row) {
      if (track == place->track && row == place->row) here = rows.size();
      rows.emplace_back(track, row);
    }
  }
  const SliceTable& table = tracks.facts->trace->slices;
  const std::int64_t middle = table.startNs[index(from)] + table.durationNs[index(from)] / 2;
  const std::ptrdiff_t step = direction == Direction::kForward ? 1 : -1;
  for (auto at = static_cast<std::ptrdiff_t>(here) + step; at >= 0 && at < static_cast<std::ptrdiff_t>(rows.size());
       at += step) {
    const auto [track, row] = rows[static_cast<std::size_t>(at)];
    const DisplayRow& display = tracks.tracks[static_cast<std::size_t>(track)].rows[static_cast<std::size_t>(row)];
    if (display.size() == 0) continue;
    const RowColumns columns = display.columns(*tracks.facts);
    const std::uint32_t after = std::min(columns.firstEndingAfter(static_cast<double>(middle)), display.size() - 1);
    std::uint32_t best = after;
    if (after > 0 && columns.startNs[after] > middle &&
        middle - columns.endNs(after - 1) < columns.startNs[after] - middle) {
      best = after - 1;
    }
    return display.slice(best);
  }
  return kNoSlice;
}

SliceId firstChild(const Trace& trace, SliceId from) {
  const SliceTable& table = trace.slices;
  const Track& track = trace.tracks[index(table.track[index(from)])];
  for (std::size_t depth = table.depth[index(from)] + std::size_t{1}; depth < track.rows.size(); ++depth) {
    const auto [first, last] = trace.slicesIn(
        track.rows[depth], {table.startNs[index(from)], std::max(table.endNs(from), table.startNs[index(from)] + 1)});
    for (std::uint32_t at = first; at < last; ++at) {
      if (table.parent[at] == from) return SliceId{at};
    }
  }
  return kNoSlice;
}

}  // namespace attnscope::ui
