// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The model of a table: immutable rows under a permutation of its own. Up to 20 000 rows are sorted and filtered at
// once; more in a worker, while the older order stays on show. GUI thread only. No QSortFilterProxyModel: it announces
// every interval of a filter on its own, which takes half a minute at a million rows.

#include <memory>

#include <QAbstractTableModel>

#include "ui/bridge/Jobs.h"
#include "ui/tables/TableRows.h"

namespace attnscope::ui {

class RowTable : public QAbstractTableModel {
  Q_OBJECT

 public:
  static constexpr std::size_t kAtOnce = 20'000;

  explicit RowTable(QObject* parent = nullptr);

  // New rows keep filter, grouping and, where the columns are the same, the order.
  void setRows(std::shared_ptr<const TableRows> rows);
  [[nodiscard]] const TableRows& rows() const { return *m_rows; }
  [[nodiscard]] std::shared_ptr<const TableRows> sharedRows() const { return m_rows; }
  [[nodiscard]] const Arrangement& arrangement() const { return m_arrangement; }

  // Words or an expression, see RowFilter. One that is wrong changes nothing but filterError().
  void setFilter(const QString& text);
  [[nodiscard]] const QString& filterText() const { return m_filterText; }
  [[nodiscard]] const QString& filterError() const { return m_filterError; }  // empty: none
  void setGrouped(bool grouped);
  void setOrder(int column, Qt::SortOrder order);
  // The column decides where those before it are equal; one that sorts already is turned around.
  void addOrder(int column);
  // Place of the column among those that sort, from 0; -1: it does not.
  [[nodiscard]] int placeInOrder(int column) const;
  [[nodiscard]] Qt::SortOrder orderOf(int column) const;
  [[nodiscard]] const TableOrder& order() const { return m_order; }
  // What a click on a head means: the other direction where it is sorted already, else numbers down and texts up.
  [[nodiscard]] Qt::SortOrder orderOfClick(int column) const;
  [[nodiscard]] bool isSettled() const { return !m_jobs.isBusy(); }

  [[nodiscard]] bool isGroup(int line) const;
  // A group, or a row of a tree with others under it.
  [[nodiscard]] bool canFold(int line) const;
  [[nodiscard]] bool isFolded(int line) const;
  void toggleFold(int line);
  void foldAll(bool isFolded);                // of a tree
  [[nodiscard]] int depthOf(int line) const;  // in a tree; else 0
  // Row of TableRows on this line; RowSlices::kNoRow for a group.
  [[nodiscard]] std::uint32_t rowAt(int line) const;
  // Line of a row, or -1 while it is filtered out or folded away. O(1).
  [[nodiscard]] int lineOf(std::uint32_t row) const;
  [[nodiscard]] std::uint32_t groupAt(int line) const { return m_arrangement.lines[std::size_t(line)] & ~kGroupBit; }
  [[nodiscard]] double number(int line, int column) const;  // of a row, or a group's sum; NaN: unknown

  [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 Q_SIGNALS:
  void arranged();        // another order, filter or rows are on show
  void columnsChanged();  // titles, units, number of columns
  void settledChanged();
  void filterErrorChanged();

 private:
  void parseFilter();
  void rearrange();
  void show(Arrangement arrangement);

  std::shared_ptr<const TableRows> m_rows;
  Arrangement m_arrangement;
  TableOrder m_order;
  QString m_filterText;
  QString m_filterError;
  Jobs m_jobs;
};

}  // namespace attnscope::ui
