// SPDX-License-Identifier: GPL-3.0-or-later
// Opening by menu, by drop and by argument; failing; closing while reading; theme and regions.
#include <QAction>
#include <QDragEnterEvent>
#include <QDragLeaveEvent>
#include <QDropEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMimeData>
#include <QPushButton>
#include <QScreen>
#include <QTabBar>
#include <QTemporaryDir>
#include <QUrl>

#include <gtest/gtest.h>

#include "TestWindow.h"
#include "ui/compare/VerdictStrip.h"
#include "ui/shell/Details.h"
#include "ui/shell/DropOverlay.h"
#include "ui/shell/LowerArea.h"
#include "ui/shell/RunCard.h"
#include "ui/shell/RunRail.h"
#include "ui/shell/RunStateView.h"
#include "ui/shell/Sidebar.h"
#include "ui/shell/StartPage.h"
#include "ui/timeline/TimelineView.h"

namespace attnscope::ui {
namespace {

using test::TestWindow;

TEST(Window, StartsWithTheWaysIn) {
  TestWindow test;
  EXPECT_TRUE(test.window.findChild<StartPage*>()->isVisible());
  EXPECT_FALSE(test.window.findChild<Sidebar*>()->isVisible());
  EXPECT_FALSE(test.window.findChild<RunRail*>()->isVisible());
  EXPECT_TRUE(test.settle());
}

TEST(Window, IsFirstNoLargerThanTheScreen) {
  Theme theme;
  AppSettings settings(Persistence::kForgotten);
  const MainWindow window(theme, settings);
  const QSize room = window.screen()->availableSize();
  EXPECT_LT(window.width(), room.width());
  EXPECT_LT(window.height(), room.height());
  EXPECT_GT(window.width(), room.width() / 2);
}

TEST(Window, TheSampleIsASessionWithTimedPairs) {
  TestWindow test({1440, 900});
  for (QPushButton* button : test.window.findChild<StartPage*>()->findChildren<QPushButton*>()) {
    if (button->text() == QLatin1String("Open the sample")) QTest::mouseClick(button, Qt::LeftButton);
  }
  ASSERT_TRUE(test.settle());
  Session& session = test.window.session();
  ASSERT_EQ(session.readyRuns().size(), 2U);
  const auto measurement = session.run(0)->measurement();
  ASSERT_TRUE(measurement);
  EXPECT_GE(measurement->completeRounds, 40);
  const QString said = test.window.findChild<VerdictStrip*>()->accessibleName();
  EXPECT_TRUE(said.contains(QLatin1String("B is "))) << qPrintable(said);
  EXPECT_TRUE(said.contains(QLatin1String("95 % interval"))) << qPrintable(said);
  EXPECT_TRUE(session.comparison());
}

TEST(Window, ThePlainSampleTracesOpenFromTheStartPage) {
  TestWindow test({1440, 900});
  for (QPushButton* button : test.window.findChild<StartPage*>()->findChildren<QPushButton*>()) {
    if (button->text() == QLatin1String("Two plain traces")) QTest::mouseClick(button, Qt::LeftButton);
  }
  ASSERT_TRUE(test.settle());
  ASSERT_EQ(test.window.session().readyRuns().size(), 2U);
  EXPECT_FALSE(test.window.session().run(0)->measurement());
}

TEST(Window, OpensByTheMenuWhatTheDialogAnswers) {
  TestWindow test;
  QString asked;
  test.window.setFileChooser([&asked](QWidget*, const QString& title) {
    asked = title;
    return QStringList{test::naive(), test::flash()};
  });
  QTest::keyClick(&test.window, Qt::Key_O, Qt::ControlModifier);
  EXPECT_FALSE(asked.isEmpty());
  ASSERT_TRUE(test.settle());
  ASSERT_EQ(test.window.session().readyRuns().size(), 2U);
  EXPECT_TRUE(test.window.findChild<TimelineView*>()->isVisible());
  EXPECT_FALSE(test.window.findChild<StartPage*>()->isVisible());
  ASSERT_TRUE(test.window.session().comparison());
  ASSERT_EQ(test.settings.recentFiles().size(), 2U);
}

TEST(Window, ADialogThatIsCancelledChangesNothing) {
  TestWindow test;
  test.window.setFileChooser([](QWidget*, const QString&) { return QStringList{}; });
  test.window.action(QStringLiteral("open"))->trigger();
  EXPECT_EQ(test.window.session().runCount(), 0);
}

TEST(Window, OpensWhatIsDroppedAndSaysSoBefore) {
  TestWindow test;
  QMimeData data;
  data.setUrls({QUrl::fromLocalFile(test::naive()), QUrl::fromLocalFile(test::flash())});
  QDragEnterEvent enter(QPoint(300, 300), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
  QApplication::sendEvent(&test.window, &enter);
  EXPECT_TRUE(enter.isAccepted());
  auto* overlay = test.window.findChild<DropOverlay*>();
  EXPECT_TRUE(overlay->isVisible());
  EXPECT_EQ(overlay->words(), "Drop to open 2 traces");
  QDropEvent drop(QPointF(300, 300), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
  QApplication::sendEvent(&test.window, &drop);
  EXPECT_FALSE(overlay->isVisible());
  ASSERT_TRUE(test.settle());
  EXPECT_EQ(test.window.session().readyRuns().size(), 2U);

  data.setUrls({QUrl::fromLocalFile(test::naive())});
  QDragEnterEvent again(QPoint(300, 300), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
  QApplication::sendEvent(&test.window, &again);
  EXPECT_EQ(overlay->words(), "Drop to add as C");
  QDragLeaveEvent leave;
  QApplication::sendEvent(&test.window, &leave);
  EXPECT_FALSE(overlay->isVisible());
}

TEST(Window, TheFirstViewShowsTheWholeExtent) {
  TestWindow test;
  ASSERT_TRUE(test.open({test::naive(), test::flash()}));
  const TimeRange extent = test.window.session().alignedExtent();
  EXPECT_LE(test.window.view().startNs(), static_cast<double>(extent.startNs));
  EXPECT_GE(test.window.view().endNs(), static_cast<double>(extent.endNs));
}

TEST(Window, AFailingFileSaysWhyAndTheOthersStay) {
  QTemporaryDir folder;
  TestWindow test;
  const QString bad = test::writeFile(folder.filePath(QStringLiteral("bad.json")), "<html>this is no trace");
  ASSERT_TRUE(test.open({bad}));
  ASSERT_EQ(test.window.session().run(0)->state(), RunState::kFailed);
  EXPECT_TRUE(test.window.findChild<RunStateView*>()->isVisible());
  EXPECT_FALSE(test.window.findChild<LowerArea*>()->isVisible()) << "the reason stands once";

  ASSERT_TRUE(test.open({test::naive()}));
  EXPECT_TRUE(test.window.findChild<TimelineView*>()->isVisible());
  EXPECT_FALSE(test.window.findChild<RunStateView*>()->isVisible());
  EXPECT_TRUE(test.window.findChild<LowerArea*>()->isVisible());
  int quoting = 0;
  for (const QLabel* label : test.window.findChild<TimelineView*>()->pane(0)->findChildren<QLabel*>()) {
    if (!label->text().contains(QLatin1String("<html>"))) continue;
    ++quoting;
    EXPECT_EQ(label->textFormat(), Qt::PlainText) << "what the file holds is quoted, not drawn as a page";
  }
  EXPECT_EQ(quoting, 1);
  const RunCard* card = test.window.findChild<Sidebar*>()->cards().front();
  EXPECT_TRUE(card->accessibleName().contains(QLatin1String("could not be read")));

  // The file is repaired and read again.
  QFile::remove(bad);
  ASSERT_TRUE(QFile::copy(test::flash(), bad));
  test.window.session().reload(0);
  ASSERT_TRUE(test.settle());
  EXPECT_EQ(test.window.session().readyRuns().size(), 2U);
}

TEST(Window, AMissingFileFailsInPlace) {
  TestWindow test;
  ASSERT_TRUE(test.open({QStringLiteral("/nowhere/at/all.json")}));
  EXPECT_EQ(test.window.session().run(0)->state(), RunState::kFailed);
  EXPECT_TRUE(test.window.isVisible());
}

TEST(Window, ClosesWhileReading) {
  for (const int pause : {0, 1, 5, 20}) {
    TestWindow test;
    test.window.openFiles({test::naive(), test::flash(), test::naive()});
    QTest::qWait(pause);
    test.window.close();
  }
  SUCCEED();
}

TEST(Window, ARunIsClosedWhileItIsSelected) {
  TestWindow test;
  ASSERT_TRUE(test.open({test::naive(), test::flash()}));
  test.window.session().selectSlice(1, SliceId{3}, SelectionOrigin::kTimeline);
  test.window.action(QStringLiteral("closeRun"))->trigger();
  ASSERT_TRUE(test.settle());
  EXPECT_EQ(test.window.session().runCount(), 1);
  test.window.action(QStringLiteral("closeAll"))->trigger();
  ASSERT_TRUE(test.settle());
  EXPECT_TRUE(test.window.findChild<StartPage*>()->isVisible());
}

TEST(Window, TheThemeChangesEverywhereAndIsKept) {
  TestWindow test;
  ASSERT_TRUE(test.open({test::naive()}));
  const QImage light = test.window.grab().toImage();
  test.window.action(QStringLiteral("toggleTheme"))->trigger();
  ASSERT_TRUE(test.settle());
  const QImage dark = test.window.grab().toImage();
  EXPECT_TRUE(test.theme.isDark());
  EXPECT_EQ(test.settings.theme(), ThemeChoice::kDark);
  // Along a line through all regions hardly anything light is left.
  int lightPixels = 0;
  for (int y = 0; y < dark.height(); ++y) {
    if (dark.pixelColor(dark.width() / 3, y).lightness() > 200) ++lightPixels;
  }
  EXPECT_LT(lightPixels, dark.height() / 10);
  EXPECT_NE(light, dark);
  test.window.action(QStringLiteral("toggleTheme"))->trigger();
  EXPECT_FALSE(test.theme.isDark());
}

TEST(Window, RegionsGiveWayByWidth) {
  TestWindow test({1280, 800});
  ASSERT_TRUE(test.open({test::naive(), test::flash()}));
  auto* sidebar = test.window.findChild<Sidebar*>();
  auto* rail = test.window.findChild<RunRail*>();
  EXPECT_FALSE(sidebar->isVisible());
  EXPECT_TRUE(rail->isVisible());
  test.window.resize(1920, 1080);
  QTest::qWait(20);
  EXPECT_TRUE(sidebar->isVisible());
  EXPECT_FALSE(rail->isVisible());
  test.window.action(QStringLiteral("sidebar"))->trigger();
  EXPECT_FALSE(sidebar->isVisible());
  EXPECT_TRUE(rail->isVisible());
}

TEST(Window, DetailsStandAsideForOneRunAndBelowForTwo) {
  TestWindow test({1920, 1080});
  ASSERT_TRUE(test.open({test::naive()}));
  auto* details = test.window.findChild<Details*>();
  auto* lower = test.window.findChild<LowerArea*>();
  ASSERT_TRUE(details);
  EXPECT_FALSE(details->isVisible());
  test.window.session().selectSlice(0, SliceId{10}, SelectionOrigin::kTimeline);
  ASSERT_TRUE(test.settle());
  EXPECT_TRUE(details->isVisible());
  EXPECT_FALSE(lower->isAncestorOf(details));
  // Closed by the user it stays closed.
  test.window.action(QStringLiteral("details"))->trigger();
  test.window.session().selectSlice(0, SliceId{12}, SelectionOrigin::kTimeline);
  ASSERT_TRUE(test.settle());
  EXPECT_FALSE(details->isVisible());
  ASSERT_TRUE(test.open({test::flash()}));
  EXPECT_TRUE(lower->isAncestorOf(details));
}

TEST(Window, TheLowerAreaFoldsToItsTabs) {
  TestWindow test;
  ASSERT_TRUE(test.open({test::naive()}));
  auto* lower = test.window.findChild<LowerArea*>();
  QTest::keyClick(&test.window, Qt::Key_J, Qt::ControlModifier);
  QTest::qWait(20);
  EXPECT_TRUE(lower->isFolded());
  EXPECT_EQ(lower->height(), test.theme.size(QStringLiteral("tab_bar")));
  QTest::keyClick(&test.window, Qt::Key_2, Qt::AltModifier);
  EXPECT_FALSE(lower->isFolded());
  EXPECT_TRUE(lower->isShown(lower->operators()));
}

TEST(Window, ALowWindowStartsWithTheLowerAreaFolded) {
  TestWindow test({1024, 640});
  ASSERT_TRUE(test.open({test::naive()}));
  auto* lower = test.window.findChild<LowerArea*>();
  const int bar = test.theme.size(QStringLiteral("tab_bar"));
  EXPECT_TRUE(lower->isFolded());
  EXPECT_EQ(lower->height(), bar);
  // Nothing is left empty between its tabs and the status line.
  EXPECT_EQ(lower->mapTo(&test.window, QPoint(0, bar)).y(),
            test.window.height() - test.theme.size(QStringLiteral("status_bar")));
}

TEST(Window, TextSizeGrowsByKeys) {
  TestWindow test;
  ASSERT_TRUE(test.open({test::naive()}));
  QTest::keyClick(&test.window, Qt::Key_Equal, Qt::ControlModifier);
  EXPECT_DOUBLE_EQ(test.theme.textScale(), 1.25);
  QTest::keyClick(&test.window, Qt::Key_0, Qt::ControlModifier);
  EXPECT_DOUBLE_EQ(test.theme.textScale(), 1.0);
}

TEST(Window, CardsAreDraggedIntoAnotherOrder) {
  TestWindow test({1920, 1080});
  ASSERT_TRUE(test.open({test::naive(), test::flash()}));
  const QString first = test.window.session().run(0)->path();
  RunCard* card = test.window.findChild<Sidebar*>()->cards().front();
  RunCard* last = test.window.findChild<Sidebar*>()->cards().back();
  const QPoint from(80, 20);
  const QPoint to = card->mapFromGlobal(last->mapToGlobal(QPoint(80, last->height() - 4)));
  QTest::mousePress(card, Qt::LeftButton, {}, from);
  QTest::mouseMove(card, QPoint(80, 60));
  QMouseEvent move(QEvent::MouseMove, QPointF(to), card->mapToGlobal(QPointF(to)), Qt::NoButton, Qt::LeftButton, {});
  QApplication::sendEvent(card, &move);
  QTest::mouseRelease(card, Qt::LeftButton, {}, to);
  EXPECT_EQ(test.window.session().run(1)->path(), first);
}

TEST(Window, FindSelectsTheNextSlice) {
  TestWindow test;
  ASSERT_TRUE(test.open({test::naive(), test::flash()}));
  QTest::keyClick(&test.window, Qt::Key_F, Qt::ControlModifier);
  auto* field = test.window.findChild<QLineEdit*>(QStringLiteral("find"));
  ASSERT_TRUE(field->hasFocus());
  QTest::keyClicks(field, QStringLiteral("addmm"));
  QTest::keyClick(field, Qt::Key_Return);
  ASSERT_TRUE(test.settle());
  ASSERT_FALSE(test.window.session().selection().isEmpty());
  const Selection& selection = test.window.session().selection();
  const Trace& trace = *test.window.session().run(selection.leadRun)->trace();
  EXPECT_NE(trace.name(selection.leadSlice).find("addmm"), std::string_view::npos);
}

}  // namespace
}  // namespace attnscope::ui
