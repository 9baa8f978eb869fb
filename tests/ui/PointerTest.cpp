// SPDX-License-Identifier: GPL-3.0-or-later
// What the pointer does on tracks, names, ruler and overview, with real events.
#include <QContextMenuEvent>
#include <QLineEdit>
#include <QMenu>
#include <QNativeGestureEvent>
#include <QTemporaryDir>
#include <QWheelEvent>

#include <gtest/gtest.h>

#include "TestWindow.h"
#include "WorkTrace.h"
#include "ui/shell/Details.h"
#include "ui/timeline/OverviewStrip.h"
#include "ui/timeline/Ruler.h"
#include "ui/timeline/TimelineView.h"

namespace attnscope::ui {
namespace {

using test::TestWindow;

class Pointer : public testing::Test {
 protected:
  void SetUp() override {
    timeline().setReducedMotion(true);
    ASSERT_TRUE(m_test.open(
        {test::writeFile(m_folder.filePath(QStringLiteral("trace.json")), test::workTraceJson(test::WorkTrace{}))}));
    m_pane = const_cast<TimelinePane*>(timeline().pane(0));
    m_ruler = m_test.window.findChild<Ruler*>();
    m_overview = m_test.window.findChild<OverviewStrip*>();
  }

  SliceId named(std::string_view name, int which = 0) {
    const Trace& trace = *session().run(0)->trace();
    for (std::uint32_t at = 0; at < trace.slices.size(); ++at) {
      if (trace.name(SliceId{at}) == name && which-- == 0) return SliceId{at};
    }
    return kNoSlice;
  }
  QPoint placeOf(SliceId slice) { return m_pane->mapFrom(&timeline(), timeline().sliceRect(0, slice).center()); }

  void drag(QWidget* on, QPoint from, QPoint to, Qt::MouseButton button = Qt::LeftButton,
            Qt::KeyboardModifiers modifiers = {}) {
    QTest::mousePress(on, button, modifiers, from);
    for (int step = 1; step <= 4; ++step) {
      const QPoint at = from + (to - from) * step / 4;
      QMouseEvent move(QEvent::MouseMove, QPointF(at), on->mapToGlobal(QPointF(at)), Qt::NoButton, button, modifiers);
      QApplication::sendEvent(on, &move);
    }
    QTest::mouseRelease(on, button, modifiers, to);
  }
  void wheel(QWidget* on, QPoint at, int delta, Qt::KeyboardModifiers modifiers) {
    QWheelEvent event(QPointF(at), on->mapToGlobal(QPointF(at)), {}, {0, delta}, Qt::NoButton, modifiers,
                      Qt::NoScrollPhase, false);
    QApplication::sendEvent(on, &event);
  }

  Session& session() { return m_test.window.session(); }
  ViewState& view() { return m_test.window.view(); }
  TimelineView& timeline() { return m_test.window.timeline(); }
  int header() { return timeline().state().headerWidth(); }

  QTemporaryDir m_folder;
  TestWindow m_test{{1440, 900}};
  TimelinePane* m_pane = nullptr;
  Ruler* m_ruler = nullptr;
  OverviewStrip* m_overview = nullptr;
};

TEST_F(Pointer, MovingShowsHoverAndCursor) {
  const SliceId kernel = named("softmax_warp_forward");
  QTest::mouseMove(m_pane, QPoint(header() + 2, 2));
  QTest::mouseMove(m_pane, placeOf(kernel));
  QTest::qWait(1);
  EXPECT_EQ(timeline().state().hovered().slice, kernel);
  EXPECT_TRUE(view().hasCursor());
}

TEST_F(Pointer, ClicksSelectAddAndLetGo) {
  const SliceId kernel = named("softmax_warp_forward");
  const SliceId other = named("softmax_warp_forward", 1);
  QTest::mouseClick(m_pane, Qt::LeftButton, {}, placeOf(kernel));
  EXPECT_EQ(session().selection().leadSlice, kernel);
  QTest::mouseClick(m_pane, Qt::LeftButton, Qt::ControlModifier, placeOf(other));
  ASSERT_TRUE(session().selection().slicesOf(0));
  EXPECT_EQ(*session().selection().slicesOf(0), (std::vector<SliceId>{kernel, other}));
  EXPECT_EQ(session().selection().leadSlice, other);
  QTest::mouseClick(m_pane, Qt::LeftButton, Qt::ControlModifier, placeOf(other));
  EXPECT_EQ(*session().selection().slicesOf(0), (std::vector<SliceId>{kernel}));
  QTest::mouseClick(m_pane, Qt::LeftButton, {}, QPoint(m_pane->width() - 30, placeOf(kernel).y()));
  EXPECT_TRUE(session().selection().isEmpty());
}

TEST_F(Pointer, DoubleClickSelectsAndFits) {
  const SliceId kernel = named("softmax_warp_forward");
  QTest::mouseDClick(m_pane, Qt::LeftButton, {}, placeOf(kernel));
  EXPECT_EQ(session().selection().leadSlice, kernel);
  EXPECT_NEAR(view().spanNs(), 60'000 * 1.16, 10);
  EXPECT_TRUE(m_test.window.findChild<Details*>()->isVisible());
}

TEST_F(Pointer, DraggingPansWithTheLeftAndTheMiddleButton) {
  for (const Qt::MouseButton button : {Qt::LeftButton, Qt::MiddleButton}) {
    view().setView(1'000'000, 1'000'000);
    const QPoint from(header() + 400, 60);
    drag(m_pane, from, from - QPoint(100, 0), button);
    EXPECT_NEAR(view().startNs(), 1'000'000 + 100 * view().spanNs() / timeline().state().trackWidth(), 10);
  }
}

TEST_F(Pointer, ShiftAndDragMeasuresOverTracksAndSnaps) {
  const SliceId kernel = named("softmax_warp_forward");
  view().setView(0, 1'000'000);
  const QRect rect = timeline().sliceRect(0, kernel);
  const QPoint left = m_pane->mapFrom(&timeline(), QPoint(rect.left() + 3, rect.center().y()));
  const QPoint right = m_pane->mapFrom(&timeline(), QPoint(rect.right() - 2, rect.center().y()));
  drag(m_pane, left, right, Qt::LeftButton, Qt::ShiftModifier);
  ASSERT_TRUE(timeline().state().measure());
  // Both ends went to the edges of the slice.
  EXPECT_DOUBLE_EQ(timeline().state().measure()->toNs - timeline().state().measure()->fromNs, 60'000);
  EXPECT_EQ(timeline().state().measure()->rows.size(), 1U);
  drag(m_pane, left, QPoint(right.x(), 5), Qt::LeftButton, Qt::ShiftModifier);
  EXPECT_GT(timeline().state().measure()->rows.size(), 2U);
}

TEST_F(Pointer, TheWheelScrollsZoomsAndPans) {
  m_test.window.resize(1024, 420);
  ASSERT_TRUE(m_test.settle());
  view().setView(1'000'000, 1'000'000);
  const QPoint at(header() + 300, 40);
  wheel(m_pane, at, 120, Qt::ControlModifier);
  EXPECT_LT(view().spanNs(), 1'000'000);
  const double start = view().startNs();
  wheel(m_pane, at, -120, Qt::ShiftModifier);
  EXPECT_GT(view().startNs(), start);
  const int scrolled = m_pane->scene().scrollY;
  wheel(m_pane, at, -120, {});
  EXPECT_GT(m_pane->scene().scrollY, scrolled);
}

TEST_F(Pointer, PinchingZooms) {
  view().setView(1'000'000, 1'000'000);
  const QPointF at(header() + 300, 40);
  QNativeGestureEvent pinch(Qt::ZoomNativeGesture, QPointingDevice::primaryPointingDevice(), 2, at,
                            m_pane->mapTo(&m_test.window, at), m_pane->mapToGlobal(at), 0.25, {});
  QApplication::sendEvent(m_pane, &pinch);
  EXPECT_NEAR(view().spanNs(), 800'000, 1);
}

TEST_F(Pointer, TheRulerMeasuresExtendsPutsTheCursorAndFitsAll) {
  view().setView(0, 1'000'000);
  const int y = m_ruler->height() / 2;
  const double pixel = view().spanNs() / timeline().state().trackWidth();
  drag(m_ruler, QPoint(header() + 700, y), QPoint(header() + 800, y));
  ASSERT_TRUE(timeline().state().measure());
  EXPECT_NEAR(timeline().state().measure()->toNs - timeline().state().measure()->fromNs, 100 * pixel, 12 * pixel);
  const double from = timeline().state().measure()->fromNs;
  drag(m_ruler, QPoint(header() + 790, y), QPoint(header() + 900, y), Qt::LeftButton, Qt::ShiftModifier);
  EXPECT_DOUBLE_EQ(timeline().state().measure()->fromNs, from);
  EXPECT_NEAR(timeline().state().measure()->toNs, 900 * pixel, 7 * pixel);
  QTest::mouseClick(m_ruler, Qt::LeftButton, {}, QPoint(header() + 200, y));
  EXPECT_FALSE(timeline().state().measure());
  EXPECT_NEAR(view().cursorNs(), 200 * pixel, pixel);
  // It stays when the pointer goes elsewhere.
  QEvent leave(QEvent::Leave);
  QApplication::sendEvent(m_ruler, &leave);
  EXPECT_TRUE(view().hasCursor());
  QTest::mouseDClick(m_ruler, Qt::LeftButton, {}, QPoint(header() + 300, y));
  EXPECT_GE(view().spanNs(), static_cast<double>(view().extent().durationNs()));
  wheel(m_ruler, QPoint(header() + 300, y), 120, {});
  EXPECT_LT(view().spanNs(), static_cast<double>(view().extent().durationNs()));
}

TEST_F(Pointer, TheOverviewMovesItsWindowAndItsEnds) {
  ASSERT_TRUE(m_overview->isVisible());
  view().setView(2'000'000, 1'000'000);
  const int y = m_overview->height() / 2;
  const auto xOf = [&](double ns) {
    const TimeRange extent = view().extent();
    const double margin = static_cast<double>(extent.durationNs()) * 0.02;
    const double share =
        (ns - static_cast<double>(extent.startNs) + margin) / (static_cast<double>(extent.durationNs()) + 2 * margin);
    return header() + static_cast<int>(std::lround(share * (m_overview->width() - header())));
  };
  const double start = view().startNs();
  drag(m_overview, QPoint(xOf(2'500'000), y), QPoint(xOf(2'500'000) + 60, y));
  EXPECT_GT(view().startNs(), start);
  EXPECT_NEAR(view().spanNs(), 1'000'000, 1);
  const double end = view().endNs();
  drag(m_overview, QPoint(xOf(view().startNs()), y), QPoint(xOf(view().startNs()) - 80, y));
  EXPECT_GT(view().spanNs(), 1'000'000);
  EXPECT_NEAR(view().endNs(), end, 1);
  QTest::mouseDClick(m_overview, Qt::LeftButton, {}, QPoint(xOf(4'000'000), y));
  EXPECT_GE(view().spanNs(), static_cast<double>(view().extent().durationNs()));
}

TEST_F(Pointer, ANoteIsChangedAtItsFlag) {
  view().setView(0, 1'000'000);
  timeline().notes().add(session().run(0), {session().anchorNs(0) + 300'000, session().anchorNs(0) + 300'000},
                         QStringLiteral("first words"));
  const int x = header() + static_cast<int>(0.3 * timeline().state().trackWidth());
  QTest::mouseClick(m_ruler, Qt::LeftButton, {}, QPoint(x + 4, m_ruler->height() / 2));
  auto* editor = qobject_cast<QLineEdit*>(QApplication::focusWidget());
  ASSERT_TRUE(editor);
  EXPECT_EQ(editor->text(), QStringLiteral("first words"));
  QTest::keyClicks(editor, QStringLiteral("others"));
  QTest::keyClick(editor, Qt::Key_Return);
  EXPECT_EQ(timeline().notes().all().front().text, QStringLiteral("others"));
}

TEST_F(Pointer, ATracksNameFoldsPinsHidesAndMoves) {
  const int track = m_pane->tracks()->find(named("aten::mm"))->track;
  const auto boxOf = [&] {
    const PaneScene scene = m_pane->scene();
    const LayoutItem* item = scene.layout->itemOf(track);
    return QRect(0, scene.topOf(*item), header(), item->height);
  };
  // The caret.
  QTest::mouseClick(m_pane, Qt::LeftButton, {}, boxOf().topLeft() + QPoint(14, 10));
  EXPECT_TRUE(m_pane->arrangement().foldedTracks[static_cast<std::size_t>(track)]);
  QTest::mouseDClick(m_pane, Qt::LeftButton, {}, boxOf().topLeft() + QPoint(60, 10));
  EXPECT_FALSE(m_pane->arrangement().foldedTracks[static_cast<std::size_t>(track)]);
  const std::vector<HeaderButton> buttons = headerButtons(m_test.theme, header(), boxOf());
  QTest::mouseClick(m_pane, Qt::LeftButton, {}, buttons[0].box.center());
  EXPECT_TRUE(m_pane->arrangement().isPinned(track));
  QTest::mouseClick(m_pane, Qt::LeftButton, {}, headerButtons(m_test.theme, header(), boxOf())[0].box.center());
  EXPECT_FALSE(m_pane->arrangement().isPinned(track));
  // Dragged by its name over the track above.
  const std::vector<int> order = m_pane->trackOrder();
  const auto at = std::find(order.begin(), order.end(), track);
  ASSERT_NE(at, order.begin());
  const int above = at[-1];
  const PaneScene scene = m_pane->scene();
  const LayoutItem* target = scene.layout->itemOf(above);
  drag(m_pane, boxOf().topLeft() + QPoint(60, 10), QPoint(60, scene.topOf(*target) + 4));
  const std::vector<int> moved = m_pane->trackOrder();
  EXPECT_LT(std::find(moved.begin(), moved.end(), track), std::find(moved.begin(), moved.end(), above));
  QTest::mouseClick(m_pane, Qt::LeftButton, {}, headerButtons(m_test.theme, header(), boxOf())[1].box.center());
  EXPECT_TRUE(m_pane->arrangement().hidden[static_cast<std::size_t>(track)]);
}

TEST_F(Pointer, TheRightButtonOpensMenus) {
  const auto menuAt = [&](QPoint at) {
    QContextMenuEvent event(QContextMenuEvent::Mouse, at, m_pane->mapToGlobal(at));
    QApplication::sendEvent(m_pane, &event);
    auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
    QStringList words;
    for (const QAction* each : menu ? menu->actions() : QList<QAction*>{}) words << each->text();
    if (menu) menu->close();
    return words;
  };
  EXPECT_TRUE(menuAt(placeOf(named("softmax_warp_forward"))).contains(QStringLiteral("Show its details")));
  EXPECT_TRUE(menuAt(QPoint(60, placeOf(named("aten::mm")).y())).contains(QStringLiteral("Hide the track")));
}

}  // namespace
}  // namespace attnscope::ui
