// SPDX-License-Identifier: Apache-2.0
#include "core/compare/MatchedWork.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "core/compare/PairRules.h"
#include "tests/unit/analysis/TraceMaker.h"

namespace attnscope {
namespace {

struct Recording {
  explicit Recording(const std::vector<std::pair<std::string, std::int64_t>>& calls) {
    TraceMaker maker;
    const TrackId main = maker.thread(1, 1);
    std::int64_t at = 0;
    for (const auto& [name, ns] : calls) {
      maker.add({main, "cpu_op", name, at, ns});
      at += ns + 1;
    }
    trace = maker.build();
    tree = buildOperatorTree(trace);
  }
  Trace trace;
  OperatorTree tree;
  [[nodiscard]] ComparedRun compared() const { return {&trace, &tree, "run", TimeRange::all()}; }
};

const Condition* matchedWork(const Comparison& comparison) {
  for (const Condition& reason : comparison.reasons) {
    if (reason.subject == "matched work") return &reason;
  }
  return nullptr;
}

TEST(MatchedWork, IsTheTimeOfWhatStandsForSomething) {
  const Recording a({{"aten::add", 30}, {"before", 10}});
  const Recording b({{"after", 60}, {"aten::add", 30}});
  const Comparison comparison = compareRuns({a.compared(), b.compared()});
  EXPECT_DOUBLE_EQ(matchedShares(comparison, 1).base, 0.75);
  EXPECT_DOUBLE_EQ(matchedShares(comparison, 1).other, 1.0 / 3);
  ASSERT_NE(matchedWork(comparison), nullptr);
  EXPECT_EQ(matchedWork(comparison)->base, "75 %");
  EXPECT_EQ(matchedWork(comparison)->other, "33 %");
  EXPECT_FALSE(matchedWork(comparison)->refuses);
  EXPECT_EQ(comparison.comparable, Comparable::kReservations);
}

TEST(MatchedWork, OfTheSameProgramIsNoCondition) {
  const Recording a({{"aten::add", 30}, {"aten::mul", 10}});
  EXPECT_EQ(compareRuns({a.compared(), a.compared()}).comparable, Comparable::kYes);
}

TEST(MatchedWork, WithoutAnyTheRunsDoDifferentWork) {
  const Recording a({{"first", 30}});
  const Recording b({{"second", 60}});
  Comparison comparison = compareRuns({a.compared(), b.compared()});
  EXPECT_EQ(comparison.comparable, Comparable::kNo);
  ASSERT_NE(matchedWork(comparison), nullptr);
  EXPECT_EQ(refusalOf(comparison, 1), "A and B do different work");
  EXPECT_EQ(headlineOf(comparison).runs[1].changeRatio, std::nullopt);
  // Who knows better says so.
  applyPairRules(comparison, {{PairRuleKind::kPair, "first (only-base)", "second (only-other)"}});
  EXPECT_EQ(matchedWork(comparison), nullptr);
  EXPECT_EQ(comparison.comparable, Comparable::kYes);
}

TEST(MatchedWork, OfRunsWithAPlanIsWhatThePlanSays) {
  const Recording a({{"first", 30}});
  const Recording b({{"second", 60}});
  RunPlan plan;
  plan.implementations = {"naive.plain", "sdpa.flash"};
  const RunResult result = startedResult(plan);
  ComparedRun base = a.compared();
  ComparedRun other = b.compared();
  base.measurement = other.measurement = &result;
  other.measuredAs = 1;
  EXPECT_EQ(matchedWork(compareRuns({base, other})), nullptr);
}

}  // namespace
}  // namespace attnscope
