// SPDX-License-Identifier: Apache-2.0
#include "core/trace/TraceBuilder.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <numeric>
#include <thread>
#include <utility>

#include "core/trace/BuilderState.h"
#include "core/trace/InParallel.h"
#include "core/trace/SortByNumber.h"

namespace attnscope {

namespace {

class Stopwatch {
 public:
  explicit Stopwatch(std::vector<LoadStage>& stages) : m_stages(stages) {}
  void lap(const char* name) {
    const auto now = std::chrono::steady_clock::now();
    m_stages.push_back({name, std::chrono::duration<double>(now - m_start).count()});
    m_start = now;
  }

 private:
  std::vector<LoadStage>& m_stages;
  std::chrono::steady_clock::time_point m_start = std::chrono::steady_clock::now();
};

bool hasNoRow(const BuilderState& state, std::uint32_t thread) {
  const RawIdentity& pid = state.threads[thread].pid;
  return pid.isWord && pid.word.empty();
}

class Builder {
 public:
  Builder(RawTrace raw, Progress& progress, std::stop_token stop, unsigned threads)
      : m_progress(progress), m_threads(threads != 0 ? threads : defaultThreads()) {
    m_state.raw = std::move(raw);
    m_state.stop = std::move(stop);
    m_state.trace = std::make_shared<Trace>();
  }

  Result<BuiltTrace> run() {
    Trace& trace = *m_state.trace;
    trace.path = m_state.raw.path;
    trace.fileBytes = m_state.raw.fileBytes;
    trace.metadata = std::move(m_state.raw.metadata);
    trace.devices = std::move(m_state.raw.devices);
    Stopwatch watch(m_state.raw.stages);
    m_progress.enter("Sort", 0);
    if (!mergeBlocks(m_state, m_threads))
      return fail({.kind = ErrorKind::kInternal,
                   .what = "the file holds more than 4,294,967,294 events",
                   .remedy = "open a part of it",
                   .byte = {},
                   .event = {}});
    if (m_state.stop.stop_requested()) return cancelled();
    pairSpans(m_state);
    claimRows();
    nameRows(m_state);
    watch.lap("Merge");
    if (m_state.stop.stop_requested()) return cancelled();
    m_progress.enter("Nest", 0);
    gather();
    if (m_state.stop.stop_requested()) return cancelled();
    limitDurations();
    nestTracks();
    if (m_state.stop.stop_requested()) return cancelled();
    watch.lap("Nest");
    fillSlices();
    releaseSlices();
    if (m_state.stop.stop_requested()) return cancelled();
    watch.lap("Columns");
    m_progress.enter("Link", 0);
    fillCounters();
    placeFlowEnds(m_state, m_threads);
    {
      auto beside = std::async(m_threads > 1 ? std::launch::async : std::launch::deferred, [&] {
        fillInstants();
        fillMemory();
        return linkDeviceWork(m_state);
      });
      connectFlows(m_state);
      m_state.raw.health.merge(beside.get());
    }
    keepStacks(m_state);
    watch.lap("Link");
    if (m_state.stop.stop_requested()) return cancelled();
    m_progress.enter("Summarise", 0);
    summarise(m_state);
    if (m_state.stop.stop_requested()) return cancelled();
    releaseBlocks();
    watch.lap("Summarise");
    trace.health = std::move(m_state.raw.health);
    trace.load.stages = std::move(m_state.raw.stages);
    return BuiltTrace{m_state.trace, std::move(m_state.appended)};
  }

 private:
  static unsigned defaultThreads() { return std::clamp(std::thread::hardware_concurrency(), 1u, 8u); }

  // Instants and counters keep the rows that they stand on, also where no slice does.
  void claimRows() {
    for (const RawPoint* point : m_state.instants) {
      if (hasNoRow(m_state, point->thread)) continue;
      m_state.trackFor(point->thread, instantSide(*point), point->order);
    }
    for (const RawBlock& block : m_state.raw.blocks)
      for (const RawSample& sample : block.samples) counterTrack(sample);
  }

  [[nodiscard]] Side instantSide(const RawPoint& point) const {
    const Side side = sideOf(m_state.classOf(point.category));
    return (side == Side::kHost || side == Side::kSpans) && point.phase != 'n' ? Side::kHost : Side::kEither;
  }

  std::uint32_t counterTrack(const RawSample& sample) {
    const std::uint32_t process = m_state.processFor(m_state.threads[sample.thread].pid, false, sample.order);
    const std::string key =
        "c" + std::to_string(process) + ":" + std::to_string(sample.name) + ":" + std::to_string(sample.id);
    const auto [place, added] = m_state.trackByKey.try_emplace(key, static_cast<std::uint32_t>(m_state.tracks.size()));
    if (added) {
      BuildTrack track;
      track.kind = TrackKind::kCounter;
      track.process = process;
      track.used = true;
      track.tid = m_state.threads[sample.thread].tid;
      track.firstOrder = sample.order;
      const StringPool& strings = m_state.trace->strings;
      if (sample.name != kNone) track.name = strings.view(StringId{sample.name});
      if (sample.id != kNone) track.name += " " + std::string(strings.view(StringId{sample.id}));
      m_state.tracks.push_back(std::move(track));
    }
    return place->second;
  }

  // Every slice to its track, in the order of the file. Groups of blocks are gone through side by side, each writes
  // behind what the groups before it have.
  void gather() {
    std::vector<RawBlock>& blocks = m_state.raw.blocks;
    const std::size_t groups = std::min<std::size_t>(blocks.size(), std::size_t{m_threads} * 2);
    const auto firstOf = [&](std::size_t group) { return blocks.size() * group / groups; };
    std::vector<std::vector<std::uint32_t>> places(groups, std::vector<std::uint32_t>(m_state.tracks.size(), 0));
    for (std::size_t group = 0; group < groups; ++group)
      for (std::size_t i = firstOf(group); i < firstOf(group + 1); ++i) {
        const RawBlock& block = blocks[i];
        m_durationSum += block.durationSum;
        for (std::size_t seen = 0; seen < block.seen.size(); ++seen)
          if (block.seen[seen].count != 0)
            places[group][m_state.sliceTracks[m_state.numberings[i].place(seen)]] += block.seen[seen].count;
      }
    std::vector<std::uint32_t> next(m_state.tracks.size(), 0);
    for (std::vector<std::uint32_t>& counts : places)
      for (std::size_t track = 0; track < next.size(); ++track)
        next[track] += std::exchange(counts[track], next[track]);
    std::vector<std::uint32_t> sizes = next;
    for (const RawSlice& slice : m_state.paired) ++sizes[slice.thread];
    eachTrack([&](std::size_t track) { m_state.tracks[track].items.resize(sizes[track]); });
    inParallel(groups, m_threads, [&](std::size_t group) {
      std::vector<std::uint32_t>& place = places[group];
      for (std::size_t i = firstOf(group); i < firstOf(group + 1); ++i) {
        if (m_state.stop.stop_requested()) return;
        for (RawSlice& slice : blocks[i].slices) {
          m_state.numberings[i].apply(slice);
          const std::uint32_t track = m_state.trackOf(slice);
          m_state.tracks[track].items[place[track]++] = itemOf(slice);
        }
      }
    });
    for (const RawSlice& slice : m_state.paired) {
      m_state.tracks[slice.thread].items[next[slice.thread]++] = itemOf(slice);
      m_durationSum += slice.durationNs;
    }
  }

  [[nodiscard]] NestItem itemOf(const RawSlice& slice) const {
    return {slice.startNs - m_state.zeroNs, slice.durationNs, &slice, kNone, 0};
  }

  // The largest first, so that none is left over at the end.
  template <class Task>
  void eachTrack(Task task) {
    std::vector<std::size_t> order(m_state.tracks.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [this](std::size_t a, std::size_t b) {
      return m_state.tracks[a].items.size() > m_state.tracks[b].items.size();
    });
    inParallel(order.size(), m_threads, [&](std::size_t i) { task(order[i]); });
  }

  // All lengths together stay below 2^62 ns, so that no sum of some of them leaves 64 bits: where they do not, the
  // longest are cut to what the others leave.
  void limitDurations() {
    constexpr std::int64_t kMost = std::int64_t{1} << 62;
    if (m_durationSum <= kMost) return;
    std::size_t count = 0;
    for (const BuildTrack& track : m_state.tracks) count += track.items.size();
    std::vector<std::int64_t> longest;
    const std::int64_t share = kMost / static_cast<std::int64_t>(count);
    for (const BuildTrack& track : m_state.tracks)
      for (const NestItem& item : track.items)
        if (item.durationNs > share) longest.push_back(item.durationNs);
    std::sort(longest.begin(), longest.end());
    Int128 room = kMost - m_durationSum;
    for (const std::int64_t duration : longest) room += duration;
    std::size_t kept = 0;
    const auto evenly = [&] { return static_cast<std::int64_t>(room / static_cast<Int128>(longest.size() - kept)); };
    for (; longest[kept] <= evenly(); ++kept) room -= longest[kept];
    const std::int64_t limit = evenly();
    for (BuildTrack& track : m_state.tracks)
      for (NestItem& item : track.items) item.durationNs = std::min(item.durationNs, limit);
    m_state.raw.health.note("time.sum-out-of-range", Severity::kRepaired,
                            "Slices so long that their sum exceeds 146 years; the longest were cut.",
                            longest.size() - kept);
  }

  void nestTracks() {
    const std::size_t count = m_state.tracks.size();
    std::vector<NestCounts> counts(count);
    std::vector<std::vector<std::uint32_t>> rowSizes(count);
    eachTrack([&](std::size_t i) {
      counts[i] = nest(m_state.tracks[i].items, m_state.stop);
      std::vector<std::uint32_t>& sizes = rowSizes[i];
      for (const NestItem& item : m_state.tracks[i].items) {
        if (item.row >= sizes.size()) sizes.resize(item.row + 1u, 0);
        ++sizes[item.row];
      }
    });
    NestCounts sum;
    for (std::size_t i = 0; i < count; ++i) {
      // Async spans overlap by nature.
      if (m_state.tracks[i].kind == TrackKind::kAsync) continue;
      sum.overlaps += counts[i].overlaps;
      sum.clamped += counts[i].clamped;
      sum.firstOverlap = std::min(sum.firstOverlap, counts[i].firstOverlap);
      sum.firstClamped = std::min(sum.firstClamped, counts[i].firstClamped);
    }
    m_state.raw.health.note("slice.overlap", Severity::kInfo,
                            "Slices that overlap another of their thread or stream without nesting in it; they are "
                            "drawn on a row of their own.",
                            sum.overlaps, TraceHealth::kNowhere, sum.firstOverlap);
    m_state.raw.health.note("slice.ends-after-parent", Severity::kInfo,
                            "Slices that end up to 1 us after the slice they are drawn inside, as recorders that cut "
                            "times to whole microseconds write them.",
                            sum.clamped, TraceHealth::kNowhere, sum.firstClamped);
    std::uint64_t first = 0;
    for (std::size_t i = 0; i < count; ++i) {
      Track& track = m_state.trace->tracks[i];
      track.firstSlice = static_cast<std::uint32_t>(first);
      track.sliceCount = static_cast<std::uint32_t>(m_state.tracks[i].items.size());
      std::uint32_t at = track.firstSlice;
      for (const std::uint32_t size : rowSizes[i]) {
        track.rows.push_back({at, size});
        at += size;
      }
      first += track.sliceCount;
    }
    m_sliceCount = first;
  }

  void fillSlices() {
    SliceTable& t = m_state.trace->slices;
    const std::size_t n = m_sliceCount;
    // Touching fresh memory is most of what this costs.
    const std::array<std::function<void()>, 16> columns = {
        [&] { t.startNs.resize(n); },
        [&] { t.durationNs.resize(n); },
        [&] { t.correlation.resize(n); },
        [&] { t.externalId.resize(n); },
        [&] { t.argsBegin.resize(n); },
        [&] { m_state.sliceOfOrder.assign(m_state.trace->events, kNone); },
        [&] { t.name.resize(n); },
        [&] { t.category.resize(n); },
        [&] { fillTrackColumn(); },
        [&] { fillDepthColumn(); },
        [&] { t.parent.resize(n); },
        [&] { t.order.resize(n); },
        [&] { t.inputDims.resize(n); },
        [&] { t.argsLength.resize(n); },
        [&] {
          t.kind.resize(n);
          t.categoryClass.resize(n);
        },
        [&] {
          t.finished.assign(n, true);
          t.markedUnfinished.assign(n, false);
        }};
    inParallel(columns.size(), m_threads, [&](std::size_t i) { columns[i](); });
    m_kinds = std::vector<std::atomic<std::uint8_t>>(m_state.trace->strings.size() * kClasses);
    std::vector<std::vector<FlaggedRow>> flagged(m_state.tracks.size());
    eachTrack([&](std::size_t i) { fillTrack(i, flagged[i]); });
    for (const std::vector<FlaggedRow>& rows : flagged)
      for (const auto& [row, flags] : rows) {
        if ((flags & (kUnfinished | kNoDuration)) != 0) t.finished[row] = false;
        if ((flags & kMarkedOpen) != 0) t.markedUnfinished[row] = true;
      }
  }

  void fillTrackColumn() {
    std::vector<TrackId>& column = m_state.trace->slices.track;
    column.reserve(m_sliceCount);
    for (std::uint32_t i = 0; i < m_state.trace->tracks.size(); ++i)
      column.insert(column.end(), m_state.trace->tracks[i].sliceCount, TrackId{i});
  }

  void fillDepthColumn() {
    std::vector<std::uint32_t>& column = m_state.trace->slices.depth;
    column.reserve(m_sliceCount);
    for (const Track& track : m_state.trace->tracks)
      for (std::uint32_t row = 0; row < track.rows.size(); ++row)
        column.insert(column.end(), track.rows[row].count, row);
  }

  // What the columns hold now. An empty list assigned would keep the memory; giving it back takes time as well.
  void releaseSlices() {
    std::vector<RawBlock>& blocks = m_state.raw.blocks;
    inParallel(blocks.size(), m_threads, [&](std::size_t i) { blocks[i].slices = std::vector<RawSlice>(); });
    eachTrack([&](std::size_t i) { m_state.tracks[i].items = std::vector<NestItem>(); });
    m_state.paired = std::vector<RawSlice>();
  }

  void releaseBlocks() {
    std::vector<RawBlock>& blocks = m_state.raw.blocks;
    inParallel(blocks.size(), m_threads, [&](std::size_t i) { blocks[i] = RawBlock(); });
  }

  // The kind of work follows from category and name; each pair is looked at once, or twice by threads that meet.
  [[nodiscard]] WorkKind kindOf(std::uint32_t name, CategoryClass category) {
    if (name == kNone) return classifyWork(category, {});
    std::atomic<std::uint8_t>& known = m_kinds[name * kClasses + static_cast<std::size_t>(category)];
    std::uint8_t kind = known.load(std::memory_order_relaxed);
    if (kind == 0) {
      kind = static_cast<std::uint8_t>(
          static_cast<unsigned>(classifyWork(category, m_state.trace->strings.view(StringId{name}))) + 1);
      known.store(kind, std::memory_order_relaxed);
    }
    return static_cast<WorkKind>(kind - 1);
  }

  using FlaggedRow = std::pair<std::uint32_t, std::uint8_t>;

  void fillTrack(std::size_t i, std::vector<FlaggedRow>& flagged) {
    SliceTable& t = m_state.trace->slices;
    const std::vector<NestItem>& items = m_state.tracks[i].items;
    std::vector<std::uint32_t> next;
    for (const RowSpan& row : m_state.trace->tracks[i].rows) next.push_back(row.first);
    std::vector<std::uint32_t> ids(items.size());
    for (std::size_t k = 0; k < items.size(); ++k) {
      if (k + kAhead < items.size()) __builtin_prefetch(items[k + kAhead].source);
      const NestItem& item = items[k];
      const RawSlice& slice = *item.source;
      const std::uint32_t row = next[item.row]++;
      ids[k] = row;
      t.startNs[row] = item.startNs;
      t.durationNs[row] = item.durationNs;
      t.name[row] = StringId{slice.name};
      t.category[row] = StringId{m_state.categories[slice.category].name};
      const CategoryClass category = m_state.classOf(slice.category);
      t.categoryClass[row] = category;
      t.kind[row] = kindOf(slice.name, category);
      t.parent[row] = item.parent == kNone ? kNoSlice : SliceId{ids[item.parent]};
      t.order[row] = slice.order;
      t.correlation[row] = slice.correlation;
      t.externalId[row] = slice.externalId;
      t.inputDims[row] = StringId{slice.inputDims};
      t.argsBegin[row] = slice.argsBegin;
      t.argsLength[row] = slice.argsLength;
      m_state.sliceOfOrder[slice.order] = row;
      if ((slice.flags & (kUnfinished | kNoDuration | kMarkedOpen)) != 0) flagged.emplace_back(row, slice.flags);
    }
  }

  template <class Source>
  struct Timed {
    std::uint64_t time = 0;
    const Source* source = nullptr;
  };
  // Ordered as the times are.
  static std::uint64_t timeOf(std::int64_t atNs) { return static_cast<std::uint64_t>(atNs) ^ (std::uint64_t{1} << 63); }

  void fillInstants() {
    InstantTable& t = m_state.trace->instants;
    std::vector<Timed<RawPoint>> points;  // in the order of the file
    points.reserve(m_state.instants.size());
    for (const RawPoint* point : m_state.instants) points.push_back({timeOf(point->atNs), point});
    sortByNumber(points, [](const Timed<RawPoint>& point) { return point.time; });
    const std::size_t n = points.size();
    t.atNs.reserve(n);
    t.name.reserve(n);
    t.category.reserve(n);
    t.scope.reserve(n);
    t.track.reserve(n);
    t.order.reserve(n);
    t.argsBegin.reserve(n);
    t.argsLength.reserve(n);
    for (const auto& [time, point] : points) {
      t.atNs.push_back(point->atNs - m_state.zeroNs);
      t.name.push_back(StringId{point->name});
      t.category.push_back(StringId{m_state.categories[point->category].name});
      t.scope.push_back(point->scope == 'g'   ? InstantScope::kGlobal
                        : point->scope == 'p' ? InstantScope::kProcess
                                              : InstantScope::kThread);
      t.track.push_back(instantTrack(point->thread, *point));
      t.order.push_back(point->order);
      t.argsBegin.push_back(point->argsBegin);
      t.argsLength.push_back(point->argsLength);
    }
  }

  [[nodiscard]] TrackId instantTrack(std::uint32_t thread, const RawPoint& point) const {
    if (hasNoRow(m_state, thread)) return kNoTrack;
    const ThreadTracks& entry = m_state.threadTracks[thread];
    if (instantSide(point) == Side::kHost && entry.host != kNone) return TrackId{entry.host};
    return TrackId{entry.host != kNone ? entry.host : entry.device};
  }

  void fillMemory() {
    std::vector<Timed<RawMemory>> records;  // in the order of the file
    std::size_t count = 0;
    for (const RawBlock& block : m_state.raw.blocks) count += block.memory.size();
    records.reserve(count);
    for (const RawBlock& block : m_state.raw.blocks)
      for (const RawMemory& record : block.memory) records.push_back({timeOf(record.atNs), &record});
    sortByNumber(records, [](const Timed<RawMemory>& record) { return record.time; });
    // At equal times the profiler's own count decides where every record has one.
    for (std::size_t i = 0; i < records.size();) {
      std::size_t end = i;
      bool counted = true;
      for (; end < records.size() && records[end].time == records[i].time; ++end)
        counted = counted && records[end].source->eventIndex != kNoNumber;
      if (counted && end - i > 1)
        std::stable_sort(records.begin() + static_cast<std::ptrdiff_t>(i),
                         records.begin() + static_cast<std::ptrdiff_t>(end),
                         [](const Timed<RawMemory>& a, const Timed<RawMemory>& b) {
                           return a.source->eventIndex < b.source->eventIndex;
                         });
      i = end;
    }
    MemoryTable& t = m_state.trace->memory;
    const std::size_t n = records.size();
    t.atNs.reserve(n);
    t.bytes.reserve(n);
    t.address.reserve(n);
    t.totalAllocated.reserve(n);
    t.totalReserved.reserve(n);
    t.deviceType.reserve(n);
    t.deviceId.reserve(n);
    t.track.reserve(n);
    t.order.reserve(n);
    for (const auto& [time, record] : records) {
      t.atNs.push_back(record->atNs - m_state.zeroNs);
      t.bytes.push_back(record->bytes);
      t.address.push_back(record->address);
      t.totalAllocated.push_back(record->totalAllocated);
      t.totalReserved.push_back(record->totalReserved);
      t.deviceType.push_back(record->deviceType);
      t.deviceId.push_back(record->deviceId);
      const ThreadTracks& entry = m_state.threadTracks[record->thread];
      const std::uint32_t track = entry.host != kNone ? entry.host : entry.device;
      t.track.push_back(hasNoRow(m_state, record->thread) ? kNoTrack : TrackId{track});
      t.order.push_back(record->order);
    }
  }

  void fillCounters() {
    Trace& trace = *m_state.trace;
    struct Key {
      std::uint32_t track, series;
      auto operator<=>(const Key&) const = default;
    };
    std::vector<std::pair<Key, const RawSample*>> samples;
    for (RawBlock& block : m_state.raw.blocks) {
      trace.counterSamples += block.counterSamples;
      for (const RawSample& sample : block.samples) samples.push_back({{counterTrack(sample), sample.series}, &sample});
    }
    std::stable_sort(samples.begin(), samples.end(), [](const auto& a, const auto& b) {
      if (a.first != b.first) return a.first < b.first;
      if (a.second->atNs != b.second->atNs) return a.second->atNs < b.second->atNs;
      return a.second->order < b.second->order;
    });
    for (std::size_t i = 0; i < samples.size(); ++i) {
      const auto& [key, sample] = samples[i];
      if (i == 0 || samples[i - 1].first != key) {
        CounterSeries series;
        series.name = StringId{sample->name};
        series.id = StringId{sample->id};
        series.series = StringId{sample->series};
        series.track = TrackId{key.track};
        series.process = trace.tracks[key.track].process;
        trace.counters.push_back(std::move(series));
      }
      trace.counters.back().atNs.push_back(sample->atNs - m_state.zeroNs);
      trace.counters.back().value.push_back(sample->value);
    }
  }

  static constexpr std::size_t kAhead = 12;  // slices whose source is fetched before it is due
  static constexpr std::size_t kClasses = static_cast<std::size_t>(CategoryClass::kTrace) + 1;

  Progress& m_progress;
  unsigned m_threads;
  BuilderState m_state;
  std::size_t m_sliceCount = 0;
  std::vector<std::atomic<std::uint8_t>> m_kinds;  // [name][class]: kind + 1, 0 is open
  Int128 m_durationSum = 0;
};

}  // namespace

Result<BuiltTrace> buildTrace(RawTrace raw, Progress& progress, std::stop_token stop, unsigned threads) {
  return Builder(std::move(raw), progress, std::move(stop), threads).run();
}

}  // namespace attnscope
