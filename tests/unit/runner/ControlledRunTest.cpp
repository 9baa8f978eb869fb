// SPDX-License-Identifier: Apache-2.0
// The runner under the product's own controller, and its traces in the product's own loader.

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <set>
#include <string>
#include <thread>

#include "core/import/TraceLoader.h"
#include "core/session/RunController.h"

namespace attnscope {
namespace {

namespace fs = std::filesystem;

class Folder {
 public:
  explicit Folder(const std::string& name) : m_path(fs::current_path() / ("runner-" + name)) {
    fs::remove_all(m_path);
    fs::create_directory(m_path);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { fs::remove_all(m_path); }
  [[nodiscard]] std::string text() const { return m_path.string(); }

 private:
  fs::path m_path;
};

RunPlan smallPlan(const Folder& folder) {
  RunPlan plan;
  plan.problem.heads = plan.problem.keyValueHeads = 2;
  plan.problem.queryLength = plan.problem.keyValueLength = 128;
  plan.implementations = {"naive.plain", "sdpa.math", "sdpa.flash"};
  plan.rounds = 4;
  plan.noiseBlocks = 1;
  plan.sampleAtLeastNs = 1'000'000;
  plan.warmUpAtMostNs = 50'000'000;
  plan.traceFolder = folder.text();
  return plan;
}

RunResult resultOf(const RunPlan& plan) {
  RunResult result;
  RunObserver observer;
  observer.finished = [&result](const RunResult& finished) { result = finished; };
  RunController controller({{ATTNSCOPE_BIN_DIR "/attnscope-runner", "run", "--test-hooks"}, {}}, {}, observer);
  EXPECT_TRUE(controller.start(plan).has_value());
  controller.wait();
  return result;
}

TEST(ControlledRun, IsWholeAndItsTracesOpen) {
  const Folder folder("whole");
  const RunPlan plan = smallPlan(folder);
  const RunResult result = resultOf(plan);
  ASSERT_EQ(result.ending, RunEnding::kComplete) << result.endingReason;
  EXPECT_EQ(result.completeRounds, plan.rounds);
  EXPECT_EQ(result.noise.size(), 4u);
  EXPECT_FALSE(result.environment.cpu.empty());
  EXPECT_TRUE(result.environment.roofFlopsPerSecond.has_value());
  for (const ImplementationResult& one : result.implementations) {
    EXPECT_TRUE(one.error && one.error->passed()) << one.id;
    EXPECT_EQ(one.samples.size(), 4u) << one.id;
    ASSERT_TRUE(one.peakBytes && one.predictedPeakBytes) << one.id;
    EXPECT_NEAR(static_cast<double>(*one.peakBytes) / static_cast<double>(*one.predictedPeakBytes), 1, 0.02) << one.id;

    Progress progress;
    const auto trace = loadTrace(one.traceFile, {}, progress, {});
    ASSERT_TRUE(trace.has_value()) << trace.error().message();
    EXPECT_EQ((*trace)->producer, "kineto");
    EXPECT_EQ((*trace)->steps.size(), 3u) << one.id;
    EXPECT_GT((*trace)->memory.size(), 0u);
    std::set<std::string> names;
    for (std::uint32_t row = 0; row < (*trace)->slices.size(); ++row) names.emplace((*trace)->name(SliceId{row}));
    EXPECT_TRUE(names.contains("attention"));
    EXPECT_EQ(names.contains("softmax"), one.id == "naive.plain");
    EXPECT_NE((*trace)->title().find(one.id == "naive.plain" ? "Naive" : "SDPA"), std::string::npos);
  }
}

TEST(ControlledRun, GoesOnWithoutTheOneThatCrashes) {
  const Folder folder("crash");
  RunPlan plan = smallPlan(folder);
  plan.testHooks = {{.implementation = "sdpa.math", .phase = RunPhase::kTime, .round = 2, .action = "crash"}};
  const RunResult result = resultOf(plan);
  ASSERT_EQ(result.ending, RunEnding::kComplete) << result.endingReason;
  ASSERT_TRUE(result.implementations[1].failure.has_value());
  EXPECT_EQ(result.implementations[1].failure->phase, RunPhase::kTime);
  for (const std::size_t other : {std::size_t{0}, std::size_t{2}}) {
    EXPECT_EQ(result.implementations[other].samples.size(), 4u);
    EXPECT_TRUE(fs::exists(result.implementations[other].traceFile));
  }
}

TEST(ControlledRun, RunsTheFirstAgainUnderAnotherName) {
  const Folder folder("again");
  RunPlan plan = smallPlan(folder);
  plan.implementations = {"sdpa.flash", "naive.plain", "naive.inplace"};
  plan.profiling = Profiling::kSkip;
  plan.testHooks = {{.implementation = "naive.plain", .action = "again"},
                    {.implementation = "naive.inplace", .action = "again-slower"}};
  const RunResult result = resultOf(plan);
  ASSERT_EQ(result.ending, RunEnding::kComplete) << result.endingReason;
  for (const ImplementationResult& one : result.implementations) {
    EXPECT_EQ(one.peakBytes, result.implementations[0].peakBytes) << one.id;
    EXPECT_EQ(one.error->relativeL2, result.implementations[0].error->relativeL2) << one.id;
    EXPECT_EQ(one.samples.size(), 4u) << one.id;
  }
}

// 4 matrices of scores of 256 MiB do not fit, a fused kernel does; with backward too.
TEST(ControlledRun, RefusesAtOnceWhatIsPredictedOverTheBudget) {
  const Folder folder("budget");
  RunPlan plan = smallPlan(folder);
  plan.problem.heads = plan.problem.keyValueHeads = 1;
  plan.problem.queryLength = plan.problem.keyValueLength = 8192;
  plan.problem.headSize = plan.problem.valueHeadSize = 16;
  plan.implementations = {"naive.plain", "sdpa.flash"};
  plan.rounds = 1;
  plan.profiling = Profiling::kSkip;
  plan.memoryBudgetBytes = 1ull << 30;
  for (const Pass pass : {Pass::kForward, Pass::kForwardBackward}) {
    plan.problem.pass = pass;
    const RunResult result = resultOf(plan);
    ASSERT_EQ(result.ending, RunEnding::kComplete) << result.endingReason;
    ASSERT_TRUE(result.implementations[0].failure.has_value());
    EXPECT_EQ(result.implementations[0].failure->phase, RunPhase::kAllocate);
    EXPECT_NE(result.implementations[0].failure->reason.find("the budget is 1.0 GiB"), std::string::npos)
        << result.implementations[0].failure->reason;
    EXPECT_FALSE(result.implementations[1].failure.has_value());
    EXPECT_EQ(result.implementations[1].samples.size(), 1u);
  }
}

// Hours of reference otherwise.
TEST(ControlledRun, ComputesNoReferenceForARunThatCannotFit) {
  const Folder folder("nothing-fits");
  RunPlan plan = smallPlan(folder);
  plan.problem.queryLength = plan.problem.keyValueLength = 1 << 20;
  plan.implementations = {"naive.plain"};
  plan.memoryBudgetBytes = 2ull << 30;
  const auto start = std::chrono::steady_clock::now();
  const RunResult result = resultOf(plan);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
  EXPECT_EQ(result.ending, RunEnding::kFailed);
  ASSERT_TRUE(result.implementations[0].failure.has_value());
  EXPECT_EQ(result.implementations[0].failure->phase, RunPhase::kAllocate);
}

// The reference of a quarter of a million keys takes minutes, and every block of it hears a cancel.
TEST(ControlledRun, EndsWithinASecondOfACancelInTheReference) {
  const Folder folder("cancelled-reference");
  RunPlan plan = smallPlan(folder);
  plan.problem.queryLength = plan.problem.keyValueLength = 1 << 18;
  plan.implementations = {"sdpa.flash"};
  std::atomic<bool> checking = false;
  RunResult result;
  RunObserver observer;
  observer.changed = [&](const RunState& state) { checking = checking || state.stage() == RunStage::kChecking; };
  observer.finished = [&](const RunResult& finished) { result = finished; };
  RunController controller({{ATTNSCOPE_BIN_DIR "/attnscope-runner", "run"}, {}}, {}, observer);
  ASSERT_TRUE(controller.start(plan).has_value());
  for (int wait = 0; wait < 600 && !checking; ++wait) std::this_thread::sleep_for(std::chrono::milliseconds(50));
  ASSERT_TRUE(checking);
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  const auto cancelled = std::chrono::steady_clock::now();
  controller.cancel();
  controller.wait();
  EXPECT_LT(std::chrono::steady_clock::now() - cancelled, std::chrono::seconds(1));
  EXPECT_EQ(result.ending, RunEnding::kCancelled);
}

}  // namespace
}  // namespace attnscope
