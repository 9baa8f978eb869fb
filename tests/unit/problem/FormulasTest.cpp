// SPDX-License-Identifier: Apache-2.0
#include "core/problem/Formulas.h"

#include <gtest/gtest.h>

#include <limits>

#include "core/problem/Validation.h"
#include "tests/unit/problem/RandomProblem.h"

namespace attnscope {
namespace {

// What each mask means, pair by pair, written from its definition and not from keysSeenBy().
bool sees(const Problem& problem, std::int64_t i, std::int64_t j) {
  const auto shiftOf = [&](CausalAlignment alignment) {
    return alignment == CausalAlignment::kTopLeft ? 0 : problem.keyValueLength - problem.queryLength;
  };
  if (const auto* causal = std::get_if<CausalMask>(&problem.mask)) return j <= i + shiftOf(causal->alignment);
  if (const auto* window = std::get_if<WindowMask>(&problem.mask)) {
    const std::int64_t diagonal = i + shiftOf(window->alignment);
    return j <= diagonal && j > diagonal - window->width;
  }
  if (const auto* prefix = std::get_if<PrefixMask>(&problem.mask)) return j < prefix->length || j <= i;
  if (const auto* documents = std::get_if<DocumentsMask>(&problem.mask)) {
    const auto documentOf = [&](std::int64_t token) {
      std::size_t document = 0;
      for (std::int64_t end = documents->lengths[0]; token >= end; end += documents->lengths[document]) ++document;
      return document;
    };
    return documentOf(i) == documentOf(j) && (documents->inside == InsideDocument::kFull || j <= i);
  }
  return true;
}

TEST(FormulasTest, PairsAndRangesAreThoseCountedOneByOne) {
  RandomProblems problems(1);
  for (int trial = 0; trial < 2000; ++trial) {
    const Problem problem = problems.next();
    ASSERT_FALSE(hasError(validate(problem))) << describe(problem);
    std::int64_t pairs = 0;
    for (std::int64_t i = 0; i < problem.queryLength; ++i) {
      const KeyRange range = keysSeenBy(problem, i);
      std::int64_t seen = 0;
      for (std::int64_t j = 0; j < problem.keyValueLength; ++j) {
        const bool expected = sees(problem, i, j);
        ASSERT_EQ(expected, j >= range.from && j < range.to) << describe(problem) << " " << i << " " << j;
        seen += expected ? 1 : 0;
      }
      ASSERT_EQ(range.size(), seen);
      pairs += seen;
    }
    ASSERT_EQ(attendedPairs(problem), pairs) << describe(problem);
  }
}

TEST(FormulasTest, AWindowOfAnyWidthIsAtMostCausal) {
  Problem problem;
  problem.queryLength = 9;
  problem.keyValueLength = 4;
  for (const CausalAlignment alignment : {CausalAlignment::kTopLeft, CausalAlignment::kBottomRight}) {
    for (std::int64_t query = 0; query < problem.queryLength; ++query) {
      problem.mask = CausalMask{alignment};
      const KeyRange causal = keysSeenBy(problem, query);
      problem.mask = WindowMask{std::numeric_limits<std::int64_t>::max(), alignment};
      EXPECT_EQ(keysSeenBy(problem, query), causal) << query;
    }
  }
}

TEST(FormulasTest, FlopsAreTwoForEachProduct) {
  RandomProblems problems(2);
  for (int trial = 0; trial < 100; ++trial) {
    Problem problem = problems.next();
    problem.pass = Pass::kForward;
    // Each pair of each head: D products for the score, V for the sum.
    std::int64_t products = 0;
    for (std::int64_t i = 0; i < problem.queryLength; ++i) {
      products += keysSeenBy(problem, i).size() * (problem.headSize + problem.valueHeadSize);
    }
    EXPECT_EQ(usefulFlops(problem), 2 * problem.batch * problem.heads * products);
  }
  Problem square;
  square.mask = NoMask{};
  square.pass = Pass::kForwardBackward;
  EXPECT_EQ(usefulFlops(square) * 2, 7 * 4 * 8 * 1024ll * 1024 * 64) << "forward and backward are 3.5 times forward";
}

TEST(FormulasTest, BlocksHaveTheirLinearLayersToo) {
  Problem problem;
  const std::int64_t attention = usefulFlops(problem);
  problem.workload = Workload::kBlock;
  // 4 projections of 512 x 512 and the MLP's 8 x 512 x 512, for 1024 tokens.
  EXPECT_EQ(usefulFlops(problem) - attention, 2ll * 1024 * 12 * 512 * 512);
}

TEST(FormulasTest, MinimumBytesAreEachTensorOnce) {
  Problem problem;
  problem.batch = 2;
  problem.keyValueHeads = 2;
  problem.dtype = DataType::kBFloat16;
  problem.keyValueLength = 100;
  problem.valueHeadSize = 32;
  EXPECT_EQ(queryBytes(problem), 2ll * 2 * 8 * 1024 * 64);
  EXPECT_EQ(keyBytes(problem), 2ll * 2 * 2 * 100 * 64);
  EXPECT_EQ(valueBytes(problem), 2ll * 2 * 2 * 100 * 32);
  EXPECT_EQ(outputBytes(problem), 2ll * 2 * 8 * 1024 * 32);
  EXPECT_EQ(minimumBytes(problem), inputBytes(problem) + outputBytes(problem) + 4ll * 2 * 8 * 1024);
}

TEST(FormulasTest, HugeShapesSaturateInsteadOfTurningNegative) {
  Problem problem;
  problem.batch = 65'536;
  problem.heads = 4'096;
  problem.keyValueHeads = 4'096;
  problem.queryLength = 1ll << 24;
  problem.keyValueLength = 1ll << 24;
  problem.headSize = 4'096;
  problem.valueHeadSize = 4'096;
  ASSERT_FALSE(hasError(validate(problem)));
  EXPECT_EQ(usefulFlops(problem), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(scoreBytes(problem, 4), std::numeric_limits<std::int64_t>::max());
  EXPECT_GT(minimumBytes(problem), 0);
  EXPECT_EQ(saturatingProduct({std::numeric_limits<std::int64_t>::max(), 2, 0}), 0);
}

}  // namespace
}  // namespace attnscope
