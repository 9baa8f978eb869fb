// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/PaneLayout.h"

#include <algorithm>
#include <numeric>

#include <gtest/gtest.h>

#include "tests/unit/timeline/HandMadeRun.h"

namespace attnscope::ui {
namespace {

std::shared_ptr<const DisplayTracks> sample() {
  return makeDisplayTracks(
      makeFacts({{TrackKind::kThread, "python", {{"aten::mm", "cpu_op", 0, 100, 0}, {"aten::mm", "cpu_op", 10, 50, 1}}},
                 {TrackKind::kStream, "stream 7", {{"gemm", "kernel", 50, 100, 0}}}},
                1));
}

TEST(PaneLayout, TracksFollowOneAnotherWithoutGaps) {
  const auto tracks = sample();
  for (const PaneRole role : {PaneRole::kAlone, PaneRole::kUpper, PaneRole::kLower}) {
    const PaneLayout layout = layoutPane(*tracks, role, TrackArrangement::of(*tracks), {});
    int y = 0;
    for (const LayoutItem& item : layout.items) {
      EXPECT_EQ(item.y, y);
      y += item.height;
    }
    EXPECT_EQ(layout.contentHeight, y);
  }
}

TEST(PaneLayout, TheComparedRowStandsAtTheSeam) {
  const auto tracks = sample();
  const PaneLayout pair = layoutPane(*tracks, PaneRole::kUpper, TrackArrangement::of(*tracks), {});
  EXPECT_EQ(pair.seam, tracks->compared);
  EXPECT_EQ(pair.seamHeight, 51);
  EXPECT_EQ(pair.itemOf(tracks->compared), nullptr);
  const PaneLayout alone = layoutPane(*tracks, PaneRole::kAlone, TrackArrangement::of(*tracks), {});
  EXPECT_EQ(alone.seam, -1);
  EXPECT_NE(alone.itemOf(tracks->compared), nullptr);
}

TEST(PaneLayout, ACompactPaneIsItsComparedRowUntilItIsOpened) {
  const auto tracks = sample();
  TrackArrangement folds = TrackArrangement::of(*tracks);
  EXPECT_TRUE(layoutPane(*tracks, PaneRole::kCompact, folds, {}).items.empty());
  folds.isOpen = true;
  EXPECT_FALSE(layoutPane(*tracks, PaneRole::kCompact, folds, {}).items.empty());
}

TEST(PaneLayout, AFoldedTrackShowsItsFirstRow) {
  const auto tracks = sample();
  TrackArrangement folds = TrackArrangement::of(*tracks);
  folds.foldedTracks[0] = true;
  const PaneLayout layout = layoutPane(*tracks, PaneRole::kAlone, folds, {});
  const LayoutItem* item = layout.itemOf(0);
  ASSERT_NE(item, nullptr);
  EXPECT_TRUE(layout.rowIn(*tracks, *item, 0).has_value());
  EXPECT_FALSE(layout.rowIn(*tracks, *item, 1).has_value());
}

std::vector<int> tracksOf(const std::vector<LayoutItem>& items) {
  std::vector<int> tracks;
  for (const LayoutItem& item : items) {
    if (item.kind == LayoutItem::Kind::kTrack) tracks.push_back(item.at);
  }
  return tracks;
}

TEST(PaneLayout, APinnedTrackStandsAboveAndDoesNotScroll) {
  const auto tracks = sample();
  TrackArrangement arrangement = TrackArrangement::of(*tracks);
  arrangement.pinned = {1};
  for (const PaneRole role : {PaneRole::kAlone, PaneRole::kUpper, PaneRole::kLower}) {
    const PaneLayout layout = layoutPane(*tracks, role, arrangement, {});
    const bool isAtSeam = layout.seam == 1;
    EXPECT_EQ(tracksOf(layout.pinned), isAtSeam ? std::vector<int>{} : std::vector<int>{1});
    const std::vector<int> scrolled = tracksOf(layout.items);
    EXPECT_EQ(std::count(scrolled.begin(), scrolled.end(), 1), 0);
    ASSERT_EQ(layout.itemOf(1) != nullptr, !isAtSeam);
    if (!isAtSeam) {
      EXPECT_TRUE(layout.itemOf(1)->isPinned);
    }
  }
}

TEST(PaneLayout, HiddenAndFilteredTracksTakeNoRoom) {
  const auto tracks = sample();
  TrackArrangement arrangement = TrackArrangement::of(*tracks);
  const PaneLayout all = layoutPane(*tracks, PaneRole::kAlone, arrangement, {});
  arrangement.hidden[0] = true;
  const PaneLayout less = layoutPane(*tracks, PaneRole::kAlone, arrangement, {});
  EXPECT_EQ(less.itemOf(0), nullptr);
  EXPECT_LT(less.contentHeight, all.contentHeight);
  arrangement.hidden[0] = false;
  arrangement.filter = "STREAM";
  EXPECT_EQ(tracksOf(layoutPane(*tracks, PaneRole::kAlone, arrangement, {}).items), (std::vector<int>{1}));
  arrangement.filter = "none of them";
  EXPECT_TRUE(layoutPane(*tracks, PaneRole::kAlone, arrangement, {}).items.empty());
}

TEST(TrackArrangement, MovesATrackToWhereAnotherIs) {
  TrackArrangement arrangement;
  arrangement.order = {0, 1, 2, 3};
  arrangement.move(3, 1);
  EXPECT_EQ(arrangement.order, (std::vector<int>{0, 3, 1, 2}));
  arrangement.move(0, 1);
  EXPECT_EQ(arrangement.order, (std::vector<int>{3, 1, 0, 2}));
  arrangement.move(9, 1);
  EXPECT_EQ(arrangement.order, (std::vector<int>{3, 1, 0, 2}));
}

TEST(ShareHeights, GivesNobodyMoreThanItWantsAndTheRestAlike) {
  EXPECT_EQ(shareHeights({100, 200}, 1000), (std::vector<int>{100, 200}));
  EXPECT_EQ(shareHeights({100, 900, 900}, 700), (std::vector<int>{100, 300, 300}));
  const std::vector<int> odd = shareHeights({500, 500, 500}, 1000);
  EXPECT_EQ(std::accumulate(odd.begin(), odd.end(), 0), 1000);
}

TEST(PaneLayout, ABorderMovesAsFarAsBothNeighboursKeepTheirLeast) {
  std::vector<int> heights{100, 80, 30};
  EXPECT_EQ(moveBorder(heights, 0, 25, 50), 25);
  EXPECT_EQ(heights, (std::vector<int>{125, 55, 30}));
  EXPECT_EQ(moveBorder(heights, 0, 25, 50), 5);
  EXPECT_EQ(heights, (std::vector<int>{130, 50, 30}));
  EXPECT_EQ(moveBorder(heights, 1, 10, 50), 0) << "one that is lower than that loses nothing";
  EXPECT_EQ(moveBorder(heights, 1, -500, 20), -30);
  EXPECT_EQ(heights, (std::vector<int>{130, 20, 60}));
}

}  // namespace
}  // namespace attnscope::ui
