// SPDX-License-Identifier: Apache-2.0
#include "app/cli/CompareAnswer.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "app/cli/SessionMembers.h"

namespace attnscope::cli {

namespace {

std::int64_t headlineDelta(const Comparison& comparison, const ComparisonGroup& group, std::size_t run) {
  return comparison.byDevice ? group.deviceDeltaNs(run) : group.hostDeltaNs(run);
}

void chooseGroups(CompareAnswer& answer, const Options& options) {
  const Comparison& comparison = answer.comparison;
  const RunTotals& base = comparison.totals.front();
  const double baseNs = static_cast<double>(comparison.byDevice ? base.deviceNs : base.hostSelfNs);
  ComparisonGroup rest;
  rest.runs.resize(comparison.totals.size());
  std::size_t left = 0;
  for (std::size_t i = 0; i < comparison.groups.size(); ++i) {
    const ComparisonGroup& group = comparison.groups[i];
    double largest = 0;
    for (std::size_t run = 1; run < group.runs.size(); ++run) {
      largest = std::max(largest, std::fabs(static_cast<double>(headlineDelta(comparison, group, run))));
    }
    const bool small = largest * 100 < options.thresholdPercent * baseNs;
    if (!small && (!options.top || answer.shown.size() < *options.top)) {
      answer.shown.push_back(i);
      continue;
    }
    ++left;
    for (std::size_t run = 0; run < group.runs.size(); ++run) {
      rest.runs[run].calls += group.runs[run].calls;
      rest.runs[run].hostSelfNs += group.runs[run].hostSelfNs;
      rest.runs[run].deviceNs += group.runs[run].deviceNs;
    }
  }
  if (left == 0) return;
  rest.operatorName = fmt::format("{} other groups", left);
  rest.key = rest.operatorName;
  answer.rest = std::move(rest);
}

// One run of a trace, one for each trace of a session file.
tl::expected<std::vector<LoadedRun>, Failure> runsOf(const Context& context, const std::string& file) {
  std::vector<LoadedRun> runs;
  auto session = sessionInput(file);
  if (!session) return tl::unexpected(session.error());
  if (!*session) {
    auto trace = loadFor(context, file);
    if (!trace) return tl::unexpected(trace.error());
    LoadedRun& run = runs.emplace_back();
    run.title = (*trace)->title();
    run.trace = std::move(*trace);
    return runs;
  }
  const SessionInput& input = **session;
  const auto measurement = std::make_shared<const RunResult>(input.session.result);
  for (std::size_t i = 0; i < input.session.traces.size(); ++i) {
    if (input.member && *input.member != i) continue;
    const SessionTrace& member = input.session.traces[i];
    auto trace = loadMember(context, input, member);
    if (!trace) return tl::unexpected(trace.error());
    LoadedRun& run = runs.emplace_back();
    run.trace = std::move(*trace);
    run.title = titleOf(measurement->implementations[member.position].id);
    run.measurement = measurement;
    run.measuredAs = member.position;
  }
  return runs;
}

// Two members named one by one are of one measurement too, though the file was read twice.
bool ofOneMeasurement(const LoadedRun& a, const LoadedRun& b) {
  return a.measurement && b.measurement && (a.measurement == b.measurement || *a.measurement == *b.measurement);
}

// Of one measurement: the problem was the same, whatever the operators of the traces look like.
void putTimed(CompareAnswer& answer) {
  const LoadedRun& base = answer.runs.front();
  Comparison& comparison = answer.comparison;
  answer.timed.resize(answer.runs.size());
  for (std::size_t run = 1; run < answer.runs.size(); ++run) {
    const LoadedRun& other = answer.runs[run];
    if (!ofOneMeasurement(base, other)) continue;
    std::erase_if(comparison.reasons, [&](const Condition& reason) { return reason.run == run && reason.refuses; });
    if (const auto reservation = functionsDiffer(base.measured()->id, other.measured()->id)) {
      comparison.reasons.push_back(
          {"function", reservation->base, reservation->other, reservation->meaning, run, /*refuses=*/false});
    }
    TimedVerdict verdict =
        timedVerdict(*base.measurement, {base.measuredAs, runLetter(0)}, {other.measuredAs, runLetter(run)});
    if (verdict.pairs.pairs > 0) answer.timed[run] = std::move(verdict);
  }
  const auto& reasons = comparison.reasons;
  const bool refused = std::any_of(reasons.begin(), reasons.end(), [](const Condition& each) { return each.refuses; });
  comparison.comparable = refused ? Comparable::kNo : reasons.empty() ? Comparable::kYes : Comparable::kReservations;
}

// A row for the device that was measured on, where no trace recorded its memory.
void putMemory(CompareAnswer& answer) {
  auto& memory = answer.comparison.memory;
  for (const LoadedRun& run : answer.runs) {
    if (!run.measurement) continue;
    const std::string& device = run.measurement->plan.device;
    const bool there =
        std::any_of(memory.begin(), memory.end(), [&](const MemoryComparison& each) { return each.device == device; });
    if (!there) memory.push_back({device, std::vector<std::optional<std::int64_t>>(answer.runs.size())});
  }
}

}  // namespace

std::optional<double> CompareAnswer::contribution(const ComparisonGroup& group, std::size_t run) const {
  const auto totalOf = [&](std::size_t i) {
    return comparison.byDevice ? comparison.totals[i].deviceNs : comparison.totals[i].hostSelfNs;
  };
  const std::int64_t whole = totalOf(run) - totalOf(0);
  if (whole == 0) return std::nullopt;
  return static_cast<double>(headlineDelta(comparison, group, run)) / static_cast<double>(whole);
}

std::optional<std::int64_t> CompareAnswer::predictedPeakBytes(std::size_t run, const std::string& device) const {
  const LoadedRun& loaded = runs[run];
  if (!loaded.measurement || loaded.measurement->plan.device != device) return std::nullopt;
  return loaded.measured()->predictedPeakBytes;
}

std::optional<std::int64_t> CompareAnswer::measuredPeakBytes(std::size_t run, const std::string& device) const {
  const LoadedRun& loaded = runs[run];
  if (!loaded.measurement || loaded.measurement->plan.device != device) return std::nullopt;
  return loaded.measured()->peakBytes;
}

tl::expected<CompareAnswer, Failure> makeCompareAnswer(const Context& context) {
  CompareAnswer answer;
  answer.alignment = parseAlignment(context.options.align).value_or(Alignment{});
  for (const std::string& file : context.options.files) {
    auto opened = runsOf(context, file);
    if (!opened) return tl::unexpected(opened.error());
    for (LoadedRun& run : *opened) {
      run.tree = buildOperatorTree(*run.trace, context.stop);
      if (context.stop.stop_requested()) return failure(run.trace->path, cancelled().value());
      const Trace& base = answer.runs.empty() ? *run.trace : *answer.runs.front().trace;
      const auto aligned = alignedScope(*run.trace, answer.alignment, base);
      if (!aligned) return failure(run.trace->path, aligned.error());
      run.aligned = *aligned;
      answer.runs.push_back(std::move(run));
    }
  }
  if (answer.runs.size() < 2) {
    Error error;
    error.kind = ErrorKind::kUsage;
    error.what = answer.runs.empty() ? "there is no trace to compare" : "one trace is no comparison";
    error.remedy = "give another file, or record traces: attnscope-cli run without --no-profile";
    return failure(context.options.files.front(), std::move(error));
  }
  std::vector<ComparedRun> compared;
  for (const LoadedRun& run : answer.runs) {
    compared.push_back({run.trace.get(), &run.tree, run.title, run.aligned.scope});
  }
  answer.comparison = compareRuns(compared);
  putTimed(answer);
  putMemory(answer);
  answer.headline = headlineOf(answer.comparison);
  chooseGroups(answer, context.options);
  return answer;
}

}  // namespace attnscope::cli
