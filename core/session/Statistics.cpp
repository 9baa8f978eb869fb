// SPDX-License-Identifier: Apache-2.0
#include "core/session/Statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace attnscope {
namespace {

constexpr double kOutside = 0.02;  // of the distribution, both sides together

// The terms P(Bin(n, 1/2) = 0), P(... = 1)... one after the other; in logarithms, since 2^-n underflows.
class BinomialTerms {
 public:
  explicit BinomialTerms(std::size_t n)
      : m_n(static_cast<double>(n)), m_logTerm(-static_cast<double>(n) * std::log(2.0)) {}
  double next() {
    const double term = std::exp(m_logTerm);
    m_logTerm += std::log(m_n - m_at) - std::log(m_at + 1);
    ++m_at;
    return term;
  }

 private:
  double m_n;
  double m_at = 0;
  double m_logTerm;
};

double medianOfSorted(std::span<const double> sorted) {
  const std::size_t n = sorted.size();
  if (n == 0) return 0;
  return n % 2 == 1 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}

double quantileOfSorted(std::span<const double> sorted, double quantile) {
  if (sorted.empty()) return 0;
  const double at = quantile * static_cast<double>(sorted.size() - 1);
  const std::size_t below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (sorted[above] - sorted[below]) * (at - static_cast<double>(below));
}

std::vector<double> logRatios(std::span<const double> base, std::span<const double> other) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < std::min(base.size(), other.size()); ++i) {
    if (base[i] > 0 && other[i] > 0) ratios.push_back(std::log(other[i] / base[i]));
  }
  return ratios;
}

// The interval narrows with the root of the number of pairs: n (half width / wanted half width)^2.
std::size_t pairsFor(std::size_t pairs, double halfWidth, double wanted) {
  if (wanted <= 0) return pairs;
  const double factor = halfWidth / wanted;
  return static_cast<std::size_t>(std::ceil(static_cast<double>(pairs) * factor * factor));
}

void decide(PairedComparison& comparison, double median, double low, double high, double thresholdRatio) {
  const double floor = std::log1p(comparison.noiseFloorRatio.value_or(0));
  const double threshold = std::log1p(thresholdRatio);
  if (low > 0 || high < 0) {
    if (std::abs(median) > floor) {
      comparison.verdict = median < 0 ? TimingVerdict::kFaster : TimingVerdict::kSlower;
    } else {
      comparison.verdict = TimingVerdict::kWithinNoise;
    }
    return;
  }
  const double halfWidth = std::max(-low, high);
  if (halfWidth <= std::max(threshold, floor)) {
    comparison.verdict = TimingVerdict::kWithinNoise;
    return;
  }
  comparison.verdict = TimingVerdict::kInconclusive;
  comparison.pairsNeeded = std::max(comparison.pairs + 1, pairsFor(comparison.pairs, halfWidth, threshold));
}

}  // namespace

std::optional<std::size_t> intervalRank(std::size_t n) {
  if (n < kFewestForInterval) return std::nullopt;
  BinomialTerms terms(n);
  double below = terms.next();  // P(Bin < 1)
  std::size_t rank = 1;
  while (2 * (rank + 1) <= n) {
    below += terms.next();
    if (2 * below > kOutside) break;
    ++rank;
  }
  return rank;
}

double coverageOf(std::size_t n, std::size_t rank) {
  BinomialTerms terms(n);
  double below = 0;
  for (std::size_t i = 0; i < rank; ++i) below += terms.next();
  return 1 - 2 * below;
}

double medianOf(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return medianOfSorted(values);
}

double quantileOf(std::vector<double> values, double quantile) {
  std::sort(values.begin(), values.end());
  return quantileOfSorted(values, quantile);
}

TimeStatistics statisticsOf(std::span<const double> perCallNs) {
  TimeStatistics statistics;
  std::vector<double> sorted(perCallNs.begin(), perCallNs.end());
  std::sort(sorted.begin(), sorted.end());
  statistics.n = sorted.size();
  if (sorted.empty()) return statistics;
  statistics.medianNs = medianOfSorted(sorted);
  statistics.q1Ns = quantileOfSorted(sorted, 0.25);
  statistics.q3Ns = quantileOfSorted(sorted, 0.75);
  statistics.leastNs = sorted.front();
  if (const std::optional<std::size_t> rank = intervalRank(sorted.size())) {
    statistics.lowNs = sorted[*rank - 1];
    statistics.highNs = sorted[sorted.size() - *rank];
    statistics.coverage = coverageOf(sorted.size(), *rank);
  }
  return statistics;
}

std::string_view toString(TimingVerdict verdict) {
  switch (verdict) {
    case TimingVerdict::kFaster:
      return "faster";
    case TimingVerdict::kSlower:
      return "slower";
    case TimingVerdict::kWithinNoise:
      return "within-noise";
    case TimingVerdict::kInconclusive:
      return "inconclusive";
    case TimingVerdict::kNone:
      return "none";
  }
  return "";
}

PairedComparison comparePairs(std::span<const double> base, std::span<const double> other,
                              std::optional<double> noiseFloorRatio, double thresholdRatio) {
  PairedComparison comparison;
  comparison.noiseFloorRatio = noiseFloorRatio;
  std::vector<double> ratios = logRatios(base, other);
  std::sort(ratios.begin(), ratios.end());
  comparison.pairs = ratios.size();
  if (ratios.empty()) {
    comparison.method = "no pairs were measured";
    return comparison;
  }
  const double median = medianOfSorted(ratios);
  comparison.ratio = std::exp(median);
  const std::optional<std::size_t> rank = intervalRank(ratios.size());
  if (!rank) {
    comparison.pairsNeeded = kFewestForInterval;
    comparison.method = fmt::format("{} {}: an interval needs {}", ratios.size(), ratios.size() == 1 ? "pair" : "pairs",
                                    kFewestForInterval);
    return comparison;
  }
  const double low = ratios[*rank - 1];
  const double high = ratios[ratios.size() - *rank];
  comparison.lowRatio = std::exp(low);
  comparison.highRatio = std::exp(high);
  comparison.method = fmt::format(
      "median of {} paired log ratios, ranks {} and {} of {} ({:.1f} %, held to be 95 %), {}", ratios.size(), *rank,
      ratios.size() + 1 - *rank, ratios.size(), 100 * coverageOf(ratios.size(), *rank),
      noiseFloorRatio ? fmt::format("noise floor {:.1f} %", 100 * *noiseFloorRatio) : "noise floor not measured");
  decide(comparison, median, low, high, thresholdRatio);
  return comparison;
}

std::optional<double> noiseFloorOf(std::span<const double> first, std::span<const double> second,
                                   std::size_t pairsPerBlock) {
  std::optional<double> floor;
  const std::size_t pairs = std::min(first.size(), second.size());
  if (pairsPerBlock == 0) return floor;
  for (std::size_t from = 0; from + pairsPerBlock <= pairs; from += pairsPerBlock) {
    const double median = medianOf(logRatios(first.subspan(from, pairsPerBlock), second.subspan(from, pairsPerBlock)));
    floor = std::max(floor.value_or(0), std::expm1(std::abs(median)));
  }
  return floor;
}

}  // namespace attnscope
