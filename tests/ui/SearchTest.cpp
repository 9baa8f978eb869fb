// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include "TestWindow.h"
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
