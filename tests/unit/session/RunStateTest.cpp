// SPDX-License-Identifier: Apache-2.0
// Each transition of a run, without a process: events in, actions and state out.

#include "core/session/RunState.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace attnscope {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::string kA = "naive.plain";
const std::string kB = "sdpa.math";
const std::string kC = "sdpa.flash";

RunPlan planOf(int rounds = 3) {
  RunPlan plan;
  plan.implementations = {kA, kB, kC};
  plan.rounds = rounds;
  return plan;
}

class RunStateTest : public testing::Test {
 protected:
  std::vector<RunAction> say(const RunnerMessage& message) { return m_state.apply(MessageReceived{message}); }
  void start(RunPlan plan = planOf()) {
    EXPECT_THAT(m_state.apply(RunStarted{std::move(plan)}), ElementsAre(RunAction::kSpawn));
  }
  void hello() { say(HelloMessage{kProtocolVersion, "0.1.0", "2.11.0", 77}); }
  void phase(RunPhase phase, const std::string& id = {}, int round = -1) { say(PhaseMessage{phase, id, round}); }
  void check(const std::string& id, double error = 1e-7) {
    phase(RunPhase::kCheck, id);
    say(CheckedMessage{id, {error, 1e-6, 1e-5, "float64 reference", {}}});
  }
  void sample(const std::string& id, int round) { say(SampleMessage{id, {round, 100 + round, 100, 1}}); }
  void round(int number, const std::vector<std::string>& ids) {
    phase(RunPhase::kTime, {}, number);
    for (const std::string& id : ids) sample(id, number);
  }
  // To the middle of the timing: round 0 is complete, and A has a sample of round 1.
  void time() {
    start();
    hello();
    for (const std::string& id : m_ids) check(id);
    round(0, m_ids);
    phase(RunPhase::kTime, {}, 1);
    sample(kA, 1);
  }
  void enter(RunStage stage) {
    start();
    if (stage == RunStage::kStarting) return;
    hello();
    if (stage == RunStage::kAllocating) phase(RunPhase::kAllocate, kB);
    if (stage == RunStage::kChecking) phase(RunPhase::kCheck, kB);
    if (stage == RunStage::kWarming) phase(RunPhase::kWarmUp, kB);
    if (stage == RunStage::kTiming) {
      phase(RunPhase::kTime, {}, 0);
      say(HeartbeatMessage{kB, 1});
    }
    if (stage == RunStage::kProfiling) phase(RunPhase::kProfile, kB);
    if (stage == RunStage::kWriting) phase(RunPhase::kWrite);
  }

  const std::vector<std::string> m_ids = {kA, kB, kC};
  RunState m_state;
};

constexpr std::array kStages = {RunStage::kStarting, RunStage::kAllocating, RunStage::kChecking, RunStage::kWarming,
                                RunStage::kTiming,   RunStage::kProfiling,  RunStage::kWriting};

TEST_F(RunStateTest, IdleHearsNothingButAStart) {
  EXPECT_THAT(m_state.apply(CancelRequested{}), IsEmpty());
  EXPECT_THAT(m_state.apply(RunnerEnded{0, {}, {}}), IsEmpty());
  EXPECT_THAT(say(DoneMessage{}), IsEmpty());
  EXPECT_EQ(m_state.stage(), RunStage::kIdle);
}

TEST_F(RunStateTest, AWholeRun) {
  RunPlan plan = planOf();
  start(plan);
  EXPECT_EQ(m_state.stage(), RunStage::kStarting);
  EXPECT_EQ(m_state.messageForRunner().plan, plan);
  hello();
  EXPECT_EQ(m_state.runnerProcessId(), 77);
  RunEnvironment environment;
  environment.cpu = "A CPU";
  say(EnvironmentMessage{environment});
  EXPECT_EQ(m_state.result().environment.cpu, "A CPU");
  for (const std::string& id : m_ids) phase(RunPhase::kAllocate, id);
  EXPECT_EQ(m_state.stage(), RunStage::kAllocating);
  EXPECT_EQ(m_state.implementation(2).stage, ImplementationStage::kAllocating);
  phase(RunPhase::kCheck, kA);
  EXPECT_EQ(m_state.stage(), RunStage::kChecking);
  EXPECT_EQ(m_state.current(), 0u);
  EXPECT_EQ(m_state.implementation(0).stage, ImplementationStage::kChecking);
  for (const std::string& id : m_ids) {
    check(id);
    say(PeakMessage{id, 12});
  }
  EXPECT_EQ(m_state.implementation(0).stage, ImplementationStage::kChecked);
  EXPECT_EQ(m_state.result().implementations[0].peakBytes, 12);
  for (const std::string& id : m_ids) {
    phase(RunPhase::kWarmUp, id);
    EXPECT_EQ(m_state.stage(), RunStage::kWarming);
    say(WarmedMessage{id, 1000, 20, 14});
  }
  EXPECT_EQ(m_state.implementation(1).stage, ImplementationStage::kReady);
  EXPECT_EQ(m_state.implementation(1).callsPerSample, 20);
  for (int number = 0; number < 3; ++number) {
    round(number, {kC, kA, kB});
    EXPECT_EQ(m_state.stage(), RunStage::kTiming);
    EXPECT_EQ(m_state.round(), number);
    EXPECT_EQ(m_state.implementation(1).stage, ImplementationStage::kTiming);
  }
  say(NoiseMessage{{0, {}, {}}});
  EXPECT_EQ(m_state.noisePairs(), 1);
  for (const std::string& id : m_ids) {
    phase(RunPhase::kProfile, id);
    EXPECT_EQ(m_state.stage(), RunStage::kProfiling);
    EXPECT_EQ(m_state.implementation(*m_state.current()).stage, ImplementationStage::kProfiling);
    say(TraceMessage{id, "folder/" + id, 5});
  }
  EXPECT_EQ(m_state.implementation(0).stage, ImplementationStage::kDone);
  phase(RunPhase::kWrite);
  EXPECT_EQ(m_state.stage(), RunStage::kWriting);
  EXPECT_FALSE(m_state.expectsEnd());
  say(DoneMessage{});
  EXPECT_TRUE(m_state.expectsEnd());
  EXPECT_EQ(m_state.stage(), RunStage::kWriting) << "the process is still there";
  EXPECT_THAT(m_state.apply(RunnerEnded{0, {}, {}}), IsEmpty());
  EXPECT_EQ(m_state.stage(), RunStage::kDone);
  EXPECT_EQ(m_state.result().ending, RunEnding::kComplete);
  EXPECT_EQ(m_state.result().completeRounds, 3);
  EXPECT_EQ(m_state.result().implementations[2].traceFile, "folder/sdpa.flash");
}

TEST_F(RunStateTest, WithoutProfilingTimedIsDone) {
  start(planOf(1));
  hello();
  round(0, m_ids);
  phase(RunPhase::kWrite);
  EXPECT_EQ(m_state.implementation(0).stage, ImplementationStage::kTimed);
  say(DoneMessage{});
  m_state.apply(RunnerEnded{0, {}, {}});
  EXPECT_EQ(m_state.implementation(0).stage, ImplementationStage::kDone);
}

// --- Plans that start nothing -----------------------------------------------------------------------------------

TEST_F(RunStateTest, PlansThatCannotRunFailInWords) {
  const auto endingOf = [](RunPlan plan) {
    RunState state;
    EXPECT_THAT(state.apply(RunStarted{std::move(plan)}), IsEmpty());
    EXPECT_EQ(state.stage(), RunStage::kFailed);
    return state.result().endingReason;
  };
  RunPlan none = planOf();
  none.implementations.clear();
  EXPECT_THAT(endingOf(none), HasSubstr("no implementation was chosen"));
  RunPlan twice = planOf();
  twice.implementations = {kA, kA};
  EXPECT_THAT(endingOf(twice), HasSubstr("chosen twice"));
  RunPlan rounds = planOf(0);
  EXPECT_THAT(endingOf(rounds), HasSubstr("0 rounds"));
  RunPlan threads = planOf();
  threads.threads = 0;
  EXPECT_THAT(endingOf(threads), HasSubstr("0 threads"));
  RunPlan problem = planOf();
  problem.problem.headSize = 0;
  EXPECT_THAT(endingOf(problem), HasSubstr("head size"));
  RunPlan refused = planOf();
  refused.implementations = {"sdpa.cudnn", "no.such"};
  EXPECT_THAT(endingOf(refused), HasSubstr("none of the chosen implementations"));
}

TEST_F(RunStateTest, RefusedByItsCardIsNotSentToTheRunner) {
  RunPlan plan = planOf();
  plan.implementations = {kA, "sdpa.cudnn", kC};
  start(plan);
  EXPECT_EQ(m_state.implementation(1).stage, ImplementationStage::kRefused);
  const PlanMessage message = m_state.messageForRunner();
  EXPECT_THAT(message.plan.implementations, ElementsAre(kA, kC));
  EXPECT_THAT(message.continuation.letters, ElementsAre(0u, 2u));
}

TEST_F(RunStateTest, ASecondStartIsForWhenTheFirstHasEnded) {
  start();
  EXPECT_THAT(m_state.apply(RunStarted{planOf()}), IsEmpty());
  m_state.apply(StartFailed{"the runner could not be started"});
  EXPECT_EQ(m_state.stage(), RunStage::kFailed);
  EXPECT_EQ(m_state.result().endingReason, "the runner could not be started");
  start();
  EXPECT_EQ(m_state.stage(), RunStage::kStarting);
  EXPECT_EQ(m_state.result().endingReason, "");
}

// --- Wrong, refused, failed ---------------------------------------------------------------------------------------

TEST_F(RunStateTest, AWrongResultEndsThatImplementationAlone) {
  start();
  hello();
  check(kB, 0.5);
  EXPECT_EQ(m_state.implementation(1).stage, ImplementationStage::kFailed);
  EXPECT_THAT(m_state.result().implementations[1].failure->reason, HasSubstr("relative error 0.5"));
  round(0, m_ids);
  EXPECT_TRUE(m_state.result().implementations[1].samples.empty()) << "a wrong result has no time";
  EXPECT_EQ(m_state.implementation(1).stage, ImplementationStage::kFailed);
}

TEST_F(RunStateTest, RefusedAndFailedByTheRunner) {
  start();
  hello();
  say(RefusedMessage{kA, "not on this CPU"});
  EXPECT_EQ(m_state.implementation(0).stage, ImplementationStage::kRefused);
  EXPECT_FALSE(m_state.result().implementations[0].available);
  say(FailureMessage{kB, RunPhase::kWarmUp, "ran out of memory"});
  EXPECT_EQ(m_state.result().implementations[1].failure, (RunFailure{RunPhase::kWarmUp, "ran out of memory"}));
  say(FailureMessage{{}, RunPhase::kWarmUp, "the device is gone"});
  EXPECT_TRUE(m_state.expectsEnd());
  m_state.apply(RunnerEnded{4, {}, {}});
  EXPECT_EQ(m_state.stage(), RunStage::kFailed);
  EXPECT_EQ(m_state.result().endingReason, "the device is gone");
}

TEST_F(RunStateTest, DoneWithoutATimeIsNoSuccess) {
  start();
  hello();
  say(DoneMessage{});
  m_state.apply(RunnerEnded{0, {}, {}});
  EXPECT_EQ(m_state.stage(), RunStage::kFailed);
  EXPECT_EQ(m_state.implementation(0).stage, ImplementationStage::kFailed);
}

TEST_F(RunStateTest, MessagesOfUnknownImplementationsChangeNothing) {
  time();
  const RunResult before = m_state.result();
  say(SampleMessage{"no.such", {1, 1, 1, 1}});
  say(PeakMessage{"no.such", 1});
  say(CheckedMessage{"no.such", {}});
  say(RefusedMessage{"no.such", "x"});
  say(FailureMessage{"no.such", RunPhase::kTime, "x"});
  say(TraceMessage{"no.such", "x", 1});
  say(WarmedMessage{"no.such", 1, 1, 1});
  EXPECT_EQ(m_state.result(), before);
}

TEST_F(RunStateTest, WarningsAreKeptWithTheirImplementation) {
  start();
  say(WarningMessage{{}, "the machine is loaded"});
  say(WarningMessage{kA, "its times drift"});
  EXPECT_THAT(m_state.result().warnings, ElementsAre("the machine is loaded", "naive.plain: its times drift"));
}

// --- Crashes
// ----------------------------------------------------------------------------------------------------------

TEST_F(RunStateTest, ACrashWhileTimingGoesOnFromTheLastCompleteRound) {
  time();
  say(HeartbeatMessage{kB, 1});
  EXPECT_THAT(m_state.apply(RunnerEnded{{}, 11, {}}), ElementsAre(RunAction::kSpawn));
  EXPECT_EQ(m_state.stage(), RunStage::kStarting);
  EXPECT_EQ(m_state.restarts(), 1);
  EXPECT_EQ(m_state.implementation(1).stage, ImplementationStage::kFailed);
  EXPECT_EQ(m_state.implementation(0).stage, ImplementationStage::kWaiting);
  const PlanMessage message = m_state.messageForRunner();
  EXPECT_THAT(message.plan.implementations, ElementsAre(kA, kC));
  EXPECT_EQ(message.continuation.firstRound, 1);
  EXPECT_EQ(m_state.result().implementations[0].samples.size(), 1u) << "round 1 is not complete: it is done again";
  EXPECT_THAT(m_state.result().warnings, ElementsAre(HasSubstr("a new runner went on with the others")));
  hello();
  round(1, {kA, kC});
  round(2, {kA, kC});
  say(DoneMessage{});
  m_state.apply(RunnerEnded{0, {}, {}});
  EXPECT_EQ(m_state.stage(), RunStage::kDone);
  EXPECT_EQ(m_state.result().completeRounds, 3);
  EXPECT_EQ(m_state.result().implementations[1].samples.size(), 1u) << "what it had of complete rounds is kept";
}

TEST_F(RunStateTest, ACrashWhileProfilingKeepsTimesAndTraces) {
  start(planOf(1));
  hello();
  round(0, m_ids);
  phase(RunPhase::kProfile, kA);
  say(TraceMessage{kA, "A.json", 1});
  phase(RunPhase::kProfile, kB);
  EXPECT_THAT(m_state.apply(RunnerEnded{{}, 6, {}}), ElementsAre(RunAction::kSpawn));
  EXPECT_EQ(m_state.result().implementations[1].samples.size(), 1u);
  EXPECT_EQ(m_state.result().implementations[1].failure->phase, RunPhase::kProfile);
  EXPECT_THAT(m_state.messageForRunner().continuation.withTrace, ElementsAre(kA));
  EXPECT_EQ(m_state.messageForRunner().continuation.firstRound, 1);
}

TEST_F(RunStateTest, WithoutAnOffenderTheRunFails) {
  for (const RunStage stage : {RunStage::kStarting, RunStage::kWriting}) {
    m_state = RunState{};
    enter(stage);
    EXPECT_THAT(m_state.apply(RunnerEnded{{}, 11, {}}), IsEmpty()) << toString(stage);
    EXPECT_EQ(m_state.stage(), RunStage::kFailed);
    EXPECT_THAT(m_state.result().endingReason, HasSubstr("signal 11"));
  }
}

TEST_F(RunStateTest, WithAnOffenderEveryStageStartsAgain) {
  for (const RunStage stage : kStages) {
    if (stage == RunStage::kStarting || stage == RunStage::kWriting) continue;
    m_state = RunState{};
    enter(stage);
    ASSERT_EQ(m_state.stage(), stage);
    EXPECT_THAT(m_state.apply(RunnerEnded{{}, 9, {}}), ElementsAre(RunAction::kSpawn)) << toString(stage);
    EXPECT_EQ(m_state.stage(), RunStage::kStarting);
    EXPECT_THAT(m_state.result().implementations[1].failure->reason, HasSubstr("for want of memory"));
  }
}

TEST_F(RunStateTest, HowARunnerEndedIsSaidInWords) {
  const auto reasonOf = [this](const RunnerEnded& ended) {
    m_state = RunState{};
    enter(RunStage::kChecking);
    m_state.apply(ended);
    return m_state.result().implementations[1].failure ? m_state.result().implementations[1].failure->reason
                                                       : m_state.result().endingReason;
  };
  EXPECT_EQ(reasonOf({kRunnerExitOutOfMemory, {}, {}}), "ran out of memory");
  EXPECT_EQ(reasonOf({7, {}, {}}), "the runner ended with exit code 7 before it was done");
  EXPECT_EQ(reasonOf({0, {}, {}}), "the runner ended with exit code 0 before it was done");
  EXPECT_EQ(reasonOf({{}, 31, "bad system call"}), "the runner ended with signal 31 (it said: bad system call)");
  EXPECT_THAT(reasonOf({{}, 4, {}}), HasSubstr("an instruction that this CPU has not"));
  EXPECT_EQ(reasonOf({kRunnerExitBadPlan, {}, "json"}), "the runner could not read the plan (it said: json)");
  EXPECT_EQ(m_state.stage(), RunStage::kFailed);
}

// --- Silence, broken protocol ----------------------------------------------------------------------------------------

TEST_F(RunStateTest, SilenceKillsAndBlamesTheCurrentOne) {
  enter(RunStage::kTiming);
  EXPECT_THAT(m_state.apply(RunnerSilent{SilenceKind::kDeadlineMissed, 12'000'000'000}), ElementsAre(RunAction::kKill));
  EXPECT_THAT(m_state.apply(RunnerEnded{{}, 9, {}}), ElementsAre(RunAction::kSpawn));
  EXPECT_EQ(m_state.result().implementations[1].failure->reason, "did not come back within 12.0 s and was stopped");
}

TEST_F(RunStateTest, NoHelloFailsTheRun) {
  enter(RunStage::kStarting);
  EXPECT_THAT(m_state.apply(RunnerSilent{SilenceKind::kNoHello, 20'000'000'000}), ElementsAre(RunAction::kKill));
  EXPECT_THAT(m_state.apply(RunnerEnded{{}, 9, {}}), IsEmpty());
  EXPECT_EQ(m_state.stage(), RunStage::kFailed);
  EXPECT_EQ(m_state.result().endingReason, "the runner did not answer within 20.0 s");
}

TEST_F(RunStateTest, ABrokenProtocolFailsTheRunInEveryStage) {
  for (const RunStage stage : kStages) {
    m_state = RunState{};
    enter(stage);
    EXPECT_THAT(m_state.apply(ProtocolBroken{"garbage"}), ElementsAre(RunAction::kKill));
    EXPECT_TRUE(m_state.expectsEnd());
    EXPECT_THAT(m_state.apply(RunnerEnded{{}, 9, {}}), IsEmpty());
    EXPECT_EQ(m_state.stage(), RunStage::kFailed) << toString(stage);
    EXPECT_EQ(m_state.result().endingReason, "garbage");
  }
}

// --- Cancel
// -------------------------------------------------------------------------------------------------------------

TEST_F(RunStateTest, CancelWorksInEveryStage) {
  for (const RunStage stage : kStages) {
    m_state = RunState{};
    enter(stage);
    EXPECT_THAT(m_state.apply(CancelRequested{}), ElementsAre(RunAction::kSendCancel)) << toString(stage);
    EXPECT_TRUE(m_state.cancelling());
    EXPECT_THAT(m_state.apply(CancelRequested{}), IsEmpty()) << "once is enough";
    // However the runner ends now, it is no crash.
    EXPECT_THAT(m_state.apply(RunnerEnded{{}, 15, {}}), IsEmpty());
    EXPECT_EQ(m_state.stage(), RunStage::kCancelled);
    EXPECT_EQ(m_state.result().ending, RunEnding::kCancelled);
  }
}

TEST_F(RunStateTest, CancelKeepsCompleteRoundsAlone) {
  time();
  m_state.apply(CancelRequested{});
  sample(kB, 1);
  say(DoneMessage{true});
  m_state.apply(RunnerEnded{0, {}, {}});
  EXPECT_EQ(m_state.stage(), RunStage::kCancelled);
  EXPECT_EQ(m_state.result().completeRounds, 1);
  for (const ImplementationResult& implementation : m_state.result().implementations) {
    ASSERT_EQ(implementation.samples.size(), 1u);
    EXPECT_EQ(implementation.samples[0].round, 0);
  }
}

TEST_F(RunStateTest, FinalStagesHearNothing) {
  time();
  m_state.apply(CancelRequested{});
  m_state.apply(RunnerEnded{0, {}, {}});
  const RunResult before = m_state.result();
  EXPECT_THAT(m_state.apply(CancelRequested{}), IsEmpty());
  EXPECT_THAT(m_state.apply(RunnerEnded{{}, 11, {}}), IsEmpty());
  EXPECT_THAT(say(SampleMessage{kA, {2, 1, 1, 1}}), IsEmpty());
  EXPECT_THAT(m_state.apply(ProtocolBroken{"x"}), IsEmpty());
  EXPECT_THAT(m_state.apply(StartFailed{"x"}), IsEmpty());
  EXPECT_EQ(m_state.result(), before);
}

TEST_F(RunStateTest, TheStateOfARunThatIsOverFollowsFromItsResult) {
  time();
  say(FailureMessage{kC, RunPhase::kTime, "out of memory"});
  m_state.apply(CancelRequested{});
  m_state.apply(RunnerEnded{0, {}, {}});
  ASSERT_EQ(m_state.stage(), RunStage::kCancelled);
  RunState again = RunState::over(m_state.result());
  EXPECT_EQ(again.stage(), RunStage::kCancelled);
  EXPECT_EQ(again.result(), m_state.result());
  EXPECT_EQ(again.implementation(0).stage, ImplementationStage::kTimed);
  EXPECT_EQ(again.implementation(2).stage, ImplementationStage::kFailed);
  EXPECT_EQ(again.round(), 0);
  EXPECT_FALSE(again.current());
  EXPECT_THAT(again.apply(CancelRequested{}), IsEmpty());  // final

  RunResult result = m_state.result();
  result.ending = RunEnding::kComplete;
  EXPECT_EQ(RunState::over(result).stage(), RunStage::kDone);
  EXPECT_EQ(RunState::over(result).implementation(0).stage, ImplementationStage::kDone);
  result.ending = RunEnding::kFailed;
  result.implementations[0].samples.clear();
  result.implementations[1].available = false;
  EXPECT_EQ(RunState::over(result).stage(), RunStage::kFailed);
  EXPECT_EQ(RunState::over(result).implementation(0).stage, ImplementationStage::kChecked);
  EXPECT_EQ(RunState::over(result).implementation(1).stage, ImplementationStage::kRefused);
  result.implementations[0].error.reset();
  EXPECT_EQ(RunState::over(result).implementation(0).stage, ImplementationStage::kWaiting);
}

TEST_F(RunStateTest, AStateIsAValue) {
  time();
  const RunState kept = m_state;
  m_state.apply(CancelRequested{});
  m_state.apply(RunnerEnded{0, {}, {}});
  EXPECT_EQ(kept.stage(), RunStage::kTiming);
  EXPECT_EQ(kept.result().implementations[0].samples.size(), 2u);
}

TEST_F(RunStateTest, WhoIsOutStaysOutWhateverComesLater) {
  start();
  hello();
  check(kA);
  check(kB, 0.5);
  ASSERT_EQ(m_state.implementation(1).stage, ImplementationStage::kFailed);
  say(WarmedMessage{kB, 100, 1, 3});
  say(TraceMessage{kB, "/tmp/b.json", 5});
  phase(RunPhase::kWarmUp, kB);
  EXPECT_EQ(m_state.implementation(1).stage, ImplementationStage::kFailed);
  EXPECT_TRUE(m_state.result().implementations[1].failure.has_value());
}

TEST_F(RunStateTest, ATimeAboveThePeakOfTheMachineIsRefused) {
  start();
  hello();
  EnvironmentMessage environment;
  environment.environment.peakFlopsPerSecond = 100e9;
  say(environment);
  for (const std::string& id : m_ids) check(id);
  // 2.7 GFLOP in 100 ns.
  for (int number = 0; number < 3; ++number) round(number, m_ids);
  say(DoneMessage{false});
  m_state.apply(RunnerEnded{0, {}, {}});
  EXPECT_EQ(m_state.stage(), RunStage::kFailed);
  EXPECT_THAT(m_state.result().implementations[0].failure->reason, HasSubstr("implausible"));
  EXPECT_EQ(m_state.result().implementations[0].samples.size(), 3u) << "what was measured is kept";
}

}  // namespace
}  // namespace attnscope
