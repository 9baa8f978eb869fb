// SPDX-License-Identifier: GPL-3.0-or-later
// The page with a fake runner: two are chosen by mouse and key, Run is pressed, the run goes through, is stopped,
// fails.

#include <gtest/gtest.h>
#include <algorithm>
#include <vector>

#include <QAction>
#include <QCheckBox>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>

#include "tests/unit/lab/LabTest.h"
#include "ui/bridge/LabRunner.h"
#include "ui/lab/CodeDialog.h"
#include "ui/lab/DotPlot.h"
#include "ui/lab/ImplementationList.h"
#include "ui/lab/ImplementationModel.h"
#include "ui/lab/LabNotice.h"
#include "ui/lab/LabPage.h"
#include "ui/lab/NumberField.h"
#include "ui/lab/ProblemForm.h"
#include "ui/lab/ResultsMatrix.h"
#include "ui/lab/RunColumn.h"
#include "ui/lab/RunHead.h"

namespace attnscope::ui {
namespace {

class LabPageTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"LAB_FAKE_FAIL", "LAB_FAKE_WRONG", "LAB_FAKE_HOLD", "LAB_FAKE_DIE"}) qunsetenv(name);
    m_page.resize(1440, 836);
    m_page.show();
    ASSERT_TRUE(waitUntil([&] { return m_page.isSettled(); }));
  }
  bool runToTheEnd() {
    QTest::mouseClick(m_page.column().runButton(), Qt::LeftButton);
    return waitUntil([&] { return m_runner.isRunning(); }, 5'000) && waitUntil([&] { return !m_runner.isRunning(); });
  }
  QModelIndex rowOf(const char* id) {
    ImplementationModel& model = m_page.implementations();
    for (int row = 0; row < model.rowCount(); ++row) {
      if (model.index(row).data(ImplementationModel::kId).toString() == QLatin1String(id)) return model.index(row);
    }
    return {};
  }

  LabRunner m_runner{QStringLiteral(LAB_FAKE_RUNNER)};
  LabPage m_page{m_runner, labTheme()};
};

TEST_F(LabPageTest, IsReadyAtOnceWithTwoChosen) {
  EXPECT_EQ(m_page.implementations().choice().ids(),
            QStringList({QStringLiteral("naive.plain"), QStringLiteral("sdpa.flash")}));
  EXPECT_TRUE(m_page.plan().problem == Problem{});
  EXPECT_TRUE(m_page.column().runButton()->isEnabled());
  EXPECT_FALSE(m_page.column().showsRun());
  EXPECT_EQ(m_page.column().notice().title(), QStringLiteral("Ready to run"));
  EXPECT_TRUE(m_page.column().command().startsWith(QStringLiteral("attnscope-cli run --impl naive.plain,sdpa.flash ")));
  EXPECT_FALSE(m_page.column().saveButton()->isEnabled());
}

TEST_F(LabPageTest, ShowsWhatTheMachineRefusesAndWhatLibTorchWouldChoose) {
  EXPECT_EQ(rowOf("blockwise.aten").data(ImplementationModel::kRefusal).toString(),
            QStringLiteral("Needs AVX-512, which this CPU does not have."));
  EXPECT_EQ(rowOf("sdpa.flash").data(ImplementationModel::kRemark).toString(),
            QStringLiteral("LibTorch itself would choose this."));
  EXPECT_TRUE(
      rowOf("sdpa.math").data(ImplementationModel::kRemark).toString().contains(QStringLiteral("flash is faster")));
  EXPECT_TRUE(rowOf("naive.plain").data(ImplementationModel::kRemark).toString().isEmpty());
}

TEST_F(LabPageTest, SaysWhatWouldMakeAnImplementationFaster) {
  Problem decode;
  decode.keyValueHeads = 2;
  decode.queryLength = 1;
  decode.mask = NoMask{};
  m_page.setProblem(decode);
  EXPECT_TRUE(rowOf("sdpa.flash")
                  .data(ImplementationModel::kRemark)
                  .toString()
                  .contains(QStringLiteral("q.view(1, 2, 4, 64)")));
}

TEST_F(LabPageTest, ChosenByMouseAndKeyThenRun) {
  m_page.choose({});
  EXPECT_FALSE(m_page.column().runButton()->isEnabled());
  EXPECT_EQ(m_page.column().footWords(), QStringLiteral("Choose an implementation to run"));
  auto* list = m_page.findChild<ImplementationList*>();
  QTest::mouseClick(list->viewport(), Qt::LeftButton, {},
                    list->visualRect(rowOf("naive.plain")).topLeft() + QPoint(70, 12));
  QTest::keyClick(list, Qt::Key_Down);
  QTest::keyClick(list, Qt::Key_Space);
  EXPECT_EQ(m_page.plan().implementations, (std::vector<std::string>{"naive.plain", "naive.inplace"}));
  QSignalSpy ready(&m_page, &LabPage::resultReady);
  QSignalSpy sampled(&m_runner, &LabRunner::sampled);
  ASSERT_TRUE(runToTheEnd());
  EXPECT_EQ(ready.count(), 1);
  EXPECT_EQ(sampled.count(), 80);
  EXPECT_EQ(m_page.column().head().title(), QStringLiteral("Done"));
  const Matrix& matrix = m_page.column().matrix().matrix();
  ASSERT_EQ(matrix.rows.size(), 2u);
  EXPECT_EQ(matrix.rows[0].state, QStringLiteral("done"));
  EXPECT_EQ(matrix.rows[1].cells[kVersus].tone, RowTone::kFaster);
  EXPECT_EQ(m_page.column().plot().rows()[1].ns.size(), 40u);
  EXPECT_TRUE(m_page.column().saveButton()->isEnabled());
  EXPECT_TRUE(m_page.column().openButton()->isVisible());
  QSignalSpy open(&m_page, &LabPage::openComparisonRequested);
  QTest::mouseClick(m_page.column().openButton(), Qt::LeftButton);
  EXPECT_EQ(open.count(), 1);
}

TEST_F(LabPageTest, OwnCodeIsTypedAllowedAndChosen) {
  const auto open = [this] {
    m_page.findChild<QAction*>(QStringLiteral("labCode"))->trigger();
    return m_page.findChild<CodeDialog*>();
  };
  const auto buttonOf = [](CodeDialog* dialog, const char* words) -> QPushButton* {
    for (QPushButton* button : dialog->findChildren<QPushButton*>()) {
      if (button->text() == QLatin1String(words)) return button;
    }
    return nullptr;
  };
  CodeDialog* dialog = open();
  ASSERT_TRUE(dialog);
  auto* text = dialog->findChild<QPlainTextEdit*>();
  auto* box = dialog->findChild<QCheckBox*>();
  QPushButton* use = buttonOf(dialog, "Use this code");
  EXPECT_FALSE(use->isEnabled());
  box->click();
  EXPECT_TRUE(use->isEnabled());
  // The yes was to what stood there.
  text->setPlainText(QStringLiteral("def attention(q, k, v):\n    return q\n"));
  EXPECT_FALSE(box->isChecked());
  EXPECT_FALSE(use->isEnabled());
  box->click();
  use->click();
  EXPECT_TRUE(m_page.implementations().choice().contains(QStringLiteral("byo.script")));
  const UserCode code = m_page.plan().code;
  EXPECT_EQ(code.script, "def attention(q, k, v):\n    return q\n");
  EXPECT_TRUE(code.allowed);
  // What nobody runs is not in the plan.
  m_page.choose({QStringLiteral("naive.plain")});
  EXPECT_EQ(m_page.plan().code, UserCode{});
  // And a plan that brings none takes none away.
  m_page.fillIn(m_page.plan());
  EXPECT_EQ(m_page.implementations().code(), code);
  // A plan that comes from elsewhere brings its code and no yes.
  RunPlan plan = m_page.plan();
  plan.implementations = {"naive.plain", "byo.script"};
  plan.code.script = "def attention(q, k, v):\n    return k\n";
  plan.code.allowed = true;
  m_page.fillIn(plan);
  EXPECT_EQ(m_page.plan().code.script, plan.code.script);
  EXPECT_FALSE(m_page.plan().code.allowed);
  EXPECT_FALSE(m_page.implementations().refusalOf(QStringLiteral("byo.script")).isEmpty());
}

TEST_F(LabPageTest, StopKeepsWhatIsFinished) {
  qputenv("LAB_FAKE_HOLD", "22");
  QTest::mouseClick(m_page.column().runButton(), Qt::LeftButton);
  ASSERT_TRUE(waitUntil([&] { return m_runner.state().round() == 22; }));
  EXPECT_EQ(m_page.column().head().title(), QStringLiteral("Timing round 23 of 40"));
  EXPECT_FALSE(m_page.column().runButton()->isEnabled());
  EXPECT_TRUE(m_page.column().head().note().contains(QStringLiteral("attnscope-runner")));
  QTest::mouseClick(m_page.column().stopButton(), Qt::LeftButton);
  ASSERT_TRUE(waitUntil([&] { return !m_runner.isRunning(); }));
  EXPECT_EQ(m_page.column().head().title(), QStringLiteral("Stopped after 22 of 40 rounds"));
  const Matrix& matrix = m_page.column().matrix().matrix();
  EXPECT_EQ(matrix.rows[0].state, QStringLiteral("stopped"));
  EXPECT_NE(matrix.rows[0].cells[kTime].text, QStringLiteral("–"));
  EXPECT_TRUE(m_page.column().runButton()->isEnabled());
}

TEST_F(LabPageTest, OneThatFailsKeepsItsRowAndTheOthersGoOn) {
  qputenv("LAB_FAKE_FAIL", "sdpa.math");
  qputenv("LAB_FAKE_WRONG", "naive.inplace");
  m_page.choose({QStringLiteral("naive.plain"), QStringLiteral("sdpa.math"), QStringLiteral("naive.inplace")});
  ASSERT_TRUE(waitUntil([&] { return m_page.isSettled(); }));
  ASSERT_TRUE(runToTheEnd());
  const Matrix& matrix = m_page.column().matrix().matrix();
  EXPECT_EQ(matrix.rows[0].state, QStringLiteral("done"));
  EXPECT_TRUE(matrix.rows[1].sentence.contains(QStringLiteral("While warming up: ran out of memory")));
  EXPECT_EQ(matrix.rows[2].state, QStringLiteral("wrong"));
  EXPECT_TRUE(m_page.column().plot().rows()[2].ns.empty());
}

TEST_F(LabPageTest, ARunThatFailsSaysWhyAndShowsTheLog) {
  qputenv("LAB_FAKE_DIE", "1");
  ASSERT_TRUE(runToTheEnd());
  EXPECT_EQ(m_page.column().head().title(), QStringLiteral("The run failed"));
  EXPECT_TRUE(m_page.column().head().note().contains(QStringLiteral("cannot be loaded")));
  const auto notices = m_page.findChildren<LabNotice*>();
  const bool hasLog = std::any_of(notices.begin(), notices.end(),
                                  [](const LabNotice* notice) { return notice->logButton()->isVisible(); });
  EXPECT_TRUE(hasLog);
  EXPECT_FALSE(m_page.column().saveButton()->isEnabled());
}

TEST_F(LabPageTest, AWrongProblemDisablesRunWithTheReason) {
  NumberField* length = nullptr;
  for (NumberField* field : m_page.findChildren<NumberField*>()) {
    if (field->accessibleName() == QStringLiteral("Length")) length = field;
  }
  ASSERT_NE(length, nullptr);
  length->selectAll();
  QTest::keyClicks(length, QStringLiteral("0"));
  ASSERT_TRUE(waitUntil([&] { return !m_page.form().isPending(); }, 3'000));
  EXPECT_FALSE(m_page.column().runButton()->isEnabled());
  EXPECT_EQ(m_page.column().footWords(), QStringLiteral("Correct Length to run"));
  QTest::keyClick(&m_page, Qt::Key_R, Qt::ControlModifier);
  EXPECT_FALSE(m_runner.isRunning());
}

TEST_F(LabPageTest, ChoosingWhileTypingAsksNoFormula) {
  NumberField* heads = nullptr;
  for (NumberField* field : m_page.findChildren<NumberField*>()) {
    if (field->accessibleName() == QStringLiteral("KV heads")) heads = field;
  }
  ASSERT_NE(heads, nullptr);
  heads->selectAll();
  QTest::keyClicks(heads, QStringLiteral("0"));
  ASSERT_TRUE(m_page.form().isPending());
  m_page.choose({QStringLiteral("gqa.repeat"), QStringLiteral("sdpa.math")});
  ASSERT_TRUE(waitUntil([&] { return m_page.isSettled(); }));
  EXPECT_EQ(m_page.column().footWords(), QStringLiteral("Correct KV heads to run"));
}

TEST_F(LabPageTest, TakesARecordedShape) {
  Problem problem;
  problem.batch = 2;
  problem.keyValueHeads = 2;
  m_page.setProblem(problem, QStringLiteral("aten::scaled_dot_product_attention in a.json"));
  EXPECT_TRUE(m_page.plan().problem == problem);
}

TEST_F(LabPageTest, EveryFocusableWidgetHasAName) {
  for (const QWidget* widget : m_page.findChildren<QWidget*>()) {
    if (widget->focusPolicy() == Qt::NoFocus || !widget->isVisible()) continue;
    if (widget->objectName().startsWith(QLatin1String("qt_"))) continue;  // Qt's own parts
    const auto* button = qobject_cast<const QAbstractButton*>(widget);
    EXPECT_TRUE(!widget->accessibleName().isEmpty() || (button != nullptr && !button->text().isEmpty()))
        << widget->metaObject()->className();
  }
}

TEST_F(LabPageTest, TabGoesFromThePickerThroughTheFormToRun) {
  std::vector<const QWidget*> order;
  const QWidget* widget = &m_page;
  for (int i = 0; i < 400; ++i, widget = widget->nextInFocusChain()) order.push_back(widget);
  const auto placeOf = [&](const QWidget* of) { return std::find(order.begin(), order.end(), of) - order.begin(); };
  const QWidget* length = nullptr;
  for (const NumberField* field : m_page.findChildren<NumberField*>()) {
    if (field->accessibleName() == QStringLiteral("Length")) length = field;
  }
  EXPECT_LT(placeOf(m_page.findChild<ImplementationList*>()), placeOf(length));
  EXPECT_LT(placeOf(length), placeOf(&m_page.column().matrix()));
  EXPECT_LT(placeOf(&m_page.column().matrix()), placeOf(m_page.column().runButton()));
}

TEST_F(LabPageTest, AtTwiceTheTextTheFormStandsBelowThePicker) {
  labTheme().setTextScale(2);
  m_page.resize(1600, 900);
  QTest::qWait(10);
  const QRect picker(m_page.findChild<ImplementationList*>()->mapTo(&m_page, QPoint()), QSize(1, 1));
  EXPECT_GT(m_page.form().mapTo(&m_page, QPoint()).y(), picker.y());
  labTheme().setTextScale(1);
  m_page.resize(1440, 836);
  QTest::qWait(10);
  EXPECT_EQ(m_page.form().mapTo(&m_page, QPoint()).y(), 0);
}

TEST_F(LabPageTest, NarrowWindowsKeepEveryColumn) {
  for (const QSize size : {QSize(1280, 736), QSize(1024, 600)}) {
    m_page.resize(size);
    QTest::qWait(10);
    EXPECT_GE(m_page.form().width(), 290);
    EXPECT_GE(m_page.column().width(), 400);
    EXPECT_EQ(m_page.width(), size.width());
  }
}

TEST(LabPageWithoutRunner, SaysSo) {
  LabRunner runner(QStringLiteral("/nowhere/attnscope-runner"));
  LabPage page(runner, labTheme());
  page.resize(1280, 736);
  page.show();
  ASSERT_TRUE(waitUntil([&] { return page.isSettled(); }));
  EXPECT_FALSE(page.column().runButton()->isEnabled());
  EXPECT_EQ(page.column().notice().title(), QStringLiteral("Nothing can run here"));
  EXPECT_TRUE(page.column().footWords().contains(QStringLiteral("not installed")));
}

}  // namespace
}  // namespace attnscope::ui
