// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/SliceAggregate.h"

#include <algorithm>
#include <map>
#include <random>

#include <gtest/gtest.h>

namespace attnscope {
namespace {

// Random slices that nest, of a thread and of a stream, each row in order; overlapping ones go to the next row.
Trace randomTrace(std::mt19937& random, int wanted) {
  Trace trace;
  struct Item {
    std::int64_t start;
    std::int64_t end;
  };
  const std::vector<std::string> names{"aten::mm", "aten::add", "aten::copy_", "forward"};
  for (const bool isStream : {false, true}) {
    std::vector<Item> items;
    for (int i = 0; i < wanted; ++i) {
      const auto start = static_cast<std::int64_t>(random() % 5000);
      items.push_back({start, start + static_cast<std::int64_t>(random() % 600)});
    }
    std::sort(items.begin(), items.end(),
              [](const Item& a, const Item& b) { return a.start != b.start ? a.start < b.start : a.end > b.end; });
    struct Placed {
      Item item;
      std::size_t parent;
    };
    constexpr auto kTop = static_cast<std::size_t>(-1);
    std::vector<std::vector<Placed>> rows;
    for (const Item& item : items) {
      // Below every row that is still open at its start; inside the lowest one that holds it.
      std::size_t row = rows.size();
      while (row > 0 && rows[row - 1].back().item.end <= item.start) --row;
      if (isStream && row > 0) continue;  // a stream of one row
      std::size_t parent = kTop;
      for (std::size_t above = 0; above < row; ++above) {
        if (rows[above].back().item.end >= item.end) parent = above * 100'000 + rows[above].size() - 1;
      }
      if (row == rows.size()) rows.emplace_back();
      rows[row].push_back({item, parent});
    }
    Track track;
    track.firstSlice = static_cast<std::uint32_t>(trace.slices.size());
    std::vector<std::uint32_t> firsts;
    std::uint32_t next = track.firstSlice;
    for (const auto& row : rows) {
      firsts.push_back(next);
      track.rows.push_back({next, static_cast<std::uint32_t>(row.size())});
      next += static_cast<std::uint32_t>(row.size());
    }
    for (std::size_t depth = 0; depth < rows.size(); ++depth) {
      for (const Placed& placed : rows[depth]) {
        SliceTable& table = trace.slices;
        table.startNs.push_back(placed.item.start);
        table.durationNs.push_back(placed.item.end - placed.item.start);
        table.name.push_back(random() % 9 == 0 ? kNoString : trace.strings.intern(names[random() % names.size()]));
        const bool isOperator = random() % 2 == 0;
        table.category.push_back(trace.strings.intern(isStream ? "kernel" : isOperator ? "cpu_op" : "python_function"));
        table.categoryClass.push_back(isStream     ? CategoryClass::kKernel
                                      : isOperator ? CategoryClass::kCpuOperator
                                                   : CategoryClass::kPythonFunction);
        table.kind.push_back(WorkKind::kUnknown);
        table.track.push_back(TrackId{isStream ? 1u : 0u});
        table.depth.push_back(static_cast<std::uint16_t>(depth));
        table.parent.push_back(placed.parent == kTop ? kNoSlice
                                                     : SliceId{firsts[placed.parent / 100'000] +
                                                               static_cast<std::uint32_t>(placed.parent % 100'000)});
      }
    }
    track.sliceCount = next - track.firstSlice;
    trace.tracks.push_back(std::move(track));
  }
  return trace;
}

struct Wanted {
  std::vector<std::int64_t> durations;
  std::int64_t self = 0;
};

TEST(SliceAggregate, AgreesWithACountByHand) {
  std::mt19937 random(11);
  for (int round = 0; round < 40; ++round) {
    const Trace trace = randomTrace(random, 1 + static_cast<int>(random() % 150));
    std::vector<SliceId> selected;
    for (std::uint32_t at = 0; at < trace.slices.size(); ++at) {
      if (round % 3 == 0 || random() % 3 == 0) selected.push_back(SliceId{at});
    }
    for (const AggregateBy by :
         {AggregateBy::kName, AggregateBy::kCategory, AggregateBy::kOperator, AggregateBy::kKernel}) {
      std::map<StringId, Wanted> wanted;
      for (const SliceId slice : selected) {
        const SliceTable& table = trace.slices;
        const bool isKernel = table.categoryClass[index(slice)] == CategoryClass::kKernel;
        if (by == AggregateBy::kKernel && !isKernel) continue;
        StringId key = by == AggregateBy::kCategory ? table.category[index(slice)] : table.name[index(slice)];
        if (by == AggregateBy::kOperator) {
          SliceId in = isKernel ? kNoSlice : slice;  // no launch was recorded
          while (in != kNoSlice && table.categoryClass[index(in)] != CategoryClass::kCpuOperator) {
            in = table.parent[index(in)];
          }
          key = in == kNoSlice ? kNoString : table.name[index(in)];
        }
        wanted[key].durations.push_back(table.durationNs[index(slice)]);
        wanted[key].self += table.durationNs[index(slice)];
        for (std::uint32_t other = 0; other < table.size(); ++other) {
          if (table.parent[other] == slice) wanted[key].self -= table.durationNs[other];
        }
      }
      SliceAggregate aggregate(trace, by);
      const std::size_t half = selected.size() / 2;
      aggregate.add(std::span(selected).first(half));
      aggregate.add(std::span(selected).subspan(half));
      const std::vector<AggregateRow> rows = aggregate.rows();
      ASSERT_EQ(rows.size(), wanted.size());
      std::int64_t before = INT64_MAX;
      for (const AggregateRow& row : rows) {
        std::vector<std::int64_t> durations = wanted[row.key].durations;
        std::sort(durations.begin(), durations.end());
        const std::size_t n = durations.size();
        std::int64_t total = 0;
        for (const std::int64_t each : durations) total += each;
        ASSERT_EQ(row.count, n);
        EXPECT_EQ(row.totalNs, total);
        EXPECT_EQ(row.selfNs, wanted[row.key].self);
        EXPECT_EQ(row.minNs, durations.front());
        EXPECT_EQ(row.maxNs, durations.back());
        EXPECT_EQ(row.medianNs, (durations[(n - 1) / 2] + durations[n / 2] + 1) / 2);
        EXPECT_EQ(row.p95Ns, durations[(n * 95 + 99) / 100 - 1]);
        EXPECT_EQ(trace.slices.durationNs[index(row.longest)], row.maxNs);
        EXPECT_EQ(aggregate.durations(row.key).size(), n);
        EXPECT_LE(row.totalNs, before);
        before = row.totalNs;
      }
    }
  }
}

TEST(SliceAggregate, OfNothingIsNothing) {
  const Trace trace;
  SliceAggregate aggregate(trace, AggregateBy::kName);
  aggregate.add({});
  EXPECT_TRUE(aggregate.rows().empty());
  EXPECT_EQ(aggregate.count(), 0U);
  EXPECT_TRUE(aggregate.durations(kNoString).empty());
}

}  // namespace
}  // namespace attnscope
