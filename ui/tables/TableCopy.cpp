// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tables/TableCopy.h"

#include <cmath>

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>

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
    case ColumnRole::kNumber:
      return QString::number(value, 'f', 4);
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

// "Total A" of times: "total_a_ns".
QString keyOf(const Column& column) {
  QString words = column.title;
  words.replace(QChar(0x2212), QStringLiteral("less"));
  words.replace(QLatin1Char('%'), QStringLiteral("change"));
  if (!column.runLetter.isEmpty()) words += QLatin1Char(' ') + column.runLetter;
  QString key = words.toLower();
  for (QChar& c : key) {
    if (!c.isLetterOrNumber()) c = QLatin1Char('_');
  }
  switch (column.role) {
    case ColumnRole::kTime:
    case ColumnRole::kTimeWithBar:
    case ColumnRole::kDelta:
      return key + QStringLiteral("_ns");
    case ColumnRole::kBytes:
      return key + QStringLiteral("_bytes");
    case ColumnRole::kShare:
    case ColumnRole::kDeltaShare:
      return key + QStringLiteral("_share");
    default:
      return key;
  }
}

QString csvField(const QString& cell) {
  if (!cell.contains(QRegularExpression(QStringLiteral("[\",\r\n]")))) return cell;
  return QLatin1Char('"') + QString(cell).replace(QLatin1Char('"'), QStringLiteral("\"\"")) + QLatin1Char('"');
}

}  // namespace

QString commaSeparated(const TableRows& rows, std::span<const std::uint32_t> which, std::span<const int> shown) {
  const auto line = [](QStringList list) {
    for (QString& cell : list) cell = csvField(cell);
    return list.join(QLatin1Char(',')) + QStringLiteral("\r\n");
  };
  QString text = line(heads(rows, shown));
  for (const std::uint32_t row : which) text += line(cells(rows, row, shown, Names::kFull));
  return text;
}

QString json(const TableRows& rows, std::span<const std::uint32_t> which, std::span<const int> shown) {
  QJsonArray array;
  for (const std::uint32_t row : which) {
    QJsonObject object;
    for (const int c : shown) {
      const auto at = static_cast<std::size_t>(c);
      const Column& column = rows.columns[at];
      if (column.role == ColumnRole::kDistribution) continue;
      if (column.isText()) {
        const bool isFull = column.role == ColumnRole::kName && !rows.fullNames.isEmpty();
        const QString text = isFull ? rows.fullNames.text(row) : rows.texts[at].text(row);
        object[keyOf(column)] = text.isEmpty() ? QJsonValue() : QJsonValue(text);
        continue;
      }
      const double value = rows.numbers[at][row];
      const bool isWhole = column.role != ColumnRole::kNumber && column.role != ColumnRole::kShare &&
                           column.role != ColumnRole::kDeltaShare;
      object[keyOf(column)] = std::isnan(value) ? QJsonValue()
                              : isWhole         ? QJsonValue(static_cast<qint64>(std::llround(value)))
                                                : QJsonValue(value);
    }
    array.append(object);
  }
  return QString::fromUtf8(QJsonDocument(array).toJson());
}

QString tabSeparated(const TableRows& rows, std::span<const std::uint32_t> which, std::span<const int> shown) {
  QString text = heads(rows, shown).join(QLatin1Char('\t')) + QLatin1Char('\n');
  for (const std::uint32_t row : which) {
    QStringList line = cells(rows, row, shown, Names::kFull);
    for (QString& cell : line) cell = onOneLine(cell);
    text += line.join(QLatin1Char('\t')) + QLatin1Char('\n');
  }
  return text;
}

QString markdown(const TableRows& rows, std::span<const std::uint32_t> which, std::span<const int> shown) {
  const auto line = [](QStringList list) {
    for (QString& cell : list) cell = onOneLine(cell);
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
