// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/Kernels.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "core/analysis/Averages.h"

namespace attnscope {

namespace {

struct LaunchShape {
  StringId name = kNoString;
  std::array<std::int32_t, 3> grid{};
  std::array<std::int32_t, 3> block{};
  std::int32_t registersPerThread = -1;
  std::int64_t sharedMemoryBytes = -1;
  auto operator<=>(const LaunchShape&) const = default;
};

LaunchShape shapeOf(const Trace& trace, std::size_t work, KernelGrouping grouping) {
  LaunchShape shape;
  shape.name = trace.slices.name[index(trace.deviceWork.slice[work])];
  if (grouping == KernelGrouping::kByName) return shape;
  shape.grid = trace.deviceWork.grid[work];
  shape.block = trace.deviceWork.block[work];
  shape.registersPerThread = trace.deviceWork.registersPerThread[work];
  shape.sharedMemoryBytes = trace.deviceWork.sharedMemoryBytes[work];
  return shape;
}

// The launch facts that all calls agree on.
void describeLaunch(KernelRow& row, const DeviceWorkTable& work, const std::vector<std::size_t>& calls) {
  const std::size_t first = calls.front();
  const auto agree = [&](const auto& column) {
    return std::all_of(calls.begin(), calls.end(), [&](std::size_t i) { return column[i] == column[first]; });
  };
  if (agree(work.grid)) row.grid = work.grid[first];
  if (agree(work.block)) row.block = work.block[first];
  if (agree(work.registersPerThread)) row.registersPerThread = work.registersPerThread[first];
  if (agree(work.sharedMemoryBytes)) row.sharedMemoryBytes = work.sharedMemoryBytes[first];
  if (agree(work.occupancyReported)) row.occupancyReported = work.occupancyReported[first];
}

std::vector<LaunchingOperator> launchersOf(const Trace& trace, const std::vector<std::size_t>& calls) {
  std::unordered_map<StringId, std::uint64_t> counts;
  for (const std::size_t i : calls) {
    const SliceId launcher = trace.deviceWork.launchOperator[i];
    if (launcher != kNoSlice) ++counts[trace.slices.name[index(launcher)]];
  }
  std::vector<LaunchingOperator> launchers;
  launchers.reserve(counts.size());
  for (const auto& [name, count] : counts) launchers.push_back({name, count});
  std::sort(launchers.begin(), launchers.end(), [&](const LaunchingOperator& a, const LaunchingOperator& b) {
    return a.calls != b.calls ? a.calls > b.calls : trace.strings.view(a.name) < trace.strings.view(b.name);
  });
  return launchers;
}

KernelRow summarise(const Trace& trace, StringId name, std::vector<std::size_t>& calls) {
  const SliceTable& slices = trace.slices;
  const auto sliceOf = [&](std::size_t i) { return trace.deviceWork.slice[i]; };
  std::sort(calls.begin(), calls.end(), [&](std::size_t a, std::size_t b) {
    const std::int64_t startA = slices.startNs[index(sliceOf(a))];
    const std::int64_t startB = slices.startNs[index(sliceOf(b))];
    return startA != startB ? startA < startB : a < b;
  });
  KernelRow row;
  row.name = name;
  const std::string_view text = trace.strings.view(name);
  row.shortName = shortKernelName(text);
  row.family = kernelFamily(text);
  row.kind = slices.kind[index(sliceOf(calls.front()))];
  row.tensorCores = usesTensorCores(text);
  row.calls = calls.size();
  std::vector<std::int64_t> durations;
  durations.reserve(calls.size());
  row.slices.reserve(calls.size());
  for (const std::size_t i : calls) {
    row.slices.push_back(sliceOf(i));
    durations.push_back(slices.durationNs[index(sliceOf(i))]);
    row.totalNs += durations.back();
  }
  std::sort(durations.begin(), durations.end());
  const std::size_t count = durations.size();
  row.minNs = durations.front();
  row.maxNs = durations.back();
  row.meanNs = halfUp(row.totalNs, static_cast<std::int64_t>(count));
  row.medianNs = medianOfSorted(durations);
  row.p95Ns = durations[(count * 95 + 99) / 100 - 1];
  row.operators = launchersOf(trace, calls);
  describeLaunch(row, trace.deviceWork, calls);
  return row;
}

void finish(const Trace& trace, std::vector<KernelRow>& rows) {
  std::int64_t total = 0;
  for (const KernelRow& row : rows) total += row.totalNs;
  for (KernelRow& row : rows) {
    row.totalShare = total == 0 ? 0 : static_cast<double>(row.totalNs) / static_cast<double>(total);
  }
  std::stable_sort(rows.begin(), rows.end(), [&](const KernelRow& a, const KernelRow& b) {
    return a.totalNs != b.totalNs ? a.totalNs > b.totalNs : trace.strings.view(a.name) < trace.strings.view(b.name);
  });
}

}  // namespace

KernelTable kernelTable(const Trace& trace, KernelGrouping grouping, TimeRange scope) {
  std::map<LaunchShape, std::vector<std::size_t>> kernels;
  std::map<LaunchShape, std::vector<std::size_t>> copies;
  for (std::size_t i = 0; i < trace.deviceWork.size(); ++i) {
    const SliceId id = trace.deviceWork.slice[i];
    if (!scope.contains(trace.slices.startNs[index(id)])) continue;
    switch (trace.slices.categoryClass[index(id)]) {
      case CategoryClass::kKernel:
        kernels[shapeOf(trace, i, grouping)].push_back(i);
        break;
      case CategoryClass::kGpuMemcpy:
      case CategoryClass::kGpuMemset:
        copies[shapeOf(trace, i, grouping)].push_back(i);
        break;
      default:
        break;
    }
  }
  KernelTable table;
  for (auto& [shape, calls] : kernels) table.rows.push_back(summarise(trace, shape.name, calls));
  for (auto& [shape, calls] : copies) table.copies.push_back(summarise(trace, shape.name, calls));
  finish(trace, table.rows);
  finish(trace, table.copies);
  for (const KernelRow& row : table.rows) table.totalNs += row.totalNs;
  return table;
}

std::vector<DeviceBusy> deviceBusy(const Trace& trace, TimeRange scope) {
  std::map<std::int32_t, std::vector<TimeRange>> byDevice;
  for (std::size_t i = 0; i < trace.deviceWork.size(); ++i) {
    const SliceId id = trace.deviceWork.slice[i];
    const CategoryClass category = trace.slices.categoryClass[index(id)];
    if (category != CategoryClass::kKernel && category != CategoryClass::kGpuMemcpy &&
        category != CategoryClass::kGpuMemset) {
      continue;
    }
    const TimeRange whole{trace.slices.startNs[index(id)], trace.slices.endNs(id)};
    const TimeRange clipped{std::max(whole.startNs, scope.startNs), std::min(whole.endNs, scope.endNs)};
    if (clipped.endNs < clipped.startNs || (clipped.endNs == clipped.startNs && !scope.contains(whole.startNs)))
      continue;
    byDevice[trace.deviceWork.device[i]].push_back(clipped);
  }
  std::vector<DeviceBusy> result;
  for (auto& [device, ranges] : byDevice) {
    std::sort(ranges.begin(), ranges.end(),
              [](const TimeRange& a, const TimeRange& b) { return a.startNs < b.startNs; });
    DeviceBusy busy;
    busy.device = device;
    std::int64_t until = ranges.front().startNs;
    for (const TimeRange& range : ranges) {
      if (range.endNs > until) busy.busyNs += range.endNs - std::max(range.startNs, until);
      until = std::max(until, range.endNs);
    }
    busy.spanNs = until - ranges.front().startNs;
    result.push_back(busy);
  }
  return result;
}

}  // namespace attnscope
