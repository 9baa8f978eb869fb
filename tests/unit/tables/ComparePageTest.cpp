// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tables/ComparePage.h"

#include <cmath>
#include <numeric>

#include <QApplication>
#include <QItemSelectionModel>
#include <QTableView>
#include <QTemporaryDir>

#include <gtest/gtest.h>

#include "tests/support/Pages.h"
#include "ui/theme/Theme.h"

namespace attnscope::ui {
namespace {

struct Call {
  const char* name;
  int us;
};

class ComparePageTest : public testing::Test {
 protected:
  void SetUp() override { m_theme.apply(*qApp, ThemeChoice::kLight); }

  QString write(const QString& name, const std::vector<Call>& calls) {
    QByteArray events;
    int at = 1000;
    for (const Call& call : calls) {
      events +=
          QStringLiteral(R"({"ph":"X","cat":"cpu_op","name":"%1","pid":5,"tid":5,"ts":%2.000,"dur":%3.000,"args":{}},)")
              .arg(QString::fromLatin1(call.name))
              .arg(at)
              .arg(call.us)
              .toUtf8();
      at += call.us + 10;
    }
    return writeEvents(name, events);
  }
  QString writeEvents(const QString& name, const QByteArray& events) {
    return test::writeText(m_folder.filePath(name),
                           "{\"schemaVersion\": 1, \"traceEvents\": [" + events +
                               R"({"ph":"M","name":"process_name","pid":5,"tid":0,"args":{"name":"python"}}]})");
  }
  static QString cell(const TablePage& page, int line, const QString& head) {
    const RowTable& model = page.model();
    for (int column = 0; column < model.columnCount(); ++column) {
      if (model.headerData(column, Qt::Horizontal, Qt::DisplayRole).toString().startsWith(head)) {
        return model.data(model.index(line, column)).toString();
      }
    }
    return QStringLiteral("no column %1").arg(head);
  }
  static int lineOf(const TablePage& page, const QString& name) {
    for (int line = 0; line < page.model().rowCount(); ++line) {
      if (cell(page, line, QStringLiteral("Operator")) == name) return line;
    }
    return -1;
  }
  static void select(const TablePage& page, const QList<int>& lines) {
    QItemSelectionModel* selection = page.tableView()->selectionModel();
    selection->clear();
    for (const int line : lines) {
      selection->select(page.model().index(line, 0), QItemSelectionModel::Select | QItemSelectionModel::Rows);
    }
  }

  Theme m_theme;
  QTemporaryDir m_folder;
  Session m_session;
};

// "Of it" is a share of the whole difference: a column of differences that is made from no two columns.
TEST_F(ComparePageTest, EveryColumnIsPainted) {
  ComparePage page(m_session, m_theme);
  m_session.openFiles({write(QStringLiteral("a.json"), {{"aten::bmm", 300}, {"aten::softmax", 80}}),
                       write(QStringLiteral("b.json"), {{"aten::bmm", 100}, {"aten::linear", 20}})});
  page.resize(2'400, 400);
  page.show();
  test::settle(page);
  for (int column = 0; column < page.model().columnCount(); ++column) page.tableView()->showColumn(column);
  EXPECT_NE(cell(page, 0, QStringLiteral("Of it")), QStringLiteral("no column Of it"));
  const QImage drawn = page.tableView()->grab().toImage();
  ASSERT_FALSE(drawn.isNull());
  EXPECT_NE(drawn, QImage(drawn.size(), drawn.format()));
}

TEST_F(ComparePageTest, GroupsStandByTheirDifferenceWithWhatItIsMadeOf) {
  ComparePage page(m_session, m_theme);
  EXPECT_EQ(page.stateTitle(), QString());
  m_session.openFiles({write(QStringLiteral("a.json"), {{"aten::add", 100}, {"aten::mul", 50}, {"aten::add", 100}}),
                       write(QStringLiteral("b.json"), {{"aten::add", 180}, {"aten::mul", 40}, {"aten::add", 100}})});
  test::settle(page);
  ASSERT_EQ(page.model().rowCount(), 2);
  EXPECT_EQ(cell(page, 0, QStringLiteral("Operator")), QStringLiteral("aten::add"));
  EXPECT_EQ(cell(page, 0, QStringLiteral("Match")), QStringLiteral("Exact"));
  EXPECT_EQ(cell(page, 0, QStringLiteral("Total A")), QStringLiteral("200.0"));
  EXPECT_EQ(cell(page, 0, QStringLiteral("Total B")), QStringLiteral("280.0"));
  EXPECT_TRUE(page.model().rows().note.contains(QStringLiteral("differs by: aten::add")))
      << page.model().rows().note.toStdString();
  page.setNormalisation(Normalisation::kCall);
  test::settle(page);
  EXPECT_EQ(cell(page, 0, QStringLiteral("A call A")), QStringLiteral("100.0"));
  EXPECT_EQ(cell(page, 0, QStringLiteral("A call B")), QStringLiteral("140.0"));
}

TEST_F(ComparePageTest, OfSeveralRunsTheLargestDifferenceOfAnyStandsOnTop) {
  ComparePage page(m_session, m_theme);
  m_session.openFiles({write(QStringLiteral("a.json"), {{"aten::add", 100}, {"aten::mul", 50}}),
                       write(QStringLiteral("b.json"), {{"aten::add", 110}, {"aten::mul", 50}}),
                       write(QStringLiteral("c.json"), {{"aten::add", 100}, {"aten::mul", 90}})});
  test::settle(page);
  ASSERT_EQ(page.model().rowCount(), 2);
  EXPECT_EQ(cell(page, 0, QStringLiteral("Operator")), QStringLiteral("aten::mul")) << "of C, not of B";
  const QString& note = page.model().rows().note;
  EXPECT_TRUE(note.contains(QStringLiteral("what B differs by: aten::add"))) << note.toStdString();
  EXPECT_TRUE(note.contains(QStringLiteral("what C differs by: aten::mul"))) << note.toStdString();
}

TEST_F(ComparePageTest, RowsArePairedAndCutByHand) {
  ComparePage page(m_session, m_theme);
  // Programs with nothing between neighbours in common: nothing says that they stand for one another.
  std::vector<Call> first{{"aten::add", 20}};
  std::vector<Call> second{{"aten::add", 20}};
  first.push_back({"before", 100});
  second.insert(second.begin(), {"after", 60});
  m_session.openFiles({write(QStringLiteral("a.json"), first), write(QStringLiteral("b.json"), second)});
  test::settle(page);
  ASSERT_EQ(page.model().rowCount(), 3);
  select(page, {lineOf(page, QStringLiteral("before"))});
  EXPECT_FALSE(page.pairSelected()) << "one row is no pair";
  EXPECT_FALSE(page.cutSelected()) << "and stands alone already";
  select(page, {lineOf(page, QStringLiteral("before")), lineOf(page, QStringLiteral("after"))});
  EXPECT_TRUE(page.pairSelected());
  test::settle(page);
  ASSERT_EQ(page.model().rowCount(), 2);
  EXPECT_EQ(cell(page, 0, QStringLiteral("Operator")), QStringLiteral("before → after"));
  EXPECT_EQ(cell(page, 0, QStringLiteral("Match")), QStringLiteral("By hand"));
  page.forgetPairs();
  test::settle(page);
  EXPECT_EQ(page.model().rowCount(), 3);
  select(page, {lineOf(page, QStringLiteral("aten::add"))});
  EXPECT_TRUE(page.cutSelected());
  test::settle(page);
  EXPECT_EQ(page.model().rowCount(), 4);
}

// Operators that launch kernels: by operator its kernels, microseconds.
struct Launch {
  const char* name;
  std::vector<Call> kernels;
};

QByteArray launches(const std::vector<Launch>& calls) {
  QByteArray events;
  int at = 1000;
  int external = 0;
  int correlation = 1000;  // another number than the operator's: one id for both would say nothing of the operator
  for (const Launch& call : calls) {
    ++external;
    events += QStringLiteral(R"({"ph":"X","cat":"cpu_op","name":"%1","pid":5,"tid":5,"ts":%2,"dur":90,)"
                             R"("args":{"External id":%3}},)")
                  .arg(QString::fromLatin1(call.name))
                  .arg(at)
                  .arg(external)
                  .toUtf8();
    int inside = at + 1;
    for (const Call& kernel : call.kernels) {
      events += QStringLiteral(R"({"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":5,"tid":5,"ts":%1,)"
                               R"("dur":2,"args":{"External id":%2,"correlation":%3}},)"
                               R"({"ph":"X","cat":"kernel","name":"%4","pid":0,"tid":7,"ts":%5,"dur":%6,)"
                               R"("args":{"External id":%2,"correlation":%3,"device":0,"stream":7}},)")
                    .arg(inside)
                    .arg(external)
                    .arg(correlation)
                    .arg(QString::fromLatin1(kernel.name))
                    .arg(inside + 20)
                    .arg(kernel.us)
                    .toUtf8();
      inside += 10;
      ++correlation;
    }
    at += 1000;
  }
  return events;
}

TEST_F(ComparePageTest, KernelsStandUnderTheirOperator) {
  ComparePage page(m_session, m_theme);
  const auto trace = [this](const char* name, const std::vector<Launch>& calls) {
    return writeEvents(QString::fromLatin1(name), launches(calls));
  };
  m_session.openFiles({trace("a.json", {{"aten::mm", {{"gemm_a", 5}, {"reduce", 2}}}, {"aten::add", {{"add", 4}}}}),
                       trace("b.json", {{"aten::mm", {{"gemm_b", 3}, {"reduce", 2}}}, {"aten::add", {{"add", 4}}}})});
  test::settle(page);
  const TableRows& rows = page.model().rows();
  ASSERT_TRUE(rows.isTree());
  EXPECT_EQ(rows.wholeRows(), 3u) << "two operators and the launches";
  ASSERT_EQ(rows.rowCount, 7u);
  EXPECT_EQ(page.model().rowCount(), 3) << "folded until a person opens them";
  ASSERT_EQ(lineOf(page, QStringLiteral("aten::mm")), 0);
  qobject_cast<RowTable*>(page.tableView()->model())->toggleFold(0);
  test::settle(page);
  ASSERT_EQ(page.model().rowCount(), 6);
  EXPECT_EQ(cell(page, lineOf(page, QStringLiteral("gemm_a")), QStringLiteral("Match")), QStringLiteral("Gone"));
  EXPECT_EQ(cell(page, lineOf(page, QStringLiteral("gemm_b")), QStringLiteral("Match")), QStringLiteral("New"));
  EXPECT_EQ(cell(page, lineOf(page, QStringLiteral("reduce")), QStringLiteral("Match")), QStringLiteral("Same"));
  EXPECT_EQ(cell(page, lineOf(page, QStringLiteral("gemm_a")), QStringLiteral("Total A")), QStringLiteral("5.0"));
  EXPECT_EQ(page.model().arrangement().shownRows, 3u) << "kernels are parts and not counted";
  // Kernels sum to their group, and the line at the foot counts them once.
  for (std::size_t column = 0; column < rows.columns.size(); ++column) {
    if (rows.columns[column].role != ColumnRole::kTime || rows.columns[column].sum != SumRule::kSum) continue;
    std::vector<double> sums(rows.wholeRows(), 0);
    for (std::size_t row = rows.wholeRows(); row < rows.rowCount; ++row) {
      const double value = rows.numbers[column][row];
      if (!std::isnan(value)) sums[rows.parentOf[row]] += value;
    }
    for (std::size_t row = 0; row < rows.wholeRows(); ++row) {
      EXPECT_EQ(sums[row], rows.numbers[column][row]) << rows.columns[column].title.toStdString() << " " << row;
    }
    EXPECT_EQ(page.model().arrangement().totals[column], std::accumulate(sums.begin(), sums.end(), 0.0));
  }
  select(page, {lineOf(page, QStringLiteral("gemm_a"))});
  EXPECT_FALSE(page.cutSelected()) << "a kernel is no group";
}

TEST_F(ComparePageTest, OneRunAsksForASecond) {
  ComparePage page(m_session, m_theme);
  m_session.openFiles({write(QStringLiteral("a.json"), {{"aten::add", 100}})});
  test::settle(page);
  EXPECT_EQ(page.stateTitle(), QStringLiteral("Add a second run"));
}

}  // namespace
}  // namespace attnscope::ui
