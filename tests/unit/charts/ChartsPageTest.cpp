// SPDX-License-Identifier: GPL-3.0-or-later
#include <random>

#include <QAction>
#include <QApplication>
#include <QFile>
#include <QImage>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QTemporaryDir>

#include <gtest/gtest.h>

#include "tests/support/Pages.h"
#include "ui/bridge/Session.h"
#include "ui/charts/ChartsPage.h"
#include "ui/charts/FlameView.h"
#include "ui/charts/KindChart.h"
#include "ui/charts/SpreadChart.h"
#include "ui/theme/Theme.h"

namespace attnscope::ui {
namespace {

TEST(DurationSpread, EveryCallIsInOneBar) {
  std::mt19937 random(3);
  for (const int count : {1, 2, 25, 5'000}) {
    SpreadInput a{0, QStringLiteral("A"), {}};
    SpreadInput b{1, QStringLiteral("B"), {}};
    for (int i = 0; i < count; ++i) {
      a.durations.push_back(1'000 + static_cast<std::int64_t>(random() % 5'000));
      b.durations.push_back(static_cast<std::int64_t>(random() % 90'000));
    }
    const DurationSpread spread = durationSpread(QStringLiteral("k"), {a, b});
    EXPECT_LE(spread.bars, DurationSpread::kMostBars);
    ASSERT_EQ(spread.runs.size(), 2u);
    for (std::size_t r = 0; r < 2; ++r) {
      const RunSpread& run = spread.runs[r];
      double sum = 0;
      for (const double calls : run.counts) sum += calls;
      EXPECT_DOUBLE_EQ(sum, count);
      // Against a plain recount.
      const std::vector<std::int64_t>& durations = r == 0 ? a.durations : b.durations;
      for (int bar = 0; bar < spread.bars; ++bar) {
        const double from = spread.startNs + bar * spread.barNs;
        const auto inside = std::count_if(durations.begin(), durations.end(), [&](std::int64_t ns) {
          return static_cast<double>(ns) >= from && static_cast<double>(ns) < from + spread.barNs;
        });
        EXPECT_DOUBLE_EQ(run.counts[static_cast<std::size_t>(bar)], static_cast<double>(inside));
      }
      EXPECT_LE(run.steps.size(), 2 * DurationSpread::kMostSteps);
      EXPECT_DOUBLE_EQ(run.steps.back().share, 1);
      for (const RunSpread::Step& step : run.steps) {
        const auto upTo = std::count_if(durations.begin(), durations.end(),
                                        [&](std::int64_t ns) { return static_cast<double>(ns) <= step.ns; });
        EXPECT_DOUBLE_EQ(step.share, static_cast<double>(upTo) / count);
      }
    }
  }
}

TEST(DurationSpread, WithoutCallsThereIsNothing) {
  const DurationSpread spread = durationSpread(QStringLiteral("k"), {{0, QStringLiteral("A"), {}}});
  EXPECT_EQ(spread.bars, 0);
  EXPECT_TRUE(spread.runs.empty());
}

TEST(DurationSpread, EqualCallsShareOneBar) {
  const DurationSpread spread = durationSpread(QStringLiteral("k"), {{0, QStringLiteral("A"), {7, 7, 7}}});
  EXPECT_EQ(spread.bars, 1);
  EXPECT_EQ(spread.runs[0].median, 7);
  EXPECT_EQ(spread.runs[0].steps.size(), 1u);
}

// aten::matmul of 150 us with aten::bmm of 100 us in it, and aten::add of 50 us.
constexpr const char* kHost = R"({"traceEvents":[
{"ph":"X","cat":"cpu_op","name":"aten::matmul","pid":5,"tid":5,"ts":1000.000,"dur":150.000,"args":{}},
{"ph":"X","cat":"cpu_op","name":"aten::bmm","pid":5,"tid":5,"ts":1010.000,"dur":100.000,"args":{}},
{"ph":"X","cat":"cpu_op","name":"aten::add","pid":5,"tid":5,"ts":1200.000,"dur":50.000,"args":{}}]})";

class ChartsPageTest : public testing::Test {
 protected:
  ChartsPageTest() { m_theme.apply(*qApp, ThemeChoice::kLight); }

  QString write(const QString& name, const char* text) { return test::writeText(m_folder.filePath(name), text); }
  SliceId sliceOf(const char* name) const {
    const Trace& trace = *m_session.run(0)->trace();
    for (std::uint32_t i = 0; i < trace.slices.size(); ++i) {
      if (trace.name(SliceId{i}) == name) return SliceId{i};
    }
    return kNoSlice;
  }

  Theme m_theme;
  QTemporaryDir m_folder;
  Session m_session;
};

TEST_F(ChartsPageTest, DistributionIsOfTheSelectedName) {
  ChartsPage page(m_session, m_theme);
  m_session.openFiles({write(QStringLiteral("a.json"), kHost)});
  test::settle(page);
  EXPECT_EQ(page.stateTitle(), QStringLiteral("Nothing is selected"));
  m_session.selectSlice(0, sliceOf("aten::add"), SelectionOrigin::kTimeline);
  test::settle(page);
  EXPECT_TRUE(page.stateTitle().isEmpty());
  const DurationSpread& spread = page.distribution()->spread();
  ASSERT_EQ(spread.runs.size(), 1u);
  EXPECT_EQ(spread.runs[0].calls, 1u);
  EXPECT_EQ(spread.runs[0].median, 50'000);
  EXPECT_DOUBLE_EQ(spread.markNs, 50'000);
  EXPECT_TRUE(page.heading().startsWith(QStringLiteral("aten::add")));
}

TEST_F(ChartsPageTest, KindsSumToTheOperators) {
  ChartsPage page(m_session, m_theme);
  m_session.openFiles({write(QStringLiteral("a.json"), kHost)});
  page.showChart(ChartKind::kKinds);
  test::settle(page);
  const KindTimes& times = page.kinds()->times();
  EXPECT_FALSE(times.byDevice);
  std::int64_t sum = 0;
  for (const KindTimes::Kind& kind : times.kinds) sum += kind.ns[0];
  EXPECT_EQ(sum, 200'000);
  EXPECT_EQ(times.kinds.front().kind, WorkKind::kGemm);
}

TEST_F(ChartsPageTest, FlameIsWalkedByKeysAndSelectsByClick) {
  ChartsPage page(m_session, m_theme);
  page.resize(1'000, 400);
  m_session.openFiles({write(QStringLiteral("a.json"), kHost)});
  page.showChart(ChartKind::kFlame);
  test::settle(page);
  page.show();
  FlameView& flame = *page.flame();
  const FlameGraph& graph = flame.graph();
  ASSERT_EQ(graph.boxes.size(), 3u);
  EXPECT_EQ(graph.depths, 2);
  EXPECT_EQ(graph.wholeNs, 200'000);
  EXPECT_EQ(graph.name(0), QStringLiteral("aten::matmul"));
  EXPECT_DOUBLE_EQ(graph.boxes[0].width, 0.75);
  EXPECT_EQ(graph.boxes[2].parent, 0u);
  EXPECT_EQ(graph.boxAt(0, 0.8), 1u);
  EXPECT_EQ(graph.boxAt(1, 0.6), FlameBox::kNone);
  const auto press = [&flame](int key) {
    QKeyEvent event(QEvent::KeyPress, key, Qt::NoModifier);
    QApplication::sendEvent(&flame, &event);
  };
  press(Qt::Key_Down);
  EXPECT_EQ(flame.current(), 0u);
  press(Qt::Key_Down);
  EXPECT_EQ(flame.current(), 2u);
  EXPECT_TRUE(flame.words().startsWith(QStringLiteral("aten::bmm, 100.0 µs, 50.0 % of all")))
      << qPrintable(flame.words());
  press(Qt::Key_Return);
  EXPECT_EQ(flame.zoomed(), 2u);
  EXPECT_EQ(flame.boxRect(2).width(), flame.viewport()->width());
  press(Qt::Key_Backspace);
  EXPECT_EQ(flame.zoomed(), 0u);
  press(Qt::Key_Home);
  EXPECT_EQ(flame.zoomed(), FlameBox::kNone);
  press(Qt::Key_Up);
  press(Qt::Key_Right);
  EXPECT_EQ(flame.current(), 1u);
  press(Qt::Key_Space);
  EXPECT_EQ(m_session.selection().words, QStringLiteral("aten::add"));
  EXPECT_EQ(m_session.selection().origin, SelectionOrigin::kChart);
  const QPointF at = QRectF(flame.boxRect(0)).center();
  QMouseEvent click(QEvent::MouseButtonPress, at, flame.viewport()->mapToGlobal(at), Qt::LeftButton, Qt::LeftButton,
                    Qt::NoModifier);
  QApplication::sendEvent(flame.viewport(), &click);
  EXPECT_EQ(m_session.selection().words, QStringLiteral("aten::matmul"));
}

TEST_F(ChartsPageTest, ChartsAreSavedAsPictures) {
  ChartsPage page(m_session, m_theme);
  page.resize(800, 300);
  m_session.openFiles({write(QStringLiteral("a.json"), kHost)});
  page.show();
  const auto saved = [&](int action, const QString& name) {
    const QString path = m_folder.filePath(name);
    page.setFileChooser([path](QWidget*, const QString&, const QString&) { return path; });
    page.chartActions()[action]->trigger();
    return path;
  };
  page.showChart(ChartKind::kKinds);
  test::settle(page);
  EXPECT_FALSE(QImage(saved(1, QStringLiteral("kinds.png"))).isNull());
  QFile svg(saved(2, QStringLiteral("kinds.svg")));
  ASSERT_TRUE(svg.open(QIODevice::ReadOnly));
  const QByteArray drawing = svg.readAll();
  EXPECT_TRUE(drawing.contains("<svg"));
  EXPECT_TRUE(drawing.contains("GEMM")) << drawing.left(2'000).constData();
  page.showChart(ChartKind::kFlame);
  test::settle(page);
  EXPECT_FALSE(QImage(saved(1, QStringLiteral("flame.png"))).isNull());
  EXPECT_FALSE(page.chartActions()[2]->isEnabled());
  saved(1, QStringLiteral("no/such/flame.png"));
  EXPECT_TRUE(page.heading().contains(QStringLiteral("could not be written")));
}

TEST_F(ChartsPageTest, SaysWhatIsMissing) {
  ChartsPage page(m_session, m_theme);
  m_session.openFiles({write(QStringLiteral("empty.json"), R"({"schemaVersion":1,"traceEvents":[]})")});
  page.showChart(ChartKind::kFlame);
  test::settle(page);
  EXPECT_EQ(page.stateTitle(), QStringLiteral("No operators recorded"));
  page.showChart(ChartKind::kKinds);
  test::settle(page);
  EXPECT_EQ(page.stateTitle(), QStringLiteral("No kernels and no operators recorded"));
}

}  // namespace
}  // namespace attnscope::ui
