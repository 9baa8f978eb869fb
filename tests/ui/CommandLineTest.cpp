// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/CommandLine.h"

#include <gtest/gtest.h>

namespace attnscope::ui {
namespace {

TEST(CommandLine, NothingOpensTheStartPage) {
  const auto line = parseCommandLine({});
  ASSERT_TRUE(line);
  EXPECT_TRUE(line->files.isEmpty());
  EXPECT_FALSE(line->view);
  EXPECT_TRUE(line->capture.isEmpty());
}

TEST(CommandLine, FilesAndOptionsInAnyOrder) {
  const auto line = parseCommandLine({"a.json", "--view", "memory", "--theme=dark", "b.json", "--size", "1920x1080",
                                      "--text-scale", "150", "--capture", "out.png"});
  ASSERT_TRUE(line) << line.error().message();
  EXPECT_EQ(line->files, QStringList({"a.json", "b.json"}));
  EXPECT_EQ(line->view, ViewName::kMemory);
  EXPECT_EQ(line->theme, ThemeChoice::kDark);
  EXPECT_EQ(line->size, QSize(1920, 1080));
  EXPECT_EQ(line->textScalePercent, 150);
  EXPECT_EQ(line->capture, "out.png");
}

TEST(CommandLine, EveryViewIsKnownByItsName) {
  for (const ViewName view : {ViewName::kStart, ViewName::kTimeline, ViewName::kCompare, ViewName::kKernels,
                              ViewName::kOperators, ViewName::kMemory, ViewName::kDetails}) {
    const auto line = parseCommandLine({"--view", toString(view)});
    ASSERT_TRUE(line);
    EXPECT_EQ(line->view, view);
  }
}

TEST(CommandLine, AfterTwoDashesEverythingIsAFile) {
  const auto line = parseCommandLine({"--", "--view"});
  ASSERT_TRUE(line);
  EXPECT_EQ(line->files, QStringList({"--view"}));
}

TEST(CommandLine, HelpAndVersion) {
  EXPECT_TRUE(parseCommandLine({"--help"})->help);
  EXPECT_TRUE(parseCommandLine({"--version"})->version);
  for (const char* option : {"--view", "--theme", "--size", "--text-scale", "--capture", "--help", "--version"}) {
    EXPECT_TRUE(commandLineHelp().contains(QLatin1String(option))) << option;
  }
}

class WrongUsage : public testing::TestWithParam<QStringList> {};

TEST_P(WrongUsage, IsRefusedWithTheReason) {
  const auto line = parseCommandLine(GetParam());
  ASSERT_FALSE(line);
  EXPECT_EQ(line.error().kind, ErrorKind::kUsage);
  EXPECT_FALSE(line.error().what.empty());
  EXPECT_FALSE(line.error().remedy.empty());
}

INSTANTIATE_TEST_SUITE_P(CommandLine, WrongUsage,
                         testing::Values(QStringList{"--wiev", "memory"}, QStringList{"--view", "labs"},
                                         QStringList{"--view"}, QStringList{"--theme", "blue"},
                                         QStringList{"--size", "1280"}, QStringList{"--size", "x800"},
                                         QStringList{"--size", "10x10"}, QStringList{"--text-scale", "50"},
                                         QStringList{"--text-scale", "big"}, QStringList{"--capture"},
                                         QStringList{"--capture-after", "100"}));

}  // namespace
}  // namespace attnscope::ui
