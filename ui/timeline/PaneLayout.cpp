// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/PaneLayout.h"

#include <algorithm>
#include <numeric>

namespace attnscope::ui {

namespace {

// How near to the seam a track belongs: what explains the compared row first.
int distanceFromSeam(const DisplayTracks& tracks, const DisplayTrack& track) {
  switch (track.sort) {
    case DisplaySort::kCounter:
      return track.counter->isBytes ? 0 : 6;
    case DisplaySort::kAnnotations:
      return 1;
    case DisplaySort::kWork:
    case DisplaySort::kSlices:
      return tracks.groups[static_cast<std::size_t>(track.group)].isDevice ? 2 : 3;
    case DisplaySort::kModules:
      return 4;
    case DisplaySort::kPython:
      return 5;
  }
  return 6;
}

int heightOf(const DisplayTracks& tracks, int track, bool isFolded, const LayoutSizes& sizes) {
  const DisplayTrack& display = tracks.tracks[static_cast<std::size_t>(track)];
  if (display.sort == DisplaySort::kCounter) return isFolded ? sizes.trackLeast : sizes.counter;
  const int rows = static_cast<int>(display.rows.size());
  if (track == tracks.compared) return sizes.compared + (isFolded ? 0 : (rows - 1) * sizes.row);
  const int shown = isFolded ? 1 : rows;
  return std::max(sizes.trackLeast, shown * sizes.row + 2 * sizes.trackPad);
}

}  // namespace

FoldState FoldState::of(const DisplayTracks& tracks) {
  FoldState state;
  state.groups.assign(tracks.groups.size(), false);
  for (const DisplayTrack& track : tracks.tracks) state.tracks.push_back(track.foldedAtFirst);
  return state;
}

const LayoutItem* PaneLayout::itemOf(int track) const {
  for (const LayoutItem& item : items) {
    if (item.kind == LayoutItem::Kind::kTrack && item.at == track) return &item;
  }
  return nullptr;
}

RowBox PaneLayout::pinnedRow(int row) const {
  if (row > 0) {
    const int y = sizes.compared + (row - 1) * sizes.row;
    return {y, sizes.row, y, sizes.slice};
  }
  return {0, sizes.compared, (sizes.compared - sizes.comparedSlice) / 2, sizes.comparedSlice};
}

std::optional<RowBox> PaneLayout::rowIn(const DisplayTracks& tracks, const LayoutItem& item, int row) const {
  if (item.isFolded && row > 0) return std::nullopt;
  if (item.at == tracks.compared) {
    RowBox box = pinnedRow(row);
    box.y += item.y;
    box.sliceY += item.y;
    return box;
  }
  const int shown = item.isFolded ? 1 : static_cast<int>(tracks.tracks[static_cast<std::size_t>(item.at)].rows.size());
  const int pad = (item.height - shown * sizes.row) / 2;
  const int y = item.y + pad + row * sizes.row;
  return RowBox{y, sizes.row, y, sizes.slice};
}

PaneLayout layoutPane(const DisplayTracks& tracks, PaneRole role, const FoldState& folds, const LayoutSizes& sizes) {
  PaneLayout layout;
  layout.role = role;
  layout.sizes = sizes;
  const auto add = [&](LayoutItem::Kind kind, int at, int height, bool isFolded) {
    layout.items.push_back({kind, at, layout.contentHeight, height, isFolded});
    layout.contentHeight += height;
  };
  const auto isFolded = [&](int track) { return folds.tracks[static_cast<std::size_t>(track)]; };
  if (role == PaneRole::kAlone) {
    for (int group = 0; group < static_cast<int>(tracks.groups.size()); ++group) {
      const bool groupFolded = folds.groups[static_cast<std::size_t>(group)];
      add(LayoutItem::Kind::kGroup, group, sizes.group, groupFolded);
      if (groupFolded) continue;
      for (int track = 0; track < static_cast<int>(tracks.tracks.size()); ++track) {
        if (tracks.tracks[static_cast<std::size_t>(track)].group != group) continue;
        add(LayoutItem::Kind::kTrack, track, heightOf(tracks, track, isFolded(track), sizes), isFolded(track));
      }
    }
    return layout;
  }
  layout.pinned = tracks.compared;
  if (layout.pinned >= 0) layout.pinnedHeight = heightOf(tracks, layout.pinned, false, sizes);
  if (role == PaneRole::kCompact && !folds.isOpen) return layout;
  std::vector<int> order(tracks.tracks.size());
  std::iota(order.begin(), order.end(), 0);
  order.erase(std::remove(order.begin(), order.end(), tracks.compared), order.end());
  std::stable_sort(order.begin(), order.end(), [&](int left, int right) {
    const DisplayTrack& a = tracks.tracks[static_cast<std::size_t>(left)];
    const DisplayTrack& b = tracks.tracks[static_cast<std::size_t>(right)];
    const int near = distanceFromSeam(tracks, a);
    const int far = distanceFromSeam(tracks, b);
    return near != far ? near < far : a.sliceCount > b.sliceCount;
  });
  if (role == PaneRole::kUpper) std::reverse(order.begin(), order.end());
  for (const int track : order) {
    add(LayoutItem::Kind::kTrack, track, heightOf(tracks, track, isFolded(track), sizes), isFolded(track));
  }
  return layout;
}

std::vector<int> shareHeights(const std::vector<int>& wanted, int total) {
  std::vector<int> heights(wanted.size(), 0);
  std::vector<std::size_t> order(wanted.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return wanted[a] < wanted[b]; });
  int left = std::max(0, total);
  for (std::size_t at = 0; at < order.size(); ++at) {
    const int share = left / static_cast<int>(order.size() - at);
    heights[order[at]] = std::min(wanted[order[at]], share);
    left -= heights[order[at]];
  }
  return heights;
}

}  // namespace attnscope::ui
