// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "app/cli/Commands.h"
#include "app/cli/Table.h"
#include "app/cli/TraceJson.h"
#include "core/analysis/Operators.h"

namespace attnscope::cli {

namespace {

Table tableOf(const OperatorTable& operators, const Options& options) {
  const bool anyDevice = operators.totals.deviceEventsNs != 0 || operators.totals.deviceSelfNs != 0;
  const auto any = [&](std::int64_t OperatorRow::*member) {
    return std::any_of(operators.rows.begin(), operators.rows.end(),
                       [&](const OperatorRow& row) { return row.*member != 0; });
  };
  const bool hostMemory = any(&OperatorRow::cpuMemoryBytes) || any(&OperatorRow::cpuMemorySelfBytes);
  const bool deviceMemory = any(&OperatorRow::deviceMemoryBytes) || any(&OperatorRow::deviceMemorySelfBytes);
  Table table({{"name", "operator", CellKind::kText},
               {"is_user_annotation", "annotation", CellKind::kText, false},
               {"input_shapes", "input shapes", CellKind::kText, options.byShape},
               {"calls", "calls", CellKind::kCount},
               {"cpu_total_ns", "cpu total", CellKind::kTime},
               {"cpu_self_ns", "cpu self", CellKind::kTime},
               {"device_total_ns", "device total", CellKind::kTime, anyDevice},
               {"device_self_ns", "device self", CellKind::kTime, anyDevice},
               {"cpu_memory_bytes", "cpu memory", CellKind::kBytes, hostMemory},
               {"cpu_memory_self_bytes", "cpu memory self", CellKind::kBytes, hostMemory},
               {"device_memory_bytes", "device memory", CellKind::kBytes, deviceMemory},
               {"device_memory_self_bytes", "device memory self", CellKind::kBytes, deviceMemory}});
  for (const OperatorRow& row : operators.rows) {
    table.add({row.nameText, std::string(row.isUserAnnotation ? "true" : "false"),
               options.byShape ? Cell(row.shapesText) : Cell(), static_cast<std::int64_t>(row.calls), row.cpuTotalNs,
               row.cpuSelfNs, row.deviceTotalNs, row.deviceSelfNs, row.cpuMemoryBytes, row.cpuMemorySelfBytes,
               row.deviceMemoryBytes, row.deviceMemorySelfBytes});
  }
  return table;
}

void writeJson(Output& output, const Trace& trace, const OperatorTable& operators,
               const std::vector<std::size_t>& order) {
  JsonWriter json(output);
  json.beginDocument();
  writeOrigin(json, trace);
  json.key("operators");
  json.beginArray();
  for (const std::size_t i : order) {
    const OperatorRow& row = operators.rows[i];
    json.beginObject();
    json.text("name", row.nameText);
    json.boolean("is_user_annotation", row.isUserAnnotation);
    json.key("input_shapes");
    if (row.shapesText.empty()) {
      json.null();
    } else {
      std::string shapes;
      appendJsonValue(shapes, row.shapesText);
      json.raw(shapes);
    }
    json.count("calls", row.calls);
    json.integer("cpu_total_ns", row.cpuTotalNs);
    json.integer("cpu_self_ns", row.cpuSelfNs);
    json.integer("device_total_ns", row.deviceTotalNs);
    json.integer("device_self_ns", row.deviceSelfNs);
    json.integer("cpu_memory_bytes", row.cpuMemoryBytes);
    json.integer("cpu_memory_self_bytes", row.cpuMemorySelfBytes);
    json.integer("device_memory_bytes", row.deviceMemoryBytes);
    json.integer("device_memory_self_bytes", row.deviceMemorySelfBytes);
    json.endObject();
  }
  json.endArray();
  json.key("totals");
  json.beginObject();
  json.integer("cpu_self_ns", operators.totals.cpuSelfNs);
  json.integer("device_self_ns", operators.totals.deviceSelfNs);
  json.integer("device_events_ns", operators.totals.deviceEventsNs);
  json.integer("cpu_memory_self_bytes", operators.totals.cpuMemorySelfBytes);
  json.integer("device_memory_self_bytes", operators.totals.deviceMemorySelfBytes);
  json.endObject();
  json.endDocument();
}

}  // namespace

Outcome runOperators(const Context& context) {
  const Options& options = context.options;
  const auto loaded = loadFor(context, options.files.front());
  if (!loaded) return tl::unexpected(loaded.error());
  const Trace& trace = **loaded;
  const OperatorTree tree = buildOperatorTree(trace, context.stop);
  if (context.stop.stop_requested()) return failure(trace.path, cancelled().value());
  const OperatorTable operators =
      operatorTable(trace, tree, options.byShape ? OperatorGrouping::kByShape : OperatorGrouping::kByName,
                    options.leaf ? OperatorFilter::kLeaf : OperatorFilter::kAll);
  const Table table = tableOf(operators, options);
  const auto order = table.order(options.sortColumn, options.top);
  if (!order) return failure({}, order.error());
  if (options.form == OutputForm::kJson) {
    writeJson(context.output, trace, operators, *order);
    return {};
  }
  table.print(context.output, options.form, *order);
  if (options.form == OutputForm::kText) {
    const OperatorTotals& totals = operators.totals;
    context.output.write(fmt::format("\ncpu self in all {}", timeText(totals.cpuSelfNs)));
    if (totals.deviceEventsNs != 0) {
      context.output.write(fmt::format(", device work {}, of it launched by operators {}",
                                       timeText(totals.deviceEventsNs), timeText(totals.deviceSelfNs)));
    }
    context.output.write("\n");
  }
  return {};
}

}  // namespace attnscope::cli
