// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/DeviceTimeline.h"

#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "TraceMaker.h"

namespace attnscope {
namespace {

class DeviceTimelineTest : public testing::Test {
 protected:
  TraceMaker m_maker;
  TrackId m_host = m_maker.thread(1, 1);
  TrackId m_stream = m_maker.thread(0, 7, TrackKind::kStream);
  TrackId m_other = m_maker.thread(0, 8, TrackKind::kStream);
  std::int64_t m_correlation = 0;

  // A kernel and the call that launched it; a call that begins below zero is not recorded.
  void launched(TrackId stream, std::int64_t callNs, std::int64_t startNs, std::int64_t durationNs) {
    ++m_correlation;
    if (callNs >= 0) m_maker.add({m_host, "cuda_runtime", "cudaLaunchKernel", callNs, 10, kNoNumber, m_correlation});
    m_maker.add({stream, "kernel", "gemm", startNs, durationNs, kNoNumber, m_correlation});
  }

  Trace build() {
    Trace trace = m_maker.build();
    for (std::size_t row = 0; row < trace.deviceWork.size(); ++row) {
      const std::int64_t wanted = trace.slices.correlation[index(trace.deviceWork.slice[row])];
      for (std::uint32_t at = 0; at < trace.slices.size(); ++at) {
        if (trace.slices.categoryClass[at] == CategoryClass::kRuntime && trace.slices.correlation[at] == wanted) {
          trace.deviceWork.launch[row] = SliceId{at};
        }
      }
    }
    trace.dense = trace.range;
    return trace;
  }

  IdleCause onlyCause() {
    const std::vector<IdleGap> gaps = idleGaps(build());
    EXPECT_EQ(gaps.size(), 1U);
    EXPECT_EQ(gaps.front().range, (TimeRange{1000, 2000}));
    EXPECT_EQ(gaps.front().track, m_stream);
    return gaps.front().cause;
  }
};

TEST_F(DeviceTimelineTest, AHostThatComesLateIsNoLaunch) {
  launched(m_stream, 0, 500, 500);
  launched(m_stream, 1900, 2000, 100);
  EXPECT_EQ(onlyCause(), IdleCause::kNoLaunch);
}

TEST_F(DeviceTimelineTest, WorkThatWasLaunchedInTimeWaits) {
  launched(m_stream, 0, 500, 500);
  launched(m_stream, 900, 2000, 100);
  EXPECT_EQ(onlyCause(), IdleCause::kWaiting);
}

TEST_F(DeviceTimelineTest, ASynchronisingCallOnTheLaunchingThreadIsTheCause) {
  launched(m_stream, 0, 500, 500);
  m_maker.add({m_host, "cuda_runtime", "cudaDeviceSynchronize", 300, 1400});
  launched(m_stream, 1800, 2000, 100);
  EXPECT_EQ(onlyCause(), IdleCause::kSynchronisation);
}

TEST_F(DeviceTimelineTest, ASynchronisingCallOnAnotherThreadIsNot) {
  const TrackId other = m_maker.thread(1, 2);
  launched(m_stream, 0, 500, 500);
  m_maker.add({other, "cuda_runtime", "cudaDeviceSynchronize", 300, 1400});
  launched(m_stream, 1800, 2000, 100);
  EXPECT_EQ(onlyCause(), IdleCause::kNoLaunch);
}

TEST_F(DeviceTimelineTest, TheProfilersOwnWorkIsTheCause) {
  launched(m_stream, 0, 500, 500);
  m_maker.add({m_host, "overhead", "Buffer Flush", 1000, 700});
  launched(m_stream, 1800, 2000, 100);
  EXPECT_EQ(onlyCause(), IdleCause::kProfiler);
}

TEST_F(DeviceTimelineTest, WithoutALaunchTheCauseIsUnknown) {
  launched(m_stream, 0, 500, 500);
  launched(m_stream, -1, 2000, 100);
  EXPECT_EQ(onlyCause(), IdleCause::kUnknown);
}

TEST_F(DeviceTimelineTest, WorkThatOverlapsLeavesNoGap) {
  launched(m_stream, 0, 0, 3000);
  launched(m_stream, 10, 500, 100);
  launched(m_stream, 20, 2900, 300);
  launched(m_other, 30, 0, 100);
  EXPECT_TRUE(idleGaps(build()).empty());
}

TEST_F(DeviceTimelineTest, CausesAreSummedInsideTheScope) {
  launched(m_stream, 0, 500, 500);
  launched(m_stream, 1900, 2000, 100);  // no launch, 1000 to 2000
  launched(m_stream, 1950, 2500, 100);  // waiting, 2100 to 2500
  launched(m_other, 0, 100, 10);
  launched(m_other, 5000, 6000, 10);  // another stream's
  const std::vector<IdleGap> gaps = idleGaps(build());
  const std::vector<IdleSum> whole = idleByCause(gaps, m_stream, TimeRange::all());
  ASSERT_EQ(whole.size(), 2U);
  EXPECT_EQ(whole[0].cause, IdleCause::kNoLaunch);
  EXPECT_EQ(whole[0].totalNs, 1000);
  EXPECT_EQ(whole[1].cause, IdleCause::kWaiting);
  EXPECT_EQ(whole[1].totalNs, 400);
  const std::vector<IdleSum> part = idleByCause(gaps, m_stream, {1800, 2200});
  ASSERT_EQ(part.size(), 2U);
  EXPECT_EQ(part[0].totalNs, 200);
  EXPECT_EQ(part[1].totalNs, 100);
  EXPECT_TRUE(idleByCause(gaps, m_stream, {100, 200}).empty());
}

TEST_F(DeviceTimelineTest, TheQueueHoldsWhatWasLaunchedAndDidNotBegin) {
  launched(m_stream, 0, 100, 10);
  launched(m_stream, 20, 300, 10);
  launched(m_stream, 50, 300, 10);
  launched(m_stream, 500, 400, 10);  // stamped before its call
  const std::vector<DeviceSeries> depth = launchQueueDepth(build());
  ASSERT_EQ(depth.size(), 1U);
  EXPECT_EQ(depth[0].atNs, (std::vector<std::int64_t>{0, 20, 50, 100, 300, 500}));
  EXPECT_EQ(depth[0].value, (std::vector<double>{1, 2, 3, 2, 0, 0}));
}

TEST_F(DeviceTimelineTest, BusyShareSumsToTheBusyTime) {
  std::mt19937 random(3);
  for (int kernel = 0; kernel < 300; ++kernel) {
    launched(random() % 2 == 0 ? m_stream : m_other, -1, static_cast<std::int64_t>(random() % 100'000),
             static_cast<std::int64_t>(random() % 400));
  }
  const Trace trace = build();
  const std::vector<DeviceSeries> share = busyShare(trace, 60);
  ASSERT_EQ(share.size(), 1U);
  EXPECT_LE(share[0].atNs.size(), 62U);
  // Brute force, ns by ns.
  std::vector<bool> isBusy(static_cast<std::size_t>(trace.range.endNs), false);
  for (const SliceId slice : trace.deviceWork.slice) {
    for (std::int64_t ns = trace.slices.startNs[index(slice)]; ns < trace.slices.endNs(slice); ++ns) {
      isBusy[static_cast<std::size_t>(ns)] = true;
    }
  }
  for (std::size_t bin = 0; bin + 1 < share[0].atNs.size(); ++bin) {
    const auto from = isBusy.begin() + share[0].atNs[bin];
    const auto to = isBusy.begin() + share[0].atNs[bin + 1];
    EXPECT_NEAR(share[0].value[bin], static_cast<double>(std::count(from, to, true)) / static_cast<double>(to - from),
                1e-12);
  }
}

TEST_F(DeviceTimelineTest, ATraceWithoutADeviceHasNone) {
  m_maker.add({m_host, "cpu_op", "aten::mm", 0, 100});
  const Trace trace = build();
  EXPECT_TRUE(idleGaps(trace).empty());
  EXPECT_TRUE(launchQueueDepth(trace).empty());
  EXPECT_TRUE(busyShare(trace).empty());
}

}  // namespace
}  // namespace attnscope
