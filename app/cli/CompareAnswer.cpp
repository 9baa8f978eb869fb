// SPDX-License-Identifier: Apache-2.0
#include "app/cli/CompareAnswer.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "app/cli/SessionMembers.h"
#include "core/compare/PairRules.h"

namespace attnscope::cli {

namespace {

void chooseGroups(CompareAnswer& answer, const Options& options) {
  const Comparison& comparison = answer.comparison;
  const double baseNs = static_cast<double>(comparison.totalNs(0));
  ComparisonGroup rest;
  rest.runs.resize(comparison.totals.size());
  std::size_t left = 0;
  for (std::size_t i = 0; i < comparison.groups.size(); ++i) {
    const ComparisonGroup& group = comparison.groups[i];
    double largest = 0;
    for (std::size_t run = 1; run < group.runs.size(); ++run) {
      largest = std::max(largest, std::fabs(static_cast<double>(comparison.deltaNs(group, run))));
    }
    const bool small = largest * 100 < options.thresholdPercent.value_or(0) * baseNs;
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

std::vector<std::string> filesOf(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.is_regular_file(error)) files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

// Kernel time of the whole trace, or where there is none the host self time of its operators.
std::int64_t figureOf(const Trace& trace, const OperatorTree& tree) {
  const ComparedRun whole{&trace, &tree, {}, TimeRange::all()};
  const Comparison itself = compareRuns({whole});
  return headlineOf(itself).runs.front().valueNs;
}

// The traces of a folder are repeats of one run: the one with the median figure stands for it, and the figures are its
// samples. The first of three or more is left out, as the first step of a trace is.
tl::expected<LoadedRun, Failure> runOfFolder(const Context& context, const std::string& folder) {
  struct Repeat {
    std::string file;
    std::int64_t ns = 0;
  };
  std::vector<Repeat> repeats;
  for (const std::string& file : filesOf(folder)) {
    auto trace = loadFor(context, file);
    if (!trace) return tl::unexpected(trace.error());
    repeats.push_back({file, figureOf(**trace, buildOperatorTree(**trace, context.stop))});
  }
  if (repeats.empty()) {
    Error error;
    error.kind = ErrorKind::kUsage;
    error.what = "the folder holds no file";
    error.remedy = "give a folder of traces, one a repeat";
    return failure(folder, std::move(error));
  }
  if (repeats.size() >= kFewestToLeaveOut && !context.options.allSteps) repeats.erase(repeats.begin());
  LoadedRun run;
  for (const Repeat& repeat : repeats) run.repeatNs.push_back(repeat.ns);
  const auto middle = repeats.begin() + static_cast<std::ptrdiff_t>((repeats.size() - 1) / 2);
  std::nth_element(repeats.begin(), middle, repeats.end(),
                   [](const Repeat& a, const Repeat& b) { return a.ns < b.ns; });
  auto trace = loadFor(context, middle->file);
  if (!trace) return tl::unexpected(trace.error());
  run.trace = std::move(*trace);
  run.title =
      fmt::format("{}, {} repeats", std::filesystem::path(folder).lexically_normal().string(), run.repeatNs.size());
  return run;
}

// One run of a trace, one for each trace of a session file.
tl::expected<std::vector<LoadedRun>, Failure> runsOf(const Context& context, const std::string& file) {
  std::vector<LoadedRun> runs;
  if (std::error_code error; std::filesystem::is_directory(file, error)) {
    auto run = runOfFolder(context, file);
    if (!run) return tl::unexpected(run.error());
    runs.push_back(std::move(*run));
    return runs;
  }
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
    run.pairs = input.session.pairs;
  }
  return runs;
}

// Two members named one by one are of one measurement too, though the file was read twice.
bool ofOneMeasurement(const LoadedRun& a, const LoadedRun& b) {
  return a.measurement && b.measurement && (a.measurement == b.measurement || *a.measurement == *b.measurement);
}

// Of one implementation measured twice the title is the same: files tell the runs apart.
void tellApart(std::vector<LoadedRun>& runs) {
  std::map<std::string, int> count;
  for (const LoadedRun& run : runs) ++count[run.title];
  for (LoadedRun& run : runs) {
    if (run.measurement && count[run.title] > 1) run.title += fmt::format(" ({})", run.trace->path);
  }
}

// What a person paired and cut by hand in the session files, each once.
std::vector<PairRule> pairsMadeByHand(const std::vector<LoadedRun>& runs) {
  std::vector<PairRule> rules;
  for (const LoadedRun& run : runs) {
    for (const PairRule& rule : run.pairs) {
      if (std::find(rules.begin(), rules.end(), rule) == rules.end()) rules.push_back(rule);
    }
  }
  return rules;
}

// What pairs that were timed in turns say, where two runs are of one measurement.
void putTimed(CompareAnswer& answer, double thresholdRatio, Refusal refusal) {
  const LoadedRun& base = answer.runs.front();
  Comparison& comparison = answer.comparison;
  answer.timed.resize(answer.runs.size());
  for (std::size_t run = 1; run < answer.runs.size(); ++run) {
    const LoadedRun& other = answer.runs[run];
    if (!ofOneMeasurement(base, other)) continue;
    if (const auto reservation = functionsDiffer(base.measured()->id, other.measured()->id)) {
      comparison.reasons.push_back(
          {"function", reservation->base, reservation->other, reservation->meaning, run, /*refuses=*/false});
    }
    TimedVerdict verdict = timedVerdict(*base.measurement, {base.measuredAs, runLetter(0)},
                                        {other.measuredAs, runLetter(run)}, thresholdRatio);
    const auto refuses = [run](const Condition& reason) { return reason.run == run && reason.refuses; };
    const bool isRefused = std::any_of(comparison.reasons.begin(), comparison.reasons.end(), refuses);
    if (isRefused && refusal == Refusal::kKeep) continue;
    if (isRefused) verdict.sentence += fmt::format("; forced, although {}", refusalOf(comparison, run));
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

namespace {

// The run that --baseline names comes first; the others keep their order.
std::optional<Failure> putBaselineFirst(std::vector<LoadedRun>& runs, const Options& options) {
  if (options.baseline.empty()) return std::nullopt;
  std::size_t found = runs.size();
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (options.baseline == runLetter(i) || options.baseline == runs[i].trace->path) found = i;
  }
  if (found == runs.size()) {
    Error error;
    error.kind = ErrorKind::kUsage;
    error.what = fmt::format("--baseline {} is none of the runs", options.baseline);
    error.remedy = fmt::format("use a letter from A to {}, or one of the files", runLetter(runs.size() - 1));
    return Failure{options.files.front(), std::move(error)};
  }
  std::rotate(runs.begin(), runs.begin() + static_cast<std::ptrdiff_t>(found),
              runs.begin() + static_cast<std::ptrdiff_t>(found) + 1);
  return std::nullopt;
}

Normalisation normalisationOf(const std::string& word) {
  return word == "step" ? Normalisation::kStep : word == "call" ? Normalisation::kCall : Normalisation::kRun;
}

}  // namespace

tl::expected<CompareAnswer, Failure> makeCompareAnswer(const Context& context) {
  CompareAnswer answer;
  answer.alignment = parseAlignment(context.options.align).value_or(Alignment{});
  if (context.options.allSteps) answer.alignment.firstStep = FirstStep::kKeep;
  answer.normalisation = normalisationOf(context.options.normalize);
  for (const std::string& file : context.options.files) {
    auto opened = runsOf(context, file);
    if (!opened) return tl::unexpected(opened.error());
    for (LoadedRun& run : *opened) {
      run.tree = buildOperatorTree(*run.trace, context.stop);
      if (context.stop.stop_requested()) return failure(run.trace->path, cancelled().value());
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
  tellApart(answer.runs);
  if (auto wrong = putBaselineFirst(answer.runs, context.options)) return tl::unexpected(std::move(*wrong));
  std::vector<ComparedRun> compared;
  for (LoadedRun& run : answer.runs) {
    const auto aligned = alignedScope(*run.trace, answer.alignment, *answer.runs.front().trace);
    if (!aligned) return failure(run.trace->path, aligned.error());
    run.aligned = *aligned;
    compared.push_back({run.trace.get(), &run.tree, run.title, run.aligned.scope, run.measurement.get(), run.measuredAs,
                        run.repeatNs});
  }
  answer.comparison = compareRuns(compared, context.stop);
  if (context.stop.stop_requested()) return failure(answer.runs.front().trace->path, cancelled().value());
  applyPairRules(answer.comparison, pairsMadeByHand(answer.runs));
  const double threshold = context.options.thresholdPercent.value_or(100 * kDefaultThresholdRatio) / 100;
  const Refusal refusal = context.options.force ? Refusal::kForce : Refusal::kKeep;
  putTimed(answer, threshold, refusal);
  putMemory(answer);
  answer.headline = headlineOf(answer.comparison, {threshold, refusal});
  chooseGroups(answer, context.options);
  return answer;
}

}  // namespace attnscope::cli
