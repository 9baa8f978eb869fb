// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Which tracks stand where in a pane, as numbers. The compared row is at the seam and does not scroll; a pane alone
// has its tracks in the order of drawing, under group headers. Logical px. Pure functions.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ui/timeline/DisplayTracks.h"

namespace attnscope::ui {

enum class PaneRole : std::uint8_t {
  kAlone,    // the only run
  kUpper,    // seam below
  kLower,    // seam above
  kCompact,  // one of three or more: its compared row
};

struct LayoutSizes {
  int row = 18;
  int slice = 17;
  int compared = 51;
  int comparedSlice = 35;
  int counter = 36;
  int group = 24;
  int trackPad = 3;  // above and below the rows of a track
  int trackLeast = 24;
};

// How the user arranged the tracks of a run: by index of DisplayTracks::groups and ::tracks.
struct TrackArrangement {
  std::vector<bool> foldedGroups;
  std::vector<bool> foldedTracks;
  std::vector<bool> hidden;  // by track
  std::vector<int> pinned;   // tracks that stand above the others and do not scroll, in the order of pinning
  std::vector<int> order;    // all tracks, from top to bottom; they stay below their group's header
  std::string filter;        // a track shows where its name, detail or group holds it, in any case; empty: all
  bool isOpen = false;       // a compact pane shows its other tracks
  [[nodiscard]] static TrackArrangement of(const DisplayTracks& tracks);
  [[nodiscard]] bool isPinned(int track) const;
  [[nodiscard]] bool shows(const DisplayTracks& tracks, int track) const;  // neither hidden nor filtered away
  // Puts `track` where `target` is, before it when it comes from below and else after it.
  void move(int track, int target);
  bool operator==(const TrackArrangement&) const = default;
};

struct LayoutItem {
  enum class Kind : std::uint8_t { kGroup, kTrack };
  Kind kind = Kind::kTrack;
  int at = 0;  // of groups or tracks
  int y = 0;   // in the scrolled content
  int height = 0;
  bool isFolded = false;
  bool isPinned = false;  // y is from the top of the pinned zone
};

struct RowBox {
  int y = 0;
  int height = 0;
  int sliceY = 0;
  int sliceHeight = 0;
};

struct PaneLayout {
  PaneRole role = PaneRole::kAlone;
  LayoutSizes sizes;
  std::vector<LayoutItem> items;   // scrolled, from top to bottom
  int contentHeight = 0;           // of the items
  std::vector<LayoutItem> pinned;  // by the user: above the scrolled ones
  int pinnedHeight = 0;            // of those
  int seam = -1;                   // track that stands at the seam; -1: none
  int seamHeight = 0;

  [[nodiscard]] const LayoutItem* itemOf(int track) const;  // nullptr: hidden or at the seam
  // Of a row that is in `items`, in content coordinates; nothing where it is folded away.
  [[nodiscard]] std::optional<RowBox> rowIn(const DisplayTracks& tracks, const LayoutItem& item, int row) const;
  [[nodiscard]] RowBox comparedRow(int row) const;  // of the compared track, from its top
  [[nodiscard]] int wantedHeight() const { return contentHeight + pinnedHeight + seamHeight; }
};
[[nodiscard]] PaneLayout layoutPane(const DisplayTracks& tracks, PaneRole role, const TrackArrangement& arrangement,
                                    const LayoutSizes& sizes);

// Heights that sum to `total` where the wishes exceed it: none gets more than it wants, the rest is shared alike.
[[nodiscard]] std::vector<int> shareHeights(const std::vector<int>& wanted, int total);
// Moves the border below `heights[border]` by as much of `by` px as leaves both neighbours `least`, or what they have
// where that is less; returns by how much.
int moveBorder(std::vector<int>& heights, std::size_t border, int by, int least);

}  // namespace attnscope::ui
