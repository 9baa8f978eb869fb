// SPDX-License-Identifier: Apache-2.0
#include "core/export/ChromeTraceWriter.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <new>
#include <optional>
#include <vector>

#include "core/export/CleanJson.h"
#include "core/export/OutputFile.h"
#include "core/export/Redaction.h"
#include "core/trace/ArgsText.h"
#include "core/trace/RawEvents.h"
#include "core/trace/Utf8.h"

namespace attnscope {

namespace {

constexpr std::size_t kBufferBytes = 1 << 20;

// Of digits with or without a sign, as the trace keeps its zero.
Int128 int128From(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  Int128 value = 0;
  for (const char c : text) value = value * 10 + (c - '0');
  return negative ? -value : value;
}

std::string digitsOf(Int128 value) {
  std::string digits;
  do {
    digits.insert(digits.begin(), static_cast<char>('0' + static_cast<int>(value % 10)));
    value /= 10;
  } while (value != 0);
  return digits;
}

// Microseconds with as many decimals as it takes.
std::string microseconds(Int128 ns) {
  std::string text = ns < 0 ? "-" : "";
  if (ns < 0) ns = -ns;
  text += digitsOf(ns / 1000);
  const int rest = static_cast<int>(ns % 1000);
  if (rest != 0) {
    text += fmt::format(".{:03}", rest);
    while (text.back() == '0') text.pop_back();
  }
  return text;
}

// By slice: whether it is part of the range, or needed to understand what is.
std::vector<bool> keptSlices(const Trace& trace, const std::optional<TimeRange>& range) {
  const SliceTable& t = trace.slices;
  std::vector<bool> kept(t.size(), !range.has_value());
  if (!range) return kept;
  for (std::uint32_t i = 0; i < t.size(); ++i)
    kept[i] = range->contains(t.startNs[i]) || range->overlaps(t.startNs[i], t.endNs(SliceId{i}));
  const auto keepWithParents = [&](SliceId slice) {
    for (; slice != kNoSlice; slice = t.parent[index(slice)]) kept[index(slice)] = true;
  };
  const DeviceWorkTable& work = trace.deviceWork;
  for (std::size_t i = 0; i < work.size(); ++i) {
    if (!kept[index(work.slice[i])]) continue;
    keepWithParents(work.launch[i]);
    keepWithParents(work.launchOperator[i]);
  }
  for (std::uint32_t i = 0; i < t.size(); ++i)
    if (kept[i]) keepWithParents(t.parent[i]);
  return kept;
}

class Writer {
 public:
  Writer(const Trace& trace, OutputFile& file, const WriteOptions& options, Progress& progress, std::stop_token stop)
      : m_trace(trace), m_file(file), m_range(options.range), m_progress(progress), m_stop(std::move(stop)) {
    if (!options.keepsPersonal) m_redaction.emplace(trace);
    // The end of a trace belongs to it.
    if (m_range)
      m_range = {std::max(m_range->startNs, trace.range.startNs), std::min(m_range->endNs, trace.range.endNs + 1)};
  }

  Result<void> run() {
    m_progress.enter("Write", m_trace.slices.size() + m_trace.instants.size());
    m_zero = int128From(m_trace.writtenZero);
    m_kept = keptSlices(m_trace, m_range);
    m_out = "{\n";
    writeMetadata();
    writeFrames();
    m_out += "  \"traceEvents\": [";
    writeNames();
    if (auto done = writeEvents(); !done) return done;
    if (auto done = writeCounters(); !done) return done;
    m_out += "\n  ]\n}\n";
    if (auto done = flush(); !done) return done;
    return m_file.commit();
  }

 private:
  struct Row {
    std::uint32_t order;
    bool instant;
    std::uint32_t index;
  };

  [[nodiscard]] std::string quoted(std::string_view text) const {
    std::string escaped = escapeText(m_redaction ? m_redaction->text(text) : std::string(text));
    if (auto repaired = repairedUtf8(escaped)) escaped = *repaired;
    return '"' + escaped + '"';
  }

  [[nodiscard]] std::string identity(const Identity& identity) const {
    if (identity.word != kNoString) return quoted(m_trace.strings.view(identity.word));
    return std::to_string(identity.number);
  }

  void writeMetadata() {
    constexpr std::string_view kRangeKey = "attnscopeRange";
    for (const auto& [key, value] : m_trace.metadata) {
      if (m_range && key == kRangeKey) continue;
      m_out +=
          fmt::format("  {}: {},\n", quoted(key), cleanJson(m_redaction ? m_redaction->metadata(key, value) : value));
    }
    // For the person who gets it: this is a part, and which.
    if (m_range)
      m_out += fmt::format("  \"{}\": {{\"start_us\": {}, \"end_us\": {}}},\n", kRangeKey,
                           microseconds(m_zero + m_range->startNs), microseconds(m_zero + m_range->endNs));
  }

  // Frames that any slice which is written stands on, and their callers.
  void writeFrames() {
    const StackTable& stacks = m_trace.stacks;
    std::vector<bool> used(stacks.frameName.size(), false);
    const auto use = [&](std::uint32_t frame) {
      for (; frame != kNoFrame && !used[frame]; frame = stacks.frameParent[frame]) used[frame] = true;
    };
    for (std::size_t i = 0; i < stacks.size(); ++i) {
      if (!m_kept[index(stacks.slice[i])]) continue;
      use(stacks.atBegin[i]);
      use(stacks.atEnd[i]);
    }
    const char* before = "  \"stackFrames\": {\n    ";
    for (std::uint32_t i = 0; i < used.size(); ++i) {
      if (!used[i]) continue;
      m_out +=
          fmt::format("{}\"{}\": {{\"name\": {}", before, i + 1, quoted(m_trace.strings.view(stacks.frameName[i])));
      before = ",\n    ";
      if (stacks.frameCategory[i] != kNoString)
        m_out += fmt::format(", \"category\": {}", quoted(m_trace.strings.view(stacks.frameCategory[i])));
      if (stacks.frameParent[i] != kNoFrame) m_out += fmt::format(", \"parent\": \"{}\"", stacks.frameParent[i] + 1);
      m_out += '}';
    }
    if (*before == ',') m_out += "\n  },\n";
  }

  // Numbers of writeFrames().
  void writeStack(std::uint32_t slice) {
    const auto row = m_trace.stacks.find(SliceId{slice});
    if (!row) return;
    if (m_trace.stacks.atBegin[*row] != kNoFrame)
      m_out += fmt::format(", \"sf\": {}", m_trace.stacks.atBegin[*row] + 1);
    if (m_trace.stacks.atEnd[*row] != kNoFrame) m_out += fmt::format(", \"esf\": {}", m_trace.stacks.atEnd[*row] + 1);
  }

  Result<void> flush() {
    if (auto done = m_file.write(m_out); !done) return done;
    m_out.clear();
    if (m_stop.stop_requested()) return cancelled();
    return {};
  }

  void begin() {
    m_out += m_first ? "\n    {" : ",\n    {";
    m_first = false;
  }

  void named(const char* what, const Identity& pid, const Identity* tid, const char* key, const std::string& value) {
    begin();
    m_out += fmt::format("\"ph\": \"M\", \"name\": \"{}\", \"pid\": {}, \"tid\": {}, \"args\": {{\"{}\": {}}}}}", what,
                         identity(pid), tid != nullptr ? identity(*tid) : std::string("0"), key, value);
  }

  void writeNames() {
    for (const Process& process : m_trace.processes) {
      for (const std::string& name : process.earlierNames)
        named("process_name", process.pid, nullptr, "name", quoted(name));
      if (!process.name.empty()) named("process_name", process.pid, nullptr, "name", quoted(process.name));
      if (!process.labels.empty()) named("process_labels", process.pid, nullptr, "labels", quoted(process.labels));
      if (process.sortIndex)
        named("process_sort_index", process.pid, nullptr, "sort_index", fmt::format("{}", *process.sortIndex));
    }
    for (const Track& track : m_trace.tracks) {
      if (track.kind == TrackKind::kAsync || track.kind == TrackKind::kCounter || !anyKept(track)) continue;
      const Process& process = m_trace.processes[index(track.process)];
      std::string name = track.name;
      constexpr std::string_view kMain = ", main thread";
      if (name.size() > kMain.size() && name.compare(name.size() - kMain.size(), kMain.size(), kMain) == 0)
        name.resize(name.size() - kMain.size());
      named("thread_name", process.pid, &track.tid, "name", quoted(name));
      if (track.sortIndex)
        named("thread_sort_index", process.pid, &track.tid, "sort_index", fmt::format("{}", *track.sortIndex));
    }
  }

  // Rows of which a range has nothing are no rows of it; rows without slices may have instants.
  [[nodiscard]] bool anyKept(const Track& track) const {
    if (!m_range || track.sliceCount == 0) return true;
    const auto first = m_kept.begin() + track.firstSlice;
    return std::find(first, first + track.sliceCount, true) != first + track.sliceCount;
  }

  [[nodiscard]] bool isInside(std::int64_t at) const { return !m_range || m_range->contains(at); }

  Result<void> writeEvents() {
    std::vector<Row> rows;
    rows.reserve(m_trace.slices.size() + m_trace.instants.size());
    for (std::uint32_t i = 0; i < m_trace.slices.size(); ++i)
      if (m_kept[i]) rows.push_back({m_trace.slices.order[i], false, i});
    for (std::uint32_t i = 0; i < m_trace.instants.size(); ++i)
      if (isInside(m_trace.instants.atNs[i])) rows.push_back({m_trace.instants.order[i], true, i});
    std::sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.order < b.order; });
    for (const Row& row : rows) {
      auto done = row.instant ? writeInstant(row.index) : writeSlice(row.index);
      if (!done) return done;
      m_progress.advance(1);
      if (m_out.size() > kBufferBytes)
        if (auto flushed = flush(); !flushed) return flushed;
    }
    return {};
  }

  void common(StringId name, StringId category, const Identity& pid, const Identity& tid, std::int64_t at) {
    if (name != kNoString) m_out += fmt::format(", \"name\": {}", quoted(m_trace.strings.view(name)));
    if (category != kNoString) m_out += fmt::format(", \"cat\": {}", quoted(m_trace.strings.view(category)));
    m_out +=
        fmt::format(", \"pid\": {}, \"tid\": {}, \"ts\": {}", identity(pid), identity(tid), microseconds(m_zero + at));
  }

  Result<void> args(TextRange range) {
    if (range.length == 0 || !m_trace.argsSource) return {};
    const Result<std::string> text = m_trace.argsSource->read(range);
    if (!text) return tl::unexpected<Error>(text.error());
    m_out += ", \"args\": ";
    const std::string clean = cleanJson(*text);
    m_out += m_redaction ? m_redaction->json(clean) : clean;
    return {};
  }

  // The stack that an async span belongs to: that of the outermost span around it which ends no earlier.
  [[nodiscard]] std::uint32_t asyncRoot(std::uint32_t slice) const {
    std::uint32_t root = slice;
    for (SliceId at = m_trace.slices.parent[root]; at != kNoSlice; at = m_trace.slices.parent[root]) {
      if (m_trace.slices.endNs(at) < m_trace.slices.endNs(SliceId{root})) break;
      root = static_cast<std::uint32_t>(index(at));
    }
    return root;
  }

  Result<void> writeSlice(std::uint32_t i) {
    const SliceTable& t = m_trace.slices;
    const Track& track = m_trace.tracks[index(t.track[i])];
    const Identity& pid = m_trace.processes[index(track.process)].pid;
    const bool runsOn = !t.finished[i] && t.endNs(SliceId{i}) == m_trace.range.endNs;
    begin();
    if (track.kind == TrackKind::kAsync) {
      const std::string id = fmt::format(", \"id\": \"0x{:x}\"", asyncRoot(i) + 1);
      m_out += "\"ph\": \"b\"";
      common(t.name[i], t.category[i], pid, track.tid, t.startNs[i]);
      m_out += id;
      writeStack(i);
      if (auto done = args(t.args(SliceId{i})); !done) return done;
      m_out += '}';
      if (runsOn) return {};
      begin();
      m_out += "\"ph\": \"e\"";
      common(t.name[i], t.category[i], pid, track.tid, t.endNs(SliceId{i}));
      m_out += id + '}';
      return {};
    }
    m_out += runsOn ? "\"ph\": \"B\"" : "\"ph\": \"X\"";
    common(t.name[i], t.category[i], pid, track.tid, t.startNs[i]);
    if (t.finished[i]) m_out += fmt::format(", \"dur\": {}", microseconds(t.durationNs[i]));
    writeStack(i);
    if (auto done = args(t.args(SliceId{i})); !done) return done;
    m_out += '}';
    writeFlows(i, pid, track.tid);
    return {};
  }

  // Directly behind their slice, at its start: there they are sure to find it again.
  void writeFlows(std::uint32_t i, const Identity& pid, const Identity& tid) {
    const FlowTable& flows = m_trace.flows;
    const auto [firstOut, lastOut] = flows.leaving(SliceId{i});
    for (std::size_t k = firstOut; k < lastOut; ++k)
      if (m_kept[index(flows.to[k])]) writeFlow('s', k, i, pid, tid);
    const auto [firstIn, lastIn] = flows.arriving(SliceId{i});
    for (std::size_t k = firstIn; k < lastIn; ++k) {
      const std::uint32_t row = flows.byTarget[k];
      if (m_kept[index(flows.from[row])]) writeFlow('f', row, i, pid, tid);
    }
  }

  void writeFlow(char phase, std::size_t row, std::uint32_t slice, const Identity& pid, const Identity& tid) {
    const StringId category = m_trace.flows.category[row];
    const std::string text = category == kNoString ? std::string("\"flow\"") : quoted(m_trace.strings.view(category));
    begin();
    m_out +=
        fmt::format("\"ph\": \"{}\", \"id\": {}, \"name\": {}, \"cat\": {}, \"pid\": {}, \"tid\": {}, \"ts\": {}{}}}",
                    phase, row + 1, text, text, identity(pid), identity(tid),
                    microseconds(m_zero + m_trace.slices.startNs[slice]), phase == 'f' ? ", \"bp\": \"e\"" : "");
  }

  Result<void> writeInstant(std::uint32_t i) {
    const InstantTable& t = m_trace.instants;
    begin();
    const char* scope = t.scope[i] == InstantScope::kGlobal ? "g" : t.scope[i] == InstantScope::kProcess ? "p" : "t";
    m_out += fmt::format("\"ph\": \"i\", \"s\": \"{}\"", scope);
    if (t.track[i] == kNoTrack) {
      if (t.name[i] != kNoString) m_out += fmt::format(", \"name\": {}", quoted(m_trace.strings.view(t.name[i])));
      if (t.category[i] != kNoString)
        m_out += fmt::format(", \"cat\": {}", quoted(m_trace.strings.view(t.category[i])));
      m_out += fmt::format(", \"pid\": \"\", \"tid\": \"\", \"ts\": {}", microseconds(m_zero + t.atNs[i]));
    } else {
      const Track& track = m_trace.tracks[index(t.track[i])];
      common(t.name[i], t.category[i], m_trace.processes[index(track.process)].pid, track.tid, t.atNs[i]);
    }
    if (auto done = args({t.argsBegin[i], t.argsLength[i]}); !done) return done;
    m_out += '}';
    return {};
  }

  // The last one before the range tells the value at its start.
  [[nodiscard]] std::size_t firstSample(const CounterSeries& series) const {
    if (!m_range) return 0;
    const auto first = std::lower_bound(series.atNs.begin(), series.atNs.end(), m_range->startNs);
    const auto position = static_cast<std::size_t>(first - series.atNs.begin());
    return position == 0 ? 0 : position - 1;
  }

  struct Sample {
    TrackId track;
    std::int64_t at;
    const CounterSeries* series;
    double value;
  };

  // Series of one counter at one time make one event, as recorders write them.
  Result<void> writeCounters() {
    std::vector<Sample> samples;
    for (const CounterSeries& series : m_trace.counters) {
      for (std::size_t i = firstSample(series); i < series.atNs.size(); ++i) {
        if (m_range && series.atNs[i] >= m_range->endNs) break;
        samples.push_back({series.track, series.atNs[i], &series, series.value[i]});
      }
    }
    std::stable_sort(samples.begin(), samples.end(), [](const Sample& a, const Sample& b) {
      return a.track != b.track ? a.track < b.track : a.at < b.at;
    });
    for (std::size_t i = 0; i < samples.size();) {
      const Sample& first = samples[i];
      const Track& track = m_trace.tracks[index(first.track)];
      begin();
      m_out += "\"ph\": \"C\"";
      common(first.series->name, kNoString, m_trace.processes[index(track.process)].pid, track.tid, first.at);
      if (first.series->id != kNoString)
        m_out += fmt::format(", \"id\": {}", quoted(m_trace.strings.view(first.series->id)));
      m_out += ", \"args\": {";
      std::vector<const CounterSeries*> written;
      for (; i < samples.size() && samples[i].track == first.track && samples[i].at == first.at; ++i) {
        const Sample& sample = samples[i];
        if (std::find(written.begin(), written.end(), sample.series) != written.end()) break;
        if (!written.empty()) m_out += ", ";
        written.push_back(sample.series);
        m_out += quoted(m_trace.strings.view(sample.series->series)) + ": ";
        m_out += std::isfinite(sample.value) ? fmt::format("{}", sample.value) : std::string("\"NaN\"");
      }
      m_out += "}}";
      if (m_out.size() > kBufferBytes)
        if (auto flushed = flush(); !flushed) return flushed;
    }
    return {};
  }

  const Trace& m_trace;
  OutputFile& m_file;
  std::optional<TimeRange> m_range;
  std::optional<Redaction> m_redaction;
  std::vector<bool> m_kept;  // by slice: it is written
  Progress& m_progress;
  std::stop_token m_stop;
  std::string m_out;
  Int128 m_zero = 0;
  bool m_first = true;
};

}  // namespace

Result<void> writeChromeTrace(const Trace& trace, const std::string& path, const WriteOptions& options,
                              Progress& progress, std::stop_token stop) {
  try {
    const bool gzip = path.size() > 3 && path.compare(path.size() - 3, 3, ".gz") == 0;
    auto file = OutputFile::create(path, gzip);
    if (!file) return tl::unexpected<Error>(file.error());
    return Writer(trace, **file, options, progress, std::move(stop)).run();
  } catch (const std::bad_alloc&) {
    return fail({.kind = ErrorKind::kInternal,
                 .what = "there is not enough memory to write the trace",
                 .remedy = "close other programs",
                 .byte = {},
                 .event = {}});
  }
}

}  // namespace attnscope
