// SPDX-License-Identifier: Apache-2.0
// How calls are timed: this file knows no LibTorch.

#include "core/engine/Benchmark.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "core/engine/Deadline.h"

namespace attnscope::engine {
namespace {

const Cancelled kNever = [] { return false; };

void burnCpu(std::int64_t ns) {
  const std::int64_t end = now().threadCpuNs + ns;
  while (now().threadCpuNs < end) {
  }
}

TEST(Benchmark, CallsFillTheSample) {
  EXPECT_EQ(callsPerSample(1'000'000, 20'000'000, CacheState::kHot), 20);
  EXPECT_EQ(callsPerSample(1'000'001, 20'000'000, CacheState::kHot), 20);
  EXPECT_EQ(callsPerSample(999'999, 20'000'000, CacheState::kHot), 21);
  EXPECT_EQ(callsPerSample(50'000'000, 20'000'000, CacheState::kHot), 1);
  EXPECT_EQ(callsPerSample(0, 0, CacheState::kHot), 1);
  EXPECT_EQ(callsPerSample(1'000, 20'000'000, CacheState::kCold), kMostColdCalls);
}

TEST(Benchmark, ASampleHoldsAllItsCalls) {
  int called = 0;
  const auto sample = takeSample(
      [&] {
        burnCpu(500'000);
        ++called;
      },
      7, {.calls = 4, .flusher = nullptr}, kNever);
  ASSERT_TRUE(sample.has_value());
  EXPECT_EQ(called, 4);
  EXPECT_EQ(sample->round, 7);
  EXPECT_EQ(sample->calls, 4);
  EXPECT_GE(sample->threadCpuNs, 2'000'000);
  EXPECT_LT(sample->threadCpuNs, 20'000'000);
  EXPECT_GE(sample->wallNs, 2'000'000);
}

TEST(Benchmark, AFlushIsNotTimed) {
  CacheFlusher flusher;
  const auto sample = takeSample([] {}, 0, {.calls = 3, .flusher = &flusher}, kNever);
  ASSERT_TRUE(sample.has_value());
  EXPECT_EQ(sample->calls, 3);
  EXPECT_LT(sample->threadCpuNs, 200'000);
}

TEST(Benchmark, ACancelStopsBetweenCalls) {
  int called = 0;
  EXPECT_FALSE(takeSample([&] { ++called; }, 0, {.calls = 100, .flusher = nullptr}, [&] { return called == 3; }));
  EXPECT_EQ(called, 3);
}

TEST(Benchmark, WarmUpEndsInTime) {
  int called = 0;
  bool told = false;
  const auto result = warmUp(
      [&] {
        burnCpu(200'000 * (++called % 3 + 1));  // never steady
      },
      {.sampleAtLeastNs = 10'000'000, .atMostNs = 100'000'000, .cache = CacheState::kHot},
      [&](std::int64_t, std::int64_t) { told = true; }, kNever);
  ASSERT_TRUE(result.has_value());
  EXPECT_TRUE(told);
  EXPECT_EQ(result->calls, called);
  EXPECT_GE(result->perCallNs, 200'000);
  EXPECT_GE(result->callsPerSample, 1);
}

TEST(Benchmark, ALongCallIsMadeOnce) {
  int called = 0;
  const auto result = warmUp(
      [&] {
        ++called;
        burnCpu(5'000'000);
      },
      {.sampleAtLeastNs = 20'000'000, .atMostNs = 1'000'000, .cache = CacheState::kHot},
      [](std::int64_t, std::int64_t) {}, kNever);
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(called, 1);
  EXPECT_FALSE(result->steady);
}

TEST(Benchmark, OrdersAreRandomAndFixedByTheSeed) {
  std::set<std::vector<std::size_t>> orders;
  for (int round = 0; round < 100; ++round) {
    std::vector<std::size_t> order = orderOfRound(3, 5, round);
    EXPECT_EQ(order, orderOfRound(3, 5, round));
    orders.insert(order);
    std::sort(order.begin(), order.end());
    EXPECT_EQ(order, (std::vector<std::size_t>{0, 1, 2}));
  }
  EXPECT_EQ(orders.size(), 6u);
}

TEST(Benchmark, NoisePairsAreSpread) {
  EXPECT_EQ(noisePairsAfter(0, 3), 3);
  EXPECT_EQ(noisePairsAfter(39, 3), 120);
}

TEST(Deadline, IsGenerousAndHasAFloor) {
  EXPECT_EQ(deadlineFromTime(1000, 20), kDeadlineFloorNs);
  EXPECT_EQ(deadlineFromTime(1'000'000'000, 2), 100'000'000'000);
  EXPECT_EQ(deadlineFromFlops(1), kDeadlineFloorNs);
  EXPECT_GT(deadlineFromFlops(1'000'000'000'000), 1'000'000'000'000);
  EXPECT_GT(deadlineFromFlops(std::int64_t{1} << 62), 0);
}

}  // namespace
}  // namespace attnscope::engine
