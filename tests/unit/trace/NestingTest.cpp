// SPDX-License-Identifier: Apache-2.0
#include "core/trace/Nesting.h"

#include <gtest/gtest.h>

#include <deque>
#include <random>

namespace attnscope {
namespace {

class Nesting : public ::testing::Test {
 protected:
  void add(std::int64_t start, std::int64_t end) {
    RawSlice slice;
    slice.order = static_cast<std::uint32_t>(m_slices.size());
    m_slices.push_back(slice);
    m_items.push_back({start, end - start, &m_slices.back(), kNone, 0});
  }

  // Row and parent of the slice that was added as number `order`; parent -1: none.
  std::pair<int, int> at(std::uint32_t order) const {
    for (const NestItem& item : m_items) {
      if (item.source->order != order) continue;
      return {item.row, item.parent == kNone ? -1 : static_cast<int>(m_items[item.parent].source->order)};
    }
    return {-1, -1};
  }

  std::deque<RawSlice> m_slices;
  std::vector<NestItem> m_items;
};

using Place = std::pair<int, int>;

TEST_F(Nesting, InnerSlicesGoOneRowDown) {
  add(0, 100000);
  add(10000, 50000);
  add(20000, 30000);
  add(60000, 90000);
  EXPECT_EQ(nest(m_items).overlaps, 0u);
  EXPECT_EQ(at(0), Place(0, -1));
  EXPECT_EQ(at(1), Place(1, 0));
  EXPECT_EQ(at(2), Place(2, 1));
  EXPECT_EQ(at(3), Place(1, 0));
}

TEST_F(Nesting, AtEqualStartsTheLongerIsOutsideThenTheFirstWritten) {
  add(0, 10000);
  add(0, 50000);
  add(0, 10000);
  nest(m_items);
  EXPECT_EQ(at(1), Place(0, -1));
  EXPECT_EQ(at(0), Place(1, 1));
  EXPECT_EQ(at(2), Place(2, 0));
}

TEST_F(Nesting, OverlapTakesTheNextFreeRow) {
  add(0, 50000);
  add(40000, 100000);
  add(45000, 48000);  // inside both: the one drawn lower holds it
  add(60000, 70000);
  const NestCounts counts = nest(m_items);
  EXPECT_EQ(counts.overlaps, 1u);
  EXPECT_EQ(counts.firstOverlap, 1u);
  EXPECT_EQ(at(1), Place(1, -1));
  EXPECT_EQ(at(2), Place(2, 1));
  EXPECT_EQ(at(3), Place(2, 1));
}

TEST_F(Nesting, AMicrosecondOfRoundingStillNests) {
  add(100000, 120000);
  add(103000, 121000);
  const NestCounts counts = nest(m_items);
  EXPECT_EQ(counts.clamped, 1u);
  EXPECT_EQ(counts.firstClamped, 1u);
  EXPECT_EQ(at(1), Place(1, 0));
}

TEST_F(Nesting, TheFirstThatEndsAfterItsParentIsTheOneWrittenFirst) {
  add(200000, 220000);
  add(203000, 221000);
  add(100000, 120000);
  add(103000, 121000);
  add(300000, 320000);
  add(303000, 310000);
  const NestCounts counts = nest(m_items);
  EXPECT_EQ(counts.clamped, 2u);
  EXPECT_EQ(counts.firstClamped, 1u);
}

TEST_F(Nesting, MoreThanAMicrosecondDoesNot) {
  add(100000, 120000);
  add(103000, 121001);
  EXPECT_EQ(nest(m_items).overlaps, 1u);
  EXPECT_EQ(at(1), Place(1, -1));
}

TEST_F(Nesting, LengthZero) {
  add(0, 10000);
  add(0, 0);
  add(10000, 10000);
  add(10000, 10000);
  nest(m_items);
  EXPECT_EQ(at(1), Place(1, 0));
  EXPECT_EQ(at(2), Place(0, -1)) << "a slice does not hold its end";
  EXPECT_EQ(at(3), Place(0, -1));
}

TEST_F(Nesting, RowsNeverOverlap) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    m_slices.clear();
    m_items.clear();
    for (int i = 0; i < 80; ++i) {
      const std::int64_t start = static_cast<std::int64_t>(random() % 200) * 100;
      add(start, start + static_cast<std::int64_t>(random() % 60) * 100);
    }
    nest(m_items);
    for (std::size_t i = 0; i < m_items.size(); ++i)
      for (std::size_t k = i + 1; k < m_items.size(); ++k)
        if (m_items[i].row == m_items[k].row) {
          EXPECT_LE(m_items[i].startNs + m_items[i].durationNs, m_items[k].startNs);
        }
  }
}

// The rules of core/trace/README.md, word for word: every earlier slice is looked at for every slice.
std::vector<Place> placesByTheRules(const std::vector<NestItem>& items) {
  std::vector<Place> places;
  const auto end = [&](std::size_t i) { return items[i].startNs + items[i].durationNs; };
  for (std::size_t i = 0; i < items.size(); ++i) {
    const auto isOpen = [&](std::size_t k) { return end(k) > items[i].startNs; };
    const auto holds = [&](std::size_t k) {
      const std::int64_t excess = end(i) - end(k);
      return excess <= 0 || (excess <= 1000 && excess < end(k) - items[i].startNs);
    };
    int parent = -1;
    for (std::size_t k = 0; k < i; ++k)
      if (isOpen(k) && holds(k) && (parent < 0 || places[k].first > places[static_cast<std::size_t>(parent)].first))
        parent = static_cast<int>(k);
    int row = parent < 0 ? 0 : places[static_cast<std::size_t>(parent)].first + 1;
    const auto taken = [&] {
      for (std::size_t k = 0; k < i; ++k)
        if (isOpen(k) && places[k].first == row) return true;
      return false;
    };
    while (taken()) ++row;
    places.emplace_back(row, parent);
  }
  return places;
}

TEST_F(Nesting, HundredsOfRowsFollowTheRules) {
  std::mt19937 random(11);
  for (const int longest : {40, 400, 4000}) {
    m_slices.clear();
    m_items.clear();
    for (int i = 0; i < 1200; ++i) {
      const std::int64_t start = static_cast<std::int64_t>(random() % 2000) * 500;
      add(start, start + static_cast<std::int64_t>(random() % static_cast<unsigned>(longest)) * 500);
    }
    nest(m_items);
    const std::vector<Place> wanted = placesByTheRules(m_items);
    for (std::size_t i = 0; i < m_items.size(); ++i) {
      EXPECT_EQ(static_cast<int>(m_items[i].row), wanted[i].first) << i;
      EXPECT_EQ(static_cast<int>(m_items[i].parent), wanted[i].second) << i;
    }
  }
}

// Took seconds when each slice looked at every open one.
TEST_F(Nesting, ManyThatAllOverlap) {
  constexpr std::uint32_t kMany = 200000;
  for (std::uint32_t i = 0; i < kMany; ++i) add(i * 10000ll, i * 10000ll + 10'000'000'000'000);
  EXPECT_EQ(nest(m_items).overlaps, kMany - 1);
  for (std::uint32_t i = 0; i < kMany; ++i) ASSERT_EQ(m_items[i].row, i);
}

TEST_F(Nesting, AStopIsSeen) {
  for (int i = 0; i < 100; ++i) add(i, i + 1000);
  std::stop_source source;
  source.request_stop();
  EXPECT_EQ(nest(m_items, source.get_token()).overlaps, 0u);
}

}  // namespace
}  // namespace attnscope
