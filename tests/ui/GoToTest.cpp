// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include "ui/shell/GoToDialog.h"

namespace attnscope::ui {
namespace {

TEST(GoTo, ReadsTimesWithTheirUnits) {
  EXPECT_EQ(parseTime(QStringLiteral("98.6 \u00b5s")), 98600.0);
  EXPECT_EQ(parseTime(QStringLiteral("98.6us")), 98600.0);
  EXPECT_EQ(parseTime(QStringLiteral("1.5 ms")), 1.5e6);
  EXPECT_EQ(parseTime(QStringLiteral("2 s")), 2e9);
  EXPECT_EQ(parseTime(QStringLiteral("120 ns")), 120.0);
  EXPECT_EQ(parseTime(QStringLiteral("12")), 12000.0);
  EXPECT_EQ(parseTime(QStringLiteral("\u221230 ms")), -3e7);
  EXPECT_EQ(parseTime(QStringLiteral("1\u202f250 \u00b5s")), 1.25e6);
}

TEST(GoTo, RefusesWhatIsNoTime) {
  for (const char* text : {"", "ms", "soon", "1 h", "1..2 ms"}) EXPECT_FALSE(parseTime(QLatin1String(text))) << text;
}

}  // namespace
}  // namespace attnscope::ui
