// SPDX-License-Identifier: Apache-2.0
#include "core/trace/Utf8.h"

#include <gtest/gtest.h>

namespace attnscope {
namespace {

TEST(Utf8, GoodTextIsLeftAlone) {
  EXPECT_FALSE(repairedUtf8(""));
  EXPECT_FALSE(repairedUtf8("plain text of some length"));
  EXPECT_FALSE(repairedUtf8("\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x9A\x80"));
}

TEST(Utf8, BadBytesAreReplacedOneByOne) {
  EXPECT_EQ(repairedUtf8("a\xFFz"), "a\xEF\xBF\xBDz");
  EXPECT_EQ(repairedUtf8("\xC0\xAF"), "\xEF\xBF\xBD\xEF\xBF\xBD") << "overlong";
  EXPECT_EQ(repairedUtf8("\xED\xA0\x80"), "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD") << "surrogate";
  EXPECT_EQ(repairedUtf8("\xE2\x82"), "\xEF\xBF\xBD\xEF\xBF\xBD") << "cut";
  EXPECT_EQ(repairedUtf8("\xF5\x80\x80\x80\xC3\xA9").value().substr(12), "\xC3\xA9");
}

}  // namespace
}  // namespace attnscope
