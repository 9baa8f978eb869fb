// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/Format.h"

#include <limits>

#include <gtest/gtest.h>

namespace attnscope::ui::format {
namespace {

std::string text(const QString& value) { return value.toStdString(); }

TEST(Format, TimesCarryTheirUnit) {
  EXPECT_EQ(text(time(0)), "0 ns");
  EXPECT_EQ(text(time(999)), "999 ns");
  EXPECT_EQ(text(time(47'600)), "47.6 µs");
  EXPECT_EQ(text(time(1'142'000)), "1.142 ms");
  EXPECT_EQ(text(time(14'100'000)), "14.10 ms");
  EXPECT_EQ(text(time(2.5e9)), "2.500 s");
  EXPECT_EQ(text(time(-1500)), "−1.5 µs");
}

TEST(Format, ATimeNeverRoundsUpToAThousandOfItsUnit) {
  EXPECT_EQ(text(time(999'960)), "1.000 ms");
  EXPECT_EQ(text(time(999.6)), "1.0 µs");
}

TEST(Format, DifferencesHaveASignAndZeroHasBoth) {
  EXPECT_EQ(text(signedTime(-641'800)), "−641.8 µs");
  EXPECT_EQ(text(signedTime(3.2e6)), "+3.200 ms");
  EXPECT_EQ(text(signedTime(0)), "±0 ns");
  EXPECT_EQ(text(signedPercent(-0.568)), "−56.8 %");
  EXPECT_EQ(text(signedNumber(0.04)), "±0.0");
  EXPECT_EQ(text(signedNumber(-0.06)), "−0.1");
}

TEST(Format, ColumnsUseOneUnit) {
  EXPECT_EQ(unitFor(999), TimeUnit::kNs);
  EXPECT_EQ(unitFor(1'129'000), TimeUnit::kUs);
  EXPECT_EQ(unitFor(47'150'000), TimeUnit::kMs);
  EXPECT_EQ(unitFor(20'000'000'000), TimeUnit::kS);
  EXPECT_EQ(text(timeIn(1'129'040, TimeUnit::kUs)), "1\u202F129.0");
}

TEST(Format, BytesCountsAndShares) {
  EXPECT_EQ(text(bytes(601.0 * 1024 * 1024)), "601 MiB");
  EXPECT_EQ(text(bytes(1.95 * 1024 * 1024 * 1024)), "1.95 GiB");
  EXPECT_EQ(text(bytes(512)), "512 B");
  EXPECT_EQ(text(signedBytes(-2048)), "−2.00 KiB");
  EXPECT_EQ(text(fileSize(18'400'000)), "18.4 MB");
  EXPECT_EQ(text(count(31'406)), "31\u202F406");
  EXPECT_EQ(text(count(999)), "999");
  EXPECT_EQ(text(percent(0.918)), "91.8 %");
}

TEST(Format, RelativeErrorsHaveTwoDigitsAndAShortExponent) {
  EXPECT_EQ(relativeError(1.9e-3), QStringLiteral("1.9e-3"));
  EXPECT_EQ(relativeError(3e-7), QStringLiteral("3.0e-7"));
  EXPECT_EQ(relativeError(2e-12), QStringLiteral("2.0e-12"));
  EXPECT_EQ(relativeError(0), QStringLiteral("0"));
  EXPECT_EQ(relativeError(std::numeric_limits<double>::quiet_NaN()), QStringLiteral("not finite"));
}

TEST(Format, RatiosBelowATenthAreWrittenPerCent) {
  EXPECT_EQ(text(ratio(2.31)), "2.31×");
  EXPECT_EQ(text(ratio(14.52)), "14.5×");
  EXPECT_EQ(text(ratio(120)), "120×");
  EXPECT_EQ(text(ratio(1.042)), "4.2 %");
}

TEST(Format, SentencesOfTheCoreHaveTheWindowsUnits) {
  EXPECT_EQ(text(sentence("Saves 12.3 us at most, 4 us each; see us, 5 users, 3us")),
            "Saves 12.3 µs at most, 4 µs each; see us, 5 users, 3us");
}

}  // namespace
}  // namespace attnscope::ui::format
