// SPDX-License-Identifier: Apache-2.0
// The orders and look-ups that building a trace rests on, against the plain ones of the library.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <tuple>
#include <vector>

#include "core/trace/IdIndex.h"
#include "core/trace/RowSet.h"
#include "core/trace/SortByNumber.h"
#include "core/trace/TrackOrder.h"

namespace attnscope {
namespace {

struct Numbered {
  std::uint64_t number = 0;
  std::size_t place = 0;
  bool operator==(const Numbered&) const = default;
};

TEST(SortByNumber, IsAStableSort) {
  std::mt19937_64 random(1);
  for (const std::size_t count : {0u, 1u, 100u, 5000u, 50000u})
    for (const std::uint64_t most : {std::uint64_t{1}, std::uint64_t{3000}, std::uint64_t{1} << 33, UINT64_MAX}) {
      std::vector<Numbered> items(count);
      for (std::size_t i = 0; i < count; ++i) items[i] = {random() % most + (most < 4000 ? 1u << 30 : 0), i};
      std::vector<Numbered> expected = items;
      const auto number = [](const Numbered& item) { return item.number; };
      std::stable_sort(expected.begin(), expected.end(),
                       [](const Numbered& a, const Numbered& b) { return a.number < b.number; });
      sortByNumber(items, number);
      EXPECT_EQ(items, expected) << count << " items below " << most;
    }
}

TEST(IdIndex, HoldsTheSlicesOfDenseAndOfFarIds) {
  std::mt19937_64 random(2);
  for (const std::int64_t spread : {std::int64_t{1}, std::int64_t{1} << 40}) {
    std::vector<std::int64_t> ids(3000);
    for (std::int64_t& id : ids) id = (static_cast<std::int64_t>(random() % 2000) - 1000) * spread;
    IdIndex index;
    const auto wanted = [](std::size_t slice) { return slice % 3 != 0; };
    index.build(ids, wanted);
    std::map<std::int64_t, std::vector<std::uint32_t>> expected;
    for (std::uint32_t i = 0; i < ids.size(); ++i)
      if (wanted(i)) expected[ids[i]].push_back(i);
    for (std::int64_t id = -1002; id < 1002; ++id) {
      const auto found = index.of(id * spread);
      EXPECT_EQ(std::vector<std::uint32_t>(found.begin(), found.end()), expected[id * spread]) << id * spread;
    }
    EXPECT_TRUE(index.of(INT64_MIN).empty());
    EXPECT_TRUE(index.of(INT64_MAX).empty());
  }
  IdIndex none;
  none.build({}, [](std::size_t) { return true; });
  EXPECT_TRUE(none.of(0).empty());
}

TEST(RowSet, CountsWhatComesBefore) {
  RowSet set(1000);
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; row < 1000; row += 1 + row % 7) rows.push_back(row);
  for (const std::size_t row : rows) set.add(row);
  set.count();
  for (std::size_t i = 0; i < rows.size(); ++i) EXPECT_EQ(set.before(rows[i]), i);
  for (std::size_t row = 0; row < 1000; ++row)
    EXPECT_EQ(set.has(row), std::binary_search(rows.begin(), rows.end(), row)) << row;
}

// Rows of slices that follow one another, some without length, so that starts tie within and across rows.
SliceTable rowsOfSlices(std::size_t count, std::vector<RowSpan>& rows, std::mt19937& random) {
  SliceTable slices;
  for (std::size_t row = 0; row < count; ++row) {
    const auto first = static_cast<std::uint32_t>(slices.size());
    const std::uint32_t length = random() % 200;
    std::int64_t at = random() % 5;
    for (std::uint32_t i = 0; i < length; ++i) {
      slices.startNs.push_back(at);
      slices.durationNs.push_back(random() % 3);
      slices.order.push_back(static_cast<std::uint32_t>(random()));
      at += slices.durationNs.back() + static_cast<std::int64_t>(random() % 2);
    }
    rows.push_back({first, length});
  }
  return slices;
}

TEST(TrackOrder, IsThatOfASort) {
  std::mt19937 random(3);
  for (const std::size_t count : {0u, 1u, 3u, 20u, 60u}) {
    std::vector<RowSpan> rows;
    const SliceTable slices = rowsOfSlices(count, rows, random);
    const auto tie = [&](SliceId a, SliceId b) { return slices.order[index(a)] < slices.order[index(b)]; };
    const auto wanted = [](std::size_t slice) { return slice % 5 != 0; };
    std::vector<SliceId> expected;
    for (std::uint32_t i = 0; i < slices.size(); ++i)
      if (wanted(i)) expected.push_back(SliceId{i});
    std::sort(expected.begin(), expected.end(), [&](SliceId a, SliceId b) {
      const auto key = [&](SliceId id) {
        return std::tuple(slices.startNs[index(id)], -slices.durationNs[index(id)], slices.order[index(id)]);
      };
      return key(a) < key(b);
    });
    EXPECT_EQ(inStartOrder(slices, rows, wanted, tie), expected) << count << " rows";
  }
}

}  // namespace
}  // namespace attnscope
