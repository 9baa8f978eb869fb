// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/TimeScale.h"

#include <cmath>

#include <gtest/gtest.h>

namespace attnscope::ui {
namespace {

TEST(TimeScale, GoesToPixelsAndBack) {
  const TimeScale scale = TimeScale::of(-30'000, 1'280'000, 1280, 2);
  EXPECT_EQ(scale.columns, 2560);
  EXPECT_DOUBLE_EQ(scale.nsPerPixel(), 1000);
  EXPECT_NEAR(scale.timeAt(scale.xOf(98'600)), 98'600, 1e-6);
}

TEST(TimeScale, PanningMovesByWholePixels) {
  const double span = 1'000'000;
  const TimeScale first = TimeScale::of(0, span, 777, 1);
  for (double start = 0; start < 50'000; start += 313) {
    const TimeScale moved = TimeScale::of(start, span, 777, 1);
    const double pixels = moved.deviceXOf(first.startNs);
    EXPECT_NEAR(pixels, std::round(pixels), 1e-6);
  }
}

TEST(Ticks, StandBetween80And200PixelsApartByTheOneTwoFiveRule) {
  for (double nsPerPixel = 0.01; nsPerPixel < 1e9; nsPerPixel *= 1.37) {
    const Ticks ticks = chooseTicks(nsPerPixel);
    const double pixels = ticks.stepNs / nsPerPixel;
    EXPECT_GE(pixels, 80 * (1 - 1e-6));
    EXPECT_LE(pixels, 200 * (1 + 1e-6));
    const double digit = ticks.stepNs / std::pow(10, std::floor(std::log10(ticks.stepNs) + 1e-9));
    EXPECT_TRUE(std::abs(digit - 1) < 1e-6 || std::abs(digit - 2) < 1e-6 || std::abs(digit - 5) < 1e-6) << digit;
  }
}

TEST(Ticks, AreWrittenWithOneUnitAndAsFewDecimalsAsTheStepNeeds) {
  const QChar space(0x00A0);
  EXPECT_EQ(tickText(0, 200'000), QStringLiteral("0"));
  EXPECT_EQ(tickText(200'000, 200'000), QStringLiteral("200") + space + QStringLiteral("µs"));
  EXPECT_EQ(tickText(1'000'000, 200'000), QStringLiteral("1.0") + space + QStringLiteral("ms"));
  EXPECT_EQ(tickText(23'100'000, 100'000), QStringLiteral("23.1") + space + QStringLiteral("ms"));
  EXPECT_EQ(tickText(533'500, 500), QStringLiteral("533.5") + space + QStringLiteral("µs"));
  EXPECT_EQ(tickText(-30'000, 10'000), QStringLiteral("−30") + space + QStringLiteral("µs"));
  EXPECT_EQ(tickText(5, 1), QStringLiteral("5") + space + QStringLiteral("ns"));
}

}  // namespace
}  // namespace attnscope::ui
