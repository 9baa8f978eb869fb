// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/TimeScale.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "ui/bridge/Format.h"

namespace attnscope::ui {

namespace {

constexpr std::array<double, 4> kUnits{1.0, 1e3, 1e6, 1e9};
constexpr int kMostDecimals = 4;

// Decimals that tell two values apart which differ by `step`.
int decimalsFor(double step) {
  int decimals = 0;
  while (decimals < 9 && std::abs(step - std::round(step)) > 1e-6 * step) {
    step *= 10;
    ++decimals;
  }
  return decimals;
}

QString textIn(double ns, int unit, int decimals) {
  const auto timeUnit = static_cast<format::TimeUnit>(unit);
  return format::timeIn(ns, timeUnit, decimals) + QChar(0x00A0) + format::unitName(timeUnit);
}

}  // namespace

TimeScale TimeScale::of(double startNs, double spanNs, int logicalWidth, double ratio) {
  TimeScale scale;
  scale.ratio = ratio;
  scale.columns = std::max(1, static_cast<int>(std::lround(logicalWidth * ratio)));
  scale.nsPerDevicePixel = std::max(1e-6, spanNs / scale.columns);
  scale.startNs = std::floor(startNs / scale.nsPerDevicePixel) * scale.nsPerDevicePixel;
  return scale;
}

Ticks chooseTicks(double nsPerPixel, int leastPixels) {
  const double least = std::max(1e-3, nsPerPixel * leastPixels);
  const double decade = std::pow(10.0, std::floor(std::log10(least)));
  for (const double digit : {1.0, 2.0, 5.0, 10.0}) {
    if (digit * decade >= least * (1 - 1e-9)) return {digit * decade, digit == 2.0 ? 4 : 5};
  }
  return {10 * decade, 5};
}

std::vector<double> tickTimes(const Ticks& ticks, double startNs, double endNs) {
  std::vector<double> times;
  const double first = std::ceil(startNs / ticks.stepNs);
  const double last = std::floor(endNs / ticks.stepNs);
  if (last - first > 10'000) return times;
  for (double at = first; at <= last; ++at) times.push_back(at * ticks.stepNs);
  return times;
}

QString tickText(double ns, double stepNs) {
  const double amount = std::abs(ns);
  if (amount < stepNs * 1e-6) return QStringLiteral("0");
  int unit = 0;
  for (int larger = 1; larger < 4; ++larger) {
    const double size = kUnits[static_cast<std::size_t>(larger)];
    if (amount >= size * (1 - 1e-9) && decimalsFor(stepNs / size) <= kMostDecimals) unit = larger;
  }
  return textIn(ns, unit, std::min(kMostDecimals, decimalsFor(stepNs / kUnits[static_cast<std::size_t>(unit)])));
}

QString placeText(double ns, double nsPerPixel) {
  int unit = 0;
  for (int larger = 1; larger < 4; ++larger) {
    if (std::abs(ns) >= kUnits[static_cast<std::size_t>(larger)]) unit = larger;
  }
  const double step = nsPerPixel / kUnits[static_cast<std::size_t>(unit)];
  const int decimals = std::clamp(static_cast<int>(std::floor(-std::log10(step))), 0,
                                  unit == 0   ? 0
                                  : unit == 1 ? 1
                                              : 4);
  return textIn(ns, unit, std::max(decimals, unit == 1 ? 1 : 0));
}

}  // namespace attnscope::ui
