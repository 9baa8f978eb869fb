// SPDX-License-Identifier: GPL-3.0-or-later
// Every key of the table of keys, pressed on a window that shows traces; the palette, the list of keys, and keys that
// were changed.
#include <algorithm>

#include <QAction>
#include <QKeySequenceEdit>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QPushButton>
#include <QTemporaryDir>

#include <gtest/gtest.h>

#include "TestWindow.h"
#include "WorkTrace.h"
#include "ui/shell/CommandPalette.h"
#include "ui/shell/Details.h"
#include "ui/shell/GoToDialog.h"
#include "ui/shell/KeyChangeDialog.h"
#include "ui/shell/KeysDialog.h"
#include "ui/shell/LowerArea.h"
#include "ui/shell/Sidebar.h"
#include "ui/tables/TablePage.h"
#include "ui/timeline/TimelineView.h"

namespace attnscope::ui {
namespace {

using test::TestWindow;
using test::WorkTrace;

class Keys : public testing::Test {
 protected:
  void open(int runs) {
    QStringList paths{test::writeFile(m_folder.filePath(QStringLiteral("before.json")), test::workTraceJson({}))};
    if (runs > 1) {
      paths << test::writeFile(m_folder.filePath(QStringLiteral("after.json")),
                               test::workTraceJson(WorkTrace{3, 0.5, -1}));
    }
    timeline().setReducedMotion(true);
    ASSERT_TRUE(m_test.open(paths));
    timeline().setFocus();
    ASSERT_TRUE(timeline().hasFocus());
  }

  void press(Qt::Key key, Qt::KeyboardModifiers modifiers = {}) {
    QTest::keyClick(QApplication::focusWidget() ? QApplication::focusWidget() : &m_test.window, key, modifiers);
  }

  // The n-th slice of a name by row; kNoSlice.
  SliceId named(int run, std::string_view name, int which = 0) {
    const Trace& trace = *session().run(run)->trace();
    for (std::uint32_t at = 0; at < trace.slices.size(); ++at) {
      if (trace.name(SliceId{at}) == name && which-- == 0) return SliceId{at};
    }
    return kNoSlice;
  }

  void select(std::string_view name, int which = 0, int run = 0) {
    session().selectSlice(run, named(run, name, which), SelectionOrigin::kTimeline);
  }
  std::string leadName() {
    const Selection& selection = session().selection();
    if (selection.isEmpty()) return {};
    return std::string(session().run(selection.leadRun)->trace()->name(selection.leadSlice));
  }
  SliceId lead() { return session().selection().leadSlice; }
  std::int64_t start(SliceId slice, int run = 0) { return session().run(run)->trace()->slices.startNs[index(slice)]; }

  // The pointer over a slice, as a person moves it there.
  void pointAt(int run, SliceId slice) {
    auto* pane = const_cast<TimelinePane*>(timeline().pane(run));
    QTest::mouseMove(pane, pane->mapFrom(&timeline(), timeline().sliceRect(run, slice).center()));
    QTest::qWait(1);
  }
  // The dialog that a key opened, once keys go to it.
  template <class Dialog>
  Dialog* opened(QWidget* from = nullptr) {
    auto* dialog = (from ? from : &m_test.window)->findChild<Dialog*>();
    return dialog && getsKeys(dialog) ? dialog : nullptr;
  }
  // QTest's own wait takes a dialog for active while the window behind it is.
  bool getsKeys(QWidget* window) {
    window->activateWindow();
    return QTest::qWaitFor([&] { return QApplication::activeWindow() == window; });
  }
  bool shows(int run, SliceId slice) { return !timeline().sliceRect(run, slice).isNull(); }

  Session& session() { return m_test.window.session(); }
  ViewState& view() { return m_test.window.view(); }
  TimelineView& timeline() { return m_test.window.timeline(); }

  QTemporaryDir m_folder;
  TestWindow m_test{{1440, 900}};
};

TEST_F(Keys, LettersAndArrowsZoomAndPan) {
  open(1);
  const auto held = [&](Qt::Key key, auto&& moved) {
    view().setView(2'000'000, 1'000'000);
    QTest::keyPress(&timeline(), key);
    const bool isMoved = QTest::qWaitFor(moved, 5000);
    QTest::keyRelease(&timeline(), key);
    return isMoved;
  };
  EXPECT_TRUE(held(Qt::Key_W, [&] { return view().spanNs() < 900'000; }));
  EXPECT_TRUE(held(Qt::Key_S, [&] { return view().spanNs() > 1'100'000; }));
  EXPECT_TRUE(held(Qt::Key_A, [&] { return view().startNs() < 1'900'000; }));
  EXPECT_TRUE(held(Qt::Key_D, [&] { return view().startNs() > 2'100'000; }));
  view().setView(2'000'000, 1'000'000);
  press(Qt::Key_Up, Qt::ControlModifier);
  EXPECT_LT(view().spanNs(), 1'000'000);
  view().setView(2'000'000, 1'000'000);
  press(Qt::Key_Down, Qt::ControlModifier);
  EXPECT_GT(view().spanNs(), 1'000'000);
  view().setView(2'000'000, 1'000'000);
  press(Qt::Key_Right);
  const double step = view().startNs() - 2'000'000;
  EXPECT_GT(step, 0);
  press(Qt::Key_Left);
  EXPECT_NEAR(view().startNs(), 2'000'000, 1);
  press(Qt::Key_Right, Qt::ShiftModifier);
  EXPECT_GT(view().startNs() - 2'000'000, step);
  press(Qt::Key_Left, Qt::ShiftModifier);
  EXPECT_NEAR(view().startNs(), 2'000'000, 1);
}

TEST_F(Keys, FFitsTheSelectionTheStepAndAll) {
  open(1);
  session().setScope(Scope{ScopeKind::kStep, 1, {}});
  select("softmax_warp_forward", 1);
  press(Qt::Key_F);
  EXPECT_LT(view().spanNs(), 100'000);
  press(Qt::Key_F);
  EXPECT_NEAR(view().spanNs(), (test::kStepUs - 50) * 1000 * 1.16, 1000);
  press(Qt::Key_F);
  EXPECT_GE(view().spanNs(), static_cast<double>(view().extent().durationNs()));
  view().setView(0, 1000);
  press(Qt::Key_0);
  EXPECT_GE(view().spanNs(), static_cast<double>(view().extent().durationNs()));
  view().setView(0, 1000);
  press(Qt::Key_Home);
  EXPECT_GE(view().spanNs(), static_cast<double>(view().extent().durationNs()));
}

TEST_F(Keys, PointAndCommaWalkByName) {
  open(1);
  select("aten::bmm");
  press(Qt::Key_Period);
  EXPECT_EQ(lead(), named(0, "aten::bmm", 1));
  press(Qt::Key_Comma);
  EXPECT_EQ(lead(), named(0, "aten::bmm", 0));
  press(Qt::Key_Period, Qt::ShiftModifier);
  EXPECT_EQ(lead(), named(0, "aten::bmm", 1));
  press(Qt::Key_Comma, Qt::ShiftModifier);
  EXPECT_EQ(lead(), named(0, "aten::bmm", 0));
}

TEST_F(Keys, ArrowsGoToTheRowAboveAndBelow) {
  open(1);
  select("aten::_softmax");
  const SliceId from = lead();
  press(Qt::Key_Down);
  EXPECT_EQ(leadName(), "cudaLaunchKernel");
  press(Qt::Key_Up);
  EXPECT_EQ(lead(), from);
}

TEST_F(Keys, BracketsLeadToLaunchAndKernel) {
  open(1);
  select("softmax_warp_forward");
  press(Qt::Key_BracketLeft);
  EXPECT_EQ(leadName(), "cudaLaunchKernel");
  press(Qt::Key_BracketRight);
  EXPECT_EQ(lead(), named(0, "softmax_warp_forward"));
  select("aten::scaled_dot_product_attention");
  press(Qt::Key_BracketRight);
  EXPECT_EQ(lead(), named(0, "ampere_sgemm_128x64_nn"));
}

TEST_F(Keys, UAndJGoToParentAndChild) {
  open(1);
  select("aten::_softmax");
  press(Qt::Key_U);
  EXPECT_EQ(leadName(), "aten::scaled_dot_product_attention");
  press(Qt::Key_J);
  EXPECT_EQ(lead(), named(0, "aten::bmm"));
}

TEST_F(Keys, EGoesAlongTheArrowAndBack) {
  open(1);
  select("aten::scaled_dot_product_attention");
  press(Qt::Key_E);
  EXPECT_EQ(leadName(), "aten::mm");
  press(Qt::Key_E, Qt::ShiftModifier);
  EXPECT_EQ(leadName(), "aten::scaled_dot_product_attention");
}

TEST_F(Keys, QSelectsTheWholeChain) {
  open(1);
  select("softmax_warp_forward");
  press(Qt::Key_Q);
  const std::vector<SliceId>* slices = session().selection().slicesOf(0);
  ASSERT_TRUE(slices);
  // The call, three operators in it, three launches and three kernels.
  EXPECT_EQ(slices->size(), 10U);
  EXPECT_TRUE(session().selection().contains(0, named(0, "aten::scaled_dot_product_attention")));
  EXPECT_TRUE(session().selection().contains(0, named(0, "ampere_sgemm_128x64_nn", 1)));
}

TEST_F(Keys, XGoesToThePartner) {
  open(2);
  select("ampere_sgemm_128x64_nt");
  press(Qt::Key_X);
  EXPECT_EQ(session().selection().leadRun, 1);
  EXPECT_EQ(leadName(), "ampere_sgemm_128x64_nt");
}

TEST_F(Keys, BracketsWithCtrlGoThroughSelections) {
  open(1);
  select("aten::bmm");
  select("aten::_softmax");
  select("aten::linear");
  press(Qt::Key_BracketLeft, Qt::ControlModifier);
  EXPECT_EQ(leadName(), "aten::_softmax");
  press(Qt::Key_BracketLeft, Qt::ControlModifier);
  EXPECT_EQ(leadName(), "aten::bmm");
  press(Qt::Key_BracketRight, Qt::ControlModifier);
  EXPECT_EQ(leadName(), "aten::_softmax");
}

TEST_F(Keys, BackspaceUndoesChangesOfTheView) {
  open(1);
  const auto rest = [&] { QTest::qWait(400); };
  rest();
  const double whole = view().spanNs();
  view().setView(1'000'000, 500'000);
  rest();
  session().setScope(Scope{ScopeKind::kStep, 1, {}});
  rest();
  press(Qt::Key_Backspace);
  EXPECT_EQ(session().scope().kind, ScopeKind::kWhole);
  EXPECT_NEAR(view().spanNs(), 500'000, 1);
  press(Qt::Key_Z, Qt::ControlModifier);
  EXPECT_NEAR(view().spanNs(), whole, 1);
  press(Qt::Key_Backspace, Qt::ShiftModifier);
  EXPECT_NEAR(view().spanNs(), 500'000, 1);
  press(Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
  EXPECT_EQ(session().scope().kind, ScopeKind::kStep);
}

TEST_F(Keys, PPinsAndHHidesTheTrackUnderThePointer) {
  open(1);
  const SliceId backward = named(0, "aten::mm");
  pointAt(0, backward);
  press(Qt::Key_P);
  const TimelinePane* pane = timeline().pane(0);
  ASSERT_EQ(pane->arrangement().pinned.size(), 1U);
  const int track = pane->arrangement().pinned.front();
  EXPECT_EQ(pane->tracks()->find(backward)->track, track);
  EXPECT_EQ(pane->trackOrder().front(), track);
  pointAt(0, backward);
  press(Qt::Key_P);
  EXPECT_TRUE(pane->arrangement().pinned.empty());
  pointAt(0, backward);
  press(Qt::Key_H);
  EXPECT_FALSE(shows(0, backward));
  press(Qt::Key_H, Qt::ShiftModifier);
  EXPECT_TRUE(shows(0, backward));
  // Without the pointer the selected slice says which.
  QEvent leave(QEvent::Leave);
  QApplication::sendEvent(const_cast<TimelinePane*>(pane), &leave);
  session().selectSlice(0, backward, SelectionOrigin::kTimeline);
  press(Qt::Key_H);
  EXPECT_FALSE(shows(0, backward));
}

TEST_F(Keys, AltAndArrowsMoveTheTrack) {
  open(1);
  const TimelinePane* pane = timeline().pane(0);
  select("aten::mm");
  const int track = pane->tracks()->find(lead())->track;
  const auto placeOf = [&] {
    const std::vector<int> order = pane->trackOrder();
    return std::find(order.begin(), order.end(), track) - order.begin();
  };
  const auto before = placeOf();
  press(Qt::Key_Up, Qt::AltModifier);
  EXPECT_EQ(placeOf(), before - 1);
  press(Qt::Key_Down, Qt::AltModifier);
  EXPECT_EQ(placeOf(), before);
}

TEST_F(Keys, TFiltersTheTracks) {
  open(1);
  const SliceId kernel = named(0, "softmax_warp_forward");
  const SliceId host = named(0, "aten::bmm");
  press(Qt::Key_T);
  QTest::keyClicks(QApplication::focusWidget(), QStringLiteral("stream"));
  EXPECT_TRUE(shows(0, kernel));
  EXPECT_FALSE(shows(0, host));
  press(Qt::Key_Escape);
  EXPECT_TRUE(shows(0, host));
  EXPECT_TRUE(timeline().hasFocus());
}

TEST_F(Keys, LUnlocksTheTimeAxes) {
  open(2);
  press(Qt::Key_L);
  ASSERT_FALSE(timeline().control().isLocked());
  pointAt(1, named(1, "softmax_warp_forward"));
  auto* lower = const_cast<TimelinePane*>(timeline().pane(1));
  const QPointF at(timeline().state().headerWidth() + 300, 20);
  QWheelEvent wheel(at, lower->mapToGlobal(at), {}, {0, 360}, Qt::NoButton, Qt::ControlModifier, Qt::NoScrollPhase,
                    false);
  QApplication::sendEvent(lower, &wheel);
  EXPECT_LT(timeline().control().windowOf(1).spanNs, timeline().control().windowOf(0).spanNs);
  press(Qt::Key_L);
  EXPECT_TRUE(timeline().control().isLocked());
  EXPECT_EQ(timeline().control().windowOf(1).spanNs, timeline().control().windowOf(0).spanNs);
}

TEST_F(Keys, MWritesANoteAndShiftMOneOnARange) {
  open(1);
  const SliceId kernel = named(0, "softmax_warp_forward");
  pointAt(0, kernel);
  press(Qt::Key_M);
  QTest::keyClicks(QApplication::focusWidget(), QStringLiteral("why so late?"));
  press(Qt::Key_Return);
  ASSERT_EQ(timeline().notes().all().size(), 1U);
  EXPECT_EQ(timeline().notes().all()[0].text, QStringLiteral("why so late?"));
  EXPECT_TRUE(timeline().notes().all()[0].isPlace());
  const double pixel = view().spanNs() / timeline().state().trackWidth();
  EXPECT_NEAR(static_cast<double>(timeline().notes().all()[0].range.startNs),
              static_cast<double>(start(kernel) + session().run(0)->trace()->slices.durationNs[index(kernel)] / 2),
              2 * pixel);
  EXPECT_TRUE(timeline().hasFocus());
  session().selectSlice(0, kernel, SelectionOrigin::kTimeline);
  press(Qt::Key_M, Qt::ShiftModifier);
  QTest::keyClicks(QApplication::focusWidget(), QStringLiteral("this one"));
  press(Qt::Key_Return);
  ASSERT_EQ(timeline().notes().all().size(), 2U);
  const auto ranged = std::find_if(timeline().notes().all().begin(), timeline().notes().all().end(),
                                   [](const Note& note) { return !note.isPlace(); });
  ASSERT_NE(ranged, timeline().notes().all().end());
  EXPECT_EQ(ranged->range.startNs, start(kernel));
  EXPECT_EQ(ranged->text, QStringLiteral("this one"));
  // Escape writes none.
  press(Qt::Key_M);
  QTest::keyClicks(QApplication::focusWidget(), QStringLiteral("not this"));
  press(Qt::Key_Escape);
  EXPECT_EQ(timeline().notes().all().size(), 2U);
}

TEST_F(Keys, RMakesTheSelectionTheScopeAndEscapeLetsGo) {
  open(1);
  select("softmax_warp_forward");
  press(Qt::Key_R);
  EXPECT_EQ(session().scope().kind, ScopeKind::kRange);
  EXPECT_EQ(session().scope().range.durationNs(), 60'000);
  press(Qt::Key_Escape);
  EXPECT_TRUE(session().selection().isEmpty());
  press(Qt::Key_Escape);
  EXPECT_EQ(session().scope().kind, ScopeKind::kWhole);
}

TEST_F(Keys, EnterSelectsWhatIsMeasured) {
  open(1);
  Measure measure;
  const SliceId kernel = named(0, "softmax_warp_forward");
  measure.fromNs = static_cast<double>(start(kernel) - session().anchorNs(0)) - 1000;
  measure.toNs = measure.fromNs + 62'000;
  timeline().state().setMeasure(measure);
  press(Qt::Key_Return);
  EXPECT_EQ(lead(), kernel);
}

TEST_F(Keys, SlashAndCtrlFFind) {
  open(1);
  for (const bool isSlash : {true, false}) {
    timeline().setFocus();
    press(isSlash ? Qt::Key_Slash : Qt::Key_F, isSlash ? Qt::NoModifier : Qt::ControlModifier);
    auto* field = m_test.window.findChild<QLineEdit*>(QStringLiteral("find"));
    ASSERT_TRUE(field->hasFocus());
    field->clear();
    QTest::keyClicks(field, QStringLiteral("bmm"));
    press(Qt::Key_Return);
    ASSERT_TRUE(m_test.settle());
    const SliceId first = lead();
    EXPECT_EQ(leadName(), "aten::bmm");
    press(Qt::Key_Return);
    EXPECT_NE(lead(), first);
    press(Qt::Key_Return, Qt::ShiftModifier);
    EXPECT_EQ(lead(), first);
    press(Qt::Key_Escape);
  }
}

TEST_F(Keys, GGoesToATime) {
  open(1);
  view().setView(0, 100'000);
  press(Qt::Key_G);
  auto* dialog = opened<GoToDialog>();
  ASSERT_TRUE(dialog);
  QTest::keyClicks(dialog->findChild<QLineEdit*>(), QStringLiteral("2.5 ms"));
  QTest::keyClick(dialog, Qt::Key_Return);
  EXPECT_NEAR(view().startNs() + view().spanNs() / 2, 2'500'000, 1);
}

TEST_F(Keys, RegionsAndTabs) {
  open(1);
  auto* sidebar = m_test.window.findChild<Sidebar*>();
  auto* lower = m_test.window.findChild<LowerArea*>();
  const bool wasOpen = sidebar->isVisible();
  press(Qt::Key_B, Qt::ControlModifier);
  EXPECT_NE(sidebar->isVisible(), wasOpen);
  press(Qt::Key_J, Qt::ControlModifier);
  EXPECT_TRUE(lower->isFolded());
  press(Qt::Key_3, Qt::AltModifier);
  EXPECT_TRUE(lower->isShown(lower->memory()));
  press(Qt::Key_1, Qt::AltModifier);
  EXPECT_TRUE(lower->isShown(lower->kernels()));
  press(Qt::Key_I, Qt::ControlModifier);
  EXPECT_TRUE(m_test.window.findChild<Details*>()->isVisible());
  press(Qt::Key_2, Qt::ControlModifier);
  EXPECT_EQ(m_test.window.page(), WindowPage::kLab);
  press(Qt::Key_1, Qt::ControlModifier);
  EXPECT_EQ(m_test.window.page(), WindowPage::kTraces);
  timeline().setFocus();
  press(Qt::Key_F6);
  EXPECT_FALSE(timeline().hasFocus());
  press(Qt::Key_F6, Qt::ShiftModifier);
  EXPECT_TRUE(timeline().hasFocus());
}

TEST_F(Keys, CtrlKDoesWhatIsTyped) {
  open(1);
  for (const bool isFirst : {true, false}) {
    view().setView(0, 1000);
    timeline().setFocus();
    press(isFirst ? Qt::Key_K : Qt::Key_P, isFirst ? Qt::ControlModifier : Qt::ControlModifier | Qt::ShiftModifier);
    auto* palette = opened<CommandPalette>();
    ASSERT_TRUE(palette);
    EXPECT_GT(palette->shown().size(), 60);
    QTest::keyClicks(palette->findChild<QLineEdit*>(), QStringLiteral("whole time"));
    EXPECT_EQ(palette->shown().front(), QStringLiteral("Whole trace"));
    QTest::keyClick(palette->findChild<QLineEdit*>(), Qt::Key_Return);
    EXPECT_TRUE(QTest::qWaitFor([&] { return view().spanNs() > 1'000'000; }));
    ASSERT_TRUE(QTest::qWaitFor([&] { return !m_test.window.findChild<CommandPalette*>(); }));
    ASSERT_TRUE(getsKeys(&m_test.window));
  }
}

TEST_F(Keys, TheQuestionMarkListsEveryKey) {
  open(1);
  press(Qt::Key_Question);
  auto* dialog = opened<KeysDialog>();
  ASSERT_TRUE(dialog);
  for (QAction* action : timeline().timelineActions()) {
    if (action->isSeparator()) continue;
    const auto* key = dialog->findChild<QAbstractButton*>(QStringLiteral("key:") + action->objectName());
    ASSERT_TRUE(key) << action->objectName().toStdString();
    EXPECT_EQ(key->text(), keyWords(action->shortcuts()));
  }
}

TEST_F(Keys, AChangedKeyDoesItsWorkAndIsKept) {
  open(1);
  press(Qt::Key_Question);
  auto* dialog = opened<KeysDialog>();
  ASSERT_TRUE(dialog);
  QTest::mouseClick(dialog->findChild<QAbstractButton*>(QStringLiteral("key:timeline.zoomIn")), Qt::LeftButton);
  auto* change = opened<KeyChangeDialog>(dialog);
  ASSERT_TRUE(change);
  QTest::keyClick(change->findChild<QKeySequenceEdit*>(), Qt::Key_H);  // which hides tracks
  for (QPushButton* button : change->findChildren<QPushButton*>()) {
    if (button->property("kind") == QStringLiteral("primary")) QTest::mouseClick(button, Qt::LeftButton);
  }
  dialog->close();
  ASSERT_TRUE(QTest::qWaitFor([&] { return !m_test.window.findChild<KeysDialog*>(); }));
  ASSERT_TRUE(getsKeys(&m_test.window));
  timeline().setFocus();
  QAction* hide = nullptr;
  for (QAction* action : timeline().timelineActions()) {
    if (action->objectName() == QStringLiteral("timeline.hide")) hide = action;
  }
  ASSERT_TRUE(hide);
  EXPECT_TRUE(hide->shortcuts().isEmpty());
  // It is held as W was.
  view().setView(2'000'000, 1'000'000);
  QTest::keyPress(&timeline(), Qt::Key_H);
  EXPECT_TRUE(QTest::qWaitFor([&] { return view().spanNs() < 900'000; }));
  QTest::keyRelease(&timeline(), Qt::Key_H);
  // The next window has it from the start, and everything goes back.
  MainWindow next(m_test.theme, m_test.settings);
  QAction* nextHide = nullptr;
  QAction* nextZoom = nullptr;
  for (QAction* action : next.timeline().timelineActions()) {
    if (action->objectName() == QStringLiteral("timeline.hide")) nextHide = action;
    if (action->objectName() == QStringLiteral("timeline.zoomIn")) nextZoom = action;
  }
  EXPECT_EQ(nextZoom->shortcuts(), (QList<QKeySequence>{QKeySequence(Qt::Key_H)}));
  EXPECT_TRUE(nextHide->shortcuts().isEmpty());
  next.shortcuts().resetAll();
  EXPECT_EQ(nextHide->shortcuts(), (QList<QKeySequence>{QKeySequence(Qt::Key_H)}));
}

TEST_F(Keys, AChangedKeyOfATableIsEveryTables) {
  Shortcuts& keys = m_test.window.shortcuts();
  QAction* copy = keys.named(QStringLiteral("table.copy"));
  ASSERT_TRUE(copy);
  const auto expectEverywhere = [&](const QList<QKeySequence>& wanted) {
    int tables = 0;
    for (const TablePage* page : m_test.window.findChildren<TablePage*>()) {
      for (const QAction* action : page->tableActions()) {
        if (action->objectName() != QStringLiteral("table.copy")) continue;
        ++tables;
        EXPECT_EQ(action->shortcuts(), wanted);
      }
    }
    EXPECT_EQ(tables, 4);
  };
  const QList<QKeySequence> first = copy->shortcuts();
  expectEverywhere(first);
  keys.set(copy, {QKeySequence(Qt::CTRL | Qt::Key_J)});
  expectEverywhere({QKeySequence(Qt::CTRL | Qt::Key_J)});
  keys.reset(copy);
  expectEverywhere(first);
}

TEST_F(Keys, EveryActionHasAMenuEntryATipAndOneMeaning) {
  open(1);
  const std::vector<Command> commands = commandsOf(*m_test.window.findChild<QMenuBar*>());
  for (QAction* action : m_test.window.shortcuts().actions()) {
    const bool isThere =
        std::any_of(commands.begin(), commands.end(), [action](const Command& each) { return each.action == action; });
    EXPECT_TRUE(isThere) << action->objectName().toStdString();
    EXPECT_FALSE(action->toolTip().isEmpty()) << action->objectName().toStdString();
  }
  QList<QKeySequence> keys;
  for (QAction* action : timeline().timelineActions()) {
    for (const QKeySequence& key : action->shortcuts()) {
      EXPECT_FALSE(keys.contains(key)) << key.toString().toStdString();
      keys << key;
    }
  }
}

TEST(CommandRank, PrefersBeginningsOfWordsAndTakesLettersInOrder) {
  const QString words = QStringLiteral("Fit selection, step, all");
  const QString path = QStringLiteral("View › Timeline");
  EXPECT_EQ(commandRank(words, path, QStringLiteral("fit sel")), 0);
  EXPECT_EQ(commandRank(words, path, QStringLiteral("")), 0);
  EXPECT_GT(commandRank(words, path, QStringLiteral("ection")), commandRank(words, path, QStringLiteral("step")));
  EXPECT_GT(commandRank(words, path, QStringLiteral("fsa")), commandRank(words, path, QStringLiteral("ection")));
  EXPECT_EQ(commandRank(words, path, QStringLiteral("zebra")), -1);
}

}  // namespace
}  // namespace attnscope::ui
