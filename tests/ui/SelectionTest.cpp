// SPDX-License-Identifier: GPL-3.0-or-later
// One selection: from a table's row to the slices in both timelines, and from a slice to the row.
#include <QTableView>

#include <gtest/gtest.h>

#include "TestWindow.h"
#include "ui/tables/KernelsPage.h"
#include "ui/timeline/TimelineView.h"

namespace attnscope::ui {
namespace {

using test::TestWindow;

QTableView* kernels(TestWindow& test) { return test.window.findChild<KernelsPage*>()->tableView(); }

// The first row that stands for work in both runs.
int rowOfBoth(const RowTable& model) {
  for (int line = 0; line < model.rowCount(); ++line) {
    if (model.isGroup(line)) continue;
    const std::uint32_t row = model.rowAt(line);
    if (model.rows().slices.size() == 2 && !model.rows().slices[0].slices(row).empty() &&
        !model.rows().slices[1].slices(row).empty()) {
      return line;
    }
  }
  return -1;
}

TEST(SelectionAcrossViews, ARowSelectsItsSlicesInBothRuns) {
  TestWindow test({1920, 1080});
  ASSERT_TRUE(test.open({test::naive(), test::flash()}));
  auto* page = test.window.findChild<KernelsPage*>();
  QTableView* table = kernels(test);
  const int line = rowOfBoth(page->model());
  ASSERT_GE(line, 0);
  const QImage before = test.window.grab().toImage();
  table->scrollTo(page->model().index(line, 0));
  QTest::mouseClick(table->viewport(), Qt::LeftButton, {}, table->visualRect(page->model().index(line, 0)).center());
  ASSERT_TRUE(test.settle());
  const Selection& selection = test.window.session().selection();
  ASSERT_EQ(selection.parts.size(), 2U);
  const std::uint32_t row = page->model().rowAt(line);
  for (const SelectedSlices& part : selection.parts) {
    EXPECT_EQ(part.slices.size(), page->model().rows().slices[static_cast<std::size_t>(part.run)].slices(row).size());
  }
  EXPECT_NE(before, test.window.grab().toImage());
}

TEST(SelectionAcrossViews, ASliceSelectsItsRow) {
  TestWindow test({1920, 1080});
  ASSERT_TRUE(test.open({test::naive(), test::flash()}));
  auto* page = test.window.findChild<KernelsPage*>();
  const int line = rowOfBoth(page->model());
  ASSERT_GE(line, 0);
  const SliceId slice = page->model().rows().slices[1].slices(page->model().rowAt(line)).front();
  test.window.session().selectSlice(page->model().rows().slices[1].runNumber(), slice, SelectionOrigin::kTimeline);
  ASSERT_TRUE(test.settle());
  EXPECT_TRUE(kernels(test)->selectionModel()->isRowSelected(line));
  test.window.session().clearSelection();
  ASSERT_TRUE(test.settle());
  EXPECT_FALSE(kernels(test)->selectionModel()->hasSelection());
}

TEST(SelectionAcrossViews, EscLetsGo) {
  TestWindow test;
  ASSERT_TRUE(test.open({test::naive()}));
  for (QWidget* region :
       {static_cast<QWidget*>(test.window.findChild<TimelineView*>()), static_cast<QWidget*>(kernels(test))}) {
    test.window.session().selectSlice(0, SliceId{5}, SelectionOrigin::kTimeline);
    region->setFocus();
    QTest::keyClick(region, Qt::Key_Escape);
    EXPECT_TRUE(test.window.session().selection().isEmpty());
  }
}

}  // namespace
}  // namespace attnscope::ui
