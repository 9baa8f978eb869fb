// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/SelectionWalk.h"

#include <gtest/gtest.h>

#include "tests/unit/timeline/HandMadeRun.h"

namespace attnscope::ui {
namespace {

class SelectionWalk : public testing::Test {
 protected:
  std::shared_ptr<const RunFacts> facts =
      makeFacts({{TrackKind::kThread,
                  "python",
                  {{"step", "user_annotation", 0, 1000, 0},
                   {"aten::mm", "cpu_op", 10, 100, 1},
                   {"aten::mm", "cpu_op", 200, 100, 1},
                   {"aten::add", "cpu_op", 400, 100, 1}}},
                 {TrackKind::kStream, "stream 7", {{"gemm", "kernel", 50, 100, 0}, {"gemm", "kernel", 300, 50, 0}}}},
                1);
  std::shared_ptr<const DisplayTracks> tracks = makeDisplayTracks(facts);
  NameIndex names =
      NameIndex::build(facts->trace->slices.name, facts->trace->slices.startNs, facts->trace->strings.size());
};

TEST_F(SelectionWalk, GoesToTheNextOfTheSameName) {
  EXPECT_EQ(nextOfName(*facts->trace, names, SliceId{1}, Direction::kForward, false), SliceId{2});
  EXPECT_EQ(nextOfName(*facts->trace, names, SliceId{2}, Direction::kBack, false), SliceId{1});
  EXPECT_EQ(nextOfName(*facts->trace, names, SliceId{2}, Direction::kForward, false), kNoSlice);
  EXPECT_EQ(nextOfName(*facts->trace, names, SliceId{1}, Direction::kForward, true), SliceId{2});
  EXPECT_EQ(nextOfName(*facts->trace, names, SliceId{1}, Direction::kBack, true), kNoSlice);
}

TEST_F(SelectionWalk, GoesAlongItsRow) {
  EXPECT_EQ(nextInRow(*tracks, SliceId{2}, Direction::kForward), SliceId{3});
  EXPECT_EQ(nextInRow(*tracks, SliceId{1}, Direction::kBack), kNoSlice);
}

TEST_F(SelectionWalk, GoesToTheRowBelowAtTheSameTime) {
  EXPECT_EQ(inNextRow(*tracks, {0, 1, 2}, SliceId{1}, Direction::kForward), SliceId{4});
  EXPECT_EQ(inNextRow(*tracks, {0, 1, 2}, SliceId{5}, Direction::kBack), SliceId{2});
  EXPECT_EQ(inNextRow(*tracks, {0, 1, 2}, SliceId{0}, Direction::kBack), kNoSlice);
}

TEST_F(SelectionWalk, GoesToTheFirstChild) {
  EXPECT_EQ(firstChild(*facts->trace, SliceId{0}), SliceId{1});
  EXPECT_EQ(firstChild(*facts->trace, SliceId{1}), kNoSlice);
}

}  // namespace
}  // namespace attnscope::ui
