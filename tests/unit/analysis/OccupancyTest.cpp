// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/Occupancy.h"

#include <gtest/gtest.h>

namespace attnscope {
namespace {

Occupancy onHopper(LaunchShape launch) {
  const auto limits = smLimits(9, 0);
  EXPECT_TRUE(limits);
  const auto occupancy = occupancyOf(launch, *limits, 132);
  EXPECT_TRUE(occupancy);
  return occupancy.value_or(Occupancy{});
}

TEST(Occupancy, FusedAttentionMayHaveMoreSharedMemoryThanTheDefault) {
  // A kernel of FlashAttention 2: 255 registers, 128 threads, 96 KiB.
  const Occupancy second = onHopper({{132 * 4, 1, 1}, {128, 1, 1}, 255, 96 * 1024});
  EXPECT_EQ(second.blocksPerSm, 2);
  EXPECT_DOUBLE_EQ(second.theoretical, 0.125);
  // The 65 536 registers and 228 KiB would each hold two blocks: registers are named first.
  EXPECT_EQ(second.limitedBy, OccupancyLimit::kRegisters);
  // One of FlashAttention 3: 168 registers, 384 threads, 214 KiB.
  const Occupancy third = onHopper({{132, 1, 1}, {384, 1, 1}, 168, 214 * 1024});
  EXPECT_EQ(third.blocksPerSm, 1);
  EXPECT_DOUBLE_EQ(third.theoretical, 0.1875);
}

TEST(Occupancy, EachResourceLimits) {
  EXPECT_EQ(onHopper({{9999, 1, 1}, {256, 1, 1}, 128, 0}).limitedBy, OccupancyLimit::kRegisters);
  EXPECT_EQ(onHopper({{9999, 1, 1}, {256, 1, 1}, 16, 100 * 1024}).limitedBy, OccupancyLimit::kSharedMemory);
  EXPECT_EQ(onHopper({{9999, 1, 1}, {1024, 1, 1}, 16, 0}).limitedBy, OccupancyLimit::kThreads);
  const Occupancy small = onHopper({{9999, 1, 1}, {32, 1, 1}, 8, 0});
  EXPECT_EQ(small.limitedBy, OccupancyLimit::kBlocks);
  EXPECT_EQ(small.blocksPerSm, 32);
  EXPECT_DOUBLE_EQ(small.theoretical, 0.5);
}

TEST(Occupancy, RegistersAreGivenOutByWarpAndPartition) {
  // 33 registers round up to 40 a thread: 1280 a warp, 12 warps of each fourth, 48 of the SM: 6 blocks of 8.
  EXPECT_EQ(onHopper({{9999, 1, 1}, {256, 1, 1}, 33, 0}).blocksPerSm, 6);
  // 8 192 a warp: two of each partition, whatever block they are of.
  EXPECT_EQ(onHopper({{9999, 1, 1}, {32, 1, 1}, 255, 0}).blocksPerSm, 8);
  EXPECT_EQ(onHopper({{9999, 1, 1}, {96, 1, 1}, 255, 0}).blocksPerSm, 2);
}

TEST(Occupancy, WavesAndTheirTail) {
  // 8 blocks of 256 threads fit, 1056 on 132 SMs.
  const Occupancy full = onHopper({{2112, 1, 1}, {256, 1, 1}, 32, 0});
  EXPECT_EQ(full.blocksPerSm, 8);
  EXPECT_DOUBLE_EQ(full.waves, 2);
  EXPECT_DOUBLE_EQ(full.lastWaveFill, 1);
  const Occupancy tail = onHopper({{1056 + 264, 1, 1}, {256, 1, 1}, 32, 0});
  EXPECT_DOUBLE_EQ(tail.waves, 1.25);
  EXPECT_DOUBLE_EQ(tail.lastWaveFill, 0.25);
  EXPECT_DOUBLE_EQ(tail.achieved, 1);
  const Occupancy few = onHopper({{66, 1, 1}, {256, 1, 1}, 32, 0});
  EXPECT_DOUBLE_EQ(few.theoretical, 1);
  EXPECT_DOUBLE_EQ(few.achieved, 0.5 * 256 / 2048);
}

TEST(Occupancy, WhatAnSmCannotHoldRunsNowhere) {
  const Occupancy tooMuch = onHopper({{1, 1, 1}, {256, 1, 1}, 32, 228 * 1024});
  EXPECT_EQ(tooMuch.blocksPerSm, 0);
  EXPECT_DOUBLE_EQ(tooMuch.waves, 0);
  EXPECT_EQ(onHopper({{1, 1, 1}, {1024, 1, 1}, 128, 0}).blocksPerSm, 0);
}

TEST(Occupancy, NothingIsMadeUpOfWhatWasNotRecorded) {
  const SmLimits limits = *smLimits(8, 0);
  EXPECT_FALSE(occupancyOf({{}, {128, 1, 1}, 32, 0}, limits, 108));
  EXPECT_FALSE(occupancyOf({{1, 1, 1}, {}, 32, 0}, limits, 108));
  EXPECT_FALSE(occupancyOf({{1, 1, 1}, {128, 1, 1}, -1, 0}, limits, 108));
  EXPECT_FALSE(occupancyOf({{1, 1, 1}, {128, 1, 1}, 32, -1}, limits, 108));
  EXPECT_FALSE(occupancyOf({{1, 1, 1}, {128, 1, 1}, 32, 0}, limits, 0));
  EXPECT_FALSE(occupancyOf({{1, 1, 1}, {4096, 4096, 256}, 32, 0}, limits, 108));
  EXPECT_FALSE(occupancyOf({{1, 1 << 30, 1 << 30}, {128, 1, 1}, 32, 0}, limits, 108));
}

TEST(SmLimits, OfEachCapability) {
  struct Expected {
    int major, minor, threads, blocks, optInKiB;
  };
  for (const Expected& each : {Expected{7, 0, 2048, 32, 96},
                               {7, 5, 1024, 16, 64},
                               {8, 0, 2048, 32, 163},
                               {8, 6, 1536, 16, 99},
                               {8, 7, 1536, 16, 163},
                               {8, 9, 1536, 24, 99},
                               {9, 0, 2048, 32, 227},
                               {10, 0, 2048, 32, 227},
                               {10, 3, 2048, 32, 227},
                               {11, 0, 1536, 24, 227},
                               {12, 0, 1536, 24, 99},
                               {12, 1, 1536, 24, 99}}) {
    const auto limits = smLimits(each.major, each.minor);
    ASSERT_TRUE(limits) << each.major << '.' << each.minor;
    EXPECT_EQ(limits->threads, each.threads) << each.major << '.' << each.minor;
    EXPECT_EQ(limits->blocks, each.blocks) << each.major << '.' << each.minor;
    EXPECT_EQ(limits->sharedMemoryPerBlockBytes, each.optInKiB * 1024) << each.major << '.' << each.minor;
  }
  EXPECT_FALSE(smLimits(6, 1));
  EXPECT_FALSE(smLimits(13, 0));
}

TEST(SmLimits, ADeviceOfAnotherMakerHasNone) {
  DeviceProperties device;
  device.computeMajor = 9;
  device.computeMinor = 4;
  device.warpSize = 64;
  EXPECT_FALSE(smLimits(device));
  device.warpSize = 32;
  device.sharedMemoryPerSm = 200'000;
  EXPECT_EQ(smLimits(device)->sharedMemoryBytes, 200'000);
}

}  // namespace
}  // namespace attnscope
