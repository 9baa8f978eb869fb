// SPDX-License-Identifier: GPL-3.0-or-later
// Where dots lie.

#include <cmath>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "tests/unit/lab/LabTest.h"
#include "ui/lab/DotPlot.h"
#include "ui/lab/DotPlotGeometry.h"

namespace attnscope::ui {
namespace {

TEST(DotAxis, TicksByOneTwoFiveAndHoldsTheLargest) {
  const DotAxis axis = dotAxisFor(1'180e3, 660, 80);
  EXPECT_EQ(axis.unit, format::TimeUnit::kUs);
  EXPECT_DOUBLE_EQ(axis.stepNs, 200e3);
  EXPECT_DOUBLE_EQ(axis.endNs, 1'200e3);
  EXPECT_EQ(axis.decimals, 0);
  for (double largest = 3; largest < 1e11; largest *= 2.7) {
    const DotAxis any = dotAxisFor(largest, 500, 80);
    EXPECT_GE(any.endNs, largest * (1 - 1e-6));
    EXPECT_LE(any.endNs / any.stepNs, 7.0);
    const double lead = any.stepNs / std::pow(10, std::floor(std::log10(any.stepNs) + 1e-9));
    EXPECT_TRUE(std::abs(lead - 1) < 1e-6 || std::abs(lead - 2) < 1e-6 || std::abs(lead - 5) < 1e-6) << lead;
  }
}

TEST(DotAxis, SmallStepsHaveDecimals) {
  const DotAxis axis = dotAxisFor(12e6, 900, 80);  // 12 ms in steps of 2
  EXPECT_EQ(axis.unit, format::TimeUnit::kMs);
  EXPECT_EQ(axis.decimals, 0);
  EXPECT_EQ(dotAxisFor(1'100, 900, 80).decimals, 1);  // 1.1 µs in steps of 0.1 or 0.2
}

TEST(DotAxis, OfNothingIsHarmless) {
  const DotAxis axis = dotAxisFor(0, 500, 80);
  EXPECT_GT(axis.endNs, 0);
  EXPECT_EQ(dotX(axis, 0, 52, 500), 52);
}

TEST(DotX, IsLinearFromTheLeft) {
  DotAxis axis;
  axis.endNs = 1000;
  EXPECT_DOUBLE_EQ(dotX(axis, 0, 52, 600), 52);
  EXPECT_DOUBLE_EQ(dotX(axis, 500, 52, 600), 352);
  EXPECT_DOUBLE_EQ(dotX(axis, 1000, 52, 600), 652);
}

TEST(DotOffset, SpreadsEvenlyAndIsTheSameEachTime) {
  std::set<int> tenths;
  for (int round = 0; round < 40; ++round) {
    const double offset = dotOffset(round);
    EXPECT_GE(offset, -1);
    EXPECT_LE(offset, 1);
    EXPECT_EQ(offset, dotOffset(round));
    tenths.insert(static_cast<int>(std::floor((offset + 1) * 5)));
  }
  EXPECT_EQ(tenths.size(), 10u);
}

TEST(DotLimit, OneCallHeldUpDoesNotPressTheOthers) {
  std::vector<double> values(40, 100.0);
  values[7] = 4'000;
  const std::vector<std::vector<double>> rows{values, {}};
  EXPECT_DOUBLE_EQ(dotLimit(rows), 150);
  EXPECT_DOUBLE_EQ(dotLimit(std::vector<std::vector<double>>{{100, 120}}), 120);
  EXPECT_DOUBLE_EQ(dotLimit({}), 0);
}

TEST(DotPlot, TakesADotAsItComes) {
  DotPlot plot(labTheme());
  plot.setRows({{QStringLiteral("A"), QStringLiteral("waiting"), {}, {}}});
  plot.append(0, 0, 1e6);
  plot.append(0, 1, 1.2e6);
  plot.append(3, 1, 1.2e6);  // no such row
  EXPECT_EQ(plot.rows()[0].ns.size(), 2u);
  plot.setRows(plot.rows());
  EXPECT_TRUE(plot.accessibleDescription().contains(QStringLiteral("2 samples")));
  EXPECT_EQ(plot.dataText(), QStringLiteral("letter\tround\tns per call\nA\t0\t1000000.0\nA\t1\t1200000.0\n"));
  plot.resize(600, 200);
  EXPECT_FALSE(plot.grab().isNull());
}

}  // namespace
}  // namespace attnscope::ui
