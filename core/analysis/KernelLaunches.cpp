// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/KernelLaunches.h"

#include <algorithm>

#include "core/analysis/Averages.h"
#include "core/analysis/LaunchDelays.h"

namespace attnscope {

namespace {

const DeviceProperties* deviceOf(const Trace& trace, std::int32_t id) {
  const auto found = std::find_if(trace.devices.begin(), trace.devices.end(),
                                  [id](const DeviceProperties& device) { return device.id == id; });
  return found == trace.devices.end() ? nullptr : &*found;
}

// The devices of one trace are taken to be alike.
std::optional<Occupancy> occupancyOfRow(const Trace& trace, const KernelRow& row, std::int32_t deviceId) {
  const DeviceProperties* device = deviceOf(trace, deviceId);
  if (device == nullptr) return std::nullopt;
  const std::optional<SmLimits> limits = smLimits(*device);
  if (!limits) return std::nullopt;
  const bool hasGrid = row.grid[0] > 0;
  LaunchShape launch{row.grid, row.block, row.registersPerThread, row.sharedMemoryBytes};
  if (!hasGrid) launch.grid = {1, 1, 1};
  std::optional<Occupancy> occupancy = occupancyOf(launch, *limits, device->smCount);
  if (!occupancy || occupancy->blocksPerSm == 0) return std::nullopt;
  if (!hasGrid) occupancy->achieved = occupancy->waves = occupancy->lastWaveFill = 0;
  return occupancy;
}

std::int64_t medianOfKnown(const std::vector<std::int64_t>& column, const std::vector<std::size_t>& calls) {
  std::vector<std::int64_t> known;
  known.reserve(calls.size());
  for (const std::size_t call : calls) {
    if (column[call] >= 0) known.push_back(column[call]);
  }
  if (known.empty()) return -1;
  std::sort(known.begin(), known.end());
  return medianOfSorted(known);
}

}  // namespace

std::vector<KernelLaunches> kernelLaunches(const Trace& trace, const std::vector<KernelRow>& rows) {
  const LaunchDelays delays = launchDelays(trace);
  std::vector<KernelLaunches> result;
  result.reserve(rows.size());
  for (const KernelRow& row : rows) {
    std::vector<std::size_t> calls;  // rows of the device work
    calls.reserve(row.slices.size());
    for (const SliceId slice : row.slices) {
      if (const auto call = trace.deviceWork.find(slice)) calls.push_back(*call);
    }
    KernelLaunches launches;
    if (!calls.empty()) launches.occupancy = occupancyOfRow(trace, row, trace.deviceWork.device[calls.front()]);
    launches.launchMedianNs = medianOfKnown(delays.launchNs, calls);
    launches.queueMedianNs = medianOfKnown(delays.queueNs, calls);
    launches.tensorCoreFamily = tensorCoreFamily(trace.strings.view(row.name));
    result.push_back(launches);
  }
  return result;
}

}  // namespace attnscope
