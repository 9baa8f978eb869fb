// SPDX-License-Identifier: Apache-2.0
#pragma once

// How many blocks of a kernel fit on a multiprocessor, what stops more of them, and how evenly the grid fills the
// device. NVIDIA devices of compute capability 7.0 to 12.x. Pure functions, any thread, O(1).
//
// Limits: "Technical Specifications per Compute Capability" and "Compute Capabilities, Shared Memory" of NVIDIA's
// CUDA C++ Programming Guide (13.0). Granularities: registers go to warps in units of 256, warps to the four
// partitions of a multiprocessor, as the CUDA Occupancy Calculator describes.
// A block may have up to the opt-in limit of shared memory: a fused attention kernel asks for it, and a recorder that
// reckons with the default of 48 KiB reports 0 % for it.

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "core/trace/Trace.h"

namespace attnscope {

// Of one multiprocessor (SM).
struct SmLimits {
  std::int32_t threads = 0;
  std::int32_t blocks = 0;
  std::int32_t registers = 65536;
  std::int32_t registersPerThread = 255;
  std::int64_t sharedMemoryBytes = 0;
  std::int64_t sharedMemoryPerBlockBytes = 0;    // opt-in
  std::int64_t sharedMemoryReservedBytes = 0;    // by the system, of each block
  std::int64_t sharedMemoryAllocationBytes = 0;  // unit
};
// Nothing for capabilities outside 7.0 to 12.x.
[[nodiscard]] std::optional<SmLimits> smLimits(std::int32_t computeMajor, std::int32_t computeMinor);
// Those of a recorded device: what the recorder read from the driver goes before the table. Nothing for devices of
// other makers, whose capability means something else.
[[nodiscard]] std::optional<SmLimits> smLimits(const DeviceProperties& device);

struct LaunchShape {
  std::array<std::int32_t, 3> grid{};   // blocks; {0,0,0}: not recorded
  std::array<std::int32_t, 3> block{};  // threads
  std::int32_t registersPerThread = -1;
  std::int64_t sharedMemoryBytes = -1;  // of a block, static and dynamic

  [[nodiscard]] std::int64_t blocks() const { return std::int64_t{grid[0]} * grid[1] * grid[2]; }
  [[nodiscard]] std::int64_t threadsPerBlock() const { return std::int64_t{block[0]} * block[1] * block[2]; }
};

// The scarcest resource; equal ones in this order.
enum class OccupancyLimit : std::uint8_t { kRegisters, kSharedMemory, kThreads, kBlocks };
[[nodiscard]] std::string_view toString(OccupancyLimit limit);  // "registers", "shared memory", "threads", "blocks"

struct Occupancy {
  std::int64_t blocksPerSm = 0;  // that fit; 0: the launch asks for more than an SM has
  double theoretical = 0;        // threads of those, of the most an SM holds: 0..1
  double achieved = 0;           // the same where the grid is too small to bring so many to each SM
  OccupancyLimit limitedBy = OccupancyLimit::kThreads;
  double waves = 0;         // blocks of the grid over blocks the device holds at once
  double lastWaveFill = 0;  // 0..1 of the last wave; 1: it is full. A low one is the kernel's tail
};
// Nothing where a fact is not recorded, the launch is none that CUDA allows, or the SM count is not positive.
[[nodiscard]] std::optional<Occupancy> occupancyOf(const LaunchShape& launch, const SmLimits& limits,
                                                   std::int64_t smCount);

}  // namespace attnscope
