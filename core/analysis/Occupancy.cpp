// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/Occupancy.h"

#include <algorithm>
#include <limits>

namespace attnscope {

namespace {

constexpr std::int64_t kWarp = 32;
constexpr std::int64_t kPartitions = 4;  // of an SM, each with a fourth of the registers
constexpr std::int64_t kRegisterUnit = 256;
constexpr std::int64_t kKiB = 1024;
constexpr std::int64_t kUnlimited = std::numeric_limits<std::int64_t>::max();

struct CapabilityLimits {
  std::int32_t major;
  std::int32_t minor;  // -1: every other of this major
  std::int32_t threads;
  std::int32_t blocks;
  std::int64_t sharedKiB;
};

constexpr std::array<CapabilityLimits, 11> kCapabilities = {{{7, 5, 1024, 16, 64},
                                                             {7, -1, 2048, 32, 96},
                                                             {8, 0, 2048, 32, 164},
                                                             {8, 7, 1536, 16, 164},
                                                             {8, 9, 1536, 24, 100},
                                                             {8, -1, 1536, 16, 100},
                                                             {9, -1, 2048, 32, 228},
                                                             {10, 1, 1536, 24, 228},
                                                             {10, -1, 2048, 32, 228},
                                                             {11, -1, 1536, 24, 228},
                                                             {12, -1, 1536, 24, 100}}};

constexpr std::int64_t roundedUp(std::int64_t value, std::int64_t unit) { return (value + unit - 1) / unit * unit; }

// Within what CUDA allows of a grid and a block, so that their products are what they seem.
bool canBeLaunched(const LaunchShape& launch) {
  constexpr std::int32_t kMostThreads = 1024;
  constexpr std::int32_t kMostBlocksYz = 65535;
  return std::all_of(launch.block.begin(), launch.block.end(),
                     [](std::int32_t side) { return side > 0 && side <= kMostThreads; }) &&
         launch.grid[0] > 0 && launch.grid[1] > 0 && launch.grid[1] <= kMostBlocksYz && launch.grid[2] > 0 &&
         launch.grid[2] <= kMostBlocksYz;
}

std::int64_t blocksByRegisters(const LaunchShape& launch, const SmLimits& limits) {
  if (launch.registersPerThread == 0) return kUnlimited;
  if (launch.registersPerThread > limits.registersPerThread) return 0;
  const std::int64_t registersPerWarp = roundedUp(launch.registersPerThread * kWarp, kRegisterUnit);
  const std::int64_t warps = (launch.threadsPerBlock() + kWarp - 1) / kWarp;
  // The launch itself is checked as if its warps filled all partitions; what runs takes no more than it has.
  if (registersPerWarp * roundedUp(warps, kPartitions) > limits.registers) return 0;
  const std::int64_t warpsThatFit = limits.registers / kPartitions / registersPerWarp * kPartitions;
  return warpsThatFit / warps;
}

std::int64_t blocksBySharedMemory(const LaunchShape& launch, const SmLimits& limits) {
  if (launch.sharedMemoryBytes > limits.sharedMemoryPerBlockBytes) return 0;
  const std::int64_t block =
      roundedUp(launch.sharedMemoryBytes + limits.sharedMemoryReservedBytes, limits.sharedMemoryAllocationBytes);
  return block == 0 ? kUnlimited : limits.sharedMemoryBytes / block;
}

std::int64_t blocksByThreads(const LaunchShape& launch, const SmLimits& limits) {
  const std::int64_t warps = (launch.threadsPerBlock() + kWarp - 1) / kWarp;
  return limits.threads / kWarp / warps;
}

}  // namespace

std::optional<SmLimits> smLimits(std::int32_t computeMajor, std::int32_t computeMinor) {
  const auto found = std::find_if(kCapabilities.begin(), kCapabilities.end(), [&](const CapabilityLimits& each) {
    return each.major == computeMajor && (each.minor == computeMinor || each.minor < 0);
  });
  if (found == kCapabilities.end()) return std::nullopt;
  SmLimits limits;
  limits.threads = found->threads;
  limits.blocks = found->blocks;
  limits.sharedMemoryBytes = found->sharedKiB * kKiB;
  // From 8.0 on the system keeps 1 KiB of each block, and shared memory is given out in units of 128 bytes.
  limits.sharedMemoryReservedBytes = computeMajor >= 8 ? kKiB : 0;
  limits.sharedMemoryAllocationBytes = computeMajor >= 8 ? 128 : 256;
  limits.sharedMemoryPerBlockBytes = limits.sharedMemoryBytes - limits.sharedMemoryReservedBytes;
  return limits;
}

std::optional<SmLimits> smLimits(const DeviceProperties& device) {
  if (device.warpSize > 0 && device.warpSize != kWarp) return std::nullopt;
  std::optional<SmLimits> limits = smLimits(device.computeMajor, device.computeMinor);
  if (!limits) return limits;
  if (device.maxThreadsPerSm > 0) limits->threads = static_cast<std::int32_t>(device.maxThreadsPerSm);
  if (device.registersPerSm > 0) limits->registers = static_cast<std::int32_t>(device.registersPerSm);
  if (device.sharedMemoryPerSm > 0) limits->sharedMemoryBytes = device.sharedMemoryPerSm;
  if (device.sharedMemoryPerBlockOptin > 0) limits->sharedMemoryPerBlockBytes = device.sharedMemoryPerBlockOptin;
  return limits;
}

std::string_view toString(OccupancyLimit limit) {
  switch (limit) {
    case OccupancyLimit::kRegisters:
      return "registers";
    case OccupancyLimit::kSharedMemory:
      return "shared memory";
    case OccupancyLimit::kThreads:
      return "threads";
    case OccupancyLimit::kBlocks:
      return "blocks";
  }
  return "threads";
}

std::optional<Occupancy> occupancyOf(const LaunchShape& launch, const SmLimits& limits, std::int64_t smCount) {
  if (smCount <= 0 || launch.registersPerThread < 0 || launch.sharedMemoryBytes < 0) return std::nullopt;
  if (!canBeLaunched(launch)) return std::nullopt;
  struct Candidate {
    OccupancyLimit limit;
    std::int64_t blocks;
  };
  const std::array<Candidate, 4> candidates = {{{OccupancyLimit::kRegisters, blocksByRegisters(launch, limits)},
                                                {OccupancyLimit::kSharedMemory, blocksBySharedMemory(launch, limits)},
                                                {OccupancyLimit::kThreads, blocksByThreads(launch, limits)},
                                                {OccupancyLimit::kBlocks, limits.blocks}}};
  const Candidate& scarcest = *std::min_element(
      candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) { return a.blocks < b.blocks; });
  Occupancy result;
  result.blocksPerSm = scarcest.blocks;
  result.limitedBy = scarcest.limit;
  const double ofSm = static_cast<double>(launch.threadsPerBlock()) / limits.threads;
  const double blocks = static_cast<double>(launch.blocks());
  const double perSm = blocks / static_cast<double>(smCount);
  result.theoretical = static_cast<double>(scarcest.blocks) * ofSm;
  result.achieved = std::min(static_cast<double>(scarcest.blocks), perSm) * ofSm;
  const std::int64_t atOnce = scarcest.blocks * smCount;
  if (atOnce > 0) {
    const std::int64_t rest = launch.blocks() % atOnce;
    result.waves = blocks / static_cast<double>(atOnce);
    result.lastWaveFill = rest == 0 ? 1 : static_cast<double>(rest) / static_cast<double>(atOnce);
  }
  return result;
}

}  // namespace attnscope
