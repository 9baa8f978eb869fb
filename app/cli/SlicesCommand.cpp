// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "app/cli/Commands.h"
#include "app/cli/NameFilter.h"
#include "app/cli/SliceArgs.h"
#include "app/cli/Table.h"
#include "app/cli/TraceJson.h"

namespace attnscope::cli {

namespace {

std::vector<SliceId> selected(const Trace& trace, const Options& options, const NameFilter& names) {
  const SliceTable& slices = trace.slices;
  const TimeRange range{options.fromNs.value_or(INT64_MIN), options.toNs.value_or(INT64_MAX)};
  std::vector<SliceId> ids;
  for (std::uint32_t i = 0; i < slices.size(); ++i) {
    const SliceId id{i};
    if (options.track && index(slices.track[i]) != *options.track) continue;
    if (!names.holds(slices.name[i])) continue;
    if (options.category && trace.category(id) != *options.category) continue;
    if (!range.contains(slices.startNs[i]) && !range.overlaps(slices.startNs[i], slices.endNs(id))) continue;
    ids.push_back(id);
  }
  std::sort(ids.begin(), ids.end(), [&](SliceId a, SliceId b) {
    const std::size_t x = index(a);
    const std::size_t y = index(b);
    if (slices.startNs[x] != slices.startNs[y]) return slices.startNs[x] < slices.startNs[y];
    if (slices.durationNs[x] != slices.durationNs[y]) return slices.durationNs[x] > slices.durationNs[y];
    return slices.order[x] < slices.order[y];
  });
  if (options.limit && *options.limit < ids.size()) ids.resize(static_cast<std::size_t>(*options.limit));
  return ids;
}

// Names from the innermost outwards.
void writeStack(JsonWriter& json, std::string_view key, const Trace& trace, std::uint32_t frame) {
  if (frame == kNoFrame) {
    json.null(key);
    return;
  }
  json.key(key);
  json.beginArray();
  for (const StringId name : trace.stacks.names(frame)) json.text(trace.strings.view(name));
  json.endArray();
}

void writeSlice(JsonWriter& json, const Trace& trace, SliceId id, const std::optional<std::string>& args) {
  const SliceTable& slices = trace.slices;
  const std::size_t i = index(id);
  json.beginObject();
  json.count("id", i);
  writeName(json, "name", trace, slices.name[i]);
  writeName(json, "category", trace, slices.category[i]);
  json.text("kind", toString(slices.kind[i]));
  writeId(json, "track", slices.track[i], kNoTrack);
  json.count("depth", slices.depth[i]);
  json.integer("start_ns", slices.startNs[i]);
  json.integer("duration_ns", slices.durationNs[i]);
  json.boolean("finished", slices.finished[i]);
  writeId(json, "parent", slices.parent[i], kNoSlice);
  json.integer("correlation", known(slices.correlation[i], kNoNumber));
  const auto work = trace.deviceWork.find(id);
  writeId(json, "launch", work ? trace.deviceWork.launch[*work] : kNoSlice, kNoSlice);
  json.key("flow_in");
  json.beginArray();
  const auto [firstIn, lastIn] = trace.flows.arriving(id);
  for (std::size_t row = firstIn; row < lastIn; ++row) {
    json.count(index(trace.flows.from[trace.flows.byTarget[row]]));
  }
  json.endArray();
  json.key("flow_out");
  json.beginArray();
  const auto [firstOut, lastOut] = trace.flows.leaving(id);
  for (std::size_t row = firstOut; row < lastOut; ++row) json.count(index(trace.flows.to[row]));
  json.endArray();
  const auto stack = trace.stacks.find(id);
  writeStack(json, "stack", trace, stack ? trace.stacks.atBegin[*stack] : kNoFrame);
  writeStack(json, "stack_at_end", trace, stack ? trace.stacks.atEnd[*stack] : kNoFrame);
  writeArgs(json, args);
  json.endObject();
}

void writeJson(const Context& context, const Trace& trace, const std::vector<SliceId>& ids) {
  JsonWriter json(context.output);
  json.beginDocument();
  writeOrigin(json, trace);
  json.key("slices");
  json.beginArray();
  std::vector<TextRange> ranges;
  for (std::size_t first = 0; first < ids.size() && context.output.good(); first += kArgsBatch) {
    if (context.stop.stop_requested()) return;
    const std::size_t last = std::min(first + kArgsBatch, ids.size());
    ranges.clear();
    for (std::size_t i = first; i < last; ++i) ranges.push_back(trace.slices.args(ids[i]));
    const auto args = readArgs(trace, ranges);
    for (std::size_t i = first; i < last; ++i) writeSlice(json, trace, ids[i], args[i - first]);
  }
  json.endArray();
  json.endDocument();
}

// Written as it goes, in columns of a set width: a trace may have millions.
void writeText(const Context& context, const Trace& trace, const std::vector<SliceId>& ids) {
  context.output.write(fmt::format("{:>14}  {:>14}  {:>5}  {:>5}  {:<20}  {}\n", "start us", "duration us", "track",
                                   "depth", "category", "name"));
  const auto us = [](std::int64_t ns) { return static_cast<double>(ns) / 1000; };
  for (const SliceId id : ids) {
    if (context.stop.stop_requested() || !context.output.good()) return;
    const std::size_t i = index(id);
    context.output.write(fmt::format("{:>14.3f}  {:>14.3f}  {:>5}  {:>5}  {:<20}  {}\n", us(trace.slices.startNs[i]),
                                     us(trace.slices.durationNs[i]), index(trace.slices.track[i]),
                                     trace.slices.depth[i], oneLine(trace.category(id), 20),
                                     trace.slices.name[i] == kNoString ? "-" : oneLine(trace.name(id))));
  }
}

void writeCsv(const Context& context, const Trace& trace, const std::vector<SliceId>& ids) {
  context.output.write("id,name,category,kind,track,depth,start_ns,duration_ns,finished,parent,correlation,launch\n");
  const auto optional = [](SliceId id) { return id == kNoSlice ? std::string() : std::to_string(index(id)); };
  for (const SliceId id : ids) {
    if (context.stop.stop_requested() || !context.output.good()) return;
    const std::size_t i = index(id);
    const auto work = trace.deviceWork.find(id);
    const std::int64_t correlation = trace.slices.correlation[i];
    context.output.write(fmt::format(
        "{},{},{},{},{},{},{},{},{},{},{},{}\n", i, csvField(trace.name(id)), csvField(trace.category(id)),
        toString(trace.slices.kind[i]), index(trace.slices.track[i]), trace.slices.depth[i], trace.slices.startNs[i],
        trace.slices.durationNs[i], static_cast<bool>(trace.slices.finished[i]), optional(trace.slices.parent[i]),
        correlation == kNoNumber ? std::string() : std::to_string(correlation),
        optional(work ? trace.deviceWork.launch[*work] : kNoSlice)));
  }
}

}  // namespace

Outcome runSlices(const Context& context) {
  const auto loaded = loadFor(context, context.options.files.front());
  if (!loaded) return tl::unexpected(loaded.error());
  const Trace& trace = **loaded;
  const auto names = NameFilter::make(context.options.name, trace.strings);
  if (!names) return failure({}, names.error());
  const std::vector<SliceId> ids = selected(trace, context.options, *names);
  switch (context.options.form) {
    case OutputForm::kJson:
      writeJson(context, trace, ids);
      break;
    case OutputForm::kCsv:
      writeCsv(context, trace, ids);
      break;
    default:
      writeText(context, trace, ids);
  }
  return {};
}

}  // namespace attnscope::cli
