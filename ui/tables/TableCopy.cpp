// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tables/TableCopy.h"

#include <cmath>

namespace attnscope::ui {
namespace {

enum class Names : std::uint8_t { kFull, kShort };

QString asciiUnit(const Column& column) {
  switch (column.role) {
    case ColumnRole::kTime:
    case ColumnRole::kTimeWithBar:
    case ColumnRole::kDelta:
      return column.timeUnit == format::TimeUnit::kUs ? QStringLiteral("us") : format::unitName(column.timeUnit);
    case ColumnRole::kBytes:
      return QStringLiteral("bytes");
    default:
      return column.unitText();
  }
}

QString head(const Column& column) {
  QString title = column.title;
  title.replace(QChar(0x2212), QLatin1Char('-'));
  if (!column.runLetter.isEmpty()) title += QLatin1Char(' ') + column.runLetter;
  const QString unit = asciiUnit(column);
  return unit.isEmpty() ? title : QStringLiteral("%1 (%2)").arg(title, unit);
}

QString exact(const Column& column, double value) {
  if (std::isnan(value)) return {};
  static constexpr double kNsIn[] = {1.0, 1e3, 1e6, 1e9};
  static constexpr int kDecimals[] = {0, 3, 6, 9};
  const auto unit = static_cast<std::size_t>(column.timeUnit);
  switch (column.role) {
    case ColumnRole::kTime:
    case ColumnRole::kTimeWithBar:
    case ColumnRole::kDelta:
      return QString::number(value / kNsIn[unit], 'f', kDecimals[unit]);
    case ColumnRole::kShare:
    case ColumnRole::kDeltaShare:
      return QString::number(value * 100.0, 'f', 3);
    default:
      return QString::number(value, 'f', 0);
  }
}

QStringList cells(const TableRows& rows, std::uint32_t row, std::span<const int> shown, Names names) {
  QStringList list;
  for (const int c : shown) {
    const Column& column = rows.columns[static_cast<std::size_t>(c)];
    if (column.role == ColumnRole::kDistribution) continue;
    if (!column.isText()) {
      list << exact(column, rows.numbers[static_cast<std::size_t>(c)][row]);
    } else if (column.role == ColumnRole::kName && names == Names::kFull && !rows.fullNames.isEmpty()) {
      list << rows.fullNames.text(row);
    } else {
      list << rows.texts[static_cast<std::size_t>(c)].text(row);
    }
  }
  return list;
}

QStringList heads(const TableRows& rows, std::span<const int> shown) {
  QStringList list;
  for (const int c : shown) {
    const Column& column = rows.columns[static_cast<std::size_t>(c)];
    if (column.role != ColumnRole::kDistribution) list << head(column);
  }
  return list;
}

}  // namespace

QString tabSeparated(const TableRows& rows, std::span<const std::uint32_t> which, std::span<const int> shown) {
  QString text = heads(rows, shown).join(QLatin1Char('\t')) + QLatin1Char('\n');
  for (const std::uint32_t row : which) {
    QStringList line = cells(rows, row, shown, Names::kFull);
    line.replaceInStrings(QStringLiteral("\t"), QStringLiteral(" "));
    line.replaceInStrings(QStringLiteral("\n"), QStringLiteral(" "));
    text += line.join(QLatin1Char('\t')) + QLatin1Char('\n');
  }
  return text;
}

QString markdown(const TableRows& rows, std::span<const std::uint32_t> which, std::span<const int> shown) {
  const auto line = [](QStringList list) {
    list.replaceInStrings(QStringLiteral("|"), QStringLiteral("\\|"));
    return QStringLiteral("| ") + list.join(QStringLiteral(" | ")) + QStringLiteral(" |\n");
  };
  QString text = line(heads(rows, shown));
  QStringList rule;
  for (const int c : shown) {
    const Column& column = rows.columns[static_cast<std::size_t>(c)];
    if (column.role != ColumnRole::kDistribution) {
      rule << (column.isText() ? QStringLiteral("---") : QStringLiteral("---:"));
    }
  }
  text += line(rule);
  for (const std::uint32_t row : which) text += line(cells(rows, row, shown, Names::kShort));
  return text;
}

}  // namespace attnscope::ui
