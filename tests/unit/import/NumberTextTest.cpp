// SPDX-License-Identifier: Apache-2.0
#include "core/import/NumberText.h"

#include <gtest/gtest.h>

#include <cmath>

namespace attnscope {
namespace {

std::optional<std::int64_t> ns(std::string_view text) {
  const auto value = nsFromMicroseconds(text);
  if (!value) return std::nullopt;
  return static_cast<std::int64_t>(value->ns);
}

TEST(NumberText, MicrosecondsBecomeExactNanoseconds) {
  EXPECT_EQ(ns("0"), 0);
  EXPECT_EQ(ns("12"), 12000);
  EXPECT_EQ(ns("-1.5"), -1500);
  EXPECT_EQ(ns(".5"), 500);
  EXPECT_EQ(ns("5."), 5000);
  EXPECT_EQ(ns("+7"), 7000);
  EXPECT_EQ(ns("1e3"), 1000000);
  EXPECT_EQ(ns("1.7E15"), 1700000000000000000);
  EXPECT_EQ(ns("12345e-3"), 12345);
  EXPECT_EQ(ns("1711111111222333.751"), 1711111111222333751);
  EXPECT_EQ(ns("0.000"), 0);
  EXPECT_EQ(ns("1e-400"), 0);
}

TEST(NumberText, DigitsBelowANanosecondAreRoundedHalfAwayFromZero) {
  EXPECT_EQ(ns("0.0004"), 0);
  EXPECT_EQ(ns("0.0005"), 1);
  EXPECT_EQ(ns("-0.0005"), -1);
  EXPECT_EQ(ns("9.9999"), 10000);
  EXPECT_TRUE(nsFromMicroseconds("9.9999")->rounded);
  EXPECT_FALSE(nsFromMicroseconds("9.9990")->rounded);
}

TEST(NumberText, QuotientAndRemainderOfANegativeTime) {
  EXPECT_EQ(ns("-5.-123"), -5123);
  EXPECT_EQ(ns("-5.-05"), -5005);
  EXPECT_EQ(ns("0.-50"), -50);
  EXPECT_TRUE(nsFromMicroseconds("0.-50")->splitSign);
  EXPECT_FALSE(nsFromMicroseconds("-0.050")->splitSign);
  for (const char* text : {".-5", "5.-", "5.-1234", "5.-1e2", "--5.-1"}) EXPECT_FALSE(nsFromMicroseconds(text)) << text;
  EXPECT_FALSE(integerFrom("5.-000"));
}

TEST(NumberText, MoreThan64BitsFit) {
  const auto value = nsFromMicroseconds("13984392629999074");
  ASSERT_TRUE(value);
  EXPECT_TRUE(value->ns == Int128{13984392629999074} * 1000);
  EXPECT_FALSE(nsFromMicroseconds("1e400"));
}

TEST(NumberText, WhatIsNoNumberIsRefused) {
  for (const char* text : {"", "-", ".", "x", "1x", "1e", "1.2.3", "null", "nan", "0x10", " 1"}) {
    EXPECT_FALSE(nsFromMicroseconds(text)) << text;
  }
}

TEST(NumberText, Integers) {
  EXPECT_EQ(integerFrom("17"), 17);
  EXPECT_EQ(integerFrom("-1"), -1);
  EXPECT_EQ(integerFrom("1.0"), 1);
  EXPECT_EQ(integerFrom("140234567890123457"), 140234567890123457);
  EXPECT_FALSE(integerFrom("1.5"));
  EXPECT_FALSE(integerFrom("18446744073709551616"));
  EXPECT_FALSE(integerFrom("stream 7"));
  EXPECT_FALSE(integerFrom(""));
}

TEST(NumberText, NumbersThatAreNotFinite) {
  EXPECT_TRUE(std::isnan(*numberFrom("NaN")));
  EXPECT_TRUE(std::isnan(*numberFrom("-nan")));
  EXPECT_EQ(*numberFrom("-Infinity"), -INFINITY);
  EXPECT_EQ(*numberFrom("inf"), INFINITY);
  EXPECT_EQ(*numberFrom("+2.5"), 2.5);
  EXPECT_FALSE(numberFrom("info"));
  EXPECT_FALSE(numberFrom("{"));
}

}  // namespace
}  // namespace attnscope
