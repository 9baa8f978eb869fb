// SPDX-License-Identifier: Apache-2.0
#pragma once

// Medians with intervals from order statistics; no distribution is assumed. Pure; O(n log n), but for the disturbances.
//
// Interval of the median of n values: the k-th smallest to the k-th largest, with the largest k for which
// 2 P(Bin(n, 1/2) < k) <= 0.02 (ranks 13 and 28 of 40: 98.3 %). Pairs of timings are not quite independent: the
// 98 % level is taken so that 95 % of intervals hold, which is what is promised. Under 6 values there is none: the
// widest of 6 covers 96.9 % only, so that from 6 on the whole range is given where no k satisfies 0.02, and its
// level is stated.
// Where neighbouring pairs lie on the same side of the median more often than not, they say less than their number:
// the interval is that of n (1 - r) / (1 + r) pairs, r being the correlation of the signs of neighbours (for a mean:
// Bayley and Hammersley, "The effective number of independent observations in an autocorrelated time series", 1946).

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/session/Disturbances.h"

namespace attnscope {

inline constexpr std::size_t kFewestForInterval = 6;
inline constexpr double kDefaultThresholdRatio = 0.02;  // smaller changes do not matter to the person who asks

// 1-based rank k of the lower end; the upper end is n + 1 - k. None under kFewestForInterval.
[[nodiscard]] std::optional<std::size_t> intervalRank(std::size_t n);
// 1 - 2 P(Bin(n, 1/2) < k).
[[nodiscard]] double coverageOf(std::size_t n, std::size_t rank);
[[nodiscard]] double medianOf(std::vector<double> values);                     // 0 for none
[[nodiscard]] double quantileOf(std::vector<double> values, double quantile);  // linear between ranks; 0 for none

struct TimeStatistics {
  std::size_t n = 0;  // with 0 there is no time
  double medianNs = 0;
  std::optional<double> lowNs, highNs;  // interval of the median
  double q1Ns = 0;
  double q3Ns = 0;
  double leastNs = 0;
  double coverage = 0;  // of the interval, 0..1; 0 without one
};
[[nodiscard]] TimeStatistics statisticsOf(std::span<const double> perCallNs);

enum class TimingVerdict : std::uint8_t { kFaster, kSlower, kWithinNoise, kInconclusive, kNone };
[[nodiscard]] std::string_view toString(TimingVerdict verdict);  // "faster", "within-noise"...

// Of the paired ratios other / base: below 1 is faster.
struct PairedComparison {
  TimingVerdict verdict = TimingVerdict::kNone;
  std::size_t pairs = 0;
  std::optional<double> ratio;                // exp of the median log ratio; none without pairs
  std::optional<double> lowRatio, highRatio;  // its interval
  std::optional<double> noiseFloorRatio;      // as given: 0.006 is 0.6 %
  std::optional<std::size_t> pairsNeeded;     // that about would settle it; none where it is settled
  double thresholdRatio = kDefaultThresholdRatio;
  double neighbours = 0;             // correlation of the signs of neighbouring pairs that the interval allows for
  std::vector<Disturbance> ofBase;   // of the base's samples that are in pairs
  std::vector<Disturbance> ofOther;  // of the other's
  std::string lowered;               // why the verdict is less than the interval alone would say; empty: it is not
  std::string method;                // "median of 40 paired log ratios, ranks 13 and 28 (98.3 %)..."
  [[nodiscard]] bool isDisturbed() const { return !ofBase.empty() || !ofOther.empty(); }
};

// `base[i]` and `other[i]` were measured in the same round, in order of rounds, and are positive; pairs that are not
// are left out. within-noise: the interval lies inside 1 +- threshold. faster, slower: it does not, and excludes 1; the
// median's distance from 1 exceeds the noise floor where one is given; and where the samples were disturbed, both
// halves of the rounds say so by themselves. inconclusive: anything else. none: under 6 pairs.
[[nodiscard]] PairedComparison comparePairs(std::span<const double> base, std::span<const double> other,
                                            std::optional<double> noiseFloorRatio,
                                            double thresholdRatio = kDefaultThresholdRatio);
// Times that were not measured in turns, as the steps of two recordings: each is compared with each. The ratio is the
// median of all (Hodges and Lehmann, 1963), its interval that of the ranks that the distribution of Mann and Whitney's
// U leaves (98 % where there are enough). What differs between two recordings beside the work is not in the interval,
// and `method` says so. `pairs` is the smaller number of times. none: under 5 on either side.
inline constexpr std::size_t kFewestApart = 5;
[[nodiscard]] PairedComparison compareApart(std::span<const double> base, std::span<const double> other,
                                            double thresholdRatio = kDefaultThresholdRatio);
// Largest |median ratio - 1| over whole blocks of `pairsPerBlock` pairs; none without one.
[[nodiscard]] std::optional<double> noiseFloorOf(std::span<const double> first, std::span<const double> second,
                                                 std::size_t pairsPerBlock);

}  // namespace attnscope
