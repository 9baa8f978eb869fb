// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/PaneLayout.h"

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
    const PaneLayout layout = layoutPane(*tracks, role, FoldState::of(*tracks), {});
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
  const PaneLayout pair = layoutPane(*tracks, PaneRole::kUpper, FoldState::of(*tracks), {});
  EXPECT_EQ(pair.pinned, tracks->compared);
  EXPECT_EQ(pair.pinnedHeight, 51);
  EXPECT_EQ(pair.itemOf(tracks->compared), nullptr);
  const PaneLayout alone = layoutPane(*tracks, PaneRole::kAlone, FoldState::of(*tracks), {});
  EXPECT_EQ(alone.pinned, -1);
  EXPECT_NE(alone.itemOf(tracks->compared), nullptr);
}

TEST(PaneLayout, ACompactPaneIsItsComparedRowUntilItIsOpened) {
  const auto tracks = sample();
  FoldState folds = FoldState::of(*tracks);
  EXPECT_TRUE(layoutPane(*tracks, PaneRole::kCompact, folds, {}).items.empty());
  folds.isOpen = true;
  EXPECT_FALSE(layoutPane(*tracks, PaneRole::kCompact, folds, {}).items.empty());
}

TEST(PaneLayout, AFoldedTrackShowsItsFirstRow) {
  const auto tracks = sample();
  FoldState folds = FoldState::of(*tracks);
  folds.tracks[0] = true;
  const PaneLayout layout = layoutPane(*tracks, PaneRole::kAlone, folds, {});
  const LayoutItem* item = layout.itemOf(0);
  ASSERT_NE(item, nullptr);
  EXPECT_TRUE(layout.rowIn(*tracks, *item, 0).has_value());
  EXPECT_FALSE(layout.rowIn(*tracks, *item, 1).has_value());
}

TEST(ShareHeights, GivesNobodyMoreThanItWantsAndTheRestAlike) {
  EXPECT_EQ(shareHeights({100, 200}, 1000), (std::vector<int>{100, 200}));
  EXPECT_EQ(shareHeights({100, 900, 900}, 700), (std::vector<int>{100, 300, 300}));
  const std::vector<int> odd = shareHeights({500, 500, 500}, 1000);
  EXPECT_EQ(std::accumulate(odd.begin(), odd.end(), 0), 1000);
}

}  // namespace
}  // namespace attnscope::ui
