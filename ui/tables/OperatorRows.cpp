// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tables/OperatorRows.h"

#include <algorithm>
#include <functional>
#include <map>
#include <tuple>

#include <QCoreApplication>

#include "ui/bridge/FreedAside.h"
#include "ui/tables/RowParts.h"

namespace attnscope::ui {
namespace {

QString words(const char* text) { return QCoreApplication::translate("Tables", text); }

struct OperatorLine {
  QString name;
  QString shapes;
  bool isAnnotation = false;
  WorkKind kind = WorkKind::kCpuOperator;
  std::vector<const OperatorRow*> sides;  // nullptr: not in that run
};

const OperatorTable& tableOf(const RunInput& run, OperatorGrouping grouping) {
  return grouping == OperatorGrouping::kByShape ? run.tables->operatorsByShape : run.tables->operators;
}

std::vector<OperatorLine> merged(const std::vector<RunInput>& runs, OperatorGrouping grouping) {
  std::map<std::tuple<std::string_view, std::string_view, bool>, std::size_t> places;
  std::vector<OperatorLine> lines;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const Trace& trace = *runs[i].facts->trace;
    for (const OperatorRow& row : tableOf(runs[i], grouping).rows) {
      const std::tuple key(trace.strings.view(row.name), trace.strings.view(row.inputShapes), row.isUserAnnotation);
      const auto [at, added] = places.try_emplace(key, lines.size());
      if (added) {
        lines.push_back({textOf(trace, row.name), textOf(trace, row.inputShapes), row.isUserAnnotation,
                         row.isUserAnnotation ? WorkKind::kAnnotation : row.kind,
                         std::vector<const OperatorRow*>(runs.size())});
      }
      lines[at->second].sides[i] = &row;
    }
  }
  return lines;
}

// A figure of an operator, as one column a run.
class FigureColumns {
 public:
  using Figure = std::function<double(const OperatorRow&)>;

  FigureColumns(TableRows& rows, const std::vector<RunInput>& runs, const std::vector<OperatorLine>& lines)
      : m_rows(rows), m_runs(runs), m_lines(lines) {}

  std::vector<int> add(Column column, const Figure& figure) {
    std::vector<int> at;
    for (std::size_t i = 0; i < m_runs.size(); ++i) at.push_back(addRun(column, figure, i));
    return at;
  }
  int addRun(Column column, const Figure& figure, std::size_t run) {
    if (m_runs.size() > 1) {
      column.runNumber = m_runs[run].runNumber;
      column.runLetter = m_runs[run].letter;
    }
    const int at = m_rows.addColumn(column);
    std::vector<double>& values = m_rows.numbers[static_cast<std::size_t>(at)];
    for (const OperatorLine& line : m_lines) {
      values.push_back(line.sides[run] == nullptr ? kUnknownNumber : figure(*line.sides[run]));
    }
    return at;
  }
  // Totals of all runs and, with several, the differences to the first.
  std::vector<int> addCompared(const Column& column, const Figure& figure, const QString& what) {
    std::vector<int> at{addRun(column, figure, 0)};
    if (m_runs.size() > 1) at.push_back(addRun(column, figure, 1));
    std::vector<int> all = at;
    chooseTimeUnit(m_rows, all);
    m_delta = -1;
    for (std::size_t i = 1; i < m_runs.size(); ++i) {
      if (i >= 2) {
        at.push_back(addRun(column, figure, i));
        m_rows.columns.back().timeUnit = m_rows.columns[static_cast<std::size_t>(at[0])].timeUnit;
      }
      const int delta = addDifference(m_rows, m_runs[0], m_runs[i], at[0], at[i], what);
      if (m_delta < 0) m_delta = delta;
    }
    return at;
  }
  [[nodiscard]] int firstDelta() const { return m_delta; }

 private:
  TableRows& m_rows;
  const std::vector<RunInput>& m_runs;
  const std::vector<OperatorLine>& m_lines;
  int m_delta = -1;
};

bool any(const std::vector<OperatorLine>& lines, const std::function<std::int64_t(const OperatorRow&)>& figure) {
  return std::any_of(lines.begin(), lines.end(), [&](const OperatorLine& line) {
    return std::any_of(line.sides.begin(), line.sides.end(),
                       [&](const OperatorRow* row) { return row != nullptr && figure(*row) != 0; });
  });
}

Column bytesColumn(const QString& title, int hideRank) {
  Column column;
  column.title = title;
  column.role = ColumnRole::kBytes;
  column.width = 110;
  column.hideRank = hideRank;
  column.sum = SumRule::kSum;
  return column;
}

}  // namespace

SharedRows operatorRows(const std::vector<RunInput>& runs, OperatorGrouping grouping) {
  const std::vector<OperatorLine> lines = merged(runs, grouping);
  const bool several = runs.size() > 1;
  auto rows = makeFreedAside<TableRows>();
  rows->rowCount = lines.size();
  const int name = rows->addColumn(nameColumn(words(QT_TRANSLATE_NOOP("Tables", "Operator")), several ? 220 : 260));
  int shapes = -1;
  if (grouping == OperatorGrouping::kByShape) {
    shapes = rows->addColumn(textColumn(words(QT_TRANSLATE_NOOP("Tables", "Input shapes")), 220, 6));
  }
  for (const OperatorLine& line : lines) {
    rows->texts[static_cast<std::size_t>(name)].add(line.name);
    if (shapes >= 0) rows->texts[static_cast<std::size_t>(shapes)].add(line.shapes);
    rows->kinds.push_back(line.kind);
  }
  FigureColumns figures(*rows, runs, lines);
  figures.add(countColumn(words(QT_TRANSLATE_NOOP("Tables", "Calls")), 4),
              [](const OperatorRow& row) { return static_cast<double>(row.calls); });

  Column self = timeColumn(words(QT_TRANSLATE_NOOP("Tables", "Self CPU")), 0);
  self.sum = SumRule::kSum;
  self.width = several ? 104 : 120;
  self.description = words(QT_TRANSLATE_NOOP("Tables", "Host time less that of what it calls"));
  if (!several) self.role = ColumnRole::kTimeWithBar;
  const std::vector<int> selfAt = figures.addCompared(
      self, [](const OperatorRow& row) { return static_cast<double>(row.cpuSelfNs); },
      words(QT_TRANSLATE_NOOP("Tables", "Self CPU time")));
  rows->sortColumn = several ? figures.firstDelta() : selfAt[0];
  if (!several) {
    scaleToSum(*rows, selfAt[0]);
    Column total = timeColumn(words(QT_TRANSLATE_NOOP("Tables", "Total CPU")), 0);
    total.width = 96;
    total.description = words(QT_TRANSLATE_NOOP("Tables", "Host time with that of what it calls: does not add up"));
    const std::vector<int> totalAt =
        figures.add(total, [](const OperatorRow& row) { return static_cast<double>(row.cpuTotalNs); });
    // What is its own and what is with its callees are read side by side: one unit.
    chooseTimeUnit(*rows, {selfAt[0], totalAt[0]});
  }

  if (any(lines, [](const OperatorRow& row) { return row.deviceTotalNs; })) {
    Column device = timeColumn(words(QT_TRANSLATE_NOOP("Tables", "Self device")), 0);
    device.sum = SumRule::kSum;
    device.width = 104;
    device.description = words(QT_TRANSLATE_NOOP("Tables", "Kernels, copies and memsets that it launched itself"));
    const std::vector<int> deviceAt = figures.addCompared(
        device, [](const OperatorRow& row) { return static_cast<double>(row.deviceSelfNs); },
        words(QT_TRANSLATE_NOOP("Tables", "Self device time")));
    if (several && figures.firstDelta() >= 0) rows->sortColumn = figures.firstDelta();
    if (!several) {
      Column total = timeColumn(words(QT_TRANSLATE_NOOP("Tables", "Total device")), 3);
      total.width = 104;
      const std::vector<int> totalAt =
          figures.add(total, [](const OperatorRow& row) { return static_cast<double>(row.deviceTotalNs); });
      chooseTimeUnit(*rows, {deviceAt[0], totalAt[0]});
    }
  }
  const auto addBytes = [&](const QString& title, int hideRank, std::int64_t OperatorRow::*figure) {
    if (!any(lines, [figure](const OperatorRow& row) { return row.*figure; })) return;
    for (const int column : figures.add(bytesColumn(title, hideRank), [figure](const OperatorRow& row) {
           return static_cast<double>(row.*figure);
         })) {
      chooseByteUnit(*rows, column);
    }
  };
  if (!several) {
    addBytes(words(QT_TRANSLATE_NOOP("Tables", "Self CPU mem")), 2, &OperatorRow::cpuMemorySelfBytes);
    addBytes(words(QT_TRANSLATE_NOOP("Tables", "Self dev mem")), 1, &OperatorRow::deviceMemorySelfBytes);
  }
  for (std::size_t i = 0; i < runs.size(); ++i) {
    RowSlices& slices = rows->slices.emplace_back(runs[i].runNumber, runs[i].facts);
    for (const OperatorLine& line : lines) {
      slices.addRow(line.sides[i] == nullptr ? std::vector<SliceId>{} : slicesOfNodes(runs[i], line.sides[i]->nodes));
    }
    slices.finish();
  }
  return rows;
}

}  // namespace attnscope::ui
