// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/Memory.h"

#include <gtest/gtest.h>

#include "core/analysis/MemoryOperators.h"
#include "tests/unit/analysis/TraceMaker.h"

namespace attnscope {
namespace {

TEST(Memory, PeakIsTheHighestTotalAndItsFirstTime) {
  TraceMaker maker;
  const TrackId main = maker.thread(10, 10);
  maker.record({main, 10, 100, 1, 1100}).record({main, 20, 50, 2, 1150}).record({main, 30, -50, 2, 1100});
  maker.record({main, 40, 50, 3, 1150}).record({main, 50, -100, 1, 1050});
  const auto series = memorySeries(maker.build());
  ASSERT_EQ(series.size(), 1u);
  EXPECT_EQ(series[0].device, "cpu");
  EXPECT_EQ(series[0].startBytes, 1000);
  EXPECT_EQ(series[0].peakBytes, 1150);
  EXPECT_EQ(series[0].peakAtNs, 20);
  EXPECT_EQ(series[0].endBytes, 1050);
  EXPECT_EQ(series[0].allocations, 3u);
  EXPECT_EQ(series[0].frees, 2u);
  EXPECT_EQ(series[0].reservedPeakBytes, kNoNumber);
  EXPECT_EQ(series[0].allocatedBytes.size(), 5u);
}

TEST(Memory, HoldersAreTheInnermostOperatorsOfTheOwnThread) {
  TraceMaker maker;
  const TrackId main = maker.thread(10, 10);
  const TrackId other = maker.thread(10, 11);
  maker.add({main, "cpu_op", "outer", 0, 100}).add({main, "cpu_op", "inner", 10, 20});
  maker.add({main, "user_annotation", "note", 12, 10}).add({other, "cpu_op", "elsewhere", 0, 1000});
  maker.record({main, 15, 64, 1, 64}).record({main, 50, 32, 2, 96}).record({main, 60, 16, 3, 112});
  maker.record({main, 70, -16, 3, 96}).record({main, 200, 200, 4, 296}).record({other, 210, 8, 5, 304});
  const Trace trace = maker.build();
  const auto series = memorySeries(trace);
  ASSERT_EQ(series[0].holdersAtPeak.size(), 4u);
  EXPECT_EQ(series[0].holdersAtPeak[0].operatorName, kNoString);
  EXPECT_EQ(series[0].holdersAtPeak[0].bytes, 200);
  EXPECT_EQ(trace.strings.view(series[0].holdersAtPeak[1].operatorName), "inner");
  EXPECT_EQ(trace.strings.view(series[0].holdersAtPeak[2].operatorName), "outer");
  EXPECT_EQ(series[0].holdersAtPeak[2].bytes, 32);  // the freed 16 are not held
  EXPECT_EQ(trace.strings.view(series[0].holdersAtPeak[3].operatorName), "elsewhere");
}

TEST(Memory, DevicesAreApartAndNamed) {
  TraceMaker maker;
  const TrackId main = maker.thread(10, 10);
  maker.record({main, 10, 8, 1, 8, 0, -1}).record({main, 11, 8, 1, 8, 1, 0}).record({main, 12, 8, 1, 8, 1, 3});
  maker.record({main, 13, 8, 1, 8, 6, 0}).record({main, 14, 8, 1, 8, 77, 0});
  const auto series = memorySeries(maker.build());
  ASSERT_EQ(series.size(), 5u);
  EXPECT_EQ(series[0].device, "cpu");
  EXPECT_EQ(series[1].device, "cuda:0");
  EXPECT_EQ(series[2].device, "cuda:3");
  EXPECT_EQ(series[3].device, "hip:0");
  EXPECT_EQ(series[4].device, "device-type-77:0");
}

TEST(Memory, WithoutTotalsLevelsAreRises) {
  TraceMaker maker;
  const TrackId main = maker.thread(10, 10);
  maker.record({main, 10, 100, 1}).record({main, 20, -150, 9}).record({main, 30, 20, 2});
  const auto series = memorySeries(maker.build());
  EXPECT_FALSE(series[0].hasTotals);
  EXPECT_EQ(series[0].peakBytes, 100);
  EXPECT_EQ(series[0].startBytes, 0);
  EXPECT_EQ(series[0].endBytes, -30);
}

TEST(Memory, AScopeLimitsRecordsNotLevels) {
  TraceMaker maker;
  const TrackId main = maker.thread(10, 10);
  maker.record({main, 10, 100, 1, 100}).record({main, 20, 30, 2, 130}).record({main, 30, -100, 1, 30});
  const auto series = memorySeries(maker.build(), {20, 40});
  ASSERT_EQ(series.size(), 1u);
  EXPECT_EQ(series[0].startBytes, 100);
  EXPECT_EQ(series[0].peakBytes, 130);
  EXPECT_EQ(series[0].endBytes, 30);
  EXPECT_EQ(series[0].allocations, 1u);
  EXPECT_EQ(series[0].holdersAtPeak.front().bytes, 130);  // the block from before the scope is held too
}

TEST(Memory, NoRecordsGiveNoSeries) { EXPECT_TRUE(memorySeries(TraceMaker().build()).empty()); }

TEST(Memory, EachRecordHasTheOperatorThatWasOpenOnItsThread) {
  TraceMaker maker;
  const TrackId host = maker.thread(1, 1);
  const TrackId other = maker.thread(1, 2);
  maker.add({host, "cpu_op", "aten::matmul", 0, 100});
  maker.add({host, "cpu_op", "aten::bmm", 10, 50});
  maker.record({host, 20, 64}).record({other, 30, 64}).record({host, 80, -64}).record({host, 500, 64});
  const Trace trace = maker.build();
  const std::vector<SliceId> owners = memoryOperators(trace);
  ASSERT_EQ(owners.size(), 4u);
  EXPECT_EQ(trace.name(owners[0]), "aten::bmm");
  EXPECT_EQ(owners[1], kNoSlice);
  EXPECT_EQ(trace.name(owners[2]), "aten::matmul");
  EXPECT_EQ(owners[3], kNoSlice);
  EXPECT_EQ(memoryDeviceName(1, 0), "cuda:0");
  EXPECT_EQ(memoryDeviceName(0, -1), "cpu");
}

}  // namespace
}  // namespace attnscope
