// SPDX-License-Identifier: Apache-2.0
// One run after another leaves nothing behind: no descriptor, no thread, no process, no memory. The quick program makes
// some, the long one (ATTNSCOPE_MANY_RUNS) ten thousand.

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "core/session/RunController.h"

namespace attnscope {
namespace {

#ifdef ATTNSCOPE_MANY_RUNS
constexpr int kRuns = 10'000;
#else
constexpr int kRuns = 200;
#endif

struct Held {
  std::ptrdiff_t descriptors = 0;
  std::ptrdiff_t threads = 0;
  std::ptrdiff_t children = 0;
  std::int64_t residentKiB = 0;
};

std::ptrdiff_t entriesOf(const char* folder) {
  std::error_code failed;
  const std::filesystem::directory_iterator entries(folder, failed);
  return failed ? -1 : std::distance(begin(entries), end(entries));
}

Held held() {
  Held now;
  now.descriptors = entriesOf("/proc/self/fd");
  now.threads = entriesOf("/proc/self/task");
  std::ifstream children("/proc/self/task/" + std::to_string(::getpid()) + "/children");
  now.children = std::distance(std::istream_iterator<int>(children), {});
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    if (word == "VmRSS:") status >> now.residentKiB;
  }
  return now;
}

void runOnce(int number) {
  RunPlan plan;
  plan.implementations = {"naive.plain"};
  plan.rounds = 2;
  plan.noiseBlocks = 0;
  plan.profiling = Profiling::kSkip;
  RunResult result;
  RunObserver observer;
  observer.finished = [&result](const RunResult& finished) { result = finished; };
  // Every fourth ends in the middle.
  std::vector<std::string> arguments = {ATTNSCOPE_FAKE_RUNNER};
  if (number % 4 == 3) arguments.insert(arguments.end(), {"--do", "exit", "--at", "time"});
  RunController controller({arguments, {}}, {}, observer);
  ASSERT_TRUE(controller.start(plan));
  controller.wait();
  ASSERT_EQ(result.ending, number % 4 == 3 ? RunEnding::kFailed : RunEnding::kComplete) << result.endingReason;
}

TEST(ManyRuns, LeaveNothingBehind) {
  constexpr int kFirst = 20;  // the allocator's own arenas have grown by then
  constexpr std::int64_t kAllowedKiB = 4096;
  for (int i = 0; i < kFirst; ++i) ASSERT_NO_FATAL_FAILURE(runOnce(i));
  const Held before = held();
  for (int i = 0; i < kRuns; ++i) ASSERT_NO_FATAL_FAILURE(runOnce(i));
  const Held after = held();
  EXPECT_EQ(after.descriptors, before.descriptors);
  EXPECT_EQ(after.threads, before.threads);
  EXPECT_EQ(after.children, before.children);
  EXPECT_LE(after.residentKiB, before.residentKiB + kAllowedKiB);
}

}  // namespace
}  // namespace attnscope
