// SPDX-License-Identifier: Apache-2.0
// What the trace of an own kernel tells of its workers.

#include "core/engine/InsideView.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "ProblemMatrix.h"
#include "core/engine/ProfiledRun.h"
#include "core/engine/Work.h"
#include "core/engine/implementations/OwnKernel.h"
#include "core/engine/implementations/Registry.h"
#include "core/problem/Cards.h"

namespace attnscope::engine {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

Work workOf(const Problem& problem, const char* id) {
  return {problem, makeSharedInputs(problem), findImplementation(id)->make(problem)};
}

Json recorded(const std::function<void()>& call, int steps, Inside* inside) {
  const fs::path file = fs::path(testing::TempDir()) / "inside.json";
  EXPECT_TRUE(recordProfiledRun(call, steps, R"({"title":"inside"})", file, inside).has_value());
  std::ifstream in(file);
  return Json::parse(in);
}
Json recorded(const Work& work, int steps) {
  return recorded([&] { static_cast<void>(work.call()); }, steps, work.inside());
}

std::map<std::string, std::int64_t> countsOf(const Json& trace, const std::string& category) {
  std::map<std::string, std::int64_t> counts;
  for (const Json& event : trace["traceEvents"]) {
    if (event.value("cat", "") == category && event["ph"] == "X") ++counts[event["name"]];
  }
  return counts;
}

TEST(InsideView, TheTraceOfAnOwnKernelHoldsItsTilesAndNothingElseChanges) {
  const Work work = workOf(maskedProblem({1, 2, 1, 200, 300, 32, 32}, CausalMask{}), "own.fused");
  const Json trace = recorded(work, 3);
  std::map<std::string, std::int64_t> tiles = countsOf(trace, "tile");
  EXPECT_EQ(tiles["inside view"], 1);
  EXPECT_EQ(tiles["scores"], tiles["softmax"]);
  EXPECT_EQ(tiles["scores"], tiles["weighted_sum"]);
  // Three recorded calls; those for the view are made when nothing is recorded.
  EXPECT_EQ(countsOf(trace, "user_annotation")["fused"], 3);
  EXPECT_EQ(countsOf(trace, "cpu_op")["attnscope::attention"], 3);
  std::int64_t slices = 0;
  Json facts;
  Json softmax;
  for (const Json& event : trace["traceEvents"]) {
    if (event.value("cat", "") != "tile") continue;
    if (event["name"] == "inside view") facts = event;
    if (event["name"] != "inside view") ++slices;
    if (event["name"] == "softmax") softmax = event["args"];
  }
  EXPECT_EQ(facts["args"]["slices_by_formula"], slices);
  EXPECT_EQ(facts["args"]["slices_of_all"], slices);
  EXPECT_EQ(facts["args"]["group"], 2);
  EXPECT_EQ(facts["args"]["queries"], 200);
  EXPECT_EQ(facts["args"]["keys"], 300);
  EXPECT_TRUE(facts["args"]["cost_of_watching"].is_number());
  EXPECT_EQ(softmax["max"].size(), softmax["rows"].get<std::size_t>());
  EXPECT_EQ(softmax["sum"].size(), softmax["rows"].get<std::size_t>());
  EXPECT_LT(softmax["q0"], softmax["q1"]);
  EXPECT_LT(softmax["k0"], softmax["k1"]);
  // On the clock of what Kineto recorded, after it.
  double last = 0;
  for (const Json& event : trace["traceEvents"]) {
    if (event.value("cat", "") == "cpu_op") last = std::max(last, event["ts"].get<double>());
  }
  EXPECT_GT(facts["ts"].get<double>(), last);
  EXPECT_LT(facts["ts"].get<double>(), last + 60e6);
}

// A step begins where the one before ended, so what is missing lies between items. The best of a few calls: another
// program may take the CPU just there.
TEST(InsideView, StepsCoverTheTimeOfTheirWorkers) {
  for (const char* id : {"own.fused", "own.decode"}) {
    const bool decode = std::string(id) == "own.decode";
    const Shape shape = decode ? Shape{1, 8, 4, 1, 4000, 128, 128} : Shape{1, 4, 4, 512, 512, 64, 64};
    const Work work = workOf(maskedProblem(shape, NoMask{}), id);
    double best = 0;
    for (int attempt = 0; attempt < 10 && best < 0.95; ++attempt) {
      work.inside()->watchNextCall();
      static_cast<void>(work.call());
      const std::vector<double> shares = coveredShares(work.inside()->watched());
      best = std::max(best, *std::min_element(shares.begin(), shares.end()));
    }
    EXPECT_GE(best, 0.95) << id;
    EXPECT_LE(best, 1.0) << id;
  }
}

TEST(InsideView, ACallAfterAWatchedOneIsOrdinaryAndGivesTheSame) {
  const Work work = workOf(maskedProblem({1, 2, 2, 64, 64, 16, 16}, CausalMask{}), "own.fused");
  const CallResult before = work.call();
  work.inside()->watchNextCall();
  const CallResult watched = work.call();
  const std::int64_t start = work.inside()->watched().call.startNs;
  const CallResult after = work.call();
  EXPECT_EQ(work.inside()->watched().call.startNs, start);
  EXPECT_EQ(distanceOf(watched, before).maxAbs, 0);
  EXPECT_EQ(distanceOf(after, before).maxAbs, 0);
}

TEST(InsideView, WhatWouldBeTooLargeSaysSoInTheTrace) {
  const Work work = workOf(maskedProblem({50, 40, 40, 1000, 1000, 1, 1}, NoMask{}), "own.fused");
  ASSERT_TRUE(work.inside()->refusal().has_value());
  EXPECT_NE(work.inside()->refusal()->find("200000"), std::string::npos);
  bool told = false;
  const Json trace = recorded([] {}, 1, work.inside());
  for (const Json& event : trace["traceEvents"]) {
    told = told || (event["name"] == "no inside view" && event["args"]["reason"] == *work.inside()->refusal());
  }
  EXPECT_TRUE(told);
  EXPECT_TRUE(countsOf(trace, "tile").empty());
}

TEST(InsideView, OthersHaveNone) {
  EXPECT_EQ(workOf(maskedProblem({1, 1, 1, 8, 8, 8, 8}, NoMask{}), "sdpa.flash").inside(), nullptr);
}

TEST(InsideView, InABlockItIsOfTheBlocksAttention) {
  Problem problem = maskedProblem({1, 2, 2, 32, 32, 8, 8}, CausalMask{});
  problem.workload = Workload::kBlock;
  const Work work = workOf(problem, "own.fused");
  EXPECT_EQ(countsOf(recorded(work, 1), "tile")["inside view"], 1);
}

// What the cards say is executed: the pairs that the kernel's vectors compute.
TEST(OwnCards, FlopsAreThoseOfTheKernelsPairs) {
  std::vector<Problem> problems = {
      maskedProblem({1, 4, 2, 1100, 1100, 32, 32}, NoMask{}),
      maskedProblem({2, 2, 2, 300, 700, 16, 8}, CausalMask{CausalAlignment::kBottomRight}),
      maskedProblem({1, 3, 1, 900, 900, 16, 16}, WindowMask{40, CausalAlignment::kTopLeft}),
      maskedProblem({1, 2, 2, 40, 40, 8, 8}, DocumentsMask{{1, 12, 27}, InsideDocument::kCausal}),
      maskedProblem({1, 4, 1, 1, 500, 64, 64}, NoMask{}),
  };
  for (std::size_t i = 0; i < 5; ++i) {
    problems.push_back(problems[i]);
    problems.back().dtype = DataType::kBFloat16;
  }
  for (const Problem& problem : problems) {
    for (const auto& [id, method] : std::map<std::string, kernels::Method>{{"own.fused", kernels::Method::kTiles},
                                                                           {"own.decode", kernels::Method::kByRows}}) {
      const Card& card = *findCard(id);
      if (refusalOf(card, problem, DeviceKind::kCpu)) continue;
      const auto kernel = *kernels::AttentionKernel::make(
          kernelShapeOf(problem), {.isa = kernels::bestIsa(), .workers = 1, .method = method, .sizes = {}});
      CardConditions conditions;
      conditions.packsBFloat16 = kernels::bestIsa() == kernels::Isa::kAmx;
      conditions.vectorRows = kernels::kernelTable(kernels::bestIsa())->layouts[0].lanes;
      EXPECT_EQ(figuresOf(card, problem, conditions).executedFlops,
                2 * (problem.headSize + problem.valueHeadSize) * kernel->count().pairs)
          << id << ": " << describe(problem);
    }
  }
}

}  // namespace
}  // namespace attnscope::engine
