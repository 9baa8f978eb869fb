// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/StepSeries.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>

namespace attnscope::ui {
namespace {

struct Records {
  std::vector<std::int64_t> atNs;
  std::vector<double> values;
};

Records randomRecords(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  Records records;
  std::int64_t at = 1'000;
  double level = 0;
  for (std::size_t i = 0; i < count; ++i) {
    at += static_cast<std::int64_t>(random() % 500);
    level = std::max(0.0, level + static_cast<double>(random() % 2'000) - 990);
    records.atNs.push_back(at);
    records.values.push_back(level);
  }
  return records;
}

// Lowest and highest level in force in [from, to), by looking at every record.
std::pair<double, double> bounds(const Records& records, double from, double to) {
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (std::size_t i = 0; i < records.atNs.size(); ++i) {
    const double start = static_cast<double>(records.atNs[i]);
    const double end = i + 1 < records.atNs.size() ? static_cast<double>(records.atNs[i + 1])
                                                   : std::numeric_limits<double>::infinity();
    if (end <= from || start >= to) continue;
    low = std::min(low, records.values[i]);
    high = std::max(high, records.values[i]);
  }
  return {low, high};
}

TEST(StepSeries, FewRecordsAreDrawnAsTheyAre) {
  const StepSeries series({10, 20, 30}, {1, 5, 2}, 40);
  const std::vector<ChartPoint> points = series.corners(0, 1, 100);
  ASSERT_EQ(points.size(), 6u);
  EXPECT_EQ(points[0].ns, 10);
  EXPECT_EQ(points[1].value, 1);
  EXPECT_EQ(points[1].ns, 20);
  EXPECT_EQ(points[2].value, 5);
  EXPECT_EQ(points.back().ns, 40);
  EXPECT_EQ(points.back().value, 2);
}

TEST(StepSeries, TheLevelAtTheLeftEdgeIsThatOfARecordBefore) {
  const StepSeries series({10, 20, 30}, {1, 5, 2}, 40);
  const std::vector<ChartPoint> points = series.corners(22, 0.1, 50);
  ASSERT_EQ(points.size(), 2u);
  EXPECT_EQ(points[0].value, 5);
  EXPECT_DOUBLE_EQ(points[1].ns, 27);
}

TEST(StepSeries, ValuesHoldUntilTheNextRecord) {
  const StepSeries series({10, 20, 30}, {1, 5, 2}, 40);
  EXPECT_TRUE(std::isnan(series.valueAt(9.9)));
  EXPECT_EQ(series.valueAt(10), 1);
  EXPECT_EQ(series.valueAt(29.9), 5);
  EXPECT_EQ(series.valueAt(40), 2);
  EXPECT_TRUE(std::isnan(series.valueAt(41)));
}

TEST(StepSeries, DecimationLosesNoPeakAndInventsNone) {
  const Records records = randomRecords(60'000, 3);
  const StepSeries series(records.atNs, records.values, records.atNs.back());
  constexpr int kWidth = 400;
  for (const double start : {0.0, 1'234'567.0}) {
    const double nsPerPixel = (static_cast<double>(records.atNs.back()) - start) / kWidth;
    const std::vector<ChartPoint> points = series.corners(start, nsPerPixel, kWidth);
    ASSERT_FALSE(points.empty());
    EXPECT_LE(points.size(), 4u * kWidth + 2);
    for (std::size_t i = 1; i < points.size(); ++i) EXPECT_GE(points[i].ns, points[i - 1].ns);
    std::size_t next = 0;
    for (int column = 0; column < kWidth; ++column) {
      const double left = start + column * nsPerPixel;
      const auto [low, high] = bounds(records, left, left + nsPerPixel);
      double drawnLow = std::numeric_limits<double>::infinity();
      double drawnHigh = -drawnLow;
      for (; next < points.size() && points[next].ns < left + nsPerPixel * 0.5; ++next) {
        drawnLow = std::min(drawnLow, points[next].value);
        drawnHigh = std::max(drawnHigh, points[next].value);
      }
      if (std::isinf(drawnLow)) continue;
      EXPECT_LE(drawnLow, low + 0.5) << column;
      EXPECT_GE(drawnHigh, high - 0.5) << column;
    }
  }
}

TEST(StepSeries, GapsBreakTheLine) {
  std::vector<std::int64_t> at;
  std::vector<double> values;
  for (int i = 0; i < 4'000; ++i) {
    at.push_back(i * 10);
    values.push_back(i >= 1'000 && i < 3'000 ? std::nan("") : i % 7);
  }
  const StepSeries series(at, values, 40'000);
  const std::vector<ChartPoint> points = series.corners(0, 400, 100);
  EXPECT_TRUE(std::any_of(points.begin(), points.end(), [](const ChartPoint& p) { return std::isnan(p.value); }));
  for (const ChartPoint& point : points) {
    if (std::isnan(point.value)) continue;
    EXPECT_TRUE(point.ns <= 10'400 || point.ns >= 29'600) << point.ns;
  }
}

TEST(StepSeries, AnEmptySeriesHasNoCorners) { EXPECT_TRUE(StepSeries().corners(0, 1, 100).empty()); }

TEST(StepSeries, ADifferenceHoldsWhereBothAreKnown) {
  const StepSeries base({0, 10, 20}, {1, 2, 4}, 40);
  const StepSeries other({105, 120, 120}, {7, 8, 9}, 150);
  const StepSeries difference = differenceOf(other, base, 100);
  EXPECT_TRUE(std::isnan(difference.valueAt(3))) << "the other has not begun";
  EXPECT_EQ(difference.valueAt(5), 7 - 1);
  EXPECT_EQ(difference.valueAt(12), 7 - 2);
  EXPECT_EQ(difference.valueAt(25), 9 - 4) << "of two records at one time the last holds";
  EXPECT_EQ(difference.valueAt(40), 9 - 4);
  EXPECT_TRUE(std::isnan(difference.valueAt(41))) << "the base has ended";
  EXPECT_TRUE(differenceOf(StepSeries({500}, {1}, 600), base, 0).isEmpty());
}

TEST(StepSeries, ARangeCountsTheLevelItBeginsWith) {
  const StepSeries series({0, 10, 20}, {5, 1, 3}, 30);
  EXPECT_EQ(series.rangeIn(5, 15).high, 5);
  EXPECT_EQ(series.rangeIn(5, 15).low, 1);
  EXPECT_EQ(series.rangeIn(12, 14).high, 1);
  EXPECT_TRUE(series.rangeIn(40, 50).empty);
}

}  // namespace
}  // namespace attnscope::ui
