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

// How the numbers of one block are those of the whole.
struct Numbering {
  std::uint32_t firstOrder = 0;
  std::vector<std::uint32_t> names;
  std::vector<std::uint16_t> categories;
  std::vector<std::uint32_t> threads;
  struct Seen {                   // X events of a side of a thread
    std::uint32_t first = kNone;  // order
    std::uint32_t count = 0;
  };
  std::vector<Seen> seen;  // [thread of the block x kSides + side]
  std::int64_t first = INT64_MAX;
  std::int64_t last = INT64_MIN;

  [[nodiscard]] std::uint32_t name(std::uint32_t local) const { return local == kNone ? kNone : names[local]; }
  [[nodiscard]] std::uint32_t id(std::uint32_t local) const {
    return (local & kNumericId) != 0 ? local : names[local];  // kNone has the bit
  }
  // Of one in `seen`, with the thread's number of the whole.
  [[nodiscard]] std::uint32_t place(std::size_t i) const {
    return static_cast<std::uint32_t>(threads[i / kSides] * kSides + i % kSides);
  }
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
    m_numberings.resize(blocks.size());
    std::uint64_t firstOrder = 0;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      if (firstOrder + blocks[i].events >= kNone) return false;
      m_numberings[i].firstOrder = static_cast<std::uint32_t>(firstOrder);
      mergeTables(blocks[i], m_numberings[i]);
      m_state.raw.health.merge(shifted(blocks[i].health, firstOrder));
      m_state.trace->load.repairedBytes += blocks[i].repairedBytes;
      firstOrder += blocks[i].events;
    }
    m_state.trace->events = firstOrder;
    for (const RawCategory& category : m_state.categories) m_sides.push_back(sideOf(category.kind));
    m_state.slicesOfBlock.resize(blocks.size());
    inParallel(blocks.size(), m_workers, [&](std::size_t i) { renumber(blocks[i], m_numberings[i]); });
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
    m_state.categories.push_back({name, category.kind});
    return row;
  }

  void renumber(RawBlock& block, Numbering& n) const {
    n.seen.assign(block.threads.size() * kSides, {});
    BlockSlices& slices = m_state.slicesOfBlock[static_cast<std::size_t>(&n - m_numberings.data())];
    for (RawSlice& slice : block.slices) {
      slice.name = n.name(slice.name);
      slice.category = n.categories[slice.category];
      slice.order += n.firstOrder;
      Numbering::Seen& seen = n.seen[slice.thread * kSides + static_cast<std::size_t>(m_sides[slice.category])];
      if (seen.count++ == 0) seen.first = slice.order;
      slice.thread = n.threads[slice.thread];
      slice.inputDims = n.name(slice.inputDims);
      if (slice.durationNs > INT64_MAX / 2 - slice.startNs && slice.startNs > 0)
        slice.durationNs = INT64_MAX / 2 - slice.startNs;
      n.widen(slice.startNs, slice.startNs + slice.durationNs);
      slices.durationSum += slice.durationNs;
    }
    for (std::size_t i = 0; i < n.seen.size(); ++i)
      if (n.seen[i].count != 0) slices.counts.emplace_back(n.place(i), n.seen[i].count);
    for (RawPoint& point : block.points) {
      point.name = n.name(point.name);
      point.category = n.categories[point.category];
      point.thread = n.threads[point.thread];
      point.order += n.firstOrder;
      point.id = n.id(point.id);
      const bool arrow = point.phase == 's' || point.phase == 't' || point.phase == 'f';
      if (!arrow) n.widen(point.atNs, point.atNs);
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
      n.widen(sample.atNs, sample.atNs);
    }
    for (RawMetadata& metadata : block.metadata) {
      metadata.thread = n.threads[metadata.thread];
      metadata.order += n.firstOrder;
    }
  }

  void settleClock() {
    std::int64_t first = INT64_MAX;
    std::int64_t last = INT64_MIN;
    for (const Numbering& numbering : m_numberings) {
      first = std::min(first, numbering.first);
      last = std::max(last, numbering.last);
    }
    m_state.timed = first <= last;
    m_state.zeroNs = m_state.timed ? first : 0;
    m_state.endNs = m_state.timed ? last : 0;
  }

  // Rows of slices whose category tells host from device come first: the others follow them.
  void assignRows() {
    BuilderState& state = m_state;
    state.threadTracks.resize(state.threads.size());
    std::vector<std::uint32_t> firstSeen(state.threads.size() * kSides, kNone);
    for (const Numbering& numbering : m_numberings)
      for (std::size_t i = 0; i < numbering.seen.size(); ++i) {
        std::uint32_t& seen = firstSeen[numbering.place(i)];
        seen = std::min(seen, numbering.seen[i].first);
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
  std::vector<Numbering> m_numberings;
  std::vector<Side> m_sides;                                         // by category
  std::unordered_map<std::uint64_t, std::uint16_t> m_categoryByKey;  // name and class
  std::unordered_map<std::string, std::uint32_t> m_threadByKey;
};

}  // namespace

bool mergeBlocks(BuilderState& state, unsigned threads) { return Merger(state, threads).run(); }

}  // namespace attnscope
