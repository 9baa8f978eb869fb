// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tables/TableRows.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace attnscope::ui {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

void sortByText(const TextCells& cells, Qt::SortOrder order, std::vector<std::uint32_t>& lines) {
  const QStringList& texts = cells.texts();
  std::vector<std::uint32_t> byText(static_cast<std::size_t>(texts.size()));
  std::iota(byText.begin(), byText.end(), 0u);
  std::sort(byText.begin(), byText.end(), [&](std::uint32_t a, std::uint32_t b) {
    const int c = QString::compare(texts[a], texts[b], Qt::CaseInsensitive);
    return order == Qt::AscendingOrder ? c < 0 : c > 0;
  });
  // Counting sort by rank: stable, and cheap where many rows share a text. Texts that only differ in case share none.
  std::vector<std::size_t> count(byText.size() + 1);
  std::vector<std::uint32_t> rank(byText.size());
  for (std::uint32_t r = 0; r < byText.size(); ++r) rank[byText[r]] = r;
  for (const std::uint32_t row : lines) ++count[rank[cells.of()[row]] + 1];
  std::partial_sum(count.begin(), count.end(), count.begin());
  std::vector<std::uint32_t> sorted(lines.size());
  for (const std::uint32_t row : lines) sorted[count[rank[cells.of()[row]]]++] = row;
  lines.swap(sorted);
}

// Unknown values last in either direction; differences by amount.
double sortKey(double value, ColumnRole role, Qt::SortOrder order) {
  if (std::isnan(value)) return std::numeric_limits<double>::infinity();
  const double amount = role == ColumnRole::kDelta || role == ColumnRole::kDeltaShare ? std::abs(value) : value;
  return order == Qt::DescendingOrder ? -amount : amount;
}

// Numbers as unsigned integers in the same order.
std::uint64_t orderedBits(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value + 0.0);  // one zero
  constexpr std::uint64_t kSign = std::uint64_t{1} << 63;
  return (bits & kSign) != 0 ? ~bits : bits | kSign;
}

struct KeyedLine {
  std::uint64_t key;
  std::uint32_t line;
};

// Least significant digit first, 11 bits at a time: stable, and digits that are the same in all keys cost nothing.
// Times in ns use few of a double's bits.
void radixSort(std::vector<KeyedLine>& lines) {
  constexpr int kBits = 11;
  constexpr std::size_t kBuckets = std::size_t{1} << kBits;
  std::uint64_t all = ~std::uint64_t{0};
  std::uint64_t any = 0;
  for (const KeyedLine& each : lines) {
    all &= each.key;
    any |= each.key;
  }
  std::vector<KeyedLine> other(lines.size());
  std::vector<std::size_t> place(kBuckets);
  for (int shift = 0; shift < 64; shift += kBits) {
    const auto digit = [shift](std::uint64_t key) { return (key >> shift) & (kBuckets - 1); };
    if (digit(all) == digit(any)) continue;
    std::fill(place.begin(), place.end(), 0);
    for (const KeyedLine& each : lines) ++place[digit(each.key)];
    std::size_t sum = 0;
    for (std::size_t& each : place) sum += std::exchange(each, sum);
    for (const KeyedLine& each : lines) other[place[digit(each.key)]++] = each;
    lines.swap(other);
  }
}

void sortByNumber(const std::vector<double>& values, ColumnRole role, Qt::SortOrder order,
                  std::vector<std::uint32_t>& lines) {
  std::vector<KeyedLine> keyed(lines.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    keyed[i] = {orderedBits(sortKey(values[lines[i]], role, order)), lines[i]};
  }
  radixSort(keyed);
  for (std::size_t i = 0; i < lines.size(); ++i) lines[i] = keyed[i].line;
}

// Median of the calls: what a distribution is sorted by.
std::vector<double> medians(const TableRows& rows) {
  std::vector<double> values(rows.rowCount, kUnknown);
  for (std::size_t row = 0; row < rows.spreads.size(); ++row) {
    if (!rows.spreads[row].empty()) values[row] = static_cast<double>(rows.spreads[row].front().median);
  }
  return values;
}

void sortLines(const TableRows& rows, SortKey by, std::vector<std::uint32_t>& lines) {
  if (by.column < 0 || by.column >= static_cast<int>(rows.columns.size())) return;
  const auto c = static_cast<std::size_t>(by.column);
  const ColumnRole role = rows.columns[c].role;
  if (rows.columns[c].isText()) {
    sortByText(rows.texts[c], by.order, lines);
  } else if (role == ColumnRole::kDistribution) {
    if (!rows.spreads.empty()) sortByNumber(medians(rows), role, by.order, lines);
  } else {
    sortByNumber(rows.numbers[c], role, by.order, lines);
  }
}

// The last key first: each sort keeps the order of the one before where its own cells are equal.
void sortLines(const TableRows& rows, const TableOrder& order, std::vector<std::uint32_t>& lines) {
  for (auto key = order.then.rbegin(); key != order.then.rend(); ++key) sortLines(rows, *key, lines);
  sortLines(rows, SortKey{order.column, order.order}, lines);
}

template <class Range>
std::vector<double> sums(const TableRows& rows, const Range& which) {
  std::vector<double> result(rows.columns.size(), kUnknown);
  for (std::size_t c = 0; c < rows.columns.size(); ++c) {
    if (rows.columns[c].sum != SumRule::kSum) continue;
    for (const std::uint32_t row : which) {
      const double value = rows.numbers[c][row];
      if (std::isnan(value) || row >= rows.partsFrom) continue;
      result[c] = std::isnan(result[c]) ? value : result[c] + value;
    }
  }
  const auto known = [&](int column) {
    const double value = result[static_cast<std::size_t>(column)];
    return std::isnan(value) ? 0.0 : value;
  };
  for (std::size_t c = 0; c < rows.columns.size(); ++c) {
    const Column& column = rows.columns[c];
    if (column.sum != SumRule::kDelta && column.sum != SumRule::kRatio) continue;
    const double base = known(column.baseColumn);
    const double delta = known(column.otherColumn) - base;
    if (column.sum == SumRule::kDelta) result[c] = delta;
    if (column.sum == SumRule::kRatio && base != 0) result[c] = delta / base;
  }
  return result;
}

void group(const TableRows& rows, const TableOrder& order, const std::vector<std::uint32_t>& lines,
           Arrangement& result) {
  const auto groups = static_cast<std::size_t>(rows.groupTitles.size());
  std::vector<std::vector<std::uint32_t>> members(groups);
  for (const std::uint32_t row : lines) members[rows.groupOf[row]].push_back(row);
  result.groupSums.resize(groups);
  std::vector<std::uint32_t> present;
  for (std::uint32_t g = 0; g < groups; ++g) {
    result.groupSums[g] = sums(rows, members[g]);
    if (!members[g].empty()) present.push_back(g);
  }
  const auto column = static_cast<std::size_t>(std::max(order.column, 0));
  if (order.column >= 0 && rows.columns[column].isText()) {
    std::stable_sort(present.begin(), present.end(), [&](std::uint32_t a, std::uint32_t b) {
      const int c = QString::compare(rows.groupTitles[a], rows.groupTitles[b], Qt::CaseInsensitive);
      return order.order == Qt::AscendingOrder ? c < 0 : c > 0;
    });
  } else if (order.column >= 0) {
    std::stable_sort(present.begin(), present.end(), [&](std::uint32_t a, std::uint32_t b) {
      const ColumnRole role = rows.columns[column].role;
      return sortKey(result.groupSums[a][column], role, order.order) <
             sortKey(result.groupSums[b][column], role, order.order);
    });
  }
  result.lines.reserve(lines.size() + present.size());
  for (const std::uint32_t g : present) {
    result.lines.push_back(g | kGroupBit);
    if (g < order.folded.size() && order.folded[g]) continue;
    result.lines.insert(result.lines.end(), members[g].begin(), members[g].end());
  }
}

// Rows that are kept and what is above them, siblings in the order of `sorted`, which has all of those.
void layOutTree(const TableRows& rows, const TableOrder& order, const std::vector<std::uint32_t>& sorted,
                Arrangement& result) {
  constexpr std::uint32_t kNone = RowSlices::kNoRow;
  // Children of each row as a linked list, filled from the last: the first of the list is the first of the order.
  std::vector<std::uint32_t> firstChild(rows.rowCount, kNone);
  std::vector<std::uint32_t> nextSibling(rows.rowCount, kNone);
  std::uint32_t firstRoot = kNone;
  result.hasChildren.assign(rows.rowCount, false);
  for (auto row = sorted.rbegin(); row != sorted.rend(); ++row) {
    const std::uint32_t parent = rows.parentOf[*row];
    std::uint32_t& head = parent == kNone ? firstRoot : firstChild[parent];
    nextSibling[*row] = head;
    head = *row;
    if (parent != kNone) result.hasChildren[parent] = true;
  }
  std::vector<std::uint32_t> open;  // rows whose next sibling is still to come
  for (std::uint32_t row = firstRoot; row != kNone || !open.empty();) {
    if (row == kNone) {
      row = nextSibling[open.back()];
      open.pop_back();
      continue;
    }
    result.lines.push_back(row);
    const bool isFolded = order.filter.isEmpty() && row < order.foldedRows.size() && order.foldedRows[row];
    open.push_back(row);
    row = isFolded ? kNone : firstChild[row];
  }
}

std::vector<std::uint32_t> withAncestors(const TableRows& rows, const std::vector<std::uint32_t>& kept) {
  std::vector<bool> isShown(rows.rowCount);
  for (std::uint32_t row : kept) {
    for (; row != RowSlices::kNoRow && !isShown[row]; row = rows.parentOf[row]) isShown[row] = true;
  }
  std::vector<std::uint32_t> shown;
  for (std::uint32_t row = 0; row < rows.rowCount; ++row) {
    if (isShown[row]) shown.push_back(row);
  }
  return shown;
}

}  // namespace

QString onOneLine(QString text) {
  for (QChar& c : text) {
    if (c < QLatin1Char(' ') || c == QChar(0x2028) || c == QChar(0x2029) || c == QChar(0x0085)) c = QLatin1Char(' ');
  }
  return text;
}

void TextCells::add(const QString& text) {
  const auto next = static_cast<std::uint32_t>(m_texts.size());
  const auto known = m_known.constFind(text);
  if (known != m_known.constEnd()) {
    m_of.push_back(*known);
    return;
  }
  m_known.insert(text, next);
  m_texts.push_back(text);
  m_of.push_back(next);
}

Spread spreadOf(int runNumber, std::vector<std::int64_t> durations) {
  Spread spread;
  spread.runNumber = runNumber;
  if (durations.empty()) return spread;
  std::sort(durations.begin(), durations.end());
  const auto at = [&](double part) {
    const auto rank = static_cast<std::size_t>(std::ceil(part * static_cast<double>(durations.size())));
    return durations[std::max<std::size_t>(rank, 1) - 1];
  };
  spread.p5 = at(0.05);
  spread.q1 = at(0.25);
  spread.median = at(0.5);
  spread.q3 = at(0.75);
  spread.p95 = at(0.95);
  if (durations.size() < kTicksBelow) spread.ticks = std::move(durations);
  return spread;
}

void RowSlices::addRow(std::vector<SliceId> slices) {
  m_slices.insert(m_slices.end(), slices.begin(), slices.end());
  m_first.push_back(m_slices.size());
}

void RowSlices::finish() {
  m_rows.reserve(m_slices.size());
  for (std::uint32_t row = 0; row + 1 < m_first.size(); ++row) {
    for (std::size_t i = m_first[row]; i < m_first[row + 1]; ++i) m_rows.emplace_back(m_slices[i], row);
  }
  std::sort(m_rows.begin(), m_rows.end());
}

std::span<const SliceId> RowSlices::slices(std::uint32_t row) const {
  if (row + 1 >= m_first.size()) return {};
  return std::span(m_slices).subspan(m_first[row], m_first[row + 1] - m_first[row]);
}

std::uint32_t RowSlices::rowOf(SliceId slice) const {
  const auto at = std::lower_bound(m_rows.begin(), m_rows.end(), std::pair(slice, std::uint32_t{0}));
  return at != m_rows.end() && at->first == slice ? at->second : kNoRow;
}

std::vector<std::uint32_t> RowSlices::rowsOf(std::span<const SliceId> slices, const std::stop_token& stop) const {
  constexpr std::size_t kAskEvery = 65'536;
  std::vector<std::uint32_t> rows;
  std::vector<bool> isKnown(m_first.size());
  for (std::size_t i = 0; i < slices.size(); ++i) {
    if (i % kAskEvery == 0 && stop.stop_requested()) return {};
    const std::uint32_t row = rowOf(slices[i]);
    if (row == kNoRow || isKnown[row]) continue;
    isKnown[row] = true;
    rows.push_back(row);
  }
  std::sort(rows.begin(), rows.end());
  return rows;
}

SliceId RowSlices::longest(std::uint32_t row) const {
  SliceId best = kNoSlice;
  if (trace() == nullptr) return best;
  const std::vector<std::int64_t>& durations = trace()->slices.durationNs;
  for (const SliceId slice : slices(row)) {
    if (best == kNoSlice || durations[index(slice)] > durations[index(best)]) best = slice;
  }
  return best;
}

int TableRows::addColumn(Column column) {
  columns.push_back(std::move(column));
  numbers.emplace_back();
  texts.emplace_back();
  if (columns.back().isText()) {
    texts.back().reserve(rowCount);
  } else if (columns.back().role != ColumnRole::kDistribution) {
    numbers.back().reserve(rowCount);
  }
  return static_cast<int>(columns.size()) - 1;
}

void TableRows::addTreeRow(std::uint32_t parent) {
  depthOf.push_back(parent == RowSlices::kNoRow ? std::uint16_t{0}
                                                : static_cast<std::uint16_t>(std::min(depthOf[parent] + 1, 0xFFFF)));
  parentOf.push_back(parent);
}

QString TableRows::cellText(std::uint32_t row, int column) const {
  const auto c = static_cast<std::size_t>(column);
  if (columns[c].isText()) {
    const QString& text = texts[c].text(row);
    return text.isEmpty() ? format::unknown() : text;
  }
  if (columns[c].role == ColumnRole::kDistribution) return {};
  return numberText(columns[c], numbers[c][row]);
}

Arrangement arrange(const TableRows& rows, const TableOrder& order, std::stop_token stop) {
  Arrangement result;
  std::vector<std::uint32_t> lines = order.filter.keptRows(rows);
  if (stop.stop_requested()) return {};
  result.shownRows = static_cast<std::size_t>(
      std::count_if(lines.begin(), lines.end(), [&rows](std::uint32_t row) { return row < rows.partsFrom; }));
  result.totals = sums(rows, lines);
  if (rows.isTree() && !order.filter.isEmpty()) lines = withAncestors(rows, lines);
  sortLines(rows, order, lines);
  if (stop.stop_requested()) return {};
  if (rows.isTree()) {
    layOutTree(rows, order, lines, result);
  } else if (order.grouped && !rows.groupOf.empty()) {
    group(rows, order, lines, result);
  } else {
    result.lines = std::move(lines);
  }
  result.lineOf.assign(rows.rowCount, -1);
  for (std::size_t line = 0; line < result.lines.size(); ++line) {
    const std::uint32_t entry = result.lines[line];
    if ((entry & kGroupBit) == 0) result.lineOf[entry] = static_cast<std::int32_t>(line);
  }
  return result;
}

}  // namespace attnscope::ui
