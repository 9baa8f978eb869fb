// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tables/RowFilter.h"

#include <random>

#include <gtest/gtest.h>

#include "SampleRows.h"

namespace attnscope::ui {
namespace {

using Rows = std::vector<std::uint32_t>;

Rows kept(const QString& text, const TableRows& rows) {
  const auto filter = RowFilter::parse(text, rows);
  EXPECT_TRUE(filter) << qPrintable(text) << ": " << (filter ? "" : filter.error().message());
  return filter ? filter->keptRows(rows) : Rows{};
}
Rows kept(const char* text) { return kept(QString::fromUtf8(text), *sampleRows()); }

std::string errorOf(const char* text) {
  const auto filter = RowFilter::parse(QString::fromUtf8(text), *sampleRows());
  return filter ? std::string("none") : filter.error().message();
}

// softmax_warp_forward 128.4 us, flash_fwd_kernel -, elementwise add 121, elementwise mul 118.2, gemm 116.
TEST(RowFilter, WordsAreLookedForInAllTexts) {
  EXPECT_EQ(kept(""), (Rows{0, 1, 2, 3, 4}));
  EXPECT_EQ(kept("  "), (Rows{0, 1, 2, 3, 4}));
  EXPECT_EQ(kept("ELEMENT mul"), (Rows{3}));
  EXPECT_EQ(kept("at::gemm<float"), (Rows{4}));  // a name has "<" in it
  EXPECT_EQ(kept("nothing of this"), Rows{});
}

TEST(RowFilter, NumbersAreComparedInTheirUnits) {
  EXPECT_EQ(kept("total a > 118.2us"), (Rows{0, 2}));
  EXPECT_EQ(kept("total a >= 118.2"), (Rows{0, 2, 3}));  // in the unit of the head
  EXPECT_EQ(kept("Total A<0.118ms"), (Rows{4}));
  EXPECT_EQ(kept("total a <= 116 µs"), (Rows{4}));
  EXPECT_EQ(kept("total a = 121"), (Rows{2}));
  EXPECT_EQ(kept("total a != 121"), (Rows{0, 3, 4}));  // what is unknown is neither
  EXPECT_EQ(kept("total b > 200us"), (Rows{4}));
  EXPECT_EQ(kept("calls >= 4"), (Rows{3, 4}));
  EXPECT_EQ(kept("calls = 2"), (Rows{1}));
  EXPECT_EQ(kept("% > 50"), (Rows{4}));
  EXPECT_EQ(kept("% < -10%"), (Rows{2}));
  EXPECT_EQ(kept("b - a > 0"), (Rows{1, 3, 4}));
  EXPECT_EQ(kept("B − A > 0"), (Rows{1, 3, 4}));
}

TEST(RowFilter, TextsAreFoundOrEqual) {
  EXPECT_EQ(kept("name ~ elementwise"), (Rows{2, 3}));
  EXPECT_EQ(kept("name = gemm"), (Rows{4}));
  EXPECT_EQ(kept("kernel != gemm"), (Rows{0, 1, 2, 3}));
  EXPECT_EQ(kept("name !~ elementwise"), (Rows{0, 1, 4}));
  EXPECT_EQ(kept("name = \"elementwise add\""), (Rows{2}));
  EXPECT_EQ(kept("name = elementwise add"), (Rows{2}));
  EXPECT_EQ(kept("name ~ /^(gemm|flash)/"), (Rows{1, 4}));
  EXPECT_EQ(kept("name ~ f(x) or name ~ gemm"), (Rows{4}));
}

TEST(RowFilter, ComparisonsAreJoined) {
  EXPECT_EQ(kept("total a > 1us and name ~ elementwise"), (Rows{2, 3}));
  EXPECT_EQ(kept("name ~ gemm or name ~ flash"), (Rows{1, 4}));
  EXPECT_EQ(kept("name ~ gemm or name ~ elementwise and calls > 3"), (Rows{3, 4}));  // "and" binds closer
  EXPECT_EQ(kept("(name ~ gemm or name ~ elementwise) and calls > 3"), (Rows{3, 4}));
  EXPECT_EQ(kept("(name ~ gemm or name ~ elementwise) and calls < 4"), (Rows{2}));
  EXPECT_EQ(kept("not name ~ elementwise and not (calls > 4)"), (Rows{0, 1}));
  EXPECT_EQ(kept("elementwise and calls > 3"), (Rows{3}));  // a word alone
  EXPECT_EQ(kept("NOT elementwise AND calls > 0"), (Rows{0, 1, 4}));
}

TEST(RowFilter, MistakesAreNamed) {
  EXPECT_NE(errorOf("totl > 1ms").find("no column “totl”"), std::string::npos) << errorOf("totl > 1ms");
  EXPECT_NE(errorOf("totl > 1ms").find("total a"), std::string::npos);
  EXPECT_NE(errorOf("total a > fast").find("“fast” is no number"), std::string::npos);
  EXPECT_NE(errorOf("total a > 1MiB").find("use ns, us, ms or s"), std::string::npos) << errorOf("total a > 1MiB");
  EXPECT_NE(errorOf("calls > 3 ms").find("write the number alone"), std::string::npos);
  EXPECT_NE(errorOf("total a ~ 1").find("is a number"), std::string::npos);
  EXPECT_NE(errorOf("name > gemm").find("has no order"), std::string::npos);
  EXPECT_NE(errorOf("calls >").find("value is missing"), std::string::npos);
  EXPECT_NE(errorOf("calls > 1 and").find("ends where a comparison"), std::string::npos);
  EXPECT_NE(errorOf("(calls > 1").find("not closed"), std::string::npos);
  EXPECT_NE(errorOf("calls > 1)").find("nothing is expected"), std::string::npos);
  EXPECT_NE(errorOf("name ~ /(/").find("regular expression"), std::string::npos);
  EXPECT_NE(errorOf("name ~ \"a").find("not closed"), std::string::npos);
  EXPECT_NE(errorOf((std::string(5'000, '(') + "calls > 1").c_str()).find("parentheses"), std::string::npos);
}

// Any text is answered: kept rows or an error, and never more.
TEST(RowFilter, AnyTextIsAnswered) {
  std::mt19937 random(7);
  const QStringList parts{QStringLiteral("total a"), QStringLiteral("name"),  QStringLiteral(">"),
                          QStringLiteral("<="),      QStringLiteral("~"),     QStringLiteral("and"),
                          QStringLiteral("or"),      QStringLiteral("not"),   QStringLiteral("("),
                          QStringLiteral(")"),       QStringLiteral("\""),    QStringLiteral("/"),
                          QStringLiteral("1ms"),     QStringLiteral("gemm"),  QStringLiteral("%"),
                          QStringLiteral("−"),       QStringLiteral("9e999"), QStringLiteral(" ")};
  const auto rows = sampleRows();
  for (int i = 0; i < 5'000; ++i) {
    QString text;
    for (unsigned n = random() % 9; n > 0; --n) {
      text += parts[static_cast<qsizetype>(random() % static_cast<unsigned>(parts.size()))];
      if (random() % 3 != 0) text += QLatin1Char(' ');
    }
    const auto filter = RowFilter::parse(text, *rows);
    if (filter) {
      EXPECT_LE(filter->keptRows(*rows).size(), rows->rowCount);
    } else {
      EXPECT_FALSE(filter.error().message().empty());
    }
  }
}

}  // namespace
}  // namespace attnscope::ui
