// SPDX-License-Identifier: Apache-2.0
#include "core/compare/Comparison.h"

#include <gtest/gtest.h>

#include <memory>

#include "tests/unit/analysis/TraceMaker.h"

namespace attnscope {
namespace {

struct Made {
  explicit Made(TraceMaker& maker) : trace(std::make_unique<Trace>(maker.build())), tree(buildOperatorTree(*trace)) {}
  [[nodiscard]] ComparedRun run(const std::string& title, TimeRange scope = TimeRange::all()) const {
    return {trace.get(), &tree, title, scope};
  }
  std::unique_ptr<Trace> trace;
  OperatorTree tree;
};

void op(TraceMaker& maker, TrackId track, const std::string& name, std::int64_t start, std::int64_t duration,
        const std::string& dims = "[[4, 8]]") {
  MadeSlice slice{track, "cpu_op", name, start, duration};
  slice.inputDims = dims;
  maker.add(slice);
}

void kernel(TraceMaker& maker, TrackId track, const std::string& name, std::int64_t start, std::int64_t duration,
            const std::string& launchedBy) {
  MadeSlice slice{track, "kernel", name, start, duration};
  slice.launchedBy = launchedBy;
  maker.add(slice);
}

const ComparisonGroup* find(const Comparison& comparison, const std::string& name) {
  for (const ComparisonGroup& group : comparison.groups) {
    if (group.operatorName == name) return &group;
  }
  return nullptr;
}

bool hasReason(const Comparison& comparison, const std::string& subject) {
  for (const Condition& reason : comparison.reasons) {
    if (reason.subject == subject) return true;
  }
  return false;
}

Made hostRun(std::int64_t softmaxNs, const std::string& dims = "[[4, 8]]") {
  TraceMaker maker;
  const TrackId main = maker.thread(1, 1);
  op(maker, main, "aten::bmm", 0, 100, dims);
  op(maker, main, "aten::softmax", 100, softmaxNs, dims);
  return Made(maker);
}

TEST(Comparison, GroupsMatchByNameAndShapesAndSumToTheTotals) {
  const Made a = hostRun(50);
  TraceMaker maker;
  const TrackId main = maker.thread(1, 1);
  op(maker, main, "aten::bmm", 0, 80);
  op(maker, main, "aten::bmm", 80, 7, "[[2, 2]]");
  op(maker, main, "aten::gelu", 90, 5);
  const Made b(maker);
  const Comparison comparison = compareRuns({a.run("a"), b.run("b")});
  ASSERT_EQ(comparison.groups.size(), 3u);
  EXPECT_EQ(comparison.groups.front().operatorName, "aten::softmax -> aten::gelu");  // the largest difference
  EXPECT_EQ(comparison.groups.front().match, MatchKind::kRole);
  EXPECT_EQ(find(comparison, "aten::bmm")->match, MatchKind::kExact);
  EXPECT_EQ(comparison.groups[2].match, MatchKind::kOnlyOther);
  std::int64_t host = 0;
  bool exact = false;
  for (const ComparisonGroup& group : comparison.groups) {
    host += group.runs[1].hostSelfNs;
    if (group.match != MatchKind::kExact) continue;
    exact = true;
    EXPECT_EQ(group.inputShapes, "[[4, 8]]");
    EXPECT_EQ(group.hostDeltaNs(1), -20);
  }
  EXPECT_TRUE(exact);
  EXPECT_EQ(host, 92);
  EXPECT_EQ(comparison.totals[1].hostSelfNs, 92);
  EXPECT_EQ(comparison.totals[0].hostSelfNs, 150);
  EXPECT_FALSE(comparison.byDevice);
}

TEST(Comparison, WithoutShapesInARunNamesAreMatched) {
  const Made a = hostRun(50);
  const Made b = hostRun(40, "");
  const Comparison comparison = compareRuns({a.run("a"), b.run("b")});
  EXPECT_FALSE(comparison.byShape);
  EXPECT_EQ(find(comparison, "aten::bmm")->match, MatchKind::kExact);
  EXPECT_TRUE(hasReason(comparison, "input shapes"));
  EXPECT_EQ(comparison.comparable, Comparable::kReservations);
}

Made deviceRun(std::int64_t gemmNs, std::int64_t graphNs) {
  TraceMaker maker;
  const TrackId main = maker.thread(1, 1);
  const TrackId stream = maker.thread(0, 7, TrackKind::kStream);
  op(maker, main, "aten::bmm", 0, 100);
  kernel(maker, stream, "gemm", 50, gemmNs, "aten::bmm");
  kernel(maker, stream, "graph", 500, graphNs, "");
  maker.add({stream, "gpu_memcpy", "Memcpy DtoH", 900, 3}).add({stream, "cuda_sync", "Stream Sync", 903, 400});
  return Made(maker);
}

TEST(Comparison, DeviceWorkOfNobodyIsAGroup) {
  const Made a = deviceRun(100, 1000);
  const Made b = deviceRun(40, 1000);
  const Comparison comparison = compareRuns({a.run("a"), b.run("b")});
  EXPECT_TRUE(comparison.byDevice);
  std::int64_t device = 0;
  const ComparisonGroup* rest = nullptr;
  for (const ComparisonGroup& group : comparison.groups) {
    device += group.runs[0].deviceNs;
    if (group.isUnlinked) rest = &group;
  }
  ASSERT_NE(rest, nullptr);
  EXPECT_EQ(rest->operatorName, "Device work linked to no operator");
  EXPECT_EQ(rest->runs[0].deviceNs, 1003);
  EXPECT_EQ(rest->runs[0].calls, 0u);
  EXPECT_EQ(rest->match, MatchKind::kExact);
  EXPECT_EQ(device, 1103);  // the synchronisation is no work
  EXPECT_EQ(comparison.totals[0].deviceNs, 1103);
  EXPECT_EQ(comparison.totals[0].kernelNs, 1100);
  EXPECT_EQ(find(comparison, "aten::bmm")->runs[0].meanNs, 100);
  ASSERT_EQ(comparison.kernels.size(), 2u);
  EXPECT_EQ(comparison.kernels[0].name, "gemm");
  EXPECT_EQ(comparison.kernels[0].launchedBy, "aten::bmm");
}

TEST(Comparison, WorkCountsInTheScopeInWhichItStarts) {
  const Made a = deviceRun(100, 1000);
  const Comparison comparison = compareRuns({a.run("a", {40, 600}), a.run("b", {400, 600})});
  EXPECT_EQ(comparison.totals[0].hostSelfNs, 0);
  EXPECT_EQ(comparison.totals[0].deviceNs, 1100);
  EXPECT_EQ(find(comparison, "aten::bmm")->runs[0].deviceNs, 100);  // of a call from before the scope
  EXPECT_EQ(find(comparison, "aten::bmm")->runs[0].calls, 0u);
  EXPECT_EQ(comparison.totals[1].deviceNs, 1000);
}

TEST(Comparison, ThreeRunsAreExactOnlyWhereAllHaveIt) {
  const Made a = hostRun(50);
  const Made b = hostRun(60);
  TraceMaker maker;
  op(maker, maker.thread(1, 1), "aten::bmm", 0, 10);
  const Made c(maker);
  const Comparison comparison = compareRuns({a.run("a"), b.run("b"), c.run("c")});
  EXPECT_EQ(find(comparison, "aten::bmm")->match, MatchKind::kExact);
  EXPECT_EQ(find(comparison, "aten::softmax")->match, MatchKind::kOnlyBase);
  EXPECT_EQ(comparison.totals.size(), 3u);
}

TEST(Comparison, MedianAndMeanOfSelfTimesRoundHalfUp) {
  TraceMaker maker;
  const TrackId main = maker.thread(1, 1);
  op(maker, main, "aten::add", 0, 10);
  op(maker, main, "aten::add", 20, 15);
  const Made a(maker);
  const Comparison comparison = compareRuns({a.run("a"), a.run("b")});
  EXPECT_EQ(comparison.groups.front().runs[0].meanNs, 13);
  EXPECT_EQ(comparison.groups.front().runs[0].medianNs, 13);
}

TEST(Comparison, PeaksStandSideBySide) {
  TraceMaker first;
  TrackId main = first.thread(1, 1);
  first.record({main, 5, 64, 1, 64}).record({main, 6, 8, 1, 8, 1, 0});
  const Made a(first);
  TraceMaker second;
  main = second.thread(1, 1);
  second.record({main, 5, 16, 1, 16});
  const Made b(second);
  const Comparison comparison = compareRuns({a.run("a"), b.run("b")});
  ASSERT_EQ(comparison.memory.size(), 2u);
  EXPECT_EQ(comparison.memory[0].peakBytes[0], 64);
  EXPECT_EQ(comparison.memory[0].peakBytes[1], 16);
  EXPECT_EQ(comparison.memory[1].device, "cuda:0");
  EXPECT_FALSE(comparison.memory[1].peakBytes[1]);
}

Made attentionRun(const std::string& dims, const std::string& args = "") {
  TraceMaker maker;
  MadeSlice slice{maker.thread(1, 1), "cpu_op", "aten::scaled_dot_product_attention", 0, 100};
  slice.inputDims = dims;
  slice.args = args;
  maker.add(slice);
  return Made(maker);
}

TEST(Conditions, EqualRunsAreComparable) {
  const Made a = hostRun(50);
  const Comparison comparison = compareRuns({a.run("a"), a.run("b")});
  EXPECT_EQ(comparison.comparable, Comparable::kYes);
  EXPECT_TRUE(comparison.reasons.empty());
}

TEST(Conditions, OtherAttentionShapesAreRefused) {
  const Made a = attentionRun("[[1, 4, 256, 64], [1, 4, 256, 64], [1, 4, 256, 64], [], []]");
  const Made b = attentionRun("[[1, 4, 512, 64], [1, 4, 512, 64], [1, 4, 512, 64], [], []]");
  const Comparison comparison = compareRuns({a.run("a"), b.run("b")});
  EXPECT_EQ(comparison.comparable, Comparable::kNo);
  ASSERT_FALSE(comparison.reasons.empty());
  EXPECT_EQ(comparison.reasons.front().base, "[1, 4, 256, 64], [1, 4, 256, 64], [1, 4, 256, 64]");
  const Headline headline = headlineOf(comparison);
  EXPECT_FALSE(headline.runs[1].changeRatio);
  EXPECT_EQ(headline.runs[1].sentence, "No verdict: A and B do different work");
}

TEST(Conditions, AnotherTypeIsAReservation) {
  const std::string dims = "[[1, 4, 256, 64], [1, 4, 256, 64], [1, 4, 256, 64]]";
  const Made a = attentionRun(dims, R"({"Input type": ["float", "float", "float"]})");
  const Made b = attentionRun(dims, R"({"Input type": ["c10::BFloat16", "c10::BFloat16"]})");
  const Comparison comparison = compareRuns({a.run("a"), b.run("b")});
  EXPECT_EQ(comparison.comparable, Comparable::kReservations);
  ASSERT_TRUE(hasReason(comparison, "type"));
  EXPECT_EQ(comparison.reasons.front().other, "BFloat16");
}

TEST(Conditions, DeviceOnOneSideStepsAndDamageAreReservations) {
  const Made a = hostRun(50);
  const Made b = deviceRun(100, 10);
  EXPECT_TRUE(hasReason(compareRuns({a.run("a"), b.run("b")}), "device work"));

  TraceMaker maker;
  const TrackId main = maker.thread(1, 1);
  op(maker, main, "aten::bmm", 0, 100);
  maker.add({main, "user_annotation", "ProfilerStep#1", 0, 200});
  maker.trace().health.note("json.cut", Severity::kLost, "The text ends early.");
  const Made c(maker);
  const Comparison comparison = compareRuns({a.run("a"), c.run("c")});
  EXPECT_TRUE(hasReason(comparison, "steps"));
  EXPECT_TRUE(hasReason(comparison, "damaged trace"));
  EXPECT_EQ(comparison.comparable, Comparable::kReservations);
}

RunResult measuredOf(const Problem& problem) {
  RunPlan plan;
  plan.problem = problem;
  plan.implementations = {"naive.plain", "sdpa.flash"};
  RunResult result = startedResult(plan);
  for (ImplementationResult& each : result.implementations) each.error = ErrorCheck{1e-7, 1e-6, 1e-5, "float64", {}};
  return result;
}

std::size_t count(const Comparison& comparison, const std::string& subject) {
  std::size_t found = 0;
  for (const Condition& reason : comparison.reasons) found += reason.subject == subject ? 1 : 0;
  return found;
}

TEST(Conditions, MeasurementsApartDifferByTheirPlans) {
  const std::string dims = "[[1, 4, 256, 64], [1, 4, 256, 64], [1, 4, 256, 64]]";
  const Made a = attentionRun(dims, R"({"Input type": ["float", "float", "float"]})");
  const Made b = attentionRun(dims, R"({"Input type": ["c10::BFloat16", "c10::BFloat16"]})");
  const auto compared = [&](const RunResult& first, const RunResult& second, std::size_t secondAs = 0) {
    ComparedRun base = a.run("a");
    base.measurement = &first;
    ComparedRun other = b.run("b");
    other.measurement = &second;
    other.measuredAs = secondAs;
    return compareRuns({base, other});
  };
  Problem problem;
  const RunResult whole = measuredOf(problem);
  const Comparison together = compared(whole, whole, 1);
  EXPECT_EQ(together.comparable, Comparable::kYes) << "of one measurement, whatever the traces look like";

  problem.dtype = DataType::kBFloat16;
  const Comparison types = compared(whole, measuredOf(problem));
  EXPECT_EQ(count(types, "type"), 1u) << "said once";
  EXPECT_TRUE(hasReason(types, "measured"));
  EXPECT_EQ(types.comparable, Comparable::kReservations);

  problem.queryLength = 2048;
  EXPECT_EQ(compared(whole, measuredOf(problem)).comparable, Comparable::kNo);

  RunResult wrong = whole;
  wrong.implementations[1].error->relativeL2 = 0.5;
  const Comparison refused = compared(wrong, wrong, 1);
  EXPECT_EQ(refused.comparable, Comparable::kNo);
  EXPECT_EQ(headlineOf(refused).runs[1].sentence, "No verdict: the outputs of A and B are not both right");

  ComparedRun timed = a.run("a");
  timed.measurement = &whole;
  EXPECT_TRUE(hasReason(compareRuns({timed, b.run("b")}), "times"));
}

TEST(Conditions, MaskScaleAndTheProfilersSwitches) {
  const std::string dims = "[[1, 4, 256, 64], [1, 4, 256, 64], [1, 4, 256, 64]]";
  const auto args = [](const std::string& causal, const std::string& scale) {
    return R"({"Concrete Inputs": ["", "", "", "", "0.", ")" + causal + R"(", ")" + scale +
           R"(", "False"], "Input type": ["float", "float", "float", "", "Scalar"]})";
  };
  const Made plain = attentionRun(dims, args("False", ""));
  const Made causal = attentionRun(dims, args("True", ""));
  const Made scaled = attentionRun(dims, args("False", "0.5"));
  EXPECT_EQ(compareRuns({plain.run("a"), causal.run("b")}).comparable, Comparable::kNo);
  const Comparison scales = compareRuns({plain.run("a"), scaled.run("b")});
  EXPECT_TRUE(hasReason(scales, "scale of the scores"));
  EXPECT_EQ(scales.comparable, Comparable::kReservations);
  Made stacks = attentionRun(dims, args("False", ""));
  stacks.trace->metadata = {{"with_stack", "1"}, {"cuda_runtime_version", "12040"}};
  Made without = attentionRun(dims, args("False", ""));
  without.trace->metadata = {{"record_shapes", "1"}, {"cuda_runtime_version", "12060"}};
  const Comparison switches = compareRuns({stacks.run("a"), without.run("b")});
  EXPECT_TRUE(hasReason(switches, "profiler's with_stack"));
  EXPECT_TRUE(hasReason(switches, "cuda runtime version"));
}

TEST(Headline, ARefusalCanBeForcedAndStaysBesideTheFigure) {
  const Made a = attentionRun("[[1, 4, 256, 64], [1, 4, 256, 64], [1, 4, 256, 64], [], []]");
  const Made b = attentionRun("[[1, 4, 512, 64], [1, 4, 512, 64], [1, 4, 512, 64], [], []]");
  const Comparison comparison = compareRuns({a.run("a"), b.run("b")});
  const Headline forced = headlineOf(comparison, {kDefaultThresholdRatio, Refusal::kForce});
  EXPECT_TRUE(forced.runs[1].isForced);
  EXPECT_TRUE(forced.runs[1].changeRatio);
  EXPECT_TRUE(forced.runs[1].sentence.ends_with("; forced, although A and B do different work"))
      << forced.runs[1].sentence;
}

TEST(Headline, SeveralStepsAreSamples) {
  const auto stepped = [](std::int64_t ns) {
    TraceMaker maker;
    const TrackId main = maker.thread(1, 1);
    for (int i = 0; i < 6; ++i) {
      maker.add({main, "user_annotation", "ProfilerStep#" + std::to_string(i), 10'000 * i, ns + 10});
      op(maker, main, "aten::bmm", 10'000 * i + 5, ns + i);
    }
    return Made(maker);
  };
  const Made a = stepped(5000);
  const Made b = stepped(4000);
  EXPECT_EQ(compareRuns({a.run("a"), a.run("b")}).stepNs[1].size(), 5u) << "the first of six is no sample";
  const Headline headline = headlineOf(compareRuns({a.run("a"), b.run("b"), a.run("c")}));
  EXPECT_EQ(headline.runs[1].verdict, VerdictKind::kFaster);
  EXPECT_EQ(headline.runs[2].verdict, VerdictKind::kWithinNoise);
  EXPECT_TRUE(headline.runs[1].sentence.starts_with("B took 20.0 % less host self time of operators a step than A"))
      << headline.runs[1].sentence;
  EXPECT_TRUE(headline.runs[1].sentence.ends_with("5 and 5 steps after the first)")) << headline.runs[1].sentence;
  EXPECT_TRUE(headline.method.find("not measured in turns") != std::string::npos);
}

TEST(Comparison, WhatADifferenceIsMadeOf) {
  const Made a = hostRun(50);
  const Made b = hostRun(250);
  const Comparison comparison = compareRuns({a.run("a"), b.run("b")});
  const std::vector<std::size_t> largest = largestChanges(comparison, 1, 3);
  ASSERT_EQ(largest.size(), 1u) << "what did not change is no part of it";
  const ComparisonGroup& group = comparison.groups[largest.front()];
  EXPECT_EQ(group.operatorName, "aten::softmax");
  EXPECT_DOUBLE_EQ(*contributionOf(comparison, group, 1), 1.0);
  EXPECT_EQ(divisorOf(comparison, group, 1, Normalisation::kCall), 1.0);
  EXPECT_FALSE(divisorOf(comparison, group, 1, Normalisation::kStep)) << "no steps";
}

TEST(Comparison, WhatStandsForWhatIsSaidOfTwoRunsAtATime) {
  ComparisonGroup group;
  group.operatorName = "bmm, softmax -> fused -> blocks";
  group.names = {"bmm, softmax", "fused", "blocks", "", "bmm, softmax"};
  EXPECT_EQ(nameBetween(group, 1), "bmm, softmax -> fused");
  EXPECT_EQ(nameBetween(group, 2), "bmm, softmax -> blocks");
  EXPECT_EQ(nameBetween(group, 3), "bmm, softmax");
  EXPECT_EQ(nameBetween(group, 4), "bmm, softmax");
  group.names = {"", "fused", ""};
  EXPECT_EQ(nameBetween(group, 1), "fused");
  EXPECT_EQ(nameBetween(group, 2), group.operatorName) << "neither has it";
}

TEST(Headline, SaysADifferenceAndNoVerdict) {
  const Made a = deviceRun(100, 900);
  const Made b = deviceRun(100, 332);
  const Headline headline = headlineOf(compareRuns({a.run("a"), b.run("b"), a.run("c")}));
  EXPECT_EQ(headline.figure, "kernel time");
  EXPECT_EQ(headline.method, "one profiled trace a side, no repeats");
  EXPECT_EQ(headline.runs[1].verdict, VerdictKind::kNone);
  EXPECT_DOUBLE_EQ(*headline.runs[1].changeRatio, -0.568);
  EXPECT_EQ(headline.runs[1].sentence, "B took 56.8 % less kernel time in the whole trace");
  EXPECT_EQ(headline.runs[2].sentence, "C took the same kernel time as A in the whole trace");
  EXPECT_TRUE(headline.runs[0].sentence.empty());
}

TEST(Headline, OverTwiceIsSaidAsARatio) {
  const Made a = deviceRun(100, 100);
  const Made b = deviceRun(100, 362);
  const Headline headline = headlineOf(compareRuns({a.run("a"), b.run("b")}));
  EXPECT_EQ(headline.runs[1].sentence, "B took 2.31 times the kernel time of A in the whole trace");
}

TEST(Headline, Letters) {
  EXPECT_EQ(runLetter(0), "A");
  EXPECT_EQ(runLetter(25), "Z");
  EXPECT_EQ(runLetter(26), "AA");
}

}  // namespace
}  // namespace attnscope
