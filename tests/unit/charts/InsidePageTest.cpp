// SPDX-License-Identifier: GPL-3.0-or-later
// The Inside tab, on a trace written here: 4 queries of 2 query heads that share a head of keys, causal, in tiles of
// 2 queries by 2 keys, by two workers.
#include <chrono>
#include <cmath>
#include <thread>

#include <QApplication>
#include <QElapsedTimer>
#include <QFile>
#include <QImage>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QTemporaryDir>

#include <gtest/gtest.h>

#include "ui/bridge/Session.h"
#include "ui/charts/InsidePage.h"
#include "ui/charts/RowChart.h"
#include "ui/charts/TileMapView.h"
#include "ui/theme/Theme.h"

namespace attnscope::ui {
namespace {

// The three slices of a tile, one microsecond each.
QString tile(int at, int worker, int q0, int k0, const QString& states) {
  QString text;
  int start = at;
  for (const char* step : {"scores", "softmax", "weighted_sum"}) {
    text += QStringLiteral(R"({"ph":"X","cat":"tile","name":"%1","pid":5,"tid":%2,"ts":%3,"dur":1,"args":{"q0":%4,)"
                           R"("q1":%5,"k0":%6,"k1":%7,"head":0,"sequence":0,"row0":%8,"rows":4%9}},)")
                .arg(QLatin1String(step))
                .arg(100 + worker)
                .arg(start++)
                .arg(q0)
                .arg(q0 + 2)
                .arg(k0)
                .arg(k0 + 2)
                .arg(2 * q0)
                .arg(QLatin1String(step) == QLatin1String("softmax") ? states : QString());
  }
  return text;
}

QString inside(int worker, int at, int length) {
  return QStringLiteral(R"({"ph":"X","cat":"tile","name":"inside view","pid":5,"tid":%1,"ts":%2,"dur":%3,"args":{)"
                        R"("slices":6,"slices_of_all":9,"slices_by_formula":9,"covered":0.98,"cost_of_watching":0.012,)"
                        R"("workers":2,"group":2,"queries":4,"keys":4}},)")
      .arg(100 + worker)
      .arg(at)
      .arg(length);
}

QString withTiles() {
  return QStringLiteral(R"({"traceEvents":[)") + inside(0, 1000, 7) +
         tile(1000, 0, 2, 0, QStringLiteral(R"(,"max":[1,2,3,4],"sum":[1.5,1,1,1])")) +
         tile(1003, 0, 2, 2, QStringLiteral(R"(,"max":[1,5,3,4],"sum":[2.5,1.25,1,1])")) + inside(1, 1001, 4) +
         tile(1001, 1, 0, 0, QStringLiteral(R"(,"max":[null,1,1,1],"sum":[0,1,1,1])")) +
         QStringLiteral(R"({"ph":"X","cat":"cpu_op","name":"aten::empty","pid":5,"tid":5,"ts":990,"dur":2}]})");
}

class InsidePageTest : public testing::Test {
 protected:
  InsidePageTest() {
    m_theme.apply(*qApp, ThemeChoice::kLight);
    m_page.resize(1000, 300);
    m_page.show();
  }

  void open(const QString& name, const QString& text) {
    QFile file(m_folder.filePath(name));
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    file.write(text.toUtf8());
    file.close();
    m_session.openFiles({file.fileName()});
    settle();
  }
  void settle() {
    QElapsedTimer timer;
    timer.start();
    do {
      QCoreApplication::processEvents(QEventLoop::AllEvents, 10);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    } while ((m_session.isBusy() || !m_page.isSettled()) && timer.elapsed() < 20'000);
    ASSERT_TRUE(m_page.isSettled());
  }
  // The tile of these queries and keys, by its place in the order of time.
  [[nodiscard]] std::size_t tileAt(int query, int key) const {
    const std::vector<Tile>& tiles = m_page.map()->map().tiles;
    for (std::size_t i = 0; i < tiles.size(); ++i) {
      if (tiles[i].firstQuery == query && tiles[i].firstKey == key) return i;
    }
    return tiles.size();
  }
  void press(int key) {
    QKeyEvent event(QEvent::KeyPress, key, Qt::NoModifier);
    QCoreApplication::sendEvent(m_page.map(), &event);
  }
  void click(QPointF at) {
    QMouseEvent event(QEvent::MouseButtonPress, at, m_page.map()->mapToGlobal(at), Qt::LeftButton, Qt::LeftButton,
                      Qt::NoModifier);
    QCoreApplication::sendEvent(m_page.map(), &event);
  }

  Theme m_theme;
  QTemporaryDir m_folder;
  Session m_session;
  InsidePage m_page{m_session, m_theme};
};

TEST_F(InsidePageTest, IsWantedWhereATraceHasTilesAlone) {
  int changes = 0;
  QObject::connect(&m_page, &InsidePage::wantedChanged, &m_page, [&changes] { ++changes; });
  open(QStringLiteral("plain.json"),
       QStringLiteral(R"({"traceEvents":[{"ph":"X","cat":"cpu_op","name":"tile","pid":5,"tid":5,"ts":1,"dur":2}]})"));
  EXPECT_FALSE(m_page.isWanted());
  EXPECT_EQ(changes, 0);
  open(QStringLiteral("tiles.json"), withTiles());
  EXPECT_TRUE(m_page.isWanted());
  EXPECT_EQ(changes, 1);
  m_session.closeAll();
  settle();
  EXPECT_FALSE(m_page.isWanted());
  EXPECT_EQ(changes, 2);
  EXPECT_TRUE(m_page.map()->map().tiles.empty());
}

TEST_F(InsidePageTest, ReadsTilesAndFacts) {
  open(QStringLiteral("tiles.json"), withTiles());
  const TileMap& map = m_page.map()->map();
  ASSERT_EQ(map.tiles.size(), 3u);
  EXPECT_EQ(map.queries, 4);
  EXPECT_EQ(map.keys, 4);
  EXPECT_EQ(map.group, 2);
  EXPECT_EQ(map.heads, 1);
  EXPECT_EQ(map.workers, 2);
  EXPECT_EQ(map.tiles[0].worker, 0);
  EXPECT_EQ(map.tiles[1].worker, 1);
  EXPECT_EQ(map.tiles[0].endNs - map.tiles[0].startNs, 3'000);
  for (const Tile& tile : map.tiles) {
    for (const SliceId slice : tile.slices) EXPECT_EQ(map.tileOf(slice), &tile - map.tiles.data());
  }
  EXPECT_FALSE(map.tileOf(kNoSlice).has_value());
  EXPECT_TRUE(m_page.heading().contains(QStringLiteral("3 tiles"))) << m_page.heading().toStdString();
  EXPECT_TRUE(m_page.heading().contains(QStringLiteral("as the masks ask for")));
  EXPECT_TRUE(m_page.heading().contains(QStringLiteral("98")));
}

TEST_F(InsidePageTest, WhatNoTileHoldsIsHatched) {
  open(QStringLiteral("tiles.json"), withTiles());
  m_page.map()->setColouring(TileColouring::kWorker);
  const QImage image = m_page.map()->grab().toImage();
  const double ratio = image.devicePixelRatio();
  const auto coloured = [&](const QRectF& box, const QColor& colour) {
    int count = 0;
    for (int y = static_cast<int>(box.top() * ratio) + 3; y < box.bottom() * ratio - 3; ++y) {
      for (int x = static_cast<int>(box.left() * ratio) + 3; x < box.right() * ratio - 3; ++x) {
        if (image.pixelColor(x, y).rgb() == colour.rgb()) ++count;
      }
    }
    return count / (box.width() * box.height() * ratio * ratio);
  };
  EXPECT_GT(coloured(m_page.map()->tileRect(tileAt(2, 0)), m_theme.run(0)), 0.7);
  EXPECT_GT(coloured(m_page.map()->tileRect(tileAt(0, 0)), m_theme.run(1)), 0.7);
  const QRectF all = m_page.map()->mapRect();
  const QRectF skipped(all.center().x(), all.top(), all.width() / 2, all.height() / 2);
  const QColor hatch = m_theme.colour(QStringLiteral("border.strong"));
  EXPECT_GT(coloured(skipped, hatch), 0.05);
  EXPECT_LT(coloured(skipped, hatch), 0.6);
  EXPECT_LT(coloured(m_page.map()->tileRect(tileAt(2, 0)), hatch), 0.02);
}

TEST_F(InsidePageTest, ByTimeLaterTilesAreFuller) {
  open(QStringLiteral("tiles.json"), withTiles());
  const TileMapView& view = *m_page.map();
  EXPECT_GT(view.fillOf(0).lightness(), view.fillOf(1).lightness());
  EXPECT_GT(view.fillOf(1).lightness(), view.fillOf(2).lightness());
}

TEST_F(InsidePageTest, ATileThatIsChosenIsSelectedInTheSession) {
  open(QStringLiteral("tiles.json"), withTiles());
  const std::size_t wanted = tileAt(2, 2);
  click(m_page.map()->tileRect(wanted).center());
  const Selection& selection = m_session.selection();
  ASSERT_FALSE(selection.isEmpty());
  const Tile& tile = m_page.map()->map().tiles[wanted];
  EXPECT_EQ(selection.leadSlice, tile.slices[0]);
  EXPECT_EQ(selection.origin, SelectionOrigin::kChart);
  ASSERT_NE(selection.slicesOf(0), nullptr);
  EXPECT_EQ(selection.slicesOf(0)->size(), 3u);
  EXPECT_EQ(m_page.map()->selected(), std::set<std::size_t>{wanted});
  EXPECT_EQ(m_page.row().query, 3) << "its middle lies at the last query";
}

TEST_F(InsidePageTest, ASliceThatIsSelectedElsewhereIsShownHere) {
  open(QStringLiteral("tiles.json"), withTiles());
  const std::size_t wanted = tileAt(0, 0);
  m_session.selectSlice(0, m_page.map()->map().tiles[wanted].slices[1], SelectionOrigin::kTimeline);
  EXPECT_EQ(m_page.map()->selected(), std::set<std::size_t>{wanted});
  EXPECT_EQ(m_page.row().query, 0) << "its first row";
  m_session.clearSelection();
  EXPECT_TRUE(m_page.map()->selected().empty());
}

TEST_F(InsidePageTest, KeysWalkAndChoose) {
  open(QStringLiteral("tiles.json"), withTiles());
  press(Qt::Key_Right);  // to the first
  ASSERT_TRUE(m_page.map()->current().has_value());
  EXPECT_EQ(*m_page.map()->current(), tileAt(2, 0));
  press(Qt::Key_Right);
  EXPECT_EQ(*m_page.map()->current(), tileAt(2, 2));
  press(Qt::Key_Right);
  EXPECT_EQ(*m_page.map()->current(), tileAt(2, 2)) << "nothing lies further";
  press(Qt::Key_Left);
  press(Qt::Key_Up);
  EXPECT_EQ(*m_page.map()->current(), tileAt(0, 0));
  EXPECT_TRUE(m_page.heading().startsWith(QStringLiteral("Tile 2 of 3, queries 0 to 1, keys 0 to 1, worker 1")))
      << m_page.heading().toStdString();
  press(Qt::Key_Return);
  EXPECT_EQ(m_session.selection().leadSlice, m_page.map()->map().tiles[tileAt(0, 0)].slices[0]);
}

TEST_F(InsidePageTest, ARowsLargestScoreAndSumFollowItsTiles) {
  open(QStringLiteral("tiles.json"), withTiles());
  m_page.showRow({0, 1, 2});  // row 5: the second of the tiles' rows
  std::vector<RowPoint> points = m_page.chart()->points();
  ASSERT_EQ(points.size(), 2u);
  EXPECT_EQ(points[0].endKey, 2);
  EXPECT_EQ(points[0].largest, 2);
  EXPECT_EQ(points[1].endKey, 4);
  EXPECT_EQ(points[1].largest, 5);
  EXPECT_EQ(points[1].sum, 1.25);
  EXPECT_EQ(m_page.chart()->data().count(QLatin1Char('\n')), 3);
  m_page.showRow({0, 0, 0});
  points = m_page.chart()->points();
  ASSERT_EQ(points.size(), 1u);
  EXPECT_TRUE(std::isnan(points[0].largest)) << "it has seen no key";
}

TEST_F(InsidePageTest, WithoutStatesItSaysSo) {
  open(QStringLiteral("tiles.json"), QStringLiteral(R"({"traceEvents":[)") + inside(0, 1000, 3) +
                                         tile(1000, 0, 0, 0, QString()) +
                                         QStringLiteral(R"({"ph":"X","name":"x","pid":5,"tid":5,"ts":990,"dur":2}]})"));
  EXPECT_TRUE(m_page.chart()->points().empty());
  EXPECT_EQ(m_page.map()->map().tiles.size(), 1u);
}

// Args that say too little make no tile, and nothing breaks.
TEST_F(InsidePageTest, TilesWithoutTheirPlaceAreLeftOut) {
  open(QStringLiteral("tiles.json"), QStringLiteral(R"({"traceEvents":[
{"ph":"X","cat":"tile","name":"softmax","pid":5,"tid":5,"ts":1,"dur":1},
{"ph":"X","cat":"tile","name":"scores","pid":5,"tid":5,"ts":3,"dur":1,"args":{"q0":0,"q1":0}},
{"ph":"X","cat":"tile","name":"weighted_sum","pid":5,"tid":5,"ts":5,"dur":1}]})"));
  EXPECT_TRUE(m_page.isWanted());
  EXPECT_TRUE(m_page.map()->map().tiles.empty());
  press(Qt::Key_Right);
  click(m_page.map()->mapRect().center());
}

}  // namespace
}  // namespace attnscope::ui
