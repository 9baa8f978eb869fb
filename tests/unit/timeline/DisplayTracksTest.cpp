// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/DisplayTracks.h"

#include <gtest/gtest.h>

#include "tests/unit/timeline/HandMadeRun.h"
#include "ui/timeline/RunModel.h"

namespace attnscope::ui {
namespace {

// A thread with Python frames between its operators, as the recorder nests them, and a stream with annotations.
std::shared_ptr<const RunFacts> mixed() {
  return makeFacts({{TrackKind::kThread,
                     "python 1, main thread",
                     {{"<module>", "python_function", 0, 1000, 0},
                      {"nn.Module: Linear_0", "python_function", 10, 500, 1},
                      {"forward", "python_function", 20, 400, 2},
                      {"aten::linear", "cpu_op", 30, 300, 3},
                      {"aten::addmm", "cpu_op", 40, 200, 4}}},
                    {TrackKind::kStream,
                     "stream 7",
                     {{"step", "gpu_user_annotation", 0, 900, 0},
                      {"gemm_a", "kernel", 100, 100, 1},
                      {"gemm_b", "kernel", 300, 100, 1}}}},
                   1);
}

TEST(DisplayTracks, SplitsAThreadIntoModulesOperatorsAndFrames) {
  const auto tracks = makeDisplayTracks(mixed());
  ASSERT_EQ(tracks->tracks.size(), 6u);
  EXPECT_EQ(tracks->tracks[0].sort, DisplaySort::kModules);
  EXPECT_EQ(tracks->tracks[1].sort, DisplaySort::kSlices);
  EXPECT_EQ(tracks->tracks[1].rows.size(), 2u) << "operators are nested on their own";
  EXPECT_EQ(tracks->tracks[2].sort, DisplaySort::kPython);
  EXPECT_TRUE(tracks->tracks[2].foldedAtFirst);
  EXPECT_EQ(tracks->tracks[3].sort, DisplaySort::kAnnotations);
  EXPECT_EQ(tracks->tracks[4].sort, DisplaySort::kWork);
  EXPECT_EQ(tracks->compared, 4);
  EXPECT_EQ(tracks->tracks[5].sort, DisplaySort::kCounter);
  EXPECT_EQ(tracks->tracks[5].name, "busy");
  EXPECT_EQ(tracks->tracks[0].name, "python 1");
  EXPECT_EQ(tracks->tracks[0].detail, "main thread");
}

TEST(DisplayTracks, StepsAndAnnotationsAreABandAboveTheOperators) {
  const auto facts = makeFacts({{TrackKind::kThread,
                                 "python",
                                 {{"ProfilerStep#1", "user_annotation", 0, 1000, 0},
                                  {"aten::mm", "cpu_op", 10, 100, 1},
                                  {"aten::mm", "cpu_op", 200, 100, 1}}}},
                               -1);
  const auto tracks = makeDisplayTracks(facts);
  ASSERT_EQ(tracks->tracks.size(), 2u);
  EXPECT_EQ(tracks->tracks[0].sort, DisplaySort::kBand);
  EXPECT_EQ(tracks->find(SliceId{0})->track, 0);
  EXPECT_EQ(tracks->find(SliceId{1})->row, 0) << "operators begin at their first row";
}

TEST(DisplayTracks, KnowsWhereAStreamIsIdle) {
  const auto tracks = makeDisplayTracks(mixed());
  ASSERT_EQ(tracks->gaps.size(), 1u);
  const IdleGap* gap = tracks->gapAt(TrackId{1}, 250);
  ASSERT_NE(gap, nullptr);
  EXPECT_EQ(gap->range, (TimeRange{200, 300}));
  EXPECT_EQ(tracks->gapAt(TrackId{1}, 350), nullptr);
  EXPECT_EQ(tracks->gapAt(TrackId{1}, 300), nullptr);
  EXPECT_EQ(tracks->gapAt(TrackId{0}, 250), nullptr);
}

TEST(DisplayTracks, EverySliceIsDrawnOnceAndFound) {
  const auto facts = mixed();
  const auto tracks = makeDisplayTracks(facts);
  for (std::uint32_t at = 0; at < facts->trace->slices.size(); ++at) {
    const auto places = tracks->findAll(SliceId{at});
    ASSERT_EQ(places.size(), 1u) << at;
    const DisplayRow& row =
        tracks->tracks[static_cast<std::size_t>(places[0].track)].rows[static_cast<std::size_t>(places[0].row)];
    EXPECT_EQ(row.slice(places[0].position), SliceId{at});
  }
}

TEST(DisplayTracks, OverlapsGoToTheNextRow) {
  const auto facts =
      makeFacts({{TrackKind::kStream,
                  "stream 7",
                  {{"a", "kernel", 0, 100, 0}, {"c", "kernel", 120, 10, 0}, {"b", "kernel", 50, 100, 1}}}},
                0);
  const auto rows = nestIntoRows(*facts->trace, {SliceId{0}, SliceId{1}, SliceId{2}});
  ASSERT_EQ(rows.size(), 3u);  // c starts while b, in the second row, is open
  EXPECT_EQ(rows[1], std::vector<SliceId>{SliceId{2}});
}

TEST(RunModel, SumsTheComparedRowInScope) {
  const RunModel model(makeDisplayTracks(mixed()));
  EXPECT_EQ(model.comparedWorkNs(TimeRange::all()), 200);
  EXPECT_EQ(model.comparedWorkNs({0, 200}), 100);
}

TEST(RunModel, FindsWhatIsUnderTheTime) {
  const auto facts = mixed();
  const auto tracks = makeDisplayTracks(facts);
  const RowColumns row = tracks->tracks[4].rows[0].columns(*facts);
  EXPECT_EQ(positionAt(row, 150, 5), 0u);
  EXPECT_EQ(positionAt(row, 250, 5), 2u) << "nothing is near";
  EXPECT_EQ(positionAt(row, 297, 5), 1u);
  EXPECT_EQ(positionAt(row, 203, 5), 0u);
}

}  // namespace
}  // namespace attnscope::ui
