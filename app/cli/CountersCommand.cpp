// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "app/cli/Commands.h"
#include "app/cli/NameFilter.h"
#include "app/cli/Table.h"
#include "app/cli/TraceJson.h"

namespace attnscope::cli {

namespace {

void writeSeries(JsonWriter& json, const Trace& trace, const CounterSeries& series) {
  json.beginObject();
  writeName(json, "name", trace, series.name);
  writeName(json, "id", trace, series.id);
  writeName(json, "series", trace, series.series);
  if (series.process == kNoProcess) {
    json.null("pid");
  } else {
    writeIdentity(json, "pid", trace, trace.processes[index(series.process)].pid);
  }
  writeId(json, "track", series.track, kNoTrack);
  json.key("samples");
  json.beginArray();
  for (std::size_t i = 0; i < series.atNs.size(); ++i) {
    json.beginArray();
    json.integer(series.atNs[i]);
    json.number(series.value[i]);
    json.endArray();
  }
  json.endArray();
  json.endObject();
}

// A line a series as text, a line a sample as CSV.
void writeRows(const Context& context, const Trace& trace, const std::vector<const CounterSeries*>& chosen) {
  if (context.options.form == OutputForm::kCsv) {
    context.output.write("name,id,series,pid,at_ns,value\n");
    for (const CounterSeries* series : chosen) {
      const std::string pid =
          series->process == kNoProcess ? "" : trace.identityText(trace.processes[index(series->process)].pid);
      const std::string front = csvField(trace.strings.view(series->name)) + ',' +
                                csvField(trace.strings.view(series->id)) + ',' +
                                csvField(trace.strings.view(series->series)) + ',' + csvField(pid) + ',';
      for (std::size_t i = 0; i < series->atNs.size(); ++i) {
        const double value = series->value[i];
        context.output.write(front + std::to_string(series->atNs[i]) + ',' +
                             (std::isfinite(value) ? fmt::format("{}", value) : std::string()) + '\n');
      }
    }
    return;
  }
  Table table({{"name", "counter", CellKind::kText},
               {"id", "id", CellKind::kText},
               {"series", "series", CellKind::kText},
               {"pid", "pid", CellKind::kText},
               {"samples", "samples", CellKind::kCount},
               {"min", "min", CellKind::kCount},
               {"max", "max", CellKind::kCount}});
  for (const CounterSeries* series : chosen) {
    double low = INFINITY;
    double high = -INFINITY;
    for (const double value : series->value) {
      if (!std::isfinite(value)) continue;
      low = std::min(low, value);
      high = std::max(high, value);
    }
    const auto name = [&](StringId id) { return Cell(std::string(trace.strings.view(id))); };
    const auto bound = [](double value) { return std::isfinite(value) ? Cell(value) : Cell(); };
    const std::string pid =
        series->process == kNoProcess ? "" : trace.identityText(trace.processes[index(series->process)].pid);
    table.add({name(series->name), name(series->id), name(series->series), pid,
               static_cast<std::int64_t>(series->atNs.size()), bound(low), bound(high)});
  }
  const auto order = table.order({}, {});
  if (order) table.printText(context.output, *order);
}

}  // namespace

Outcome runCounters(const Context& context) {
  const auto loaded = loadFor(context, context.options.files.front());
  if (!loaded) return tl::unexpected(loaded.error());
  const Trace& trace = **loaded;
  const auto names = NameFilter::make(context.options.name, trace.strings);
  if (!names) return failure({}, names.error());
  std::vector<const CounterSeries*> chosen;
  for (const CounterSeries& series : trace.counters) {
    if (names->holds(series.name)) chosen.push_back(&series);
  }
  if (context.options.form != OutputForm::kJson) {
    writeRows(context, trace, chosen);
    return {};
  }
  JsonWriter json(context.output);
  json.beginDocument();
  writeOrigin(json, trace);
  json.key("counters");
  json.beginArray();
  for (const CounterSeries* series : chosen) {
    if (context.stop.stop_requested()) return {};
    writeSeries(json, trace, *series);
  }
  json.endArray();
  json.endDocument();
  return {};
}

}  // namespace attnscope::cli
