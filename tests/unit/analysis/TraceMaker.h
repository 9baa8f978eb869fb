// SPDX-License-Identifier: Apache-2.0
#pragma once

// Builds a small Trace by hand, without a file: what analyses and comparisons look at, no more.

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/trace/Trace.h"

namespace attnscope {

struct MadeSlice {
  TrackId track = kNoTrack;
  std::string category;
  std::string name;
  std::int64_t startNs = 0;
  std::int64_t durationNs = 0;
  std::int64_t externalId = kNoNumber;
  std::int64_t correlation = kNoNumber;
  std::string inputDims = {};
  bool unfinished = false;
  std::string launchedBy = {};  // name of the cpu_op that device work is linked to
  std::int32_t device = 0;
  std::array<std::int32_t, 3> grid = {};
  std::string args = {};
};

struct MadeRecord {
  TrackId track = kNoTrack;
  std::int64_t atNs = 0;
  std::int64_t bytes = 0;
  std::uint64_t address = 0;
  std::int64_t total = kNoNumber;
  std::int16_t deviceType = 0;
  std::int16_t deviceId = -1;
};

class OwnedArgs : public ArgsSource {
 public:
  std::string text;
  [[nodiscard]] Result<std::string> read(TextRange range) const override {
    return text.substr(static_cast<std::size_t>(range.begin), range.length);
  }
};

class TraceMaker {
 public:
  TrackId thread(std::int64_t pid, std::int64_t tid, TrackKind kind = TrackKind::kThread) {
    std::size_t process = 0;
    while (process < m_trace.processes.size() && m_trace.processes[process].pid.number != pid) ++process;
    if (process == m_trace.processes.size()) {
      m_trace.processes.emplace_back();
      m_trace.processes.back().pid.number = pid;
    }
    Track track;
    track.kind = kind;
    track.process = ProcessId{static_cast<std::uint32_t>(process)};
    track.tid.number = tid;
    m_trace.tracks.push_back(track);
    return TrackId{static_cast<std::uint32_t>(m_trace.tracks.size() - 1)};
  }
  TraceMaker& add(MadeSlice slice) {
    m_slices.push_back(std::move(slice));
    return *this;
  }
  TraceMaker& record(MadeRecord record) {
    m_records.push_back(record);
    return *this;
  }
  Trace& trace() { return m_trace; }

  Trace build() {
    auto args = std::make_shared<OwnedArgs>();
    std::vector<std::size_t> order(m_slices.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(), [this](std::size_t a, std::size_t b) {
      const auto& x = m_slices[a];
      const auto& y = m_slices[b];
      return x.track != y.track ? x.track < y.track : x.startNs < y.startNs;
    });
    for (const std::size_t i : order) addSlice(m_slices[i], i, *args);
    for (std::size_t row = 0; row < order.size(); ++row) addDeviceWork(m_slices[order[row]], row);
    for (std::size_t i = 0; i < m_records.size(); ++i) addRecord(m_records[i], i);
    m_trace.argsSource = args;
    m_trace.base = "0";
    m_trace.timed = true;
    return std::move(m_trace);
  }

 private:
  void addSlice(const MadeSlice& made, std::size_t position, OwnedArgs& args) {
    SliceTable& slices = m_trace.slices;
    const auto row = static_cast<std::uint32_t>(slices.size());
    const CategoryClass category = classifyCategory(made.category);
    slices.startNs.push_back(made.startNs);
    slices.durationNs.push_back(made.durationNs);
    slices.name.push_back(m_trace.strings.intern(made.name));
    slices.category.push_back(m_trace.strings.intern(made.category));
    slices.kind.push_back(classifyWork(category, made.name));
    slices.categoryClass.push_back(category);
    slices.finished.push_back(true);
    slices.markedUnfinished.push_back(made.unfinished);
    slices.track.push_back(made.track);
    slices.depth.push_back(0);
    slices.parent.push_back(kNoSlice);
    slices.order.push_back(static_cast<std::uint32_t>(position));
    slices.correlation.push_back(made.correlation);
    slices.externalId.push_back(made.externalId);
    slices.inputDims.push_back(made.inputDims.empty() ? kNoString : m_trace.strings.intern(made.inputDims));
    slices.argsBegin.push_back(args.text.size());
    slices.argsLength.push_back(static_cast<std::uint32_t>(made.args.size()));
    args.text += made.args;
    m_trace.range.endNs = std::max(m_trace.range.endNs, made.startNs + made.durationNs);
    Track& track = m_trace.tracks[index(made.track)];
    if (track.sliceCount++ == 0) track.firstSlice = row;
    track.rows = {{track.firstSlice, track.sliceCount}};  // one row, though its slices may lie inside one another
    if (made.name.starts_with("ProfilerStep#")) {
      m_trace.steps.push_back({slices.name.back(), SliceId{row}, made.startNs, made.durationNs});
    }
  }
  void addDeviceWork(const MadeSlice& made, std::size_t row) {
    switch (m_trace.slices.categoryClass[row]) {
      case CategoryClass::kKernel:
      case CategoryClass::kGpuMemcpy:
      case CategoryClass::kGpuMemset:
      case CategoryClass::kSynchronisation:
        break;
      default:
        return;
    }
    DeviceWorkTable& work = m_trace.deviceWork;
    work.slice.push_back(SliceId{static_cast<std::uint32_t>(row)});
    work.device.push_back(made.device);
    work.stream.push_back(7);
    work.launch.push_back(kNoSlice);
    SliceId launcher = kNoSlice;
    for (std::uint32_t i = 0; i < m_trace.slices.size(); ++i) {
      if (!made.launchedBy.empty() && m_trace.strings.view(m_trace.slices.name[i]) == made.launchedBy) {
        launcher = SliceId{i};
      }
    }
    work.launchOperator.push_back(launcher);
    work.grid.push_back(made.grid);
    work.block.push_back({128, 1, 1});
    work.registersPerThread.push_back(32);
    work.sharedMemoryBytes.push_back(0);
    work.occupancyReported.push_back(0.5f);
    work.bytes.push_back(-1);
    if (m_trace.slices.categoryClass[row] == CategoryClass::kKernel) ++m_trace.kernels;
  }
  void addRecord(const MadeRecord& record, std::size_t position) {
    MemoryTable& memory = m_trace.memory;
    memory.atNs.push_back(record.atNs);
    memory.bytes.push_back(record.bytes);
    memory.address.push_back(record.address);
    memory.totalAllocated.push_back(record.total);
    memory.totalReserved.push_back(kNoNumber);
    memory.deviceType.push_back(record.deviceType);
    memory.deviceId.push_back(record.deviceId);
    memory.track.push_back(record.track);
    memory.order.push_back(static_cast<std::uint32_t>(position));
  }

  Trace m_trace;
  std::vector<MadeSlice> m_slices;
  std::vector<MadeRecord> m_records;
};

}  // namespace attnscope
