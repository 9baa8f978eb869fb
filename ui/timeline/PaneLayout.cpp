// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/PaneLayout.h"

#include <algorithm>
#include <numeric>
#include <string_view>

namespace attnscope::ui {

namespace {

// How near to the seam a track belongs: what explains the compared row first.
int distanceFromSeam(const DisplayTracks& tracks, const DisplayTrack& track) {
  switch (track.sort) {
    case DisplaySort::kCounter:
      return track.counter->unit == CounterUnit::kBytes ? 0 : 7;
    case DisplaySort::kAnnotations:
      return 1;
    case DisplaySort::kWork:
    case DisplaySort::kSlices:
      return tracks.groups[static_cast<std::size_t>(track.group)].isDevice ? 2 : 3;
    case DisplaySort::kBand:
      return 4;
    case DisplaySort::kModules:
      return 5;
    case DisplaySort::kPython:
      return 6;
  }
  return 7;
}

int heightOf(const DisplayTracks& tracks, int track, bool isFolded, const LayoutSizes& sizes) {
  const DisplayTrack& display = tracks.tracks[static_cast<std::size_t>(track)];
  if (display.sort == DisplaySort::kCounter) return isFolded ? sizes.trackLeast : sizes.counter;
  const int rows = static_cast<int>(display.rows.size());
  if (track == tracks.compared) return sizes.compared + (isFolded ? 0 : (rows - 1) * sizes.row);
  const int shown = isFolded ? 1 : rows;
  return std::max(sizes.trackLeast, shown * sizes.row + 2 * sizes.trackPad);
}

bool holdsInAnyCase(std::string_view text, std::string_view wanted) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return std::search(text.begin(), text.end(), wanted.begin(), wanted.end(),
                     [&](char a, char b) { return lower(a) == lower(b); }) != text.end();
}

// The tracks of a pane at a seam: what explains the compared row stands nearest to it, unless the user moved it.
std::vector<int> orderAtSeam(const DisplayTracks& tracks, const TrackArrangement& arrangement, PaneRole role) {
  std::vector<int> order = arrangement.order;
  if (std::is_sorted(order.begin(), order.end())) {
    std::stable_sort(order.begin(), order.end(), [&](int left, int right) {
      const DisplayTrack& a = tracks.tracks[static_cast<std::size_t>(left)];
      const DisplayTrack& b = tracks.tracks[static_cast<std::size_t>(right)];
      const int near = distanceFromSeam(tracks, a);
      const int far = distanceFromSeam(tracks, b);
      return near != far ? near < far : a.sliceCount > b.sliceCount;
    });
    if (role == PaneRole::kUpper) std::reverse(order.begin(), order.end());
  }
  return order;
}

}  // namespace

TrackArrangement TrackArrangement::of(const DisplayTracks& tracks) {
  TrackArrangement arrangement;
  arrangement.foldedGroups.assign(tracks.groups.size(), false);
  for (const DisplayTrack& track : tracks.tracks) arrangement.foldedTracks.push_back(track.foldedAtFirst);
  arrangement.hidden.assign(tracks.tracks.size(), false);
  arrangement.order.resize(tracks.tracks.size());
  std::iota(arrangement.order.begin(), arrangement.order.end(), 0);
  return arrangement;
}

bool TrackArrangement::isPinned(int track) const {
  return std::find(pinned.begin(), pinned.end(), track) != pinned.end();
}

bool TrackArrangement::shows(const DisplayTracks& tracks, int track) const {
  const DisplayTrack& display = tracks.tracks[static_cast<std::size_t>(track)];
  if (hidden[static_cast<std::size_t>(track)]) return false;
  return filter.empty() || holdsInAnyCase(display.name, filter) || holdsInAnyCase(display.detail, filter) ||
         holdsInAnyCase(tracks.groups[static_cast<std::size_t>(display.group)].name, filter);
}

void TrackArrangement::move(int track, int target) {
  const auto from = std::find(order.begin(), order.end(), track);
  const auto to = std::find(order.begin(), order.end(), target);
  if (from == order.end() || to == order.end()) return;
  if (from < to) {
    std::rotate(from, from + 1, to + 1);
  } else {
    std::rotate(to, from, from + 1);
  }
}

const LayoutItem* PaneLayout::itemOf(int track) const {
  for (const std::vector<LayoutItem>* zone : {&pinned, &items}) {
    for (const LayoutItem& item : *zone) {
      if (item.kind == LayoutItem::Kind::kTrack && item.at == track) return &item;
    }
  }
  return nullptr;
}

RowBox PaneLayout::comparedRow(int row) const {
  if (row > 0) {
    const int y = sizes.compared + (row - 1) * sizes.row;
    return {y, sizes.row, y, sizes.slice};
  }
  return {0, sizes.compared, (sizes.compared - sizes.comparedSlice) / 2, sizes.comparedSlice};
}

std::optional<RowBox> PaneLayout::rowIn(const DisplayTracks& tracks, const LayoutItem& item, int row) const {
  if (item.isFolded && row > 0) return std::nullopt;
  if (item.at == tracks.compared) {
    RowBox box = comparedRow(row);
    box.y += item.y;
    box.sliceY += item.y;
    return box;
  }
  const int shown = item.isFolded ? 1 : static_cast<int>(tracks.tracks[static_cast<std::size_t>(item.at)].rows.size());
  const int pad = (item.height - shown * sizes.row) / 2;
  const int y = item.y + pad + row * sizes.row;
  return RowBox{y, sizes.row, y, sizes.slice};
}

PaneLayout layoutPane(const DisplayTracks& tracks, PaneRole role, const TrackArrangement& arrangement,
                      const LayoutSizes& sizes) {
  PaneLayout layout;
  layout.role = role;
  layout.sizes = sizes;
  const auto addTrack = [&](int track) {
    const bool isFolded = arrangement.foldedTracks[static_cast<std::size_t>(track)];
    const int height = heightOf(tracks, track, isFolded, sizes);
    layout.items.push_back({LayoutItem::Kind::kTrack, track, layout.contentHeight, height, isFolded, false});
    layout.contentHeight += height;
  };
  if (role != PaneRole::kAlone) layout.seam = tracks.compared;
  if (layout.seam >= 0) layout.seamHeight = heightOf(tracks, layout.seam, false, sizes);
  if (role == PaneRole::kCompact && !arrangement.isOpen) return layout;
  for (const int track : arrangement.pinned) {
    if (track == layout.seam || !arrangement.shows(tracks, track)) continue;
    const bool isFolded = arrangement.foldedTracks[static_cast<std::size_t>(track)];
    const int height = heightOf(tracks, track, isFolded, sizes);
    layout.pinned.push_back({LayoutItem::Kind::kTrack, track, layout.pinnedHeight, height, isFolded, true});
    layout.pinnedHeight += height;
  }
  const auto scrolls = [&](int track) {
    return track != layout.seam && !arrangement.isPinned(track) && arrangement.shows(tracks, track);
  };
  if (role != PaneRole::kAlone) {
    for (const int track : orderAtSeam(tracks, arrangement, role)) {
      if (scrolls(track)) addTrack(track);
    }
    return layout;
  }
  for (int group = 0; group < static_cast<int>(tracks.groups.size()); ++group) {
    std::vector<int> members;
    for (const int track : arrangement.order) {
      if (tracks.tracks[static_cast<std::size_t>(track)].group == group && scrolls(track)) members.push_back(track);
    }
    if (members.empty()) continue;
    const bool isFolded = arrangement.foldedGroups[static_cast<std::size_t>(group)];
    layout.items.push_back({LayoutItem::Kind::kGroup, group, layout.contentHeight, sizes.group, isFolded, false});
    layout.contentHeight += sizes.group;
    if (isFolded) continue;
    for (const int track : members) addTrack(track);
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

int moveBorder(std::vector<int>& heights, std::size_t border, int by, int least) {
  int& above = heights[border];
  int& below = heights[border + 1];
  by = std::clamp(by, std::min(least, above) - above, below - std::min(least, below));
  above += by;
  below -= by;
  return by;
}

}  // namespace attnscope::ui
