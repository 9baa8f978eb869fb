// SPDX-License-Identifier: Apache-2.0
#include "core/compare/ChangeClasses.h"

#include <gtest/gtest.h>

#include "tests/unit/analysis/TraceMaker.h"

namespace attnscope {
namespace {

TEST(ChangeClasses, StepsAreSymmetric) {
  EXPECT_EQ(changeClassOf(100, 100), kNeutralChange);
  EXPECT_EQ(changeClassOf(100, 101), kNeutralChange);
  const std::int64_t times[] = {500, 800, 950, 1000, 1050, 1250, 2000};
  for (std::uint8_t step = 0; step < kChangeSteps; ++step) {
    EXPECT_EQ(changeClassOf(1000, times[step]), step);
    EXPECT_EQ(changeClassOf(times[step], 1000), kChangeSteps - 1 - step);
  }
  EXPECT_EQ(changeClassOf(0, 5), kChangeSteps - 1);
  EXPECT_EQ(changeClassOf(5, 0), 0);
}

TEST(ChangeClasses, KernelsAreColouredAsTheirLaunchAndAlikeInBothRuns) {
  const auto recorded = [](std::int64_t kernelNs, bool more) {
    TraceMaker maker;
    const TrackId main = maker.thread(1, 1);
    const TrackId stream = maker.thread(0, 7, TrackKind::kStream);
    maker.add({main, "cpu_op", "aten::bmm", 0, 10});
    if (more) maker.add({main, "cpu_op", "aten::add", 20, 10});
    MadeSlice kernel{stream, "kernel", "gemm", 100, kernelNs};
    kernel.launchedBy = "aten::bmm";
    maker.add(kernel);
    return maker.build();
  };
  const Trace a = recorded(100, false);
  const Trace b = recorded(200, true);
  const OperatorTree treeA = buildOperatorTree(a);
  const OperatorTree treeB = buildOperatorTree(b);
  const Comparison comparison = compareRuns({{&a, &treeA, "a", TimeRange::all()}, {&b, &treeB, "b", TimeRange::all()}});
  const std::vector<std::uint8_t> ofA = changeClasses(comparison, 0, a, treeA);
  const std::vector<std::uint8_t> ofB = changeClasses(comparison, 1, b, treeB);
  EXPECT_EQ(ofA, (std::vector<std::uint8_t>{6, 6}));
  EXPECT_EQ(ofB, (std::vector<std::uint8_t>{6, kUnmatchedChange, 6}));
}

}  // namespace
}  // namespace attnscope
