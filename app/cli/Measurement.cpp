// SPDX-License-Identifier: Apache-2.0
#include "app/cli/Measurement.h"

#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/cli/JsonText.h"
#include "app/cli/Table.h"
#include "core/problem/Cards.h"
#include "core/problem/ProblemJson.h"

namespace attnscope::cli {

namespace {

std::string functionOf(const std::string& id) {
  const Card* card = findCard(id);
  return card != nullptr && card->exactness == Exactness::kApproximate ? "an approximation" : "softmax attention";
}

std::optional<std::int64_t> rounded(std::optional<double> value) {
  return value && std::isfinite(*value) ? std::optional<std::int64_t>(std::llround(*value)) : std::nullopt;
}

void putNumber(JsonWriter& json, std::string_view key, std::optional<double> value) {
  json.key(key);
  value ? json.number(*value) : json.null();
}

std::string perCent(double change) { return fmt::format("{:+.1f}", change * 100); }

// "-45.2 to -41.0 %, 40 pairs".
std::string intervalWords(const TimedVerdict& verdict) {
  if (!verdict.low() || !verdict.high()) return fmt::format("{} pairs", verdict.pairs.pairs);
  return fmt::format("{} to {} %, {} pairs", perCent(*verdict.low()), perCent(*verdict.high()), verdict.pairs.pairs);
}

// "43.1 % less", "18.0 % more", "3.2 times".
std::string changeWords(double ratio) {
  if (ratio >= 2) return fmt::format("{:.3g} times", ratio);
  return fmt::format("{:.1f} % {}", std::fabs(ratio - 1) * 100, ratio < 1 ? "less" : "more");
}

std::string whyNoTimes(const ImplementationResult& implementation) {
  if (!implementation.available) return "was not run";
  return implementation.failure ? "failed" : "has no times";
}

std::string sentenceOf(const RunResult& result, const TimedVerdict& verdict, const Contender& base,
                       const Contender& other) {
  const PairedComparison& pairs = verdict.pairs;
  for (const Contender* each : {&other, &base}) {
    const ImplementationResult& implementation = result.implementations[each->position];
    if (implementation.samples.empty()) {
      return fmt::format("No verdict: {} {}", each->letter, whyNoTimes(implementation));
    }
  }
  if (pairs.verdict == TimingVerdict::kNone || !pairs.ratio) {
    return fmt::format("No verdict on {}: {} complete rounds are too few, {} are needed", other.letter, pairs.pairs,
                       kFewestForInterval);
  }
  const double ratio = *pairs.ratio;
  const std::string interval = intervalWords(verdict);
  switch (pairs.verdict) {
    case TimingVerdict::kWithinNoise:
      return fmt::format("{} took as long as {}, within {:.3g} % ({})", other.letter, base.letter,
                         100 * pairs.thresholdRatio, interval);
    case TimingVerdict::kInconclusive:
      return fmt::format("{} against {} cannot be told at this noise ({}){}", other.letter, base.letter, interval,
                         pairs.pairsNeeded ? fmt::format(": it needs about {} pairs", *pairs.pairsNeeded) : "");
    default:
      return ratio >= 2 ? fmt::format("{} took {} the {} of {} ({})", other.letter, changeWords(ratio), verdict.figure,
                                      base.letter, interval)
                        : fmt::format("{} took {} {} than {} ({})", other.letter, changeWords(ratio), verdict.figure,
                                      base.letter, interval);
  }
}

std::optional<std::int64_t> predictedWhole(std::optional<double> ns) {
  return ns ? std::optional<std::int64_t>(std::llround(*ns)) : std::nullopt;
}

void writeImplementation(JsonWriter& json, const RunResult& result, std::size_t position) {
  const ImplementationResult& implementation = result.implementations[position];
  const TimeMetric metric = result.plan.metric();
  json.beginObject();
  json.text("id", implementation.id);
  json.text("letter", letterOf(position));
  json.text("title", titleOf(implementation.id));
  json.boolean("available", implementation.available);
  json.textOrNull("reason", implementation.reason);
  json.key("error");
  if (const auto& error = implementation.error) {
    json.beginObject();
    json.number("relative_l2", error->relativeL2);
    json.number("max_abs", error->maxAbs);
    json.number("limit", error->limit);
    json.text("against", error->against);
    putNumber(json, "distance_to_full", error->distanceToFull);
    json.endObject();
  } else {
    json.null();
  }
  const TimeStatistics time = timeOf(implementation, metric);
  json.key("time");
  if (time.n == 0) {
    json.null();
  } else {
    json.beginObject();
    json.integer("median_ns", rounded(time.medianNs));
    json.integer("low_ns", rounded(time.lowNs));
    json.integer("high_ns", rounded(time.highNs));
    json.integer("q1_ns", rounded(time.q1Ns));
    json.integer("q3_ns", rounded(time.q3Ns));
    json.count("n", time.n);
    json.text("metric", toString(metric));
    json.key("samples_ns");
    json.beginArray();
    for (const double ns : perCallNs(implementation, metric)) json.integer(std::llround(ns));
    json.endArray();
    json.endObject();
  }
  json.integer("useful_flops", implementation.usefulFlops);
  json.integer("executed_flops", implementation.executedFlops);
  putNumber(json, "flops_per_second", flopsPerSecond(implementation, metric));
  putNumber(json, "roof_share", roofShare(result, implementation));
  json.integer("peak_bytes", implementation.peakBytes);
  json.integer("predicted_peak_bytes", implementation.predictedPeakBytes);
  json.integer("resident_peak_bytes", implementation.residentPeakBytes);
  putNumber(json, "joules_per_call", implementation.joulesPerCall);
  json.integer("predicted_ns", predictedWhole(predictedNs(result, implementation)));
  json.integer("profiled_ns", implementation.profiledNs);
  putNumber(json, "profiler_cost_ratio", profilerCostRatio(implementation));
  const std::string& trace = implementation.traceFile;
  json.textOrNull("trace", trace.empty() ? std::string() : traceNameOf(position, implementation.id));
  json.key("failure");
  if (implementation.failure) {
    json.beginObject();
    json.text("phase", toString(implementation.failure->phase));
    json.text("reason", implementation.failure->reason);
    json.endObject();
  } else {
    json.null();
  }
  json.endObject();
}

void writeEnvironment(JsonWriter& json, const RunEnvironment& environment) {
  const auto whenKnown = [](int value) { return value > 0 ? std::optional<std::int64_t>(value) : std::nullopt; };
  json.key("environment");
  json.beginObject();
  json.textOrNull("runner_version", environment.runnerVersion);
  json.textOrNull("libtorch", environment.libtorch);
  json.textOrNull("cpu", environment.cpu);
  json.textOrNull("cpu_capability", environment.cpuCapability);
  json.integer("logical_cpus", whenKnown(environment.logicalCpus));
  json.integer("threads", whenKnown(environment.threads));
  json.textOrNull("device", environment.device);
  json.textOrNull("governor", environment.governor);
  json.textOrNull("libtorch_build", environment.build);
  json.textOrNull("cpu_list", environment.cpuList);
  json.textOrNull("energy", environment.energy);
  putNumber(json, "clock_mhz", environment.clockMhz);
  putNumber(json, "clock_mhz_after", environment.clockMhzAfter);
  json.integer("last_level_cache_bytes", environment.lastLevelCacheBytes);
  json.textOrNull("system", environment.system);
  json.textOrNull("started_at", environment.startedAt);
  putNumber(json, "load_average", environment.loadAverage);
  json.integer("memory_bytes", environment.memoryBytes);
  putNumber(json, "roof_flops_per_second", environment.roofFlopsPerSecond);
  putNumber(json, "roof_bytes_per_second", environment.roofBytesPerSecond);
  putNumber(json, "copy_bytes_per_second", environment.copyBytesPerSecond);
  putNumber(json, "peak_flops_per_second", environment.peakFlopsPerSecond);
  json.endObject();
}

// "-43.1 %", "3.2 x", "noise", "unclear".
std::string againstBaseline(const TimedVerdict& verdict) {
  switch (verdict.pairs.verdict) {
    case TimingVerdict::kFaster:
    case TimingVerdict::kSlower:
      return *verdict.pairs.ratio >= 2 ? fmt::format("{:.3g} x", *verdict.pairs.ratio)
                                       : perCent(*verdict.change()) + " %";
    case TimingVerdict::kWithinNoise:
      return "noise";
    case TimingVerdict::kInconclusive:
      return "unclear";
    case TimingVerdict::kNone:
      return "-";
  }
  return "-";
}

Cell cellOf(std::optional<std::int64_t> value) { return value ? Cell(*value) : Cell(); }

Table tableOf(const RunResult& result) {
  const TimeMetric metric = result.plan.metric();
  Table table({{"letter", "", CellKind::kText},
               {"id", "implementation", CellKind::kText},
               {"median_ns", "median", CellKind::kTime},
               {"interval", "interval", CellKind::kCount},
               {"change_ratio", "vs A", CellKind::kCount},
               {"predicted_ns", "roof says", CellKind::kTime},
               {"peak_bytes", "peak", CellKind::kBytes},
               {"predicted_peak_bytes", "predicted", CellKind::kBytes},
               {"resident_peak_bytes", "resident", CellKind::kBytes},
               {"relative_l2", "error", CellKind::kCount},
               {"flops_per_second", "GFLOP/s", CellKind::kCount},
               {"roof_share", "of roof", CellKind::kShare},
               {"profiler_cost_ratio", "profiled", CellKind::kCount}});
  for (std::size_t i = 0; i < result.implementations.size(); ++i) {
    const ImplementationResult& implementation = result.implementations[i];
    const TimeStatistics time = timeOf(implementation, metric);
    const auto speed = flopsPerSecond(implementation, metric);
    const auto share = roofShare(result, implementation);
    std::vector<Cell> cells;
    cells.emplace_back(letterOf(i));
    cells.emplace_back(implementation.id);
    cells.push_back(cellOf(time.n == 0 ? std::nullopt : rounded(time.medianNs)));
    cells.push_back(time.lowNs && time.highNs ? Cell(fmt::format("{} to {}", timeText(std::llround(*time.lowNs)),
                                                                 timeText(std::llround(*time.highNs))))
                                              : Cell());
    cells.push_back(i == 0 ? Cell() : Cell(againstBaseline(timedVerdict(result, {0, "A"}, {i, letterOf(i)}))));
    cells.push_back(cellOf(predictedWhole(predictedNs(result, implementation))));
    cells.push_back(cellOf(implementation.peakBytes));
    cells.push_back(cellOf(implementation.predictedPeakBytes));
    cells.push_back(cellOf(implementation.residentPeakBytes));
    cells.push_back(implementation.error ? Cell(fmt::format("{:.1e}", implementation.error->relativeL2)) : Cell());
    cells.push_back(speed ? Cell(fmt::format("{:.1f}", *speed / 1e9)) : Cell());
    cells.push_back(share ? Cell(*share) : Cell());
    const auto cost = profilerCostRatio(implementation);
    cells.push_back(cost ? Cell(fmt::format("{:.2f} x", *cost)) : Cell());
    table.add(std::move(cells));
  }
  return table;
}

}  // namespace

std::string environmentLine(const RunResult& result) {
  const RunEnvironment& environment = result.environment;
  std::string line =
      fmt::format("{}, {} thread{}", result.plan.device, result.plan.threads, result.plan.threads == 1 ? "" : "s");
  if (!environment.cpu.empty()) line += ", " + environment.cpu;
  if (!environment.cpuCapability.empty()) line += ", " + environment.cpuCapability;
  if (!environment.libtorch.empty()) line += ", LibTorch " + environment.libtorch;
  if (environment.roofFlopsPerSecond)
    line += fmt::format(", roof {:.1f} GFLOP/s", *environment.roofFlopsPerSecond / 1e9);
  if (environment.roofBytesPerSecond) line += fmt::format(" and {:.1f} GB/s", *environment.roofBytesPerSecond / 1e9);
  return line;
}

std::vector<std::string> remarksOf(const PairedComparison& pairs, const std::string& base, const std::string& other) {
  std::vector<std::string> remarks;
  const auto add = [&](const std::string& letter, const std::vector<Disturbance>& disturbances) {
    for (const Disturbance& each : disturbances) {
      remarks.push_back(fmt::format("{}: {}, {}", letter, toString(each.kind), each.words));
    }
  };
  add(base, pairs.ofBase);
  add(other, pairs.ofOther);
  if (!pairs.lowered.empty()) remarks.push_back(fmt::format("{} against {}: {}", other, base, pairs.lowered));
  return remarks;
}

std::optional<FunctionsDiffer> functionsDiffer(const std::string& base, const std::string& other) {
  FunctionsDiffer differ{functionOf(base), functionOf(other),
                         "they compute different functions: a time says what it costs, not that one can stand for the "
                         "other"};
  return differ.base == differ.other ? std::nullopt : std::optional<FunctionsDiffer>(std::move(differ));
}

std::string titleOf(const std::string& implementation) {
  const Card* card = findCard(implementation);
  return card == nullptr ? implementation : std::string(card->title);
}

TimedVerdict timedVerdict(const RunResult& result, const Contender& base, const Contender& other,
                          double thresholdRatio) {
  // The baseline of a result is its first implementation: another one is put there.
  RunResult two;
  two.plan = result.plan;
  two.noise = result.noise;
  two.implementations = {result.implementations[base.position], result.implementations[other.position]};
  TimedVerdict verdict;
  verdict.pairs = comparedWithBaseline(two, 1, thresholdRatio);
  verdict.figure = result.plan.metric() == TimeMetric::kThreadCpu ? "thread CPU time per call" : "wall time per call";
  verdict.sentence = sentenceOf(result, verdict, base, other);
  return verdict;
}

void writeCertainty(JsonWriter& json, const PairedComparison& pairs) {
  json.number("threshold_ratio", pairs.thresholdRatio);
  json.number("neighbour_correlation", pairs.neighbours);
  json.textOrNull("lowered", pairs.lowered);
  json.key("disturbances");
  json.beginArray();
  for (const auto* side : {&pairs.ofBase, &pairs.ofOther}) {
    for (const Disturbance& each : *side) {
      json.beginObject();
      json.text("of", side == &pairs.ofBase ? "base" : "other");
      json.text("kind", toString(each.kind));
      json.number("amount_ratio", each.amountRatio);
      json.count("samples", each.count);
      json.text("meaning", each.words);
      json.endObject();
    }
  }
  json.endArray();
}

void writeVerdict(JsonWriter& json, const std::string& letter, const TimedVerdict& verdict) {
  json.beginObject();
  json.text("run", letter);
  json.text("verdict", toString(verdict.pairs.verdict));
  putNumber(json, "change_ratio", verdict.change());
  putNumber(json, "low_ratio", verdict.low());
  putNumber(json, "high_ratio", verdict.high());
  json.count("pairs", verdict.pairs.pairs);
  json.integer("pairs_needed", verdict.pairs.pairsNeeded
                                   ? std::optional<std::int64_t>(static_cast<std::int64_t>(*verdict.pairs.pairsNeeded))
                                   : std::nullopt);
  putNumber(json, "noise_floor_ratio", verdict.pairs.noiseFloorRatio);
  json.textOrNull("method", verdict.pairs.method);
  writeCertainty(json, verdict.pairs);
  json.text("figure", verdict.figure);
  json.text("sentence", verdict.sentence);
  json.endObject();
}

void writeMeasurement(JsonWriter& json, const RunResult& result, std::string_view file) {
  std::string problem;
  appendJsonValue(problem, toJson(result.plan.problem).dump());
  json.raw("problem", problem);
  writeEnvironment(json, result.environment);
  json.key("implementations");
  json.beginArray();
  for (std::size_t i = 0; i < result.implementations.size(); ++i) writeImplementation(json, result, i);
  json.endArray();
  json.textOrNull("file", file);
  json.text("ending", toString(result.ending));
  json.textOrNull("ending_reason", result.endingReason);
  json.integer("complete_rounds", result.completeRounds);
  json.key("warnings");
  json.beginArray();
  for (const std::string& warning : result.warnings) json.text(warning);
  json.endArray();

  std::vector<std::pair<std::size_t, FunctionsDiffer>> reservations;
  for (std::size_t i = 1; i < result.implementations.size(); ++i) {
    const auto differ = functionsDiffer(result.implementations.front().id, result.implementations[i].id);
    if (differ) reservations.emplace_back(i, *differ);
  }
  json.key("comparable");
  json.beginObject();
  json.text("verdict", reservations.empty() ? "yes" : "reservations");
  json.key("reasons");
  json.beginArray();
  for (const auto& [position, differ] : reservations) {
    json.beginObject();
    json.text("run", letterOf(position));
    json.text("subject", "function");
    json.text("base", differ.base);
    json.text("other", differ.other);
    json.text("meaning", differ.meaning);
    json.endObject();
  }
  json.endArray();
  json.endObject();

  json.key("verdicts");
  json.beginArray();
  for (std::size_t i = 1; i < result.implementations.size(); ++i) {
    writeVerdict(json, letterOf(i), timedVerdict(result, {0, letterOf(0)}, {i, letterOf(i)}));
  }
  json.endArray();
}

void writeMeasurement(Output& output, const RunResult& result) {
  output.write(describe(result.plan.problem) + "\n" + oneLine(environmentLine(result)) + "\n\n");
  const Table table = tableOf(result);
  if (const auto order = table.order({}, {})) table.printText(output, *order);
  output.write("\n");
  for (std::size_t i = 0; i < result.implementations.size(); ++i) {
    const ImplementationResult& implementation = result.implementations[i];
    const std::string name = fmt::format("{} {}", letterOf(i), implementation.id);
    if (!implementation.available) {
      output.write(fmt::format("{} was not run: {}\n", name, oneLine(implementation.reason)));
    } else if (implementation.failure) {
      output.write(fmt::format("{} failed ({}): {}\n", name, toString(implementation.failure->phase),
                               oneLine(implementation.failure->reason)));
    }
  }
  for (std::size_t i = 1; i < result.implementations.size(); ++i) {
    const auto differ = functionsDiffer(result.implementations.front().id, result.implementations[i].id);
    if (differ) {
      output.write(fmt::format("A is {}, {} {}: {}\n", differ->base, letterOf(i), differ->other, differ->meaning));
    }
  }
  for (std::size_t i = 1; i < result.implementations.size(); ++i) {
    if (result.implementations[i].samples.empty()) continue;  // said above
    const TimedVerdict verdict = timedVerdict(result, {0, letterOf(0)}, {i, letterOf(i)});
    output.write(verdict.sentence + "\n");
    for (const std::string& remark : remarksOf(verdict.pairs, letterOf(0), letterOf(i))) output.write(remark + "\n");
  }
  for (const std::string& warning : result.warnings) output.write("warning: " + oneLine(warning) + "\n");
  if (result.ending == RunEnding::kCancelled) {
    output.write(fmt::format("The run was interrupted: {} of {} rounds are complete.\n", result.completeRounds,
                             result.plan.rounds));
  }
}

}  // namespace attnscope::cli
