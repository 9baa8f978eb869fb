// SPDX-License-Identifier: Apache-2.0
#include "core/index/NameIndex.h"

#include <algorithm>
#include <random>

#include <gtest/gtest.h>

namespace attnscope {
namespace {

TEST(NameIndex, ListsAndCountsAsAWalkDoes) {
  std::mt19937 random(7);
  for (int round = 0; round < 50; ++round) {
    const std::size_t names = 1 + random() % 8;
    const std::size_t slices = random() % 400;
    std::vector<StringId> name;
    std::vector<std::int64_t> start;
    for (std::size_t slice = 0; slice < slices; ++slice) {
      name.push_back(random() % 10 == 0 ? kNoString : StringId{static_cast<std::uint32_t>(random() % names)});
      start.push_back(static_cast<std::int64_t>(random() % 100) - 50);
    }
    const NameIndex built = NameIndex::build(name, start, names);
    for (std::size_t each = 0; each < names; ++each) {
      std::vector<SliceId> wanted;
      for (std::size_t slice = 0; slice < slices; ++slice) {
        if (name[slice] == StringId{static_cast<std::uint32_t>(each)})
          wanted.push_back(SliceId{static_cast<std::uint32_t>(slice)});
      }
      std::stable_sort(wanted.begin(), wanted.end(),
                       [&](SliceId left, SliceId right) { return start[index(left)] < start[index(right)]; });
      const std::span<const SliceId> found = built.of(StringId{static_cast<std::uint32_t>(each)});
      ASSERT_EQ(std::vector<SliceId>(found.begin(), found.end()), wanted);
      const std::int64_t from = static_cast<std::int64_t>(random() % 120) - 60;
      const std::int64_t to = static_cast<std::int64_t>(random() % 120) - 60;
      const auto inside = std::count_if(wanted.begin(), wanted.end(), [&](SliceId slice) {
        return start[index(slice)] >= from && start[index(slice)] < to;
      });
      EXPECT_EQ(countStarting(found, start, from, to), static_cast<std::size_t>(inside));
    }
  }
}

TEST(NameIndex, KnowsNothingOfNamesThatAreNotThere) {
  EXPECT_TRUE(NameIndex().of(StringId{3}).empty());
  const NameIndex built = NameIndex::build(std::vector<StringId>{kNoString}, std::vector<std::int64_t>{0}, 1);
  EXPECT_TRUE(built.of(StringId{0}).empty());
  EXPECT_TRUE(built.of(kNoString).empty());
}

}  // namespace
}  // namespace attnscope
