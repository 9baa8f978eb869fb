// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/OperatorPaths.h"

#include <gtest/gtest.h>

#include "tests/unit/analysis/TraceMaker.h"

namespace attnscope {
namespace {

// Two forwards of a block with a linear layer in it, one operator outside; slices 0 to 1000 and 2000 to 3000.
Trace twoForwards() {
  TraceMaker maker;
  const TrackId host = maker.thread(1, 1);
  for (const std::int64_t at : {0, 2000}) {
    maker.add({host, "python_function", "nn.Module: Block_0", at, 1000});
    maker.add({host, "python_function", "block.py(7): forward", at + 5, 990});
    maker.add({host, "python_function", "nn.Module: Linear_0", at + 10, 400});
    maker.add({host, "cpu_op", "aten::linear", at + 20, 300});
    maker.add({host, "cpu_op", "aten::addmm", at + 30, 200});
    maker.add({host, "cuda_runtime", "cudaLaunchKernel", at + 40, 10});
    maker.add({host, "cpu_op", "aten::add", at + 600, 100});
  }
  maker.add({host, "cpu_op", "aten::add", 5000, 70});
  Trace trace = maker.build();
  // Depths and parents as the loader makes them: by nesting.
  std::vector<std::uint32_t> open;
  for (std::uint32_t i = 0; i < trace.slices.size(); ++i) {
    while (!open.empty() && trace.slices.endNs(SliceId{open.back()}) <= trace.slices.startNs[i]) open.pop_back();
    trace.slices.parent[i] = open.empty() ? kNoSlice : SliceId{open.back()};
    open.push_back(i);
  }
  return trace;
}

struct Row {
  std::string path;
  std::uint64_t calls;
  std::int64_t selfNs;
  std::int64_t totalNs;
  bool operator==(const Row&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Row& row) {
  return out << row.path << ": " << row.calls << " calls, self " << row.selfNs << ", total " << row.totalNs;
}

std::vector<Row> rowsOf(const Trace& trace, PathGrouping grouping, TimeRange scope = TimeRange::all()) {
  const OperatorTree tree = buildOperatorTree(trace);
  const PathTable table = operatorPaths(trace, tree, grouping, scope);
  std::vector<Row> rows;
  std::vector<std::string> paths;
  for (const PathRow& row : table.rows) {
    std::string path = pathName(trace, tree, row.name);
    if (row.parent != PathRow::kNone) path = paths[row.parent] + " / " + path;
    paths.push_back(path);
    rows.push_back({path, row.calls, row.cpuSelfNs, row.cpuTotalNs});
  }
  std::sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.path < b.path; });
  return rows;
}

TEST(OperatorPaths, ByCall) {
  EXPECT_EQ(rowsOf(twoForwards(), PathGrouping::kCalls),
            (std::vector<Row>{{"aten::add", 3, 270, 270},
                              {"aten::linear", 2, 200, 600},
                              {"aten::linear / aten::addmm", 2, 380, 400},
                              {"aten::linear / aten::addmm / cudaLaunchKernel", 2, 20, 20}}));
}

TEST(OperatorPaths, ByModule) {
  EXPECT_EQ(rowsOf(twoForwards(), PathGrouping::kModules),
            (std::vector<Row>{{"Block_0", 2, 0, 800},
                              {"Block_0 / Linear_0", 2, 0, 600},
                              {"Block_0 / Linear_0 / aten::linear", 2, 600, 600},
                              {"Block_0 / aten::add", 2, 200, 200},
                              {"aten::add", 1, 70, 70}}));
}

TEST(OperatorPaths, ByFrame) {
  EXPECT_EQ(rowsOf(twoForwards(), PathGrouping::kFrames),
            (std::vector<Row>{{"Block_0", 2, 0, 800},
                              {"Block_0 / block.py(7): forward", 2, 0, 800},
                              {"Block_0 / block.py(7): forward / Linear_0", 2, 0, 600},
                              {"Block_0 / block.py(7): forward / Linear_0 / aten::linear", 2, 600, 600},
                              {"Block_0 / block.py(7): forward / aten::add", 2, 200, 200},
                              {"aten::add", 1, 70, 70}}));
}

TEST(OperatorPaths, OfAScopeOnlyWhatStartsInIt) {
  EXPECT_EQ(rowsOf(twoForwards(), PathGrouping::kModules, {4000, 9000}), (std::vector<Row>{{"aten::add", 1, 70, 70}}));
  EXPECT_EQ(rowsOf(twoForwards(), PathGrouping::kModules, {500, 1500}),
            (std::vector<Row>{{"Block_0", 0, 0, 100}, {"Block_0 / aten::add", 1, 100, 100}}));
}

TEST(OperatorPaths, SelfTimesSumToTheOperatorTables) {
  const Trace trace = twoForwards();
  const OperatorTree tree = buildOperatorTree(trace);
  for (const TimeRange scope : {TimeRange::all(), TimeRange{0, 1000}, TimeRange{1500, 9000}}) {
    const std::int64_t whole =
        operatorTable(trace, tree, OperatorGrouping::kByName, OperatorFilter::kAll, scope).totals.cpuSelfNs;
    for (const PathGrouping grouping : {PathGrouping::kCalls, PathGrouping::kModules, PathGrouping::kFrames}) {
      std::int64_t self = 0;
      std::int64_t roots = 0;
      for (const PathRow& row : operatorPaths(trace, tree, grouping, scope).rows) {
        self += row.cpuSelfNs;
        if (row.parent == PathRow::kNone) roots += row.cpuTotalNs;
      }
      EXPECT_EQ(self, whole);
      EXPECT_EQ(roots, whole);
    }
  }
}

TEST(OperatorPaths, SaysWhenNothingIsRecordedAroundOperators) {
  TraceMaker maker;
  maker.add({maker.thread(1, 1), "cpu_op", "aten::add", 0, 10});
  const Trace trace = maker.build();
  const OperatorTree tree = buildOperatorTree(trace);
  EXPECT_FALSE(operatorPaths(trace, tree, PathGrouping::kModules).hasContext);
  EXPECT_TRUE(operatorPaths(trace, tree, PathGrouping::kCalls).hasContext);
  EXPECT_TRUE(operatorPaths(twoForwards(), buildOperatorTree(twoForwards()), PathGrouping::kFrames).hasContext);
}

}  // namespace
}  // namespace attnscope
