// SPDX-License-Identifier: Apache-2.0
#include "core/compare/SequenceAlignment.h"

#include <algorithm>
#include <random>

#include <gtest/gtest.h>

namespace attnscope {
namespace {

using Keys = std::vector<std::uint32_t>;

// Length of the longest common subsequence by the textbook table.
std::size_t longestCommon(const Keys& a, const Keys& b) {
  std::vector<std::size_t> row(b.size() + 1, 0);
  for (const std::uint32_t key : a) {
    std::size_t diagonal = 0;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t above = row[j + 1];
      row[j + 1] = key == b[j] ? diagonal + 1 : std::max(row[j + 1], row[j]);
      diagonal = above;
    }
  }
  return row.back();
}

void expectValid(const Keys& a, const Keys& b, const std::vector<std::pair<std::uint32_t, std::uint32_t>>& matches) {
  for (std::size_t i = 0; i < matches.size(); ++i) {
    ASSERT_LT(matches[i].first, a.size());
    ASSERT_LT(matches[i].second, b.size());
    EXPECT_EQ(a[matches[i].first], b[matches[i].second]);
    if (i == 0) continue;
    EXPECT_LT(matches[i - 1].first, matches[i].first);
    EXPECT_LT(matches[i - 1].second, matches[i].second);
  }
}

TEST(SequenceAlignment, EmptySides) {
  EXPECT_TRUE(alignSequences({}, {}).empty());
  EXPECT_TRUE(alignSequences(Keys{1, 2}, {}).empty());
  EXPECT_TRUE(alignSequences({}, Keys{1}).empty());
}

TEST(SequenceAlignment, IsAsLongAsTheTextbookTableSays) {
  std::mt19937 random(7);
  for (int round = 0; round < 400; ++round) {
    const auto alphabet = 1 + random() % 6;
    Keys a(random() % 40);
    Keys b(random() % 40);
    for (auto& key : a) key = static_cast<std::uint32_t>(random() % alphabet);
    for (auto& key : b) key = static_cast<std::uint32_t>(random() % alphabet);
    const auto matches = alignSequences(a, b);
    expectValid(a, b, matches);
    EXPECT_EQ(matches.size(), longestCommon(a, b)) << "round " << round;
  }
}

TEST(SequenceAlignment, TooManyDifferencesKeepTheEqualEnds) {
  Keys a{1, 2, 3};
  Keys b{1, 2, 3};
  for (std::uint32_t i = 0; i < 50; ++i) {
    a.push_back(100 + i);
    b.push_back(200 + i);
  }
  a.push_back(9);
  b.push_back(9);
  const auto matches = alignSequences(a, b, 10);
  expectValid(a, b, matches);
  EXPECT_EQ(matches.size(), 4u);
}

}  // namespace
}  // namespace attnscope
