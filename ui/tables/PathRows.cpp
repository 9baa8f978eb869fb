// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tables/PathRows.h"

#include <algorithm>

#include <QCoreApplication>

#include "ui/bridge/FreedAside.h"
#include "ui/tables/RowParts.h"

namespace attnscope::ui {
namespace {

QString words(const char* text) { return QCoreApplication::translate("Tables", text); }

QString nameTitle(PathGrouping grouping) {
  switch (grouping) {
    case PathGrouping::kCalls:
      return words(QT_TRANSLATE_NOOP("Tables", "Operator"));
    case PathGrouping::kModules:
      return words(QT_TRANSLATE_NOOP("Tables", "Module"));
    case PathGrouping::kFrames:
      return words(QT_TRANSLATE_NOOP("Tables", "Frame"));
  }
  return {};
}

QString noteOf(const RunInput& run, PathGrouping grouping, bool hasContext, bool isOneOfSeveral) {
  QStringList notes;
  if (isOneOfSeveral) notes << words(QT_TRANSLATE_NOOP("Tables", "Of run %1 alone")).arg(run.letter);
  if (!hasContext) {
    notes << (grouping == PathGrouping::kModules
                  ? words(QT_TRANSLATE_NOOP("Tables", "No modules recorded: record with profile(with_stack=True)"))
                  : words(QT_TRANSLATE_NOOP("Tables",
                                            "No Python frames recorded: record with profile(with_stack=True)")));
  }
  return notes.join(QStringLiteral(". "));
}

}  // namespace

SharedRows pathRows(const RunInput& run, PathGrouping grouping, bool isOneOfSeveral) {
  const Trace& trace = *run.facts->trace;
  const PathTable paths = operatorPaths(trace, run.facts->tree, grouping, run.tables->scope);
  auto rows = makeFreedAside<TableRows>();
  rows->rowCount = paths.rows.size();
  rows->note = noteOf(run, grouping, paths.hasContext, isOneOfSeveral);
  const int name = rows->addColumn(nameColumn(nameTitle(grouping), 320));
  Column calls = countColumn(words(QT_TRANSLATE_NOOP("Tables", "Calls")), 4);
  calls.sum = SumRule::kNone;  // modules and operators are no sum
  const int callsAt = rows->addColumn(calls);
  const auto addTime = [&](const QString& title, ColumnRole role, SumRule sum, std::int64_t PathRow::*figure) {
    Column column = timeColumn(title, 0);
    column.role = role;
    column.width = 120;
    column.sum = sum;
    const int at = rows->addColumn(column);
    for (const PathRow& row : paths.rows) {
      rows->numbers[static_cast<std::size_t>(at)].push_back(static_cast<double>(row.*figure));
    }
    return at;
  };
  const auto any = [&](std::int64_t PathRow::*figure) {
    return std::any_of(paths.rows.begin(), paths.rows.end(), [figure](const PathRow& row) { return row.*figure != 0; });
  };
  const int total = addTime(words(QT_TRANSLATE_NOOP("Tables", "Total CPU")), ColumnRole::kTimeWithBar, SumRule::kNone,
                            &PathRow::cpuTotalNs);
  const int self =
      addTime(words(QT_TRANSLATE_NOOP("Tables", "Self CPU")), ColumnRole::kTime, SumRule::kSum, &PathRow::cpuSelfNs);
  chooseTimeUnit(*rows, {total, self});
  rows->sortColumn = total;
  int mainTotal = total;
  std::int64_t PathRow::*mainFigure = &PathRow::cpuTotalNs;
  if (any(&PathRow::deviceTotalNs)) {
    const int deviceTotal = addTime(words(QT_TRANSLATE_NOOP("Tables", "Total device")), ColumnRole::kTimeWithBar,
                                    SumRule::kNone, &PathRow::deviceTotalNs);
    const int deviceSelf = addTime(words(QT_TRANSLATE_NOOP("Tables", "Self device")), ColumnRole::kTime, SumRule::kSum,
                                   &PathRow::deviceSelfNs);
    chooseTimeUnit(*rows, {deviceTotal, deviceSelf});
    mainTotal = deviceTotal;
    mainFigure = &PathRow::deviceTotalNs;
    rows->sortColumn = deviceTotal;
  }
  // A full bar is the whole: what the rows at the top sum to.
  for (const int column : {total, mainTotal}) {
    double whole = 0;
    for (const PathRow& row : paths.rows) {
      if (row.parent == PathRow::kNone) {
        whole += static_cast<double>(column == mainTotal ? row.*mainFigure : row.cpuTotalNs);
      }
    }
    rows->columns[static_cast<std::size_t>(column)].barScale = whole;
  }
  const auto addBytes = [&](const QString& title, std::int64_t PathRow::*figure) {
    if (!any(figure)) return;
    Column column;
    column.title = title;
    column.role = ColumnRole::kBytes;
    column.width = 110;
    column.hideRank = 2;
    column.sum = SumRule::kSum;
    const int at = rows->addColumn(column);
    for (const PathRow& row : paths.rows) {
      rows->numbers[static_cast<std::size_t>(at)].push_back(static_cast<double>(row.*figure));
    }
    chooseByteUnit(*rows, at);
  };
  addBytes(words(QT_TRANSLATE_NOOP("Tables", "Self CPU mem")), &PathRow::cpuMemorySelfBytes);
  addBytes(words(QT_TRANSLATE_NOOP("Tables", "Self dev mem")), &PathRow::deviceMemorySelfBytes);

  RowSlices& slices = rows->slices.emplace_back(run.runNumber, run.facts);
  for (const PathRow& row : paths.rows) {
    rows->texts[static_cast<std::size_t>(name)].add(
        textOf(std::string_view(pathName(trace, run.facts->tree, row.name))));
    rows->numbers[static_cast<std::size_t>(callsAt)].push_back(row.calls == 0 ? kUnknownNumber
                                                                              : static_cast<double>(row.calls));
    rows->kinds.push_back(row.kind);
    rows->addTreeRow(row.parent == PathRow::kNone ? RowSlices::kNoRow : row.parent);
    slices.addRow(row.slices);
  }
  slices.finish();
  return rows;
}

}  // namespace attnscope::ui
