// SPDX-License-Identifier: Apache-2.0
#include "core/session/Statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace attnscope {
namespace {

constexpr double kOutside = 0.02;          // of the distribution, both sides together
constexpr double kDeviationsOf98 = 2.326;  // of a normal distribution, that leave so much outside

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

struct Pairs {  // those with two positive times, in order of rounds
  std::vector<double> base;
  std::vector<double> other;
  std::vector<double> logRatios;
};

Pairs pairsOf(std::span<const double> base, std::span<const double> other) {
  Pairs pairs;
  for (std::size_t i = 0; i < std::min(base.size(), other.size()); ++i) {
    if (!(base[i] > 0) || !(other[i] > 0)) continue;
    pairs.base.push_back(base[i]);
    pairs.other.push_back(other[i]);
    pairs.logRatios.push_back(std::log(other[i] / base[i]));
  }
  return pairs;
}

// The rank that leaves as much outside as the interval of `effective` independent values does, of n values.
std::size_t widenedRank(std::size_t rank, std::size_t n, double neighbours) {
  if (neighbours <= 0) return rank;
  const double effective = static_cast<double>(n) * (1 - neighbours) / (1 + neighbours);
  const auto fewer = intervalRank(static_cast<std::size_t>(std::lround(effective)));
  if (!fewer) return 1;
  const double share = static_cast<double>(*fewer) / (std::round(effective) + 1);
  return std::clamp<std::size_t>(static_cast<std::size_t>(share * static_cast<double>(n + 1)), 1, rank);
}

// The interval narrows with the root of the number of pairs: n (half width / wanted half width)^2.
std::size_t pairsFor(std::size_t pairs, double halfWidth, double wanted) {
  if (wanted <= 0) return pairs + 1;
  const double factor = halfWidth / wanted;
  return std::max(pairs + 1, static_cast<std::size_t>(std::ceil(static_cast<double>(pairs) * factor * factor)));
}

// Largest k for which 2 P(U < k) <= 0.02 of n and m values without a difference (Mann and Whitney, 1947): the k-th
// smallest of the n m differences to the k-th largest is the interval. Counts arrangements up to 40 a side; above, by
// the normal approximation that holds there.
std::size_t mannWhitneyRank(std::size_t n, std::size_t m) {
  constexpr std::size_t kCounted = 40;
  if (n > kCounted || m > kCounted) {
    const double product = static_cast<double>(n) * static_cast<double>(m);
    const double deviation = std::sqrt(product * static_cast<double>(n + m + 1) / 12);
    return static_cast<std::size_t>(std::max(0.0, product / 2 - kDeviationsOf98 * deviation));
  }
  // ways[j][u]: share of the arrangements of i and j values with U = u, built up value by value:
  // P(i, j, u) = i / (i + j) P(i - 1, j, u - j) + j / (i + j) P(i, j - 1, u).
  std::vector<std::vector<double>> ways(m + 1, std::vector<double>(n * m + 1, 0));
  for (auto& row : ways) row[0] = 1;
  for (std::size_t i = 1; i <= n; ++i) {
    for (std::size_t j = 1; j <= m; ++j) {
      const double share = static_cast<double>(i) / static_cast<double>(i + j);
      for (std::size_t u = n * m + 1; u-- > 0;) {
        ways[j][u] = (u >= j ? share * ways[j][u - j] : 0) + (1 - share) * ways[j - 1][u];
      }
    }
  }
  double below = 0;
  std::size_t rank = 0;
  while (2 * (below + ways[m][rank]) <= kOutside) below += ways[m][rank++];
  return rank;
}

// Both halves of the rounds lie on the side of the whole, and further out than equal ones do.
bool halvesAgree(std::span<const double> logRatios, double median, double floor) {
  const std::size_t half = logRatios.size() / 2;
  for (const auto part : {logRatios.first(half), logRatios.last(half)}) {
    const double ofPart = medianOf({part.begin(), part.end()});
    if ((ofPart < 0) != (median < 0) || std::abs(ofPart) <= floor) return false;
  }
  return true;
}

void decide(PairedComparison& comparison, std::span<const double> logRatios, double median, double low, double high) {
  const double floor = std::log1p(comparison.noiseFloorRatio.value_or(0));
  const double threshold = std::log1p(comparison.thresholdRatio);
  if (low >= -threshold && high <= threshold) {
    comparison.verdict = TimingVerdict::kWithinNoise;
    return;
  }
  comparison.verdict = TimingVerdict::kInconclusive;
  const double distance = std::abs(median);
  if (low <= 0 && high >= 0) {
    // Settled as soon as the interval excludes 1, or fits between the thresholds.
    const double wanted = std::max(distance, threshold - distance);
    comparison.pairsNeeded = pairsFor(comparison.pairs, std::max(median - low, high - median), wanted);
  } else if (distance <= floor) {
    comparison.lowered = fmt::format("equal ones differ as much: the noise floor is {:.1f} %", 100 * std::expm1(floor));
    comparison.pairsNeeded = pairsFor(comparison.pairs, floor, distance);
  } else if (comparison.isDisturbed() && (logRatios.empty() || !halvesAgree(logRatios, median, floor))) {
    comparison.lowered = logRatios.empty()
                             ? "the samples were disturbed"
                             : "the samples were disturbed, and the two halves of the rounds do not agree";
    comparison.pairsNeeded = 2 * comparison.pairs;
  } else {
    comparison.verdict = median < 0 ? TimingVerdict::kFaster : TimingVerdict::kSlower;
  }
}

std::string methodOf(const PairedComparison& comparison, std::size_t rank) {
  const std::size_t n = comparison.pairs;
  std::string method = fmt::format("median of {} paired log ratios, ranks {} and {} of {} ({:.1f} %, held to be 95 %",
                                   n, rank, n + 1 - rank, n, 100 * coverageOf(n, rank));
  if (comparison.neighbours > 0) method += fmt::format("; neighbours correlate by {:.2f}", comparison.neighbours);
  method += comparison.noiseFloorRatio ? fmt::format("), noise floor {:.1f} %", 100 * *comparison.noiseFloorRatio)
                                       : "), noise floor not measured";
  return method + fmt::format(", threshold {:.3g} %", 100 * comparison.thresholdRatio);
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
  comparison.thresholdRatio = thresholdRatio;
  const Pairs pairs = pairsOf(base, other);
  const std::size_t n = comparison.pairs = pairs.logRatios.size();
  if (n == 0) {
    comparison.method = "no pairs were measured";
    return comparison;
  }
  std::vector<double> sorted = pairs.logRatios;
  std::sort(sorted.begin(), sorted.end());
  const double median = medianOfSorted(sorted);
  comparison.ratio = std::exp(median);
  comparison.ofBase = disturbancesOf(pairs.base);
  comparison.ofOther = disturbancesOf(pairs.other);
  const std::optional<std::size_t> independent = intervalRank(n);
  if (!independent) {
    comparison.pairsNeeded = kFewestForInterval;
    comparison.method = fmt::format("{} {}: an interval needs {}", n, n == 1 ? "pair" : "pairs", kFewestForInterval);
    return comparison;
  }
  comparison.neighbours = std::max(0.0, neighbourCorrelation(pairs.logRatios));
  const std::size_t rank = widenedRank(*independent, n, comparison.neighbours);
  comparison.lowRatio = std::exp(sorted[rank - 1]);
  comparison.highRatio = std::exp(sorted[n - rank]);
  comparison.method = methodOf(comparison, rank);
  decide(comparison, pairs.logRatios, median, sorted[rank - 1], sorted[n - rank]);
  return comparison;
}

PairedComparison compareApart(std::span<const double> base, std::span<const double> other, double thresholdRatio) {
  PairedComparison comparison;
  comparison.thresholdRatio = thresholdRatio;
  const std::size_t n = base.size();
  const std::size_t m = other.size();
  comparison.pairs = std::min(n, m);
  std::vector<double> ratios;
  for (const double a : base) {
    for (const double b : other) {
      if (a > 0 && b > 0) ratios.push_back(std::log(b / a));
    }
  }
  if (ratios.empty()) {
    comparison.method = "no times to compare";
    return comparison;
  }
  std::sort(ratios.begin(), ratios.end());
  const double median = medianOfSorted(ratios);
  comparison.ratio = std::exp(median);
  comparison.ofBase = disturbancesOf(base);
  comparison.ofOther = disturbancesOf(other);
  if (comparison.pairs < kFewestApart || ratios.size() != n * m) {
    comparison.pairsNeeded = kFewestApart;
    comparison.method = fmt::format("{} and {} times: an interval needs {} of each", n, m, kFewestApart);
    return comparison;
  }
  const std::size_t rank = std::max<std::size_t>(1, mannWhitneyRank(n, m));
  const double low = ratios[rank - 1];
  const double high = ratios[ratios.size() - rank];
  comparison.lowRatio = std::exp(low);
  comparison.highRatio = std::exp(high);
  comparison.method = fmt::format(
      "median of {} x {} log ratios, ranks {} and {} of {} by Mann and Whitney's U, threshold {:.3g} %; not measured "
      "in "
      "turns: what else differed between the recordings is not in the interval",
      n, m, rank, ratios.size() + 1 - rank, ratios.size(), 100 * thresholdRatio);
  decide(comparison, {}, median, low, high);
  return comparison;
}

std::optional<double> noiseFloorOf(std::span<const double> first, std::span<const double> second,
                                   std::size_t pairsPerBlock) {
  std::optional<double> floor;
  const std::size_t pairs = std::min(first.size(), second.size());
  if (pairsPerBlock == 0) return floor;
  for (std::size_t from = 0; from + pairsPerBlock <= pairs; from += pairsPerBlock) {
    const double median =
        medianOf(pairsOf(first.subspan(from, pairsPerBlock), second.subspan(from, pairsPerBlock)).logRatios);
    floor = std::max(floor.value_or(0), std::expm1(std::abs(median)));
  }
  return floor;
}

}  // namespace attnscope
