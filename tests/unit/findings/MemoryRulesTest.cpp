// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/findings/Recording.h"

namespace attnscope {
namespace {

using testing::HasSubstr;

constexpr std::int64_t kMiB = 1 << 20;

TEST(MemoryPeak, NamesItsHolder) {
  Recording recording;
  recording.op("aten::bmm", 0, 100).memory(50, 8 * kMiB, 9 * kMiB).memory(200, -8 * kMiB, kMiB);
  const auto findings = fired(recording.build(), "mem.peak");
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_THAT(findings[0].headline, HasSubstr("cuda:0 peaks at 9.00 MiB"));
  EXPECT_THAT(findings[0].why, HasSubstr("aten::bmm holds 8.00 MiB in 1 block"));
  EXPECT_EQ(findings[0].evidence[0].range->startNs, 50);
  EXPECT_TRUE(fired(recording.build(), "mem.peak", {{"mem.peak", 1e9}}).empty());
  EXPECT_FALSE(reasonOf(Recording().op("aten::mm", 0, 10).build(), "mem.peak").empty());
}

Trace reserved(std::int64_t allocated, std::int64_t reservedBytes) {
  Recording recording;
  recording.op("aten::bmm", 0, 100).memory(50, allocated, allocated);
  Trace trace = recording.build();
  trace.memory.totalReserved[0] = reservedBytes;
  return trace;
}

TEST(MemoryFragmentation, FiresFromHalfAsMuchAgainOn) {
  EXPECT_EQ(fired(reserved(200 * kMiB, 300 * kMiB), "mem.fragmentation").size(), 1u);
  EXPECT_TRUE(fired(reserved(200 * kMiB, 299 * kMiB), "mem.fragmentation").empty());
  EXPECT_TRUE(fired(reserved(20 * kMiB, 60 * kMiB), "mem.fragmentation").empty());  // too little to matter
  Recording recording;
  recording.op("aten::bmm", 0, 100).memory(50, kMiB, kMiB);
  EXPECT_FALSE(reasonOf(recording.build(), "mem.fragmentation").empty());
}

TEST(MemoryAllocInStep, CountsStepsAfterTheFirst) {
  const auto of = [](std::int64_t at) {
    Recording recording;
    recording.step(1, 0, 100).step(2, 200, 100).kernel("k", 0, 10);
    recording.call("cudaMalloc", at, 5);
    return recording.build();
  };
  const auto findings = fired(of(220), "mem.alloc-in-step");
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].savingNs, 5);
  EXPECT_TRUE(fired(of(20), "mem.alloc-in-step").empty());
  EXPECT_TRUE(fired(of(150), "mem.alloc-in-step").empty());  // between steps
}

TEST(MemoryGrowth, FiresWhereEachStepEndsHigher) {
  const auto of = [](const std::vector<std::int64_t>& ends) {
    Recording recording;
    for (std::size_t i = 0; i < ends.size(); ++i) {
      const auto start = static_cast<std::int64_t>(i) * 100;
      recording.step(static_cast<int>(i), start, 90).memory(start + 50, 1, ends[i]);
    }
    return recording.build();
  };
  const auto findings = fired(of({900, 1000, 1010, 1020}), "mem.growth");
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].severity, FindingSeverity::kProblem);
  EXPECT_TRUE(fired(of({100, 1000, 1000, 1000}), "mem.growth").empty());  // the first step may grow
  EXPECT_TRUE(fired(of({900, 1000, 1200, 1100}), "mem.growth").empty());
  EXPECT_TRUE(fired(of({900, 100'000, 100'001, 100'002}), "mem.growth").empty());
  EXPECT_FALSE(reasonOf(of({900, 1000, 1100}), "mem.growth").empty());
}

TEST(MemoryNoEvents, SaysHowToRecordThem) {
  Recording recording;
  recording.op("aten::bmm", 0, 100);
  Trace trace = recording.build();
  ASSERT_EQ(fired(trace, "mem.no-events").size(), 1u);
  EXPECT_THAT(fired(trace, "mem.no-events")[0].change, HasSubstr("profile_memory=True"));
  trace.metadata.emplace_back("profile_memory", "1");
  EXPECT_THAT(fired(trace, "mem.no-events")[0].headline, HasSubstr("asked for"));
  recording = Recording();
  recording.op("aten::bmm", 0, 100).memory(50, kMiB, kMiB);
  EXPECT_TRUE(fired(recording.build(), "mem.no-events").empty());
}

}  // namespace
}  // namespace attnscope
