// SPDX-License-Identifier: Apache-2.0
#include "core/trace/ArgsText.h"

#include <gtest/gtest.h>

namespace attnscope {
namespace {

TEST(ArgsText, MembersAsWritten) {
  const auto members = argsMembers(R"({ "a": 1.50, "b \"x\"" : [1, {"c": "}"}], "d": "\"", "e": N/A ,})");
  ASSERT_EQ(members.size(), 4u);
  EXPECT_EQ(members[0].value, "1.50");
  EXPECT_EQ(members[1].key, R"(b \"x\")");
  EXPECT_EQ(members[1].value, R"([1, {"c": "}"}])");
  EXPECT_EQ(members[2].value, R"("\"")");
  EXPECT_EQ(members[3].value, "N/A");
  EXPECT_TRUE(argsMembers("[1]").empty());
  EXPECT_TRUE(argsMembers("").empty());
  EXPECT_EQ(argsMembers(R"({"a": 1, "b)").size(), 1u);
}

TEST(ArgsText, MergeKeepsPlaces) {
  EXPECT_EQ(mergeArgs(R"({"a":1,"k":"x"})", R"({"k":"y","b":2})"), R"({"a": 1, "k": "y", "b": 2})");
  EXPECT_EQ(mergeArgs("{}", "{}"), "{}");
}

TEST(ArgsText, MergingManyMembersTakesNoTimeSquared) {
  std::string first = "{";
  std::string second = "{";
  for (int i = 0; i < 100000; ++i) {
    first += "\"a" + std::to_string(i) + "\":1,";
    second += "\"b" + std::to_string(i) + "\":2,";
  }
  EXPECT_EQ(argsMembers(mergeArgs(first + "}", second + "}")).size(), 200000u);
}

TEST(ArgsText, LastOfEqualKeys) {
  EXPECT_EQ(argsValue(R"({"a":1,"a":2})", "a"), "2");
  EXPECT_FALSE(argsValue(R"({"a":1})", "b"));
}

TEST(ArgsText, Decode) {
  EXPECT_EQ(decodeText(R"("a\n\"\\\/\u00e9")"), "a\n\"\\/\xC3\xA9");
  EXPECT_EQ(decodeText(R"("\ud83d\ude80")"), "\xF0\x9F\x9A\x80");
  EXPECT_EQ(decodeText(R"("\ud83d")"), "\xEF\xBF\xBD") << "half a pair";
  EXPECT_EQ(decodeText(R"("C:\work\_x")"), R"(C:\work\_x)") << "no escapes of JSON stay as they are";
  EXPECT_EQ(decodeText(R"("\'")"), "'");
  EXPECT_EQ(decodeText(R"("\u12")"), R"(\u12)");
  EXPECT_EQ(decodeText("17"), "17");
}

TEST(ArgsText, EscapeAndDecodeAreInverse) {
  std::string text;
  for (int c = 0; c < 128; ++c) text += static_cast<char>(c);
  EXPECT_EQ(decodeText('"' + escapeText(text) + '"'), text);
}

}  // namespace
}  // namespace attnscope
