// SPDX-License-Identifier: Apache-2.0
#include <array>

#include <fmt/format.h>

#include "app/cli/Commands.h"
#include "app/cli/Table.h"
#include "app/cli/TraceJson.h"
#include "core/analysis/KernelLaunches.h"

namespace attnscope::cli {

namespace {

using Extent = std::array<std::int32_t, 3>;

bool isRecorded(const Extent& extent) { return extent != Extent{}; }

Cell extentCell(const Extent& extent) {
  if (!isRecorded(extent)) return {};
  return fmt::format("{}x{}x{}", extent[0], extent[1], extent[2]);
}

Cell recorded(std::int64_t value) { return value < 0 ? Cell() : Cell(value); }

std::string_view tensorCoresText(TensorCores use) {
  switch (use) {
    case TensorCores::kYes:
      return "yes";
    case TensorCores::kNo:
      return "no";
    case TensorCores::kUnknown:
      return "unknown";
  }
  return "unknown";
}

Table tableOf(const Trace& trace, const std::vector<KernelRow>& rows, bool byLaunch) {
  Table table({{"name", "name", CellKind::kText, false},
               {"short_name", "kernel", CellKind::kText},
               {"family", "family", CellKind::kText},
               {"operators", "launched by", CellKind::kText},
               {"calls", "calls", CellKind::kCount},
               {"total_ns", "total", CellKind::kTime},
               {"total_share", "share", CellKind::kShare},
               {"min_ns", "min", CellKind::kTime},
               {"mean_ns", "mean", CellKind::kTime},
               {"median_ns", "median", CellKind::kTime},
               {"p95_ns", "p95", CellKind::kTime},
               {"max_ns", "max", CellKind::kTime},
               {"grid", "grid", CellKind::kText, byLaunch},
               {"block", "block", CellKind::kText, byLaunch},
               {"registers_per_thread", "registers", CellKind::kCount, byLaunch},
               {"shared_memory_bytes", "shared", CellKind::kBytes, byLaunch},
               {"occupancy", "occupancy", CellKind::kShare, byLaunch},
               {"limited_by", "limited by", CellKind::kText, byLaunch},
               {"waves", "waves", CellKind::kNumber, byLaunch},
               {"last_wave_fill_share", "last wave", CellKind::kShare, false},
               {"launch_median_ns", "launch to start", CellKind::kTime, false},
               {"queue_median_ns", "queue", CellKind::kTime, false},
               {"tensor_cores", "tensor cores", CellKind::kText, false},
               {"tensor_core_family", "instructions", CellKind::kText, false}});
  const std::vector<KernelLaunches> launches = kernelLaunches(trace, rows);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const KernelRow& row = rows[i];
    const auto& runs = launches[i].occupancy;
    const bool hasWaves = runs && runs->waves > 0;
    table.add({demangledName(trace.strings.view(row.name)),
               row.shortName,
               std::string(row.family),
               row.operators.empty() ? Cell() : Cell(std::string(trace.strings.view(row.operators.front().name))),
               static_cast<std::int64_t>(row.calls),
               row.totalNs,
               row.totalShare,
               row.minNs,
               row.meanNs,
               row.medianNs,
               row.p95Ns,
               row.maxNs,
               extentCell(row.grid),
               extentCell(row.block),
               recorded(row.registersPerThread),
               recorded(row.sharedMemoryBytes),
               runs ? Cell(runs->theoretical) : Cell(),
               runs ? Cell(std::string(toString(runs->limitedBy))) : Cell(),
               hasWaves ? Cell(runs->waves) : Cell(),
               hasWaves ? Cell(runs->lastWaveFill) : Cell(),
               recorded(launches[i].launchMedianNs),
               recorded(launches[i].queueMedianNs),
               std::string(tensorCoresText(row.tensorCores)),
               launches[i].tensorCoreFamily.empty() ? Cell() : Cell(std::string(launches[i].tensorCoreFamily))});
  }
  return table;
}

void writeExtent(JsonWriter& json, std::string_view key, const Extent& extent) {
  json.key(key);
  if (!isRecorded(extent)) return json.null();
  json.beginArray();
  for (const std::int32_t side : extent) json.integer(side);
  json.endArray();
}

void writeRow(JsonWriter& json, const Trace& trace, const KernelRow& row, const KernelLaunches& launches) {
  const auto when = [](std::int64_t value) { return value < 0 ? std::nullopt : std::optional<std::int64_t>(value); };
  json.beginObject();
  json.text("name", trace.strings.view(row.name));
  json.text("short_name", row.shortName);
  json.text("family", row.family);
  json.count("calls", row.calls);
  json.integer("total_ns", row.totalNs);
  json.integer("min_ns", row.minNs);
  json.integer("mean_ns", row.meanNs);
  json.integer("median_ns", row.medianNs);
  json.integer("p95_ns", row.p95Ns);
  json.integer("max_ns", row.maxNs);
  json.number("total_share", row.totalShare);
  json.key("operators");
  json.beginArray();
  for (const LaunchingOperator& launcher : row.operators) {
    json.beginObject();
    json.text("name", trace.strings.view(launcher.name));
    json.count("calls", launcher.calls);
    json.endObject();
  }
  json.endArray();
  writeExtent(json, "grid", row.grid);
  writeExtent(json, "block", row.block);
  json.integer("registers_per_thread", when(row.registersPerThread));
  json.integer("shared_memory_bytes", when(row.sharedMemoryBytes));
  json.key("occupancy");
  json.beginObject();
  json.key("reported");
  row.occupancyReported < 0 ? json.null() : json.raw(fmt::format("{}", row.occupancyReported));
  const auto& runs = launches.occupancy;
  const auto figure = [&](std::string_view key, double Occupancy::*member, bool isKnown) {
    json.key(key);
    isKnown ? json.number((*runs).*member) : json.null();
  };
  const bool hasWaves = runs && runs->waves > 0;
  figure("theoretical", &Occupancy::theoretical, runs.has_value());
  json.textOrNull("limited_by", runs ? toString(runs->limitedBy) : std::string_view{});
  figure("achieved", &Occupancy::achieved, hasWaves);
  json.integer("blocks_per_sm", runs ? std::optional(runs->blocksPerSm) : std::nullopt);
  figure("waves", &Occupancy::waves, hasWaves);
  figure("last_wave_fill_share", &Occupancy::lastWaveFill, hasWaves);
  json.endObject();
  json.integer("launch_median_ns", when(launches.launchMedianNs));
  json.integer("queue_median_ns", when(launches.queueMedianNs));
  json.text("tensor_cores", tensorCoresText(row.tensorCores));
  json.textOrNull("tensor_core_family", launches.tensorCoreFamily);
  json.endObject();
}

double share(const DeviceBusy& busy) {
  return busy.spanNs == 0 ? 0 : static_cast<double>(busy.busyNs) / static_cast<double>(busy.spanNs);
}

void writeJson(Output& output, const Trace& trace, const KernelTable& kernels, const std::vector<std::size_t>& order) {
  JsonWriter json(output);
  json.beginDocument();
  writeOrigin(json, trace);
  json.key("kernels");
  json.beginArray();
  const std::vector<KernelLaunches> launches = kernelLaunches(trace, kernels.rows);
  for (const std::size_t i : order) writeRow(json, trace, kernels.rows[i], launches[i]);
  json.endArray();
  json.key("copies");
  json.beginArray();
  for (const KernelRow& row : kernels.copies) writeRow(json, trace, row, {});
  json.endArray();
  json.key("device");
  json.beginArray();
  for (const DeviceBusy& busy : deviceBusy(trace)) {
    json.beginObject();
    json.integer("index", busy.device < 0 ? std::nullopt : std::optional<std::int64_t>(busy.device));
    json.integer("busy_ns", busy.busyNs);
    json.integer("span_ns", busy.spanNs);
    json.key("busy_share");
    busy.spanNs == 0 ? json.null() : json.number(share(busy));
    json.endObject();
  }
  json.endArray();
  json.key("totals");
  json.beginObject();
  json.integer("kernels_ns", kernels.totalNs);
  json.endObject();
  json.endDocument();
}

void writeText(Output& output, const Trace& trace, const KernelTable& kernels, const Table& table,
               const std::vector<std::size_t>& order) {
  if (kernels.rows.empty() && kernels.copies.empty()) {
    output.write("No device work in this trace: attnscope-cli operators --leaf shows what the host did.\n");
    return;
  }
  table.printText(output, order);
  if (!kernels.copies.empty()) {
    output.write("\n");
    const Table copies = tableOf(trace, kernels.copies, false);
    if (const auto all = copies.order({}, {})) copies.printText(output, *all);
  }
  output.write("\n");
  for (const DeviceBusy& busy : deviceBusy(trace)) {
    const std::string device = busy.device < 0 ? std::string("device") : fmt::format("device {}", busy.device);
    output.write(fmt::format("{}: busy {} of {} ({:.1f} %)\n", device, timeText(busy.busyNs), timeText(busy.spanNs),
                             100 * share(busy)));
  }
}

}  // namespace

Outcome runKernels(const Context& context) {
  const Options& options = context.options;
  const auto loaded = loadFor(context, options.files.front());
  if (!loaded) return tl::unexpected(loaded.error());
  const Trace& trace = **loaded;
  const KernelTable kernels =
      kernelTable(trace, options.byLaunch ? KernelGrouping::kByLaunch : KernelGrouping::kByName);
  const Table table = tableOf(trace, kernels.rows, options.byLaunch);
  const auto order = table.order(options.sortColumn, options.top);
  if (!order) return failure({}, order.error());
  switch (options.form) {
    case OutputForm::kJson:
      writeJson(context.output, trace, kernels, *order);
      break;
    case OutputForm::kText:
      writeText(context.output, trace, kernels, table, *order);
      break;
    default:
      table.print(context.output, options.form, *order);
  }
  return {};
}

}  // namespace attnscope::cli
