// SPDX-License-Identifier: Apache-2.0
#include "core/base/TimeRange.h"

#include <gtest/gtest.h>

#include <limits>

namespace attnscope {
namespace {

TEST(TimeRange, HoldsItsStartAndNotItsEnd) {
  const TimeRange range{10, 20};
  EXPECT_EQ(range.durationNs(), 10);
  EXPECT_FALSE(range.contains(9));
  EXPECT_TRUE(range.contains(10));
  EXPECT_TRUE(range.contains(19));
  EXPECT_FALSE(range.contains(20));
}

TEST(TimeRange, NeighboursDoNotOverlap) {
  const TimeRange range{10, 20};
  EXPECT_FALSE(range.overlaps(0, 10));
  EXPECT_TRUE(range.overlaps(0, 11));
  EXPECT_TRUE(range.overlaps(12, 13));
  EXPECT_TRUE(range.overlaps(19, 100));
  EXPECT_FALSE(range.overlaps(20, 100));
}

TEST(TimeRange, AllHoldsEveryTime) {
  constexpr TimeRange kAll = TimeRange::all();
  EXPECT_TRUE(kAll.contains(0));
  EXPECT_TRUE(kAll.contains(-9'000'000'000'000'000'000));
  EXPECT_TRUE(kAll.contains(9'000'000'000'000'000'000));
  EXPECT_EQ(kAll, TimeRange::all());
}

TEST(TimeRange, ALengthThatDoesNotFitIsTheLargest) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
  EXPECT_EQ(TimeRange::all().durationNs(), kMost);
  EXPECT_EQ((TimeRange{-2, kMost}).durationNs(), kMost);
  EXPECT_EQ((TimeRange{kMost, -2}).durationNs(), kLeast);
  EXPECT_EQ((TimeRange{-1, kMost - 1}).durationNs(), kMost);
}

}  // namespace
}  // namespace attnscope
