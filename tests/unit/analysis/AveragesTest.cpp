// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/Averages.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>

namespace attnscope {
namespace {

TEST(AveragesTest, HalvesGoUp) {
  EXPECT_EQ(halfUp(3, 2), 2);
  EXPECT_EQ(halfUp(4, 3), 1);
  EXPECT_EQ(halfUp(5, 3), 2);
  EXPECT_EQ(halfUp(0, 7), 0);
  EXPECT_EQ(halfUp(-1, 2), 0);
  EXPECT_EQ(halfUp(-3, 2), -1);
  EXPECT_EQ(halfUp(-5, 3), -2);
}

TEST(AveragesTest, TheMedianOfAnEvenNumberIsTheMeanOfTheMiddleTwo) {
  EXPECT_EQ(medianOfSorted(std::array<std::int64_t, 1>{7}), 7);
  EXPECT_EQ(medianOfSorted(std::array<std::int64_t, 3>{1, 2, 100}), 2);
  EXPECT_EQ(medianOfSorted(std::array<std::int64_t, 4>{1, 2, 5, 100}), 4);
}

TEST(AveragesTest, SumsBeyond64Bits) {
  constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(medianOfSorted(std::array<std::int64_t, 2>{kLargest, kLargest}), kLargest);
}

}  // namespace
}  // namespace attnscope
