// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// How long the calls of one kernel or operator take, in each run: a histogram of at most 60 bars that all runs share,
// and the share of calls that take no longer (ECDF) in at most a few hundred steps. Pure functions, any thread,
// O(n log n) of the calls.

#include <cstdint>
#include <memory>
#include <vector>

#include <QString>

namespace attnscope::ui {

struct SpreadInput {
  int runNumber = 0;
  QString letter;
  std::vector<std::int64_t> durations;  // ns
};

struct RunSpread {
  int runNumber = 0;
  QString letter;
  std::size_t calls = 0;
  std::int64_t least = 0;
  std::int64_t median = 0;
  std::int64_t p95 = 0;  // nearest rank
  std::int64_t most = 0;
  std::vector<double> counts;  // by bar
  // Corners of the ECDF: at `ns` the share of calls that take no longer is `share`.
  struct Step {
    double ns = 0;
    double share = 0;
  };
  std::vector<Step> steps;
};

struct DurationSpread {
  static constexpr int kMostBars = 60;
  static constexpr std::size_t kMostSteps = 400;

  QString title;  // "flash_fwd_kernel"
  double startNs = 0;
  double barNs = 1;
  int bars = 0;
  double markNs = -1;           // the call that leads the selection; negative: none
  std::vector<RunSpread> runs;  // those with calls
};
[[nodiscard]] DurationSpread durationSpread(QString title, const std::vector<SpreadInput>& inputs, double markNs = -1);

}  // namespace attnscope::ui
