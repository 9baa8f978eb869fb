// SPDX-License-Identifier: Apache-2.0
#include "core/compare/Alignment.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/unit/analysis/TraceMaker.h"

namespace attnscope {
namespace {

Trace stepped() {
  TraceMaker maker;
  const TrackId main = maker.thread(1, 1);
  const TrackId stream = maker.thread(0, 7, TrackKind::kStream);
  maker.add({main, "user_annotation", "ProfilerStep#1", 100, 50})
      .add({main, "user_annotation", "ProfilerStep#2", 160, 40});
  maker.add({main, "user_annotation", "forward", 110, 10}).add({main, "cpu_op", "forward", 10, 10});
  maker.add({stream, "kernel", "k", 130, 10});
  return maker.build();
}

TEST(Alignment, WordsAreRead) {
  for (const char* text : {"step", "start", "first-kernel", "wall-clock", "annotation:forward pass"}) {
    const auto alignment = parseAlignment(text);
    ASSERT_TRUE(alignment) << text;
    EXPECT_EQ(toString(*alignment), text);
  }
  EXPECT_FALSE(parseAlignment("annotation:"));
  EXPECT_FALSE(parseAlignment("steps"));
  EXPECT_FALSE(parseAlignment(""));
}

TEST(Alignment, StepsAndAnnotationsLimitTheScope) {
  const Trace trace = stepped();
  const auto step = alignedScope(trace, {AlignmentKind::kStep, {}, {}}, trace);
  ASSERT_TRUE(step);
  EXPECT_EQ(step->scope, (TimeRange{100, 200}));
  EXPECT_EQ(step->zeroNs, 100);
  const auto annotation = alignedScope(trace, {AlignmentKind::kAnnotation, "forward", {}}, trace);
  ASSERT_TRUE(annotation);
  EXPECT_EQ(annotation->scope, (TimeRange{110, 120}));  // the operator of the same name is none
}

TEST(Alignment, TheFirstOfManyStepsIsLeftOutUnlessItIsWanted) {
  TraceMaker maker;
  const TrackId main = maker.thread(1, 1);
  for (int i = 0; i < 3; ++i) {
    maker.add({main, "user_annotation", "ProfilerStep#" + std::to_string(i), 100 * i, 50});
  }
  const Trace trace = maker.build();
  const auto later = alignedScope(trace, {AlignmentKind::kStep, {}, {}}, trace);
  EXPECT_EQ(later->scope, (TimeRange{100, 250}));
  EXPECT_EQ(later->zeroNs, 100);
  EXPECT_EQ(later->stepsLeftOut, 1u);
  const auto all = alignedScope(trace, {AlignmentKind::kStep, {}, FirstStep::kKeep}, trace);
  EXPECT_EQ(all->scope, (TimeRange{0, 250}));
  EXPECT_EQ(all->stepsLeftOut, 0u);
}

TEST(Alignment, StepsAnnotationsAndTheFirstKernelAreLandmarks) {
  const Trace trace = stepped();
  std::vector<std::pair<std::int64_t, std::string>> found;
  for (const Landmark& each : landmarks(trace)) {
    found.emplace_back(each.startNs, each.name == kNoString ? "first kernel" : trace.strings.view(each.name));
  }
  found.erase(std::unique(found.begin(), found.end()), found.end());  // a step is an annotation as well
  const std::vector<std::pair<std::int64_t, std::string>> expected{
      {100, "ProfilerStep#1"}, {110, "forward"}, {130, "first kernel"}, {160, "ProfilerStep#2"}};
  EXPECT_EQ(found, expected);
}

TEST(Alignment, FirstKernelMovesTheZeroAlone) {
  const Trace trace = stepped();
  const auto aligned = alignedScope(trace, {AlignmentKind::kFirstKernel, {}, {}}, trace);
  ASSERT_TRUE(aligned);
  EXPECT_EQ(aligned->scope, TimeRange::all());
  EXPECT_EQ(aligned->zeroNs, 130);
}

TEST(Alignment, WallClockIsExactBeyondDoubles) {
  Trace base = stepped();
  Trace other = stepped();
  base.base = "1790857026000000001";
  other.base = "1790857026000001002";
  const auto aligned = alignedScope(other, {AlignmentKind::kWallClock, {}, {}}, base);
  ASSERT_TRUE(aligned);
  EXPECT_EQ(aligned->zeroNs, -1001);  // base's zero lies before this trace's
  other.base = "99999999999999999999999999999999999999";
  EXPECT_FALSE(alignedScope(other, {AlignmentKind::kWallClock, {}, {}}, base));
}

TEST(Alignment, WhatIsMissingIsAFaultOfUsage) {
  TraceMaker maker;
  maker.add({maker.thread(1, 1), "cpu_op", "a", 0, 10});
  const Trace trace = maker.build();
  for (const Alignment& alignment : {Alignment{AlignmentKind::kStep, {}}, Alignment{AlignmentKind::kFirstKernel, {}},
                                     Alignment{AlignmentKind::kAnnotation, "forward", {}}}) {
    const auto aligned = alignedScope(trace, alignment, trace);
    ASSERT_FALSE(aligned);
    EXPECT_EQ(aligned.error().kind, ErrorKind::kUsage);
    EXPECT_FALSE(aligned.error().remedy.empty());
  }
}

}  // namespace
}  // namespace attnscope
