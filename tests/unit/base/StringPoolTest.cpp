// SPDX-License-Identifier: Apache-2.0
#include "core/base/StringPool.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace attnscope {
namespace {

TEST(StringPool, EqualTextsHaveOneId) {
  StringPool pool;
  const StringId matmul = pool.intern("aten::matmul");
  const StringId softmax = pool.intern("aten::softmax");
  EXPECT_NE(matmul, softmax);
  EXPECT_EQ(pool.intern(std::string("aten::") + "matmul"), matmul);
  EXPECT_EQ(pool.size(), 2u);
  EXPECT_EQ(pool.view(softmax), "aten::softmax");
}

TEST(StringPool, IdsAreDenseInOrderOfFirstUse) {
  StringPool pool;
  for (std::uint32_t i = 0; i < 1000; ++i) EXPECT_EQ(pool.intern("name " + std::to_string(i)), StringId{i});
  for (std::uint32_t i = 0; i < 1000; ++i) EXPECT_EQ(pool.view(StringId{i}), "name " + std::to_string(i));
}

TEST(StringPool, FindDoesNotIntern) {
  StringPool pool;
  EXPECT_EQ(pool.find("absent"), kNoString);
  pool.intern("present");
  EXPECT_EQ(pool.find("absent"), kNoString);
  EXPECT_EQ(pool.find("present"), StringId{0});
  EXPECT_EQ(pool.size(), 1u);
}

TEST(StringPool, TheEmptyTextIsATextAndNoStringIsNone) {
  StringPool pool;
  const StringId empty = pool.intern("");
  EXPECT_NE(empty, kNoString);
  EXPECT_EQ(pool.view(empty), "");
  EXPECT_EQ(pool.find(""), empty);
  EXPECT_EQ(pool.view(kNoString), "");
}

TEST(StringPool, BytesAreNotInterpreted) {
  StringPool pool;
  const std::string zero("a\0b", 3);
  const StringId id = pool.intern(zero);
  EXPECT_NE(id, pool.intern("a"));
  EXPECT_EQ(pool.view(id), zero);
  EXPECT_EQ(pool.view(pool.intern("\xff\xfe")), "\xff\xfe");
}

TEST(StringPool, ViewsStayValidWhileThePoolGrowsAndMoves) {
  StringPool pool;
  const std::string_view first = pool.view(pool.intern("first"));
  const char* place = first.data();
  const std::string large(200'000, 'x');  // larger than a block
  const std::string_view wide = pool.view(pool.intern(large));
  for (int i = 0; i < 50'000; ++i) pool.intern("filler " + std::to_string(i));
  EXPECT_EQ(first, "first");
  EXPECT_EQ(pool.view(pool.find("first")).data(), place);
  const StringPool moved = std::move(pool);
  EXPECT_EQ(moved.view(moved.find("first")).data(), place);
  EXPECT_EQ(wide, large);
  EXPECT_EQ(moved.view(moved.find(large)), large);
}

}  // namespace
}  // namespace attnscope
