// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "app/cli/Commands.h"
#include "app/cli/SessionInfo.h"
#include "app/cli/Table.h"
#include "app/cli/TraceJson.h"

namespace attnscope::cli {

namespace {

std::optional<std::int64_t> whenKnown(std::int64_t value) {
  return value < 0 ? std::nullopt : std::optional<std::int64_t>(value);
}

std::optional<std::uint64_t> placeOf(std::uint64_t value) {
  return value == TraceHealth::kNowhere ? std::nullopt : std::optional<std::uint64_t>(value);
}

void writeTime(JsonWriter& json, const Trace& trace) {
  json.key("time");
  json.beginObject();
  const auto range = [&](std::string_view start, std::string_view end, TimeRange value) {
    if (trace.timed) {
      json.integer(start, value.startNs);
      json.integer(end, value.endNs);
    } else {
      json.null(start);
      json.null(end);
    }
  };
  range("start_ns", "end_ns", trace.range);
  json.integer("duration_ns", trace.timed ? std::optional(trace.range.durationNs()) : std::nullopt);
  json.raw("base_ns", trace.base.empty() ? "null" : trace.base);
  range("dense_start_ns", "dense_end_ns", trace.dense);
  json.endObject();
}

void writePlaces(JsonWriter& json, const Trace& trace) {
  json.key("rank");
  json.beginObject();
  json.integer("index", whenKnown(trace.rank.index));
  json.textOrNull("source", trace.rank.source);
  json.endObject();

  json.key("processes");
  json.beginArray();
  for (const Process& process : trace.processes) {
    json.beginObject();
    writeIdentity(json, "pid", trace, process.pid);
    json.text("name", process.name);
    json.text("labels", process.labels);
    json.key("earlier_names");
    json.beginArray();
    for (const std::string& name : process.earlierNames) json.text(name);
    json.endArray();
    json.endObject();
  }
  json.endArray();

  json.key("tracks");
  json.beginArray();
  for (std::size_t i = 0; i < trace.tracks.size(); ++i) {
    const Track& track = trace.tracks[i];
    json.beginObject();
    json.count("id", i);
    json.text("kind", toString(track.kind));
    writeId(json, "process", track.process, kNoProcess);
    json.text("name", track.name);
    if (track.process == kNoProcess) {
      json.null("pid");
    } else {
      writeIdentity(json, "pid", trace, trace.processes[index(track.process)].pid);
    }
    writeIdentity(json, "tid", trace, track.tid);
    json.integer("device", whenKnown(track.device));
    json.integer("stream", known(track.stream, kNoNumber));
    json.count("slices", track.sliceCount);
    json.count("depth", track.rows.size());
    json.endObject();
  }
  json.endArray();

  json.key("devices");
  json.beginArray();
  for (const DeviceProperties& device : trace.devices) {
    json.beginObject();
    json.integer("index", static_cast<std::int64_t>(device.id));
    json.textOrNull("name", device.name);
    json.integer("sm_count", whenKnown(device.smCount));
    json.integer("memory_bytes", whenKnown(device.memoryBytes));
    json.textOrNull("compute_capability", device.computeMajor < 0 ? std::string()
                                                                  : fmt::format("{}.{}", device.computeMajor,
                                                                                std::max(device.computeMinor, 0)));
    json.endObject();
  }
  json.endArray();

  json.key("steps");
  json.beginArray();
  for (const Step& step : trace.steps) {
    json.beginObject();
    json.text("name", trace.strings.view(step.name));
    json.integer("start_ns", step.startNs);
    json.integer("duration_ns", step.durationNs);
    json.endObject();
  }
  json.endArray();
}

void writeConditions(JsonWriter& json, const Trace& trace) {
  json.key("metadata");
  json.beginObject();
  for (const auto& [key, value] : trace.metadata) {
    std::string text;
    appendJsonValue(text, value);
    json.raw(key, text);
  }
  json.endObject();

  json.key("health");
  json.beginArray();
  for (const HealthEntry& entry : trace.health.sorted()) {
    json.beginObject();
    json.text("code", entry.code);
    json.text("severity", toString(entry.severity));
    json.count("count", entry.count);
    const auto place = [&](std::string_view key, std::uint64_t value) {
      json.key(key);
      const auto known = placeOf(value);
      known ? json.count(*known) : json.null();
    };
    place("first_byte", entry.firstByte);
    place("first_event", entry.firstEvent);
    json.text("message", entry.message);
    json.endObject();
  }
  json.endArray();

  json.key("load");
  json.beginObject();
  json.number("seconds", trace.load.seconds);
  json.count("peak_rss_bytes", trace.load.peakRssBytes);
  json.count("repaired_bytes", trace.load.repairedBytes);
  json.key("stages");
  json.beginArray();
  for (const LoadStage& stage : trace.load.stages) {
    json.beginObject();
    json.text("name", stage.name);
    json.number("seconds", stage.seconds);
    json.endObject();
  }
  json.endArray();
  json.endObject();
}

void writeJson(Output& output, const Trace& trace) {
  JsonWriter json(output);
  json.beginDocument();
  json.text("file", trace.path);
  json.text("format", trace.format);
  json.text("producer", trace.producer);
  json.count("file_bytes", trace.fileBytes);
  json.count("events", trace.events);
  json.count("slices", trace.slices.size());
  json.count("instants", trace.instants.size());
  json.count("counters", trace.counterSamples);
  json.key("flows");
  json.beginObject();
  json.count("bound", trace.flows.size());
  json.count("unbound", trace.flows.unbound);
  json.endObject();
  json.count("kernels", trace.kernels);
  json.count("memory_events", trace.memory.size());
  writeTime(json, trace);
  writePlaces(json, trace);
  writeConditions(json, trace);
  json.endDocument();
}

void writeText(Output& output, const Trace& trace) {
  const auto line = [&](std::string_view head, const std::string& value) {
    if (!value.empty()) output.write(fmt::format("{:<15} {}\n", head, oneLine(value)));
  };
  line("file", trace.path);
  line("format", trace.format + ", written by " + trace.producer);
  line("size", bytesText(static_cast<std::int64_t>(trace.fileBytes)));
  line("events", fmt::format("{} ({} slices, {} instants, {} counter samples)", trace.events, trace.slices.size(),
                             trace.instants.size(), trace.counterSamples));
  line("arrows", fmt::format("{} bound, {} ends unbound", trace.flows.size(), trace.flows.unbound));
  line("kernels", fmt::format("{}", trace.kernels));
  line("memory records", fmt::format("{}", trace.memory.size()));
  if (trace.timed) line("duration", timeText(trace.range.durationNs()));
  if (trace.timed && trace.dense != trace.range) {
    line("most of it in", fmt::format("{} to {}", timeText(trace.dense.startNs), timeText(trace.dense.endNs)));
  }
  line("zero", trace.base.empty() ? std::string() : trace.base + " ns in the file's clock");
  if (trace.rank.index >= 0) line("rank", fmt::format("{} (from {})", trace.rank.index, trace.rank.source));
  for (const DeviceProperties& device : trace.devices) {
    line("device", fmt::format("{}: {}{}", device.id, device.name,
                               device.memoryBytes < 0 ? std::string() : ", " + bytesText(device.memoryBytes)));
  }
  if (!trace.steps.empty()) {
    line("steps", fmt::format("{}, {} to {}", trace.steps.size(), trace.strings.view(trace.steps.front().name),
                              trace.strings.view(trace.steps.back().name)));
  }
  line("loaded in", fmt::format("{:.2f} s", trace.load.seconds));
  if (trace.load.repairedBytes > 0)
    line("read again", bytesText(static_cast<std::int64_t>(trace.load.repairedBytes)) + " of damaged events");
  output.write("\n");

  Table tracks({{"id", "track", CellKind::kCount},
                {"kind", "kind", CellKind::kText},
                {"process", "process", CellKind::kText},
                {"name", "name", CellKind::kText},
                {"slices", "slices", CellKind::kCount},
                {"depth", "depth", CellKind::kCount}});
  for (std::size_t i = 0; i < trace.tracks.size(); ++i) {
    const Track& track = trace.tracks[i];
    const std::string process = track.process == kNoProcess ? "" : trace.processes[index(track.process)].name;
    tracks.add({static_cast<std::int64_t>(i), std::string(toString(track.kind)), process, track.name,
                static_cast<std::int64_t>(track.sliceCount), static_cast<std::int64_t>(track.rows.size())});
  }
  if (const auto order = tracks.order({}, {}); order && !order->empty()) tracks.printText(output, *order);

  const auto health = trace.health.sorted();
  if (health.empty()) return;
  output.write("\n");
  Table entries({{"severity", "health", CellKind::kText},
                 {"code", "code", CellKind::kText},
                 {"count", "count", CellKind::kCount},
                 {"first_byte", "first byte", CellKind::kCount},
                 {"message", "what it means", CellKind::kText}});
  for (const HealthEntry& entry : health) {
    const auto byte = placeOf(entry.firstByte);
    entries.add({std::string(toString(entry.severity)), entry.code, static_cast<std::int64_t>(entry.count),
                 byte ? Cell(static_cast<std::int64_t>(*byte)) : Cell(), entry.message});
  }
  if (const auto order = entries.order({}, {})) entries.printText(output, *order);
}

}  // namespace

Outcome runInfo(const Context& context) {
  const auto session = sessionInput(context.options.files.front());
  if (!session) return tl::unexpected(session.error());
  if (*session && !(*session)->member) {
    writeSessionInfo(context, **session);
    return {};
  }
  const auto loaded = loadFor(context, context.options.files.front());
  if (!loaded) return tl::unexpected(loaded.error());
  context.options.form == OutputForm::kJson ? writeJson(context.output, **loaded) : writeText(context.output, **loaded);
  return {};
}

}  // namespace attnscope::cli
