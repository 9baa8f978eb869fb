// SPDX-License-Identifier: Apache-2.0
#include "core/trace/Pairing.h"

#include <gtest/gtest.h>

#include <deque>

namespace attnscope {
namespace {

class Pairing : public ::testing::Test {
 protected:
  void add(char phase, std::int64_t at, std::uint32_t name) {
    RawPoint point;
    point.phase = phase;
    point.atNs = at;
    point.name = name;
    point.order = static_cast<std::uint32_t>(m_points.size());
    m_points.push_back(point);
  }

  // (order of the begin, order of the end or -1) of each pair, by begin.
  std::vector<std::pair<int, int>> pairs() {
    std::vector<const RawPoint*> points;
    for (const RawPoint& point : m_points) points.push_back(&point);
    std::vector<PairedEvents> found;
    m_strays = pairEvents(
                   points, [](const RawPoint& p) { return p.phase == 'B'; }, found)
                   .count;
    std::vector<std::pair<int, int>> result;
    for (const PairedEvents& pair : found)
      result.emplace_back(pair.begin->order, pair.end ? static_cast<int>(pair.end->order) : -1);
    std::sort(result.begin(), result.end());
    return result;
  }

  std::deque<RawPoint> m_points;
  std::uint64_t m_strays = 0;
};

using Pairs = std::vector<std::pair<int, int>>;

TEST_F(Pairing, LastInFirstOutWithoutNames) {
  add('B', 0, 1);
  add('B', 1, 2);
  add('E', 2, kNone);
  add('E', 3, kNone);
  EXPECT_EQ(pairs(), (Pairs{{0, 3}, {1, 2}}));
}

TEST_F(Pairing, ANamedEndClosesTheNearestOfItsName) {
  add('B', 500, 1);
  add('B', 700, 2);
  add('E', 760, 1);
  add('E', 830, 2);
  EXPECT_EQ(pairs(), (Pairs{{0, 2}, {1, 3}}));
  EXPECT_EQ(m_strays, 0u);
}

TEST_F(Pairing, UnsortedAndStray) {
  add('E', 30, 3);
  add('B', 20, 3);
  add('E', 5, 3);
  add('E', 40, 9);
  EXPECT_EQ(pairs(), (Pairs{{1, 0}}));
  EXPECT_EQ(m_strays, 2u);
}

TEST_F(Pairing, AnEndWaitsForTheBeginOfItsOwnTime) {
  add('E', 5, 3);
  add('B', 5, 3);
  EXPECT_EQ(pairs(), (Pairs{{1, 0}}));
}

TEST_F(Pairing, ManyThatAreNeverClosedCostNoMore) {
  constexpr int kMany = 100'000;  // squared it would take minutes
  for (int i = 0; i < kMany; ++i) add('B', i, 1);
  for (int i = 0; i < kMany; ++i) add('E', kMany + i, 2);
  EXPECT_EQ(pairs().size(), static_cast<std::size_t>(kMany));
  EXPECT_EQ(m_strays, static_cast<std::uint64_t>(kMany));
}

TEST_F(Pairing, BetweenOthersAndByTheOldestThatIsOpen) {
  add('B', 0, 1);
  add('B', 1, 2);
  add('B', 2, 1);
  add('E', 3, 2);      // from the middle
  add('E', 4, 1);      // the inner of two
  add('E', 5, kNone);  // what is left
  add('B', 6, 3);
  EXPECT_EQ(pairs(), (Pairs{{0, 5}, {1, 3}, {2, 4}, {6, -1}}));
  EXPECT_EQ(m_strays, 0u);
}

TEST_F(Pairing, NeverClosed) {
  add('B', 0, 1);
  add('B', 5, 1);
  add('E', 6, 1);
  EXPECT_EQ(pairs(), (Pairs{{0, -1}, {1, 2}}));
}

}  // namespace
}  // namespace attnscope
