// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/lab/DotPlotGeometry.h"

#include <algorithm>
#include <cmath>

#include "core/session/Statistics.h"

namespace attnscope::ui {

namespace {

constexpr double kFarOff = 1.5;       // of the median: beyond it a value may be cut
constexpr double kBulk = 0.95;        // of the values that are always held
constexpr double kGolden = 0.618034;  // its multiples fill [0, 1) evenly

double unitNs(format::TimeUnit unit) {
  switch (unit) {
    case format::TimeUnit::kNs:
      return 1;
    case format::TimeUnit::kUs:
      return 1e3;
    case format::TimeUnit::kMs:
      return 1e6;
    case format::TimeUnit::kS:
      return 1e9;
  }
  return 1;
}

}  // namespace

DotAxis dotAxisFor(double largestNs, double widthPx, double leastPx) {
  DotAxis axis;
  if (!(largestNs > 0)) return axis;
  axis.unit = format::unitFor(static_cast<std::int64_t>(largestNs));
  const double ticks = std::max(1.0, std::floor(widthPx / std::max(leastPx, 1.0)));
  const double rough = largestNs / ticks;
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0, 10.0}) {
    axis.stepNs = factor * power;
    if (axis.stepNs >= rough * (1 - 1e-9)) break;
  }
  axis.endNs = std::ceil(largestNs / axis.stepNs - 1e-9) * axis.stepNs;
  const double stepInUnit = axis.stepNs / unitNs(axis.unit);
  axis.decimals = std::clamp(static_cast<int>(std::ceil(-std::log10(stepInUnit) - 1e-9)), 0, 4);
  return axis;
}

double dotX(const DotAxis& axis, double ns, double leftPx, double widthPx) {
  return leftPx + ns / axis.endNs * widthPx;
}

double dotOffset(int round) {
  const double whole = (round + 0.5) * kGolden;
  return 2 * (whole - std::floor(whole)) - 1;
}

double dotLimit(std::span<const std::vector<double>> rows) {
  double limit = 0;
  for (const std::vector<double>& values : rows) {
    if (values.empty()) continue;
    const double most = *std::max_element(values.begin(), values.end());
    limit = std::max(limit, std::min(most, std::max(kFarOff * medianOf(values), quantileOf(values, kBulk))));
  }
  return limit;
}

}  // namespace attnscope::ui
