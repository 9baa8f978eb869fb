// SPDX-License-Identifier: Apache-2.0

// Where the time goes: each rule fires, stays quiet, and does what it says at its threshold.

#include "tests/unit/findings/Recording.h"

namespace attnscope {
namespace {

using testing::HasSubstr;

Trace busyFor(std::int64_t ns) {
  Recording recording;
  recording.step(1, 0, 1000).op("aten::mm", 0, 900).kernel("gemm", 0, ns - 100).kernel("gemm", 900, 100);
  return recording.build();
}

TEST(DeviceIdle, FiresFromItsShareOn) {
  EXPECT_TRUE(fired(busyFor(701), "device.idle").empty());
  const auto atThreshold = fired(busyFor(700), "device.idle");
  ASSERT_EQ(atThreshold.size(), 1u);
  EXPECT_EQ(atThreshold[0].severity, FindingSeverity::kWarning);
  const auto findings = fired(busyFor(300), "device.idle");
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].severity, FindingSeverity::kProblem);
  EXPECT_EQ(findings[0].savingNs, 700);
  EXPECT_THAT(findings[0].headline, HasSubstr("70.0 %"));
  ASSERT_FALSE(findings[0].evidence.empty());
  EXPECT_EQ(findings[0].evidence[0].range, (TimeRange{200, 900}));
  EXPECT_EQ(reasonOf(Recording().op("aten::mm", 0, 10).build(), "device.idle"), "no device work in this trace");
}

TEST(DeviceIdle, OfAStepAloneThatStepIsJudged) {
  EXPECT_TRUE(fired(busyFor(300), "device.idle", {}, {0, 200}).empty());
  EXPECT_EQ(fired(busyFor(300), "device.idle", {}, {200, 900}).size(), 1u);
}

Trace launchesEvery(std::int64_t distance, std::int64_t kernelNs, int count = 60) {
  Recording recording;
  for (int i = 0; i < count; ++i) {
    const std::size_t call = recording.call("cudaLaunchKernel", i * distance, 1);
    recording.kernel("k", i * distance + 2, kernelNs, {}, call);
  }
  return recording.build();
}

TEST(LaunchBound, FiresWhereKernelsAreShorterThanTheirLaunchesAreApart) {
  EXPECT_EQ(fired(launchesEvery(100, 99), "launch.bound").size(), 1u);
  EXPECT_TRUE(fired(launchesEvery(100, 100), "launch.bound").empty());
  EXPECT_TRUE(fired(launchesEvery(100, 150), "launch.bound").empty());
  EXPECT_THAT(reasonOf(launchesEvery(100, 50, 20), "launch.bound"), HasSubstr("fewer than 50"));
}

Trace shortKernels(int count) {
  Recording recording;
  recording.op("aten::add", 0, 10'000'000);
  for (int i = 0; i < count; ++i) recording.kernel("k", i * 10'000, 4'999, "aten::add");
  recording.kernel("long", count * 10'000, 5'000);
  return recording.build();
}

TEST(LaunchStorm, FiresAboveItsNumberOfShortKernels) {
  EXPECT_TRUE(fired(shortKernels(100), "launch.storm").empty());
  const auto findings = fired(shortKernels(101), "launch.storm");
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_THAT(findings[0].headline, HasSubstr("101 of them from aten::add"));
  EXPECT_EQ(findings[0].evidence[0].slices.size(), 101u);
  EXPECT_EQ(findings[0].savingNs, 101 * 4'999);
}

Trace waitOf(std::int64_t ns) {
  Recording recording;
  recording.step(1, 0, 10'000).op("aten::item", 1000, ns + 20).op("aten::_local_scalar_dense", 1005, ns + 10);
  recording.call("cudaStreamSynchronize", 1010, ns);
  const std::size_t last = recording.call("cudaLaunchKernel", 8000, 10);
  recording.kernel("k", 0, 500).kernel("k", 8100, 100, {}, last);
  recording.call("cudaDeviceSynchronize", 8200, 1700);  // the end of the recording
  return recording.build();
}

TEST(SyncInStep, CountsWaitsButTheRecordersOwn) {
  const auto findings = fired(waitOf(100), "sync.in-step");
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].savingNs, 100);
  EXPECT_THAT(findings[0].headline, HasSubstr("aten::item"));
  EXPECT_EQ(findings[0].evidence[0].slices.size(), 1u);
  EXPECT_TRUE(fired(waitOf(99), "sync.in-step").empty());
  EXPECT_EQ(fired(waitOf(3000), "sync.in-step")[0].severity, FindingSeverity::kProblem);
}

Trace copyOf(std::string name, std::int64_t ns) {
  Recording recording;
  recording.step(1, 0, 1000).op("aten::copy_", 0, 100);
  recording.kernel(std::move(name), 100, ns, "aten::copy_", Recording::kNoCall, "gpu_memcpy");
  return recording.build();
}

TEST(CopyPageable, FiresForPageableMemoryFromItsShareOn) {
  EXPECT_EQ(fired(copyOf("Memcpy HtoD (Pageable -> Device)", 10), "copy.pageable").size(), 1u);
  EXPECT_TRUE(fired(copyOf("Memcpy HtoD (Pageable -> Device)", 9), "copy.pageable").empty());
  EXPECT_TRUE(fired(copyOf("Memcpy HtoD (Pinned -> Device)", 500), "copy.pageable").empty());
}

Trace stepsOf(const std::vector<std::int64_t>& durations) {
  Recording recording;
  std::int64_t at = 0;
  for (std::size_t i = 0; i < durations.size(); ++i) {
    recording.step(static_cast<int>(i), at, durations[i]);
    at += durations[i] + 10;
  }
  return recording.build();
}

TEST(StepCold, FiresAboveThreeDeviations) {
  // The others: 1000, 1100, 1200: median 1100, deviation 100.
  EXPECT_TRUE(fired(stepsOf({1400, 1000, 1100, 1200}), "step.cold").empty());
  const auto findings = fired(stepsOf({1401, 1000, 1100, 1200}), "step.cold");
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].evidence[0].slices.size(), 1u);
  // Steps that are equal: one per cent of the median stands for their deviation.
  EXPECT_TRUE(fired(stepsOf({1030, 1000, 1000, 1000}), "step.cold").empty());
  EXPECT_EQ(fired(stepsOf({1031, 1000, 1000, 1000}), "step.cold").size(), 1u);
  EXPECT_THAT(reasonOf(stepsOf({9000, 1000, 1000}), "step.cold"), HasSubstr("fewer than 4"));
}

Trace twoGroups(std::int64_t fast, std::int64_t slow, int slowCalls) {
  Recording recording;
  std::int64_t at = 0;
  for (int i = 0; i < 40; ++i) {
    const std::int64_t ns = (i < slowCalls ? slow : fast) + i % 3;
    recording.kernel("k", at, ns);
    at += ns + 5;
  }
  return recording.build();
}

TEST(KernelBimodal, FiresForTwoGroupsThatAreApart) {
  const auto findings = fired(twoGroups(1000, 1400, 15), "kernel.bimodal");
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].evidence[0].slices.size(), 15u);
  EXPECT_TRUE(fired(twoGroups(1000, 1250, 15), "kernel.bimodal").empty());
  EXPECT_TRUE(fired(twoGroups(1000, 4000, 2), "kernel.bimodal").empty());  // two are outliers, not a group
  EXPECT_TRUE(fired(twoGroups(1000, 1000, 15), "kernel.bimodal").empty());
}

TEST(ProfilerSelf, FiresFromItsShareOn) {
  const auto of = [](std::int64_t ns) {
    Recording recording;
    recording.step(1, 0, 1000).slice("overhead", "Activity Buffer Request", 10, ns);
    return recording.build();
  };
  EXPECT_EQ(fired(of(10), "profiler.self").size(), 1u);
  EXPECT_TRUE(fired(of(9), "profiler.self").empty());
  EXPECT_FALSE(reasonOf(Recording().op("aten::mm", 0, 10).build(), "profiler.self").empty());
}

TEST(CompileOverhead, FiresFromItsShareOn) {
  const auto of = [](std::int64_t ns) {
    Recording recording;
    recording.step(1, 0, 1000).op("TorchDynamo Cache Lookup", 10, ns).op("Torch-Compiled Region: 0/0", 200, 500);
    return recording.build();
  };
  EXPECT_EQ(fired(of(50), "compile.overhead").size(), 1u);
  EXPECT_TRUE(fired(of(49), "compile.overhead").empty());
  EXPECT_FALSE(reasonOf(Recording().op("aten::mm", 0, 10).build(), "compile.overhead").empty());
}

TEST(InputWait, CountsWhileTheDeviceIdles) {
  const auto of = [](std::int64_t wait, std::int64_t busyUntil) {
    Recording recording;
    recording.step(1, 0, 1000).op("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 100, wait);
    recording.kernel("k", 0, busyUntil).kernel("k", 990, 10);
    return recording.build();
  };
  const auto findings = fired(of(300, 100), "input.wait");
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].savingNs, 300);
  EXPECT_EQ(findings[0].severity, FindingSeverity::kProblem);
  EXPECT_EQ(fired(of(50, 100), "input.wait").size(), 1u);
  EXPECT_TRUE(fired(of(49, 100), "input.wait").empty());
  EXPECT_TRUE(fired(of(300, 800), "input.wait").empty());  // hidden behind the device's work
  EXPECT_FALSE(reasonOf(Recording().op("aten::mm", 0, 10).build(), "input.wait").empty());
}

TEST(TraceLossy, FiresForWhatIsLostOrHasNoTime) {
  Recording recording;
  recording.op("aten::mm", 0, 10);
  Trace trace = recording.build();
  trace.health.note("slice.overlap", Severity::kInfo, "overlap", 7);
  EXPECT_TRUE(fired(trace, "trace.lossy").empty());
  trace.health.note("json.cut", Severity::kLost, "cut", 3);
  trace.health.note("time.zero", Severity::kRepaired, "no time", 2);
  const auto findings = fired(trace, "trace.lossy");
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_THAT(findings[0].headline, HasSubstr("5 events"));
}

// Steps of `count` kernels, each called for 100 ns after the one before.
Recording stepsOfKernels(int steps, int count, std::int64_t kernelNs) {
  Recording recording;
  for (int step = 0; step < steps; ++step) {
    const std::int64_t from = step * count * 100;
    recording.step(step, from, count * 100);
    for (int i = 0; i < count; ++i) {
      const std::size_t call = recording.call("cudaLaunchKernel", from + i * 100, 5);
      recording.kernel("k" + std::to_string(i), from + i * 100, kernelNs, {}, call);
    }
  }
  return recording;
}

TEST(GraphCandidate, FiresWhereStepsLaunchTheSameKernelsAndTheDeviceWaits) {
  const auto findings = fired(stepsOfKernels(3, 20, 40).build(), "graph.candidate");
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].savingNs, 3 * 19 * 60);  // between the kernels of a step
  EXPECT_THAT(findings[0].headline, HasSubstr("3 steps launch the same 20 kernels"));
  EXPECT_EQ(findings[0].evidence[0].slices.size(), 3u);
  EXPECT_EQ(findings[0].evidence[1].range->durationNs(), 60);
}

TEST(GraphCandidate, FiresFromItsShareOn) {
  // 19 of 20 gaps of 20 ns in steps of 2000 ns.
  EXPECT_EQ(fired(stepsOfKernels(3, 20, 80).build(), "graph.candidate", {{"graph.candidate", 0.19}}).size(), 1u);
  EXPECT_TRUE(fired(stepsOfKernels(3, 20, 80).build(), "graph.candidate", {{"graph.candidate", 0.1901}}).empty());
  EXPECT_EQ(fired(stepsOfKernels(3, 20, 80).build(), "graph.candidate").size(), 1u);
  EXPECT_TRUE(fired(stepsOfKernels(3, 20, 90).build(), "graph.candidate").empty());
}

TEST(GraphCandidate, StepsThatDifferAndGraphsAreNone) {
  Recording other = stepsOfKernels(3, 20, 40);
  const std::size_t call = other.call("cudaLaunchKernel", 50, 5);
  other.kernel("another", 50, 1, {}, call);
  EXPECT_TRUE(fired(other.build(), "graph.candidate").empty());
  Recording graphs = stepsOfKernels(3, 20, 40);
  graphs.call("cudaGraphLaunch", 60, 5);
  EXPECT_EQ(reasonOf(graphs.build(), "graph.candidate"), "kernels are launched as graphs");
  EXPECT_THAT(reasonOf(stepsOfKernels(2, 40, 40).build(), "graph.candidate"), HasSubstr("fewer than 3 steps"));
  EXPECT_THAT(reasonOf(stepsOfKernels(3, 16, 40).build(), "graph.candidate"), HasSubstr("fewer than 50 launches"));
  EXPECT_EQ(reasonOf(Recording().op("aten::mm", 0, 10).build(), "graph.candidate"), "no device work in this trace");
}

Trace copyInside(const char* outer, std::int64_t copyNs) {
  Recording recording;
  recording.op(outer, 0, 1000)
      .op("aten::clone", 10, 500)
      .op("aten::copy_", 20, 400, "[[1024, 512], [1024, 512], []]", R"({"Input type": ["float", "float", ""]})");
  recording.kernel("copy_kernel", 2000, copyNs, "aten::copy_").kernel("gemm", 4000, 1000 - copyNs);
  return recording.build();
}

TEST(CopyHidden, FiresFromItsShareOnInsideWhatIsNoCopy) {
  const auto findings = fired(copyInside("aten::masked_fill", 10), "copy.hidden");
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].savingNs, 10);
  EXPECT_EQ(findings[0].severity, FindingSeverity::kInfo);
  EXPECT_THAT(findings[0].headline, HasSubstr("aten::masked_fill"));
  EXPECT_THAT(findings[0].why, HasSubstr("2.00 MiB"));
  EXPECT_THAT(findings[0].change, HasSubstr("masked_fill_"));
  EXPECT_EQ(findings[0].evidence[0].slices.size(), 1u);
  EXPECT_TRUE(fired(copyInside("aten::masked_fill", 9), "copy.hidden").empty());
  EXPECT_EQ(fired(copyInside("aten::masked_fill", 50), "copy.hidden")[0].severity, FindingSeverity::kWarning);
}

TEST(CopyHidden, WhatTheProgramCalledForIsNotHidden) {
  EXPECT_TRUE(fired(copyInside("aten::to", 500), "copy.hidden").empty());
  EXPECT_TRUE(fired(copyInside("aten::clone", 500), "copy.hidden").empty());
  EXPECT_TRUE(fired(copyInside("aten::pad", 500), "copy.hidden").empty());
  EXPECT_EQ(fired(copyInside("MulBackward0", 500), "copy.hidden").size(), 0u);  // its outermost operator is clone
  EXPECT_FALSE(reasonOf(Recording().op("aten::mm", 0, 10).build(), "copy.hidden").empty());
}

TEST(CopyHidden, IsOfTheOperatorThatMakesItAndCastsApart) {
  const char* sizes = "[[1024, 512], [1024, 512], []]";
  Recording recording;
  recording.op("aten::linear", 0, 1000)
      .op("aten::to", 10, 300)
      .op("aten::_to_copy", 20, 280)
      .op("aten::copy_", 30, 200, sizes)
      .op("aten::addmm", 400, 300)
      .op("aten::copy_", 410, 100, sizes);
  const auto findings = fired(recording.build(), "copy.hidden");
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].savingNs, 300);
  EXPECT_THAT(findings[0].headline, HasSubstr("200 ns in casts of aten::linear"));
  ASSERT_EQ(findings[0].evidence.size(), 2u);
  EXPECT_THAT(findings[0].evidence[1].title, HasSubstr("in aten::addmm"));
}

TEST(CopyHidden, CopiesToTheHostAndScalarsAreNone) {
  Recording toHost;
  toHost.op("aten::masked_fill", 0, 100).op("aten::copy_", 10, 50);
  toHost.kernel("Memcpy DtoH (Device -> Pinned)", 200, 500, "aten::copy_", Recording::kNoCall, "gpu_memcpy");
  EXPECT_FALSE(reasonOf(toHost.build(), "copy.hidden").empty());
  Recording scalar;
  scalar.op("aten::div", 0, 100).op("aten::copy_", 10, 50, "[[], [], []]");
  EXPECT_FALSE(reasonOf(scalar.build(), "copy.hidden").empty());
  Recording unknown;  // a number that is made a tensor, or a tensor: sizes are not recorded
  unknown.op("aten::div", 0, 100).op("aten::copy_", 10, 50);
  EXPECT_FALSE(reasonOf(unknown.build(), "copy.hidden").empty());
  Recording within;
  within.op("aten::addmm", 0, 100).op("aten::copy_", 10, 50);
  within.kernel("Memcpy DtoD (Device -> Device)", 200, 500, "aten::copy_", Recording::kNoCall, "gpu_memcpy");
  within.kernel("gemm", 800, 500);
  EXPECT_EQ(fired(within.build(), "copy.hidden").size(), 1u);
}

}  // namespace
}  // namespace attnscope
