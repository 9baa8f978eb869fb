// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tables/RowTable.h"

#include <algorithm>
#include <limits>

namespace attnscope::ui {

RowTable::RowTable(QObject* parent) : QAbstractTableModel(parent), m_rows(std::make_shared<TableRows>()) {
  connect(&m_jobs, &Jobs::changed, this, &RowTable::settledChanged);
}

void RowTable::setRows(std::shared_ptr<const TableRows> rows) {
  const auto heads = [](const TableRows& of) {
    QStringList list;
    for (const Column& column : of.columns) list << column.title + column.runLetter;
    return list;
  };
  const bool sameColumns = heads(*m_rows) == heads(*rows);
  if (!sameColumns) {
    m_order.column = rows->sortColumn;
    m_order.order = Qt::DescendingOrder;
    m_order.then.clear();
  }
  m_order.folded.clear();
  m_order.foldedRows.clear();
  for (const std::uint16_t depth : rows->depthOf) m_order.foldedRows.push_back(depth + 1 >= rows->openDepth);
  m_jobs.cancelAll();
  // Lines of the old rows mean nothing in the new ones: nothing is shown until they are arranged.
  beginResetModel();
  m_rows = std::move(rows);
  m_arrangement = {};
  endResetModel();
  const QString before = m_filterError;
  m_order.filter = {};
  parseFilter();  // its columns may be others now
  Q_EMIT columnsChanged();
  if (m_filterError != before) Q_EMIT filterErrorChanged();
  rearrange();
}

void RowTable::setFilter(const QString& text) {
  if (text == m_filterText) return;
  m_filterText = text;
  const QString before = m_filterError;
  parseFilter();
  if (m_filterError.isEmpty()) rearrange();
  if (m_filterError != before) Q_EMIT filterErrorChanged();
}

void RowTable::parseFilter() {
  auto parsed = RowFilter::parse(m_filterText, *m_rows);
  m_filterError = parsed ? QString() : QString::fromStdString(parsed.error().message());
  if (parsed) m_order.filter = std::move(*parsed);
}

void RowTable::setGrouped(bool grouped) {
  if (grouped == m_order.grouped) return;
  m_order.grouped = grouped;
  rearrange();
}

void RowTable::toggleFold(int line) {
  if (!canFold(line)) return;
  if (isGroup(line)) {
    m_order.folded.resize(static_cast<std::size_t>(m_rows->groupTitles.size()));
    m_order.folded[groupAt(line)].flip();
  } else {
    m_order.foldedRows.resize(m_rows->rowCount);
    m_order.foldedRows[rowAt(line)].flip();
  }
  rearrange();
}

void RowTable::foldAll(bool isFolded) {
  if (!m_rows->isTree()) return;
  m_order.foldedRows.assign(m_rows->rowCount, isFolded);
  rearrange();
}

void RowTable::setOrder(int column, Qt::SortOrder order) {
  if (m_order.column == column && m_order.order == order && m_order.then.empty()) return;
  m_order.column = column;
  m_order.order = order;
  m_order.then.clear();
  rearrange();
}

void RowTable::addOrder(int column) {
  const auto turned = [](Qt::SortOrder order) {
    return order == Qt::AscendingOrder ? Qt::DescendingOrder : Qt::AscendingOrder;
  };
  const auto known = std::find_if(m_order.then.begin(), m_order.then.end(),
                                  [column](const SortKey& key) { return key.column == column; });
  if (m_order.column < 0) {
    m_order.order = orderOfClick(column);
    m_order.column = column;
  } else if (m_order.column == column) {
    m_order.order = turned(m_order.order);
  } else if (known != m_order.then.end()) {
    known->order = turned(known->order);
  } else {
    m_order.then.push_back({column, orderOfClick(column)});
  }
  rearrange();
}

int RowTable::placeInOrder(int column) const {
  if (column == m_order.column) return 0;
  for (std::size_t i = 0; i < m_order.then.size(); ++i) {
    if (m_order.then[i].column == column) return static_cast<int>(i) + 1;
  }
  return -1;
}

Qt::SortOrder RowTable::orderOf(int column) const {
  const int place = placeInOrder(column);
  return place <= 0 ? m_order.order : m_order.then[static_cast<std::size_t>(place) - 1].order;
}

Qt::SortOrder RowTable::orderOfClick(int column) const {
  if (column == m_order.column) {
    return m_order.order == Qt::AscendingOrder ? Qt::DescendingOrder : Qt::AscendingOrder;
  }
  return m_rows->columns[static_cast<std::size_t>(column)].isText() ? Qt::AscendingOrder : Qt::DescendingOrder;
}

void RowTable::rearrange() {
  if (m_rows->rowCount <= kAtOnce) {
    m_jobs.cancelAll();
    show(arrange(*m_rows, m_order));
    return;
  }
  m_jobs.start(
      QStringLiteral("arrange"),
      [rows = m_rows, order = m_order](std::stop_token stop) { return arrange(*rows, order, stop); },
      [this](Arrangement arrangement) { show(std::move(arrangement)); });
}

void RowTable::show(Arrangement arrangement) {
  beginResetModel();
  m_arrangement = std::move(arrangement);
  endResetModel();
  Q_EMIT arranged();
}

bool RowTable::isGroup(int line) const {
  return line >= 0 && line < rowCount() && (m_arrangement.lines[static_cast<std::size_t>(line)] & kGroupBit) != 0;
}

bool RowTable::canFold(int line) const {
  if (isGroup(line)) return true;
  const std::uint32_t row = rowAt(line);
  return row < m_arrangement.hasChildren.size() && m_arrangement.hasChildren[row];
}

bool RowTable::isFolded(int line) const {
  if (isGroup(line)) return groupAt(line) < m_order.folded.size() && m_order.folded[groupAt(line)];
  // What a filter keeps is shown wherever it is.
  const std::uint32_t row = rowAt(line);
  return m_order.filter.isEmpty() && row < m_order.foldedRows.size() && m_order.foldedRows[row];
}

int RowTable::depthOf(int line) const {
  const std::uint32_t row = rowAt(line);
  return row < m_rows->depthOf.size() ? m_rows->depthOf[row] : 0;
}

std::uint32_t RowTable::rowAt(int line) const {
  if (line < 0 || line >= rowCount() || isGroup(line)) return RowSlices::kNoRow;
  return m_arrangement.lines[static_cast<std::size_t>(line)];
}

int RowTable::lineOf(std::uint32_t row) const {
  return row < m_arrangement.lineOf.size() ? m_arrangement.lineOf[row] : -1;
}

double RowTable::number(int line, int column) const {
  const auto c = static_cast<std::size_t>(column);
  if (isGroup(line)) return m_arrangement.groupSums[groupAt(line)][c];
  const std::vector<double>& values = m_rows->numbers[c];
  return values.empty() ? std::numeric_limits<double>::quiet_NaN() : values[rowAt(line)];
}

int RowTable::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(m_arrangement.lines.size());
}

int RowTable::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(m_rows->columns.size());
}

QVariant RowTable::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const Column& column = m_rows->columns[static_cast<std::size_t>(index.column())];
  if (role == Qt::TextAlignmentRole) {
    return QVariant::fromValue(
        Qt::Alignment(Qt::AlignVCenter | (column.isRightAligned() ? Qt::AlignRight : Qt::AlignLeft)));
  }
  if (role == Qt::DisplayRole) {
    if (!isGroup(index.row())) return onOneLine(m_rows->cellText(rowAt(index.row()), index.column()));
    if (column.role == ColumnRole::kName) return m_rows->groupTitles[groupAt(index.row())];
    return column.sum == SumRule::kNone ? QString() : numberText(column, number(index.row(), index.column()));
  }
  if (role == Qt::ToolTipRole && column.isText() && !isGroup(index.row())) {
    if (column.role == ColumnRole::kName && !m_rows->fullNames.isEmpty())
      return m_rows->fullNames.text(rowAt(index.row()));
    return m_rows->cellText(rowAt(index.row()), index.column());
  }
  return {};
}

QVariant RowTable::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) return {};
  const Column& column = m_rows->columns[static_cast<std::size_t>(section)];
  if (role == Qt::DisplayRole) return column.headText();
  if (role == Qt::ToolTipRole && !column.description.isEmpty()) return column.description;
  if (role == Qt::TextAlignmentRole) {
    return QVariant::fromValue(
        Qt::Alignment(Qt::AlignVCenter | (column.isRightAligned() ? Qt::AlignRight : Qt::AlignLeft)));
  }
  return {};
}

}  // namespace attnscope::ui
