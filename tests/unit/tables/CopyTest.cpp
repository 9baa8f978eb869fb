// SPDX-License-Identifier: GPL-3.0-or-later
#include <array>

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

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

TEST(TableCopy, CommaSeparatedQuotesWhatHasCommasQuotesOrLineEnds) {
  auto rows = sampleRows();
  rows->fullNames = {};
  for (int i = 0; i < 5; ++i) rows->fullNames.add(QStringLiteral("a,\"b\"\nc"));
  EXPECT_EQ(commaSeparated(*rows, std::span(kRows).first(1), kShown).toStdString(),
            "Kernel,Calls,Total A (us),B - A (us),%\r\n"
            "\"a,\"\"b\"\"\nc\",1,128.400,-128.400,\r\n");
}

TEST(TableCopy, JsonHasExactNumbersUnderTheKeysOfTheCommandLine) {
  const QJsonArray array = QJsonDocument::fromJson(json(*sampleRows(), kRows, kShown).toUtf8()).array();
  ASSERT_EQ(array.size(), 2);
  const QJsonObject first = array[0].toObject();
  EXPECT_EQ(first[QStringLiteral("kernel")].toString(), QStringLiteral("void at::softmax_warp_forward<float>"));
  EXPECT_EQ(first[QStringLiteral("calls")].toInt(), 1);
  EXPECT_EQ(first[QStringLiteral("total_a_ns")].toInteger(), 128'400);
  EXPECT_EQ(first[QStringLiteral("b_less_a_ns")].toInteger(), -128'400);
  EXPECT_TRUE(first.contains(QStringLiteral("change_share")));
  EXPECT_TRUE(first[QStringLiteral("change_share")].isNull());
  EXPECT_NEAR(array[1].toObject()[QStringLiteral("change_share")].toDouble(), -21.0 / 121, 1e-12);
}

TEST(TableCopy, MarkdownKeepsARowOnOneLine) {
  auto rows = sampleRows();
  rows->texts[0] = {};
  for (int i = 0; i < 5; ++i) rows->texts[0].add(QStringLiteral("a\nb"));
  EXPECT_EQ(markdown(*rows, std::span(kRows).first(1), kShown).count(QLatin1Char('\n')), 3);
}

}  // namespace
}  // namespace attnscope::ui
