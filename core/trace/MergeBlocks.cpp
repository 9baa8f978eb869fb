// SPDX-License-Identifier: Apache-2.0
// First steps of the builder: names and threads of all blocks are numbered together, the clock's range is found, and
// every event gets its row.
#include <algorithm>

#include "core/trace/BuilderState.h"
#include "core/trace/InParallel.h"

namespace attnscope {

Side sideOf(CategoryClass category) {
  switch (category) {
    case CategoryClass::kKernel:
    case CategoryClass::kGpuMemcpy:
    case CategoryClass::kGpuMemset:
    case CategoryClass::kSynchronisation:
    case CategoryClass::kGpuUserAnnotation:
      return Side::kDevice;
    case CategoryClass::kCpuOperator:
    case CategoryClass::kUserAnnotation:
    case CategoryClass::kRuntime:
    case CategoryClass::kDriver:
    case CategoryClass::kPythonFunction:
    case CategoryClass::kOverhead:
    case CategoryClass::kInstant:
    case CategoryClass::kTile:
      return Side::kHost;
    case CategoryClass::kTrace:
      return Side::kSpans;
    case CategoryClass::kOther:
      return Side::kEither;
  }
  return Side::kEither;
}

bool isDeviceWork(CategoryClass category) {
  return sideOf(category) == Side::kDevice && category != CategoryClass::kGpuUserAnnotation;
}

std::string keyOf(const RawIdentity& identity) {
  return identity.isWord ? "w" + identity.word : "n" + std::to_string(identity.number);
}

std::uint32_t BuilderState::processFor(const RawIdentity& pid, bool device, std::uint32_t order) {
  // A word names one process; only numbers mean a host and a device at once.
  std::string key = keyOf(pid);
  if (device && !pid.isWord) key += 'd';
  const auto [place, added] = processByKey.try_emplace(key, static_cast<std::uint32_t>(processes.size()));
  if (added) {
    processes.emplace_back();
    processes.back().pid = pid;
    processes.back().device = device;
  }
  BuildProcess& process = processes[place->second];
  process.firstOrder = std::min(process.firstOrder, order);
  if (device && pid.isWord) process.device = true;
  return place->second;
}

std::uint32_t BuilderState::trackFor(std::uint32_t thread, Side side, std::uint32_t order) {
  ThreadTracks& entry = threadTracks[thread];
  const RawThread& identity = threads[thread];
  bool device = side == Side::kDevice;
  if (side == Side::kEither) device = entry.host == kNone && entry.device != kNone;
  if (identity.pid.isWord) device = device || entry.device != kNone;
  std::uint32_t& slot = device ? entry.device : entry.host;
  if (identity.pid.isWord && slot == kNone) slot = device ? entry.host : entry.device;
  if (slot == kNone) {
    slot = static_cast<std::uint32_t>(tracks.size());
    BuildTrack track;
    track.process = processFor(identity.pid, device, order);
    track.tid = identity.tid;
    track.kind = device ? TrackKind::kStream : TrackKind::kThread;
    tracks.push_back(std::move(track));
  }
  BuildTrack& track = tracks[slot];
  if (device) track.kind = TrackKind::kStream;
  track.firstOrder = std::min(track.firstOrder, order);
  track.used = true;
  return slot;
}

namespace {

struct Range {
  std::int64_t first = INT64_MAX;
  std::int64_t last = INT64_MIN;
  void widen(std::int64_t from, std::int64_t to) {
    first = std::min(first, from);
    last = std::max(last, to);
  }
};

class Merger {
 public:
  Merger(BuilderState& state, unsigned threads) : m_state(state), m_workers(threads) {}

  bool run() {
    std::vector<RawBlock>& blocks = m_state.raw.blocks;
    m_state.numberings.resize(blocks.size());
    m_ranges.resize(blocks.size());
    std::uint64_t firstOrder = 0;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      if (firstOrder + blocks[i].events >= kNone) return false;
      m_state.numberings[i].firstOrder = static_cast<std::uint32_t>(firstOrder);
      mergeTables(blocks[i], m_state.numberings[i]);
      m_state.raw.health.merge(shifted(blocks[i].health, firstOrder));
      m_state.trace->load.repairedBytes += blocks[i].repairedBytes;
      firstOrder += blocks[i].events;
    }
    m_state.trace->events = firstOrder;
    inParallel(blocks.size(), m_workers,
               [&](std::size_t i) { m_ranges[i] = renumber(blocks[i], m_state.numberings[i]); });
    settleClock();
    assignRows();
    return true;
  }

 private:
  static TraceHealth shifted(const TraceHealth& health, std::uint64_t firstOrder) {
    TraceHealth result;
    for (const HealthEntry& entry : health.entries()) {
      const bool known = entry.firstEvent != TraceHealth::kNowhere;
      result.note(entry.code, entry.severity, entry.message, entry.count, entry.firstByte,
                  known ? entry.firstEvent + firstOrder : TraceHealth::kNowhere);
    }
    return result;
  }

  void mergeTables(RawBlock& block, Numbering& numbering) {
    StringPool& strings = m_state.trace->strings;
    numbering.names.resize(block.strings.size());
    for (std::uint32_t i = 0; i < numbering.names.size(); ++i)
      numbering.names[i] = static_cast<std::uint32_t>(index(strings.intern(block.strings.view(StringId{i}))));
    numbering.categories.resize(block.categories.size());
    for (std::size_t i = 0; i < numbering.categories.size(); ++i)
      numbering.categories[i] = mergeCategory(block.categories[i], numbering);
    numbering.threads.resize(block.threads.size());
    for (std::size_t i = 0; i < numbering.threads.size(); ++i) {
      const RawThread& thread = block.threads[i];
      const std::string key = keyOf(thread.pid) + '\0' + keyOf(thread.tid);
      const auto [place, added] = m_threadByKey.try_emplace(key, static_cast<std::uint32_t>(m_state.threads.size()));
      if (added) m_state.threads.push_back(thread);
      numbering.threads[i] = place->second;
    }
  }

  std::uint16_t mergeCategory(const RawCategory& category, const Numbering& numbering) {
    const std::uint32_t name = numbering.name(category.name);
    const std::uint64_t key = std::uint64_t{name} << 8 | static_cast<std::uint8_t>(category.kind);
    if (const auto known = m_categoryByKey.find(key); known != m_categoryByKey.end()) return known->second;
    if (m_state.categories.size() == 0xFFFF) {
      m_state.raw.health.note("category.too-many", Severity::kRepaired,
                              "More than 65,535 categories; the others are shown as the last of them.");
      return 0xFFFE;
    }
    const auto row = static_cast<std::uint16_t>(m_state.categories.size());
    m_categoryByKey.emplace(key, row);
    m_state.categories.emplace_back(name, category.kind);
    return row;
  }

  // Where there are too many categories one stands for others, whose side may be another one.
  void recount(RawBlock& block, const Numbering& n) const {
    const auto sideOfAll = [&](std::size_t category) { return m_state.categories[n.categories[category]].side; };
    bool differs = false;
    for (std::size_t i = 0; i < n.categories.size(); ++i) differs = differs || sideOfAll(i) != block.categories[i].side;
    if (!differs) return;
    block.seen.assign(block.threads.size() * kSides, {});
    for (const RawSlice& slice : block.slices) block.see(slice, sideOfAll(slice.category));
  }

  // All but the slices. Returns what time the block's events take up.
  Range renumber(RawBlock& block, const Numbering& n) const {
    Range range{block.firstNs, block.lastNs};
    recount(block, n);
    for (RawPoint& point : block.points) {
      point.name = n.name(point.name);
      point.category = n.categories[point.category];
      point.thread = n.threads[point.thread];
      point.order += n.firstOrder;
      point.id = n.id(point.id);
      const bool arrow = point.phase == 's' || point.phase == 't' || point.phase == 'f';
      if (!arrow) range.widen(point.atNs, point.atNs);
    }
    for (RawBind& bind : block.binds) {
      bind.order += n.firstOrder;
      bind.id = n.id(bind.id);
    }
    for (RawStack& stack : block.stacks) {
      stack.order += n.firstOrder;
      stack.begin = n.name(stack.begin);
      stack.end = n.name(stack.end);
    }
    for (RawDeviceFacts& facts : block.deviceFacts) facts.order += n.firstOrder;
    for (RawMemory& record : block.memory) {
      record.thread = n.threads[record.thread];
      record.order += n.firstOrder;
    }
    for (RawSample& sample : block.samples) {
      sample.name = n.name(sample.name);
      sample.id = n.name(sample.id);
      sample.series = n.name(sample.series);
      sample.thread = n.threads[sample.thread];
      sample.order += n.firstOrder;
      range.widen(sample.atNs, sample.atNs);
    }
    for (RawMetadata& metadata : block.metadata) {
      metadata.thread = n.threads[metadata.thread];
      metadata.order += n.firstOrder;
    }
    return range;
  }

  void settleClock() {
    Range whole;
    for (const Range& range : m_ranges) whole.widen(range.first, range.last);
    m_state.timed = whole.first <= whole.last;
    m_state.zeroNs = m_state.timed ? whole.first : 0;
    m_state.endNs = m_state.timed ? whole.last : 0;
  }

  // Rows of slices whose category tells host from device come first: the others follow them.
  void assignRows() {
    BuilderState& state = m_state;
    state.threadTracks.resize(state.threads.size());
    std::vector<std::uint32_t> firstSeen(state.threads.size() * kSides, kNone);
    for (std::size_t block = 0; block < state.numberings.size(); ++block) {
      const std::vector<RawSeen>& seen = state.raw.blocks[block].seen;
      for (std::size_t i = 0; i < seen.size(); ++i) {
        std::uint32_t& first = firstSeen[state.numberings[block].place(i)];
        if (seen[i].count != 0) first = std::min(first, seen[i].first + state.numberings[block].firstOrder);
      }
    }
    state.sliceTracks.assign(firstSeen.size(), kNone);
    for (const Side side : {Side::kDevice, Side::kHost, Side::kSpans, Side::kEither})
      for (std::uint32_t thread = 0; thread < state.threads.size(); ++thread) {
        const std::size_t place = thread * kSides + static_cast<std::size_t>(side);
        if (firstSeen[place] == kNone) continue;
        const std::uint32_t track = state.trackFor(thread, side, firstSeen[place]);
        state.sliceTracks[place] = track;
        BuildProcess& process = state.processes[state.tracks[track].process];
        process.deviceWork = process.deviceWork || side == Side::kDevice;
        process.hostWork = process.hostWork || side == Side::kHost;
        if (side == Side::kSpans) {
          process.spans = true;
          if (state.tracks[track].kind == TrackKind::kThread) state.tracks[track].kind = TrackKind::kSpans;
        }
      }
  }

  BuilderState& m_state;
  unsigned m_workers;
  std::vector<Range> m_ranges;                                       // by block
  std::unordered_map<std::uint64_t, std::uint16_t> m_categoryByKey;  // name and class
  std::unordered_map<std::string, std::uint32_t> m_threadByKey;
};

}  // namespace

bool mergeBlocks(BuilderState& state, unsigned threads) { return Merger(state, threads).run(); }

}  // namespace attnscope
