// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/LabelSpread.h"

#include <random>

#include <gtest/gtest.h>

namespace attnscope::ui {
namespace {

TEST(LabelSpread, StandAtTheirLinesWhereThereIsRoom) {
  const auto places = spreadLabels({{50, 0}, {10, 0}, {90, 0}}, 10, 0, 100);
  EXPECT_EQ(places, (std::vector<std::optional<double>>{50, 10, 90}));
}

TEST(LabelSpread, ThoseThatWouldTouchShareTheRoomAroundThem) {
  const auto places = spreadLabels({{50, 0}, {52, 0}, {99, 0}}, 10, 0, 100);
  EXPECT_EQ(places, (std::vector<std::optional<double>>{46, 56, 95}));
}

TEST(LabelSpread, WithoutRoomTheLeastWantedGo) {
  const auto places = spreadLabels({{10, 1}, {12, 0}, {14, 0}}, 10, 0, 25);
  EXPECT_FALSE(places[0]);
  EXPECT_EQ(places[1], 8);
  EXPECT_EQ(places[2], 18);
  EXPECT_FALSE(spreadLabels({{10, 0}}, 10, 0, 5)[0]);
}

TEST(LabelSpread, AreNeverOverOneAnotherAndKeepTheirOrder) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> y(-20, 220);
  for (int round = 0; round < 2000; ++round) {
    std::vector<LabelWish> wishes(1 + random() % 12);
    for (LabelWish& wish : wishes) wish = {y(random), static_cast<int>(random() % 3)};
    const auto places = spreadLabels(wishes, 13, 0, 200);
    for (std::size_t a = 0; a < wishes.size(); ++a) {
      ASSERT_TRUE(places[a]) << "15 labels have room";
      EXPECT_GE(*places[a], 6.5 - 1e-9);
      EXPECT_LE(*places[a], 193.5 + 1e-9);
      for (std::size_t b = 0; b < wishes.size(); ++b) {
        if (wishes[a].y < wishes[b].y) {
          EXPECT_GE(*places[b] - *places[a], 13 - 1e-9);
        }
      }
    }
  }
}

}  // namespace
}  // namespace attnscope::ui
