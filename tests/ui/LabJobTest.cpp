// SPDX-License-Identifier: GPL-3.0-or-later
// The whole job in the window: choose, run, watch, compare, save, open again; stopping, crashing and closing. With the
// real runner where it was built, else with the made-up one of tests/unit/lab.
#include <QAbstractButton>
#include <QAction>
#include <QDir>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QFileInfo>
#include <QMessageBox>
#include <QMimeData>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>
#include <QTemporaryDir>
#include <QUrl>

#include <gtest/gtest.h>

#include "TestWindow.h"
#include "core/session/AttnFile.h"
#include "ui/lab/CodeDialog.h"
#include "ui/lab/DotPlot.h"
#include "ui/lab/ImplementationList.h"
#include "ui/lab/ImplementationModel.h"
#include "ui/lab/LabPage.h"
#include "ui/lab/NumberField.h"
#include "ui/lab/ProblemForm.h"
#include "ui/lab/RecordedShape.h"
#include "ui/lab/ResultsMatrix.h"
#include "ui/lab/RunColumn.h"
#include "ui/lab/RunHead.h"
#include "ui/shell/Details.h"
#include "ui/shell/MissingRow.h"
#include "ui/shell/RunCard.h"
#include "ui/shell/Sidebar.h"
#include "ui/shell/StartPage.h"
#include "ui/shell/StatusLine.h"
#include "ui/tables/OperatorsPage.h"
#include "ui/theme/TextLabel.h"
#include "ui/timeline/TimelineView.h"

namespace attnscope::ui {
namespace {

using test::TestWindow;

const QString kRealRunner = QStringLiteral(ATTNSCOPE_BIN_DIR "/attnscope-runner");

class LabJob : public testing::Test {
 protected:
  LabJob() : isReal(QFileInfo::exists(kRealRunner)) {
    for (const char* name : {"LAB_FAKE_FAIL", "LAB_FAKE_WRONG", "LAB_FAKE_HOLD", "LAB_FAKE_DIE"}) qunsetenv(name);
  }
  [[nodiscard]] QString runnerPath() const { return isReal ? kRealRunner : QStringLiteral(LAB_FAKE_RUNNER); }

  // The lab is in front and its runner has answered.
  static bool openLab(TestWindow& test) {
    QTest::keyClick(&test.window, Qt::Key_2, Qt::ControlModifier);
    return test.window.page() == WindowPage::kLab && test.settle();
  }
  static void type(LabPage& lab, const char* name, const char* text) {
    for (NumberField* field : lab.findChildren<NumberField*>()) {
      if (field->accessibleName() != QLatin1String(name)) continue;
      field->selectAll();
      QTest::keyClicks(field, QLatin1String(text));
      return;
    }
    ADD_FAILURE() << "there is no field " << name;
  }
  static void clickImplementation(LabPage& lab, const char* id) {
    auto* list = lab.findChild<ImplementationList*>();
    ImplementationModel& model = lab.implementations();
    for (int row = 0; row < model.rowCount(); ++row) {
      const QModelIndex index = model.index(row);
      if (index.data(ImplementationModel::kId).toString() != QLatin1String(id)) continue;
      list->scrollTo(index);
      QTest::mouseClick(list->viewport(), Qt::LeftButton, {}, list->visualRect(index).topLeft() + QPoint(70, 12));
      return;
    }
    ADD_FAILURE() << "there is no implementation " << id;
  }
  // A small shape, so that a run takes a second or two.
  static bool makeSmall(TestWindow& test, const char* rounds) {
    LabPage& lab = test.window.lab();
    type(lab, "Heads", "2");
    type(lab, "Length", "64");
    type(lab, "Timed rounds", rounds);
    return test.settle();
  }
  // Presses a button of the question that stands over the window.
  static bool answer(MainWindow& window, const QString& words) {
    for (QMessageBox* box : window.findChildren<QMessageBox*>()) {
      for (QAbstractButton* button : box->buttons()) {
        if (button->text() != words) continue;
        QTest::mouseClick(button, Qt::LeftButton);
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
        return true;
      }
    }
    return false;
  }
  static QString labelTexts(const QWidget& widget) {
    QStringList texts;
    for (const TextLabel* label : widget.findChildren<TextLabel*>()) texts << label->text();
    return texts.join(u'\n');
  }
  static bool waitFor(const std::function<bool()>& done) { return QTest::qWaitFor(done, 30000); }

  const bool isReal;
  QTemporaryDir folder;
};

TEST_F(LabJob, FromTheStartPageToASavedSessionAndBack) {
  TestWindow test({1920, 1080}, runnerPath());
  MainWindow& window = test.window;
  EXPECT_FALSE(window.runner().isDescribed());
  for (ActionCard* card : window.findChild<StartPage*>()->findChildren<ActionCard*>()) {
    if (card->text() == QLatin1String("Run implementations")) QTest::mouseClick(card, Qt::LeftButton);
  }
  ASSERT_EQ(window.page(), WindowPage::kLab);
  ASSERT_TRUE(test.settle());
  EXPECT_TRUE(window.runner().description().found);
  EXPECT_FALSE(window.action(QStringLiteral("saveSession"))->isEnabled());

  LabPage& lab = window.lab();
  lab.choose({});
  clickImplementation(lab, "naive.plain");
  clickImplementation(lab, "sdpa.flash");
  ASSERT_TRUE(makeSmall(test, "8"));
  QSignalSpy sampled(&window.runner(), &LabRunner::sampled);
  QSignalSpy ready(&lab, &LabPage::resultReady);
  QTest::keyClick(&window, Qt::Key_R, Qt::ControlModifier);
  ASSERT_TRUE(window.runner().isRunning());
  ASSERT_TRUE(waitFor([&] { return sampled.count() >= 4 || ready.count() > 0; }));
  EXPECT_FALSE(lab.column().plot().rows()[0].ns.empty());
  ASSERT_TRUE(waitFor([&] { return ready.count() > 0; }));
  EXPECT_EQ(sampled.count(), 16);

  // The comparison stands in front, at the first profiled call.
  EXPECT_EQ(window.page(), WindowPage::kTraces);
  ASSERT_TRUE(test.settle());
  Session& session = window.session();
  ASSERT_EQ(session.readyRuns(), (std::vector<int>{0, 1}));
  ASSERT_TRUE(session.comparison());
  EXPECT_TRUE(window.findChild<TimelineView*>()->isVisible());
  EXPECT_EQ(session.alignment(), Alignment::kStep);
  EXPECT_EQ(session.scope().kind, ScopeKind::kStep);
  EXPECT_TRUE(session.selection().isEmpty());
  EXPECT_LE(window.view().startNs(), 0);
  ASSERT_TRUE(session.run(1)->measurement());
  EXPECT_EQ(session.run(1)->measurement()->completeRounds, 8);
  const RunCard* card = window.findChild<Sidebar*>()->cards().back();
  EXPECT_TRUE(card->accessibleName().contains(QLatin1String("Call, 8 timed"))) << qPrintable(card->accessibleName());
  EXPECT_TRUE(window.windowTitle().contains(QLatin1String("not saved")));

  // A row of a table is selected in both.
  QTest::keyClick(&window, Qt::Key_2, Qt::AltModifier);
  ASSERT_TRUE(test.settle());
  QTableView* table = window.findChild<OperatorsPage*>()->tableView();
  ASSERT_GT(table->model()->rowCount(), 0);
  const QModelIndex last = table->model()->index(table->model()->rowCount() - 1, 0);
  table->scrollTo(last);
  QTest::mouseClick(table->viewport(), Qt::LeftButton, {}, table->visualRect(last).center());
  ASSERT_TRUE(test.settle());
  EXPECT_FALSE(session.selection().isEmpty());

  const QString file = folder.filePath(QStringLiteral("two.attn"));
  window.setSaveChooser([&file](QWidget*, const QString&, const QString& suggestion) {
    EXPECT_TRUE(suggestion.endsWith(QLatin1String(".attn")));
    return file;
  });
  QTest::keyClick(&window, Qt::Key_S, Qt::ControlModifier);
  ASSERT_TRUE(test.settle());
  ASSERT_TRUE(looksLikeAttn(file.toStdString()));
  EXPECT_TRUE(window.windowTitle().startsWith(QLatin1String("two.attn"))) << qPrintable(window.windowTitle());
  ASSERT_FALSE(test.settings.recentFiles().empty());
  EXPECT_EQ(test.settings.recentFiles().front().path, file);
  const RunResult saved = *session.run(0)->measurement();

  // Closed, dropped on the window, and the same again.
  session.closeAll();
  ASSERT_TRUE(test.settle());
  QMimeData data;
  data.setUrls({QUrl::fromLocalFile(file)});
  QDragEnterEvent enter(QPoint(300, 300), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
  QApplication::sendEvent(&window, &enter);
  QDropEvent drop(QPointF(300, 300), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
  QApplication::sendEvent(&window, &drop);
  ASSERT_TRUE(test.settle());
  ASSERT_EQ(session.readyRuns().size(), 2U);
  ASSERT_TRUE(session.comparison());
  EXPECT_EQ(session.scope().kind, ScopeKind::kStep);
  EXPECT_EQ(session.run(0)->measurement()->implementations[0].samples, saved.implementations[0].samples);
  EXPECT_TRUE(window.windowTitle().startsWith(QLatin1String("two.attn")));
}

TEST_F(LabJob, StoppedHalfwayItKeepsItsRounds) {
  if (!isReal) qputenv("LAB_FAKE_HOLD", "5");
  TestWindow test({1440, 900}, runnerPath());
  ASSERT_TRUE(openLab(test));
  ASSERT_TRUE(makeSmall(test, "400"));
  MainWindow& window = test.window;
  LabPage& lab = window.lab();
  QTest::mouseClick(lab.column().runButton(), Qt::LeftButton);
  ASSERT_TRUE(waitFor([&] { return window.runner().state().round() >= 5; }));
  EXPECT_TRUE(window.findChild<StatusLine*>()->stateWords().contains(QLatin1String("of 400")));
  // Traces are opened while it runs.
  window.openFiles({test::naive()});
  EXPECT_EQ(window.page(), WindowPage::kTraces);
  ASSERT_TRUE(waitFor([&] { return window.session().readyRuns().size() == 1; }));
  EXPECT_TRUE(window.runner().isRunning());
  QTest::keyClick(&window, Qt::Key_2, Qt::ControlModifier);
  QTest::mouseClick(lab.column().stopButton(), Qt::LeftButton);
  ASSERT_TRUE(waitFor([&] { return !window.runner().isRunning(); }));
  ASSERT_TRUE(lab.result());
  EXPECT_EQ(lab.result()->ending, RunEnding::kCancelled);
  EXPECT_GE(lab.result()->completeRounds, 5);
  EXPECT_EQ(static_cast<int>(lab.result()->implementations[0].samples.size()), lab.result()->completeRounds);
  EXPECT_TRUE(window.isVisible());
  EXPECT_TRUE(lab.column().saveButton()->isEnabled());
}

TEST_F(LabJob, OneThatCrashesLeavesTheWindowAndTheOthers) {
  TestWindow test({1920, 1080}, runnerPath());
  MainWindow& window = test.window;
  if (isReal) {
    window.runner().setTestHooks({{"sdpa.flash", RunPhase::kTime, 2, "crash"}});
  } else {
    qputenv("LAB_FAKE_FAIL", "sdpa.flash");
  }
  ASSERT_TRUE(openLab(test));
  window.lab().choose({QStringLiteral("naive.plain"), QStringLiteral("sdpa.flash"), QStringLiteral("sdpa.math")});
  ASSERT_TRUE(makeSmall(test, "6"));
  QSignalSpy ready(&window.lab(), &LabPage::resultReady);
  QTest::keyClick(&window, Qt::Key_R, Qt::ControlModifier);
  ASSERT_TRUE(waitFor([&] { return ready.count() > 0; }));
  ASSERT_TRUE(test.settle());
  EXPECT_TRUE(window.isVisible());
  Session& session = window.session();
  ASSERT_EQ(session.readyRuns().size(), 2U);
  EXPECT_EQ(session.run(0)->letter(), QLatin1String("A"));
  EXPECT_EQ(session.run(1)->letter(), QLatin1String("C"));  // as in the lab
  const RunResult& result = *session.run(0)->measurement();
  EXPECT_EQ(result.implementations[0].samples.size(), 6U);
  EXPECT_EQ(result.implementations[2].samples.size(), 6U);
  const auto& missing = window.findChild<Sidebar*>()->missing();
  ASSERT_EQ(missing.size(), 1U);
  EXPECT_EQ(missing.front()->words().letter, QLatin1String("B"));
  const QString& sentence = missing.front()->words().sentence;
  EXPECT_TRUE(sentence.startsWith(isReal ? QLatin1String("While timing: ") : QLatin1String("While warming up: ")))
      << qPrintable(sentence);
  EXPECT_TRUE(missing.front()->isVisible());
  EXPECT_TRUE(window.lab().column().matrix().matrix().rows[1].sentence.startsWith(QLatin1String("While ")));
  // Its letter is not given to another.
  ASSERT_TRUE(test.open({test::naive()}));
  EXPECT_EQ(session.run(2)->letter(), QLatin1String("D"));
}

TEST_F(LabJob, ANewRunTakesThePlaceOfTheLastAndLeavesOpenedTraces) {
  TestWindow test({1440, 900}, runnerPath());
  MainWindow& window = test.window;
  ASSERT_TRUE(test.open({test::naive()}));
  ASSERT_TRUE(openLab(test));
  ASSERT_TRUE(makeSmall(test, "6"));
  QSignalSpy ready(&window.lab(), &LabPage::resultReady);
  for (int run = 1; run <= 2; ++run) {
    ASSERT_TRUE(openLab(test));
    QTest::keyClick(&window, Qt::Key_R, Qt::ControlModifier);
    ASSERT_TRUE(waitFor([&] { return ready.count() == run; }));
    ASSERT_TRUE(test.settle());
    ASSERT_EQ(window.session().runCount(), 3);
    EXPECT_TRUE(window.session().run(0)->isHidden());
    EXPECT_EQ(window.session().readyRuns(), (std::vector<int>{1, 2}));
  }
}

TEST_F(LabJob, TheShapeOfARecordedCallGoesIntoTheForm) {
  TestWindow test({1920, 1080}, runnerPath());
  MainWindow& window = test.window;
  ASSERT_TRUE(test.open({test::flash()}));
  const Trace& trace = *window.session().run(0)->trace();
  SliceId call = kNoSlice;
  for (std::uint32_t i = 0; i < trace.slices.size() && call == kNoSlice; ++i) {
    if (isAttentionCall(trace, SliceId{i})) call = SliceId{i};
  }
  ASSERT_NE(call, kNoSlice);
  window.session().selectSlice(0, call, SelectionOrigin::kTimeline);
  ASSERT_TRUE(test.settle());
  auto* button = window.findChild<Details*>()->findChild<QPushButton*>(QStringLiteral("runShape"));
  ASSERT_TRUE(button);
  QTest::mouseClick(button, Qt::LeftButton);
  ASSERT_TRUE(waitFor([&] { return window.page() == WindowPage::kLab; }));
  ASSERT_TRUE(test.settle());
  const auto recorded = problemOf(trace, call);
  ASSERT_TRUE(recorded);
  EXPECT_TRUE(window.lab().plan().problem == *recorded);
}

TEST_F(LabJob, ClosingTheWindowEndsTheRun) {
  if (!isReal) qputenv("LAB_FAKE_HOLD", "3");
  for (const int rounds : {0, 3}) {
    TestWindow test({1440, 900}, runnerPath());
    ASSERT_TRUE(openLab(test));
    ASSERT_TRUE(makeSmall(test, "400"));
    QTest::keyClick(&test.window, Qt::Key_R, Qt::ControlModifier);
    ASSERT_TRUE(test.window.runner().isRunning());
    // Before anything was heard of the runner, and in the middle of the timing.
    ASSERT_TRUE(rounds == 0 || waitFor([&] { return test.window.runner().state().round() >= rounds; }));
    EXPECT_FALSE(test.window.close());
    ASSERT_TRUE(answer(test.window, QLatin1String("Keep the window open")));
    EXPECT_TRUE(test.window.isVisible());
    EXPECT_TRUE(test.window.runner().isRunning());
    EXPECT_FALSE(test.window.close());
    ASSERT_TRUE(answer(test.window, QLatin1String("Stop and close")));
    EXPECT_FALSE(test.window.isVisible());
  }
}

TEST_F(LabJob, ClosingAsksOnceForARunThatIsNotSaved) {
  TestWindow test({1440, 900}, runnerPath());
  MainWindow& window = test.window;
  ASSERT_TRUE(openLab(test));
  ASSERT_TRUE(makeSmall(test, "6"));
  QSignalSpy ready(&window.lab(), &LabPage::resultReady);
  QTest::keyClick(&window, Qt::Key_R, Qt::ControlModifier);
  ASSERT_TRUE(waitFor([&] { return ready.count() == 1; }));
  ASSERT_TRUE(test.settle());
  // Another trace in front, and the runs of the lab closed: it is still not saved.
  ASSERT_TRUE(test.open({test::naive()}));
  EXPECT_TRUE(window.lab().column().footWords().contains(QLatin1String("Not saved")));
  QString file;
  window.setSaveChooser([&file](QWidget*, const QString&, const QString&) { return file; });
  EXPECT_FALSE(window.close());
  EXPECT_FALSE(window.close());  // the same question, once
  EXPECT_EQ(window.findChildren<QMessageBox*>().size(), 1);
  ASSERT_TRUE(answer(window, QStringLiteral("Save as session…")));  // and the dialog is left without a name
  EXPECT_TRUE(window.isVisible());
  EXPECT_FALSE(window.close());
  file = folder.filePath(QStringLiteral("closing.attn"));
  ASSERT_TRUE(answer(window, QStringLiteral("Save as session…")));
  ASSERT_TRUE(waitFor([&] { return !window.isVisible(); }));
  EXPECT_TRUE(looksLikeAttn(file.toStdString()));
}

TEST_F(LabJob, ClosingAsksNothingForARunThatIsSaved) {
  TestWindow test({1440, 900}, runnerPath());
  MainWindow& window = test.window;
  ASSERT_TRUE(openLab(test));
  ASSERT_TRUE(makeSmall(test, "6"));
  QSignalSpy ready(&window.lab(), &LabPage::resultReady);
  QTest::keyClick(&window, Qt::Key_R, Qt::ControlModifier);
  ASSERT_TRUE(waitFor([&] { return ready.count() == 1; }));
  ASSERT_TRUE(test.settle());
  const QString file = folder.filePath(QStringLiteral("saved.attn"));
  window.setSaveChooser([&file](QWidget*, const QString&, const QString&) { return file; });
  QTest::keyClick(&window, Qt::Key_S, Qt::ControlModifier);
  ASSERT_TRUE(test.settle());
  EXPECT_FALSE(window.lab().column().footWords().contains(QLatin1String("Not saved")));
  EXPECT_TRUE(window.close());
  EXPECT_FALSE(window.isVisible());
}

// Stopped after three rounds, before anything was profiled.
RunResult stoppedResult() {
  RunPlan plan;
  plan.problem.heads = plan.problem.keyValueHeads = 2;
  plan.problem.queryLength = plan.problem.keyValueLength = 96;
  plan.implementations = {"sdpa.math", "naive.plain", "sdpa.flash"};
  plan.rounds = 12;
  RunResult result = startedResult(plan);
  result.ending = RunEnding::kCancelled;
  result.environment.startedAt = "2026-01-31T12:00:00Z";
  result.completeRounds = 3;
  for (const std::size_t i : {0U, 1U}) {
    for (int round = 0; round < 3; ++round) {
      result.implementations[i].samples.push_back({round, 1000 + round, 1000, 1});
    }
  }
  result.implementations[2].failure = RunFailure{RunPhase::kCheck, "it ended by signal 11 (segmentation fault)"};
  return result;
}

TEST_F(LabJob, ASessionWithoutTracesOpensInTheLabAsItEnded) {
  const QString file = folder.filePath(QStringLiteral("stopped.attn"));
  const RunResult result = stoppedResult();
  ASSERT_TRUE(writeAttn(file.toStdString(), result));
  TestWindow test({1440, 900}, runnerPath());
  MainWindow& window = test.window;
  ASSERT_TRUE(test.open({file}));
  EXPECT_EQ(window.session().runCount(), 0);
  EXPECT_EQ(window.page(), WindowPage::kLab);
  LabPage& lab = window.lab();
  EXPECT_EQ(*lab.result(), result);
  EXPECT_EQ(lab.unsaved(), nullptr);
  EXPECT_EQ(lab.plan().implementations, result.plan.implementations);
  EXPECT_TRUE(lab.plan().problem == result.plan.problem);
  EXPECT_EQ(lab.plan().rounds, 12);
  const RunColumn& column = lab.column();
  ASSERT_TRUE(column.showsRun());
  EXPECT_EQ(column.plot().rows()[0].ns.size(), 3U);
  const Matrix& matrix = column.matrix().matrix();
  ASSERT_EQ(matrix.rows.size(), 3U);
  EXPECT_TRUE(matrix.rows[2].sentence.contains(QLatin1String("segmentation fault")))
      << qPrintable(matrix.rows[2].sentence);
  EXPECT_TRUE(labelTexts(column.head()).contains(QLatin1String("measured 2026-01-31")))
      << qPrintable(labelTexts(column.head()));
  // It is run again as it was, and its result takes the place of the one that was read.
  ASSERT_TRUE(column.runButton()->isEnabled()) << qPrintable(column.footWords());
  QSignalSpy ready(&lab, &LabPage::resultReady);
  QTest::mouseClick(column.runButton(), Qt::LeftButton);
  ASSERT_TRUE(waitFor([&] { return ready.count() == 1; }));
  EXPECT_EQ(lab.result()->completeRounds, 12);
  EXPECT_EQ(lab.unsaved(), lab.result());
  EXPECT_FALSE(labelTexts(column.head()).contains(QLatin1String("measured"))) << qPrintable(labelTexts(column.head()));
}

TEST_F(LabJob, ASessionWithoutTracesPushesNoUnsavedRunAside) {
  const QString file = folder.filePath(QStringLiteral("stopped.attn"));
  ASSERT_TRUE(writeAttn(file.toStdString(), stoppedResult()));
  TestWindow test({1440, 900}, runnerPath());
  ASSERT_TRUE(openLab(test));
  ASSERT_TRUE(makeSmall(test, "6"));
  QSignalSpy ready(&test.window.lab(), &LabPage::resultReady);
  QTest::keyClick(&test.window, Qt::Key_R, Qt::ControlModifier);
  ASSERT_TRUE(waitFor([&] { return ready.count() == 1; }));
  ASSERT_TRUE(test.settle());
  const auto unsaved = test.window.lab().unsaved();
  ASSERT_TRUE(unsaved);
  ASSERT_TRUE(test.open({file}));
  EXPECT_EQ(test.window.lab().unsaved(), unsaved);
  const Session& session = test.window.session();
  ASSERT_EQ(session.runCount(), 3);
  EXPECT_NE(session.run(2)->error().what.find("segmentation fault"), std::string::npos);
}

TEST_F(LabJob, ABrokenTraceOfASessionIsNamedByTheSession) {
  RunPlan plan;
  plan.implementations = {"naive.plain", "sdpa.flash"};
  RunResult result = startedResult(plan);
  result.implementations[0].traceFile =
      test::writeFile(folder.filePath(QStringLiteral("a.json")), "no trace at all").toStdString();
  result.implementations[1].traceFile = test::flash().toStdString();
  const QString file = folder.filePath(QStringLiteral("broken.attn"));
  ASSERT_TRUE(writeAttn(file.toStdString(), result));
  TestWindow test({1440, 900}, runnerPath());
  ASSERT_TRUE(test.open({file}));
  ASSERT_EQ(test.window.session().runCount(), 2);
  const auto& broken = *test.window.session().run(0);
  ASSERT_EQ(broken.state(), RunState::kFailed);
  EXPECT_EQ(broken.location(), file + QLatin1String("#A-naive.plain.json"));
  EXPECT_EQ(broken.spokenName(), QLatin1String("A-naive.plain.json of broken.attn"));
  EXPECT_EQ(test.window.session().run(1)->state(), RunState::kReady);
}

// Drawn where the environment names a folder for it: what a run looks like while it is on and when it is done.
TEST_F(LabJob, PicturesForPeople) {
  const QString shots = qEnvironmentVariable("ATTNSCOPE_SHOTS");
  if (shots.isEmpty()) GTEST_SKIP() << "ATTNSCOPE_SHOTS names no folder";
  TestWindow test({1280, 800}, runnerPath());
  MainWindow& window = test.window;
  const auto draw = [&](const char* name) {
    for (const ThemeChoice theme : {ThemeChoice::kLight, ThemeChoice::kDark}) {
      test.theme.setChoice(theme);
      for (const QSize size : {QSize(1280, 800), QSize(1920, 1080)}) {
        window.resize(size);
        QTest::qWait(50);
        EXPECT_TRUE(
            window.grab().save(QStringLiteral("%1/%2-%3-%4x%5.png")
                                   .arg(shots, QLatin1String(name),
                                        theme == ThemeChoice::kDark ? QStringLiteral("dark") : QStringLiteral("light"))
                                   .arg(size.width())
                                   .arg(size.height())));
      }
    }
  };
  const QString stopped = folder.filePath(QStringLiteral("stopped.attn"));
  ASSERT_TRUE(writeAttn(stopped.toStdString(), stoppedResult()));
  ASSERT_TRUE(test.open({stopped}));
  draw("lab-stopped");
  window.lab().findChild<QAction*>(QStringLiteral("labCode"))->trigger();
  auto* code = window.lab().findChild<CodeDialog*>();
  for (const ThemeChoice theme : {ThemeChoice::kLight, ThemeChoice::kDark}) {
    test.theme.setChoice(theme);
    QTest::qWait(50);
    const QString of = theme == ThemeChoice::kDark ? QStringLiteral("dark") : QStringLiteral("light");
    EXPECT_TRUE(code->grab().save(QStringLiteral("%1/lab-code-%2.png").arg(shots, of)));
  }
  code->reject();
  window.activateWindow();
  ASSERT_TRUE(QTest::qWaitForWindowActive(&window));
  window.lab().setProblem(Problem{});
  ASSERT_TRUE(openLab(test));
  window.lab().choose({QStringLiteral("naive.plain"), QStringLiteral("sdpa.flash"), QStringLiteral("sdpa.math")});
  window.lab().form().setSettings(RunSettings{});
  ASSERT_TRUE(test.settle());
  QSignalSpy ready(&window.lab(), &LabPage::resultReady);
  QTest::keyClick(&window, Qt::Key_R, Qt::ControlModifier);
  ASSERT_TRUE(QTest::qWaitFor([&] { return window.runner().state().round() >= 12; }, 60000));
  draw("lab-running");
  ASSERT_TRUE(QTest::qWaitFor([&] { return ready.count() > 0; }, 120000));
  ASSERT_TRUE(test.settle());
  QTest::keyClick(&window, Qt::Key_2, Qt::ControlModifier);
  draw("lab-done");
}

TEST_F(LabJob, WithoutARunnerTheLabSaysSo) {
  TestWindow test({1280, 800}, folder.filePath(QStringLiteral("no-runner")));
  ASSERT_TRUE(openLab(test));
  EXPECT_FALSE(test.window.lab().column().runButton()->isEnabled());
  EXPECT_FALSE(test.window.action(QStringLiteral("run"))->isEnabled());
  QTest::keyClick(&test.window, Qt::Key_1, Qt::ControlModifier);
  EXPECT_EQ(test.window.page(), WindowPage::kTraces);
}

}  // namespace
}  // namespace attnscope::ui
