// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/Operators.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "tests/unit/analysis/TraceMaker.h"

namespace attnscope {
namespace {

constexpr const char* kOp = "cpu_op";
constexpr const char* kAnnotation = "user_annotation";

OperatorTable tableOf(const Trace& trace, OperatorGrouping grouping = OperatorGrouping::kByName,
                      OperatorFilter filter = OperatorFilter::kAll, TimeRange scope = TimeRange::all()) {
  return operatorTable(trace, buildOperatorTree(trace), grouping, filter, scope);
}

const OperatorRow& rowOf(const OperatorTable& table, const std::string& name, bool annotation = false) {
  for (const OperatorRow& row : table.rows) {
    if (row.nameText == name && row.isUserAnnotation == annotation) return row;
  }
  ADD_FAILURE() << "no row " << name;
  static const OperatorRow kNoRow;
  return kNoRow;
}

TEST(Operators, SelfTimeIsWithoutDirectChildren) {
  TraceMaker maker;
  const TrackId main = maker.thread(10, 10);
  maker.add({main, kOp, "a", 0, 100}).add({main, kOp, "b", 10, 50}).add({main, kOp, "c", 20, 10});
  const OperatorTable table = tableOf(maker.build());
  EXPECT_EQ(rowOf(table, "a").cpuSelfNs, 50);
  EXPECT_EQ(rowOf(table, "b").cpuSelfNs, 40);
  EXPECT_EQ(rowOf(table, "c").cpuSelfNs, 10);
  EXPECT_EQ(table.totals.cpuSelfNs, 100);
  EXPECT_EQ(table.rows.front().nameText, "a");
}

TEST(Operators, WorkingIsALeafOrWhatSpendsHalfOfItsTimeItself) {
  TraceMaker maker;
  const TrackId main = maker.thread(10, 10);
  maker.add({main, kOp, "linear", 0, 100}).add({main, kOp, "addmm", 5, 90}).add({main, kOp, "copy_", 10, 20});
  // A short call of addmm that mostly copies is still an addmm.
  maker.add({main, kOp, "addmm", 200, 10}).add({main, kOp, "copy_", 201, 8});
  const Trace trace = maker.build();
  for (const OperatorNode& node : buildOperatorTree(trace).nodes) {
    EXPECT_EQ(node.isWorking, trace.strings.view(node.name) != "linear") << trace.strings.view(node.name);
  }
}

TEST(Operators, OverlapClosesTheOpenSliceForGood) {
  TraceMaker maker;
  const TrackId main = maker.thread(10, 10);
  maker.add({main, kOp, "a", 0, 100}).add({main, kOp, "over", 50, 100}).add({main, kOp, "late", 60, 10});
  maker.add({main, kOp, "point", 70, 0}).add({main, kOp, "inPoint", 70, 0});
  const OperatorTable table = tableOf(maker.build());
  EXPECT_EQ(rowOf(table, "a").cpuSelfNs, 100);  // "late" is no longer its child
  EXPECT_EQ(rowOf(table, "over").cpuSelfNs, 90);
  EXPECT_EQ(rowOf(table, "point").calls, 1u);
}

TEST(Operators, AnOnlyChildOfItsParentsNameIsFolded) {
  TraceMaker maker;
  const TrackId main = maker.thread(10, 10);
  maker.add({main, kOp, "sum", 0, 100}).add({main, kOp, "sum", 10, 80}).add({main, kOp, "sum", 20, 60});
  maker.add({main, kOp, "empty", 30, 10}).add({main, kOp, "fill", 45, 5});
  const Trace trace = maker.build();
  const OperatorTree tree = buildOperatorTree(trace);
  EXPECT_EQ(tree.nodes.size(), 3u);
  EXPECT_EQ(tree.nodeOfSlice[0], 0u);
  EXPECT_EQ(tree.nodeOfSlice[2], 0u);  // folded slices name their keeper
  const OperatorTable table = tableOf(trace);
  EXPECT_EQ(rowOf(table, "sum").calls, 1u);
  EXPECT_EQ(rowOf(table, "sum").cpuTotalNs, 100);
  EXPECT_EQ(rowOf(table, "sum").cpuSelfNs, 85);
}

TEST(Operators, EqualNamesWithAnotherChildCountAtEachLevel) {
  TraceMaker maker;
  const TrackId main = maker.thread(10, 10);
  maker.add({main, kOp, "sum", 0, 100}).add({main, kOp, "sum", 10, 50}).add({main, kOp, "x", 70, 10});
  const OperatorTable table = tableOf(maker.build());
  EXPECT_EQ(rowOf(table, "sum").calls, 2u);
  EXPECT_EQ(rowOf(table, "sum").cpuTotalNs, 150);
  EXPECT_EQ(table.totals.cpuSelfNs, 100);
}

TEST(Operators, AnnotationsAreRowsOfTheirOwnAndStepsAreOne) {
  TraceMaker maker;
  const TrackId main = maker.thread(10, 10);
  maker.add({main, kAnnotation, "ProfilerStep#1", 0, 100}).add({main, kAnnotation, "ProfilerStep#2", 100, 100});
  maker.add({main, kOp, "aten::mm", 10, 10}).add({main, kAnnotation, "aten::mm", 110, 10});
  const OperatorTable table = tableOf(maker.build());
  EXPECT_EQ(rowOf(table, "ProfilerStep*", true).calls, 2u);
  EXPECT_EQ(rowOf(table, "aten::mm").calls, 1u);
  EXPECT_EQ(rowOf(table, "aten::mm", true).calls, 1u);
}

TEST(Operators, PythonUnfinishedAndInternalEventsAreLeftOut) {
  TraceMaker maker;
  const TrackId main = maker.thread(10, 10);
  maker.add({main, "python_function", "f.py(1): f", 0, 100}).add({main, kOp, "a", 10, 10});
  maker.add({main, kOp, "profiler::_record_function_enter_new", 30, 5}).add({main, kOp, "aten::is_leaf", 40, 5});
  MadeSlice open{main, kAnnotation, "open", 0, 100};
  open.unfinished = true;
  maker.add(open);
  const OperatorTable table = tableOf(maker.build());
  ASSERT_EQ(table.rows.size(), 1u);
  EXPECT_EQ(table.totals.cpuSelfNs, 10);
}

TEST(Operators, TensorListsAreEmptyShapes) {
  EXPECT_EQ(operatorShapes(""), "[]");
  EXPECT_EQ(operatorShapes("[[8, 64], []]"), "[[8, 64], []]");
  EXPECT_EQ(operatorShapes("[[[3, 3], [3, 3]], []]"), "[[], []]");
  EXPECT_EQ(operatorShapes("[[2], [[3, 3]], [4]]"), "[[2], [], [4]]");
}

TEST(Operators, ByShapeMergesWhatReadsAlike) {
  TraceMaker maker;
  const TrackId main = maker.thread(10, 10);
  const auto cat = [&](std::int64_t start, const char* dims) {
    MadeSlice slice{main, kOp, "aten::cat", start, 10};
    slice.inputDims = dims;
    maker.add(slice);
  };
  cat(0, "[[[3, 3], [3, 3]], []]");
  cat(20, "[[[4, 4]], []]");
  cat(40, "[[5], []]");
  const Trace trace = maker.build();
  EXPECT_EQ(tableOf(trace, OperatorGrouping::kByShape).rows.size(), 2u);
  EXPECT_EQ(tableOf(trace).rows.size(), 1u);
  EXPECT_TRUE(tableOf(trace).rows.front().shapesText.empty());
}

TEST(Operators, MemoryGoesByTimeOverAllThreadsEdgesIncluded) {
  TraceMaker maker;
  const TrackId main = maker.thread(10, 10);
  const TrackId other = maker.thread(10, 11);
  maker.add({main, kOp, "a", 0, 100}).add({main, kOp, "b", 10, 10}).add({other, kOp, "c", 15, 100});
  maker.record({main, 10, 64}).record({main, 20, -16}).record({other, 100, 8, 0, kNoNumber, 1, 0});
  maker.record({other, 500, 32});
  const OperatorTable table = tableOf(maker.build());
  EXPECT_EQ(rowOf(table, "a").cpuMemoryBytes, 48);
  EXPECT_EQ(rowOf(table, "a").cpuMemorySelfBytes, 0);
  EXPECT_EQ(rowOf(table, "b").cpuMemorySelfBytes, 48);
  EXPECT_EQ(rowOf(table, "c").cpuMemoryBytes, -16);
  EXPECT_EQ(rowOf(table, "a").deviceMemoryBytes, 8);
  EXPECT_EQ(rowOf(table, "c").deviceMemorySelfBytes, 8);
  const OperatorRow& rest = rowOf(table, "[memory]");
  EXPECT_TRUE(rest.isMemoryRow);
  EXPECT_EQ(rest.calls, 1u);
  EXPECT_EQ(rest.cpuMemoryBytes, 32);
  EXPECT_EQ(rest.cpuTotalNs, 0);
}

TEST(Operators, HipMemoryIsOfType6) {
  TraceMaker maker;
  const TrackId main = maker.thread(10, 10);
  maker.add({main, kOp, "a", 0, 100}).record({main, 10, 512, 1, kNoNumber, 6, 0});
  EXPECT_EQ(rowOf(tableOf(maker.build()), "a").deviceMemoryBytes, 512);
}

TEST(Operators, CallsLieOnTheirOperatorsThreadElseOnTheOneThatStopped) {
  TraceMaker maker;
  const TrackId main = maker.thread(10, 10);
  const TrackId worker = maker.thread(10, 11);
  MadeSlice op{worker, kOp, "op", 0, 100};
  op.externalId = 5;
  maker.add(op).add({main, kAnnotation, "step", 0, 200});
  MadeSlice linked{main, "cuda_runtime", "linked", 10, 20};  // written on another tid than its operator
  linked.externalId = 5;
  linked.correlation = 77;
  MadeSlice own{worker, "cuda_runtime", "enclosed", 50, 10};  // External id is its own correlation
  own.externalId = own.correlation = 78;
  MadeSlice loose{worker, "cuda_runtime", "loose", 120, 30};
  const TrackId overhead = maker.thread(-1, 0);
  maker.add(linked).add(own).add(loose).add({overhead, "overhead", "Buffer Flush", 160, 10});
  const OperatorTable table = tableOf(maker.build());
  EXPECT_EQ(rowOf(table, "op").cpuSelfNs, 70);
  EXPECT_EQ(rowOf(table, "step", true).cpuSelfNs, 160);
  EXPECT_EQ(table.totals.cpuSelfNs, 300);
}

TEST(Operators, AtEqualTimesOperatorsStandBeforeCalls) {
  TraceMaker maker;
  const TrackId main = maker.thread(10, 10);
  maker.add({main, "cuda_runtime", "call", 0, 50}).add({main, kOp, "op", 0, 50});
  const OperatorTable table = tableOf(maker.build());
  EXPECT_EQ(rowOf(table, "op").cpuSelfNs, 0);
  EXPECT_EQ(rowOf(table, "call").cpuSelfNs, 50);
}

TEST(Operators, DeviceTimeBelongsToTheLinkedOperatorAndThoseAbove) {
  TraceMaker maker;
  const TrackId main = maker.thread(10, 10);
  const TrackId stream = maker.thread(0, 7, TrackKind::kStream);
  maker.add({main, kOp, "linear", 0, 100}).add({main, kOp, "mm", 10, 50});
  MadeSlice kernel{stream, "kernel", "gemm", 200, 40};
  kernel.launchedBy = "mm";
  MadeSlice copy{stream, "gpu_memcpy", "Memcpy DtoH", 250, 5};
  copy.launchedBy = "linear";
  MadeSlice sync{stream, "cuda_sync", "Stream Sync", 260, 3};
  sync.launchedBy = "linear";
  maker.add(kernel).add(copy).add(sync).add({stream, "kernel", "graph", 300, 1000});
  const OperatorTable table = tableOf(maker.build());
  EXPECT_EQ(rowOf(table, "mm").deviceSelfNs, 40);
  EXPECT_EQ(rowOf(table, "linear").deviceSelfNs, 8);
  EXPECT_EQ(rowOf(table, "linear").deviceTotalNs, 48);
  EXPECT_EQ(table.totals.deviceSelfNs, 48);
  EXPECT_EQ(table.totals.deviceEventsNs, 1045);
}

TEST(Operators, FoldedSlicesGiveTheirDeviceTimeToTheirKeeper) {
  TraceMaker maker;
  const TrackId main = maker.thread(10, 10);
  const TrackId stream = maker.thread(0, 7, TrackKind::kStream);
  maker.add({main, kOp, "sum", 0, 100}).add({main, kOp, "sum", 10, 50});
  MadeSlice kernel{stream, "kernel", "reduce", 200, 40};
  kernel.launchedBy = "sum";  // the inner one: the last of the name
  maker.add(kernel);
  EXPECT_EQ(rowOf(tableOf(maker.build()), "sum").deviceSelfNs, 40);
}

TEST(Operators, LeavesAreOperatorsWithoutOperatorsUnderThem) {
  TraceMaker maker;
  const TrackId main = maker.thread(10, 10);
  maker.add({main, kOp, "linear", 0, 100}).add({main, kAnnotation, "inner", 5, 90}).add({main, kOp, "mm", 10, 50});
  maker.add({main, "cuda_runtime", "cudaLaunchKernel", 20, 5});
  const Trace trace = maker.build();
  const OperatorTable table = tableOf(trace, OperatorGrouping::kByName, OperatorFilter::kLeaf);
  ASSERT_EQ(table.rows.size(), 1u);
  EXPECT_EQ(table.rows.front().nameText, "mm");
  EXPECT_EQ(table.totals.cpuSelfNs, 100);  // of the whole scope
}

TEST(Operators, ScopeTakesWhatStartsInside) {
  TraceMaker maker;
  const TrackId main = maker.thread(10, 10);
  maker.add({main, kOp, "a", 0, 100}).add({main, kOp, "b", 100, 100}).add({main, kOp, "c", 200, 100});
  const OperatorTable table =
      tableOf(maker.build(), OperatorGrouping::kByName, OperatorFilter::kAll, TimeRange{100, 200});
  ASSERT_EQ(table.rows.size(), 1u);
  EXPECT_EQ(table.rows.front().nameText, "b");
  EXPECT_EQ(table.totals.cpuSelfNs, 100);
}

TEST(Operators, AStopEndsTheWork) {
  TraceMaker maker;
  const TrackId main = maker.thread(10, 10);
  maker.add({main, kOp, "a", 0, 100});
  std::stop_source stop;
  stop.request_stop();
  EXPECT_TRUE(buildOperatorTree(maker.build(), stop.get_token()).nodes.empty());
}

// Threads with operators inside one another, calls that belong to other threads, device work and memory.
Trace manyThreads() {
  TraceMaker maker;
  std::mt19937 random(7);
  constexpr const char* kNames[] = {"aten::mm", "aten::copy_", "ProfilerStep#3", "ProfilerStep#4"};
  std::int64_t id = 0;
  for (std::int64_t tid = 10; tid < 16; ++tid) {
    const TrackId track = maker.thread(10, tid);
    const auto within = [&](std::int64_t end) {
      return static_cast<std::int64_t>(random() % static_cast<std::uint32_t>(end));
    };
    for (int i = 0; i < 200; ++i) {
      const std::int64_t start = within(5000);
      maker.add({track, kOp, kNames[random() % 4], start, within(300), ++id});
      maker.add({track, "cuda_runtime", "launch", start + within(20), within(9), within(1300), kNoNumber});
      maker.record({track, start, within(2000) - 1000, static_cast<std::uint64_t>(id)});
    }
  }
  MadeSlice kernel{maker.thread(0, 7, TrackKind::kStream), "kernel", "gemm", 10, 40};
  kernel.launchedBy = "aten::mm";
  maker.add(kernel);
  return maker.build();
}

TEST(Operators, AreTheSameHoweverManyWorkersBuildTheTree) {
  const Trace trace = manyThreads();
  const OperatorTree one = buildOperatorTree(trace, {}, 1);
  const OperatorTree four = buildOperatorTree(trace, {}, 4);
  ASSERT_GT(one.nodes.size(), 1000u);
  ASSERT_EQ(one.nodes.size(), four.nodes.size());
  std::int64_t deviceNs = 0;
  for (std::size_t i = 0; i < one.nodes.size(); ++i) {
    EXPECT_TRUE(one.nodes[i] == four.nodes[i]) << i;
    deviceNs += one.nodes[i].deviceSelfNs;
  }
  EXPECT_EQ(deviceNs, 40);
  EXPECT_EQ(one.nodeOfSlice, four.nodeOfSlice);
  EXPECT_EQ(one.unattributed, four.unattributed);
}

TEST(Operators, AnEmptyTraceHasNoRows) {
  const OperatorTable table = tableOf(TraceMaker().build());
  EXPECT_TRUE(table.rows.empty());
  EXPECT_EQ(table.totals.cpuSelfNs, 0);
}

}  // namespace
}  // namespace attnscope
