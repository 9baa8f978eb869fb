// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "app/cli/Commands.h"
#include "app/cli/Table.h"
#include "app/cli/TraceJson.h"
#include "core/analysis/Memory.h"

namespace attnscope::cli {

namespace {

// Positions of at most `points` records: the lowest and the highest of each of equal pieces, first and last kept.
std::vector<std::size_t> chosenPoints(const std::vector<std::int64_t>& levels, std::optional<std::uint64_t> points) {
  std::vector<std::size_t> chosen;
  const std::size_t count = levels.size();
  if (!points || count <= *points) {
    chosen.resize(count);
    for (std::size_t i = 0; i < count; ++i) chosen[i] = i;
    return chosen;
  }
  if (*points < 4) {
    if (*points > 0)
      chosen.push_back(static_cast<std::size_t>(std::max_element(levels.begin(), levels.end()) - levels.begin()));
    return chosen;
  }
  const std::size_t pieces = static_cast<std::size_t>(*points) / 2 - 1;
  chosen.push_back(0);
  for (std::size_t piece = 0; piece < pieces; ++piece) {
    const auto first = levels.begin() + static_cast<std::ptrdiff_t>(1 + piece * (count - 2) / pieces);
    const auto last = levels.begin() + static_cast<std::ptrdiff_t>(1 + (piece + 1) * (count - 2) / pieces);
    const auto [low, high] = std::minmax_element(first, last);
    const auto a = static_cast<std::size_t>(std::min(low, high) - levels.begin());
    const auto b = static_cast<std::size_t>(std::max(low, high) - levels.begin());
    chosen.push_back(a);
    if (b != a) chosen.push_back(b);
  }
  chosen.push_back(count - 1);
  return chosen;
}

void writeDevice(JsonWriter& json, const Trace& trace, const MemorySeries& series,
                 std::optional<std::uint64_t> points) {
  const auto level = [&](std::int64_t bytes) {
    return series.hasTotals ? std::optional<std::int64_t>(bytes) : std::nullopt;
  };
  json.beginObject();
  json.text("device", series.device);
  json.integer("peak_bytes", level(series.peakBytes));
  json.integer("peak_at_ns", series.peakAtNs);
  json.integer("start_bytes", level(series.startBytes));
  json.integer("end_bytes", level(series.endBytes));
  if (!series.hasTotals) {  // rises over a start that is not recorded
    json.integer("peak_rise_bytes", series.peakBytes);
    json.integer("end_rise_bytes", series.endBytes);
  }
  json.integer("reserved_peak_bytes", known(series.reservedPeakBytes, kNoNumber));
  json.count("allocations", series.allocations);
  json.count("frees", series.frees);
  json.key("holders_at_peak");
  json.beginArray();
  for (const MemoryHolder& holder : series.holdersAtPeak) {
    json.beginObject();
    writeName(json, "operator", trace, holder.operatorName);
    json.integer("bytes", holder.bytes);
    json.count("blocks", holder.blocks);
    json.endObject();
  }
  json.endArray();
  json.key("series");
  json.beginArray();
  for (const std::size_t i : chosenPoints(series.allocatedBytes, points)) {
    json.beginArray();
    json.integer(series.atNs[i]);
    json.integer(series.allocatedBytes[i]);
    series.reservedBytes[i] == kNoNumber ? json.null() : json.integer(series.reservedBytes[i]);
    json.endArray();
  }
  json.endArray();
  json.endObject();
}

void writeCsv(Output& output, const std::vector<MemorySeries>& devices, std::optional<std::uint64_t> points) {
  output.write("device,ns,allocated,reserved\n");
  for (const MemorySeries& series : devices) {
    for (const std::size_t i : chosenPoints(series.allocatedBytes, points)) {
      const std::int64_t reserved = series.reservedBytes[i];
      output.write(fmt::format("{},{},{},{}\n", series.device, series.atNs[i], series.allocatedBytes[i],
                               reserved == kNoNumber ? std::string() : std::to_string(reserved)));
    }
  }
}

void writeText(Output& output, const Trace& trace, const std::vector<MemorySeries>& devices) {
  if (devices.empty()) {
    output.write("No memory records in this trace: record it with profile_memory=True.\n");
    return;
  }
  for (const MemorySeries& series : devices) {
    output.write(fmt::format("{}: peak {}{} at {}, start {}, end {}, {} allocations, {} frees\n", series.device,
                             bytesText(series.peakBytes), series.hasTotals ? "" : " over the start",
                             timeText(series.peakAtNs), series.hasTotals ? bytesText(series.startBytes) : "-",
                             bytesText(series.endBytes), series.allocations, series.frees));
    if (series.reservedPeakBytes != kNoNumber) {
      output.write(fmt::format("reserved at most {}\n", bytesText(series.reservedPeakBytes)));
    }
    Table holders({{"operator", "held at the peak by", CellKind::kText},
                   {"bytes", "memory", CellKind::kBytes},
                   {"blocks", "blocks", CellKind::kCount}});
    for (const MemoryHolder& holder : series.holdersAtPeak) {
      holders.add({holder.operatorName == kNoString ? std::string("no operator")
                                                    : std::string(trace.strings.view(holder.operatorName)),
                   holder.bytes, static_cast<std::int64_t>(holder.blocks)});
    }
    const auto order = holders.order({}, {});
    if (order && !order->empty()) holders.printText(output, *order);
    output.write("\n");
  }
}

}  // namespace

Outcome runMemory(const Context& context) {
  const auto loaded = loadFor(context, context.options.files.front());
  if (!loaded) return tl::unexpected(loaded.error());
  const Trace& trace = **loaded;
  const auto devices = memorySeries(trace);
  switch (context.options.form) {
    case OutputForm::kJson: {
      JsonWriter json(context.output);
      json.beginDocument();
      writeOrigin(json, trace);
      json.key("devices");
      json.beginArray();
      for (const MemorySeries& series : devices) writeDevice(json, trace, series, context.options.seriesPoints);
      json.endArray();
      json.endDocument();
      break;
    }
    case OutputForm::kCsv:
      writeCsv(context.output, devices, context.options.seriesPoints);
      break;
    default:
      writeText(context.output, trace, devices);
  }
  return {};
}

}  // namespace attnscope::cli
