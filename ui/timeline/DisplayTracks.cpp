// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/DisplayTracks.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "ui/bridge/FreedAside.h"

namespace attnscope::ui {

namespace {

constexpr std::size_t kSortCount = 7;

DisplaySort sortOf(const Trace& trace, SliceId slice, bool isComparedStream) {
  switch (trace.slices.categoryClass[index(slice)]) {
    case CategoryClass::kPythonFunction:
      return trace.name(slice).starts_with("nn.Module") ? DisplaySort::kModules : DisplaySort::kPython;
    case CategoryClass::kUserAnnotation:
      return DisplaySort::kBand;
    case CategoryClass::kGpuUserAnnotation:
      return DisplaySort::kAnnotations;
    case CategoryClass::kKernel:
    case CategoryClass::kGpuMemcpy:
    case CategoryClass::kGpuMemset:
      return isComparedStream ? DisplaySort::kWork : DisplaySort::kSlices;
    default:
      return DisplaySort::kSlices;
  }
}

DisplayRow ownRow(const RunFacts& facts, std::vector<SliceId> slices) {
  DisplayRow row;
  const SliceTable& table = facts.trace->slices;
  row.startNs.reserve(slices.size());
  row.durationNs.reserve(slices.size());
  row.paintClass.reserve(slices.size());
  for (const SliceId slice : slices) {
    row.startNs.push_back(table.startNs[index(slice)]);
    row.durationNs.push_back(table.durationNs[index(slice)]);
    row.paintClass.push_back(facts.paintClass[index(slice)]);
  }
  row.slices = std::move(slices);
  return row;
}

std::pair<std::string, std::string> splitName(const std::string& name) {
  const std::size_t comma = name.find(", ");
  if (comma == std::string::npos) return {name, {}};
  return {name.substr(0, comma), name.substr(comma + 2)};
}

class Maker {
 public:
  explicit Maker(std::shared_ptr<const RunFacts> facts) : m_facts(std::move(facts)), m_trace(*m_facts->trace) {
    const std::vector<CategoryClass>& classes = m_trace.slices.categoryClass;
    m_onlyFrames = std::all_of(classes.begin(), classes.end(), [](CategoryClass category) {
      return category == CategoryClass::kPythonFunction || category == CategoryClass::kTrace;
    });
    m_result.facts = m_facts;
  }

  std::shared_ptr<const DisplayTracks> make() {
    for (std::size_t track = 0; track < m_trace.tracks.size(); ++track) {
      if (m_trace.tracks[track].sliceCount == 0) continue;
      addTrack(TrackId{static_cast<std::uint32_t>(track)});
    }
    addMemory();
    addDeviceSeries();
    addCounters();
    m_result.gaps = idleGaps(m_trace);
    return makeFreedAside<const DisplayTracks>(std::move(m_result));
  }

 private:
  int groupOf(ProcessId process) {
    if (m_groupOfProcess.size() < m_trace.processes.size() + 1)
      m_groupOfProcess.assign(m_trace.processes.size() + 1, -1);
    const std::size_t slot = process == kNoProcess ? m_trace.processes.size() : index(process);
    if (m_groupOfProcess[slot] >= 0) return m_groupOfProcess[slot];
    DisplayGroup group;
    if (process != kNoProcess) {
      const Process& from = m_trace.processes[index(process)];
      group.name = from.name.empty() ? m_trace.identityText(from.pid) : from.name;
      group.what = from.labels;
      group.isDevice = from.kind == ProcessKind::kDevice;
      if (group.isDevice) {
        if (from.device >= 0) group.name = "GPU " + std::to_string(from.device);
        for (const DeviceProperties& device : m_trace.devices) {
          if (device.id == from.device && !device.name.empty()) group.what = device.name;
        }
      }
    }
    m_groupOfProcess[slot] = static_cast<int>(m_result.groups.size());
    m_result.groups.push_back(std::move(group));
    return m_groupOfProcess[slot];
  }

  void addTrack(TrackId id) {
    const Track& track = m_trace.tracks[index(id)];
    const bool isCompared = id == m_facts->comparedTrack;
    const bool isComparedStream = isCompared && m_trace.hasDeviceWork();
    if (isCompared && !isComparedStream) addWorkingOperators(id);
    std::array<std::uint32_t, kSortCount> counts{};
    for (std::uint32_t at = 0; at < track.sliceCount; ++at) {
      ++counts[static_cast<std::size_t>(sortOf(m_trace, SliceId{track.firstSlice + at}, isComparedStream))];
    }
    const auto present =
        static_cast<std::size_t>(std::count_if(counts.begin(), counts.end(), [](auto n) { return n > 0; }));
    for (const DisplaySort sort : {DisplaySort::kBand, DisplaySort::kModules, DisplaySort::kAnnotations,
                                   DisplaySort::kSlices, DisplaySort::kWork, DisplaySort::kPython}) {
      if (counts[static_cast<std::size_t>(sort)] == 0) continue;
      DisplayTrack display = named(id, sort);
      display.sliceCount = counts[static_cast<std::size_t>(sort)];
      if (present == 1) {
        for (const RowSpan& span : track.rows) {
          DisplayRow row;
          row.first = span.first;
          row.count = span.count;
          display.rows.push_back(std::move(row));
        }
      } else {
        std::vector<SliceId> slices;
        slices.reserve(display.sliceCount);
        for (std::uint32_t at = 0; at < track.sliceCount; ++at) {
          const SliceId slice{track.firstSlice + at};
          if (sortOf(m_trace, slice, isComparedStream) == sort) slices.push_back(slice);
        }
        for (std::vector<SliceId>& row : nestIntoRows(m_trace, std::move(slices))) {
          display.rows.push_back(ownRow(*m_facts, std::move(row)));
        }
      }
      if (sort == DisplaySort::kWork) m_result.compared = static_cast<int>(m_result.tracks.size());
      m_result.tracks.push_back(std::move(display));
    }
  }

  DisplayTrack named(TrackId id, DisplaySort sort) {
    DisplayTrack display;
    display.sort = sort;
    display.track = id;
    const Track& track = m_trace.tracks[index(id)];
    display.group = groupOf(track.process);
    auto [name, detail] = splitName(track.name);
    display.name = std::move(name);
    display.detail = std::move(detail);
    // Frames are many rows of little news, unless there is nothing else to see.
    display.foldedAtFirst = sort == DisplaySort::kPython && !m_onlyFrames;
    return display;
  }

  // Of a run without a device: the outermost operators that work themselves, which do not overlap, as one row.
  void addWorkingOperators(TrackId id) {
    const OperatorNodes& nodes = m_facts->tree.nodes;
    std::vector<bool> insideWork(nodes.size(), false);  // a parent stands before its children
    std::vector<SliceId> working;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const OperatorNode& node = nodes[i];
      if (node.parent != OperatorNode::kNone) {
        insideWork[i] = insideWork[node.parent] || nodes[node.parent].isWorking;
      }
      if (!node.isWorking || insideWork[i]) continue;
      if (m_trace.slices.track[index(node.slice)] == id) working.push_back(node.slice);
    }
    if (working.empty()) return;
    std::vector<std::vector<SliceId>> rows = nestIntoRows(m_trace, std::move(working));
    DisplayTrack display = named(id, DisplaySort::kWork);
    for (std::vector<SliceId>& row : rows) {
      display.sliceCount += static_cast<std::uint32_t>(row.size());
      display.rows.push_back(ownRow(*m_facts, std::move(row)));
    }
    m_result.compared = static_cast<int>(m_result.tracks.size());
    m_result.tracks.push_back(std::move(display));
  }

  void addMemory() {
    for (const MemorySeries& series : m_facts->memory) {
      if (series.atNs.empty()) continue;
      auto counter = std::make_shared<DisplayCounter>();
      counter->unit = CounterUnit::kBytes;
      counter->atNs = series.atNs;
      counter->value.assign(series.allocatedBytes.begin(), series.allocatedBytes.end());
      const bool hasReserved = std::any_of(series.reservedBytes.begin(), series.reservedBytes.end(),
                                           [](std::int64_t bytes) { return bytes != kNoNumber && bytes > 0; });
      if (hasReserved) {
        for (const std::int64_t bytes : series.reservedBytes) {
          counter->second.push_back(bytes == kNoNumber ? std::numeric_limits<double>::quiet_NaN()
                                                       : static_cast<double>(bytes));
        }
      }
      DisplayTrack display;
      display.sort = DisplaySort::kCounter;
      display.name = series.device + " memory";
      display.group = memoryGroup(series);
      display.counter = std::move(counter);
      m_result.tracks.push_back(std::move(display));
    }
  }

  int memoryGroup(const MemorySeries& series) {
    return series.deviceType == 0 ? hostGroup() : deviceGroup(series.deviceId);
  }

  int hostGroup() {
    for (const DisplayTrack& track : m_result.tracks) {
      if (track.track != kNoTrack && !m_result.groups[static_cast<std::size_t>(track.group)].isDevice)
        return track.group;
    }
    return anyGroup();
  }

  int deviceGroup(std::int32_t device) {
    for (const DisplayTrack& track : m_result.tracks) {
      if (track.track == kNoTrack || !m_result.groups[static_cast<std::size_t>(track.group)].isDevice) continue;
      if (m_trace.tracks[index(track.track)].device == device) return track.group;
    }
    return anyGroup();
  }

  int anyGroup() { return m_result.tracks.empty() ? groupOf(kNoProcess) : m_result.tracks.front().group; }

  void addDeviceSeries() {
    const auto add = [&](DeviceSeries series, const char* name, CounterUnit unit) {
      if (series.atNs.size() < 2) return;
      auto counter = std::make_shared<DisplayCounter>();
      counter->unit = unit;
      counter->atNs = std::move(series.atNs);
      counter->value = std::move(series.value);
      DisplayTrack display;
      display.sort = DisplaySort::kCounter;
      display.name = name;
      display.group = deviceGroup(series.device);
      display.counter = std::move(counter);
      m_result.tracks.push_back(std::move(display));
    };
    for (DeviceSeries& each : launchQueueDepth(m_trace)) add(std::move(each), "launch queue", CounterUnit::kNumber);
    for (DeviceSeries& each : busyShare(m_trace)) add(std::move(each), "busy", CounterUnit::kShare);
  }

  void addCounters() {
    for (const CounterSeries& series : m_trace.counters) {
      if (series.atNs.empty()) continue;
      auto counter = std::make_shared<DisplayCounter>();
      counter->atNs = series.atNs;
      counter->value = series.value;
      DisplayTrack display;
      display.sort = DisplaySort::kCounter;
      display.name = std::string(m_trace.strings.view(series.name));
      const std::string_view part = m_trace.strings.view(series.series);
      if (!part.empty() && part != display.name) display.detail = std::string(part);
      display.group = groupOf(series.process);
      display.counter = std::move(counter);
      m_result.tracks.push_back(std::move(display));
    }
  }

  std::shared_ptr<const RunFacts> m_facts;
  const Trace& m_trace;
  DisplayTracks m_result;
  bool m_onlyFrames = false;  // Python frames are all that was recorded
  std::vector<int> m_groupOfProcess;
};

}  // namespace

RowColumns DisplayRow::columns(const RunFacts& facts) const {
  if (!slices.empty()) return {startNs, durationNs, paintClass};
  const SliceTable& table = facts.trace->slices;
  return {std::span(table.startNs).subspan(first, count), std::span(table.durationNs).subspan(first, count),
          std::span(facts.paintClass).subspan(first, count)};
}

std::vector<std::vector<SliceId>> nestIntoRows(const Trace& trace, std::vector<SliceId> slices) {
  const SliceTable& table = trace.slices;
  std::sort(slices.begin(), slices.end(), [&](SliceId left, SliceId right) {
    const std::int64_t leftStart = table.startNs[index(left)];
    const std::int64_t rightStart = table.startNs[index(right)];
    if (leftStart != rightStart) return leftStart < rightStart;
    if (table.depth[index(left)] != table.depth[index(right)])
      return table.depth[index(left)] < table.depth[index(right)];
    return left < right;
  });
  std::vector<std::vector<SliceId>> rows;
  std::vector<std::int64_t> ends;  // of each row's last slice
  for (const SliceId slice : slices) {
    const std::int64_t start = table.startNs[index(slice)];
    const std::int64_t end = table.endNs(slice);
    // Below every row that is still open, so that a child never stands above what it lies in.
    std::size_t row = rows.size();
    while (row > 0 && ends[row - 1] <= start) --row;
    if (row == rows.size()) {
      rows.emplace_back();
      ends.push_back(end);
    }
    ends[row] = std::max(end, ends[row]);
    rows[row].push_back(slice);
  }
  return rows;
}

std::shared_ptr<const DisplayTracks> makeDisplayTracks(std::shared_ptr<const RunFacts> facts) {
  return Maker(std::move(facts)).make();
}

const IdleGap* DisplayTracks::gapAt(TrackId track, double ns) const {
  const auto at = std::lower_bound(gaps.begin(), gaps.end(), std::pair{track, ns},
                                   [](const IdleGap& gap, const std::pair<TrackId, double>& wanted) {
                                     return std::pair{gap.track, static_cast<double>(gap.range.endNs)} <= wanted;
                                   });
  if (at == gaps.end() || at->track != track || static_cast<double>(at->range.startNs) > ns) return nullptr;
  return &*at;
}

std::vector<SlicePlace> DisplayTracks::findAll(SliceId slice) const {
  std::vector<SlicePlace> places;
  const SliceTable& table = facts->trace->slices;
  if (index(slice) >= table.size()) return places;
  const TrackId track = table.track[index(slice)];
  const std::int64_t start = table.startNs[index(slice)];
  for (std::size_t at = 0; at < tracks.size(); ++at) {
    const DisplayTrack& display = tracks[at];
    if (display.track != track || display.sort == DisplaySort::kCounter) continue;
    for (std::size_t rowAt = 0; rowAt < display.rows.size(); ++rowAt) {
      const DisplayRow& row = display.rows[rowAt];
      if (row.slices.empty()) {
        if (index(slice) < row.first || index(slice) >= row.first + row.count) continue;
        places.push_back(
            {static_cast<int>(at), static_cast<int>(rowAt), static_cast<std::uint32_t>(index(slice)) - row.first});
        break;
      }
      auto found = std::lower_bound(row.startNs.begin(), row.startNs.end(), start);
      bool isHere = false;
      for (; found != row.startNs.end() && *found == start; ++found) {
        const auto position = static_cast<std::uint32_t>(found - row.startNs.begin());
        if (row.slices[position] != slice) continue;
        places.push_back({static_cast<int>(at), static_cast<int>(rowAt), position});
        isHere = true;
        break;
      }
      if (isHere) break;
    }
  }
  std::stable_partition(places.begin(), places.end(), [&](const SlicePlace& place) { return place.track == compared; });
  return places;
}

std::optional<SlicePlace> DisplayTracks::find(SliceId slice) const {
  const std::vector<SlicePlace> places = findAll(slice);
  if (places.empty()) return std::nullopt;
  return places.front();
}

std::shared_ptr<const DisplayIndexes> makeDisplayIndexes(const DisplayTracks& tracks) {
  auto indexes = makeFreedAside<DisplayIndexes>();
  indexes->rows.resize(tracks.tracks.size());
  indexes->counters.resize(tracks.tracks.size());
  indexes->seconds.resize(tracks.tracks.size());
  for (std::size_t track = 0; track < tracks.tracks.size(); ++track) {
    const DisplayTrack& display = tracks.tracks[track];
    for (const DisplayRow& row : display.rows) {
      indexes->rows[track].push_back(RowIndex::build(row.columns(*tracks.facts)));
      indexes->bytes += indexes->rows[track].back().bytes();
    }
    if (!display.counter) continue;
    indexes->counters[track] = CounterIndex::build(display.counter->atNs, display.counter->value);
    if (!display.counter->second.empty()) {
      indexes->seconds[track] = CounterIndex::build(display.counter->atNs, display.counter->second);
    }
  }
  return indexes;
}

}  // namespace attnscope::ui
