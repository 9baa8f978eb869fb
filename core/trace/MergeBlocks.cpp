// SPDX-License-Identifier: Apache-2.0
// First steps of the builder: names and threads of all blocks are numbered together, the clock's range is found, and
// every event gets its row.
#include <algorithm>

#include "core/trace/BuilderState.h"

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
    case CategoryClass::kTrace:
      return Side::kHost;
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

class Merger {
 public:
  explicit Merger(BuilderState& state) : m_state(state) {}

  bool run() {
    std::uint64_t firstOrder = 0;
    for (RawBlock& block : m_state.raw.blocks) {
      if (firstOrder + block.events >= kNone) return false;
      mergeTables(block);
      renumber(block, static_cast<std::uint32_t>(firstOrder));
      m_state.raw.health.merge(shifted(block.health, firstOrder));
      firstOrder += block.events;
    }
    m_state.trace->events = firstOrder;
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

  void mergeTables(RawBlock& block) {
    StringPool& strings = m_state.trace->strings;
    m_names.resize(block.strings.size());
    for (std::size_t i = 0; i < m_names.size(); ++i)
      m_names[i] = static_cast<std::uint32_t>(
          index(strings.intern(block.strings.view(StringId(static_cast<std::uint32_t>(i))))));
    m_categories.resize(block.categories.size());
    for (std::size_t i = 0; i < m_categories.size(); ++i) {
      const RawCategory& category = block.categories[i];
      const std::uint32_t name = nameOf(category.name);
      const auto [place, added] =
          m_categoryByName.try_emplace(name, static_cast<std::uint16_t>(m_state.categories.size()));
      if (added && m_state.categories.size() == 0xFFFF) {
        m_categoryByName.erase(place);
        m_state.raw.health.note("category.too-many", Severity::kRepaired,
                                "More than 65,535 categories; the others are shown as the last of them.");
        m_categories[i] = 0xFFFE;
        continue;
      }
      if (added) m_state.categories.push_back({name, category.kind});
      m_categories[i] = place->second;
    }
    m_threads.resize(block.threads.size());
    for (std::size_t i = 0; i < m_threads.size(); ++i) {
      const RawThread& thread = block.threads[i];
      const std::string key = keyOf(thread.pid) + '\0' + keyOf(thread.tid);
      const auto [place, added] = m_threadByKey.try_emplace(key, static_cast<std::uint32_t>(m_state.threads.size()));
      if (added) m_state.threads.push_back(thread);
      m_threads[i] = place->second;
    }
  }

  [[nodiscard]] std::uint32_t nameOf(std::uint32_t local) const { return local == kNone ? kNone : m_names[local]; }

  [[nodiscard]] std::uint32_t idOf(std::uint32_t local) const {
    return (local & kNumericId) != 0 ? local : m_names[local];  // kNone has the bit
  }

  void widen(std::int64_t from, std::int64_t to) {
    m_first = std::min(m_first, from);
    m_last = std::max(m_last, to);
  }

  void renumber(RawBlock& block, std::uint32_t firstOrder) {
    for (RawSlice& slice : block.slices) {
      slice.name = nameOf(slice.name);
      slice.category = m_categories[slice.category];
      slice.thread = m_threads[slice.thread];
      slice.order += firstOrder;
      slice.inputDims = nameOf(slice.inputDims);
      if (slice.durationNs > INT64_MAX / 2 - slice.startNs && slice.startNs > 0)
        slice.durationNs = INT64_MAX / 2 - slice.startNs;
      widen(slice.startNs, slice.startNs + slice.durationNs);
    }
    for (RawPoint& point : block.points) {
      point.name = nameOf(point.name);
      point.category = m_categories[point.category];
      point.thread = m_threads[point.thread];
      point.order += firstOrder;
      point.id = idOf(point.id);
      const bool arrow = point.phase == 's' || point.phase == 't' || point.phase == 'f';
      if (!arrow) widen(point.atNs, point.atNs);
    }
    for (RawBind& bind : block.binds) {
      bind.order += firstOrder;
      bind.id = idOf(bind.id);
    }
    for (RawDeviceFacts& facts : block.deviceFacts) facts.order += firstOrder;
    for (RawMemory& record : block.memory) {
      record.thread = m_threads[record.thread];
      record.order += firstOrder;
    }
    for (RawSample& sample : block.samples) {
      sample.name = nameOf(sample.name);
      sample.id = nameOf(sample.id);
      sample.series = nameOf(sample.series);
      sample.thread = m_threads[sample.thread];
      sample.order += firstOrder;
      widen(sample.atNs, sample.atNs);
    }
    for (RawMetadata& metadata : block.metadata) {
      metadata.thread = m_threads[metadata.thread];
      metadata.order += firstOrder;
    }
  }

  void settleClock() {
    m_state.timed = m_first <= m_last;
    m_state.zeroNs = m_state.timed ? m_first : 0;
    m_state.endNs = m_state.timed ? m_last : 0;
  }

  // Rows of slices whose category tells host from device come first: the others follow them.
  void assignRows() {
    BuilderState& state = m_state;
    state.threadTracks.resize(state.threads.size());
    for (RawBlock& block : state.raw.blocks)
      for (RawSlice& slice : block.slices) {
        ThreadTracks& entry = state.threadTracks[slice.thread];
        const Side side = sideOf(state.classOf(slice.category));
        if (side == Side::kEither) {
          entry.seenOther = true;
          continue;
        }
        std::uint32_t track = side == Side::kDevice ? entry.device : entry.host;
        if (track == kNone || slice.order < state.tracks[track].firstOrder)
          track = state.trackFor(slice.thread, side, slice.order);
        BuildProcess& process = state.processes[state.tracks[track].process];
        if (side == Side::kDevice) {
          process.deviceWork = true;
        } else if (state.classOf(slice.category) == CategoryClass::kTrace) {
          process.spans = true;
          state.tracks[track].kind = TrackKind::kSpans;
        } else {
          process.hostWork = true;
        }
      }
    for (RawBlock& block : state.raw.blocks)
      for (RawSlice& slice : block.slices)
        slice.thread = state.trackFor(slice.thread, sideOf(state.classOf(slice.category)), slice.order);
  }

  BuilderState& m_state;
  std::vector<std::uint32_t> m_names;
  std::vector<std::uint16_t> m_categories;
  std::vector<std::uint32_t> m_threads;
  std::unordered_map<std::uint32_t, std::uint16_t> m_categoryByName;
  std::unordered_map<std::string, std::uint32_t> m_threadByKey;
  std::int64_t m_first = INT64_MAX;
  std::int64_t m_last = INT64_MIN;
};

}  // namespace

bool mergeBlocks(BuilderState& state) { return Merger(state).run(); }

}  // namespace attnscope
