// SPDX-License-Identifier: GPL-3.0-or-later
#include <array>

#include <gtest/gtest.h>

#include "SampleRows.h"
#include "ui/tables/TableCopy.h"

namespace attnscope::ui {
namespace {

constexpr std::array kShown{0, 1, 2, 4, 5};
constexpr std::array kRows{std::uint32_t{0}, std::uint32_t{2}};

TEST(TableCopy, TabSeparatedHasUnitsInTheHeadAndAsciiNumbers) {
  const QString text = tabSeparated(*sampleRows(), kRows, kShown);
  EXPECT_EQ(text.toStdString(),
            "Kernel\tCalls\tTotal A (us)\tB - A (us)\t%\n"
            "void at::softmax_warp_forward<float>\t1\t128.400\t-128.400\t\n"
            "void at::elementwise add<float>\t3\t121.000\t-21.000\t-17.355\n");
}

TEST(TableCopy, MarkdownHasShortNamesAndEscapesBars) {
  auto rows = sampleRows();
  rows->texts[0] = {};
  for (int i = 0; i < 5; ++i) rows->texts[0].add(QStringLiteral("a|b%1").arg(i));
  const QString text = markdown(*rows, std::span(kRows).first(1), kShown);
  EXPECT_EQ(text.toStdString(),
            "| Kernel | Calls | Total A (us) | B - A (us) | % |\n"
            "| --- | ---: | ---: | ---: | ---: |\n"
            "| a\\|b0 | 1 | 128.400 | -128.400 |  |\n");
}

TEST(TableCopy, TabsAndLineEndsInNamesBecomeBlanks) {
  auto rows = sampleRows();
  rows->fullNames = {};
  for (int i = 0; i < 5; ++i) rows->fullNames.add(QStringLiteral("a\tb\nc"));
  EXPECT_TRUE(tabSeparated(*rows, kRows, kShown).contains(QStringLiteral("\na b c\t1\t")));
}

}  // namespace
}  // namespace attnscope::ui
