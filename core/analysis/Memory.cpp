// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/Memory.h"

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

#include "core/analysis/MemoryOperators.h"
#include "core/trace/TrackOrder.h"

namespace attnscope {

std::string memoryDeviceName(std::int16_t type, std::int16_t id) {
  std::string name;
  switch (type) {
    case 0:
      return "cpu";
    case 1:
      name = "cuda";
      break;
    case 2:
      name = "mkldnn";
      break;
    case 5:
      name = "ideep";
      break;
    case 6:
      name = "hip";
      break;
    case 9:
      name = "xla";
      break;
    case 12:
      name = "xpu";
      break;
    case 13:
      name = "mps";
      break;
    case 15:
      name = "hpu";
      break;
    case 19:
      name = "mtia";
      break;
    case 20:
      name = "privateuseone";
      break;
    default:
      name = "device-type-" + std::to_string(type);
  }
  return id < 0 ? name : name + ":" + std::to_string(id);
}

namespace {

// The operators of each track by start, then longer first; put in order when they are first asked for.
class OperatorsByTrack {
 public:
  explicit OperatorsByTrack(const Trace& trace) : m_trace(trace), m_tracks(trace.tracks.size()) {}

  const std::vector<SliceId>& of(TrackId track) {
    std::optional<std::vector<SliceId>>& operators = m_tracks[index(track)];
    if (operators) return *operators;
    const SliceTable& slices = m_trace.slices;
    operators = inStartOrder(
        slices, m_trace.tracks[index(track)].rows,
        [&](std::size_t slice) { return slices.categoryClass[slice] == CategoryClass::kCpuOperator; },
        [&](SliceId a, SliceId b) { return slices.order[index(a)] < slices.order[index(b)]; });
    return *operators;
  }

 private:
  const Trace& m_trace;
  std::vector<std::optional<std::vector<SliceId>>> m_tracks;
};

// Finds the innermost cpu_op open on a thread; questions come in order of time.
class OpenOperators {
 public:
  OpenOperators(const Trace& trace, OperatorsByTrack& operators)
      : m_trace(trace), m_operators(operators), m_tracks(trace.tracks.size()) {}

  SliceId at(TrackId track, std::int64_t ns) {
    if (track == kNoTrack) return kNoSlice;
    PerTrack& state = m_tracks[index(track)];
    if (state.operators == nullptr) state.operators = &m_operators.of(track);
    const SliceTable& slices = m_trace.slices;
    for (; state.next < state.operators->size(); ++state.next) {
      const SliceId id = (*state.operators)[state.next];
      if (slices.startNs[index(id)] > ns) break;
      while (!state.open.empty() && slices.endNs(state.open.back()) <= slices.startNs[index(id)]) state.open.pop_back();
      state.open.push_back(id);
    }
    while (!state.open.empty() && slices.endNs(state.open.back()) < ns) state.open.pop_back();
    return state.open.empty() ? kNoSlice : state.open.back();
  }

 private:
  struct PerTrack {
    const std::vector<SliceId>* operators = nullptr;
    std::vector<SliceId> open;
    std::size_t next = 0;
  };

  const Trace& m_trace;
  OperatorsByTrack& m_operators;
  std::vector<PerTrack> m_tracks;
};

struct Block {
  std::int64_t bytes = 0;
  StringId owner = kNoString;
};

std::vector<MemoryHolder> holdersOf(const Trace& trace, const std::unordered_map<std::uint64_t, Block>& live) {
  std::unordered_map<StringId, MemoryHolder> byOwner;
  for (const auto& [address, block] : live) {
    MemoryHolder& holder = byOwner[block.owner];
    holder.operatorName = block.owner;
    holder.bytes += block.bytes;
    ++holder.blocks;
  }
  std::vector<MemoryHolder> holders;
  holders.reserve(byOwner.size());
  for (const auto& [owner, holder] : byOwner) holders.push_back(holder);
  std::sort(holders.begin(), holders.end(), [&](const MemoryHolder& a, const MemoryHolder& b) {
    if (a.bytes != b.bytes) return a.bytes > b.bytes;
    return trace.strings.view(a.operatorName) < trace.strings.view(b.operatorName);
  });
  return holders;
}

// `records`: rows of MemoryTable of one device, in order. Those before the scope count for levels and holders.
MemorySeries seriesOf(const Trace& trace, const std::vector<std::uint32_t>& records, TimeRange scope,
                      OperatorsByTrack& byTrack) {
  const MemoryTable& memory = trace.memory;
  MemorySeries series;
  series.hasTotals = std::any_of(records.begin(), records.end(),
                                 [&](std::uint32_t r) { return memory.totalAllocated[r] != kNoNumber; });
  std::int64_t level = 0;
  std::size_t peakPosition = records.size();
  bool started = false;
  for (std::size_t i = 0; i < records.size(); ++i) {
    const std::uint32_t record = records[i];
    level += memory.bytes[record];
    if (memory.totalAllocated[record] != kNoNumber) level = memory.totalAllocated[record];
    if (!scope.contains(memory.atNs[record])) continue;
    if (!started) series.startBytes = series.hasTotals ? level - memory.bytes[record] : 0;
    ++(memory.bytes[record] < 0 ? series.frees : series.allocations);
    if (!started || level > series.peakBytes) {
      series.peakBytes = level;
      series.peakAtNs = memory.atNs[record];
      peakPosition = i;
    }
    started = true;
    series.endBytes = level;
    series.reservedPeakBytes = std::max(series.reservedPeakBytes, memory.totalReserved[record]);
    series.atNs.push_back(memory.atNs[record]);
    series.allocatedBytes.push_back(level);
    series.reservedBytes.push_back(memory.totalReserved[record]);
  }
  if (!started) return series;

  OpenOperators operators(trace, byTrack);
  std::unordered_map<std::uint64_t, Block> live;
  for (std::size_t i = 0; i <= peakPosition; ++i) {
    const std::uint32_t record = records[i];
    if (memory.bytes[record] < 0) {
      live.erase(memory.address[record]);
      continue;
    }
    const SliceId owner = operators.at(memory.track[record], memory.atNs[record]);
    live[memory.address[record]] = {memory.bytes[record],
                                    owner == kNoSlice ? kNoString : trace.slices.name[index(owner)]};
  }
  series.holdersAtPeak = holdersOf(trace, live);
  return series;
}

}  // namespace

std::vector<SliceId> memoryOperators(const Trace& trace) {
  OperatorsByTrack byTrack(trace);
  OpenOperators operators(trace, byTrack);
  std::vector<SliceId> owners;
  owners.reserve(trace.memory.size());
  for (std::size_t i = 0; i < trace.memory.size(); ++i) {
    owners.push_back(operators.at(trace.memory.track[i], trace.memory.atNs[i]));
  }
  return owners;
}

std::vector<MemorySeries> memorySeries(const Trace& trace, TimeRange scope) {
  std::map<std::pair<std::int16_t, std::int16_t>, std::vector<std::uint32_t>> byDevice;
  for (std::size_t i = 0; i < trace.memory.size(); ++i) {
    byDevice[{trace.memory.deviceType[i], trace.memory.deviceId[i]}].push_back(static_cast<std::uint32_t>(i));
  }
  OperatorsByTrack operators(trace);
  std::vector<MemorySeries> result;
  for (const auto& [device, records] : byDevice) {
    MemorySeries series = seriesOf(trace, records, scope, operators);
    if (series.atNs.empty()) continue;
    series.deviceType = device.first;
    series.deviceId = device.second;
    series.device = memoryDeviceName(device.first, device.second);
    result.push_back(std::move(series));
  }
  return result;
}

}  // namespace attnscope
