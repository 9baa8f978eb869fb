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

std::string_view scopeText(InstantScope scope) {
  switch (scope) {
    case InstantScope::kGlobal:
      return "global";
    case InstantScope::kProcess:
      return "process";
    case InstantScope::kThread:
      return "thread";
  }
  return "thread";
}

std::vector<std::size_t> selected(const Trace& trace, const Options& options, const NameFilter& names) {
  const InstantTable& instants = trace.instants;
  const TimeRange range{options.fromNs.value_or(INT64_MIN), options.toNs.value_or(INT64_MAX)};
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < instants.size(); ++i) {
    if (options.limit && rows.size() >= *options.limit) break;
    if (options.track && index(instants.track[i]) != *options.track) continue;
    if (!names.holds(instants.name[i]) || !range.contains(instants.atNs[i])) continue;
    if (options.category && trace.strings.view(instants.category[i]) != *options.category) continue;
    rows.push_back(i);
  }
  return rows;
}

void writeJson(const Context& context, const Trace& trace, const std::vector<std::size_t>& rows) {
  const InstantTable& instants = trace.instants;
  JsonWriter json(context.output);
  json.beginDocument();
  writeOrigin(json, trace);
  json.key("instants");
  json.beginArray();
  for (std::size_t first = 0; first < rows.size() && context.output.good(); first += kArgsBatch) {
    if (context.stop.stop_requested()) return;
    const std::size_t last = std::min(first + kArgsBatch, rows.size());
    std::vector<TextRange> ranges;
    for (std::size_t i = first; i < last; ++i)
      ranges.push_back({instants.argsBegin[rows[i]], instants.argsLength[rows[i]]});
    const auto args = readArgs(trace, ranges);
    for (std::size_t i = first; i < last; ++i) {
      const std::size_t row = rows[i];
      json.beginObject();
      writeName(json, "name", trace, instants.name[row]);
      writeName(json, "category", trace, instants.category[row]);
      json.text("scope", scopeText(instants.scope[row]));
      writeId(json, "track", instants.track[row], kNoTrack);
      json.integer("at_ns", instants.atNs[row]);
      writeArgs(json, args[i - first]);
      json.endObject();
    }
  }
  json.endArray();
  json.endDocument();
}

void writeRows(const Context& context, const Trace& trace, const std::vector<std::size_t>& rows) {
  const InstantTable& instants = trace.instants;
  const bool csv = context.options.form == OutputForm::kCsv;
  context.output.write(
      csv ? std::string("name,category,scope,track,at_ns\n")
          : fmt::format("{:>14}  {:>5}  {:<8}  {:<20}  {}\n", "at us", "track", "scope", "category", "name"));
  for (const std::size_t row : rows) {
    if (context.stop.stop_requested() || !context.output.good()) return;
    const std::string_view name = trace.strings.view(instants.name[row]);
    const std::string_view category = trace.strings.view(instants.category[row]);
    const std::string track =
        instants.track[row] == kNoTrack ? (csv ? "" : "-") : std::to_string(index(instants.track[row]));
    if (csv) {
      context.output.write(fmt::format("{},{},{},{},{}\n", csvField(name), csvField(category),
                                       scopeText(instants.scope[row]), track, instants.atNs[row]));
    } else {
      context.output.write(fmt::format("{:>14.3f}  {:>5}  {:<8}  {:<20}  {}\n",
                                       static_cast<double>(instants.atNs[row]) / 1000, track,
                                       scopeText(instants.scope[row]), oneLine(category, 20), oneLine(name)));
    }
  }
}

}  // namespace

Outcome runInstants(const Context& context) {
  const auto loaded = loadFor(context, context.options.files.front());
  if (!loaded) return tl::unexpected(loaded.error());
  const Trace& trace = **loaded;
  const auto names = NameFilter::make(context.options.name, trace.strings);
  if (!names) return failure({}, names.error());
  const auto rows = selected(trace, context.options, *names);
  context.options.form == OutputForm::kJson ? writeJson(context, trace, rows) : writeRows(context, trace, rows);
  return {};
}

}  // namespace attnscope::cli
