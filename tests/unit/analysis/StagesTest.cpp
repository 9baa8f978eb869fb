// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/Stages.h"

#include <gtest/gtest.h>

#include "TraceMaker.h"

namespace attnscope {
namespace {

class Stages : public testing::Test {
 protected:
  void add(TrackId track, const char* category, const char* name, std::int64_t startNs, std::int64_t durationNs) {
    m_maker.add({track, category, name, startNs, durationNs});
  }
  // Slices of a thread that lie inside one another, with their parents, and stages by the names of what they hold.
  std::vector<std::pair<std::string, std::string>> staged() {
    Trace trace = m_maker.build();
    std::vector<SliceId> work;
    for (std::uint32_t at = 0; at < trace.slices.size(); ++at) {
      for (std::uint32_t above = 0; above < at; ++above) {
        const bool isInside = trace.slices.track[above] == trace.slices.track[at] &&
                              trace.slices.endNs(SliceId{above}) >= trace.slices.endNs(SliceId{at});
        if (isInside) trace.slices.parent[at] = SliceId{above};
      }
      const CategoryClass category = trace.slices.categoryClass[at];
      if (category == (m_onDevice ? CategoryClass::kKernel : CategoryClass::kCpuOperator)) work.push_back(SliceId{at});
    }
    std::vector<std::pair<std::string, std::string>> names;
    for (const StagedSlice& each : stagedWork(trace, work)) {
      names.emplace_back(trace.name(each.slice), trace.name(each.stage));
    }
    return names;
  }

  using Named = std::vector<std::pair<std::string, std::string>>;
  TraceMaker m_maker;
  TrackId m_host = m_maker.thread(1, 1);
  bool m_onDevice = false;
};

TEST_F(Stages, AnOperatorIsOfTheInnermostAnnotationAroundIt) {
  add(m_host, "user_annotation", "attention", 0, 100);
  add(m_host, "user_annotation", "weighted_sum", 10, 50);
  add(m_host, "cpu_op", "aten::bmm", 20, 30);
  EXPECT_EQ(staged(), (Named{{"aten::bmm", "weighted_sum"}}));
}

TEST_F(Stages, ItIsNamedByItOnlyWhereItIsHalfOfItsWork) {
  add(m_host, "user_annotation", "softmax", 0, 100);
  add(m_host, "cpu_op", "aten::copy_", 0, 40);
  add(m_host, "cpu_op", "aten::_softmax", 50, 41);
  add(m_host, "user_annotation", "mlp", 200, 100);
  add(m_host, "cpu_op", "aten::addmm", 200, 40);
  add(m_host, "cpu_op", "aten::gelu", 240, 19);
  add(m_host, "cpu_op", "aten::addmm", 260, 40);
  EXPECT_EQ(staged(), (Named{{"aten::_softmax", "softmax"}}));
}

TEST_F(Stages, WhatToolsCallTheirRangesIsNoStage) {
  add(m_host, "user_annotation", "ProfilerStep#3", 0, 100);
  add(m_host, "cpu_op", "aten::bmm", 0, 40);
  add(m_host, "user_annotation", "## Call CompiledFxGraph f3 ##", 200, 100);
  add(m_host, "cpu_op", "aten::bmm", 200, 40);
  EXPECT_EQ(staged(), Named{});
}

TEST_F(Stages, AKernelIsOfTheStageOfItsOperator) {
  m_onDevice = true;
  const TrackId stream = m_maker.thread(0, 7, TrackKind::kStream);
  add(m_host, "user_annotation", "scores", 0, 100);
  add(m_host, "cpu_op", "aten::bmm", 20, 30);
  m_maker.add({stream, "kernel", "sgemm_nn", 300, 90, kNoNumber, kNoNumber, {}, false, "aten::bmm"});
  EXPECT_EQ(staged(), (Named{{"sgemm_nn", "scores"}}));
}

TEST(StageWords, ReadAsWords) {
  EXPECT_EQ(stageWords("weighted_sum"), "Weighted sum");
  EXPECT_EQ(stageWords("2nd_pass"), "2nd pass");
  EXPECT_EQ(stageWords("mlp"), "MLP");
  EXPECT_EQ(stageWords("qkv_projection"), "QKV projection");
  EXPECT_EQ(stageWords("apply_rope"), "Apply RoPE");
  EXPECT_EQ(stageWords("kvx"), "Kvx") << "words alone";
  EXPECT_EQ(stageWords(""), "");
}

}  // namespace
}  // namespace attnscope
