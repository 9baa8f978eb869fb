// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/cli/Commands.h"
#include "app/cli/JsonText.h"
#include "app/cli/JsonWriter.h"
#include "app/cli/RunnerProgram.h"
#include "app/cli/Table.h"
#include "core/problem/Cards.h"
#include "core/problem/ProblemJson.h"

namespace attnscope::cli {

namespace {

struct Row {
  const Card* card = nullptr;
  CardFigures figures;
  std::string reason;  // empty: available
};

// The card speaks first: its words are of the problem, and need no runner.
std::string reasonOf(const Card& card, const Options& options, DeviceKind device,
                     const Result<RunnerDescription>& runner) {
  if (const auto refusal = refusalOf(card, options.problem, device)) return *refusal;
  if (!runner) return runner.error().message();
  for (const std::string& name : {options.device, std::string(toString(device))}) {
    const auto found = runner->devices.find(name);
    if (found != runner->devices.end() && !found->second.empty()) return found->second;
  }
  const auto found = runner->implementations.find(std::string(card.id));
  return found == runner->implementations.end() ? "This runner does not have it." : found->second;
}

void writeJson(Output& output, const Options& options, const Result<RunnerDescription>& runner,
               const std::vector<Row>& rows) {
  JsonWriter json(output);
  json.beginDocument();
  std::string problem;
  appendJsonValue(problem, toJson(options.problem).dump());
  json.raw("problem", problem);
  json.text("device", options.device);
  json.integer("threads", options.threads);
  json.key("runner");
  if (runner) {
    json.beginObject();
    json.textOrNull("version", runner->version);
    json.textOrNull("libtorch", runner->libtorch);
    json.textOrNull("cpu_capability", runner->cpuCapability);
    json.endObject();
  } else {
    json.null();
  }
  json.key("implementations");
  json.beginArray();
  for (const Row& row : rows) {
    const Card& card = *row.card;
    json.beginObject();
    json.text("id", card.id);
    json.text("title", card.title);
    json.text("family", familyOf(card.id));
    json.text("group", textOf(card.group).title);
    json.boolean("exact", card.exactness == Exactness::kExact);
    json.key("devices");
    json.beginArray();
    for (const DeviceKind kind : {DeviceKind::kCpu, DeviceKind::kCuda}) {
      if (runsOn(card, kind)) json.text(toString(kind));
    }
    json.endArray();
    json.boolean("available", row.reason.empty());
    json.textOrNull("reason", row.reason);
    json.integer("useful_flops", row.figures.usefulFlops);
    json.integer("executed_flops", row.figures.executedFlops);
    json.integer("minimum_bytes", row.figures.minimumBytes);
    json.integer("predicted_peak_bytes", row.figures.predictedPeakBytes);
    json.integer("least_peak_bytes", row.figures.leastPeakBytes);
    json.textOrNull("peak_words", row.figures.peakWords);
    json.text("complexity", card.complexity);
    json.textOrNull("advice", adviceOf(card, options.problem).value_or(std::string()));
    json.endObject();
  }
  json.endArray();
  json.endDocument();
}

Table tableOf(const std::vector<Row>& rows) {
  Table table({{"id", "id", CellKind::kText},
               {"title", "title", CellKind::kText},
               {"family", "family", CellKind::kText, false},
               {"exact", "exact", CellKind::kText},
               {"available", "available", CellKind::kText},
               {"reason", "reason", CellKind::kText, false},
               {"useful_flops", "useful FLOPs", CellKind::kCount, false},
               {"executed_flops", "executed FLOPs", CellKind::kCount, false},
               {"minimum_bytes", "least traffic", CellKind::kBytes, false},
               {"predicted_peak_bytes", "predicted peak", CellKind::kBytes},
               {"complexity", "grows with", CellKind::kText}});
  const auto cell = [](std::optional<std::int64_t> value) { return value ? Cell(*value) : Cell(); };
  for (const Row& row : rows) {
    const bool exact = row.card->exactness == Exactness::kExact;
    table.add({std::string(row.card->id), std::string(row.card->title), std::string(familyOf(row.card->id)),
               std::string(exact ? "yes" : "no"), std::string(row.reason.empty() ? "yes" : "no"), row.reason,
               row.figures.usefulFlops, cell(row.figures.executedFlops), row.figures.minimumBytes,
               cell(row.figures.predictedPeakBytes), std::string(row.card->complexity)});
  }
  return table;
}

}  // namespace

Outcome runImplementations(const Context& context) {
  const Options& options = context.options;
  const DeviceKind device = deviceKindOf(options.device).value_or(DeviceKind::kCpu);  // checked with the options
  const Result<RunnerDescription> runner = describeRunner(options.problem, context.scratch, context.stop);
  if (!runner && runner.error().kind == ErrorKind::kCancelled) return failure({}, runner.error());
  const CardConditions conditions = conditionsHere(options.threads);
  std::vector<Row> rows;
  for (const Card& card : cards()) {
    rows.push_back({&card, figuresOf(card, options.problem, conditions), reasonOf(card, options, device, runner)});
  }
  if (options.form == OutputForm::kJson) {
    writeJson(context.output, options, runner, rows);
    return {};
  }
  const Table table = tableOf(rows);
  const auto order = table.order({}, {});
  if (!order) return failure({}, order.error());
  if (options.form == OutputForm::kText) {
    context.output.write(fmt::format("{}, {}\n\n", describe(options.problem), options.device));
  }
  table.print(context.output, options.form, *order);
  if (options.form != OutputForm::kText) return {};
  context.output.write("\n");
  for (const Row& row : rows) {
    if (!row.reason.empty()) {
      context.output.write(fmt::format("{}: {}\n", row.card->id, oneLine(row.reason)));
    } else if (const auto advice = adviceOf(*row.card, options.problem)) {
      context.output.write(fmt::format("{}: {}\n", row.card->id, *advice));
    }
  }
  return {};
}

}  // namespace attnscope::cli
