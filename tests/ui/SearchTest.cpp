// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include "TestWindow.h"
#include "ui/shell/FindField.h"
#include "ui/shell/SliceSearch.h"

namespace attnscope::ui {
namespace {

class Search : public testing::Test {
 protected:
  void SetUp() override {
    session.openFiles({test::naive(), test::flash()});
    ASSERT_TRUE(QTest::qWaitFor([this] { return session.readyRuns().size() == 2 && !session.isBusy(); }, 20000));
  }
  [[nodiscard]] std::vector<std::pair<int, std::shared_ptr<const RunFacts>>> runs() const {
    return {{0, session.run(0)->facts()}, {1, session.run(1)->facts()}};
  }
  Session session;
};

TEST_F(Search, FindsEverySliceWhoseNameHasTheText) {
  std::size_t expected = 0;
  for (int i = 0; i < 2; ++i) {
    const Trace& trace = *session.run(i)->trace();
    for (std::size_t s = 0; s < trace.slices.size(); ++s) {
      if (trace.name(SliceId(static_cast<std::uint32_t>(s))).find("addmm") != std::string_view::npos) ++expected;
    }
  }
  const SearchResult result = searchSlices(runs(), QStringLiteral("AddMM"));
  EXPECT_GT(expected, 0U);
  EXPECT_EQ(result.hits.size(), expected);
  EXPECT_EQ(result.count(), expected);
  for (std::size_t i = 1; i < result.hits.size(); ++i) {
    if (result.hits[i].run != result.hits[i - 1].run) continue;
    const SliceTable& slices = session.run(result.hits[i].run)->trace()->slices;
    EXPECT_LE(slices.startNs[index(result.hits[i - 1].slice)], slices.startNs[index(result.hits[i].slice)]);
  }
}

TEST_F(Search, NamesWhatIsAlikeWhereThereIsNoHit) {
  const SearchResult result = searchSlices(runs(), QStringLiteral("adddmm"));
  EXPECT_TRUE(result.hits.empty());
  ASSERT_FALSE(result.nearest.isEmpty());
  EXPECT_TRUE(result.nearest.join(u' ').contains(QLatin1String("addmm")));
}

TEST_F(Search, TakesExpressionsAndSaysWhereTheyAreWrong) {
  const SearchResult plain = searchSlices(runs(), QStringLiteral("aten::addmm"));
  const SearchResult expression = searchSlices(runs(), QStringLiteral("/^ATEN::add+mm$/"));
  EXPECT_GT(expression.count(), 0U);
  EXPECT_LE(expression.count(), plain.count());
  const SearchResult wrong = searchSlices(runs(), QStringLiteral("/add(mm/"));
  EXPECT_EQ(wrong.count(), 0U);
  EXPECT_TRUE(wrong.problem.contains(QLatin1String("letter 8"))) << wrong.problem.toStdString();
}

TEST_F(Search, NarrowsToACategoryAndToArguments) {
  const auto countBy = [&](auto fits) {
    std::size_t count = 0;
    for (int run = 0; run < 2; ++run) {
      const Trace& trace = *session.run(run)->trace();
      for (std::uint32_t at = 0; at < trace.slices.size(); ++at) count += fits(trace, SliceId{at}) ? 1 : 0;
    }
    return count;
  };
  const std::size_t operators =
      countBy([](const Trace& trace, SliceId slice) { return trace.category(slice) == "cpu_op"; });
  EXPECT_EQ(searchSlices(runs(), QStringLiteral("cat:cpu_op")).count(), operators);
  const std::size_t both = countBy([](const Trace& trace, SliceId slice) {
    return trace.category(slice) == "cpu_op" && trace.name(slice).find("mm") != std::string_view::npos;
  });
  EXPECT_GT(both, 0U);
  EXPECT_LT(both, operators);
  EXPECT_EQ(searchSlices(runs(), QStringLiteral("mm cat:cpu_op")).count(), both);
  const std::size_t withArgs = countBy([](const Trace& trace, SliceId slice) {
    if (trace.slices.argsLength[index(slice)] == 0) return false;
    const auto text = trace.argsSource->read(trace.slices.args(slice));
    return text && text->find("Input Dims") != std::string::npos;
  });
  EXPECT_GT(withArgs, 0U);
  EXPECT_EQ(searchSlices(runs(), QStringLiteral("args:\"input dims\"")).count(), withArgs);
  EXPECT_EQ(searchSlices(runs(), QStringLiteral("args:surely-not-there")).count(), 0U);
}

TEST(SearchQuery, TakesItsFieldsApart) {
  const SearchQuery query = parseSearch(QStringLiteral(" copy cat:gpu_memcpy args:\"stream 7\" d2h"));
  EXPECT_EQ(query.category, QStringLiteral("gpu_memcpy"));
  EXPECT_EQ(query.args, QStringLiteral("stream 7"));
  EXPECT_EQ(query.name, QStringLiteral("copy d2h"));
  EXPECT_EQ(parseSearch(QStringLiteral("aten::mm")).name, QStringLiteral("aten::mm"));
  EXPECT_TRUE(parseSearch(QStringLiteral("/a b/")).isExpression);
  EXPECT_TRUE(parseSearch(QString()).isEmpty());
}

TEST(FindField, InvitesWithWhatItHasRoomFor) {
  Session session;
  SliceSearch search(session);
  Theme theme;
  FindField field(search, theme);
  QString before(1, u'?');
  for (const int width : {400, 170, 110, 60}) {
    field.resize(width, 28);
    field.show();
    EXPECT_TRUE(QTest::qWaitForWindowExposed(&field));
    const QString words = field.placeholderText();
    EXPECT_LE(field.fontMetrics().horizontalAdvance(words), width);
    EXPECT_NE(words, before) << width;
    before = words;
  }
  EXPECT_EQ(before, QString()) << "an ellipsis alone says nothing";
}

TEST_F(Search, NextWalksAroundAndSelects) {
  SliceSearch search(session);
  search.search(QStringLiteral("addmm"));
  search.next(1);  // asked for while the search still runs
  ASSERT_TRUE(QTest::qWaitFor([&] { return search.current() == 0; }, 5000));
  EXPECT_EQ(session.selection().leadRun, search.result().hits.front().run);
  EXPECT_EQ(session.selection().leadSlice, search.result().hits.front().slice);
  search.next(-1);
  EXPECT_EQ(search.current(), static_cast<qsizetype>(search.result().hits.size()) - 1);
  search.next(1);
  EXPECT_EQ(search.current(), 0);
}

}  // namespace
}  // namespace attnscope::ui
