// SPDX-License-Identifier: Apache-2.0
#include "core/session/RunPlan.h"

#include <gtest/gtest.h>

#include "core/problem/ProblemOptions.h"

namespace attnscope {
namespace {

TEST(RunPlanTest, LettersGoOnAfterZ) {
  EXPECT_EQ(letterOf(0), "A");
  EXPECT_EQ(letterOf(25), "Z");
  EXPECT_EQ(letterOf(26), "AA");
  EXPECT_EQ(letterOf(27), "AB");
  EXPECT_EQ(letterOf(701), "ZZ");
  EXPECT_EQ(letterOf(702), "AAA");
}

TEST(RunPlanTest, TraceNamesNameNoOtherFolder) {
  EXPECT_EQ(traceNameOf(1, "sdpa.flash"), "B-sdpa.flash.json");
  EXPECT_EQ(traceNameOf(0, "../../etc/passwd"), "A-.._.._etc_passwd.json");
}

TEST(RunPlanTest, APlanIsACommand) {
  RunPlan plan;
  plan.implementations = {"naive.plain", "sdpa.flash"};
  EXPECT_EQ(joinForShell(optionsOf(plan)), "--impl naive.plain,sdpa.flash --heads 8 --seq 1024 --head-dim 64 --causal");
  plan.threads = 2;
  plan.rounds = 80;
  plan.cache = CacheState::kCold;
  plan.profiling = Profiling::kSkip;
  EXPECT_EQ(joinForShell(optionsOf(plan)),
            "--impl naive.plain,sdpa.flash --heads 8 --seq 1024 --head-dim 64 --causal --threads 2 --pairs 80 --cache "
            "cold --no-profile");
}

TEST(RunPlanTest, ThreadCpuTimeIsForOneThreadOnTheCpu) {
  RunPlan plan;
  EXPECT_EQ(plan.metric(), TimeMetric::kThreadCpu);
  plan.threads = 2;
  EXPECT_EQ(plan.metric(), TimeMetric::kWall);
  plan.threads = 1;
  plan.device = "cuda:0";
  EXPECT_EQ(plan.metric(), TimeMetric::kWall);
}

}  // namespace
}  // namespace attnscope
