// SPDX-License-Identifier: Apache-2.0
#include "core/session/Disturbances.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <random>

namespace attnscope {
namespace {

using testing::HasSubstr;

// 40 times around 100 with a spread of 1 %, each multiplied by what `factor` says of its round.
std::vector<double> times(unsigned seed, const std::function<double(int)>& factor) {
  std::mt19937 random(seed);
  std::normal_distribution<double> noise(0, 0.01);
  std::vector<double> made;
  for (int i = 0; i < 40; ++i) made.push_back(100 * factor(i) * (1 + noise(random)));
  return made;
}

bool has(const std::vector<Disturbance>& found, DisturbanceKind kind) {
  for (const Disturbance& each : found) {
    if (each.kind == kind) return true;
  }
  return false;
}

TEST(Disturbances, QuietNoiseIsSeldomCalledOne) {
  int called = 0;
  for (unsigned seed = 0; seed < 500; ++seed) {
    called += disturbancesOf(times(seed, [](int) { return 1.0; })).empty() ? 0 : 1;
  }
  EXPECT_LE(called, 10);
}

TEST(Disturbances, DriftIsARiseOverTheRounds) {
  const auto found = disturbancesOf(times(1, [](int i) { return 1 + 0.002 * i; }));
  ASSERT_TRUE(has(found, DisturbanceKind::kDrift));
  EXPECT_NEAR(found.front().amountRatio, 0.05, 0.02);
  EXPECT_THAT(found.front().words, HasSubstr("rose by"));
  EXPECT_THAT(disturbancesOf(times(2, [](int i) { return 1 - 0.002 * i; })).front().words, HasSubstr("fell by"));
}

TEST(Disturbances, ThrottlingIsAStepThatStays) {
  const auto found = disturbancesOf(times(3, [](int i) { return i < 25 ? 1.0 : 1.2; }));
  ASSERT_EQ(found.size(), 1u) << "and neither a drift nor two modes";
  EXPECT_EQ(found.front().kind, DisturbanceKind::kThrottling);
  EXPECT_EQ(found.front().position, 25u);
  EXPECT_NEAR(found.front().amountRatio, 0.2, 0.03);
}

TEST(Disturbances, OutliersAreSingleAndFarAbove) {
  const auto found = disturbancesOf(times(4, [](int i) { return i == 7 || i == 30 ? 3.0 : 1.0; }));
  ASSERT_TRUE(has(found, DisturbanceKind::kOutliers));
  EXPECT_EQ(found.back().count, 2u);
  EXPECT_THAT(found.back().words, HasSubstr("2 of 40 samples"));
}

TEST(Disturbances, TwoModesHaveLittleBetween) {
  const auto found = disturbancesOf(times(5, [](int i) { return i % 3 == 0 ? 1.3 : 1.0; }));
  ASSERT_TRUE(has(found, DisturbanceKind::kTwoModes));
  EXPECT_FALSE(has(found, DisturbanceKind::kDrift));
  EXPECT_EQ(found.front().count, 14u);
}

TEST(Disturbances, FewSamplesSayNothing) {
  EXPECT_TRUE(disturbancesOf(std::vector<double>(11, 100.0)).empty());
  EXPECT_TRUE(disturbancesOf({}).empty());
  EXPECT_TRUE(disturbancesOf(std::vector<double>(40, 100.0)).empty()) << "all equal";
}

TEST(Disturbances, NeighboursAreComparedBySide) {
  std::vector<double> blocks;
  std::vector<double> turns;
  for (int i = 0; i < 40; ++i) {
    blocks.push_back(i < 20 ? 1 : -1);
    turns.push_back(i % 2 == 0 ? 1 : -1);
  }
  EXPECT_GT(neighbourCorrelation(blocks), 0.9);
  EXPECT_LT(neighbourCorrelation(turns), -0.9);
  EXPECT_EQ(neighbourCorrelation(std::vector<double>(40, 2.0)), 0);
}

}  // namespace
}  // namespace attnscope
