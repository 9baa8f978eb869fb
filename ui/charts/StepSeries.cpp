// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/StepSeries.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

namespace attnscope::ui {
namespace {

constexpr double kNoValue = std::numeric_limits<double>::quiet_NaN();

}  // namespace

StepSeries::StepSeries(std::vector<std::int64_t> atNs, std::vector<double> values, std::int64_t endNs)
    : m_atNs(std::move(atNs)), m_values(std::move(values)), m_endNs(endNs) {
  assert(m_atNs.size() == m_values.size());
  if (!m_atNs.empty()) m_endNs = std::max(m_endNs, m_atNs.back());
  m_index = CounterIndex::build(m_atNs, m_values);
}

double StepSeries::valueAt(double ns) const {
  const auto after = std::upper_bound(m_atNs.begin(), m_atNs.end(), ns,
                                      [](double at, std::int64_t record) { return at < static_cast<double>(record); });
  if (after == m_atNs.begin() || ns > static_cast<double>(m_endNs)) return kNoValue;
  return m_values[static_cast<std::size_t>(after - m_atNs.begin()) - 1];
}

std::pair<std::size_t, std::size_t> StepSeries::recordsIn(double startNs, double endNs) const {
  const auto before = [](std::int64_t record, double at) { return static_cast<double>(record) < at; };
  const auto first = std::lower_bound(m_atNs.begin(), m_atNs.end(), startNs, before);
  const auto last = std::lower_bound(first, m_atNs.end(), endNs, before);
  return {static_cast<std::size_t>(first - m_atNs.begin()), static_cast<std::size_t>(last - m_atNs.begin())};
}

CounterRange StepSeries::rangeIn(double startNs, double endNs) const {
  const auto [first, last] = recordsIn(startNs, endNs);
  CounterRange range = m_index.range(m_values, first, last);
  const double before = valueAt(startNs);
  if (std::isnan(before)) return range;
  if (range.empty) return {before, before, false};
  return {std::min(range.low, before), std::max(range.high, before), false};
}

std::vector<ChartPoint> StepSeries::exactCorners(double startNs, double endNs) const {
  std::vector<ChartPoint> points;
  double level = valueAt(startNs);
  if (!std::isnan(level)) points.push_back({startNs, level});
  const auto [first, last] = recordsIn(startNs, endNs);
  for (std::size_t i = first; i < last; ++i) {
    const double at = static_cast<double>(m_atNs[i]);
    if (!std::isnan(level)) points.push_back({at, level});
    points.push_back({at, m_values[i]});
    level = m_values[i];
  }
  const double end = std::min(endNs, static_cast<double>(m_endNs));
  if (!points.empty() && !std::isnan(level) && end > points.back().ns) points.push_back({end, level});
  return points;
}

std::vector<ChartPoint> StepSeries::corners(double startNs, double nsPerPixel, std::int32_t width) const {
  if (m_atNs.empty() || width <= 0 || nsPerPixel <= 0) return {};
  const double endNs = startNs + nsPerPixel * width;
  const auto [first, last] = recordsIn(startNs, endNs);
  if (last - first <= 2 * static_cast<std::size_t>(width)) return exactCorners(startNs, endNs);

  std::vector<CounterColumn> columns;
  m_index.query(m_atNs, m_values, startNs, nsPerPixel, width, columns);
  std::vector<ChartPoint> points;
  double level = valueAt(startNs);
  for (std::int32_t i = 0; i < width; ++i) {
    const double at = startNs + i * nsPerPixel;
    if (at > static_cast<double>(m_endNs)) break;
    const CounterColumn& column = columns[static_cast<std::size_t>(i)];
    if (column.gap) {
      if (!std::isnan(level)) points.push_back({at, kNoValue});
      level = kNoValue;
      continue;
    }
    const double low = static_cast<double>(column.low);
    const double high = static_cast<double>(column.high);
    // A level that goes on needs no corner.
    if (!points.empty() && low == level && high == level) continue;
    if (!std::isnan(level)) points.push_back({at, level});
    points.push_back({at, low});
    points.push_back({at, high});
    level = static_cast<double>(column.last);
    points.push_back({at, level});
  }
  const double end = std::min(endNs, static_cast<double>(m_endNs));
  if (!points.empty() && !std::isnan(level) && end > points.back().ns) points.push_back({end, level});
  return points;
}

StepSeries differenceOf(const StepSeries& other, const StepSeries& base, std::int64_t shiftNs) {
  std::vector<std::int64_t> atNs;
  std::vector<double> values;
  const std::int64_t endNs = std::min(other.endNs() - shiftNs, base.endNs());
  std::size_t ofOther = 0;
  std::size_t ofBase = 0;
  const auto timeOfOther = [&](std::size_t i) { return other.atNs()[i] - shiftNs; };
  while (ofOther < other.atNs().size() || ofBase < base.atNs().size()) {
    const bool otherIsLeft = ofOther < other.atNs().size();
    const bool baseIsLeft = ofBase < base.atNs().size();
    const std::int64_t at = !otherIsLeft  ? base.atNs()[ofBase]
                            : !baseIsLeft ? timeOfOther(ofOther)
                                          : std::min(timeOfOther(ofOther), base.atNs()[ofBase]);
    // Of several records at one time the last holds.
    while (ofOther < other.atNs().size() && timeOfOther(ofOther) <= at) ++ofOther;
    while (ofBase < base.atNs().size() && base.atNs()[ofBase] <= at) ++ofBase;
    if (at > endNs) break;
    if (ofOther == 0 || ofBase == 0) continue;  // one of them has not begun
    atNs.push_back(at);
    values.push_back(other.values()[ofOther - 1] - base.values()[ofBase - 1]);
  }
  return {std::move(atNs), std::move(values), endNs};
}

}  // namespace attnscope::ui
