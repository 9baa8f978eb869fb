// SPDX-License-Identifier: GPL-3.0-or-later
#include <QAbstractItemModelTester>
#include <QCoreApplication>
#include <QSignalSpy>

#include <gtest/gtest.h>

#include "SampleRows.h"
#include "ui/tables/RowTable.h"

namespace attnscope::ui {
namespace {

QString cell(const RowTable& table, int line, int column) { return table.data(table.index(line, column)).toString(); }

TEST(RowTable, PassesTheModelTesterThroughEverything) {
  RowTable table;
  const QAbstractItemModelTester tester(&table, QAbstractItemModelTester::FailureReportingMode::Fatal);
  table.setRows(sampleRows());
  table.setOrder(2, Qt::AscendingOrder);
  table.setFilter(QStringLiteral("elementwise"));
  table.setGrouped(true);
  table.toggleFold(0);
  table.setFilter({});
  table.setRows(std::make_shared<TableRows>());
  EXPECT_EQ(table.rowCount(), 0);
}

TEST(RowTable, ShowsCellsAsTheyAreWritten) {
  RowTable table;
  table.setRows(sampleRows());
  // As built: by the amount of the difference.
  EXPECT_EQ(cell(table, 0, 0), QStringLiteral("softmax_warp_forward"));
  EXPECT_EQ(cell(table, 0, 2), QStringLiteral("128.4"));
  EXPECT_EQ(cell(table, 0, 3), QStringLiteral("–"));
  EXPECT_EQ(cell(table, 0, 4), QStringLiteral("−128.4"));
  EXPECT_EQ(cell(table, 0, 5), QStringLiteral("–"));
  EXPECT_EQ(cell(table, 1, 4), QStringLiteral("+100.0"));
  EXPECT_EQ(table.headerData(2, Qt::Horizontal, Qt::DisplayRole).toString(), QStringLiteral("Total A µs"));
  EXPECT_EQ(table.data(table.index(0, 0), Qt::ToolTipRole).toString(),
            QStringLiteral("void at::softmax_warp_forward<float>"));
}

TEST(RowTable, FirstClickSortsNumbersDownAndTextsUp) {
  RowTable table;
  table.setRows(sampleRows());
  EXPECT_EQ(table.orderOfClick(0), Qt::AscendingOrder);
  EXPECT_EQ(table.orderOfClick(2), Qt::DescendingOrder);
  table.setOrder(2, Qt::DescendingOrder);
  EXPECT_EQ(table.orderOfClick(2), Qt::AscendingOrder);
}

TEST(RowTable, LinesAndRowsAreTheInverseOfEachOther) {
  RowTable table;
  table.setRows(sampleRows());
  table.setGrouped(true);
  for (int line = 0; line < table.rowCount(); ++line) {
    if (table.isGroup(line)) continue;
    EXPECT_EQ(table.lineOf(table.rowAt(line)), line);
  }
  table.setFilter(QStringLiteral("gemm"));
  EXPECT_EQ(table.lineOf(0), -1);
  EXPECT_EQ(table.lineOf(4), 1);
}

TEST(RowTable, OrderAndFilterOutliveNewRowsOfTheSameColumns) {
  RowTable table;
  table.setRows(sampleRows());
  table.setOrder(1, Qt::DescendingOrder);
  table.setFilter(QStringLiteral("e"));
  table.setRows(sampleRows());
  EXPECT_EQ(table.order().column, 1);
  EXPECT_EQ(table.filterText(), QStringLiteral("e"));
  EXPECT_EQ(table.rowAt(0), 4u);
}

TEST(RowTable, AMillionRowsAreArrangedInTheWorker) {
  auto rows = std::make_shared<TableRows>();
  rows->rowCount = 1'000'000;
  Column name;
  name.role = ColumnRole::kName;
  rows->addColumn(name);
  Column calls;
  calls.role = ColumnRole::kCount;
  calls.sum = SumRule::kSum;
  rows->addColumn(calls);
  for (std::size_t i = 0; i < rows->rowCount; ++i) {
    rows->texts[0].add(QStringLiteral("kernel_%1").arg(i % 5'000));
    rows->numbers[1].push_back(static_cast<double>((i * 7'919) % 1'000'003));
  }
  RowTable table;
  QSignalSpy arranged(&table, &RowTable::arranged);
  table.setRows(rows);
  EXPECT_FALSE(table.isSettled());
  EXPECT_EQ(table.rowCount(), 0);  // nothing of it was done on this thread
  const auto settle = [&] {
    while (!table.isSettled()) QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
  };
  settle();
  EXPECT_EQ(table.rowCount(), 1'000'000);
  // Three requests at once: the last one is what is shown.
  table.setOrder(1, Qt::AscendingOrder);
  table.setOrder(1, Qt::DescendingOrder);
  table.setFilter(QStringLiteral("kernel_4999"));
  settle();
  EXPECT_EQ(table.rowCount(), 200);
  for (int line = 1; line < table.rowCount(); ++line) EXPECT_GE(table.number(line - 1, 1), table.number(line, 1));
  EXPECT_EQ(arranged.count(), 2);
}

TEST(RowTable, AFilterThatIsWrongChangesNothingButItsMessage) {
  RowTable table;
  QSignalSpy told(&table, &RowTable::filterErrorChanged);
  table.setRows(sampleRows());
  table.setFilter(QStringLiteral("elementwise"));
  EXPECT_EQ(table.rowCount(), 2);
  table.setFilter(QStringLiteral("calls > many"));
  EXPECT_EQ(table.rowCount(), 2);
  EXPECT_TRUE(table.filterError().contains(QStringLiteral("many")));
  EXPECT_EQ(told.count(), 1);
  table.setFilter(QStringLiteral("calls > 4"));
  EXPECT_TRUE(table.filterError().isEmpty());
  EXPECT_EQ(table.rowCount(), 1);
  EXPECT_EQ(told.count(), 2);
}

TEST(RowTable, ShiftedClicksAddKeys) {
  RowTable table;
  table.setRows(sampleRows());
  table.setOrder(1, Qt::DescendingOrder);
  table.addOrder(0);
  EXPECT_EQ(table.placeInOrder(1), 0);
  EXPECT_EQ(table.placeInOrder(0), 1);
  EXPECT_EQ(table.orderOf(0), Qt::AscendingOrder);
  table.addOrder(0);
  EXPECT_EQ(table.orderOf(0), Qt::DescendingOrder);
  table.addOrder(1);
  EXPECT_EQ(table.orderOf(1), Qt::AscendingOrder);
  EXPECT_EQ(table.placeInOrder(2), -1);
  table.setOrder(2, Qt::DescendingOrder);  // a click alone begins anew
  EXPECT_EQ(table.placeInOrder(0), -1);
}

TEST(RowTable, ATreeFoldsAndPassesTheModelTester) {
  auto rows = sampleRows();
  for (const std::uint32_t parent : {RowSlices::kNoRow, 0u, 1u, 2u, 0u}) rows->addTreeRow(parent);
  RowTable table;
  const QAbstractItemModelTester tester(&table, QAbstractItemModelTester::FailureReportingMode::Fatal);
  table.setRows(rows);
  // Three levels are open at first: row 3 is the fourth.
  EXPECT_EQ(table.rowCount(), 4);
  EXPECT_EQ(table.lineOf(3), -1);
  const int third = table.lineOf(2);
  EXPECT_TRUE(table.canFold(third));
  EXPECT_TRUE(table.isFolded(third));
  EXPECT_EQ(table.depthOf(third), 2);
  table.toggleFold(third);
  EXPECT_EQ(table.rowCount(), 5);
  EXPECT_FALSE(table.canFold(table.lineOf(3)));
  table.foldAll(true);
  EXPECT_EQ(table.rowCount(), 1);
}

TEST(RowTable, NamesWithLineEndsAreDrawnOnOneLine) {
  auto rows = sampleRows();
  rows->texts[0] = {};
  for (int i = 0; i < 5; ++i) rows->texts[0].add(QStringLiteral("a\n\tb%1").arg(i));
  RowTable table;
  table.setRows(rows);
  EXPECT_EQ(cell(table, 0, 0), QStringLiteral("a  b0"));
}

}  // namespace
}  // namespace attnscope::ui
