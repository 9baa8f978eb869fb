// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tables/RowParts.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <QCoreApplication>

namespace attnscope::ui {
namespace {

double largest(const TableRows& rows, const std::vector<int>& columns) {
  double most = 0;
  for (const int column : columns) {
    for (const double value : rows.numbers[static_cast<std::size_t>(column)]) {
      if (!std::isnan(value)) most = std::max(most, std::abs(value));
    }
  }
  return most;
}

double known(double value) { return std::isnan(value) ? 0.0 : value; }

}  // namespace

QString textOf(std::string_view text) { return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size())); }

QString textOf(const Trace& trace, StringId id) { return textOf(trace.strings.view(id)); }

Column nameColumn(const QString& title, int width) {
  Column column;
  column.title = title;
  column.role = ColumnRole::kName;
  column.width = width;
  return column;
}

Column textColumn(const QString& title, int width, int hideRank) {
  Column column;
  column.title = title;
  column.role = ColumnRole::kText;
  column.width = width;
  column.hideRank = hideRank;
  return column;
}

Column countColumn(const QString& title, int hideRank) {
  Column column;
  column.title = title;
  column.role = ColumnRole::kCount;
  column.width = 60;
  column.hideRank = hideRank;
  column.sum = SumRule::kSum;
  return column;
}

Column timeColumn(const QString& title, int hideRank) {
  Column column;
  column.title = title;
  column.role = ColumnRole::kTime;
  column.width = 64;
  column.hideRank = hideRank;
  return column;
}

void chooseTimeUnit(TableRows& rows, const std::vector<int>& columns) {
  const format::TimeUnit unit = format::unitFor(static_cast<std::int64_t>(largest(rows, columns)));
  for (const int column : columns) rows.columns[static_cast<std::size_t>(column)].timeUnit = unit;
}

void chooseTimeUnit(TableRows& rows, std::initializer_list<int> columns) {
  chooseTimeUnit(rows, std::vector<int>(columns));
}

void chooseByteUnit(TableRows& rows, int column) {
  rows.columns[static_cast<std::size_t>(column)].byteUnit =
      format::byteUnitFor(static_cast<std::int64_t>(largest(rows, {column})));
}

void scaleToSum(TableRows& rows, int column) {
  double sum = 0;
  for (const double value : rows.numbers[static_cast<std::size_t>(column)]) sum += known(value);
  rows.columns[static_cast<std::size_t>(column)].barScale = sum;
}

void scaleDeltas(TableRows& rows, int column) {
  Column& head = rows.columns[static_cast<std::size_t>(column)];
  for (const double value : rows.numbers[static_cast<std::size_t>(column)]) {
    head.least = std::min(head.least, known(value));
    head.most = std::max(head.most, known(value));
  }
}

void scaleSpreads(TableRows& rows, int column) {
  std::int64_t most = 0;
  for (const std::vector<Spread>& row : rows.spreads) {
    for (const Spread& spread : row) most = std::max(most, spread.ticks.empty() ? spread.p95 : spread.ticks.back());
  }
  if (most <= 0) return;
  const double power = std::pow(10.0, std::floor(std::log10(static_cast<double>(most))));
  double end = 10 * power;
  for (const double step : {1.0, 1.2, 1.4, 1.6, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0}) {
    if (step * power >= static_cast<double>(most)) {
      end = step * power;
      break;
    }
  }
  rows.columns[static_cast<std::size_t>(column)].most = end;
}

void groupByKind(TableRows& rows, const QStringList& kindTitles) {
  std::map<WorkKind, std::uint32_t> known;
  rows.groupOf.reserve(rows.rowCount);
  for (const WorkKind kind : rows.kinds) {
    const auto [at, added] = known.try_emplace(kind, static_cast<std::uint32_t>(known.size()));
    if (added) rows.groupTitles << kindTitles.value(static_cast<int>(kind));
    rows.groupOf.push_back(at->second);
  }
}

int addDifference(TableRows& rows, const RunInput& base, const RunInput& other, int baseColumn, int otherColumn,
                  const QString& what) {
  Column delta;
  delta.title = QStringLiteral("%1 %2 %3").arg(other.letter, QString(QChar(0x2212)), base.letter);
  delta.role = ColumnRole::kDelta;
  delta.width = 138;
  delta.timeUnit = rows.columns[static_cast<std::size_t>(baseColumn)].timeUnit;
  delta.sum = SumRule::kDelta;
  delta.baseColumn = baseColumn;
  delta.otherColumn = otherColumn;
  delta.description = QCoreApplication::translate("Tables", "%1 of %2 less that of %3: minus is less time")
                          .arg(what, other.letter, base.letter);
  Column share = delta;
  share.title = QStringLiteral("%");
  share.role = ColumnRole::kDeltaShare;
  share.width = 60;
  share.hideRank = 5;
  share.sum = SumRule::kRatio;
  share.description = QCoreApplication::translate("Tables", "The same, of %1 of %2").arg(what, base.letter);
  const int first = rows.addColumn(delta);
  const int second = rows.addColumn(share);
  for (std::size_t row = 0; row < rows.rowCount; ++row) {
    const double from = rows.numbers[static_cast<std::size_t>(baseColumn)][row];
    const double to = rows.numbers[static_cast<std::size_t>(otherColumn)][row];
    const bool neither = std::isnan(from) && std::isnan(to);
    rows.numbers[static_cast<std::size_t>(first)].push_back(neither ? kUnknownNumber : known(to) - known(from));
    // Work that one side alone has is no percentage of the other's.
    const bool both = !std::isnan(from) && !std::isnan(to) && from != 0;
    rows.numbers[static_cast<std::size_t>(second)].push_back(both ? (to - from) / from : kUnknownNumber);
  }
  scaleDeltas(rows, first);
  return first;
}

QString matchText(MatchKind match, const std::vector<RunInput>& runs, const std::vector<bool>& has) {
  const bool everywhere = std::all_of(has.begin(), has.end(), [](bool value) { return value; });
  if (!everywhere) {
    QStringList letters;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      if (has[i]) letters << runs[i].letter;
    }
    return QCoreApplication::translate("Tables", "Only %1").arg(letters.join(QStringLiteral(", ")));
  }
  if (match == MatchKind::kSignature) return QCoreApplication::translate("Tables", "Signature");
  if (match == MatchKind::kRole) return QCoreApplication::translate("Tables", "Role");
  return QCoreApplication::translate("Tables", "Exact");
}

std::set<std::string_view> workingNames(const RunInput& run) {
  std::set<std::string_view> names;
  for (const OperatorNode& node : run.facts->tree.nodes) {
    if (node.isWorking) names.insert(run.facts->trace->strings.view(node.name));
  }
  return names;
}

std::vector<WorkingOperator> workingOperators(const RunInput& run, const std::set<std::string_view>& names) {
  const Trace& trace = *run.facts->trace;
  const OperatorNodes& tree = run.facts->tree.nodes;
  std::vector<WorkingOperator> working;
  for (const OperatorRow& row : run.tables->operators.rows) {
    if (row.isUserAnnotation || row.nodes.empty() || names.count(trace.strings.view(row.name)) == 0) continue;
    if (!tree[row.nodes.front()].isOperator) continue;  // a runtime call of that name
    working.push_back({row.name, row.kind, row.cpuSelfNs, row.nodes});
  }
  std::stable_sort(working.begin(), working.end(),
                   [](const WorkingOperator& a, const WorkingOperator& b) { return a.selfNs > b.selfNs; });
  return working;
}

QString mostCallers(const RunInput& run, const std::vector<std::uint32_t>& nodes) {
  const OperatorNodes& tree = run.facts->tree.nodes;
  std::map<StringId, std::uint64_t> calls;
  for (const std::uint32_t node : nodes) {
    const std::uint32_t parent = tree[node].parent;
    if (parent != OperatorNode::kNone && tree[parent].isOperator) ++calls[tree[parent].name];
  }
  if (calls.empty()) return {};
  const auto most =
      std::max_element(calls.begin(), calls.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return textOf(*run.facts->trace, most->first);
}

std::vector<std::int64_t> selfTimes(const RunInput& run, const std::vector<std::uint32_t>& nodes) {
  std::vector<std::int64_t> times;
  times.reserve(nodes.size());
  for (const std::uint32_t node : nodes) times.push_back(run.facts->tree.nodes[node].cpuSelfNs);
  return times;
}

std::vector<SliceId> slicesOfNodes(const RunInput& run, const std::vector<std::uint32_t>& nodes) {
  std::vector<SliceId> slices;
  slices.reserve(nodes.size());
  for (const std::uint32_t node : nodes) {
    if (run.facts->tree.nodes[node].slice != kNoSlice) slices.push_back(run.facts->tree.nodes[node].slice);
  }
  return slices;
}

}  // namespace attnscope::ui
