// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The rows of one table in columns, with the slices that each row stands for in each run. Built once in a worker, then
// immutable and shared. Order and filter are not in it: arrange() makes a permutation.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <utility>
#include <vector>

#include <QHash>
#include <QString>
#include <QStringList>

#include "core/base/Ids.h"
#include "core/trace/WorkKind.h"
#include "ui/bridge/Run.h"
#include "ui/tables/Column.h"
#include "ui/tables/RowFilter.h"

namespace attnscope::ui {

// As it is drawn in a row: what would break the line is a space.
[[nodiscard]] QString onOneLine(QString text);

// Distinct texts and which row has which.
class TextCells {
 public:
  void reserve(std::size_t rows) { m_of.reserve(rows); }
  void add(const QString& text);
  [[nodiscard]] const QString& text(std::uint32_t row) const { return m_texts[m_of[row]]; }
  [[nodiscard]] const std::vector<std::uint32_t>& of() const { return m_of; }
  [[nodiscard]] const QStringList& texts() const { return m_texts; }
  [[nodiscard]] bool isEmpty() const { return m_of.empty(); }

 private:
  std::vector<std::uint32_t> m_of;  // by row: position in m_texts
  QStringList m_texts;
  QHash<QString, std::uint32_t> m_known;
};

// The durations of a row's calls in one run, ns.
struct Spread {
  int runNumber = 0;
  std::vector<std::int64_t> ticks;  // every call, where there are fewer than 20; else empty and the five below
  std::int64_t p5 = 0;
  std::int64_t q1 = 0;
  std::int64_t median = 0;
  std::int64_t q3 = 0;
  std::int64_t p95 = 0;
};
inline constexpr std::size_t kTicksBelow = 20;
// Nearest rank of the sorted durations. Sorts `durations`.
[[nodiscard]] Spread spreadOf(int runNumber, std::vector<std::int64_t> durations);

// The slices of the rows in one run.
class RowSlices {
 public:
  RowSlices(int runNumber, std::shared_ptr<const RunFacts> facts) : m_runNumber(runNumber), m_facts(std::move(facts)) {}
  void addRow(std::vector<SliceId> slices);  // in order of start
  void finish();                             // after the last row

  [[nodiscard]] int runNumber() const { return m_runNumber; }
  [[nodiscard]] const Trace* trace() const { return m_facts ? m_facts->trace.get() : nullptr; }
  [[nodiscard]] std::span<const SliceId> slices(std::uint32_t row) const;
  // The row that has `slice`, or kNoRow. O(log n).
  [[nodiscard]] std::uint32_t rowOf(SliceId slice) const;
  // Rows that have any of `slices`, ascending. O(n log n); empty when stopped.
  [[nodiscard]] std::vector<std::uint32_t> rowsOf(std::span<const SliceId> slices, const std::stop_token& stop) const;
  [[nodiscard]] SliceId longest(std::uint32_t row) const;  // kNoSlice: the row has none here
  static constexpr std::uint32_t kNoRow = 0xFFFFFFFFu;

 private:
  int m_runNumber = 0;
  std::shared_ptr<const RunFacts> m_facts;
  std::vector<SliceId> m_slices;
  std::vector<std::size_t> m_first{0};
  std::vector<std::pair<SliceId, std::uint32_t>> m_rows;  // by slice
};

struct TableRows {
  std::vector<Column> columns;
  std::vector<std::vector<double>> numbers;  // by column, then row; NaN: unknown; empty for texts
  std::vector<TextCells> texts;              // by column; empty for numbers
  TextCells fullNames;                       // where the name column is shortened; else empty
  std::vector<WorkKind> kinds;               // swatch by row; empty: none
  std::vector<std::vector<Spread>> spreads;  // by row; empty: none
  std::vector<std::uint32_t> groupOf;        // by row; empty: cannot be grouped
  QStringList groupTitles;
  // Of a tree, by row: the row it is under, which stands before it, and how deep it is; empty: a flat table.
  std::vector<std::uint32_t> parentOf;  // RowSlices::kNoRow at the top
  std::vector<std::uint16_t> depthOf;
  // Rows from here on are parts of rows above them: they are in no sum and not counted.
  std::size_t partsFrom = RowSlices::kNoRow;
  int openDepth = 3;              // a tree shows so many levels until a person opens more
  std::vector<RowSlices> slices;  // by run
  std::size_t rowCount = 0;
  int sortColumn = -1;  // that the rows are built by, largest first
  QString note;         // line above the table, or empty

  int addColumn(Column column);           // its position
  void addTreeRow(std::uint32_t parent);  // of a tree: for each row, in their order
  [[nodiscard]] bool isTree() const { return !parentOf.empty(); }
  [[nodiscard]] std::size_t wholeRows() const { return std::min(rowCount, partsFrom); }
  [[nodiscard]] QString cellText(std::uint32_t row, int column) const;
};

struct SortKey {
  int column = -1;
  Qt::SortOrder order = Qt::DescendingOrder;
  bool operator==(const SortKey&) const = default;
};

struct TableOrder {
  int column = -1;  // -1: as built
  Qt::SortOrder order = Qt::DescendingOrder;
  std::vector<SortKey> then;  // what decides between equal rows, in this order
  RowFilter filter;
  bool grouped = false;          // not of a tree
  std::vector<bool> folded;      // by group
  std::vector<bool> foldedRows;  // by row of a tree: what is under it is not shown, but for what a filter keeps
};

inline constexpr std::uint32_t kGroupBit = 0x80000000u;

struct Arrangement {
  std::vector<std::uint32_t> lines;            // row, or group with kGroupBit
  std::vector<std::int32_t> lineOf;            // by row: its line, or -1
  std::vector<double> totals;                  // by column, over the rows that the filter keeps
  std::vector<std::vector<double>> groupSums;  // by group, then column
  std::size_t shownRows = 0;                   // that the filter keeps, folded or not
  std::vector<bool> hasChildren;               // by row of a tree: something that is kept is under it
};
// O(n) by numbers and by texts of few distinct values, for each key. Of a tree siblings are sorted, and what is above a
// row that the filter keeps is shown with it. Rows without a value come last in either direction; rows
// that are equal keep the order in which they were built. Empty when stopped.
[[nodiscard]] Arrangement arrange(const TableRows& rows, const TableOrder& order, std::stop_token stop = {});

}  // namespace attnscope::ui
