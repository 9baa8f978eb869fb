// SPDX-License-Identifier: Apache-2.0
#include "core/index/RowIndex.h"

#include <cmath>
#include <cstdlib>
#include <random>
#include <string>

#include <gtest/gtest.h>

namespace attnscope {
namespace {

struct Row {
  std::vector<std::int64_t> start;
  std::vector<std::int64_t> duration;
  std::vector<std::uint8_t> paintClass;
  [[nodiscard]] RowColumns columns() const { return {start, duration, paintClass}; }
  [[nodiscard]] std::int64_t end() const { return start.back() + duration.back(); }
};

enum class Shape { kDense, kBursty, kHeavyTailed, kBackToBack };

Row makeRow(Shape shape, std::uint32_t count, unsigned seed) {
  std::mt19937_64 random(seed);
  std::lognormal_distribution<double> length(8.0, shape == Shape::kHeavyTailed ? 3.0 : 1.0);
  std::exponential_distribution<double> gap(1.0 / 1500.0);
  Row row;
  std::int64_t now = -12'345;
  for (std::uint32_t slice = 0; slice < count; ++slice) {
    const auto duration = static_cast<std::int64_t>(random() % 50 == 0 ? 0 : std::min(length(random), 1e8));
    row.start.push_back(now);
    row.duration.push_back(duration);
    row.paintClass.push_back(static_cast<std::uint8_t>(random() % 14));
    now += duration;
    if (shape != Shape::kBackToBack) now += static_cast<std::int64_t>(gap(random));
    if (shape == Shape::kBursty && slice % 2000 == 1999) now += 60'000'000'000;
  }
  return row;
}

class RowIndexProperties : public testing::TestWithParam<Shape> {};

void expectOrdered(const std::vector<RowRun>& runs, std::int32_t width) {
  std::int32_t last = 0;
  for (const RowRun& run : runs) {
    ASSERT_GE(run.x0, last);
    ASSERT_GT(run.x1, run.x0);
    ASSERT_LE(run.x1, width);
    ASSERT_GT(run.coverage, 0);
    last = run.x1;
  }
}

TEST_P(RowIndexProperties, WideSlicesStandWhereTheyAre) {
  const Row row = makeRow(GetParam(), 60'000, 7);
  const RowIndex index = RowIndex::build(row.columns());
  std::mt19937_64 random(11);
  const std::int32_t width = 1500;
  const double whole = static_cast<double>(row.end() - row.start.front());
  std::size_t checked = 0;
  for (int view = 0; view < 120; ++view) {
    const double span = whole * std::pow(10.0, -static_cast<double>(random() % 7500) / 1000.0);
    const double perPixel = span / width;
    const std::size_t middle = random() % row.start.size();
    double start = static_cast<double>(row.start[middle]) - span * 0.5;
    start = std::floor(start / perPixel) * perPixel;
    std::vector<RowRun> runs;
    index.query(row.columns(), start, perPixel, width, runs);
    expectOrdered(runs, width);
    std::size_t at = 0;
    for (std::uint32_t slice = row.columns().firstEndingAfter(start); slice < row.start.size(); ++slice) {
      const double x0 = (static_cast<double>(row.start[slice]) - start) / perPixel;
      const double x1 = (static_cast<double>(row.start[slice] + row.duration[slice]) - start) / perPixel;
      if (x0 >= width - 4) break;
      if (x1 - std::max(0.0, x0) < 4) continue;
      while (at < runs.size() && (runs[at].slice < slice || !runs[at].exact)) ++at;
      ASSERT_LT(at, runs.size()) << "slice " << slice << " is lost";
      ASSERT_EQ(runs[at].slice, slice) << "is lost";
      ASSERT_LE(std::abs(runs[at].x0 - std::max(0.0, x0)), 1.0);
      ASSERT_LE(std::abs(runs[at].x1 - std::min(static_cast<double>(width), x1)), 1.0);
      ASSERT_EQ(runs[at].paintClass, row.paintClass[slice]);
      ++checked;
    }
  }
  EXPECT_GT(checked, 100u);
}

TEST_P(RowIndexProperties, CoverageSumsToWhatTheSlicesCover) {
  const Row row = makeRow(GetParam(), 60'000, 3);
  const RowIndex index = RowIndex::build(row.columns());
  const double whole = static_cast<double>(row.end() - row.start.front());
  for (const std::int32_t width : {300, 1000, 2000, 3840}) {
    const double perPixel = whole / width;
    std::vector<RowRun> runs;
    index.query(row.columns(), static_cast<double>(row.start.front()), perPixel, width + 1, runs);
    // By tenths of the view: what is lit must be what is covered, but for edges on whole pixels: a column that is full
    // on one side of a wide slice's edge has no room for what the other side lost.
    std::vector<double> lit(10, 0.0);
    std::vector<double> covered(10, 0.0);
    for (const RowRun& run : runs) {
      for (std::int32_t x = run.x0; x < run.x1; ++x) {
        lit[static_cast<std::size_t>(std::min(9, x * 10 / width))] += run.coverage / 255.0;
      }
    }
    for (std::size_t slice = 0; slice < row.start.size(); ++slice) {
      const double x0 = static_cast<double>(row.start[slice] - row.start.front()) / perPixel;
      const double x1 = x0 + static_cast<double>(row.duration[slice]) / perPixel;
      for (int tenth = 0; tenth < 10; ++tenth) {
        const double from = std::max(x0, width * tenth / 10.0);
        const double to = std::min(x1, width * (tenth + 1) / 10.0);
        if (to > from) covered[static_cast<std::size_t>(tenth)] += to - from;
      }
    }
    for (std::size_t tenth = 0; tenth < 10; ++tenth) {
      EXPECT_NEAR(lit[tenth], covered[tenth], width / 10.0 * 0.07 + 2.0) << width << " px, tenth " << tenth;
    }
  }
}

TEST_P(RowIndexProperties, LitColumnsAreThoseOfTheSlices) {
  const Row row = makeRow(GetParam(), 40'000, 5);
  const RowIndex index = RowIndex::build(row.columns());
  const double whole = static_cast<double>(row.end() - row.start.front());
  const std::int32_t width = 1900;
  for (const double zoom : {1.0, 7.0, 60.0, 500.0}) {
    const double perPixel = whole / width / zoom;
    const double start = static_cast<double>(row.start.front()) + whole * 0.4 * (1.0 - 1.0 / zoom);
    std::vector<RowRun> runs;
    index.query(row.columns(), start, perPixel, width, runs);
    std::vector<bool> drawn(width + 2, false);
    std::vector<bool> wanted(width + 2, false);
    for (const RowRun& run : runs) {
      for (std::int32_t x = run.x0; x < run.x1; ++x) drawn[static_cast<std::size_t>(x)] = true;
    }
    for (std::size_t slice = 0; slice < row.start.size(); ++slice) {
      const double x0 = std::floor((static_cast<double>(row.start[slice]) - start) / perPixel);
      const double x1 = std::floor((static_cast<double>(row.start[slice] + row.duration[slice]) - start) / perPixel);
      for (double x = std::max(0.0, x0); x <= std::min(width - 1.0, x1); ++x)
        wanted[static_cast<std::size_t>(x)] = true;
    }
    for (std::int32_t x = 1; x + 1 < width; ++x) {
      const auto at = static_cast<std::size_t>(x);
      if (drawn[at]) {
        ASSERT_TRUE(wanted[at - 1] || wanted[at] || wanted[at + 1]) << "nothing at " << x << " zoom " << zoom;
      }
      if (wanted[at]) {
        ASSERT_TRUE(drawn[at - 1] || drawn[at] || drawn[at + 1]) << "lost at " << x << " zoom " << zoom;
      }
    }
  }
}

TEST_P(RowIndexProperties, CostsAtMostFourBytesASlice) {
  const Row row = makeRow(GetParam(), 200'000, 9);
  const RowIndex index = RowIndex::build(row.columns());
  EXPECT_LE(static_cast<double>(index.bytes()), 4.05 * static_cast<double>(row.start.size()));
}

INSTANTIATE_TEST_SUITE_P(Shapes, RowIndexProperties,
                         testing::Values(Shape::kDense, Shape::kBursty, Shape::kHeavyTailed, Shape::kBackToBack));

TEST(RowIndex, AMoreThanCrowdedBucketStillNamesOneOfItsSlices) {
  // 200,000 slices where a bucket of the levels that the others need holds all: the dominant one is the last of them.
  Row row;
  const auto add = [&](std::int64_t start, std::int64_t duration, int paintClass) {
    row.start.push_back(start);
    row.duration.push_back(duration);
    row.paintClass.push_back(static_cast<std::uint8_t>(paintClass));
  };
  constexpr std::int64_t kApart = 1'000'000'000;
  constexpr std::int64_t kBurst = 200;
  for (std::int64_t at = 0; at < 1000; ++at) {
    add(at * kApart, 1000, 1);
    for (std::int64_t within = 0; at == kBurst && within < 200'000; ++within) {
      add(at * kApart + 2000 + within * 10, within == 199'990 ? 9 : 5, within == 199'990 ? 2 : 3);
    }
  }
  const RowIndex index = RowIndex::build(row.columns());
  for (const std::int32_t width : {300, 1000, 3000}) {
    const double perPixel = 1000.0 * static_cast<double>(kApart) / width;
    std::vector<RowRun> runs;
    index.query(row.columns(), 0, perPixel, width, runs);
    const auto burst = static_cast<std::int32_t>(static_cast<double>(kBurst * kApart) / perPixel);
    bool isLit = false;
    for (const RowRun& run : runs) {
      ASSERT_LT(run.slice, row.start.size());
      if (run.x0 != burst) continue;
      isLit = true;
      EXPECT_NEAR(static_cast<double>(row.start[run.slice]) / perPixel, burst, 1.0);
    }
    EXPECT_TRUE(isLit) << width;
  }
}

TEST(RowIndex, EmptyRowsAndRowsWithoutAnIndexAnswer) {
  std::vector<RowRun> runs;
  RowIndex().query({}, 0, 1, 100, runs);
  EXPECT_TRUE(runs.empty());
  const Row row = makeRow(Shape::kDense, 10, 1);
  RowIndex().query(row.columns(), -20'000, 100, 2000, runs);
  EXPECT_FALSE(runs.empty());
}

TEST(RowIndex, ASliceThatStartsBeforeTheViewFillsItFromTheLeft) {
  const std::vector<std::int64_t> start{0};
  const std::vector<std::int64_t> duration{1'000'000};
  const std::vector<std::uint8_t> paintClass{3};
  std::vector<RowRun> runs;
  RowIndex().query({start, duration, paintClass}, 500'000, 1000, 300, runs);
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_EQ(runs[0].x0, 0);
  EXPECT_EQ(runs[0].x1, 300);
  EXPECT_TRUE(runs[0].exact);
}

TEST(RowIndex, AColumnTakesTheKindThatFillsMostOfIt) {
  Row row;
  for (int slice = 0; slice < 4000; ++slice) {
    row.start.push_back(slice * 1000);
    row.duration.push_back(slice % 2 == 0 ? 700 : 100);
    row.paintClass.push_back(slice % 2 == 0 ? 5 : 6);
  }
  std::vector<RowRun> runs;
  RowIndex::build(row.columns()).query(row.columns(), 0, 100'000, 40, runs);
  ASSERT_EQ(runs.size(), 40u);
  for (const RowRun& run : runs) {
    EXPECT_EQ(run.paintClass, 5);
    EXPECT_NEAR(run.coverage, 102, 60);
  }
}

}  // namespace
}  // namespace attnscope
