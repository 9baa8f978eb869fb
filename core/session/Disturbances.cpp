// SPDX-License-Identifier: Apache-2.0
#include "core/session/Disturbances.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "core/session/Statistics.h"

namespace attnscope {

namespace {

constexpr std::size_t kFewest = 12;
constexpr double kNotable = 0.02;         // a drift or a slow-down under this is left to the noise
constexpr double kDriftDeviations = 3.5;  // of Kendall's S from zero
constexpr double kSlowDown = 0.08;        // of the medians before and after
constexpr double kOutlierDeviations = 6;  // above the median, in robust standard deviations
constexpr double kSeparation = 4.5;       // of the means of two modes, in their own spreads
constexpr double kLeastModeShare = 0.1;
constexpr double kDeviationOfNormal = 1.4826;  // standard deviation over median absolute deviation

double medianDeviation(std::span<const double> values, double median) {
  std::vector<double> distances;
  distances.reserve(values.size());
  for (const double value : values) distances.push_back(std::abs(value - median));
  return medianOf(std::move(distances));
}

double medianOf(std::span<const double> values) { return attnscope::medianOf({values.begin(), values.end()}); }

std::optional<Disturbance> driftOf(std::span<const double> logs) {
  const std::size_t n = logs.size();
  double s = 0;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i + 1; j < n; ++j) s += logs[j] > logs[i] ? 1 : logs[j] < logs[i] ? -1 : 0;
  }
  const double count = static_cast<double>(n);
  const double deviation = std::sqrt(count * (count - 1) * (2 * count + 5) / 18);
  if (std::abs(s) < kDriftDeviations * deviation) return std::nullopt;
  const double change = std::expm1(medianOf(logs.last(n / 3)) - medianOf(logs.first(n / 3)));
  if (std::abs(change) < kNotable) return std::nullopt;
  return Disturbance{DisturbanceKind::kDrift, change, n, 0,
                     fmt::format("times {} by {:.1f} % from the first third of the rounds to the last",
                                 change > 0 ? "rose" : "fell", 100 * std::abs(change))};
}

// The split with the largest step upwards, both sides at least a fifth; the samples on either side hardly overlap.
std::optional<Disturbance> throttlingOf(std::span<const double> logs) {
  const std::size_t n = logs.size();
  const std::size_t margin = std::max<std::size_t>(4, n / 5);
  std::size_t best = 0;
  double step = 0;
  for (std::size_t at = margin; at + margin <= n; ++at) {
    const double change = medianOf(logs.subspan(at)) - medianOf(logs.first(at));
    if (change > step) step = change, best = at;
  }
  if (best == 0 || std::expm1(step) < kSlowDown) return std::nullopt;
  const double before = attnscope::quantileOf({logs.begin(), logs.begin() + static_cast<std::ptrdiff_t>(best)}, 0.9);
  const double after = attnscope::quantileOf({logs.begin() + static_cast<std::ptrdiff_t>(best), logs.end()}, 0.1);
  if (after < before) return std::nullopt;
  return Disturbance{
      DisturbanceKind::kThrottling, std::expm1(step), n - best, best,
      fmt::format("from sample {} on each took {:.0f} % longer: the machine may have been throttled or shared",
                  best + 1, 100 * std::expm1(step))};
}

std::optional<Disturbance> outliersOf(std::span<const double> logs) {
  const double median = medianOf(logs);
  const double deviation = std::max(kDeviationOfNormal * medianDeviation(logs, median), 1e-4);
  std::size_t count = 0;
  double furthest = 0;
  for (const double value : logs) {
    if (value - median < kOutlierDeviations * deviation || std::expm1(value - median) < kNotable) continue;
    ++count;
    furthest = std::max(furthest, value - median);
  }
  if (count == 0 || count > logs.size() / 5) return std::nullopt;  // so many are no exception
  return Disturbance{DisturbanceKind::kOutliers, std::expm1(furthest), count, 0,
                     fmt::format("{} of {} samples {} far above the others, up to {:.2g} times the median", count,
                                 logs.size(), count == 1 ? "lies" : "lie", std::exp(furthest))};
}

// The split of the sorted values that leaves the least spread on both sides (Otsu 1979).
std::optional<Disturbance> modesOf(std::span<const double> logs) {
  std::vector<double> sorted(logs.begin(), logs.end());
  std::sort(sorted.begin(), sorted.end());
  const std::size_t n = sorted.size();
  std::vector<double> sum(n + 1, 0);
  std::vector<double> squares(n + 1, 0);
  for (std::size_t i = 0; i < n; ++i) {
    const double value = sorted[i] - sorted[0];
    sum[i + 1] = sum[i] + value;
    squares[i + 1] = squares[i] + value * value;
  }
  const auto spread = [&](std::size_t from, std::size_t to) {  // sum of squared deviations
    const double count = static_cast<double>(to - from);
    const double part = sum[to] - sum[from];
    return std::max(0.0, squares[to] - squares[from] - part * part / count);
  };
  const auto least =
      std::max<std::size_t>(3, static_cast<std::size_t>(std::ceil(kLeastModeShare * static_cast<double>(n))));
  std::size_t best = 0;
  for (std::size_t at = least; at + least <= n; ++at) {
    if (best == 0 || spread(0, at) + spread(at, n) < spread(0, best) + spread(best, n)) best = at;
  }
  if (best == 0) return std::nullopt;
  const double lower = sum[best] / static_cast<double>(best);
  const double upper = (sum[n] - sum[best]) / static_cast<double>(n - best);
  const double variances =
      spread(0, best) / static_cast<double>(best) + spread(best, n) / static_cast<double>(n - best);
  const double separation = std::sqrt(2.0) * (upper - lower) / std::sqrt(std::max(variances, 1e-12));
  if (separation < kSeparation || std::expm1(upper - lower) < kNotable) return std::nullopt;
  return Disturbance{DisturbanceKind::kTwoModes, std::expm1(upper - lower), n - best, 0,
                     fmt::format("two modes: {} of {} samples take about {:.2f} times as long as the others", n - best,
                                 n, std::exp(upper - lower))};
}

}  // namespace

std::string_view toString(DisturbanceKind kind) {
  switch (kind) {
    case DisturbanceKind::kDrift:
      return "drift";
    case DisturbanceKind::kThrottling:
      return "throttling";
    case DisturbanceKind::kOutliers:
      return "outliers";
    case DisturbanceKind::kTwoModes:
      return "two-modes";
  }
  return "";
}

std::vector<Disturbance> disturbancesOf(std::span<const double> times) {
  std::vector<Disturbance> found;
  std::vector<double> logs;
  for (const double time : times) {
    if (time > 0) logs.push_back(std::log(time));
  }
  if (logs.size() < kFewest) return found;
  // A lasting slow-down is seen as a drift and as two modes as well: it is said once.
  if (auto throttling = throttlingOf(logs)) {
    found.push_back(std::move(*throttling));
  } else {
    if (auto drift = driftOf(logs)) found.push_back(std::move(*drift));
    if (auto modes = modesOf(logs)) found.push_back(std::move(*modes));
  }
  if (auto outliers = outliersOf(logs)) found.push_back(std::move(*outliers));
  return found;
}

double neighbourCorrelation(std::span<const double> values) {
  if (values.size() < kFewest) return 0;
  const double median = medianOf(values);
  double same = 0;
  std::size_t pairs = 0;
  for (std::size_t i = 1; i < values.size(); ++i) {
    if (values[i] == median || values[i - 1] == median) continue;
    same += (values[i] > median) == (values[i - 1] > median) ? 1 : -1;
    ++pairs;
  }
  return pairs == 0 ? 0 : same / static_cast<double>(pairs);
}

}  // namespace attnscope
