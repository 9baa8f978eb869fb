// SPDX-License-Identifier: Apache-2.0
#pragma once

// A run as a state machine that is a value: apply() takes what happened and gives what is to be done. It knows no
// process, clock or thread; RunController brings those. Copyable, so that a view may keep what it draws. One thread
// at a time.
//
//   idle -> starting -> allocating -> checking -> warming -> timing -> profiling -> writing -> done
//   any but idle -> cancelled (by cancel), failed (nothing left to run, bad plan, broken protocol);
//   a crash in any phase with an offender -> starting again without it.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/session/Protocol.h"
#include "core/session/RunPlan.h"
#include "core/session/RunResult.h"

namespace attnscope {

enum class RunStage : std::uint8_t {
  kIdle,
  kStarting,
  kAllocating,
  kChecking,
  kWarming,
  kTiming,
  kProfiling,
  kWriting,
  kDone,
  kFailed,
  kCancelled,
};
[[nodiscard]] std::string_view toString(RunStage stage);
[[nodiscard]] bool isFinal(RunStage stage);  // done, failed, cancelled

enum class ImplementationStage : std::uint8_t {
  kWaiting,
  kAllocating,
  kChecking,
  kChecked,  // right
  kWarming,
  kReady,
  kTiming,
  kTimed,
  kProfiling,
  kDone,
  kRefused,  // by a card or the runner
  kFailed,   // wrong result, out of memory, crash
};
[[nodiscard]] std::string_view toString(ImplementationStage stage);
[[nodiscard]] bool isOut(ImplementationStage stage);  // refused, failed

struct ImplementationState {
  ImplementationStage stage = ImplementationStage::kWaiting;
  std::optional<std::int64_t> warmPerCallNs;
  std::int64_t callsPerSample = 0;
  int callsUntilSteady = 0;
};

// --- What happens -----------------------------------------------------------------------------------------------

struct RunStarted {
  RunPlan plan;
};
struct StartFailed {
  std::string reason;
};
struct MessageReceived {
  RunnerMessage message;
};
struct ProtocolBroken {  // a line that is no message, a newer protocol
  std::string reason;
};
enum class SilenceKind : std::uint8_t { kNoHello, kDeadlineMissed, kOutputClosed };
struct RunnerSilent {
  SilenceKind kind = SilenceKind::kDeadlineMissed;
  std::int64_t waitedNs = 0;
};
struct RunnerEnded {  // exited and its pipe read to the end
  std::optional<int> exitCode;
  std::optional<int> signal;
  std::string lastLogLine;  // of its standard error; empty: none
};
struct CancelRequested {};
using RunEvent =
    std::variant<RunStarted, StartFailed, MessageReceived, ProtocolBroken, RunnerSilent, RunnerEnded, CancelRequested>;

// --- What is to be done, in this order -----------------------------------------------------------------------------

enum class RunAction : std::uint8_t {
  kSpawn,       // start a runner and send it messageForRunner()
  kSendCancel,  // send a cancel; then terminate and kill it when it does not end in time
  kKill,        // the runner is of no use any more: kill it now
};

class RunState {
 public:
  std::vector<RunAction> apply(const RunEvent& event);

  // The state in which a run that is over ended, from what was saved of it: final, and what the runner alone knew
  // (its process, warm times, restarts) is not in it.
  [[nodiscard]] static RunState over(RunResult result);

  [[nodiscard]] RunStage stage() const { return m_stage; }
  [[nodiscard]] bool cancelling() const { return m_cancelling; }
  // The runner has nothing more to say and is to end by itself.
  [[nodiscard]] bool expectsEnd() const { return m_doneSeen || !m_runFailure.empty(); }
  [[nodiscard]] const RunPlan& plan() const { return m_result.plan; }
  // By position in the plan.
  [[nodiscard]] const ImplementationState& implementation(std::size_t position) const {
    return m_implementations[position];
  }
  [[nodiscard]] std::size_t implementationCount() const { return m_implementations.size(); }
  // That the current phase or call is of; none while it is of all.
  [[nodiscard]] std::optional<std::size_t> current() const { return m_current; }
  [[nodiscard]] int round() const { return m_round; }  // that is being timed, from 0; -1 before timing
  [[nodiscard]] int noisePairs() const { return static_cast<int>(m_result.noise.size()); }
  [[nodiscard]] std::int64_t runnerProcessId() const { return m_processId; }
  [[nodiscard]] int restarts() const { return m_restarts; }
  // What is known so far; samples of the round that is not complete are in it until the end.
  [[nodiscard]] const RunResult& result() const { return m_result; }
  // The plan for the runner that is to start: without those that are out, and from where the last one stopped.
  [[nodiscard]] PlanMessage messageForRunner() const;

 private:
  using Actions = std::vector<RunAction>;
  Actions onStarted(const RunStarted& event);
  Actions onMessage(const RunnerMessage& message);
  Actions onEnded(const RunnerEnded& event);
  Actions onSilent(const RunnerSilent& event);
  Actions onCancel();
  Actions onPhase(const PhaseMessage& message);
  Actions loseRunner(const std::string& reason);
  Actions finish(RunStage stage, std::string reason);
  void onChecked(const CheckedMessage& message);
  void onSample(const SampleMessage& message);
  void onFailure(const FailureMessage& message);
  void fail(std::size_t position, RunPhase phase, std::string reason);
  void setStage(std::size_t position, ImplementationStage stage);
  void setStageOfAll(ImplementationStage stage);
  void keepCompleteRounds();
  [[nodiscard]] std::optional<std::size_t> positionOf(const std::string& id) const;
  [[nodiscard]] bool anyLeft() const;
  [[nodiscard]] int completeRounds() const;

  RunStage m_stage = RunStage::kIdle;
  RunPhase m_phase = RunPhase::kAllocate;
  bool m_cancelling = false;
  bool m_doneSeen = false;
  std::vector<ImplementationState> m_implementations;
  std::optional<std::size_t> m_current;
  int m_round = -1;
  int m_restarts = 0;
  std::int64_t m_processId = 0;
  std::string m_lossReason;  // why the runner was killed: said of the offender instead of the signal
  std::string m_runFailure;  // why the run cannot go on; the runner's end is waited for
  RunResult m_result;
};

}  // namespace attnscope
