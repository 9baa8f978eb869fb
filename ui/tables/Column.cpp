// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tables/Column.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <QCoreApplication>

namespace attnscope::ui {
namespace {

constexpr double kNoiseShare = 0.01;

int widthOf(const Column& column, ColumnMeasure measure) {
  const double scale = column.isText() ? measure.textScale : measure.numberScale;
  return static_cast<int>(std::lround(column.width * scale));
}

}  // namespace

QString Column::unitText() const {
  switch (role) {
    case ColumnRole::kTime:
    case ColumnRole::kTimeWithBar:
    case ColumnRole::kDelta:
      return format::unitName(timeUnit);
    case ColumnRole::kBytes:
      return format::unitName(byteUnit);
    case ColumnRole::kShare:
    case ColumnRole::kDeltaShare:
      return title == QStringLiteral("%") ? QString() : QStringLiteral("%");
    case ColumnRole::kDistribution:
      return QCoreApplication::translate("Tables", "0 to %1").arg(format::time(most));
    default:
      return {};
  }
}

QString Column::headText() const {
  QString text = title;
  for (const QString& part : {runLetter, unitText()}) {
    if (part.isEmpty()) continue;
    if (!text.isEmpty()) text += QLatin1Char(' ');
    text += part;
  }
  return text;
}

Tone toneOf(double base, double other) {
  const double from = std::isnan(base) ? 0 : base;
  const double to = std::isnan(other) ? 0 : other;
  if (std::abs(to - from) <= kNoiseShare * std::max(std::abs(from), std::abs(to))) return Tone::kNeutral;
  return to < from ? Tone::kFaster : Tone::kSlower;
}

constexpr double kRatioFrom = 10;

QString numberText(const Column& column, double value) {
  if (std::isnan(value)) return format::unknown();
  switch (column.role) {
    case ColumnRole::kCount:
      return format::count(static_cast<std::int64_t>(std::llround(value)));
    case ColumnRole::kNumber:
      return QString::number(value, 'f', 2).replace(QLatin1Char('-'), QChar(0x2212));
    case ColumnRole::kTime:
    case ColumnRole::kTimeWithBar:
      return format::timeIn(value, column.timeUnit);
    case ColumnRole::kShare:
      return format::percent(value).chopped(2);  // the sign stands in the head
    case ColumnRole::kBytes:
      return format::bytesIn(value, column.byteUnit);
    case ColumnRole::kDelta: {
      static constexpr double kNsIn[] = {1.0, 1e3, 1e6, 1e9};
      return format::signedNumber(value / kNsIn[static_cast<std::size_t>(column.timeUnit)], 1);
    }
    case ColumnRole::kDeltaShare:
      // A change to ten times and more is said as such: so many per cent are read worse, and their sign would be cut
      // off.
      if (column.sum == SumRule::kRatio && value >= kRatioFrom - 1) return format::ratio(1 + value);
      return format::signedNumber(value * 100.0, std::abs(value) < kRatioFrom ? 1 : 0);
    default:
      return {};
  }
}

std::vector<int> columnWidths(const std::vector<Column>& columns, int available, ColumnMeasure measure) {
  std::vector<int> widths(columns.size());
  std::set<int> ranks;
  int sum = 0;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].isExtra) continue;
    widths[i] = widthOf(columns[i], measure);
    sum += widths[i];
    if (columns[i].hideRank > 0) ranks.insert(columns[i].hideRank);
  }
  for (const int rank : ranks) {
    if (sum <= available) break;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (columns[i].hideRank != rank) continue;
      sum -= widths[i];
      widths[i] = 0;
    }
  }
  const auto name = std::find_if(columns.begin(), columns.end(),
                                 [](const Column& column) { return column.role == ColumnRole::kName; });
  if (name != columns.end() && sum < available) {
    widths[static_cast<std::size_t>(name - columns.begin())] += available - sum;
  }
  return widths;
}

}  // namespace attnscope::ui
