// SPDX-License-Identifier: Apache-2.0
#pragma once

// What may have gone on while samples were taken, found in the samples alone: drift, a lasting slow-down, outliers, two
// modes. Each is robust against noise of any distribution (medians, ranks, deviations from the median), and tuned so
// that quiet noise is seldom called one. Pure; O(n^2) in the samples of one run, which are tens to hundreds.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace attnscope {

enum class DisturbanceKind : std::uint8_t {
  kDrift,       // times rise or fall over the rounds (rank correlation with time, Kendall 1938)
  kThrottling,  // from one round on everything takes longer, and stays so
  kOutliers,    // single samples far above the others
  kTwoModes,    // two groups of times and little between (separation as in Ashman, Bird, Zepf 1994)
};
[[nodiscard]] std::string_view toString(DisturbanceKind kind);  // "drift", "two-modes"...

struct Disturbance {
  DisturbanceKind kind = DisturbanceKind::kDrift;
  double amountRatio = 0;    // how much: the rise over the series, the slow-down, the distance of the modes
  std::size_t count = 0;     // samples concerned: outliers, or those in the upper mode
  std::size_t position = 0;  // of kThrottling: the first slow sample
  std::string words;         // "times rose by 5.1 % from the first third of the rounds to the last"
};

// Of one series of times in the order in which they were measured, all positive. None under 12 samples.
[[nodiscard]] std::vector<Disturbance> disturbancesOf(std::span<const double> times);
// Correlation of the signs of (value - median) of neighbours; 0 where it cannot be told. Values in order of time.
[[nodiscard]] double neighbourCorrelation(std::span<const double> values);

}  // namespace attnscope
