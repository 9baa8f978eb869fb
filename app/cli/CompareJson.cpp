// SPDX-License-Identifier: Apache-2.0
#include "app/cli/CompareAnswer.h"
#include "app/cli/TraceJson.h"

namespace attnscope::cli {

namespace {

void writeRatio(JsonWriter& json, std::string_view key, std::optional<double> value) {
  json.key(key);
  value ? json.number(*value) : json.null();
}

void writeNormalised(JsonWriter& json, const CompareAnswer& answer, const ComparisonGroup& group, std::size_t run) {
  if (answer.normalisation == Normalisation::kRun) return;
  const auto divisor = divisorOf(answer.comparison, group, run, answer.normalisation);
  const auto put = [&](const char* key, std::int64_t ns) {
    writeRatio(json, key, divisor ? std::optional(static_cast<double>(ns) / *divisor) : std::nullopt);
  };
  put("normalized_host_self_ns", group.runs[run].hostSelfNs);
  put("normalized_device_ns", group.runs[run].deviceNs);
}

void writeLaunched(JsonWriter& json, const std::vector<LaunchedKernel>& kernels) {
  json.key("kernels");
  json.beginArray();
  for (const LaunchedKernel& kernel : kernels) {
    json.beginObject();
    json.text("name", kernel.name);
    json.text("short_name", kernel.shortName);
    json.count("calls", kernel.calls);
    json.integer("total_ns", kernel.totalNs);
    json.endObject();
  }
  json.endArray();
}

void writeGroup(JsonWriter& json, const CompareAnswer& answer, const ComparisonGroup& group, bool isRest) {
  json.beginObject();
  json.text("key", group.key);
  json.text("operator", group.operatorName);
  json.key("input_shapes");
  if (group.inputShapes.empty()) {
    json.null();
  } else {
    std::string shapes;
    appendJsonValue(shapes, group.inputShapes);
    json.raw(shapes);
  }
  json.boolean("is_user_annotation", group.isUserAnnotation);
  json.boolean("is_unlinked", group.isUnlinked);
  json.boolean("is_profiler", group.isProfiler);
  json.boolean("is_made_by_hand", group.isMadeByHand);
  json.boolean("is_rest", isRest);
  json.key("match");
  isRest ? json.null() : json.text(toString(group.match));
  json.key("runs");
  json.beginArray();
  for (std::size_t run = 0; run < group.runs.size(); ++run) {
    const RunFigures& figures = group.runs[run];
    json.beginObject();
    if (!isRest) {
      json.text("match", run == 0 ? "base" : toString(group.matches[run]));
      json.textOrNull("names", group.names[run]);
    }
    json.count("calls", figures.calls);
    json.integer("host_self_ns", figures.hostSelfNs);
    json.integer("device_ns", figures.deviceNs);
    const bool known = figures.calls != 0 && !isRest;
    json.integer("mean_ns", known ? std::optional(figures.meanNs) : std::nullopt);
    json.integer("median_ns", known ? std::optional(figures.medianNs) : std::nullopt);
    if (run > 0) {
      json.integer("delta_host_self_ns", group.hostDeltaNs(run));
      json.integer("delta_device_ns", group.deviceDeltaNs(run));
      writeRatio(json, "contribution_ratio", answer.contribution(group, run));
    }
    writeNormalised(json, answer, group, run);
    if (!isRest) writeLaunched(json, group.kernels[run]);
    json.endObject();
  }
  json.endArray();
  // Of the first other run; those of every run stand in `runs`.
  json.integer("delta_host_self_ns", group.hostDeltaNs(1));
  json.integer("delta_device_ns", group.deviceDeltaNs(1));
  writeRatio(json, "contribution_ratio", answer.contribution(group, 1));
  json.endObject();
}

void writeRuns(JsonWriter& json, const CompareAnswer& answer) {
  json.key("runs");
  json.beginArray();
  for (std::size_t run = 0; run < answer.runs.size(); ++run) {
    const LoadedRun& loaded = answer.runs[run];
    const bool whole = loaded.aligned.scope == TimeRange::all();
    const TimeRange scope = whole ? loaded.trace->range : loaded.aligned.scope;
    json.beginObject();
    json.text("letter", runLetter(run));
    json.text("file", loaded.trace->path);
    json.text("title", answer.comparison.titles[run]);
    json.raw("base_ns", loaded.trace->base.empty() ? "null" : loaded.trace->base);
    json.boolean("whole", whole);
    json.integer("scope_start_ns", scope.startNs);
    json.integer("scope_end_ns", scope.endNs);
    json.integer("zero_ns", loaded.aligned.zeroNs);
    json.count("steps", answer.comparison.steps[run]);
    json.count("steps_left_out", loaded.aligned.stepsLeftOut);
    json.key("step_ns");
    json.beginArray();
    for (const std::int64_t ns : answer.comparison.stepNs[run]) json.integer(ns);
    json.endArray();
    json.key("call_ns");
    json.beginArray();
    if (answer.comparison.isTimed()) {
      for (const double ns : answer.comparison.callNs[run]) json.number(ns);
    }
    json.endArray();
    json.endObject();
  }
  json.endArray();
  json.text("align", toString(answer.alignment));
  json.text("normalize", toString(answer.normalisation));
}

void writeVerdicts(JsonWriter& json, const CompareAnswer& answer) {
  json.key("comparable");
  json.beginObject();
  json.text("verdict", toString(answer.comparison.comparable));
  json.key("reasons");
  json.beginArray();
  for (const Condition& reason : answer.comparison.reasons) {
    json.beginObject();
    json.text("run", runLetter(reason.run));
    json.text("subject", reason.subject);
    json.text("base", reason.base);
    json.text("other", reason.other);
    json.text("meaning", reason.meaning);
    json.boolean("refuses", reason.refuses);
    json.endObject();
  }
  json.endArray();
  json.endObject();

  json.key("verdicts");
  json.beginArray();
  for (std::size_t run = 1; run < answer.headline.runs.size(); ++run) {
    if (answer.timed[run]) {
      writeVerdict(json, runLetter(run), *answer.timed[run]);
      continue;
    }
    const RunHeadline& headline = answer.headline.runs[run];
    json.beginObject();
    json.text("run", runLetter(run));
    json.text("verdict", toString(headline.verdict));
    writeRatio(json, "change_ratio", headline.changeRatio);
    const auto& steps = headline.steps;
    const auto lessOne = [](std::optional<double> ratio) { return ratio ? std::optional(*ratio - 1) : std::nullopt; };
    writeRatio(json, "low_ratio", steps ? lessOne(steps->lowRatio) : std::nullopt);
    writeRatio(json, "high_ratio", steps ? lessOne(steps->highRatio) : std::nullopt);
    for (const char* key : {"pairs", "pairs_needed", "noise_floor_ratio"}) json.null(key);
    json.text("method", headline.method);
    if (steps) writeCertainty(json, *steps);
    json.boolean("forced", headline.isForced);
    json.text("figure", headline.figure.empty() ? answer.headline.figure : headline.figure);
    json.text("sentence", headline.sentence);
    json.endObject();
  }
  json.endArray();
}

void writeFigures(JsonWriter& json, const CompareAnswer& answer) {
  const Comparison& comparison = answer.comparison;
  json.key("groups");
  json.beginArray();
  for (const std::size_t i : answer.shown) writeGroup(json, answer, comparison.groups[i], false);
  if (answer.rest) writeGroup(json, answer, *answer.rest, true);
  json.endArray();

  json.key("kernels");
  json.beginArray();
  for (const KernelGroup& group : comparison.kernels) {
    json.beginObject();
    json.text("name", group.name);
    json.text("short_name", group.shortName);
    json.text("family", group.family);
    json.textOrNull("launched_by", group.launchedBy);
    json.text("match", toString(group.match));
    json.key("runs");
    json.beginArray();
    for (const KernelGroup::Figures& figures : group.runs) {
      json.beginObject();
      json.count("calls", figures.calls);
      json.integer("total_ns", figures.totalNs);
      json.endObject();
    }
    json.endArray();
    json.endObject();
  }
  json.endArray();

  json.key("totals");
  json.beginArray();
  for (const RunTotals& totals : comparison.totals) {
    json.beginObject();
    json.integer("host_self_ns", totals.hostSelfNs);
    json.integer("device_ns", totals.deviceNs);
    json.integer("kernel_ns", totals.kernelNs);
    json.integer("profiler_ns", totals.profilerNs);
    json.endObject();
  }
  json.endArray();

  json.key("memory");
  json.beginArray();
  for (const MemoryComparison& memory : comparison.memory) {
    json.beginObject();
    json.text("device", memory.device);
    json.key("peak_bytes");
    json.beginArray();
    for (const auto& peak : memory.peakBytes) peak ? json.integer(*peak) : json.null();
    json.endArray();
    json.key("predicted_peak_bytes");
    json.beginArray();
    const auto each = [&](auto&& bytesOf) {
      for (std::size_t run = 0; run < memory.peakBytes.size(); ++run) {
        const std::optional<std::int64_t> bytes = bytesOf(run, memory.device);
        bytes ? json.integer(*bytes) : json.null();
      }
    };
    each([&](std::size_t run, const std::string& device) { return answer.predictedPeakBytes(run, device); });
    json.endArray();
    json.key("measured_peak_bytes");  // of one call, as the counting allocator saw it
    json.beginArray();
    each([&](std::size_t run, const std::string& device) { return answer.measuredPeakBytes(run, device); });
    json.endArray();
    json.endObject();
  }
  json.endArray();
}

}  // namespace

void writeCompareJson(Output& output, const CompareAnswer& answer) {
  JsonWriter json(output);
  json.beginDocument();
  writeRuns(json, answer);
  writeVerdicts(json, answer);
  writeFigures(json, answer);
  json.endDocument();
}

}  // namespace attnscope::cli
