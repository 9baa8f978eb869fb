// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/Format.h"

#include <cmath>
#include <cstdlib>

#include <QCoreApplication>
#include <QLocale>
#include <QRegularExpression>

namespace attnscope::ui::format {

namespace {

constexpr QChar kMinus(0x2212);
constexpr QChar kThinSpace(0x202F);
constexpr QChar kTimes(0x00D7);

// Decimal point by the locale, groups by a narrow space in every language: figures must line up in tables.
QString plain(double value, int decimals) {
  const QLocale locale;
  QString text = QString::number(std::fabs(value), 'f', decimals);
  const qsizetype point = text.indexOf(u'.');
  const qsizetype whole = point < 0 ? text.size() : point;
  if (point >= 0) text.replace(point, 1, locale.decimalPoint());
  if (whole > 3) {
    for (qsizetype at = whole - 3; at > 0; at -= 3) text.insert(at, kThinSpace);
  }
  return text;
}

bool roundsToZero(double value, int decimals) { return std::fabs(value) < 0.5 * std::pow(10.0, -decimals); }

QString withMinus(double value, int decimals) {
  const QString text = plain(value, decimals);
  return value < 0 && !roundsToZero(value, decimals) ? kMinus + text : text;
}

QString withSign(double value, int decimals) {
  if (roundsToZero(value, decimals)) return QChar(0x00B1) + plain(0, decimals);
  return (value < 0 ? QString(kMinus) : QStringLiteral("+")) + plain(value, decimals);
}

double divisorOf(TimeUnit unit) {
  switch (unit) {
    case TimeUnit::kNs:
      return 1;
    case TimeUnit::kUs:
      return 1e3;
    case TimeUnit::kMs:
      return 1e6;
    case TimeUnit::kS:
      return 1e9;
  }
  return 1;
}

double divisorOf(ByteUnit unit) {
  switch (unit) {
    case ByteUnit::kB:
      return 1;
    case ByteUnit::kKiB:
      return 1024.0;
    case ByteUnit::kMiB:
      return 1024.0 * 1024;
    case ByteUnit::kGiB:
      return 1024.0 * 1024 * 1024;
  }
  return 1;
}

// A single time with its own unit: four significant figures at most, whole ns.
struct Quantity {
  double value;
  TimeUnit unit;
  int decimals;
};
Quantity quantityOf(double ns) {
  const double amount = std::fabs(ns);
  const TimeUnit unit = amount < 999.5      ? TimeUnit::kNs
                        : amount < 999.95e3 ? TimeUnit::kUs
                        : amount < 999.95e6 ? TimeUnit::kMs
                                            : TimeUnit::kS;
  const double value = ns / divisorOf(unit);
  const int decimals = unit == TimeUnit::kNs    ? 0
                       : unit == TimeUnit::kUs  ? 1
                       : std::fabs(value) < 10  ? 3
                       : std::fabs(value) < 100 ? 2
                                                : 1;
  return {value, unit, decimals};
}

int threeDigits(double value) {
  const double amount = std::fabs(value);
  return amount < 9.995 ? 2 : amount < 99.95 ? 1 : 0;
}

}  // namespace

QString unitName(TimeUnit unit) {
  switch (unit) {
    case TimeUnit::kNs:
      return QStringLiteral("ns");
    case TimeUnit::kUs:
      return QStringLiteral("µs");
    case TimeUnit::kMs:
      return QStringLiteral("ms");
    case TimeUnit::kS:
      return QStringLiteral("s");
  }
  return {};
}

TimeUnit unitFor(std::int64_t largestNs) {
  const double amount = std::fabs(static_cast<double>(largestNs));
  if (amount < 1e3) return TimeUnit::kNs;
  if (amount < 1e7) return TimeUnit::kUs;
  if (amount < 1e10) return TimeUnit::kMs;
  return TimeUnit::kS;
}

QString timeIn(double ns, TimeUnit unit, int decimals) {
  return withMinus(ns / divisorOf(unit), unit == TimeUnit::kNs ? 0 : decimals);
}

QString time(double ns) {
  const Quantity quantity = quantityOf(ns);
  return withMinus(quantity.value, quantity.decimals) + u' ' + unitName(quantity.unit);
}

QString signedTime(double ns) {
  const Quantity quantity = quantityOf(ns);
  return withSign(quantity.value, quantity.decimals) + u' ' + unitName(quantity.unit);
}

QString unitName(ByteUnit unit) {
  switch (unit) {
    case ByteUnit::kB:
      return QStringLiteral("B");
    case ByteUnit::kKiB:
      return QStringLiteral("KiB");
    case ByteUnit::kMiB:
      return QStringLiteral("MiB");
    case ByteUnit::kGiB:
      return QStringLiteral("GiB");
  }
  return {};
}

ByteUnit byteUnitFor(std::int64_t largestBytes) {
  const double amount = std::fabs(static_cast<double>(largestBytes));
  if (amount < 1024) return ByteUnit::kB;
  if (amount < 1024.0 * 1024) return ByteUnit::kKiB;
  if (amount < 1024.0 * 1024 * 1024) return ByteUnit::kMiB;
  return ByteUnit::kGiB;
}

QString bytesIn(double value, ByteUnit unit) {
  const double amount = value / divisorOf(unit);
  return withMinus(amount, unit == ByteUnit::kB ? 0 : threeDigits(amount));
}

QString bytes(double value) {
  const ByteUnit unit = byteUnitFor(static_cast<std::int64_t>(value));
  return bytesIn(value, unit) + u' ' + unitName(unit);
}

QString signedBytes(double value) {
  const ByteUnit unit = byteUnitFor(static_cast<std::int64_t>(value));
  const double amount = value / divisorOf(unit);
  return withSign(amount, unit == ByteUnit::kB ? 0 : threeDigits(amount)) + u' ' + unitName(unit);
}

QString fileSize(double value) {
  if (value < 1000) return plain(value, 0) + QStringLiteral(" B");
  if (value < 999.5e3) return plain(value / 1e3, 0) + QStringLiteral(" kB");
  if (value < 999.5e6) return plain(value / 1e6, value < 99.95e6 ? 1 : 0) + QStringLiteral(" MB");
  return plain(value / 1e9, 2) + QStringLiteral(" GB");
}

QString count(std::int64_t value) { return withMinus(static_cast<double>(value), 0); }

QString percent(double share, int decimals) { return withMinus(share * 100, decimals) + QStringLiteral(" %"); }

QString signedPercent(double share, int decimals) { return withSign(share * 100, decimals) + QStringLiteral(" %"); }

QString signedNumber(double value, int decimals) { return withSign(value, decimals); }

QString ratio(double value) {
  if (value < 1.10) return percent(value - 1);
  const int decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
  return plain(value, decimals) + kTimes;
}

QString relativeError(double error) {
  if (!std::isfinite(error)) return QCoreApplication::translate("attnscope::ui::Format", "not finite");
  if (error == 0) return QStringLiteral("0");
  QString text = QString::number(error, 'e', 1);  // "1.9e-03"
  const qsizetype exponent = text.indexOf(u'e') + 2;
  while (text.size() > exponent + 1 && text[exponent] == u'0') text.remove(exponent, 1);
  return text.replace(u'.', QLocale().decimalPoint());
}

QString unknown() { return QStringLiteral("–"); }

QString sentence(const std::string& text) {
  static const QRegularExpression kMicroseconds(QStringLiteral("(?<=\\d )us\\b"));
  return QString::fromStdString(text).replace(kMicroseconds, unitName(TimeUnit::kUs));
}

}  // namespace attnscope::ui::format
