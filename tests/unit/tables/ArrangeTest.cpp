// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <numeric>
#include <random>

#include <gtest/gtest.h>

#include "SampleRows.h"

namespace attnscope::ui {
namespace {

using Lines = std::vector<std::uint32_t>;

TableOrder by(int column, Qt::SortOrder order) {
  TableOrder made;
  made.column = column;
  made.order = order;
  return made;
}

TEST(Arrange, KeepsTheOrderOfTheRowsUnlessAsked) {
  EXPECT_EQ(arrange(*sampleRows(), {}).lines, (Lines{0, 1, 2, 3, 4}));
}

TEST(Arrange, SortsNumbersDownAndUpWithTheUnknownLast) {
  EXPECT_EQ(arrange(*sampleRows(), by(2, Qt::DescendingOrder)).lines, (Lines{0, 2, 3, 4, 1}));
  EXPECT_EQ(arrange(*sampleRows(), by(2, Qt::AscendingOrder)).lines, (Lines{4, 3, 2, 0, 1}));
}

TEST(Arrange, SortsDifferencesByAmount) {
  // -128.4, +100.0, +47.6, -21.0, +0.1
  EXPECT_EQ(arrange(*sampleRows(), by(4, Qt::DescendingOrder)).lines, (Lines{0, 4, 1, 2, 3}));
}

TEST(Arrange, SortsTextsWithoutRegardToCase) {
  auto rows = sampleRows();
  rows->texts[0] = {};
  for (const char* name : {"b", "C", "a", "B", "d"}) rows->texts[0].add(QString::fromLatin1(name));
  const Lines lines = arrange(*rows, by(0, Qt::AscendingOrder)).lines;
  EXPECT_EQ(lines.front(), 2u);
  EXPECT_EQ(lines.back(), 4u);
  EXPECT_EQ(lines[3], 1u);
}

TEST(Arrange, EqualCellsKeepTheirOrder) {
  auto rows = sampleRows();
  rows->numbers[1] = {7, 3, 7, 3, 7};
  EXPECT_EQ(arrange(*rows, by(1, Qt::DescendingOrder)).lines, (Lines{0, 2, 4, 1, 3}));
  EXPECT_EQ(arrange(*rows, by(1, Qt::AscendingOrder)).lines, (Lines{1, 3, 0, 2, 4}));
}

TEST(Arrange, FiltersByEveryWordInAnyCaseAndByFullNames) {
  TableOrder order;
  order.filter = *RowFilter::parse(QStringLiteral("ELEMENT  mul"), *sampleRows());
  EXPECT_EQ(arrange(*sampleRows(), order).lines, (Lines{3}));
  order.filter = *RowFilter::parse(QStringLiteral("at::gemm"), *sampleRows());
  EXPECT_EQ(arrange(*sampleRows(), order).lines, (Lines{4}));
  order.filter = *RowFilter::parse(QStringLiteral("nothing of this"), *sampleRows());
  const Arrangement none = arrange(*sampleRows(), order);
  EXPECT_TRUE(none.lines.empty());
  EXPECT_EQ(none.shownRows, 0u);
}

TEST(Arrange, TotalsAreOfTheRowsThatAreKept) {
  const Arrangement all = arrange(*sampleRows(), {});
  EXPECT_DOUBLE_EQ(all.totals[1], 15);
  EXPECT_DOUBLE_EQ(all.totals[2], 483'600);
  EXPECT_DOUBLE_EQ(all.totals[3], 481'900);
  EXPECT_DOUBLE_EQ(all.totals[4], -1'700);
  EXPECT_DOUBLE_EQ(all.totals[5], -1'700 / 483'600.0);
  EXPECT_TRUE(std::isnan(all.totals[0]));
  TableOrder order;
  order.filter = *RowFilter::parse(QStringLiteral("elementwise"), *sampleRows());
  const Arrangement some = arrange(*sampleRows(), order);
  EXPECT_EQ(some.shownRows, 2u);
  EXPECT_DOUBLE_EQ(some.totals[2], 239'200);
}

TEST(Arrange, GroupsSumToTheTotalsAndSortByTheirSums) {
  TableOrder order = by(2, Qt::DescendingOrder);
  order.grouped = true;
  const Arrangement arranged = arrange(*sampleRows(), order);
  EXPECT_EQ(arranged.lines, (Lines{1 | kGroupBit, 2, 3, 4, 0 | kGroupBit, 0, 1}));
  for (const std::size_t column : {std::size_t{1}, std::size_t{2}, std::size_t{3}, std::size_t{4}}) {
    EXPECT_DOUBLE_EQ(arranged.groupSums[0][column] + arranged.groupSums[1][column], arranged.totals[column]);
  }
  order.folded = {false, true};
  EXPECT_EQ(arrange(*sampleRows(), order).lines, (Lines{1 | kGroupBit, 0 | kGroupBit, 0, 1}));
  EXPECT_DOUBLE_EQ(arrange(*sampleRows(), order).totals[2], arranged.totals[2]);
}

TEST(Arrange, EqualsPlainSortingOnRandomRows) {
  std::mt19937 random(5);
  auto rows = std::make_shared<TableRows>();
  rows->rowCount = 3'000;
  Column column;
  column.role = ColumnRole::kCount;
  rows->addColumn(column);
  for (std::size_t i = 0; i < rows->rowCount; ++i) {
    rows->numbers[0].push_back(static_cast<double>(random() % 400));
  }
  Lines expected(rows->rowCount);
  std::iota(expected.begin(), expected.end(), 0u);
  std::stable_sort(expected.begin(), expected.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return rows->numbers[0][a] > rows->numbers[0][b]; });
  EXPECT_EQ(arrange(*rows, by(0, Qt::DescendingOrder)).lines, expected);
}

TEST(Arrange, StopsWhenAsked) {
  std::stop_source stop;
  stop.request_stop();
  EXPECT_TRUE(arrange(*sampleRows(), {}, stop.get_token()).lines.empty());
}

TEST(Spread, HasTicksBelowTwentyCallsAndNearestRanksAbove) {
  const Spread few = spreadOf(0, {30, 10, 20});
  EXPECT_EQ(few.ticks, (std::vector<std::int64_t>{10, 20, 30}));
  std::vector<std::int64_t> many;
  for (std::int64_t i = 100; i >= 1; --i) many.push_back(i);
  const Spread spread = spreadOf(1, many);
  EXPECT_TRUE(spread.ticks.empty());
  EXPECT_EQ(spread.p5, 5);
  EXPECT_EQ(spread.q1, 25);
  EXPECT_EQ(spread.median, 50);
  EXPECT_EQ(spread.q3, 75);
  EXPECT_EQ(spread.p95, 95);
}

TEST(RowSlices, FindTheRowOfASlice) {
  RowSlices slices(0, nullptr);
  slices.addRow({SliceId{7}, SliceId{2}});
  slices.addRow({});
  slices.addRow({SliceId{4}});
  slices.finish();
  EXPECT_EQ(slices.rowOf(SliceId{2}), 0u);
  EXPECT_EQ(slices.rowOf(SliceId{4}), 2u);
  EXPECT_EQ(slices.rowOf(SliceId{5}), RowSlices::kNoRow);
  EXPECT_EQ(slices.slices(0).size(), 2u);
  EXPECT_TRUE(slices.slices(1).empty());
  EXPECT_TRUE(slices.slices(9).empty());
}

// root 0 with 1 (with 2 and 3) and 4; root 5.
std::shared_ptr<TableRows> treeRows() {
  auto rows = std::make_shared<TableRows>();
  rows->rowCount = 6;
  Column name;
  name.role = ColumnRole::kName;
  name.title = QStringLiteral("Name");
  rows->addColumn(name);
  Column time;
  time.role = ColumnRole::kTime;
  time.title = QStringLiteral("Time");
  time.sum = SumRule::kSum;
  rows->addColumn(time);
  const char* names[] = {"model", "layer", "bmm", "softmax", "linear", "loss"};
  const double times[] = {1, 2, 30, 40, 50, 60};
  const std::uint32_t parents[] = {RowSlices::kNoRow, 0, 1, 1, 0, RowSlices::kNoRow};
  for (std::size_t i = 0; i < 6; ++i) {
    rows->texts[0].add(QString::fromLatin1(names[i]));
    rows->numbers[1].push_back(times[i]);
    rows->addTreeRow(parents[i]);
  }
  return rows;
}

TEST(ArrangeTree, SortsSiblingsUnderTheirParent) {
  EXPECT_EQ(arrange(*treeRows(), by(1, Qt::DescendingOrder)).lines, (Lines{5, 0, 4, 1, 3, 2}));
  EXPECT_EQ(arrange(*treeRows(), by(1, Qt::AscendingOrder)).lines, (Lines{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(treeRows()->depthOf, (std::vector<std::uint16_t>{0, 1, 2, 2, 1, 0}));
}

TEST(ArrangeTree, WhatIsFoldedHidesWhatIsUnderItAndSumsItStill) {
  TableOrder order = by(1, Qt::AscendingOrder);
  order.foldedRows = {false, true, false, false, false, false};
  const Arrangement arranged = arrange(*treeRows(), order);
  EXPECT_EQ(arranged.lines, (Lines{0, 1, 4, 5}));
  EXPECT_TRUE(arranged.hasChildren[1]);
  EXPECT_FALSE(arranged.hasChildren[4]);
  EXPECT_DOUBLE_EQ(arranged.totals[1], 183);
}

TEST(ArrangeTree, AFilterShowsWhatIsAboveAndOpensIt) {
  TableOrder order = by(1, Qt::AscendingOrder);
  order.foldedRows.assign(6, true);
  order.filter = *RowFilter::parse(QStringLiteral("name ~ softmax"), *treeRows());
  const Arrangement arranged = arrange(*treeRows(), order);
  EXPECT_EQ(arranged.lines, (Lines{0, 1, 3}));
  EXPECT_EQ(arranged.shownRows, 1u);
  EXPECT_DOUBLE_EQ(arranged.totals[1], 40);
}

TEST(Arrange, FurtherKeysDecideBetweenEqualRows) {
  auto rows = sampleRows();
  rows->numbers[1] = {7, 3, 7, 3, 7};
  TableOrder order = by(1, Qt::DescendingOrder);
  order.then = {{2, Qt::AscendingOrder}};
  EXPECT_EQ(arrange(*rows, order).lines, (Lines{4, 2, 0, 3, 1}));
  order.then = {{0, Qt::AscendingOrder}};
  EXPECT_EQ(arrange(*rows, order).lines, (Lines{2, 4, 0, 3, 1}));
}

TEST(Arrange, NumbersOfAnySizeAndSignSortAsNumbers) {
  std::mt19937_64 random(11);
  auto rows = std::make_shared<TableRows>();
  rows->rowCount = 20'000;
  Column column;
  column.role = ColumnRole::kTime;
  rows->addColumn(column);
  for (std::size_t i = 0; i < rows->rowCount; ++i) {
    const double value = std::ldexp(static_cast<double>(random() % 1000), static_cast<int>(random() % 120) - 60);
    rows->numbers[0].push_back(i % 17 == 0 ? kNone : i % 3 == 0 ? -value : i % 5 == 0 ? -0.0 : value);
  }
  for (const Qt::SortOrder order : {Qt::AscendingOrder, Qt::DescendingOrder}) {
    Lines expected(rows->rowCount);
    std::iota(expected.begin(), expected.end(), 0u);
    const std::vector<double>& values = rows->numbers[0];
    std::stable_sort(expected.begin(), expected.end(), [&](std::uint32_t a, std::uint32_t b) {
      if (std::isnan(values[a]) || std::isnan(values[b])) return !std::isnan(values[a]) && std::isnan(values[b]);
      return order == Qt::AscendingOrder ? values[a] < values[b] : values[a] > values[b];
    });
    EXPECT_EQ(arrange(*rows, by(0, order)).lines, expected);
  }
}

TEST(RowSlices, FindTheRowsOfManySlices) {
  RowSlices slices(0, nullptr);
  slices.addRow({SliceId{7}, SliceId{2}});
  slices.addRow({SliceId{4}});
  slices.addRow({SliceId{9}});
  slices.finish();
  const std::vector<SliceId> wanted{SliceId{9}, SliceId{7}, SliceId{2}, SliceId{100}};
  EXPECT_EQ(slices.rowsOf(wanted, {}), (Lines{0, 2}));
  std::stop_source stop;
  stop.request_stop();
  EXPECT_TRUE(slices.rowsOf(wanted, stop.get_token()).empty());
}

}  // namespace
}  // namespace attnscope::ui
