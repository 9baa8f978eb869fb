// SPDX-License-Identifier: Apache-2.0
#include "core/findings/Metrics.h"

#include "core/analysis/InputSizes.h"
#include "core/findings/rules/Parts.h"
#include "tests/unit/findings/Recording.h"

namespace attnscope {
namespace {

struct Read {
  explicit Read(Trace made, TimeRange scope = TimeRange::all())
      : trace(std::move(made)),
        tree(buildOperatorTree(trace)),
        memory(memorySeries(trace)),
        metrics(metricsOf(trace, tree, memory, scope)) {}
  Trace trace;
  OperatorTree tree;
  std::vector<MemorySeries> memory;
  Metrics metrics;
};

TEST(Metrics, WindowsAreTheStepsElseTheDevicesWork) {
  Recording stepped;
  stepped.step(1, 0, 100).step(2, 150, 100).kernel("k", 10, 20).kernel("k", 400, 50);
  const Read steps(stepped.build());
  EXPECT_EQ(steps.metrics.windows, (std::vector<TimeRange>{{0, 100}, {150, 250}}));
  EXPECT_EQ(steps.metrics.windowNs, 200);
  EXPECT_EQ(steps.metrics.busyNs, 20);
  Recording plain;
  plain.kernel("k", 10, 20).kernel("k", 400, 50);
  const Read device(plain.build());
  EXPECT_EQ(device.metrics.windows, (std::vector<TimeRange>{{10, 450}}));
  const Read scoped(plain.build(), {0, 30});
  EXPECT_EQ(scoped.metrics.windows, (std::vector<TimeRange>{{0, 30}}));
}

TEST(Metrics, AGapIsTheHostsUntilItCallsAndTheLaunchsAfter) {
  Recording recording;
  const std::size_t first = recording.call("cudaLaunchKernel", 0, 5);
  recording.call("cudaDeviceSynchronize", 20, 90);
  const std::size_t second = recording.call("cudaLaunchKernel", 150, 10);
  recording.kernel("k", 10, 90, {}, first).kernel("k", 180, 20, {}, second);
  const Read read(recording.build());
  ASSERT_EQ(read.metrics.gaps.size(), 1u);
  const DeviceGap& gap = read.metrics.gaps.front();
  EXPECT_EQ(gap.range, (TimeRange{100, 180}));
  EXPECT_EQ(gap.syncNs, 10);    // 100 to 110
  EXPECT_EQ(gap.hostNs, 40);    // 110 to 150
  EXPECT_EQ(gap.launchNs, 30);  // 150 to 180
}

TEST(Metrics, OverlappingStreamsAreBusyOnce) {
  Recording recording;
  recording.kernel("k", 0, 100).kernel("k", 50, 100);
  EXPECT_EQ(Read(recording.build()).metrics.busyNs, 150);
}

TEST(Metrics, TheOutermostOperatorOfAKindCounts) {
  Recording recording;
  recording.op("aten::_safe_softmax", 0, 100).op("aten::_softmax", 10, 50).op("aten::_softmax", 200, 10);
  const Read read(recording.build());
  const WorkOfName work =
      read.metrics.workOf([](std::string_view name) { return name.find("softmax") != std::string_view::npos; });
  EXPECT_EQ(work.calls, 2u);
  EXPECT_EQ(work.totalNs, 110);
}

TEST(Parts, SizesOfInputs) {
  using Sizes = std::vector<std::vector<std::int64_t>>;
  EXPECT_EQ(inputSizes("[[8, 64], [], [2, 3, 4]]"), (Sizes{{8, 64}, {}, {2, 3, 4}}));
  EXPECT_EQ(inputSizes("[]"), Sizes{});
  EXPECT_EQ(inputSizes(""), Sizes{});
  EXPECT_EQ(inputSizes("[[99999999999999999999]]"), (Sizes{{}}));
}

TEST(Parts, BytesOfAnElement) {
  Recording recording;
  recording.op("a", 0, 1, {}, R"({"Input type": ["c10::BFloat16", "long int"]})").op("b", 1, 1).op("c", 2, 1, {}, "{}");
  const Trace trace = recording.build();
  EXPECT_EQ(rules::elementBytes(trace, SliceId{0}), 2);
  EXPECT_EQ(rules::elementBytes(trace, SliceId{1}), std::nullopt);
  EXPECT_EQ(rules::elementBytes(trace, SliceId{2}), std::nullopt);
}

}  // namespace
}  // namespace attnscope
