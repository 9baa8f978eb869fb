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

std::int64_t valueOf(const Comparison& comparison, std::size_t run) {
  const RunTotals& totals = comparison.totals[run];
  return comparison.byDevice ? totals.kernelNs : totals.hostSelfNs - totals.profilerNs;
}

VerdictKind kindOf(TimingVerdict verdict) {
  switch (verdict) {
    case TimingVerdict::kFaster:
      return VerdictKind::kFaster;
    case TimingVerdict::kSlower:
      return VerdictKind::kSlower;
    case TimingVerdict::kWithinNoise:
      return VerdictKind::kWithinNoise;
    case TimingVerdict::kInconclusive:
      return VerdictKind::kInconclusive;
    case TimingVerdict::kNone:
      return VerdictKind::kNone;
  }
  return VerdictKind::kNone;
}

PairedComparison samplesOf(const Comparison& comparison, std::size_t run, double thresholdRatio) {
  const auto times = [&](std::size_t of) {
    if (comparison.isTimed()) return comparison.callNs[of];
    const auto& ns = comparison.stepNs[of];
    return std::vector<double>(ns.begin(), ns.end());
  };
  return compareApart(times(0), times(run), thresholdRatio);
}

std::string samplesSentence(const std::string& letter, const std::string& stepFigure, const Comparison& comparison,
                            std::size_t run, const PairedComparison& steps) {
  const bool isTimed = comparison.isTimed();
  const bool leavesOut = !isTimed && comparison.steps[run] > comparison.stepNs[run].size();
  const std::string samples =
      fmt::format("{:+.1f} to {:+.1f} %, {} and {} {}{}", 100 * (*steps.lowRatio - 1), 100 * (*steps.highRatio - 1),
                  comparison.sampleCount(0), comparison.sampleCount(run), isTimed ? "timed calls" : "steps",
                  leavesOut ? " after the first" : "");
  const std::string figure = isTimed ? "time" : stepFigure;  // RunHeadline::figure says the same
  const char* each = isTimed ? "a call" : "a step";
  switch (steps.verdict) {
    case TimingVerdict::kFaster:
    case TimingVerdict::kSlower: {
      const double ratio = *steps.ratio;
      if (ratio >= 2)
        return fmt::format("{} took {:.3g} times the {} {} of A ({})", letter, ratio, figure, each, samples);
      return fmt::format("{} took {:.1f} % {} {} {} than A ({})", letter, 100 * std::fabs(ratio - 1),
                         ratio < 1 ? "less" : "more", figure, each, samples);
    }
    case TimingVerdict::kWithinNoise:
      return fmt::format("{} took as much {} {} as A, within {:.3g} % ({})", letter, figure, each,
                         100 * steps.thresholdRatio, samples);
    default:
      return fmt::format("{} against A cannot be told from these samples ({}){}", letter, samples,
                         steps.lowered.empty() ? "" : ": " + steps.lowered);
  }
}

void say(RunHeadline& entry, const Comparison& comparison, std::size_t run, const Headline& headline,
         const HeadlineOptions& options) {
  const std::string letter = runLetter(run);
  const std::int64_t base = valueOf(comparison, 0);
  const std::string refusal = refusalOf(comparison, run);
  entry.method = "one profiled trace a side, no repeats";
  entry.figure = headline.figure;
  if (!refusal.empty() && options.refusal == Refusal::kKeep) {
    entry.sentence = "No verdict: " + refusal;
    return;
  }
  if (base == 0) {
    entry.sentence = fmt::format("No verdict: A has no {}", headline.figure);
    return;
  }
  entry.changeRatio = static_cast<double>(entry.valueNs - base) / static_cast<double>(base);
  entry.sentence = sentenceOf(letter, headline.figure, headline.scope, *entry.changeRatio);
  if (comparison.sampleCount(0) > 1 && comparison.sampleCount(run) > 1) {
    entry.steps = samplesOf(comparison, run, options.thresholdRatio);
    entry.method = entry.steps->method;
    entry.verdict = kindOf(entry.steps->verdict);
    if (entry.verdict != VerdictKind::kNone) {
      entry.sentence = samplesSentence(letter, headline.figure, comparison, run, *entry.steps);
      entry.changeRatio = *entry.steps->ratio - 1;
      if (comparison.isTimed()) entry.figure = "time of a call";
    }
  }
  if (!refusal.empty()) {
    entry.isForced = true;
    entry.sentence += "; forced, although " + refusal;
  }
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

std::size_t Comparison::sampleCount(std::size_t run) const {
  if (isTimed()) return callNs[run].size();
  return run < stepNs.size() ? stepNs[run].size() : 0;
}

std::string runLetter(std::size_t run) {
  std::string letter(1, static_cast<char>('A' + run % 26));
  return run < 26 ? letter : runLetter(run / 26 - 1) + letter;
}

Headline headlineOf(const Comparison& comparison, const HeadlineOptions& options) {
  Headline headline;
  headline.figure = comparison.byDevice ? "kernel time" : "host self time of operators";
  headline.scope = scopeText(comparison);
  for (std::size_t run = 0; run < comparison.totals.size(); ++run) {
    RunHeadline entry;
    entry.valueNs = valueOf(comparison, run);
    if (run > 0) say(entry, comparison, run, headline, options);
    if (run == 1) headline.method = entry.method;
    headline.runs.push_back(std::move(entry));
  }
  return headline;
}

std::string refusalOf(const Comparison& comparison, std::size_t run) {
  for (const Condition& reason : comparison.reasons) {
    if (!reason.refuses || reason.run != run) continue;
    if (reason.subject == "outputs") return fmt::format("the outputs of A and {} are not both right", runLetter(run));
    return fmt::format("A and {} do different work", runLetter(run));
  }
  return {};
}

std::string nameBetween(const ComparisonGroup& group, std::size_t run) {
  if (run >= group.names.size()) return group.operatorName;
  const std::string& base = group.names[0];
  const std::string& other = group.names[run];
  if (base.empty() && other.empty()) return group.operatorName;
  if (base.empty() || base == other) return other;
  return other.empty() ? base : base + " -> " + other;
}

std::vector<std::size_t> largestChanges(const Comparison& comparison, std::size_t run, std::size_t count) {
  const bool less = comparison.totalNs(run) < comparison.totalNs(0);
  std::vector<std::size_t> positions;
  for (std::size_t i = 0; i < comparison.groups.size(); ++i) {
    const std::int64_t delta = comparison.deltaNs(comparison.groups[i], run);
    if (less ? delta < 0 : delta > 0) positions.push_back(i);
  }
  const auto amount = [&](std::size_t i) {
    const std::int64_t delta = comparison.deltaNs(comparison.groups[i], run);
    return delta < 0 ? -delta : delta;
  };
  std::stable_sort(positions.begin(), positions.end(),
                   [&](std::size_t a, std::size_t b) { return amount(a) > amount(b); });
  if (positions.size() > count) positions.resize(count);
  return positions;
}

std::optional<double> contributionOf(const Comparison& comparison, const ComparisonGroup& group, std::size_t run) {
  const std::int64_t whole = comparison.totalNs(run) - comparison.totalNs(0);
  if (whole == 0) return std::nullopt;
  return static_cast<double>(comparison.deltaNs(group, run)) / static_cast<double>(whole);
}

std::string_view toString(Normalisation normalisation) {
  switch (normalisation) {
    case Normalisation::kRun:
      return "run";
    case Normalisation::kStep:
      return "step";
    case Normalisation::kCall:
      return "call";
  }
  return "run";
}

std::optional<double> divisorOf(const Comparison& comparison, const ComparisonGroup& group, std::size_t run,
                                Normalisation normalisation) {
  const std::uint64_t count = normalisation == Normalisation::kStep   ? comparison.steps[run]
                              : normalisation == Normalisation::kCall ? group.runs[run].calls
                                                                      : 1;
  return count == 0 ? std::nullopt : std::optional(static_cast<double>(count));
}

}  // namespace attnscope
