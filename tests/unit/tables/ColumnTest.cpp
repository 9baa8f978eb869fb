// SPDX-License-Identifier: GPL-3.0-or-later
#include <numeric>

#include <gtest/gtest.h>

#include "SampleRows.h"

namespace attnscope::ui {
namespace {

std::vector<Column> compared() {
  const auto column = [](ColumnRole role, int width, int rank) {
    Column made;
    made.role = role;
    made.width = width;
    made.hideRank = rank;
    return made;
  };
  return {
      column(ColumnRole::kName, 220, 0), column(ColumnRole::kText, 166, 2),  column(ColumnRole::kText, 60, 3),
      column(ColumnRole::kCount, 60, 4), column(ColumnRole::kCount, 60, 4),  column(ColumnRole::kTime, 74, 0),
      column(ColumnRole::kTime, 74, 0),  column(ColumnRole::kDelta, 138, 0), column(ColumnRole::kDistribution, 112, 1)};
}

std::vector<bool> shown(int available) {
  std::vector<bool> list;
  for (const int width : columnWidths(compared(), available, {})) list.push_back(width > 0);
  return list;
}

TEST(ColumnWidths, TheNameTakesWhatIsLeft) {
  const std::vector<int> widths = columnWidths(compared(), 1200, {});
  EXPECT_EQ(std::accumulate(widths.begin(), widths.end(), 0), 1200);
  EXPECT_EQ(widths[0], 1200 - 744);
  EXPECT_EQ(widths[7], 138);
}

TEST(ColumnWidths, DistributionLaunchedByMatchAndCallsGoInThisOrder) {
  EXPECT_EQ(shown(964), std::vector<bool>(9, true));
  EXPECT_EQ(shown(963), (std::vector<bool>{true, true, true, true, true, true, true, true, false}));
  EXPECT_EQ(shown(851), (std::vector<bool>{true, false, true, true, true, true, true, true, false}));
  EXPECT_EQ(shown(685), (std::vector<bool>{true, false, false, true, true, true, true, true, false}));
  EXPECT_EQ(shown(625), (std::vector<bool>{true, false, false, false, false, true, true, true, false}));
}

TEST(ColumnWidths, WhatMayNotGoStaysWhenThereIsNoRoom) {
  const std::vector<int> widths = columnWidths(compared(), 100, {});
  EXPECT_EQ(widths[0], 220);
  EXPECT_EQ(std::accumulate(widths.begin(), widths.end(), 0), 506);
}

TEST(ColumnWidths, NumbersScaleWithDigitsAndTextsWithLetters) {
  const std::vector<int> widths = columnWidths(compared(), 3000, {2.0, 1.5});
  EXPECT_EQ(widths[5], 148);
  EXPECT_EQ(widths[1], 249);
}

TEST(NumberText, WritesEachRoleInItsUnit) {
  Column column;
  column.role = ColumnRole::kTime;
  column.timeUnit = format::TimeUnit::kUs;
  EXPECT_EQ(numberText(column, 689'400), QStringLiteral("689.4"));
  EXPECT_EQ(numberText(column, kNone), QStringLiteral("–"));
  column.role = ColumnRole::kDelta;
  EXPECT_EQ(numberText(column, -641'800), QStringLiteral("−641.8"));
  EXPECT_EQ(numberText(column, 47'600), QStringLiteral("+47.6"));
  EXPECT_EQ(numberText(column, 0), QStringLiteral("±0.0"));
  column.role = ColumnRole::kDeltaShare;
  EXPECT_EQ(numberText(column, -0.931), QStringLiteral("−93.1"));
  EXPECT_EQ(numberText(column, 23.4), QStringLiteral("+2\u202F340"));
  column.sum = SumRule::kRatio;  // of a base: what it became
  EXPECT_EQ(numberText(column, 8.99), QStringLiteral("+899.0"));
  EXPECT_EQ(numberText(column, 9), QStringLiteral("10.0\u00D7"));
  EXPECT_EQ(numberText(column, 123.4), QStringLiteral("124\u00D7"));
  column.role = ColumnRole::kShare;
  EXPECT_EQ(numberText(column, 0.278), QStringLiteral("27.8"));
  column.role = ColumnRole::kCount;
  EXPECT_EQ(numberText(column, 31'406), QStringLiteral("31\u202F406"));
  column.role = ColumnRole::kBytes;
  column.byteUnit = format::ByteUnit::kKiB;
  EXPECT_EQ(numberText(column, 48 * 1024), QStringLiteral("48.0"));
}

TEST(HeadText, SaysTitleRunAndUnit) {
  Column column;
  column.title = QStringLiteral("Total");
  column.role = ColumnRole::kTime;
  column.runLetter = QStringLiteral("A");
  EXPECT_EQ(column.headText(), QStringLiteral("Total A µs"));
  column.role = ColumnRole::kDeltaShare;
  column.title = QStringLiteral("%");
  column.runLetter.clear();
  EXPECT_EQ(column.headText(), QStringLiteral("%"));
}

TEST(ToneOf, CallsAChangeBelowOnePerCentNoDifference) {
  EXPECT_EQ(toneOf(113.4, 113.2), Tone::kNeutral);
  EXPECT_EQ(toneOf(100, 98.9), Tone::kFaster);
  EXPECT_EQ(toneOf(100, 102), Tone::kSlower);
  EXPECT_EQ(toneOf(kNone, 47.6), Tone::kSlower);
  EXPECT_EQ(toneOf(47.6, kNone), Tone::kFaster);
  EXPECT_EQ(toneOf(kNone, kNone), Tone::kNeutral);
}

}  // namespace
}  // namespace attnscope::ui
