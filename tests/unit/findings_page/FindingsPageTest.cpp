// SPDX-License-Identifier: GPL-3.0-or-later

#include <QAbstractItemModelTester>
#include <QApplication>
#include <QClipboard>
#include <QListView>
#include <QPushButton>
#include <QTemporaryDir>
#include <QToolButton>

#include <gtest/gtest.h>

#include "tests/support/Pages.h"
#include "ui/bridge/Session.h"
#include "ui/bridge/ViewState.h"
#include "ui/findings/FindingCard.h"
#include "ui/findings/FindingsPage.h"
#include "ui/theme/Theme.h"

namespace attnscope::ui {
namespace {

// One step of a device that idles for most of it, and a mask that is built twice.
constexpr const char* kIdle = R"({"traceEvents":[
{"ph":"X","cat":"user_annotation","name":"ProfilerStep#3","pid":5,"tid":5,"ts":1000.000,"dur":1000.000,"args":{}},
{"ph":"X","cat":"cpu_op","name":"aten::tril","pid":5,"tid":5,"ts":1010.000,"dur":20.000,"args":{"External id":1}},
{"ph":"X","cat":"cpu_op","name":"aten::tril","pid":5,"tid":5,"ts":1110.000,"dur":30.000,"args":{"External id":2}},
{"ph":"X","cat":"kernel","name":"gemm_kernel","pid":0,"tid":7,"ts":1200.000,"dur":50.000,
 "args":{"External id":1,"device":0,"stream":7,"correlation":1}},
{"ph":"X","cat":"kernel","name":"gemm_kernel","pid":0,"tid":7,"ts":1900.000,"dur":100.000,
 "args":{"External id":2,"device":0,"stream":7,"correlation":2}}]})";
// Host work alone, with memory: nothing to say.
constexpr const char* kQuiet = R"({"traceEvents":[
{"ph":"X","cat":"user_annotation","name":"work","pid":5,"tid":5,"ts":1000.000,"dur":100.000,"args":{}},
{"ph":"i","s":"t","cat":"cpu_instant_event","name":"[memory]","pid":5,"tid":5,"ts":1020.000,
 "args":{"Total Allocated":0,"Bytes":-64,"Addr":64,"Device Id":-1,"Device Type":0,"Total Reserved":0}}]})";

class FindingsPageTest : public testing::Test {
 protected:
  FindingsPageTest() { m_theme.apply(*qApp, ThemeChoice::kLight); }

  QString write(const QString& name, const char* text) { return test::writeText(m_folder.filePath(name), text); }
  static QStringList rules(const FindingsPage& page) {
    QStringList list;
    for (int row = 0; row < page.model().rowCount(); ++row) {
      list << QString::fromStdString(std::string(page.model().at(row).rule));
    }
    return list;
  }

  Theme m_theme;
  QTemporaryDir m_folder;
  Session m_session;
  ViewState m_view;
};

TEST_F(FindingsPageTest, ListsWhatTheRulesFindAndShowsTheFirst) {
  FindingsPage page(m_session, m_view, m_theme);
  const QAbstractItemModelTester tester(page.list()->model(), QAbstractItemModelTester::FailureReportingMode::Fatal);
  m_session.openFiles({write(QStringLiteral("a.json"), kIdle)});
  test::settle(page);
  EXPECT_EQ(rules(page).front(), QStringLiteral("device.idle"));
  EXPECT_TRUE(rules(page).contains(QStringLiteral("attn.mask-rebuilt")));
  EXPECT_EQ(page.tabText(), QStringLiteral("Findings %1").arg(page.model().rowCount()));
  EXPECT_TRUE(page.stateTitle().isEmpty());
  EXPECT_TRUE(page.card()->asText().startsWith(QStringLiteral("The device idles for 850 µs")));
  m_session.closeAll();
  test::settle(page);
  EXPECT_EQ(page.model().rowCount(), 0);
  EXPECT_TRUE(page.card()->asText().isEmpty());
}

TEST_F(FindingsPageTest, EvidenceSelectsItsSlicesOrShowsItsTime) {
  FindingsPage page(m_session, m_view, m_theme);
  m_session.openFiles({write(QStringLiteral("a.json"), kIdle)});
  test::settle(page);
  m_view.setExtent(m_session.alignedExtent());
  page.showEvidence(0);  // the longest gap: 650 us from 250 us after the step's start
  EXPECT_TRUE(m_session.selection().isEmpty());
  EXPECT_NEAR(m_view.spanNs(), 650'000 * 1.16, 2'000);
  const int mask = static_cast<int>(rules(page).indexOf(QStringLiteral("attn.mask-rebuilt")));
  page.list()->setCurrentIndex(page.model().index(mask));
  int shownRun = -1;
  QObject::connect(&page, &FindingsPage::sliceWanted, &page, [&](int run, SliceId) { shownRun = run; });
  auto* chip = page.card()->findChild<QPushButton*>();
  ASSERT_NE(chip, nullptr);
  chip->click();
  EXPECT_EQ(m_session.selection().words, QStringLiteral("2 masks"));
  ASSERT_EQ(m_session.selection().parts.size(), 1u);
  EXPECT_EQ(m_session.selection().parts[0].slices.size(), 2u);
  // The longest leads.
  EXPECT_EQ(m_session.run(0)->trace()->slices.durationNs[index(m_session.selection().leadSlice)], 30'000);
  EXPECT_EQ(shownRun, 0);
}

TEST_F(FindingsPageTest, SeveritiesCanBeHidden) {
  FindingsPage page(m_session, m_view, m_theme);
  m_session.openFiles({write(QStringLiteral("a.json"), kIdle)});
  test::settle(page);
  const int all = page.model().rowCount();
  const int notes = page.model().countOf(FindingSeverity::kInfo);
  ASSERT_GT(notes, 0);
  QToolButton* filter = nullptr;  // found first: a click makes the card and its buttons anew
  for (QToolButton* button : page.findChildren<QToolButton*>()) {
    if (button->text().startsWith(QStringLiteral("Notes"))) filter = button;
  }
  ASSERT_NE(filter, nullptr);
  filter->click();
  EXPECT_EQ(page.model().rowCount(), all - notes);
  EXPECT_EQ(page.model().countOf(FindingSeverity::kInfo), notes);
}

TEST_F(FindingsPageTest, AThresholdChangesTheAnswerAndIsKept) {
  FindingsPage page(m_session, m_view, m_theme);
  m_session.openFiles({write(QStringLiteral("a.json"), kIdle)});
  test::settle(page);
  page.setThreshold("device.idle", 0.99);
  test::settle(page);
  EXPECT_FALSE(rules(page).contains(QStringLiteral("device.idle")));
  const QByteArray kept = page.thresholds();
  FindingsPage again(m_session, m_view, m_theme);
  again.setThresholds(kept);
  test::settle(again);
  EXPECT_FALSE(rules(again).contains(QStringLiteral("device.idle")));
  again.setThreshold("device.idle", findRule("device.idle")->threshold);
  test::settle(again);
  EXPECT_TRUE(rules(again).contains(QStringLiteral("device.idle")));
  again.setThresholds("no json");
  EXPECT_EQ(again.thresholds(), QByteArray("{}"));
}

TEST_F(FindingsPageTest, SaysWhenNothingIsFound) {
  FindingsPage page(m_session, m_view, m_theme);
  m_session.openFiles({write(QStringLiteral("quiet.json"), kQuiet)});
  test::settle(page);
  EXPECT_EQ(page.stateTitle(), QStringLiteral("All %1 rules are clean or do not apply").arg(allRules().size()));
}

TEST_F(FindingsPageTest, TheScopeIsWhatIsJudged) {
  FindingsPage page(m_session, m_view, m_theme);
  m_session.openFiles({write(QStringLiteral("a.json"), kIdle)});
  test::settle(page);
  Scope scope;
  scope.kind = ScopeKind::kRange;
  scope.range = {900'000, 1'000'000};  // the second kernel, which fills it
  m_session.setScope(scope);
  test::settle(page);
  EXPECT_FALSE(rules(page).contains(QStringLiteral("device.idle")));
  EXPECT_EQ(page.model().findings()->wholeNs, 100'000);
}

}  // namespace
}  // namespace attnscope::ui
