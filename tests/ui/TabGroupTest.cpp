// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <QLabel>
#include <QTabBar>
#include <QTest>

#include <vector>

#include "ui/shell/TabGroup.h"
#include "ui/theme/Theme.h"

namespace attnscope::ui {
namespace {

// What large text leaves no room for is a click away, and the tab that is looked at always shows.
TEST(TabGroup, WhatHasNoRoomIsScrolledTo) {
  Theme theme;
  theme.apply(*qApp, ThemeChoice::kLight);
  TabGroup group(theme);
  std::vector<QWidget*> pages;
  for (int i = 0; i < 9; ++i) {
    pages.push_back(new QLabel);
    group.addPage(pages.back(), QStringLiteral("Operators %1").arg(i));
  }
  group.resize(360, 200);
  group.show();
  ASSERT_TRUE(QTest::qWaitForWindowExposed(&group));
  const auto shows = [&group](int tab) {
    const QRect at = group.tabs()->tabRect(tab);
    return at.left() >= 0 && at.right() < group.tabs()->width();
  };
  EXPECT_TRUE(shows(0));
  EXPECT_FALSE(shows(8));
  group.setCurrentPage(pages.back());
  EXPECT_TRUE(shows(8));
  EXPECT_FALSE(shows(0));
  group.setCurrentPage(pages.front());
  EXPECT_TRUE(shows(0));
}

}  // namespace
}  // namespace attnscope::ui
