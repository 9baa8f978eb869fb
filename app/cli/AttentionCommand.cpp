// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "app/cli/Commands.h"
#include "app/cli/Table.h"
#include "app/cli/TraceJson.h"
#include "core/analysis/AttentionStages.h"

namespace attnscope::cli {

namespace {

using Stages = std::array<StageTime, kAttentionStageCount>;

// The share is of device time where the call has any, else of the host's.
void writeStages(JsonWriter& json, const Stages& stages) {
  std::int64_t hostNs = 0;
  std::int64_t deviceNs = 0;
  for (const StageTime& stage : stages) {
    hostNs += stage.hostNs;
    deviceNs += stage.deviceNs;
  }
  const auto share = [](std::int64_t part, std::int64_t whole) {
    return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
  };
  json.key("stages");
  json.beginArray();
  for (std::size_t i = 0; i < stages.size(); ++i) {
    if (stages[i].hostNs == 0 && stages[i].deviceNs == 0 && stages[i].slices.empty()) continue;
    json.beginObject();
    json.text("stage", toString(static_cast<AttentionStage>(i)));
    json.integer("host_ns", stages[i].hostNs);
    json.integer("device_ns", stages[i].deviceNs);
    json.number("time_share", deviceNs != 0 ? share(stages[i].deviceNs, deviceNs) : share(stages[i].hostNs, hostNs));
    json.endObject();
  }
  json.endArray();
}

void writeJson(Output& output, const Trace& trace, const std::vector<AttentionCall>& calls) {
  JsonWriter json(output);
  json.beginDocument();
  writeOrigin(json, trace);
  json.key("calls");
  json.beginArray();
  std::int64_t hostNs = 0;
  std::int64_t deviceNs = 0;
  std::uint64_t kernels = 0;
  for (const AttentionCall& call : calls) {
    json.beginObject();
    json.text("operator", trace.name(call.slice));
    json.count("slice", index(call.slice));
    json.text("backend", call.backend);
    json.text("evidence", toString(call.evidence));
    writeName(json, "shape", trace, call.inputDims);
    json.integer("start_ns", call.host.startNs);
    json.integer("cpu_ns", call.host.durationNs());
    json.integer("device_ns", call.deviceNs);
    json.count("kernels", call.kernels);
    writeStages(json, call.stages);
    json.endObject();
    hostNs += call.host.durationNs();
    deviceNs += call.deviceNs;
    kernels += call.kernels;
  }
  json.endArray();
  json.key("totals");
  json.beginObject();
  json.count("calls", calls.size());
  json.integer("cpu_ns", hostNs);
  json.integer("device_ns", deviceNs);
  json.count("kernels", kernels);
  writeStages(json, attentionTotals(calls));
  json.endObject();
  json.endDocument();
}

void writeText(Output& output, const Trace& trace, const std::vector<AttentionCall>& calls) {
  if (calls.empty()) {
    output.write("No call of attention on the host in this trace.\n");
    return;
  }
  Table table({{"operator", "operator", CellKind::kText},
               {"backend", "backend", CellKind::kText},
               {"evidence", "told by", CellKind::kText},
               {"cpu_ns", "host", CellKind::kTime},
               {"device_ns", "device", CellKind::kTime},
               {"kernels", "kernels", CellKind::kCount},
               {"shape", "input sizes", CellKind::kText}});
  for (const AttentionCall& call : calls) {
    table.add({std::string(trace.name(call.slice)), std::string(call.backend), std::string(toString(call.evidence)),
               call.host.durationNs(), call.deviceNs, static_cast<std::int64_t>(call.kernels),
               call.inputDims == kNoString ? Cell{} : Cell{std::string(trace.strings.view(call.inputDims))}});
  }
  if (const auto order = table.order({}, {})) table.printText(output, *order);
  Table stages({{"stage", "stage of all calls", CellKind::kText},
                {"host_ns", "host", CellKind::kTime},
                {"device_ns", "device", CellKind::kTime}});
  const Stages totals = attentionTotals(calls);
  for (std::size_t i = 0; i < totals.size(); ++i) {
    if (totals[i].hostNs == 0 && totals[i].deviceNs == 0) continue;
    stages.add({std::string(toString(static_cast<AttentionStage>(i))), totals[i].hostNs, totals[i].deviceNs});
  }
  output.write("\n");
  if (const auto order = stages.order({}, {})) stages.printText(output, *order);
}

}  // namespace

Outcome runAttention(const Context& context) {
  const auto loaded = loadFor(context, context.options.files.front());
  if (!loaded) return tl::unexpected(loaded.error());
  const Trace& trace = **loaded;
  const OperatorTree tree = buildOperatorTree(trace, context.stop);
  if (context.stop.stop_requested()) return failure(trace.path, cancelled().value());
  const std::vector<AttentionCall> calls = attentionCalls(trace, tree);
  if (context.options.form == OutputForm::kJson) {
    writeJson(context.output, trace, calls);
  } else {
    writeText(context.output, trace, calls);
  }
  return {};
}

}  // namespace attnscope::cli
