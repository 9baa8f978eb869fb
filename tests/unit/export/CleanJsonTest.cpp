// SPDX-License-Identifier: Apache-2.0
#include "core/export/CleanJson.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace attnscope {
namespace {

TEST(CleanJson, GoodTextComesBackAsItIs) {
  for (const char* text : {R"({"a": 1.50, "b": [1,  2, {"c": "\u00e9 \" \\"}], "d": -0.5e+3, "e": null})", "[]", "{}",
                           "\"x\"", "true", "12"})
    EXPECT_EQ(cleanJson(text), text);
}

TEST(CleanJson, WhatIsNotJsonBecomesIt) {
  EXPECT_EQ(cleanJson(R"({"a": inf, "b": -NaN, "c": N/A, "d": 007})"),
            R"({"a": "inf", "b": "-NaN", "c": "N/A", "d": "007"})");
  EXPECT_EQ(cleanJson(R"({"a": 1,, "b": [1, 2,],})"), R"({"a": 1, "b": [1, 2]})");
  EXPECT_EQ(cleanJson("{\"a\": \"C:\\work\\'x\\u12\n\"}"), R"({"a": "C:\\work'x\\u12\u000a"})");
  EXPECT_EQ(cleanJson("[1, {\"a\": 2"), "[1, {\"a\": 2}]");
  EXPECT_EQ(cleanJson("\"\xFF\""), "\"\xEF\xBF\xBD\"");
  EXPECT_EQ(cleanJson(""), "null");
  for (const char* text : {"{\"a\": [1, \"x", "{\"a\":\"\\", "[[[{", "{,,,}", "[,1,]"})
    EXPECT_TRUE(nlohmann::json::accept(cleanJson(text))) << text << " -> " << cleanJson(text);
}

}  // namespace
}  // namespace attnscope
