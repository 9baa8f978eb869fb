// SPDX-License-Identifier: Apache-2.0
// The controller against a runner that misbehaves in every way. Each test is short: deadlines are fractions of a
// second.

#include "core/session/RunController.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <map>
#include <mutex>
#include <set>
#include <thread>

namespace attnscope {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using testing::HasSubstr;
using Clock = std::chrono::steady_clock;

class RunControllerTest : public testing::Test {
 protected:
  RunControllerTest() {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    std::string name = std::string("session-") + test->name();
    std::replace(name.begin(), name.end(), '/', '-');
    m_folder = fs::current_path() / name;
    fs::remove_all(m_folder);
    fs::create_directory(m_folder);
    m_plan.implementations = {"naive.plain", "sdpa.math", "sdpa.flash"};
    m_plan.rounds = 8;
    m_plan.noiseBlocks = 0;
    m_plan.traceFolder = m_folder.string();
    m_timeouts.hello = milliseconds(20'000);
    m_timeouts.betweenLines = milliseconds(20'000);
    m_timeouts.terminateAfter = milliseconds(100);
    m_timeouts.killAfter = milliseconds(250);
    m_timeouts.endAfterDone = milliseconds(200);
    m_timeouts.endAfterClosing = milliseconds(100);
  }
  ~RunControllerTest() override { fs::remove_all(m_folder); }

  RunController makeController(std::vector<std::string> options) {
    std::vector<std::string> arguments = {ATTNSCOPE_FAKE_RUNNER};
    arguments.insert(arguments.end(), options.begin(), options.end());
    RunObserver observer;
    observer.changed = [this](const RunState& state) {
      const std::scoped_lock lock(m_mutex);
      m_stages.insert(state.stage());
      m_runners.insert(state.runnerProcessId());
      m_restarts = state.restarts();
    };
    observer.sampled = [this](const SampleMessage&) {
      const std::scoped_lock lock(m_mutex);
      ++m_samples;
    };
    observer.logged = [this](const std::string& line) {
      const std::scoped_lock lock(m_mutex);
      m_log.push_back(line);
    };
    observer.finished = [this](const RunResult& result) {
      const std::scoped_lock lock(m_mutex);
      m_result = result;
      ++m_finished;
    };
    return RunController({arguments, {}}, m_timeouts, observer);
  }

  RunResult runWith(std::vector<std::string> options) {
    RunController controller = makeController(std::move(options));
    EXPECT_TRUE(controller.start(m_plan));
    controller.wait();
    EXPECT_FALSE(controller.running());
    EXPECT_EQ(m_finished, 1);
    return m_result;
  }

  // Waits until the run has entered the stage.
  bool reaches(RunStage stage) {
    const auto end = Clock::now() + std::chrono::seconds(5);
    while (Clock::now() < end) {
      {
        const std::scoped_lock lock(m_mutex);
        if (m_stages.count(stage) > 0) return true;
      }
      std::this_thread::sleep_for(milliseconds(2));
    }
    return false;
  }

  int sampleCount() {
    const std::scoped_lock lock(m_mutex);
    return m_samples;
  }

  // A runner that is gone with its whole group. What it started and was killed with it is reaped by the system, soon.
  void expectNoRunnerLeft() {
    const std::scoped_lock lock(m_mutex);
    const auto end = Clock::now() + std::chrono::seconds(10);
    for (const std::int64_t id : m_runners) {
      if (id <= 0) continue;
      const auto isThere = [id] { return ::kill(static_cast<pid_t>(-id), 0) == 0; };
      while (isThere() && Clock::now() < end) std::this_thread::sleep_for(milliseconds(2));
      EXPECT_FALSE(isThere()) << "runner " << id << " is still there";
    }
  }

  RunPlan m_plan;
  RunTimeouts m_timeouts;
  fs::path m_folder;
  std::mutex m_mutex;
  std::set<RunStage> m_stages;
  std::set<std::int64_t> m_runners;
  std::vector<std::string> m_log;
  RunResult m_result;
  int m_samples = 0;
  int m_finished = 0;
  int m_restarts = 0;
};

TEST_F(RunControllerTest, RunsAPlanToTheEnd) {
  const RunResult result = runWith({});
  EXPECT_EQ(result.ending, RunEnding::kComplete) << result.endingReason;
  EXPECT_EQ(result.completeRounds, 8);
  EXPECT_EQ(m_samples, 24);
  EXPECT_EQ(result.environment.libtorch, "fake");
  for (const ImplementationResult& implementation : result.implementations) {
    EXPECT_EQ(implementation.samples.size(), 8u);
    EXPECT_EQ(implementation.peakBytes, 1000);
    EXPECT_TRUE(fs::exists(implementation.traceFile)) << implementation.traceFile;
    EXPECT_FALSE(implementation.failure);
  }
  for (const RunStage stage : {RunStage::kStarting, RunStage::kAllocating, RunStage::kChecking, RunStage::kWarming,
                               RunStage::kTiming, RunStage::kProfiling, RunStage::kWriting, RunStage::kDone}) {
    EXPECT_EQ(m_stages.count(stage), 1u) << toString(stage);
  }
  expectNoRunnerLeft();
}

TEST_F(RunControllerTest, RunsTwiceOneAfterTheOther) {
  RunController controller = makeController({"--sample-ms", "20"});
  ASSERT_TRUE(controller.start(m_plan));
  EXPECT_FALSE(controller.start(m_plan)) << "a run is on";
  controller.wait();
  ASSERT_TRUE(controller.start(m_plan));
  controller.wait();
  EXPECT_EQ(m_finished, 2);
}

// --- Crashes: the others go on ----------------------------------------------------------------------------------

struct Crash {
  const char* action;
  const char* phase;
  const char* says;
};

class RunControllerCrashTest : public RunControllerTest, public testing::WithParamInterface<Crash> {};

TEST_P(RunControllerCrashTest, ANewRunnerGoesOnWithoutTheOffender) {
  const Crash crash = GetParam();
  std::vector<std::string> options = {"--do", crash.action, "--at", crash.phase, "--implementation", "sdpa.math"};
  if (std::string(crash.phase) == "time") options.insert(options.end(), {"--round", "3"});
  const RunResult result = runWith(options);
  EXPECT_EQ(result.ending, RunEnding::kComplete) << result.endingReason;
  EXPECT_EQ(m_restarts, 1);
  ASSERT_TRUE(result.implementations[1].failure);
  EXPECT_EQ(toString(result.implementations[1].failure->phase), crash.phase);
  EXPECT_THAT(result.implementations[1].failure->reason, HasSubstr(crash.says));
  for (const std::size_t other : {0u, 2u}) {
    EXPECT_FALSE(result.implementations[other].failure);
    EXPECT_EQ(result.implementations[other].samples.size(), 8u);
    EXPECT_TRUE(fs::exists(result.implementations[other].traceFile));
  }
  EXPECT_THAT(result.implementations[2].traceFile, HasSubstr("C-sdpa.flash.json"));
  ASSERT_EQ(result.warnings.size(), 1u);
  EXPECT_THAT(result.warnings[0], HasSubstr("sdpa.math"));
  expectNoRunnerLeft();
}

INSTANTIATE_TEST_SUITE_P(All, RunControllerCrashTest,
                         testing::Values(Crash{"crash", "allocate", "signal 11"}, Crash{"crash", "check", "signal 11"},
                                         Crash{"crash", "warm-up", "signal 11"}, Crash{"crash", "time", "signal 11"},
                                         Crash{"crash", "profile", "signal 11"}, Crash{"kill", "time", "signal 9"},
                                         Crash{"abort", "check", "signal 6"}, Crash{"exit", "time", "exit code 7"},
                                         Crash{"log-and-exit", "check", "terminate called after throwing"},
                                         Crash{"out-of-memory", "allocate", "ran out of memory"},
                                         Crash{"hang", "check", "did not come back"},
                                         Crash{"hang", "time", "did not come back"},
                                         Crash{"close-output", "time", "closed its output"}),
                         [](const auto& test) {
                           std::string name = std::string(test.param.action) + "In" + test.param.phase;
                           std::erase(name, '-');
                           return name;
                         });

TEST_F(RunControllerTest, SamplesOfEarlierRoundsAreKeptAfterACrash) {
  const RunResult result = runWith({"--do", "crash", "--at", "time", "--implementation", "sdpa.math", "--round", "3"});
  EXPECT_EQ(result.implementations[1].samples.size(), 3u);
  EXPECT_EQ(result.implementations[0].samples.size(), 8u);
}

TEST_F(RunControllerTest, ACrashOfTheLastOneFailsTheRun) {
  m_plan.implementations = {"sdpa.flash"};
  const RunResult result = runWith({"--do", "crash", "--at", "check"});
  EXPECT_EQ(result.ending, RunEnding::kFailed);
  EXPECT_THAT(result.endingReason, HasSubstr("sdpa.flash: the runner ended with signal 11"));
}

TEST_F(RunControllerTest, ACrashOfEachFailsTheRun) {
  const RunResult result = runWith({"--do", "crash", "--at", "check"});
  EXPECT_EQ(result.ending, RunEnding::kFailed);
  EXPECT_EQ(m_restarts, 2);
}

TEST_F(RunControllerTest, ACrashOfNoImplementationKeepsWhatIsThere) {
  const RunResult result = runWith({"--do", "crash", "--at", "write"});
  EXPECT_EQ(result.ending, RunEnding::kFailed);
  EXPECT_EQ(result.completeRounds, 8);
  EXPECT_EQ(result.implementations[0].samples.size(), 8u);
}

// --- What a runner says ---------------------------------------------------------------------------------------------

TEST_F(RunControllerTest, AWrongResultIsNotTimed) {
  const RunResult result = runWith({"--do", "wrong-result", "--at", "check", "--implementation", "sdpa.math"});
  EXPECT_EQ(result.ending, RunEnding::kComplete);
  EXPECT_EQ(m_restarts, 0);
  EXPECT_TRUE(result.implementations[1].samples.empty());
  EXPECT_EQ(result.implementations[1].failure->reason,
            "its result is wrong: relative error 0.5 against float64 reference, the limit is 1e-05");
  EXPECT_EQ(result.completeRounds, 8);
}

TEST_F(RunControllerTest, AFailureAndARefusalLeaveTheOthers) {
  const RunResult failed = runWith({"--do", "fail", "--at", "check", "--implementation", "sdpa.math"});
  EXPECT_EQ(failed.implementations[1].failure->reason, "asked for 64.0 GiB");
  m_finished = 0;
  const RunResult refused = runWith({"--do", "refuse", "--at", "allocate", "--implementation", "sdpa.math"});
  EXPECT_FALSE(refused.implementations[1].available);
  EXPECT_EQ(refused.implementations[1].reason, "not on this CPU");
  EXPECT_EQ(refused.completeRounds, 8);
}

struct Broken {
  const char* name;
  std::vector<std::string> options;
  const char* says;
};

class RunControllerBrokenTest : public RunControllerTest, public testing::WithParamInterface<Broken> {};

TEST_P(RunControllerBrokenTest, TheRunFailsInWords) {
  if (std::string(GetParam().name) == "silent") m_timeouts.hello = milliseconds(300);
  const RunResult result = runWith(GetParam().options);
  EXPECT_EQ(result.ending, RunEnding::kFailed);
  EXPECT_THAT(result.endingReason, HasSubstr(GetParam().says));
  expectNoRunnerLeft();
}

INSTANTIATE_TEST_SUITE_P(
    All, RunControllerBrokenTest,
    testing::Values(Broken{"garbage", {"--do", "garbage", "--at", "start"}, "a line is not JSON: hello, world"},
                    Broken{"noHello", {"--do", "no-hello", "--at", "start"}, "did not say hello first"},
                    Broken{"garbageLater", {"--do", "garbage", "--at", "time"}, "not JSON: Segmentation fault"},
                    Broken{"newer", {"--do", "newer"}, "speaks protocol 2 and this program 1"},
                    Broken{"silent", {"--do", "hang", "--at", "start"}, "did not answer within 0.3 s"},
                    Broken{"exitsAtOnce", {"--do", "exit", "--at", "start"}, "exit code 127"},
                    Broken{"badPlan", {"--do", "bad-plan"}, "could not read the plan"},
                    Broken{"longLine", {"--do", "long-line", "--at", "start"}, "a line without end"},
                    Broken{"deviceGone", {"--do", "stop-run", "--at", "check"}, "the device is gone"}),
    [](const auto& test) { return test.param.name; });

TEST_F(RunControllerTest, ARunnerThatIsNotThere) {
  RunObserver observer;
  observer.finished = [this](const RunResult& result) { m_result = result; };
  RunController controller({{"/no/such/attnscope-runner"}, {}}, m_timeouts, observer);
  ASSERT_TRUE(controller.start(m_plan));
  controller.wait();
  EXPECT_EQ(m_result.ending, RunEnding::kFailed);
  EXPECT_THAT(m_result.endingReason, HasSubstr("/no/such/attnscope-runner could not be started (No such file"));
}

TEST_F(RunControllerTest, APlanThatCannotRunStartsNothing) {
  m_plan.problem.keyValueHeads = 3;
  const RunResult result = runWith({});
  EXPECT_EQ(result.ending, RunEnding::kFailed);
  EXPECT_EQ(result.endingReason, "3 does not divide 8 heads. Use 1, 2, 4 or 8.");
  EXPECT_EQ(m_runners.count(0), m_runners.size());
}

// --- Cancel
// -----------------------------------------------------------------------------------------------------------

class RunControllerCancelTest : public RunControllerTest, public testing::WithParamInterface<RunStage> {};

TEST_P(RunControllerCancelTest, InEveryStageAHungRunnerIsStopped) {
  static const std::map<RunStage, std::string> phases = {
      {RunStage::kStarting, "start"},  {RunStage::kAllocating, "allocate"}, {RunStage::kChecking, "check"},
      {RunStage::kWarming, "warm-up"}, {RunStage::kTiming, "time"},         {RunStage::kProfiling, "profile"},
      {RunStage::kWriting, "write"}};
  m_timeouts.terminateAfter = milliseconds(20);
  // The deadline does not strike first.
  RunController controller = makeController({"--do", "hang", "--at", phases.at(GetParam()), "--deadline-ms", "20000"});
  ASSERT_TRUE(controller.start(m_plan));
  ASSERT_TRUE(reaches(GetParam()));
  controller.cancel();
  controller.wait();
  EXPECT_EQ(m_result.ending, RunEnding::kCancelled) << m_result.endingReason;
  EXPECT_EQ(m_restarts, 0);
  expectNoRunnerLeft();
}

INSTANTIATE_TEST_SUITE_P(All, RunControllerCancelTest,
                         testing::Values(RunStage::kStarting, RunStage::kAllocating, RunStage::kChecking,
                                         RunStage::kWarming, RunStage::kTiming, RunStage::kProfiling,
                                         RunStage::kWriting),
                         [](const auto& test) {
                           std::string name(toString(test.param));
                           std::erase(name, ' ');
                           return name;
                         });

TEST_F(RunControllerTest, ACancelKeepsCompleteRounds) {
  m_timeouts.terminateAfter = milliseconds(5'000);
  m_timeouts.killAfter = milliseconds(10'000);
  m_plan.rounds = 1000;
  RunController controller = makeController({"--sample-ms", "2"});
  ASSERT_TRUE(controller.start(m_plan));
  ASSERT_TRUE(reaches(RunStage::kTiming));
  while (sampleCount() < 9) std::this_thread::sleep_for(milliseconds(2));
  const auto asked = Clock::now();
  controller.cancel();
  controller.wait();
  EXPECT_LT(Clock::now() - asked, m_timeouts.terminateAfter) << "it ended by itself";
  EXPECT_EQ(m_result.ending, RunEnding::kCancelled);
  ASSERT_GT(m_result.completeRounds, 0);
  for (const ImplementationResult& implementation : m_result.implementations) {
    EXPECT_EQ(implementation.samples.size(), static_cast<std::size_t>(m_result.completeRounds));
  }
}

TEST_F(RunControllerTest, ADeafRunnerIsTerminated) {
  m_timeouts.killAfter = milliseconds(10'000);
  m_plan.rounds = 100000;
  RunController controller = makeController({"--deaf", "--sample-ms", "1"});
  ASSERT_TRUE(controller.start(m_plan));
  ASSERT_TRUE(reaches(RunStage::kTiming));
  const auto asked = Clock::now();
  controller.cancel();
  controller.wait();
  EXPECT_GE(Clock::now() - asked, m_timeouts.terminateAfter);
  EXPECT_LT(Clock::now() - asked, m_timeouts.killAfter);
  EXPECT_EQ(m_result.ending, RunEnding::kCancelled);
}

TEST_F(RunControllerTest, AStubbornRunnerIsKilled) {
  m_plan.rounds = 100000;
  RunController controller = makeController({"--stubborn", "--sample-ms", "1"});
  ASSERT_TRUE(controller.start(m_plan));
  ASSERT_TRUE(reaches(RunStage::kTiming));
  const auto asked = Clock::now();
  controller.cancel();
  controller.wait();
  EXPECT_GE(Clock::now() - asked, m_timeouts.killAfter);
  EXPECT_EQ(m_result.ending, RunEnding::kCancelled);
  expectNoRunnerLeft();
}

TEST_F(RunControllerTest, AControllerThatGoesAwayKillsItsRunner) {
  m_plan.rounds = 100000;
  {
    RunController controller = makeController({"--stubborn", "--sample-ms", "1"});
    ASSERT_TRUE(controller.start(m_plan));
    ASSERT_TRUE(reaches(RunStage::kTiming));
  }
  EXPECT_EQ(m_finished, 1);
  EXPECT_EQ(m_result.ending, RunEnding::kCancelled);
  expectNoRunnerLeft();
}

// As a daemon starts programs: then its own pipes come to lie where the runner's streams belong.
TEST_F(RunControllerTest, RunsWithoutStandardStreams) {
  std::vector<int> saved;
  for (int fd = 0; fd < 3; ++fd) saved.push_back(::fcntl(fd, F_DUPFD_CLOEXEC, 100));
  for (int fd = 0; fd < 3; ++fd) ::close(fd);
  const RunResult result = runWith({});
  for (int fd = 0; fd < 3; ++fd) {
    ::dup2(saved[static_cast<std::size_t>(fd)], fd);
    ::close(saved[static_cast<std::size_t>(fd)]);
  }
  EXPECT_EQ(result.ending, RunEnding::kComplete) << result.endingReason;
  EXPECT_EQ(result.completeRounds, m_plan.rounds);
}

}  // namespace
}  // namespace attnscope
