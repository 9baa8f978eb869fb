// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/AttentionStages.h"

#include <gtest/gtest.h>

#include "TraceMaker.h"

namespace attnscope {
namespace {

using Stage = AttentionStage;

// One thread; queries, keys and values of 2 heads of 16, 8 tokens: 256 elements each.
class AttentionStages : public testing::Test {
 protected:
  void add(const char* name, std::int64_t startNs, std::int64_t durationNs, const char* dims = "",
           const char* category = "cpu_op") {
    m_maker.add({.track = m_host,
                 .category = category,
                 .name = name,
                 .startNs = startNs,
                 .durationNs = durationNs,
                 .inputDims = dims});
  }
  void kernel(std::int64_t startNs, std::int64_t durationNs, const char* launchedBy) {
    m_maker.add({.track = m_stream,
                 .category = "kernel",
                 .name = "k",
                 .startNs = startNs,
                 .durationNs = durationNs,
                 .launchedBy = launchedBy});
  }
  // Scores, scale, mask, softmax, dropout, weighted sum; 600 ns with 10 ns between two.
  void chain(std::int64_t at) {
    add("aten::matmul", at, 90);
    add("aten::clone", at + 5, 30);
    add("aten::copy_", at + 10, 20);
    add("aten::bmm", at + 40, 40, "[[2, 8, 16], [2, 16, 8]]");
    add("aten::div", at + 100, 90);
    add("aten::masked_fill", at + 200, 90);
    add("aten::clone", at + 205, 40);
    add("aten::masked_fill_", at + 250, 30);
    add("aten::softmax", at + 300, 90);
    add("aten::_softmax", at + 305, 80, "[[2, 8, 8], [], []]");
    add("aten::dropout", at + 400, 90);
    add("aten::native_dropout", at + 410, 70);
    add("aten::bmm", at + 500, 100, "[[2, 8, 8], [2, 8, 16]]");
  }
  std::vector<AttentionCall> calls(TimeRange scope = TimeRange::all()) {
    m_trace = m_maker.build();
    const OperatorTree tree = buildOperatorTree(m_trace);
    std::vector<AttentionCall> found = attentionCalls(m_trace, tree, scope);
    for (const AttentionCall& call : found) {
      std::int64_t hostNs = 0;
      std::int64_t deviceNs = 0;
      for (const StageTime& stage : call.stages) {
        hostNs += stage.hostNs;
        deviceNs += stage.deviceNs;
      }
      EXPECT_EQ(hostNs, call.host.durationNs());
      EXPECT_EQ(deviceNs, call.deviceNs);
    }
    return found;
  }
  static std::int64_t host(const AttentionCall& call, Stage stage) { return call.stage(stage).hostNs; }

  TraceMaker m_maker;
  TrackId m_host = m_maker.thread(1, 1);
  TrackId m_stream = m_maker.thread(0, 7, TrackKind::kStream);
  Trace m_trace;
};

TEST_F(AttentionStages, AChainIsToldPartByPart) {
  chain(1000);
  const auto found = calls();
  ASSERT_EQ(found.size(), 1u);
  const AttentionCall& call = found[0];
  EXPECT_EQ(call.host, (TimeRange{1000, 1600}));
  EXPECT_EQ(call.evidence, AttentionEvidence::kShapes);
  EXPECT_EQ(call.backend, "unfused");
  EXPECT_EQ(m_trace.name(call.slice), "aten::_softmax");
  EXPECT_EQ(host(call, Stage::kScores), 60);
  EXPECT_EQ(host(call, Stage::kCopy), 30);  // what matmul clones; the clone of masked_fill is the mask's
  EXPECT_EQ(host(call, Stage::kScale), 90);
  EXPECT_EQ(host(call, Stage::kMask), 90);
  EXPECT_EQ(host(call, Stage::kSoftmax), 90);
  EXPECT_EQ(host(call, Stage::kDropout), 90);
  EXPECT_EQ(host(call, Stage::kWeightedSum), 100);
  EXPECT_EQ(host(call, Stage::kUnattributed), 50);  // between operators
  EXPECT_EQ(call.stage(Stage::kMask).slices.size(), 1u);
}

TEST_F(AttentionStages, ViewsAndAllocationsDoNotSeparateTheParts) {
  add("aten::bmm", 0, 10, "[[2, 8, 16], [2, 16, 8]]");
  for (int i = 0; i < 40; ++i) add("aten::as_strided", 20 + i * 2, 1);
  add("aten::_softmax", 200, 10, "[[2, 8, 8], [], []]");
  add("aten::bmm", 300, 10, "[[2, 8, 8], [2, 8, 16]]");
  EXPECT_EQ(calls().size(), 1u);
}

TEST_F(AttentionStages, OperatorsThatWorkDo) {
  add("aten::bmm", 0, 10, "[[2, 8, 16], [2, 16, 8]]");
  for (int i = 0; i < 40; ++i) add("aten::gelu", 20 + i * 2, 1);
  add("aten::_softmax", 200, 10, "[[2, 8, 8], [], []]");
  add("aten::bmm", 300, 10, "[[2, 8, 8], [2, 8, 16]]");
  EXPECT_TRUE(calls().empty());
}

TEST_F(AttentionStages, ProjectionsAreThoseThatShapesProve) {
  add("aten::linear", 0, 100, "[[8, 32], [96, 32], [96]]");
  add("aten::addmm", 10, 80, "[[96], [8, 32], [32, 96], [], []]");
  add("aten::copy_", 20, 10);
  chain(1000);
  add("aten::contiguous", 1650, 50);
  add("aten::addmm", 1800, 100, "[[32], [8, 32], [32, 32], [], []]");
  add("aten::addmm", 2000, 100, "[[128], [8, 32], [32, 128], [], []]");  // of the MLP
  const auto found = calls();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].host, (TimeRange{0, 1900}));
  EXPECT_EQ(host(found[0], Stage::kQkvProjection), 100);  // the bias that addmm copies is the projection's
  EXPECT_EQ(host(found[0], Stage::kOutputProjection), 100);
  EXPECT_EQ(host(found[0], Stage::kCopy), 80);
}

TEST_F(AttentionStages, ThreeProjectionsOrNone) {
  const char* one = "[[8, 32], [32, 32]]";
  add("aten::mm", 0, 10, one);
  add("aten::mm", 20, 10, one);
  add("aten::mm", 40, 10, one);
  chain(100);
  ASSERT_EQ(calls().size(), 1u);

  m_maker = TraceMaker();
  m_host = m_maker.thread(1, 1);
  add("aten::mm", 0, 10, "[[8, 32], [32, 128]]");
  add("aten::mm", 20, 10, one);
  add("aten::mm", 40, 10, one);
  chain(100);
  const auto found = calls();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(host(found[0], Stage::kQkvProjection), 0);
  EXPECT_EQ(found[0].host.startNs, 100);
}

TEST_F(AttentionStages, KeysAndValuesMayBeAWholeFactorFewer) {
  // 2 heads of queries on one of keys and values: 256 + 128 + 128 elements.
  add("aten::mm", 0, 10, "[[8, 32], [32, 64]]");
  add("aten::repeat_interleave", 20, 10);
  chain(100);
  const auto found = calls();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(host(found[0], Stage::kQkvProjection), 10);
  EXPECT_EQ(host(found[0], Stage::kCopy), 40);
}

TEST_F(AttentionStages, MatmulsThatMostlyCastTheirInputsAreFound) {
  // Autocast: one name stands for the cast and for the matmul in it, and spends most of its time in what it calls.
  add("aten::baddbmm", 0, 100, "[[2, 8, 8], [2, 8, 16], [2, 16, 8], [], []]");
  add("aten::to", 5, 60);
  add("aten::baddbmm", 70, 25, "[[2, 8, 8], [2, 8, 16], [2, 16, 8], [], []]");
  add("aten::copy_", 71, 5);
  add("aten::_softmax", 200, 90, "[[2, 8, 8], [], []]");
  add("aten::bmm", 300, 90, "[[2, 8, 8], [2, 8, 16]]");
  add("aten::to", 310, 60);
  add("aten::bmm", 380, 9, "[[2, 8, 8], [2, 8, 16]]");
  const auto found = calls();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].host, (TimeRange{0, 390}));
  EXPECT_EQ(host(found[0], Stage::kScores), 40);
  EXPECT_EQ(host(found[0], Stage::kCopy), 120);
  EXPECT_EQ(host(found[0], Stage::kWeightedSum), 30);
}

TEST_F(AttentionStages, AProjectionIsOfOneCall) {
  add("aten::mm", 0, 10, "[[8, 32], [32, 96]]");
  chain(100);
  chain(1000);
  const auto found = calls();
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(host(found[0], Stage::kQkvProjection), 10);
  EXPECT_EQ(host(found[1], Stage::kQkvProjection), 0);
}

TEST_F(AttentionStages, AFusedCallHasDeviceTimeThatIsNotTakenApart) {
  const char* dims = "[[1, 2, 8, 16], [1, 2, 8, 16], [1, 2, 8, 16], [], []]";
  add("aten::scaled_dot_product_attention", 0, 100, dims);
  add("aten::_scaled_dot_product_flash_attention", 10, 80, dims);
  add("aten::contiguous", 15, 10);
  add("aten::_flash_attention_forward", 30, 40);
  add("aten::_scaled_dot_product_flash_attention_backward", 500, 80, dims);
  kernel(200, 5, "aten::contiguous");
  kernel(210, 50, "aten::_flash_attention_forward");
  kernel(600, 70, "aten::_scaled_dot_product_flash_attention_backward");
  const auto found = calls();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].backend, "flash");
  EXPECT_EQ(found[0].evidence, AttentionEvidence::kName);
  EXPECT_EQ(found[0].deviceNs, 55);
  EXPECT_EQ(found[0].kernels, 2u);
  EXPECT_EQ(found[0].stage(Stage::kFused).deviceNs, 50);
  EXPECT_EQ(found[0].stage(Stage::kCopy).deviceNs, 5);
  EXPECT_EQ(host(found[0], Stage::kFused), 90);
}

TEST_F(AttentionStages, TheMathBackendIsTakenApart) {
  const char* dims = "[[1, 2, 8, 16], [1, 2, 8, 16], [1, 2, 8, 16], [], []]";
  add("aten::scaled_dot_product_attention", 0, 1000, dims);
  add("aten::_scaled_dot_product_attention_math", 10, 980, dims);
  add("aten::mul", 20, 10);
  add("aten::triu", 40, 10);
  chain(100);
  const auto found = calls();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].backend, "math");
  EXPECT_EQ(m_trace.name(found[0].slice), "aten::scaled_dot_product_attention");
  EXPECT_EQ(found[0].host, (TimeRange{0, 1000}));
  EXPECT_EQ(host(found[0], Stage::kScale), 100);
  EXPECT_EQ(host(found[0], Stage::kMask), 100);
  EXPECT_EQ(host(found[0], Stage::kFused), 0);
}

TEST_F(AttentionStages, WhatTheProgramNamesIsBelieved) {
  add("scale", 95, 100, "", "user_annotation");
  add("aten::pow", 100, 80);
  add("aten::bmm", 0, 90, "[[2, 8, 16], [2, 16, 8]]");
  add("aten::_softmax", 200, 90, "[[2, 8, 8], [], []]");
  add("aten::bmm", 300, 90, "[[2, 8, 8], [2, 8, 16]]");
  const auto found = calls();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(host(found[0], Stage::kScale), 100);
}

TEST_F(AttentionStages, TheScopeChoosesByStart) {
  chain(0);
  chain(1000);
  const auto found = calls({1000, 1001});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].host.startNs, 1000);
  const auto totals = attentionTotals(found);
  EXPECT_EQ(totals[static_cast<std::size_t>(Stage::kSoftmax)].hostNs, 90);
}

TEST_F(AttentionStages, AnotherThreadIsNotPartOfACall) {
  const TrackId other = m_maker.thread(1, 2);
  chain(0);
  m_maker.add({other, "cpu_op", "aten::mul", 100, 50});
  const auto found = calls();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(host(found[0], Stage::kScale), 90);
}

}  // namespace
}  // namespace attnscope
