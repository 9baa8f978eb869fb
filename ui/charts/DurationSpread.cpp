// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/DurationSpread.h"

#include <algorithm>
#include <cmath>

namespace attnscope::ui {
namespace {

// A round number of ns, not below `least`: 1, 2 or 5 times a power of ten.
double roundStep(double least) {
  const double power = std::pow(10.0, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= least * (1 - 1e-9)) return std::max(factor * power, 1.0);
  }
  return 10 * power;
}

std::vector<RunSpread::Step> stepsOf(const std::vector<std::int64_t>& sorted) {
  std::vector<RunSpread::Step> steps;
  const std::size_t count = sorted.size();
  const std::size_t each = std::max<std::size_t>(1, count / DurationSpread::kMostSteps);
  for (std::size_t i = 0; i < count;) {
    // The last of equal durations, so that a step is as high as it is.
    std::size_t end = std::min(count, i + each);
    while (end < count && sorted[end] == sorted[end - 1]) ++end;
    steps.push_back({static_cast<double>(sorted[end - 1]), static_cast<double>(end) / static_cast<double>(count)});
    i = end;
  }
  return steps;
}

}  // namespace

DurationSpread durationSpread(QString title, const std::vector<SpreadInput>& inputs, double markNs) {
  DurationSpread spread;
  spread.title = std::move(title);
  spread.markNs = markNs;
  std::vector<std::vector<std::int64_t>> sorted;
  std::int64_t least = INT64_MAX;
  std::int64_t most = INT64_MIN;
  std::size_t largest = 0;
  for (const SpreadInput& input : inputs) {
    if (input.durations.empty()) continue;
    sorted.push_back(input.durations);
    std::sort(sorted.back().begin(), sorted.back().end());
    least = std::min(least, sorted.back().front());
    most = std::max(most, sorted.back().back());
    largest = std::max(largest, sorted.back().size());
    spread.runs.push_back({input.runNumber, input.letter, sorted.back().size(), 0, 0, 0, 0, {}, {}});
  }
  if (sorted.empty()) return spread;
  // As many bars as calls can fill (Freedman and Diaconis would have fewer where outliers are far): the root of the
  // calls, between 10 and 60.
  const double wanted =
      std::clamp(std::sqrt(static_cast<double>(largest)), 10.0, static_cast<double>(DurationSpread::kMostBars - 2));
  const double span = std::max(static_cast<double>(most - least), 1.0);
  spread.barNs = roundStep(span / wanted);
  spread.startNs = std::floor(static_cast<double>(least) / spread.barNs) * spread.barNs;
  spread.bars = static_cast<int>(std::floor((static_cast<double>(most) - spread.startNs) / spread.barNs)) + 1;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    RunSpread& run = spread.runs[i];
    const std::vector<std::int64_t>& values = sorted[i];
    const std::size_t count = values.size();
    run.least = values.front();
    run.most = values.back();
    run.median = values[(count - 1) / 2] + (values[count / 2] - values[(count - 1) / 2]) / 2;
    run.p95 = values[(count * 95 + 99) / 100 - 1];
    run.counts.assign(static_cast<std::size_t>(spread.bars), 0);
    for (const std::int64_t ns : values) {
      const auto bar = static_cast<std::size_t>((static_cast<double>(ns) - spread.startNs) / spread.barNs);
      ++run.counts[std::min(bar, run.counts.size() - 1)];
    }
    run.steps = stepsOf(values);
  }
  return spread;
}

}  // namespace attnscope::ui
