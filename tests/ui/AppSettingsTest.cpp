// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/AppSettings.h"

#include <gtest/gtest.h>

namespace attnscope::ui {
namespace {

TEST(AppSettings, RecentFilesAreAbsoluteNewestFirstWithoutDoubles) {
  AppSettings settings(Persistence::kKept);
  settings.clearRecent();
  for (int i = 0; i < 12; ++i) settings.addRecent(QStringLiteral("/t/%1.json").arg(i), QStringLiteral("trace"), i);
  settings.addRecent(QStringLiteral("/t/7.json"), QStringLiteral("trace, again"), 70);
  ASSERT_EQ(settings.recentFiles().size(), 10U);
  EXPECT_EQ(settings.recentFiles().front().path, "/t/7.json");
  EXPECT_EQ(settings.recentFiles().front().bytes, 70);
  EXPECT_EQ(settings.recentFiles()[1].path, "/t/11.json");

  AppSettings later(Persistence::kKept);
  ASSERT_EQ(later.recentFiles().size(), 10U);
  EXPECT_EQ(later.recentFiles().front().summary, "trace, again");
}

TEST(AppSettings, ThemeAndTextSizeAreKept) {
  {
    AppSettings settings(Persistence::kKept);
    settings.setTheme(ThemeChoice::kDark);
    settings.setTextScalePercent(150);
  }
  AppSettings later(Persistence::kKept);
  EXPECT_EQ(later.theme(), ThemeChoice::kDark);
  EXPECT_EQ(later.textScalePercent(), 150);
}

TEST(AppSettings, ForgottenSettingsLeaveNothing) {
  {
    AppSettings settings(Persistence::kForgotten);
    settings.setTextScalePercent(200);
    EXPECT_EQ(settings.textScalePercent(), 200);
  }
  EXPECT_EQ(AppSettings(Persistence::kForgotten).textScalePercent(), 100);
}

}  // namespace
}  // namespace attnscope::ui
