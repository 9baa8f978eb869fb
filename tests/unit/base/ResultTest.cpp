// SPDX-License-Identifier: Apache-2.0
#include "core/base/Result.h"

#include <gtest/gtest.h>

namespace attnscope {
namespace {

Error errorOf(std::string what, std::string remedy) {
  Error error;
  error.what = std::move(what);
  error.remedy = std::move(remedy);
  return error;
}

Result<int> half(int number) {
  if (number % 2 != 0) return fail(errorOf("the number is odd", "give an even number"));
  return number / 2;
}

TEST(Result, HoldsAValueOrAnError) {
  ASSERT_TRUE(half(8).has_value());
  EXPECT_EQ(*half(8), 4);
  const Result<int> odd = half(7);
  ASSERT_FALSE(odd.has_value());
  EXPECT_EQ(odd.error().kind, ErrorKind::kInput);
  EXPECT_EQ(odd.error().what, "the number is odd");
}

TEST(Result, ErrorsTravelThroughOtherResults) {
  const Result<std::string> text = half(7).map([](int n) { return std::to_string(n); });
  ASSERT_FALSE(text.has_value());
  EXPECT_EQ(text.error().remedy, "give an even number");
}

TEST(Error, MessageNamesCauseAndRemedy) {
  EXPECT_EQ(errorOf("it is empty", "").message(), "it is empty");
  EXPECT_EQ(errorOf("it is empty", "record it again").message(), "it is empty: record it again");
}

TEST(Error, MessageNamesTheByte) {
  Error error = errorOf("the text ends", "record it again");
  error.byte = 17'000'000'000;
  EXPECT_EQ(error.message(), "the text ends (byte 17000000000): record it again");
  error.remedy.clear();
  EXPECT_EQ(error.message(), "the text ends (byte 17000000000)");
}

TEST(Error, CancelledIsNotAFaultOfTheInput) {
  const Result<int> result = cancelled();
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().kind, ErrorKind::kCancelled);
  EXPECT_EQ(result.error().message(), "cancelled");
}

}  // namespace
}  // namespace attnscope
