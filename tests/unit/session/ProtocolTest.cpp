// SPDX-License-Identifier: Apache-2.0
#include "core/session/Protocol.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace attnscope {
namespace {

using testing::HasSubstr;

RunPlan somePlan() {
  RunPlan plan;
  plan.problem.mask = WindowMask{17, CausalAlignment::kBottomRight};
  plan.problem.scale = 0.25;
  plan.implementations = {"naive.plain", "sdpa.flash"};
  plan.threads = 2;
  plan.rounds = 7;
  plan.noiseBlocks = 1;
  plan.cache = CacheState::kCold;
  plan.profiling = Profiling::kSkip;
  plan.orderSeed = 0xFFFFFFFFFFFFFFFFull;
  plan.memoryBudgetBytes = 1ull << 40;
  plan.traceFolder = "folder \"with\"\nquotes";
  plan.testHooks = {{"sdpa.flash", RunPhase::kTime, 3, "crash"}};
  return plan;
}

TEST(ProtocolTest, EveryMessageOfTheRunnerIsReadAsItWasWritten) {
  RunEnvironment environment;
  environment.cpu = "A CPU";
  environment.loadAverage = 0.5;
  const Sample sample{3, 20'000'123, 19'000'000, 7};
  const ErrorCheck error{1e-7, 2e-6, 1e-5, "float64 reference", 0.25};
  const std::vector<RunnerMessage> messages = {
      HelloMessage{kProtocolVersion, "0.1.0", "2.11.0", 1234},
      EnvironmentMessage{environment},
      PhaseMessage{RunPhase::kTime, "", 3},
      PhaseMessage{RunPhase::kWarmUp, "sdpa.flash", -1},
      HeartbeatMessage{"sdpa.flash", 123'456'789'012},
      HeartbeatMessage{"", 5},
      RefusedMessage{"sdpa.flash", "no"},
      CheckedMessage{"sdpa.flash", error},
      WarmedMessage{"sdpa.flash", 1'000, 20, 14},
      PeakMessage{"sdpa.flash", 1ll << 40},
      ResidentMessage{"sdpa.flash", 1ll << 30},
      EnergyMessage{"sdpa.flash", 0.125},
      SampleMessage{"sdpa.flash", sample},
      NoiseMessage{{5, sample, sample}},
      TraceMessage{"sdpa.flash", "a/b.json", 17},
      WarningMessage{"", "a text\nof two lines"},
      FailureMessage{"sdpa.flash", RunPhase::kCheck, "ran out of memory"},
      DoneMessage{true},
  };
  EXPECT_EQ(messages.size(), std::variant_size_v<RunnerMessage> + 2);
  for (const RunnerMessage& message : messages) {
    const std::string line = lineOf(message);
    EXPECT_EQ(line.find('\n'), std::string::npos);
    const Result<RunnerMessage> read = runnerMessageOf(line);
    ASSERT_TRUE(read) << line << read.error().message();
    EXPECT_EQ(*read, message) << line;
  }
}

TEST(ProtocolTest, ErrorsThatAreNoNumbersSurvive) {
  const ErrorCheck error{
      std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(), 1e-5, "", {}};
  const Result<RunnerMessage> read = runnerMessageOf(lineOf(RunnerMessage(CheckedMessage{"a", error})));
  ASSERT_TRUE(read);
  const auto& checked = std::get<CheckedMessage>(*read);
  EXPECT_TRUE(std::isnan(checked.error.relativeL2));
  EXPECT_TRUE(std::isinf(checked.error.maxAbs));
  EXPECT_FALSE(checked.error.passed());
}

TEST(ProtocolTest, EveryMessageToTheRunnerIsReadAsItWasWritten) {
  PlanMessage plan;
  plan.plan = somePlan();
  plan.continuation = {3, 40, {"naive.plain"}, {0, 2}};
  for (const ControllerMessage& message : {ControllerMessage(plan), ControllerMessage(CancelMessage{})}) {
    const std::string line = lineOf(message);
    EXPECT_EQ(line.find('\n'), std::string::npos);
    const Result<ControllerMessage> read = controllerMessageOf(line);
    ASSERT_TRUE(read) << read.error().message();
    EXPECT_EQ(*read, message);
  }
}

TEST(ProtocolTest, UnknownKeysAreIgnored) {
  EXPECT_TRUE(runnerMessageOf(R"({"type": "peak", "implementation": "a", "bytes": 3, "of": "tomorrow"})"));
}

TEST(ProtocolTest, WhatIsNoMessageIsRefusedInWords) {
  const std::vector<std::pair<std::string, std::string>> lines = {
      {"", "not JSON"},
      {"Segmentation fault", "not JSON: Segmentation fault"},
      {"[1, 2]", "no object with a type"},
      {"{}", "no object with a type"},
      {R"({"type": "sing"})", "\"sing\" is not known"},
      {R"({"type": "phase", "phase": "dance"})", "the phase \"dance\" is not known"},
      {R"({"type": "peak", "implementation": "a", "bytes": "many"})", "cannot be read"},
      {R"({"type": "sample", "implementation": "a"})", "cannot be read"},
      {R"({"type": 3})", "cannot be read"},
      {std::string(100, '{'), "not JSON"},
  };
  for (const auto& [line, says] : lines) {
    const Result<RunnerMessage> read = runnerMessageOf(line);
    ASSERT_FALSE(read) << line;
    EXPECT_THAT(read.error().what, HasSubstr(says));
  }
}

TEST(ProtocolTest, ANewerProtocolIsRefusedByBothSides) {
  const Result<RunnerMessage> hello = runnerMessageOf(R"({"type": "hello", "protocol": 2, "runner_version": "9.0"})");
  ASSERT_FALSE(hello);
  EXPECT_EQ(hello.error().what,
            "the runner 9.0 speaks protocol 2 and this program 1: use the runner that came with this program");
  PlanMessage plan;
  plan.protocol = 2;
  plan.plan = somePlan();
  const Result<ControllerMessage> read = controllerMessageOf(lineOf(ControllerMessage(plan)));
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().what, HasSubstr("the plan is of protocol 2 and this runner speaks 1"));
}

}  // namespace
}  // namespace attnscope
