// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/TimelineView.h"

#include <cmath>
#include <functional>

#include <gtest/gtest.h>

#include <QApplication>
#include <QElapsedTimer>
#include <QFile>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QTemporaryDir>
#include <QWheelEvent>

#include "tests/unit/timeline/HandMadeRun.h"

namespace attnscope::ui {
namespace {

bool waitFor(const std::function<bool()>& done) {
  QElapsedTimer clock;
  clock.start();
  while (!done() && clock.elapsed() < 20'000) QCoreApplication::processEvents(QEventLoop::AllEvents, 10);
  return done();
}

class TimelineViewTest : public testing::Test {
 protected:
  void SetUp() override {
    timeline.resize(1280, 640);
    timeline.show();
    timeline.setReducedMotion(true);
  }

  QString write(const QString& name, double kernelUs) {
    const QString path = folder.filePath(name);
    QFile file(path);
    EXPECT_TRUE(file.open(QIODevice::WriteOnly));
    file.write(QByteArray::fromStdString(twoKernelsJson(kernelUs)));
    return path;
  }

  void open(int runs) {
    QStringList paths{write(QStringLiteral("before.json"), 200)};
    if (runs > 1) paths << write(QStringLiteral("after.json"), 80);
    if (runs > 2) paths << write(QStringLiteral("third.json"), 120);
    session.openFiles(paths);
    ASSERT_TRUE(waitFor([&] { return static_cast<int>(session.readyRuns().size()) == runs && timeline.isSettled(); }));
  }

  SliceId named(int run, std::string_view name, int which = 0) {
    const Trace& trace = *session.run(run)->trace();
    for (std::uint32_t at = 0; at < trace.slices.size(); ++at) {
      if (trace.name(SliceId{at}) == name && which-- == 0) return SliceId{at};
    }
    return kNoSlice;
  }

  void press(int key, Qt::KeyboardModifiers modifiers = Qt::NoModifier, const QString& text = {}) {
    QKeyEvent down(QEvent::KeyPress, key, modifiers, text);
    QApplication::sendEvent(&timeline, &down);
    QKeyEvent up(QEvent::KeyRelease, key, modifiers, text);
    QApplication::sendEvent(&timeline, &up);
  }

  void trigger(const char* name) {
    for (QAction* action : timeline.timelineActions()) {
      if (action->objectName() == QStringLiteral("timeline.") + QLatin1String(name)) action->trigger();
    }
  }

  QTemporaryDir folder;
  Theme theme;
  Session session;
  ViewState view;
  TimelineView timeline{session, view, theme};
};

TEST_F(TimelineViewTest, WhatIsDrawnIsWhatIsHit) {
  for (const int runs : {1, 2, 3}) {
    session.closeAll();
    open(runs);
    for (int run = 0; run < runs; ++run) {
      for (const char* name : {"ampere_sgemm_128x64_nn", "softmax_warp_forward"}) {
        const SliceId slice = named(run, name);
        ASSERT_NE(slice, kNoSlice);
        const QRect rect = timeline.sliceRect(run, slice);
        ASSERT_FALSE(rect.isEmpty()) << name << " of run " << run << " of " << runs;
        EXPECT_EQ(timeline.sliceAt(run, rect.center()), slice);
        EXPECT_EQ(timeline.sliceAt(run, QPoint(rect.center().x(), rect.top() - 30)) == slice, false);
      }
    }
  }
}

TEST_F(TimelineViewTest, TheColourOfASliceIsWhereItsRectIs) {
  open(1);
  const SliceId slice = named(0, "softmax_warp_forward");
  view.fit({session.run(0)->trace()->slices.startNs[index(slice)] - session.anchorNs(0),
            session.run(0)->trace()->slices.endNs(slice) - session.anchorNs(0)});
  const QRect rect = timeline.sliceRect(0, slice);
  const QImage image = timeline.grab().toImage();
  EXPECT_EQ(image.pixel(QPoint(rect.right() - 40, rect.top() + 6)), theme.kind(WorkKind::kSoftmax).fill.rgb());
}

TEST_F(TimelineViewTest, AMeasuredStretchLosesItsRowWithItsRun) {
  open(2);
  timeline.state().setMeasure(Measure{1000, 2000, 1, 0, 0});
  session.closeRun(0);
  ASSERT_TRUE(waitFor([&] { return timeline.isSettled(); }));
  ASSERT_NE(timeline.pane(0), nullptr);
  EXPECT_EQ(timeline.pane(1), nullptr);
  ASSERT_TRUE(timeline.state().measure().has_value());
  EXPECT_EQ(timeline.state().measure()->run, -1);
  EXPECT_EQ(timeline.state().measure()->toNs, 2000);
}

TEST_F(TimelineViewTest, ARunThatCannotBeReadAgainHasNoSlices) {
  open(2);
  const SliceId slice = named(1, "softmax_warp_forward");
  const QPoint middle = timeline.sliceRect(1, slice).center();
  ASSERT_EQ(timeline.sliceAt(1, middle), slice);
  ASSERT_TRUE(QFile::remove(session.run(1)->path()));
  session.reload(1);
  ASSERT_TRUE(waitFor([&] { return session.run(1)->state() == RunState::kFailed && timeline.isSettled(); }));
  EXPECT_EQ(timeline.sliceAt(1, middle), kNoSlice);
  EXPECT_FALSE(timeline.sliceRect(0, named(0, "softmax_warp_forward")).isEmpty());
}

TEST_F(TimelineViewTest, ARibbonThatWasPointedAtLeavesThePartnerOfTheSelection) {
  open(2);
  session.selectSlice(0, named(0, "ampere_sgemm_128x64_nn"), SelectionOrigin::kTimeline);
  ASSERT_FALSE(timeline.state().partners().empty());
  timeline.state().setRibbonEnds({Partner{1, {0, 10}, {}}});
  timeline.state().setRibbonEnds({});
  EXPECT_FALSE(timeline.state().partners().empty());
}

TEST_F(TimelineViewTest, AKernelsArrowGoesToItsLaunchAndBack) {
  open(1);
  const SliceId kernel = named(0, "ampere_sgemm_128x64_nn");
  session.selectSlice(0, kernel, SelectionOrigin::kTimeline);
  trigger("launch");
  EXPECT_EQ(session.selection().leadSlice, named(0, "cudaLaunchKernel"));
  trigger("kernel");
  EXPECT_EQ(session.selection().leadSlice, kernel);
}

TEST_F(TimelineViewTest, WalksThroughSlicesOfOneName) {
  open(1);
  session.selectSlice(0, named(0, "aten::mm"), SelectionOrigin::kTimeline);
  trigger("nextSame");
  EXPECT_EQ(session.selection().leadSlice, named(0, "aten::mm", 1));
  trigger("previousSame");
  EXPECT_EQ(session.selection().leadSlice, named(0, "aten::mm", 0));
  trigger("parent");
  EXPECT_EQ(session.selection().leadSlice, named(0, "ProfilerStep#3"));
}

TEST_F(TimelineViewTest, TheWheelZoomsAboutThePointerAndPans) {
  open(1);
  view.showAll();
  const TimelinePane* pane = timeline.pane(0);
  auto* widget = const_cast<TimelinePane*>(pane);
  const int header = timeline.state().headerWidth();
  const double x = 400;
  const double before = view.startNs() + x / (timeline.width() - header) * view.spanNs();
  const double span = view.spanNs();
  const auto wheel = [&](Qt::KeyboardModifiers modifiers, int delta) {
    QWheelEvent event(QPointF(header + x, 40), widget->mapToGlobal(QPointF(header + x, 40)), {}, {0, delta},
                      Qt::NoButton, modifiers, Qt::NoScrollPhase, false);
    QApplication::sendEvent(widget, &event);
  };
  wheel(Qt::ControlModifier, 120);
  EXPECT_LT(view.spanNs(), span);
  EXPECT_NEAR(view.startNs() + x / (timeline.width() - header) * view.spanNs(), before, view.spanNs() / 1000);
  const double start = view.startNs();
  wheel(Qt::ShiftModifier, -120);
  EXPECT_GT(view.startNs(), start);
}

TEST_F(TimelineViewTest, HeldKeysMoveTheView) {
  open(1);
  view.showAll();
  const double span = view.spanNs();
  QKeyEvent down(QEvent::KeyPress, Qt::Key_W, Qt::NoModifier, QStringLiteral("w"));
  QApplication::sendEvent(&timeline, &down);
  EXPECT_TRUE(waitFor([&] { return view.spanNs() < span * 0.9; }));
  QKeyEvent up(QEvent::KeyRelease, Qt::Key_W, Qt::NoModifier, QStringLiteral("w"));
  QApplication::sendEvent(&timeline, &up);
  EXPECT_TRUE(waitFor([&] { return timeline.isSettled(); }));
}

TEST_F(TimelineViewTest, TheSelectionIsBroughtIntoViewWhenATableSelects) {
  open(1);
  view.setView(-1'000'000, 1000);
  session.selectSlice(0, named(0, "softmax_warp_forward"), SelectionOrigin::kTable);
  const std::int64_t start =
      session.run(0)->trace()->slices.startNs[index(named(0, "softmax_warp_forward"))] - session.anchorNs(0);
  EXPECT_LT(view.startNs(), static_cast<double>(start + 40'000));
  EXPECT_GT(view.endNs(), static_cast<double>(start));
}

TEST_F(TimelineViewTest, TwoRunsAreMatchedAtTheSeam) {
  open(2);
  const SeamLane* seam = timeline.seam(0);
  ASSERT_NE(seam, nullptr);
  EXPECT_TRUE(seam->isMatched());
  ASSERT_FALSE(seam->ribbons().empty());
  session.selectSlice(0, named(0, "ampere_sgemm_128x64_nn"), SelectionOrigin::kTimeline);
  trigger("partner");
  EXPECT_EQ(session.selection().leadRun, 1);
  EXPECT_EQ(session.selection().leadSlice, named(1, "ampere_sgemm_128x64_nn"));
}

TEST_F(TimelineViewTest, RibbonsAreOfTheSelectionWhereThatIsWanted) {
  open(2);
  const SeamLane* seam = timeline.seam(0);
  const std::size_t all = seam->ribbons().size();
  ASSERT_GT(all, 1u);
  timeline.setRibbons(Ribbons::kSelection);
  EXPECT_TRUE(seam->ribbons().empty());
  session.selectSlice(1, named(1, "ampere_sgemm_128x64_nn"), SelectionOrigin::kTimeline);
  EXPECT_EQ(seam->ribbons().size(), 1u);
  session.clearSelection();
  EXPECT_TRUE(seam->ribbons().empty());
  timeline.setRibbons(Ribbons::kOff);
  EXPECT_TRUE(seam->ribbons().empty());
  timeline.setRibbons(Ribbons::kStages);
  EXPECT_EQ(seam->ribbons().size(), all);
}

TEST_F(TimelineViewTest, StretchedRunsEndWhereTheOthersEnd) {
  open(2);
  auto& control = const_cast<TimelineControl&>(timeline.control());
  trigger("stretch");
  ASSERT_EQ(control.axes(), TimelineControl::Axes::kStretched);
  const auto shareOf = [&](int run, double alignedNs) {
    const TimelineControl::Window window = control.windowOf(run);
    return (alignedNs - window.startNs) / window.spanNs;
  };
  const auto endOf = [&](int run) {
    const TimeRange scope = session.scopeRange(run);
    const std::int64_t end = scope == TimeRange::all() ? session.run(run)->trace()->dense.endNs : scope.endNs;
    return static_cast<double>(end - session.anchorNs(run));
  };
  for (const double span : {5e5, 2e6}) {
    view.setView(-1000, span);
    EXPECT_NEAR(shareOf(0, 0), shareOf(1, 0), 1e-9) << "zero lies at one place";
    EXPECT_NEAR(shareOf(0, endOf(0)), shareOf(1, endOf(1)), 1e-9) << "and so does the end";
  }
  EXPECT_EQ(control.stretchOf(0), 1);
  EXPECT_NEAR(control.stretchOf(1), endOf(0) / endOf(1), 1e-9);
  // Whichever run the pointer acts on, the others follow it.
  control.activate(1);
  EXPECT_NEAR(shareOf(0, endOf(0)), shareOf(1, endOf(1)), 1e-9);
  trigger("lock");
  EXPECT_EQ(control.windowOf(0).spanNs, control.windowOf(1).spanNs);
}

TEST_F(TimelineViewTest, TheHandleAtTheSeamMovesTheRun) {
  open(2);
  view.setView(-1e6, 4e6);
  auto* seam = const_cast<SeamLane*>(timeline.seam(0));
  const TimelineControl::Window window = timeline.control().windowOf(1);
  const int tracks = seam->width() - timeline.state().headerWidth();
  const double zero = timeline.state().headerWidth() - window.startNs / window.spanNs * tracks;
  const QPoint at(static_cast<int>(std::lround(zero)), seam->height() - 7);
  const auto send = [seam](QEvent::Type type, QPoint where, Qt::MouseButton button) {
    const Qt::MouseButtons held = type == QEvent::MouseButtonRelease ? Qt::NoButton : Qt::LeftButton;
    QMouseEvent event(type, where, seam->mapToGlobal(where), button, held, Qt::NoModifier);
    QApplication::sendEvent(seam, &event);
  };
  send(QEvent::MouseButtonPress, at, Qt::LeftButton);
  send(QEvent::MouseMove, at + QPoint(40, 0), Qt::NoButton);
  const double expected = 40 * window.spanNs / tracks;
  EXPECT_NEAR(static_cast<double>(session.movedByNs(1)), expected, expected / 10);
  EXPECT_EQ(session.movedByNs(0), 0) << "the baseline stays";
  send(QEvent::MouseMove, at + QPoint(3, 0), Qt::NoButton);
  EXPECT_EQ(session.movedByNs(1), 0) << "near where it was it snaps";
  send(QEvent::MouseMove, at + QPoint(40, 0), Qt::NoButton);
  send(QEvent::MouseButtonRelease, at + QPoint(40, 0), Qt::LeftButton);
  EXPECT_NE(session.movedByNs(1), 0);
  const double now = timeline.state().headerWidth() +
                     (static_cast<double>(session.movedByNs(1)) - timeline.control().windowOf(1).startNs) /
                         timeline.control().windowOf(1).spanNs * tracks;
  send(QEvent::MouseButtonDblClick, QPoint(static_cast<int>(std::lround(now)), at.y()), Qt::LeftButton);
  EXPECT_EQ(session.movedByNs(1), 0);
}

TEST_F(TimelineViewTest, TheHandleSnapsToTheFirstKernelOfTheOtherRun) {
  open(2);
  auto* seam = const_cast<SeamLane*>(timeline.seam(0));
  const auto kernelNs = static_cast<double>(
      session.run(0)->trace()->slices.startNs[index(named(0, "ampere_sgemm_128x64_nn"))] - session.anchorNs(0));
  ASSERT_GT(kernelNs, 0);
  view.setView(-kernelNs, 4 * kernelNs);
  const int tracks = seam->width() - timeline.state().headerWidth();
  const auto xOf = [&](double ns) {
    return QPoint(
        static_cast<int>(std::lround(timeline.state().headerWidth() + (ns + kernelNs) / (4 * kernelNs) * tracks)),
        seam->height() - 7);
  };
  const auto send = [seam](QEvent::Type type, QPoint where, Qt::MouseButton button) {
    QMouseEvent event(type, where, seam->mapToGlobal(where), button, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(seam, &event);
  };
  send(QEvent::MouseButtonPress, xOf(0), Qt::LeftButton);
  send(QEvent::MouseMove, xOf(kernelNs) + QPoint(4, 0), Qt::NoButton);
  EXPECT_EQ(session.movedByNs(1), static_cast<std::int64_t>(kernelNs));
  send(QEvent::MouseMove, xOf(kernelNs) + QPoint(12, 0), Qt::NoButton);
  EXPECT_GT(session.movedByNs(1), static_cast<std::int64_t>(kernelNs)) << "and no further than that";
}

TEST_F(TimelineViewTest, EscapeLetsGoOfOneThingAfterAnother) {
  open(1);
  session.selectSlice(0, named(0, "aten::mm"), SelectionOrigin::kTimeline);
  session.setKindFilter(1);
  Measure measure;
  measure.toNs = 1000;
  timeline.state().setMeasure(measure);
  trigger("letGo");
  EXPECT_FALSE(timeline.state().measure().has_value());
  trigger("letGo");
  EXPECT_TRUE(session.selection().isEmpty());
  trigger("letGo");
  EXPECT_EQ(session.kindFilter(), 0u);
}

TEST_F(TimelineViewTest, SaysWhatIsSelected) {
  open(1);
  EXPECT_EQ(timeline.accessibleName(), QStringLiteral("Timeline, 1 run"));
  session.selectSlice(0, named(0, "softmax_warp_forward"), SelectionOrigin::kTimeline);
  EXPECT_TRUE(timeline.accessibleName().startsWith(QStringLiteral("Timeline, A, stream 7: softmax_warp_forward, 40.0")))
      << timeline.accessibleName().toStdString();
  EXPECT_TRUE(timeline.accessibleName().endsWith(QStringLiteral("3 of 3"))) << timeline.accessibleName().toStdString();
}

TEST_F(TimelineViewTest, AFailedRunSaysWhyAndStaysClosable) {
  QFile file(folder.filePath(QStringLiteral("broken.json")));
  ASSERT_TRUE(file.open(QIODevice::WriteOnly));
  file.write("this is not a trace");
  file.close();
  session.openFiles({file.fileName()});
  ASSERT_TRUE(waitFor([&] { return session.run(0)->state() == RunState::kFailed; }));
  EXPECT_NE(timeline.pane(0), nullptr);
  EXPECT_FALSE(timeline.grab().isNull());
  session.closeRun(0);
  EXPECT_EQ(timeline.pane(0), nullptr);
}

TEST_F(TimelineViewTest, TracksStayArrangedWhenAFileIsOpenedAgain) {
  open(1);
  timeline.setTrackHidden(0, 0, true);
  timeline.togglePin(0, 1);
  const TrackArrangement arranged = timeline.pane(0)->arrangement();
  session.closeAll();
  open(1);
  EXPECT_EQ(timeline.pane(0)->arrangement(), arranged);
  session.reload(0);
  ASSERT_TRUE(waitFor([&] { return !session.readyRuns().empty() && timeline.isSettled(); }));
  EXPECT_EQ(timeline.pane(0)->arrangement(), arranged);
  // And by another window.
  TimelineView other(session, view, theme);
  other.setTrackMemory(timeline.trackMemory());
  ASSERT_TRUE(waitFor([&] { return other.isSettled(); }));
  EXPECT_EQ(other.pane(0)->arrangement(), arranged);
  other.showAllTracks();
  EXPECT_FALSE(other.pane(0)->arrangement().hidden[0]);
}

TEST_F(TimelineViewTest, TheBorderBetweenRunsMovesByKeysAndPointerAndBack) {
  open(2);
  const auto heights = [&] { return std::pair{timeline.pane(0)->height(), timeline.pane(1)->height()}; };
  const auto before = heights();
  const auto trigger = [&](const char* name) {
    for (QAction* action : timeline.timelineActions()) {
      if (action->objectName() == QLatin1String(name)) action->trigger();
    }
  };
  trigger("timeline.borderDown");
  const auto lower = heights();
  EXPECT_GT(lower.first, before.first);
  EXPECT_EQ(lower.first + lower.second, before.first + before.second) << "what one gains the other loses";
  trigger("timeline.borderUp");
  EXPECT_EQ(heights(), before);

  auto* split = timeline.findChild<PaneSplit*>();
  ASSERT_TRUE(split);
  const auto mouse = [&](QEvent::Type type, int y, Qt::MouseButtons buttons) {
    const QPointF screen(300, 300 + y);
    QMouseEvent event(type, QPointF(300, 3), screen, Qt::LeftButton, buttons, Qt::NoModifier);
    QCoreApplication::sendEvent(split, &event);
  };
  mouse(QEvent::MouseButtonPress, 0, Qt::LeftButton);
  mouse(QEvent::MouseMove, -20, Qt::LeftButton);
  EXPECT_EQ(heights().first, before.first - 20);
  EXPECT_EQ(split->geometry().center().y(), timeline.pane(0)->geometry().bottom() + 1) << "it stays on the border";
  mouse(QEvent::MouseMove, -5000, Qt::LeftButton);
  EXPECT_GT(heights().first, 0) << "no pane is dragged away";
  mouse(QEvent::MouseButtonRelease, -5000, Qt::NoButton);
  mouse(QEvent::MouseButtonDblClick, 0, Qt::LeftButton);
  EXPECT_EQ(heights(), before);
}

}  // namespace
}  // namespace attnscope::ui
