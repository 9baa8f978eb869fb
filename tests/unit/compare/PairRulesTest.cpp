// SPDX-License-Identifier: Apache-2.0
#include "core/compare/PairRules.h"

#include <gtest/gtest.h>

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

const ComparisonGroup* keyed(const Comparison& comparison, const std::string& key) {
  for (const ComparisonGroup& group : comparison.groups) {
    if (group.key == key) return &group;
  }
  return nullptr;
}

void expectSums(const Comparison& comparison) {
  for (std::size_t run = 0; run < comparison.totals.size(); ++run) {
    std::int64_t host = 0;
    for (const ComparisonGroup& group : comparison.groups) host += group.runs[run].hostSelfNs;
    EXPECT_EQ(host, comparison.totals[run].hostSelfNs);
    for (const std::uint32_t group : comparison.groupOfNode[run]) EXPECT_LT(group, comparison.groups.size());
  }
}

TEST(PairRules, PairedGroupsBecomeOneRow) {
  const Recording a({{"before", 10}, {"aten::add", 5}});
  const Recording b({{"aten::add", 5}, {"after", 30}});
  Comparison comparison = compareRuns({a.compared(), b.compared()});
  ASSERT_NE(keyed(comparison, "before (only-base)"), nullptr);
  applyPairRules(comparison, {{PairRuleKind::kPair, "before (only-base)", "after (only-other)"},
                              {PairRuleKind::kPair, "not there", "after (only-other)"}});
  ASSERT_EQ(comparison.groups.size(), 2u);
  const ComparisonGroup& made = comparison.groups.front();
  EXPECT_EQ(made.operatorName, "before -> after");
  EXPECT_TRUE(made.isMadeByHand);
  EXPECT_EQ(made.match, MatchKind::kRole);
  EXPECT_EQ(made.hostDeltaNs(1), 20);
  EXPECT_EQ(comparison.groupOfNode[0][0], 0u);
  EXPECT_EQ(comparison.groupOfNode[1][1], 0u);
  expectSums(comparison);
}

TEST(PairRules, ACutGroupStandsOnEitherSide) {
  const Recording a({{"aten::add", 5}, {"aten::mul", 7}});
  const Recording b({{"aten::add", 9}, {"aten::mul", 7}});
  Comparison comparison = compareRuns({a.compared(), b.compared()});
  applyPairRules(comparison, {{PairRuleKind::kCut, "aten::add", {}}});
  ASSERT_EQ(comparison.groups.size(), 3u);
  const ComparisonGroup* base = keyed(comparison, "aten::add (cut, base)");
  const ComparisonGroup* other = keyed(comparison, "aten::add (cut, other)");
  ASSERT_NE(base, nullptr);
  ASSERT_NE(other, nullptr);
  EXPECT_EQ(base->match, MatchKind::kOnlyBase);
  EXPECT_EQ(base->runs[0].hostSelfNs, 5);
  EXPECT_EQ(base->runs[1].hostSelfNs, 0);
  EXPECT_EQ(other->match, MatchKind::kOnlyOther);
  EXPECT_EQ(other->runs[1].hostSelfNs, 9);
  expectSums(comparison);
}

TEST(PairRules, WhatIsMatchedCannotBePairedAgain) {
  const Recording a({{"aten::add", 5}, {"before", 3}});
  const Recording b({{"aten::add", 9}, {"aten::mul", 7}, {"aten::add", 1}, {"x", 1}});
  Comparison comparison = compareRuns({a.compared(), b.compared()});
  const std::size_t before = comparison.groups.size();
  applyPairRules(comparison, {{PairRuleKind::kPair, "aten::add", "aten::add"}});
  EXPECT_EQ(comparison.groups.size(), before);
  ComparisonGroup remainder;
  remainder.isUnlinked = true;
  EXPECT_FALSE(canCut(remainder));
}

}  // namespace
}  // namespace attnscope
