// SPDX-License-Identifier: GPL-3.0-or-later
// The list of implementations: choosing, letters, refusals.

#include <gtest/gtest.h>
#include <QTest>

#include "core/problem/Cards.h"
#include "tests/unit/lab/LabTest.h"
#include "ui/bridge/LabRunner.h"
#include "ui/lab/ImplementationList.h"
#include "ui/lab/ImplementationModel.h"

namespace attnscope::ui {
namespace {

QModelIndex rowOf(const ImplementationModel& model, const char* id) {
  for (int row = 0; row < model.rowCount(); ++row) {
    if (model.index(row).data(ImplementationModel::kId).toString() == QLatin1String(id)) return model.index(row);
  }
  return {};
}

class Picker : public ::testing::Test {
 protected:
  LabRunner m_runner{QStringLiteral("/nowhere/attnscope-runner")};
  ImplementationModel m_model{m_runner};
};

TEST_F(Picker, ListsEveryCardOnceUnderItsGroup) {
  int implementations = 0;
  for (int row = 0; row < m_model.rowCount(); ++row) {
    if (!m_model.index(row).data(ImplementationModel::kIsGroup).toBool()) ++implementations;
  }
  EXPECT_EQ(implementations, static_cast<int>(cards().size()));
  EXPECT_TRUE(m_model.index(0).data(ImplementationModel::kIsGroup).toBool());
  EXPECT_EQ(m_model.index(0).data(ImplementationModel::kNote).toString(), QStringLiteral("memory grows with N²"));
}

TEST_F(Picker, LettersByOrderOfChoosing) {
  m_model.toggle(rowOf(m_model, "sdpa.flash"));
  m_model.toggle(rowOf(m_model, "naive.plain"));
  m_model.toggle(rowOf(m_model, "sdpa.math"));
  EXPECT_EQ(m_model.choice().ids(),
            QStringList({QStringLiteral("sdpa.flash"), QStringLiteral("naive.plain"), QStringLiteral("sdpa.math")}));
  m_model.makeBaseline(rowOf(m_model, "sdpa.math"));
  EXPECT_EQ(rowOf(m_model, "sdpa.math").data(ImplementationModel::kPosition).toInt(), 0);
  m_model.toggle(rowOf(m_model, "sdpa.flash"));  // those behind it move up
  EXPECT_EQ(rowOf(m_model, "naive.plain").data(ImplementationModel::kPosition).toInt(), 1);
  EXPECT_EQ(rowOf(m_model, "sdpa.flash").data(ImplementationModel::kPosition).toInt(), -1);
}

TEST_F(Picker, OwnCodeCanBeChosenOnceItIsThereAndAllowed) {
  const auto refusal = [this](const char* id) {
    return rowOf(m_model, id).data(ImplementationModel::kRefusal).toString();
  };
  EXPECT_TRUE(refusal("byo.script").startsWith(QLatin1String("Needs your code")));
  EXPECT_TRUE(refusal("byo.package").startsWith(QLatin1String("Needs your code")));
  UserCode code;
  code.script = "def attention(q, k, v):\n    return q\n";
  m_model.setCode(code);
  EXPECT_TRUE(refusal("byo.script").contains(QLatin1String("say yes"))) << qPrintable(refusal("byo.script"));
  m_model.toggle(rowOf(m_model, "byo.script"));
  EXPECT_TRUE(m_model.choice().ids().isEmpty());
  code.allowed = true;
  m_model.setCode(code);
  EXPECT_TRUE(refusal("byo.script").isEmpty());
  EXPECT_FALSE(refusal("byo.package").isEmpty());  // a yes to one is none to the other
  m_model.toggle(rowOf(m_model, "byo.script"));
  EXPECT_EQ(m_model.choice().ids(), QStringList{QStringLiteral("byo.script")});
  // What its card refuses for the problem comes first.
  Problem sunk;
  sunk.sink = true;
  m_model.setProblem(sunk);
  EXPECT_TRUE(refusal("byo.script").contains(QLatin1String("sink"))) << qPrintable(refusal("byo.script"));
}

TEST_F(Picker, WhatIsRefusedKeepsItsRowWithTheReason) {
  for (const Card& card : cards()) {
    if (card.group == CardGroup::kYours) continue;  // below: they wait for code
    const QModelIndex row = rowOf(m_model, std::string(card.id).c_str());
    ASSERT_TRUE(row.isValid()) << card.id;
    const auto reason = refusalOf(card, Problem{}, DeviceKind::kCpu);
    EXPECT_EQ(row.data(ImplementationModel::kRefusal).toString().toStdString(), reason.value_or(""));
    if (!reason) continue;
    EXPECT_TRUE(row.data(Qt::AccessibleTextRole).toString().contains(QString::fromStdString("Refused: " + *reason)));
    m_model.toggle(row);
    EXPECT_FALSE(m_model.choice().contains(row.data(ImplementationModel::kId).toString()));
  }
}

TEST_F(Picker, RefusalsFollowTheProblem) {
  const char* id = "window.blocks";
  EXPECT_FALSE(rowOf(m_model, id).data(ImplementationModel::kRefusal).toString().isEmpty());
  Problem problem;
  problem.mask = WindowMask{};
  m_model.setProblem(problem);
  EXPECT_TRUE(rowOf(m_model, id).data(ImplementationModel::kRefusal).toString().isEmpty());
}

TEST_F(Picker, SpaceChoosesAndAFilterHides) {
  ImplementationList list(m_model, labTheme());
  list.resize(352, 700);
  list.show();
  list.setCurrentIndex(rowOf(m_model, "naive.plain"));
  QTest::keyClick(&list, Qt::Key_Space);
  QTest::keyClick(&list, Qt::Key_Down);
  QTest::keyClick(&list, Qt::Key_Space);
  EXPECT_EQ(m_model.choice().ids(), QStringList({QStringLiteral("naive.plain"), QStringLiteral("naive.inplace")}));
  list.setFilter(QStringLiteral("sdpa.flash"));
  EXPECT_EQ(list.shownCount(), 1);
  list.setFilter(QStringLiteral("fused"));  // a family: all of it, and what has the word in its name
  EXPECT_GT(list.shownCount(), 3);
  list.setFilter({});
  EXPECT_EQ(list.shownCount(), static_cast<int>(cards().size()));
  list.setOnlyRunnable(true);
  EXPECT_LT(list.shownCount(), static_cast<int>(cards().size()));
}

TEST_F(Picker, AClickOnTheRowChooses) {
  ImplementationList list(m_model, labTheme());
  list.resize(352, 700);
  list.show();
  const QRect row = list.visualRect(rowOf(m_model, "sdpa.flash"));
  QTest::mouseClick(list.viewport(), Qt::LeftButton, {}, row.topLeft() + QPoint(80, 12));
  EXPECT_EQ(m_model.choice().ids(), QStringList{QStringLiteral("sdpa.flash")});
}

TEST_F(Picker, AReasonTakesTheHeightOfItsLines) {
  ImplementationList list(m_model, labTheme());
  list.resize(352, 700);
  list.show();
  const int able = list.sizeHintForIndex(rowOf(m_model, "naive.plain")).height();
  const int refused = list.sizeHintForIndex(rowOf(m_model, "sdpa.cudnn")).height();
  EXPECT_GE(refused, able + 14);
}

}  // namespace
}  // namespace attnscope::ui
