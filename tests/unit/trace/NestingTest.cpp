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
  EXPECT_EQ(at(1), Place(1, 0));
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

}  // namespace
}  // namespace attnscope
