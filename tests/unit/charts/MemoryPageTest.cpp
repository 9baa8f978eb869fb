// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/MemoryPage.h"

#include <QApplication>
#include <QComboBox>
#include <QTemporaryDir>

#include <gtest/gtest.h>

#include "tests/support/Pages.h"
#include "ui/bridge/Session.h"
#include "ui/bridge/ViewState.h"
#include "ui/charts/MemoryChart.h"
#include "ui/charts/PeakTable.h"
#include "ui/theme/Theme.h"

namespace attnscope::ui {
namespace {

class MemoryPageTest : public testing::Test {
 protected:
  void SetUp() override { m_theme.apply(*qApp, ThemeChoice::kDark); }

  static QByteArray record(int at, int bytes, int total, int type) {
    return QStringLiteral(
               R"({"ph":"i","s":"t","cat":"cpu_instant_event","name":"[memory]","pid":5,"tid":5,"ts":%1.000,)"
               R"("args":{"Total Reserved":8192,"Total Allocated":%2,"Bytes":%3,"Addr":4096,"Device Id":%4,)"
               R"("Device Type":%5}},)")
        .arg(at)
        .arg(total)
        .arg(bytes)
        .arg(type == 0 ? -1 : 0)
        .arg(type)
        .toUtf8();
  }
  QString write(const QString& name, const QByteArray& events, const QByteArray& head = {}) {
    return test::writeText(
        m_folder.filePath(name),
        "{" + head + R"("schemaVersion": 1, "traceEvents": [)" + events +
            R"({"ph":"X","cat":"cpu_op","name":"aten::_softmax","pid":5,"tid":5,"ts":1000.000,"dur":900.000,)"
            R"("args":{"External id":1}},)"
            R"({"ph":"M","name":"process_name","pid":5,"tid":0,"args":{"name":"python"}}]})");
  }

  Theme m_theme;
  QTemporaryDir m_folder;
  Session m_session;
  ViewState m_view;
};

TEST_F(MemoryPageTest, ShowsThePeakAndWhoHoldsIt) {
  MemoryPage page(m_session, m_view, m_theme);
  page.resize(600, 300);
  m_session.openFiles({write(QStringLiteral("a.json"), record(1100, 1024, 1024, 0) + record(1200, 2048, 3072, 0) +
                                                           record(1300, -2048, 1024, 0))});
  test::settle(page);
  EXPECT_TRUE(page.stateTitle().isEmpty());
  ASSERT_EQ(page.chart()->runs().size(), 1u);
  const MemoryRun& run = page.chart()->runs().front();
  EXPECT_EQ(run.peakBytes, 3072);
  EXPECT_TRUE(run.holder.contains(QStringLiteral("aten::_softmax"))) << run.holder.toStdString();
  EXPECT_EQ(run.allocated.values(), (std::vector<double>{1024, 3072, 1024}));
}

TEST_F(MemoryPageTest, ARunOfTheLabShowsWhatItsCardPredicts) {
  RunPlan plan;
  plan.implementations = {"naive.plain", "sdpa.flash"};
  auto result = std::make_shared<RunResult>(startedResult(plan));
  MemoryPage page(m_session, m_view, m_theme);
  page.resize(600, 300);
  m_session.addMeasurement(result, {},
                           {write(QStringLiteral("a.json"), record(1100, 1024, 1024, 0)),
                            write(QStringLiteral("b.json"), record(1100, 512, 512, 0))});
  test::settle(page);
  ASSERT_EQ(page.chart()->runs().size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    const MemoryRun& run = page.chart()->runs()[i];
    ASSERT_TRUE(result->implementations[i].predictedPeakBytes);
    EXPECT_EQ(run.predictedBytes, static_cast<double>(*result->implementations[i].predictedPeakBytes));
    EXPECT_FALSE(run.predictionWords.isEmpty());
  }
}

TEST_F(MemoryPageTest, TheAcceleratorIsShownFirstWhereThereIsOne) {
  MemoryPage page(m_session, m_view, m_theme);
  m_session.openFiles({write(QStringLiteral("a.json"), record(1100, 1024, 1024, 0) + record(1200, 2048, 2048, 1))});
  test::settle(page);
  EXPECT_EQ(page.device(), QStringLiteral("cuda:0"));
  ASSERT_EQ(page.chart()->runs().size(), 1u);
  EXPECT_EQ(page.chart()->runs().front().peakBytes, 2048);
  EXPECT_FALSE(page.chart()->runs().front().reserved.isEmpty());
}

TEST_F(MemoryPageTest, SaysWhyThereIsNoMemory) {
  MemoryPage page(m_session, m_view, m_theme);
  m_session.openFiles({write(QStringLiteral("a.json"), {}, R"("profile_memory": 1, )")});
  test::settle(page);
  EXPECT_EQ(page.stateTitle(), QStringLiteral("No memory events in this trace"));
}

TEST_F(MemoryPageTest, DataInViewIsCopiedInAlignedTime) {
  MemoryPage page(m_session, m_view, m_theme);
  page.resize(600, 300);
  m_session.openFiles({write(QStringLiteral("a.json"), record(1100, 1024, 1024, 0) + record(1200, 2048, 3072, 0))});
  test::settle(page);
  m_view.setExtent(m_session.alignedExtent());
  m_view.showAll();
  const std::int64_t first = m_session.run(0)->facts()->memory.front().atNs.front() - m_session.anchorNs(0);
  EXPECT_TRUE(page.chart()->dataInView().contains(QStringLiteral("A\t%1\t1024\t").arg(first)))
      << page.chart()->dataInView().toStdString();
}

// Four runs with peaks at nearly the same level, predictions among them and lines through everything.
TEST_F(MemoryPageTest, WordsStandWhereNoLineAndNoOtherWordsAre) {
  RunPlan plan;
  plan.implementations = {"naive.plain", "naive.inplace", "sdpa.math", "sdpa.flash"};
  auto result = std::make_shared<RunResult>(startedResult(plan));
  MemoryPage page(m_session, m_view, m_theme);
  QStringList files;
  for (int run = 0; run < 4; ++run) {
    QByteArray records;
    for (int i = 0; i < 60; ++i) {
      const int level = (i % (7 + run)) * 3'000'000 + run * 500'000;
      records += record(1000 + 15 * i, level, level, 0);
    }
    files << write(QStringLiteral("%1.json").arg(run), records);
  }
  m_session.addMeasurement(result, {}, files);
  test::settle(page);
  m_view.setExtent(m_session.alignedExtent());
  m_view.showAll();
  for (const QSize size : {QSize(1200, 300), QSize(1200, 180), QSize(480, 260), QSize(900, 600)}) {
    page.resize(size);
    page.grab();
    test::settle(page);
    const std::vector<QRectF> places = page.chart()->labelPlaces();
    EXPECT_GE(places.size(), 4u) << size.width();
    for (std::size_t a = 0; a < places.size(); ++a) {
      EXPECT_FALSE(page.chart()->isCrossed(places[a])) << size.width() << " label " << a;
      EXPECT_TRUE(QRectF(page.chart()->rect()).contains(places[a])) << size.width() << " label " << a;
      for (std::size_t b = a + 1; b < places.size(); ++b) {
        const QRectF both = places[a].intersected(places[b]);
        EXPECT_TRUE(both.width() < 1 || both.height() < 1) << size.width() << " labels " << a << " and " << b;
      }
    }
  }
}

TEST_F(MemoryPageTest, TwoRunsShowTheirDifferenceAndMoreRunsThePickedOne) {
  MemoryPage page(m_session, m_view, m_theme);
  page.resize(600, 300);
  m_session.openFiles({write(QStringLiteral("a.json"), record(1100, 1024, 1024, 0)),
                       write(QStringLiteral("b.json"), record(1100, 512, 512, 0) + record(1200, 4096, 4608, 0))});
  test::settle(page);
  ASSERT_TRUE(page.chart()->difference());
  const MemoryDifference& difference = *page.chart()->difference();
  EXPECT_EQ(difference.words, QStringLiteral("B − A"));
  EXPECT_EQ(difference.series.range().low, -512);
  EXPECT_EQ(difference.series.range().high, 4608 - 1024);
  m_session.openFiles({write(QStringLiteral("c.json"), record(1150, 3072, 3072, 0))});
  test::settle(page);
  EXPECT_FALSE(page.chart()->difference());
  page.differences().setCurrentIndex(2);
  Q_EMIT page.differences().activated(2);
  test::settle(page);
  ASSERT_TRUE(page.chart()->difference());
  EXPECT_EQ(page.chart()->difference()->words, QStringLiteral("C − A"));
  const std::int64_t before = page.chart()->difference()->series.atNs().front();
  m_session.moveRunBy(2, 20'000);
  test::settle(page);
  EXPECT_EQ(page.chart()->difference()->series.atNs().front(), before + 20'000) << "later by what it was moved";
}

TEST_F(MemoryPageTest, TheTableSetsMeasuredAgainstPredicted) {
  RunPlan plan;
  plan.problem.heads = 2;
  plan.problem.keyValueHeads = 2;
  plan.problem.queryLength = 512;
  plan.problem.keyValueLength = 256;
  plan.implementations = {"naive.plain", "sdpa.flash"};
  auto result = std::make_shared<RunResult>(startedResult(plan));
  result->implementations[0].predictedPeakBytes = 4 << 20;
  result->implementations[0].peakBytes = 5 << 20;
  MemoryPage page(m_session, m_view, m_theme);
  m_session.addMeasurement(result, {},
                           {write(QStringLiteral("a.json"), record(1100, 1024, 1024, 0)),
                            write(QStringLiteral("b.json"), record(1100, 512, 512, 0))});
  test::settle(page);
  const PeakCells& cells = page.peaks().cells();
  ASSERT_EQ(cells.lines.size(), 3u);
  EXPECT_EQ(cells.lines[0].texts.mid(1, 3),
            (QStringList{QStringLiteral("5.00 MiB"), QStringLiteral("4.00 MiB"), QStringLiteral("125.0 %")}));
  EXPECT_EQ(cells.lines[1].texts[cells.heads.indexOf(QStringLiteral("vs A"))], QStringLiteral("−50.0 %"));
  EXPECT_TRUE(cells.lines[2].texts[0].contains(QStringLiteral("1 × 2 × 512 × 256 × 4")))
      << cells.lines[2].texts[0].toStdString();
  EXPECT_EQ(cells.lines[2].texts[2], QStringLiteral("1.00 MiB"));
}

}  // namespace
}  // namespace attnscope::ui
