// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/LaunchDelays.h"

#include <gtest/gtest.h>

#include "tests/unit/analysis/TraceMaker.h"

namespace attnscope {
namespace {

// Calls at `callStart`, 10 ns each, each with a kernel on one stream.
struct Launch {
  std::int64_t callStart;
  std::int64_t kernelStart;
  std::int64_t kernelNs;
};

Trace traceOf(const std::vector<Launch>& launches) {
  TraceMaker maker;
  const TrackId host = maker.thread(1, 1);
  const TrackId stream = maker.thread(0, 7, TrackKind::kStream);
  for (const Launch& each : launches) maker.add({host, "cuda_runtime", "cudaLaunchKernel", each.callStart, 10});
  for (const Launch& each : launches) maker.add({stream, "kernel", "k", each.kernelStart, each.kernelNs});
  Trace trace = maker.build();
  for (std::size_t i = 0; i < launches.size(); ++i) {
    trace.deviceWork.launch[i] = SliceId{static_cast<std::uint32_t>(i)};
  }
  return trace;
}

TEST(LaunchDelays, ByCallAndByTheWorkBefore) {
  // The first finds an idle stream, the second waits for the first, the third is late for no reason.
  const LaunchDelays delays = launchDelays(traceOf({{0, 15, 100}, {20, 117, 50}, {200, 290, 10}}));
  EXPECT_EQ(delays.launchNs, (std::vector<std::int64_t>{15, 97, 90}));
  EXPECT_EQ(delays.queueNs, (std::vector<std::int64_t>{5, 2, 80}));
  EXPECT_EQ(delays.waitNs, (std::vector<std::int64_t>{0, 85, 0}));
  EXPECT_EQ(delays.beforeTheirCall, 0u);
}

TEST(LaunchDelays, WorkBeforeItsCallIsCounted) {
  const LaunchDelays delays = launchDelays(traceOf({{100, 95, 10}}));
  EXPECT_EQ(delays.launchNs.front(), 0);
  EXPECT_EQ(delays.queueNs.front(), 0);
  EXPECT_EQ(delays.beforeTheirCall, 1u);
}

TEST(LaunchDelays, WithoutACallNothingIsKnown) {
  Trace trace = traceOf({{0, 15, 100}});
  trace.deviceWork.launch.front() = kNoSlice;
  const LaunchDelays delays = launchDelays(trace);
  EXPECT_EQ(delays.launchNs.front(), -1);
  EXPECT_EQ(delays.queueNs.front(), -1);
  EXPECT_EQ(delays.waitNs.front(), -1);
}

}  // namespace
}  // namespace attnscope
