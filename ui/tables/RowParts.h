// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Parts that the tables' rows are put together from. Pure functions, any thread.

#include <limits>
#include <set>
#include <string_view>

#include "ui/tables/KernelRows.h"

namespace attnscope::ui {

inline constexpr double kUnknownNumber = std::numeric_limits<double>::quiet_NaN();

[[nodiscard]] QString textOf(const Trace& trace, StringId id);
[[nodiscard]] QString textOf(std::string_view text);

[[nodiscard]] Column nameColumn(const QString& title, int width);
[[nodiscard]] Column textColumn(const QString& title, int width, int hideRank);
[[nodiscard]] Column countColumn(const QString& title, int hideRank);
[[nodiscard]] Column timeColumn(const QString& title, int hideRank);

// Gives the column the unit that its largest cell asks for; several columns share one.
void chooseTimeUnit(TableRows& rows, std::initializer_list<int> columns);
void chooseTimeUnit(TableRows& rows, const std::vector<int>& columns);
void chooseByteUnit(TableRows& rows, int column);
// Bars of a kTimeWithBar column: full is the column's sum.
void scaleToSum(TableRows& rows, int column);
// Ends of the bars of a kDelta column.
void scaleDeltas(TableRows& rows, int column);
// Right end of the distribution column: a round number over the largest value drawn.
void scaleSpreads(TableRows& rows, int column);
// Groups by kind of work. `rows.kinds` is filled.
void groupByKind(TableRows& rows, const QStringList& kindTitles);

// "B − A" with its percentage, from two columns of ns; returns the position of the first. The cells are filled.
int addDifference(TableRows& rows, const RunInput& base, const RunInput& other, int baseColumn, int otherColumn,
                  const QString& what);
// "Exact", "Only B": from the kind of match and the runs that have the row.
[[nodiscard]] QString matchText(MatchKind match, const std::vector<RunInput>& runs, const std::vector<bool>& has);

// Operators of a run in scope that work themselves (OperatorNode::isWorking), by name: leaves, and what people look
// for although it calls others, as aten::addmm does. Figures are those of the Operators table. For several runs the
// names are those that work in any of them, so that a row is missing only where the operator is.
struct WorkingOperator {
  StringId name = kNoString;
  WorkKind kind = WorkKind::kCpuOperator;
  std::int64_t selfNs = 0;
  std::vector<std::uint32_t> nodes;  // of the tree, in order of start
};
[[nodiscard]] std::set<std::string_view> workingNames(const RunInput& run);
[[nodiscard]] std::vector<WorkingOperator> workingOperators(
    const RunInput& run, const std::set<std::string_view>& names);  // by selfNs downwards

// The operator that called most of these nodes, "aten::_to_copy"; empty where none did.
[[nodiscard]] QString mostCallers(const RunInput& run, const std::vector<std::uint32_t>& nodes);
[[nodiscard]] std::vector<std::int64_t> selfTimes(const RunInput& run, const std::vector<std::uint32_t>& nodes);
[[nodiscard]] std::vector<SliceId> slicesOfNodes(const RunInput& run, const std::vector<std::uint32_t>& nodes);

}  // namespace attnscope::ui
