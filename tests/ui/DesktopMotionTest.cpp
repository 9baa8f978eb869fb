// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/DesktopMotion.h"

#include <QDir>
#include <QTemporaryDir>

#include <gtest/gtest.h>

#include "TestWindow.h"

namespace attnscope::ui {
namespace {

TEST(DesktopMotion, IsReadFromTheSettingsOfDesktops) {
  QTemporaryDir folder;
  EXPECT_FALSE(desktopReducesMotion(folder.path())) << "nothing is said";
  ASSERT_TRUE(QDir(folder.path()).mkpath(QStringLiteral("gtk-3.0")));
  const QString gtk = folder.filePath(QStringLiteral("gtk-3.0/settings.ini"));
  test::writeFile(gtk, "[Settings]\ngtk-enable-animations=1\n");
  EXPECT_FALSE(desktopReducesMotion(folder.path()));
  const QString kde = folder.filePath(QStringLiteral("kdeglobals"));
  test::writeFile(kde, "[KDE]\nAnimationDurationFactor=0.5\n");
  EXPECT_FALSE(desktopReducesMotion(folder.path()));
  test::writeFile(kde, "[KDE]\nAnimationDurationFactor=0\n");
  EXPECT_TRUE(desktopReducesMotion(folder.path()));
  test::writeFile(kde, "");
  test::writeFile(gtk, "[Settings]\ngtk-enable-animations=false\n");
  EXPECT_TRUE(desktopReducesMotion(folder.path()));
}

}  // namespace
}  // namespace attnscope::ui
