// SPDX-License-Identifier: GPL-3.0-or-later
// A number in the window is the number that the command line prints.
#include <cmath>

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>

#include <gtest/gtest.h>

#include "TestWindow.h"
#include "core/analysis/Kernels.h"
#include "ui/bridge/Format.h"
#include "ui/tables/KernelsPage.h"
#include "ui/tables/OperatorsPage.h"

namespace attnscope::ui {
namespace {

using test::TestWindow;

QJsonObject cli(const QStringList& arguments) {
  QProcess process;
  process.start(QStringLiteral(ATTNSCOPE_BIN_DIR "/attnscope-cli"), arguments + QStringList{QStringLiteral("--json")});
  EXPECT_TRUE(process.waitForFinished(30000));
  EXPECT_EQ(process.exitCode(), 0) << process.readAllStandardError().toStdString();
  return QJsonDocument::fromJson(process.readAllStandardOutput()).object();
}

int columnOf(const RowTable& model, const QString& title) {
  for (int i = 0; i < static_cast<int>(model.rows().columns.size()); ++i) {
    if (model.rows().columns[static_cast<std::size_t>(i)].title == title) return i;
  }
  return -1;
}

QString nameCell(const RowTable& model, int line) { return model.index(line, 0).data().toString(); }

// Cells as they are shown, by the name of their row, against what the command line says.
void expectSame(const RowTable& model, const QString& column, const QHash<QString, std::int64_t>& expected,
                bool isTime) {
  const int at = columnOf(model, column);
  ASSERT_GE(at, 0) << column.toStdString();
  int compared = 0;
  for (int line = 0; line < model.rowCount(); ++line) {
    if (model.isGroup(line)) continue;
    const QString name = nameCell(model, line);
    if (!expected.contains(name)) continue;
    const auto value = static_cast<double>(expected.value(name));
    const QString shown = model.index(line, at).data().toString();
    const QString wanted = isTime ? format::timeIn(value, model.rows().columns[static_cast<std::size_t>(at)].timeUnit)
                                  : format::count(expected.value(name));
    EXPECT_EQ(shown.toStdString(), wanted.toStdString()) << name.toStdString() << ", " << column.toStdString();
    ++compared;
  }
  EXPECT_GT(compared, 0);
}

TEST(Numbers, KernelsAreThoseOfTheCommandLine) {
  TestWindow test({1920, 1080});
  ASSERT_TRUE(test.open({test::cudaTrace()}));
  QHash<QString, std::int64_t> totals;
  QHash<QString, std::int64_t> calls;
  const QJsonArray rows =
      cli({QStringLiteral("kernels"), test::cudaTrace()}).value(QStringLiteral("kernels")).toArray();
  for (const QJsonValue& row : rows) {
    const QString name = row[QStringLiteral("short_name")].toString();
    // Two kernels may be cut to one short name; which row is which is then not told by it.
    if (totals.contains(name)) continue;
    totals[name] = row[QStringLiteral("total_ns")].toInteger();
    calls[name] = row[QStringLiteral("calls")].toInteger();
  }
  ASSERT_FALSE(totals.isEmpty());
  const RowTable& model = test.window.findChild<KernelsPage*>()->model();
  expectSame(model, QStringLiteral("Total"), totals, true);
  expectSame(model, QStringLiteral("Calls"), calls, false);
}

TEST(Numbers, OperatorsAreThoseOfTheCommandLine) {
  TestWindow test({1920, 1080});
  ASSERT_TRUE(test.open({test::naive()}));
  QHash<QString, std::int64_t> self;
  QHash<QString, std::int64_t> calls;
  const QJsonArray rows =
      cli({QStringLiteral("operators"), test::naive()}).value(QStringLiteral("operators")).toArray();
  for (const QJsonValue& row : rows) {
    self[row[QStringLiteral("name")].toString()] = row[QStringLiteral("cpu_self_ns")].toInteger();
    calls[row[QStringLiteral("name")].toString()] = row[QStringLiteral("calls")].toInteger();
  }
  test.window.showView(ViewName::kOperators);
  ASSERT_TRUE(test.settle());
  const RowTable& model = test.window.findChild<OperatorsPage*>()->model();
  expectSame(model, QStringLiteral("Self CPU"), self, true);
  expectSame(model, QStringLiteral("Calls"), calls, false);
}

TEST(Numbers, TheComparisonSumsToTheRunsTotals) {
  TestWindow test({1920, 1080});
  ASSERT_TRUE(test.open({test::naive(), test::flash()}));
  const auto comparison = test.window.session().comparison();
  ASSERT_TRUE(comparison);
  const QJsonObject document = cli({QStringLiteral("compare"), test::naive(), test::flash()});
  std::int64_t sums[2] = {0, 0};
  for (const QJsonValue& group : document.value(QStringLiteral("groups")).toArray()) {
    const QJsonArray runs = group[QStringLiteral("runs")].toArray();
    for (int i = 0; i < 2; ++i) sums[i] += runs[i][QStringLiteral("host_self_ns")].toInteger();
  }
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(sums[i], comparison->totals[static_cast<std::size_t>(i)].hostSelfNs);
    EXPECT_EQ(sums[i], test.window.session().run(i)->tables()->operators.totals.cpuSelfNs);
  }
}

}  // namespace
}  // namespace attnscope::ui
