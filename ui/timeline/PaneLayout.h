// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Which tracks stand where in a pane, as numbers. The compared row is at the seam and does not scroll; a pane alone
// has its tracks in the order of drawing, under group headers. Logical px. Pure functions.

#include <cstdint>
#include <optional>
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

// What the user folded: by index of DisplayTracks::groups and ::tracks.
struct FoldState {
  std::vector<bool> groups;
  std::vector<bool> tracks;
  bool isOpen = false;  // a compact pane shows its other tracks
  [[nodiscard]] static FoldState of(const DisplayTracks& tracks);
};

struct LayoutItem {
  enum class Kind : std::uint8_t { kGroup, kTrack };
  Kind kind = Kind::kTrack;
  int at = 0;  // of groups or tracks
  int y = 0;   // in the scrolled content
  int height = 0;
  bool isFolded = false;
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
  std::vector<LayoutItem> items;  // scrolled, from top to bottom
  int contentHeight = 0;          // of the items
  int pinned = -1;                // track that stands at the seam; -1: none
  int pinnedHeight = 0;

  [[nodiscard]] const LayoutItem* itemOf(int track) const;  // nullptr: hidden or pinned
  // Of a row that is in `items`, in content coordinates; nothing where it is folded away.
  [[nodiscard]] std::optional<RowBox> rowIn(const DisplayTracks& tracks, const LayoutItem& item, int row) const;
  [[nodiscard]] RowBox pinnedRow(int row) const;  // from the top of the pinned track
  [[nodiscard]] int wantedHeight() const { return contentHeight + pinnedHeight; }
};
[[nodiscard]] PaneLayout layoutPane(const DisplayTracks& tracks, PaneRole role, const FoldState& folds,
                                    const LayoutSizes& sizes);

// Heights that sum to `total` where the wishes exceed it: none gets more than it wants, the rest is shared alike.
[[nodiscard]] std::vector<int> shareHeights(const std::vector<int>& wanted, int total);

}  // namespace attnscope::ui
