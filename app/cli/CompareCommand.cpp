// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "app/cli/Commands.h"
#include "app/cli/Table.h"
#include "app/cli/TraceJson.h"
#include "core/compare/Alignment.h"
#include "core/compare/Comparison.h"

namespace attnscope::cli {

namespace {

struct LoadedRun {
  std::shared_ptr<const Trace> trace;
  OperatorTree tree;
  AlignedScope aligned;
};

struct Answer {
  std::vector<LoadedRun> runs;
  Comparison comparison;
  Headline headline;
  Alignment alignment;
  std::vector<std::size_t> shown;       // groups with a row of their own
  std::optional<ComparisonGroup> rest;  // the sum of the others, so that the rows still sum to the totals
};

std::int64_t headlineDelta(const Comparison& comparison, const ComparisonGroup& group, std::size_t run) {
  return comparison.byDevice ? group.deviceDeltaNs(run) : group.hostDeltaNs(run);
}

void chooseGroups(Answer& answer, const Options& options) {
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

std::optional<double> contribution(const Answer& answer, const ComparisonGroup& group, std::size_t run) {
  const Comparison& comparison = answer.comparison;
  const auto totalOf = [&](std::size_t i) {
    return comparison.byDevice ? comparison.totals[i].deviceNs : comparison.totals[i].hostSelfNs;
  };
  const std::int64_t whole = totalOf(run) - totalOf(0);
  if (whole == 0) return std::nullopt;
  return static_cast<double>(headlineDelta(comparison, group, run)) / static_cast<double>(whole);
}

void writeRatio(JsonWriter& json, std::string_view key, std::optional<double> value) {
  json.key(key);
  value ? json.number(*value) : json.null();
}

void writeGroup(JsonWriter& json, const Answer& answer, const ComparisonGroup& group, bool isRest) {
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
  json.boolean("is_rest", isRest);
  json.key("match");
  isRest ? json.null() : json.text(toString(group.match));
  json.key("runs");
  json.beginArray();
  for (std::size_t run = 0; run < group.runs.size(); ++run) {
    const RunFigures& figures = group.runs[run];
    json.beginObject();
    json.count("calls", figures.calls);
    json.integer("host_self_ns", figures.hostSelfNs);
    json.integer("device_ns", figures.deviceNs);
    const bool known = figures.calls != 0 && !isRest;
    json.integer("mean_ns", known ? std::optional(figures.meanNs) : std::nullopt);
    json.integer("median_ns", known ? std::optional(figures.medianNs) : std::nullopt);
    if (run > 0) {
      json.integer("delta_host_self_ns", group.hostDeltaNs(run));
      json.integer("delta_device_ns", group.deviceDeltaNs(run));
      writeRatio(json, "contribution_ratio", contribution(answer, group, run));
    }
    json.endObject();
  }
  json.endArray();
  // Of the first other run; those of every run stand in `runs`.
  json.integer("delta_host_self_ns", group.hostDeltaNs(1));
  json.integer("delta_device_ns", group.deviceDeltaNs(1));
  writeRatio(json, "contribution_ratio", contribution(answer, group, 1));
  json.endObject();
}

void writeRuns(JsonWriter& json, const Answer& answer) {
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
    json.endObject();
  }
  json.endArray();
  json.text("align", toString(answer.alignment));
}

void writeVerdicts(JsonWriter& json, const Answer& answer) {
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
    json.endObject();
  }
  json.endArray();
  json.endObject();

  json.key("verdicts");
  json.beginArray();
  for (std::size_t run = 1; run < answer.headline.runs.size(); ++run) {
    const RunHeadline& headline = answer.headline.runs[run];
    json.beginObject();
    json.text("run", runLetter(run));
    json.text("verdict", toString(headline.verdict));
    writeRatio(json, "change_ratio", headline.changeRatio);
    for (const char* key : {"low_ratio", "high_ratio", "pairs", "pairs_needed", "noise_floor_ratio"}) json.null(key);
    json.text("method", answer.headline.method);
    json.text("figure", answer.headline.figure);
    json.text("sentence", headline.sentence);
    json.endObject();
  }
  json.endArray();
}

void writeFigures(JsonWriter& json, const Answer& answer) {
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
    for (std::size_t run = 0; run < memory.peakBytes.size(); ++run) json.null();
    json.endArray();
    json.endObject();
  }
  json.endArray();
}

Table tableOf(const Answer& answer) {
  const Comparison& comparison = answer.comparison;
  const std::size_t count = comparison.totals.size();
  const bool device = comparison.byDevice;
  std::vector<Column> columns{{"operator", "operator", CellKind::kText},
                              {"input_shapes", "input shapes", CellKind::kText, false},
                              {"match", "match", CellKind::kText}};
  for (std::size_t run = 0; run < count; ++run) {
    const std::string letter = runLetter(run);
    columns.push_back({"calls_" + letter, "calls " + letter, CellKind::kCount});
    columns.push_back({"host_self_ns_" + letter, "host " + letter, CellKind::kTime, !device});
    columns.push_back({"device_ns_" + letter, "device " + letter, CellKind::kTime, device});
  }
  for (std::size_t run = 1; run < count; ++run) {
    const std::string letter = runLetter(run);
    columns.push_back({"delta_host_self_ns_" + letter, letter + " - A", CellKind::kTime, !device});
    columns.push_back({"delta_device_ns_" + letter, letter + " - A", CellKind::kTime, device});
    columns.push_back({"contribution_ratio_" + letter, "of it", CellKind::kShare});
  }
  Table table(std::move(columns));
  const auto add = [&](const ComparisonGroup& group, bool isRest) {
    std::string name = group.operatorName;
    if (!group.inputShapes.empty() && group.inputShapes != "[]") name += " " + group.inputShapes;
    std::vector<Cell> cells;
    cells.emplace_back(std::move(name));
    cells.emplace_back(group.inputShapes);
    isRest ? cells.emplace_back() : cells.emplace_back(std::string(toString(group.match)));
    for (const RunFigures& figures : group.runs) {
      cells.emplace_back(static_cast<std::int64_t>(figures.calls));
      cells.emplace_back(figures.hostSelfNs);
      cells.emplace_back(figures.deviceNs);
    }
    for (std::size_t run = 1; run < count; ++run) {
      cells.emplace_back(group.hostDeltaNs(run));
      cells.emplace_back(group.deviceDeltaNs(run));
      const auto part = contribution(answer, group, run);
      part ? cells.emplace_back(*part) : cells.emplace_back();
    }
    table.add(std::move(cells));
  };
  for (const std::size_t i : answer.shown) add(comparison.groups[i], false);
  if (answer.rest) add(*answer.rest, true);
  return table;
}

void writeText(const Context& context, const Answer& answer) {
  Output& output = context.output;
  const Comparison& comparison = answer.comparison;
  const bool markdown = context.options.form == OutputForm::kMarkdown;
  const std::string item = markdown ? "- " : "";
  for (std::size_t run = 0; run < answer.runs.size(); ++run) {
    output.write(fmt::format("{}{}: {}\n", item, runLetter(run), oneLine(comparison.titles[run])));
  }
  output.write("\n");
  for (std::size_t run = 1; run < answer.headline.runs.size(); ++run) {
    output.write(answer.headline.runs[run].sentence + (markdown ? "  \n" : "\n"));
  }
  output.write(answer.headline.method + "\n\n");
  for (const Condition& reason : comparison.reasons) {
    output.write(fmt::format("{}{} (A {}, {} {}): {}\n", item, reason.subject, oneLine(reason.base),
                             runLetter(reason.run), oneLine(reason.other), reason.meaning));
  }
  if (!comparison.reasons.empty()) output.write("\n");
  const Table table = tableOf(answer);
  if (const auto order = table.order({}, {})) table.print(output, context.options.form, *order);
  output.write("\n");
  for (const MemoryComparison& memory : comparison.memory) {
    std::string line = item + "peak memory of " + memory.device + ":";
    for (std::size_t run = 0; run < memory.peakBytes.size(); ++run) {
      line += fmt::format("{} {} {}", run == 0 ? "" : ",", runLetter(run),
                          memory.peakBytes[run] ? bytesText(*memory.peakBytes[run]) : "-");
    }
    output.write(line + "\n");
  }
}

}  // namespace

Outcome runCompare(const Context& context) {
  Answer answer;
  answer.alignment = parseAlignment(context.options.align).value_or(Alignment{});
  for (const std::string& file : context.options.files) {
    auto loaded = loadFor(context, file);
    if (!loaded) return tl::unexpected(loaded.error());
    LoadedRun run;
    run.trace = std::move(*loaded);
    run.tree = buildOperatorTree(*run.trace, context.stop);
    const Trace& base = answer.runs.empty() ? *run.trace : *answer.runs.front().trace;
    const auto aligned = alignedScope(*run.trace, answer.alignment, base);
    if (!aligned) return failure(file, aligned.error());
    run.aligned = *aligned;
    answer.runs.push_back(std::move(run));
  }
  std::vector<ComparedRun> compared;
  for (const LoadedRun& run : answer.runs) {
    compared.push_back({run.trace.get(), &run.tree, run.trace->title(), run.aligned.scope});
  }
  answer.comparison = compareRuns(compared);
  answer.headline = headlineOf(answer.comparison);
  chooseGroups(answer, context.options);

  switch (context.options.form) {
    case OutputForm::kJson: {
      JsonWriter json(context.output);
      json.beginDocument();
      writeRuns(json, answer);
      writeVerdicts(json, answer);
      writeFigures(json, answer);
      json.endDocument();
      break;
    }
    case OutputForm::kCsv: {
      const Table table = tableOf(answer);
      if (const auto order = table.order({}, {})) table.printCsv(context.output, *order);
      break;
    }
    default:
      writeText(context, answer);
  }
  return {};
}

}  // namespace attnscope::cli
