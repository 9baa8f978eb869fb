// SPDX-License-Identifier: GPL-3.0-or-later

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QFile>
#include <QKeyEvent>
#include <QTableView>
#include <QTemporaryDir>

#include <gtest/gtest.h>

#include "tests/support/Pages.h"
#include "ui/tables/KernelsPage.h"
#include "ui/tables/OperatorsPage.h"
#include "ui/tables/RecordsPage.h"
#include "ui/theme/Theme.h"

namespace attnscope::ui {
namespace {

class PagesTest : public testing::Test {
 protected:
  void SetUp() override { m_theme.apply(*qApp, ThemeChoice::kLight); }

  // One launch: an operator of 100 us on the host, and where `kernelUs` is not 0 a kernel of that length.
  static QByteArray launch(int at, const char* operatorName, const char* kernel, int kernelUs, int id) {
    QByteArray text =
        QStringLiteral(R"({"ph":"X","cat":"cpu_op","name":"%1","pid":5,"tid":5,"ts":%2.000,"dur":100.000,)"
                       R"("args":{"External id":%3}},)")
            .arg(QString::fromLatin1(operatorName))
            .arg(at)
            .arg(id)
            .toUtf8();
    if (kernelUs > 0) {
      text +=
          QStringLiteral(
              R"({"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":5,"tid":5,"ts":%1.000,"dur":10.000,)"
              R"("args":{"External id":%2,"correlation":%3}},)"
              R"({"ph":"X","cat":"kernel","name":"%4","pid":0,"tid":7,"ts":%5.000,"dur":%6.000,)"
              R"("args":{"External id":%2,"correlation":%3,"device":0,"stream":7,"grid":[4,1,1],)"
              R"("block":[128,1,1],"registers per thread":32,"shared memory":1024}},)")
              .arg(at + 20)
              .arg(id)
              .arg(id + 1000)
              .arg(QString::fromLatin1(kernel))
              .arg(at + 60)
              .arg(kernelUs)
              .toUtf8();
    }
    return text;
  }
  QString write(const QString& name, const QByteArray& events) {
    return test::writeText(m_folder.filePath(name),
                           "{\"schemaVersion\": 1, \"traceEvents\": [" + events +
                               R"({"ph":"M","name":"process_name","pid":5,"tid":0,"args":{"name":"python"}}]})");
  }
  QString deviceTrace(const QString& name, int softmaxUs) {
    QByteArray events;
    for (int i = 0; i < 3; ++i) events += launch(1000 + i * 1000, "aten::mm", "gemm_kernel", 100 + i, 10 + i);
    if (softmaxUs > 0) events += launch(5000, "aten::_softmax", "softmax_warp_forward", softmaxUs, 20);
    return write(name, events);
  }
  QString hostTrace(const QString& name, int calls) {
    QByteArray events;
    for (int i = 0; i < calls; ++i) events += launch(1000 + i * 1000, "aten::mm", "", 0, 10 + i);
    return write(name, events);
  }
  static QString cell(const TablePage& page, int line, const QString& head) {
    const RowTable& model = page.model();
    for (int column = 0; column < model.columnCount(); ++column) {
      if (model.headerData(column, Qt::Horizontal, Qt::DisplayRole).toString() == head) {
        return model.data(model.index(line, column)).toString();
      }
    }
    return QStringLiteral("no column %1").arg(head);
  }
  static void press(const TablePage& page, int key) {
    QKeyEvent event(QEvent::KeyPress, key, Qt::NoModifier);
    QApplication::sendEvent(page.tableView(), &event);
  }

  Theme m_theme;
  QTemporaryDir m_folder;
  Session m_session;
};

TEST_F(PagesTest, KernelsOfOneTraceSumToTheFoot) {
  KernelsPage page(m_session, m_theme);
  m_session.openFiles({deviceTrace(QStringLiteral("a.json"), 200)});
  test::settle(page);
  EXPECT_EQ(page.tabText(), QStringLiteral("Kernels 2"));
  EXPECT_EQ(page.footTitle(), QStringLiteral("All kernels"));
  EXPECT_EQ(cell(page, 0, QStringLiteral("Kernel")), QStringLiteral("gemm_kernel"));
  EXPECT_EQ(cell(page, 0, QStringLiteral("Launched by")), QStringLiteral("aten::mm"));
  EXPECT_EQ(cell(page, 0, QStringLiteral("Calls")), QStringLiteral("3"));
  EXPECT_EQ(cell(page, 0, QStringLiteral("Total µs")), QStringLiteral("303.0"));
  EXPECT_EQ(cell(page, 0, QStringLiteral("Median µs")), QStringLiteral("101.0"));
  EXPECT_EQ(cell(page, 0, QStringLiteral("Grid")), QStringLiteral("4 × 1 × 1"));
  EXPECT_EQ(cell(page, 0, QStringLiteral("Registers")), QStringLiteral("32"));
  EXPECT_EQ(cell(page, 0, QStringLiteral("Occupancy %")), QStringLiteral("–"));
  double sum = 0;
  for (int line = 0; line < page.model().rowCount(); ++line) sum += page.model().number(line, 3);
  EXPECT_DOUBLE_EQ(page.model().arrangement().totals[3], sum);
  EXPECT_DOUBLE_EQ(sum, 503'000);
}

TEST_F(PagesTest, WithoutDeviceWorkKernelsShowsWorkingOperatorsAndSaysSo) {
  KernelsPage page(m_session, m_theme);
  m_session.openFiles({hostTrace(QStringLiteral("a.json"), 4)});
  test::settle(page);
  EXPECT_EQ(page.model().rows().note,
            QStringLiteral("No device kernels: leaf operators of the CPU and those that work themselves"));
  EXPECT_EQ(cell(page, 0, QStringLiteral("Operator")), QStringLiteral("aten::mm"));
  EXPECT_EQ(cell(page, 0, QStringLiteral("Host self µs")), QStringLiteral("400.0"));
  EXPECT_EQ(page.footTitle(), QStringLiteral("All operators that work"));
}

TEST_F(PagesTest, AnOperatorThatComputesIsALeafThoughItAsksOthers) {
  KernelsPage page(m_session, m_theme);
  const QByteArray inner =
      R"({"ph":"X","cat":"cpu_op","name":"aten::resolve_conj","pid":5,"tid":5,"ts":1010.000,"dur":5.000,"args":{}},)";
  const QByteArray outer =
      R"({"ph":"X","cat":"cpu_op","name":"aten::matmul","pid":5,"tid":5,"ts":990.000,"dur":150.000,"args":{}},)";
  m_session.openFiles({write(QStringLiteral("a.json"), outer + launch(1000, "aten::bmm", "", 0, 1) + inner)});
  test::settle(page);
  ASSERT_EQ(page.model().rowCount(), 2);
  EXPECT_EQ(cell(page, 0, QStringLiteral("Operator")), QStringLiteral("aten::bmm"));
  EXPECT_EQ(cell(page, 0, QStringLiteral("Host self µs")), QStringLiteral("95.0"));
  EXPECT_EQ(cell(page, 0, QStringLiteral("Called by")), QStringLiteral("aten::matmul"));
  EXPECT_EQ(cell(page, 1, QStringLiteral("Operator")), QStringLiteral("aten::resolve_conj"));
}

TEST_F(PagesTest, TwoRunsStandSideBySideAgainstTheBaseline) {
  KernelsPage page(m_session, m_theme);
  m_session.openFiles({deviceTrace(QStringLiteral("a.json"), 200), deviceTrace(QStringLiteral("b.json"), 0)});
  test::settle(page);
  EXPECT_EQ(cell(page, 0, QStringLiteral("Kernel")), QStringLiteral("softmax_warp_forward"));
  EXPECT_EQ(cell(page, 0, QStringLiteral("Match")), QStringLiteral("Only A"));
  EXPECT_EQ(cell(page, 0, QStringLiteral("Total A µs")), QStringLiteral("200.0"));
  EXPECT_EQ(cell(page, 0, QStringLiteral("Total B µs")), QStringLiteral("–"));
  EXPECT_EQ(cell(page, 0, QStringLiteral("B − A µs")), QStringLiteral("−200.0"));
  EXPECT_EQ(cell(page, 0, QStringLiteral("%")), QStringLiteral("–"));
  EXPECT_EQ(cell(page, 1, QStringLiteral("Match")), QStringLiteral("Exact"));
  EXPECT_EQ(cell(page, 1, QStringLiteral("B − A µs")), QStringLiteral("±0.0"));
  m_session.swapBaseline();
  test::settle(page);
  EXPECT_EQ(cell(page, 0, QStringLiteral("A − B µs")), QStringLiteral("+200.0"));
}

TEST_F(PagesTest, SelectingARowSelectsItsSlicesInEveryRun) {
  KernelsPage page(m_session, m_theme);
  m_session.openFiles({deviceTrace(QStringLiteral("a.json"), 200), deviceTrace(QStringLiteral("b.json"), 0)});
  test::settle(page);
  page.tableView()->selectRow(1);
  const Selection& selection = m_session.selection();
  EXPECT_EQ(selection.origin, SelectionOrigin::kTable);
  EXPECT_EQ(selection.words, QStringLiteral("gemm_kernel"));
  ASSERT_EQ(selection.parts.size(), 2u);
  EXPECT_EQ(selection.parts[0].slices.size(), 3u);
  EXPECT_EQ(selection.leadRun, 0);
  // The longest leads.
  EXPECT_EQ(m_session.run(0)->trace()->slices.durationNs[index(selection.leadSlice)], 102'000);
}

TEST_F(PagesTest, EnterGoesToTheLongestAndTheKeysWalk) {
  KernelsPage page(m_session, m_theme);
  m_session.openFiles({deviceTrace(QStringLiteral("a.json"), 0)});
  test::settle(page);
  page.tableView()->setCurrentIndex(page.model().index(0, 0));
  const std::vector<std::int64_t>& durations = m_session.run(0)->trace()->slices.durationNs;
  press(page, Qt::Key_Return);
  EXPECT_EQ(durations[index(m_session.selection().leadSlice)], 102'000);
  press(page, Qt::Key_Comma);
  EXPECT_EQ(durations[index(m_session.selection().leadSlice)], 101'000);
  press(page, Qt::Key_Comma);
  press(page, Qt::Key_Comma);  // the first: stays
  EXPECT_EQ(durations[index(m_session.selection().leadSlice)], 100'000);
  press(page, Qt::Key_Period);
  EXPECT_EQ(durations[index(m_session.selection().leadSlice)], 101'000);
  EXPECT_EQ(page.tableView()->selectionModel()->selectedRows().size(), 1);
}

TEST_F(PagesTest, ASliceSelectedElsewhereSelectsItsRow) {
  KernelsPage page(m_session, m_theme);
  m_session.openFiles({deviceTrace(QStringLiteral("a.json"), 200)});
  test::settle(page);
  const KernelTable& kernels = m_session.run(0)->tables()->kernels;
  m_session.selectSlice(0, kernels.rows[1].slices[0], SelectionOrigin::kTimeline);
  ASSERT_EQ(page.tableView()->selectionModel()->selectedRows().size(), 1);
  EXPECT_EQ(page.tableView()->selectionModel()->selectedRows().front().row(), 1);
  // The table listens and does not answer.
  EXPECT_EQ(m_session.selection().origin, SelectionOrigin::kTimeline);
  m_session.clearSelection();
  EXPECT_TRUE(page.tableView()->selectionModel()->selectedRows().isEmpty());
}

TEST_F(PagesTest, FilterAndCopy) {
  KernelsPage page(m_session, m_theme);
  m_session.openFiles({deviceTrace(QStringLiteral("a.json"), 200)});
  test::settle(page);
  page.setFilterText(QStringLiteral("soft"));
  EXPECT_EQ(page.model().rowCount(), 1);
  EXPECT_EQ(page.footTitle(), QStringLiteral("1 of 2 kernels"));
  page.tableActions().front()->trigger();
  EXPECT_TRUE(QApplication::clipboard()->text().contains(QStringLiteral("softmax_warp_forward")));
  EXPECT_FALSE(QApplication::clipboard()->text().contains(QStringLiteral("gemm")));
}

TEST_F(PagesTest, GroupsByKindOfWorkSumToTheFoot) {
  KernelsPage page(m_session, m_theme);
  m_session.openFiles({deviceTrace(QStringLiteral("a.json"), 200)});
  test::settle(page);
  page.setGrouped(true);
  const Arrangement& arranged = page.model().arrangement();
  EXPECT_EQ(page.model().rowCount(), 4);
  EXPECT_DOUBLE_EQ(arranged.groupSums[0][3] + arranged.groupSums[1][3], arranged.totals[3]);
}

TEST_F(PagesTest, OperatorsByNameAndByShapeAndEmpty) {
  OperatorsPage page(m_session, m_theme);
  m_session.openFiles({hostTrace(QStringLiteral("a.json"), 4)});
  test::settle(page);
  EXPECT_EQ(page.tabText(), QStringLiteral("Operators 1"));
  EXPECT_EQ(cell(page, 0, QStringLiteral("Self CPU µs")), QStringLiteral("400.0"));
  page.setView(OperatorView::kByShape);
  test::settle(page);
  EXPECT_NE(cell(page, 0, QStringLiteral("Input shapes")), QStringLiteral("no column Input shapes"));
  m_session.closeAll();
  m_session.openFiles({write(QStringLiteral("none.json"), {})});
  test::settle(page);
  EXPECT_EQ(page.stateTitle(), QStringLiteral("No operators recorded"));
  EXPECT_EQ(page.tabText(), QStringLiteral("Operators"));
}

// A device of 132 multiprocessors, two launches of one kernel in two shapes.
constexpr const char* kTwoShapes =
    R"({"deviceProperties":[{"id":0,"name":"H100","computeMajor":9,"computeMinor":0,"warpSize":32,"numSms":132}],
"traceEvents":[
{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":5,"tid":5,"ts":1000.000,"dur":5.000,
 "args":{"correlation":1}},
{"ph":"X","cat":"kernel","name":"flash_fwd_kernel","pid":0,"tid":7,"ts":1010.000,"dur":90.000,
 "args":{"correlation":1,"device":0,"stream":7,"grid":[528,1,1],"block":[128,1,1],"registers per thread":255,
         "shared memory":98304}},
{"ph":"X","cat":"kernel","name":"flash_fwd_kernel","pid":0,"tid":7,"ts":1200.000,"dur":50.000,
 "args":{"correlation":2,"device":0,"stream":7,"grid":[132,1,1],"block":[128,1,1],"registers per thread":255,
         "shared memory":98304}}]})";

TEST_F(PagesTest, KernelsHaveTheirOccupancyAndARowForEachLaunchShape) {
  KernelsPage page(m_session, m_theme);
  const QString path = m_folder.filePath(QStringLiteral("shapes.json"));
  QFile file(path);
  ASSERT_TRUE(file.open(QIODevice::WriteOnly));
  file.write(kTwoShapes);
  file.close();
  m_session.openFiles({path});
  test::settle(page);
  ASSERT_EQ(page.model().rowCount(), 1);
  EXPECT_EQ(cell(page, 0, QStringLiteral("Occupancy %")), QStringLiteral("12.5"));
  EXPECT_EQ(cell(page, 0, QStringLiteral("Limit")), QStringLiteral("registers"));
  EXPECT_EQ(cell(page, 0, QStringLiteral("Waves")), QStringLiteral("–"));  // the grids differ
  EXPECT_EQ(cell(page, 0, QStringLiteral("Launch µs")), QStringLiteral("10.0"));
  EXPECT_EQ(cell(page, 0, QStringLiteral("Queue µs")), QStringLiteral("5.0"));
  page.setGrouping(KernelGrouping::kByLaunch);
  test::settle(page);
  ASSERT_EQ(page.model().rowCount(), 2);
  EXPECT_EQ(cell(page, 0, QStringLiteral("Waves")), QStringLiteral("2.00"));
  EXPECT_EQ(cell(page, 0, QStringLiteral("Last wave %")), QStringLiteral("100.0"));
  EXPECT_EQ(cell(page, 1, QStringLiteral("Waves")), QStringLiteral("0.50"));
}

TEST_F(PagesTest, OperatorsAsATreeOfCalls) {
  OperatorsPage page(m_session, m_theme);
  const QByteArray outer =
      R"({"ph":"X","cat":"cpu_op","name":"aten::matmul","pid":5,"tid":5,"ts":990.000,"dur":150.000,"args":{}},)";
  m_session.openFiles({write(QStringLiteral("a.json"), outer + launch(1000, "aten::bmm", "", 0, 1))});
  test::settle(page);
  page.setView(OperatorView::kCallTree);
  test::settle(page);
  ASSERT_EQ(page.model().rowCount(), 2);
  EXPECT_EQ(cell(page, 0, QStringLiteral("Operator")), QStringLiteral("aten::matmul"));
  EXPECT_EQ(cell(page, 0, QStringLiteral("Total CPU µs")), QStringLiteral("150.0"));
  EXPECT_EQ(cell(page, 0, QStringLiteral("Self CPU µs")), QStringLiteral("50.0"));
  EXPECT_EQ(page.model().depthOf(1), 1);
  page.tableView()->setCurrentIndex(page.model().index(0, 0));
  press(page, Qt::Key_Left);
  EXPECT_EQ(page.model().rowCount(), 1);
  press(page, Qt::Key_Right);
  EXPECT_EQ(page.model().rowCount(), 2);
  page.setView(OperatorView::kModules);
  test::settle(page);
  EXPECT_TRUE(page.model().rows().note.contains(QStringLiteral("with_stack=True")));
}

TEST_F(PagesTest, RecordsOfSelectionStepsAndMemory) {
  RecordsPage page(m_session, m_theme);
  const QByteArray step =
      R"({"ph":"X","cat":"user_annotation","name":"ProfilerStep#4","pid":5,"tid":5,"ts":900.000,"dur":5000.000,"args":{}},)";
  const QByteArray memory =
      R"({"ph":"i","s":"t","cat":"cpu_instant_event","name":"[memory]","pid":5,"tid":5,"ts":1005.000,)"
      R"("args":{"Total Allocated":4096,"Bytes":4096,"Addr":64,"Device Id":-1,"Device Type":0,"Total Reserved":0}},)";
  m_session.openFiles(
      {write(QStringLiteral("a.json"), step + launch(1000, "aten::mm", "gemm_kernel", 300, 1) + memory)});
  test::settle(page);
  EXPECT_EQ(page.stateTitle(), QStringLiteral("Nothing is selected"));
  const KernelTable& kernels = m_session.run(0)->tables()->kernels;
  m_session.selectSlice(0, kernels.rows[0].slices[0], SelectionOrigin::kTimeline);
  test::settle(page);
  ASSERT_EQ(page.model().rowCount(), 1);
  EXPECT_EQ(cell(page, 0, QStringLiteral("Slice")), QStringLiteral("gemm_kernel"));
  EXPECT_EQ(cell(page, 0, QStringLiteral("Duration µs")), QStringLiteral("300.0"));
  page.setView(RecordView::kSteps);
  test::settle(page);
  ASSERT_EQ(page.model().rowCount(), 1);
  EXPECT_EQ(cell(page, 0, QStringLiteral("Step")), QStringLiteral("ProfilerStep#4"));
  EXPECT_EQ(cell(page, 0, QStringLiteral("Kernels")), QStringLiteral("1"));
  page.setView(RecordView::kMemoryEvents);
  test::settle(page);
  ASSERT_EQ(page.model().rowCount(), 1);
  EXPECT_EQ(cell(page, 0, QStringLiteral("In operator")), QStringLiteral("aten::mm"));
  EXPECT_EQ(cell(page, 0, QStringLiteral("Event")), QStringLiteral("allocation"));
  page.tableView()->selectRow(0);
  EXPECT_EQ(m_session.run(0)->trace()->name(m_session.selection().leadSlice), "aten::mm");
}

TEST_F(PagesTest, ColumnsAreChosenAndKept) {
  KernelsPage page(m_session, m_theme);
  page.resize(1'900, 400);
  page.show();
  m_session.openFiles({deviceTrace(QStringLiteral("a.json"), 200)});
  test::settle(page);
  const auto isShown = [&page](const QString& head) {
    const RowTable& model = page.model();
    for (int column = 0; column < model.columnCount(); ++column) {
      if (model.headerData(column, Qt::Horizontal, Qt::DisplayRole).toString() == head) {
        return !page.tableView()->isColumnHidden(column);
      }
    }
    return false;
  };
  EXPECT_FALSE(isShown(QStringLiteral("Waves")));
  EXPECT_TRUE(isShown(QStringLiteral("Calls")));
  page.setColumnChoice({{QStringLiteral("Waves"), true}, {QStringLiteral("Calls"), false}});
  EXPECT_TRUE(isShown(QStringLiteral("Waves")));
  EXPECT_FALSE(isShown(QStringLiteral("Calls")));
  EXPECT_EQ(page.columnChoice().size(), 2);
}

TEST_F(PagesTest, ExportsAsCsvAndSaysWhatStandsInTheWay) {
  KernelsPage page(m_session, m_theme);
  m_session.openFiles({deviceTrace(QStringLiteral("a.json"), 200)});
  test::settle(page);
  QAction* exported = nullptr;
  for (QAction* action : page.tableActions()) {
    if (action->text().startsWith(QStringLiteral("Export"))) exported = action;
  }
  ASSERT_NE(exported, nullptr);
  const QString path = m_folder.filePath(QStringLiteral("kernels.csv"));
  page.setFileChooser([&path](QWidget*, const QString& suggestion) {
    EXPECT_EQ(suggestion, QStringLiteral("kernels.csv"));
    return path;
  });
  exported->trigger();
  QFile written(path);
  ASSERT_TRUE(written.open(QIODevice::ReadOnly));
  EXPECT_EQ(written.readAll().count('\n'), 3);
  EXPECT_TRUE(page.problem().isEmpty());
  page.setFileChooser(
      [this](QWidget*, const QString&) { return m_folder.filePath(QStringLiteral("no/such/folder.csv")); });
  exported->trigger();
  EXPECT_TRUE(page.problem().contains(QStringLiteral("could not be written")));
}

TEST_F(PagesTest, AWrongFilterIsSaidInTheFoot) {
  KernelsPage page(m_session, m_theme);
  m_session.openFiles({deviceTrace(QStringLiteral("a.json"), 200)});
  test::settle(page);
  page.setFilterText(QStringLiteral("total > 0.4ms"));
  EXPECT_EQ(page.model().rowCount(), 0);
  page.setFilterText(QStringLiteral("total > 250us"));
  EXPECT_EQ(page.model().rowCount(), 1);
  page.setFilterText(QStringLiteral("totl > 250us"));
  EXPECT_EQ(page.model().rowCount(), 1);
  EXPECT_TRUE(page.problem().contains(QStringLiteral("no column")));
  page.setFilterText({});
  EXPECT_EQ(page.model().rowCount(), 2);
  EXPECT_TRUE(page.problem().isEmpty());
}

}  // namespace
}  // namespace attnscope::ui
