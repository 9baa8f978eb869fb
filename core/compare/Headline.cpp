// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/compare/Comparison.h"

namespace attnscope {

namespace {

std::string scopeText(const Comparison& comparison) {
  const auto& steps = comparison.steps;
  const bool same = std::all_of(steps.begin(), steps.end(), [&](std::uint64_t n) { return n == steps.front(); });
  if (steps.empty() || !same || steps.front() == 0) return "in the whole trace";
  return steps.front() == 1 ? "in one step" : fmt::format("in {} steps", steps.front());
}

std::string sentenceOf(const std::string& letter, const std::string& figure, const std::string& scope, double change) {
  const double ratio = 1 + change;
  if (change == 0) return fmt::format("{} took the same {} as A {}", letter, figure, scope);
  if (ratio >= 2) return fmt::format("{} took {:.3g} times the {} of A {}", letter, ratio, figure, scope);
  return fmt::format("{} took {:.1f} % {} {} {}", letter, std::fabs(change) * 100, change < 0 ? "less" : "more", figure,
                     scope);
}

bool refused(const Comparison& comparison, std::size_t run) {
  return std::any_of(comparison.reasons.begin(), comparison.reasons.end(),
                     [&](const Condition& c) { return c.refuses && c.run == run; });
}

}  // namespace

std::string_view toString(VerdictKind kind) {
  switch (kind) {
    case VerdictKind::kFaster:
      return "faster";
    case VerdictKind::kSlower:
      return "slower";
    case VerdictKind::kWithinNoise:
      return "within-noise";
    case VerdictKind::kInconclusive:
      return "inconclusive";
    case VerdictKind::kNone:
      return "none";
  }
  return "none";
}

std::string runLetter(std::size_t run) {
  std::string letter(1, static_cast<char>('A' + run % 26));
  return run < 26 ? letter : runLetter(run / 26 - 1) + letter;
}

Headline headlineOf(const Comparison& comparison) {
  Headline headline;
  headline.figure = comparison.byDevice ? "kernel time" : "host self time of operators";
  headline.scope = scopeText(comparison);
  headline.method = "one profiled trace a side, no repeats";
  for (std::size_t run = 0; run < comparison.totals.size(); ++run) {
    const auto valueOf = [&](const RunTotals& totals) {
      return comparison.byDevice ? totals.kernelNs : totals.hostSelfNs;
    };
    RunHeadline entry;
    entry.valueNs = valueOf(comparison.totals[run]);
    const std::int64_t base = valueOf(comparison.totals.front());
    if (run > 0 && refused(comparison, run)) {
      entry.sentence = fmt::format("No verdict: A and {} do different work", runLetter(run));
    } else if (run > 0 && base == 0) {
      entry.sentence = fmt::format("No verdict: A has no {}", headline.figure);
    } else if (run > 0) {
      entry.changeRatio = static_cast<double>(entry.valueNs - base) / static_cast<double>(base);
      entry.sentence = sentenceOf(runLetter(run), headline.figure, headline.scope, *entry.changeRatio);
    }
    headline.runs.push_back(std::move(entry));
  }
  return headline;
}

}  // namespace attnscope
