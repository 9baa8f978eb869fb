// SPDX-License-Identifier: Apache-2.0
#include "core/session/RunState.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <set>
#include <utility>

#include "core/base/Overloaded.h"
#include "core/problem/Validation.h"

namespace attnscope {
namespace {

RunStage stageOf(RunPhase phase) {
  switch (phase) {
    case RunPhase::kAllocate:
      return RunStage::kAllocating;
    case RunPhase::kCheck:
      return RunStage::kChecking;
    case RunPhase::kWarmUp:
      return RunStage::kWarming;
    case RunPhase::kTime:
      return RunStage::kTiming;
    case RunPhase::kProfile:
      return RunStage::kProfiling;
    case RunPhase::kWrite:
      return RunStage::kWriting;
  }
  return RunStage::kFailed;
}

std::optional<ImplementationStage> stageWithin(RunPhase phase) {
  switch (phase) {
    case RunPhase::kAllocate:
      return ImplementationStage::kAllocating;
    case RunPhase::kCheck:
      return ImplementationStage::kChecking;
    case RunPhase::kWarmUp:
      return ImplementationStage::kWarming;
    case RunPhase::kTime:
      return ImplementationStage::kTiming;
    case RunPhase::kProfile:
      return ImplementationStage::kProfiling;
    case RunPhase::kWrite:
      return std::nullopt;
  }
  return std::nullopt;
}

std::string signalInWords(int signal) {
  switch (signal) {
    case SIGSEGV:
      return "signal 11, an access to memory that is not its own";
    case SIGABRT:
      return "signal 6, an abort";
    case SIGBUS:
      return "signal 7, an access to memory that is not there";
    case SIGILL:
      return "signal 4, an instruction that this CPU has not";
    case SIGFPE:
      return "signal 8, a division by zero";
    case SIGKILL:
      return "signal 9: killed, most likely for want of memory";
    default:
      return fmt::format("signal {}", signal);
  }
}

std::string endInWords(const RunnerEnded& event) {
  std::string text;
  if (event.signal) {
    text = "the runner ended with " + signalInWords(*event.signal);
  } else if (event.exitCode == kRunnerExitOutOfMemory) {
    text = "ran out of memory";
  } else if (event.exitCode == kRunnerExitBadPlan) {
    text = "the runner could not read the plan";
  } else {
    text = fmt::format("the runner ended with exit code {} before it was done", event.exitCode.value_or(-1));
  }
  if (!event.lastLogLine.empty()) text += fmt::format(" (it said: {})", event.lastLogLine);
  return text;
}

// Why a plan cannot be run at all; empty: it can.
std::string faultOf(const RunPlan& plan) {
  if (plan.implementations.empty()) return "no implementation was chosen: choose one or more";
  const std::set<std::string> unique(plan.implementations.begin(), plan.implementations.end());
  if (unique.size() != plan.implementations.size()) return "an implementation was chosen twice: choose each once";
  for (const Remark& remark : validate(plan.problem)) {
    if (remark.severity == RemarkSeverity::kError) return remark.message;
  }
  if (plan.rounds < 1) return fmt::format("{} rounds time nothing: use 1 or more", plan.rounds);
  if (plan.threads < 1) return fmt::format("{} threads run nothing: use 1 or more", plan.threads);
  return {};
}

// How far it came, by what is known of it.
ImplementationStage lastStageOf(const ImplementationResult& implementation, RunEnding ending) {
  if (!implementation.available) return ImplementationStage::kRefused;
  if (implementation.failure) return ImplementationStage::kFailed;
  if (ending == RunEnding::kComplete || !implementation.traceFile.empty()) return ImplementationStage::kDone;
  if (!implementation.samples.empty()) return ImplementationStage::kTimed;
  if (implementation.error) return ImplementationStage::kChecked;
  return ImplementationStage::kWaiting;
}

// Samples come in order of their rounds: this one lies at its place, or beside it where a runner started again.
bool hasRound(const ImplementationResult& implementation, int round) {
  return std::binary_search(implementation.samples.begin(), implementation.samples.end(), Sample{.round = round},
                            [](const Sample& a, const Sample& b) { return a.round < b.round; });
}

}  // namespace

std::string_view toString(RunStage stage) {
  switch (stage) {
    case RunStage::kIdle:
      return "idle";
    case RunStage::kStarting:
      return "starting";
    case RunStage::kAllocating:
      return "allocating";
    case RunStage::kChecking:
      return "checking";
    case RunStage::kWarming:
      return "warming up";
    case RunStage::kTiming:
      return "timing";
    case RunStage::kProfiling:
      return "profiling";
    case RunStage::kWriting:
      return "writing";
    case RunStage::kDone:
      return "done";
    case RunStage::kFailed:
      return "failed";
    case RunStage::kCancelled:
      return "stopped";
  }
  return "";
}

bool isFinal(RunStage stage) {
  return stage == RunStage::kDone || stage == RunStage::kFailed || stage == RunStage::kCancelled;
}

std::string_view toString(ImplementationStage stage) {
  switch (stage) {
    case ImplementationStage::kWaiting:
      return "waiting";
    case ImplementationStage::kAllocating:
      return "allocating";
    case ImplementationStage::kChecking:
      return "checking";
    case ImplementationStage::kChecked:
      return "checked";
    case ImplementationStage::kWarming:
      return "warming up";
    case ImplementationStage::kReady:
      return "ready";
    case ImplementationStage::kTiming:
      return "timing";
    case ImplementationStage::kTimed:
      return "timed";
    case ImplementationStage::kProfiling:
      return "profiling";
    case ImplementationStage::kDone:
      return "done";
    case ImplementationStage::kRefused:
      return "refused";
    case ImplementationStage::kFailed:
      return "failed";
  }
  return "";
}

bool isOut(ImplementationStage stage) {
  return stage == ImplementationStage::kRefused || stage == ImplementationStage::kFailed;
}

RunState::Actions RunState::apply(const RunEvent& event) {
  if (const auto* started = std::get_if<RunStarted>(&event)) return onStarted(*started);
  if (m_stage == RunStage::kIdle || isFinal(m_stage)) return {};
  return std::visit(Overloaded{
                        [](const RunStarted&) -> Actions { return {}; },
                        [this](const StartFailed& failed) { return finish(RunStage::kFailed, failed.reason); },
                        [this](const MessageReceived& received) { return onMessage(received.message); },
                        [this](const ProtocolBroken& broken) -> Actions {
                          if (m_runFailure.empty()) m_runFailure = broken.reason;
                          return {RunAction::kKill};
                        },
                        [this](const RunnerSilent& silent) { return onSilent(silent); },
                        [this](const RunnerEnded& ended) { return onEnded(ended); },
                        [this](const CancelRequested&) { return onCancel(); },
                    },
                    event);
}

RunState RunState::over(RunResult result) {
  RunState state;
  state.m_stage = result.ending == RunEnding::kComplete    ? RunStage::kDone
                  : result.ending == RunEnding::kCancelled ? RunStage::kCancelled
                                                           : RunStage::kFailed;
  state.m_cancelling = result.ending == RunEnding::kCancelled;
  state.m_round = result.completeRounds - 1;
  state.m_implementations.resize(result.implementations.size());
  for (std::size_t i = 0; i < result.implementations.size(); ++i) {
    const ImplementationResult& implementation = result.implementations[i];
    ImplementationState& each = state.m_implementations[i];
    each.stage = lastStageOf(implementation, result.ending);
    if (!implementation.samples.empty()) each.callsPerSample = implementation.samples.front().calls;
  }
  state.m_result = std::move(result);
  return state;
}

RunState::Actions RunState::onStarted(const RunStarted& event) {
  if (m_stage != RunStage::kIdle && !isFinal(m_stage)) return {};
  *this = RunState{};
  m_stage = RunStage::kStarting;
  const std::string fault = faultOf(event.plan);
  if (!fault.empty()) {
    m_result.plan = event.plan;
    for (const std::string& id : event.plan.implementations) m_result.implementations.emplace_back().id = id;
    m_implementations.resize(event.plan.implementations.size());
    return finish(RunStage::kFailed, fault);
  }
  m_result = startedResult(event.plan);
  m_implementations.resize(m_result.implementations.size());
  for (std::size_t i = 0; i < m_implementations.size(); ++i) {
    if (!m_result.implementations[i].available) setStage(i, ImplementationStage::kRefused);
  }
  if (!anyLeft()) return finish(RunStage::kFailed, "none of the chosen implementations can run this problem");
  return {RunAction::kSpawn};
}

RunState::Actions RunState::onMessage(const RunnerMessage& message) {
  return std::visit(Overloaded{
                        [this](const HelloMessage& hello) -> Actions {
                          m_processId = hello.processId;
                          return {};
                        },
                        [this](const EnvironmentMessage& environment) -> Actions {
                          m_result.environment = environment.environment;
                          return {};
                        },
                        [this](const PhaseMessage& phase) { return onPhase(phase); },
                        [this](const HeartbeatMessage& heartbeat) -> Actions {
                          m_current = positionOf(heartbeat.implementation);
                          return {};
                        },
                        [this](const RefusedMessage& refused) -> Actions {
                          if (const auto position = positionOf(refused.implementation)) {
                            m_result.implementations[*position].available = false;
                            m_result.implementations[*position].reason = refused.reason;
                            setStage(*position, ImplementationStage::kRefused);
                          }
                          return {};
                        },
                        [this](const CheckedMessage& checked) -> Actions {
                          onChecked(checked);
                          return {};
                        },
                        [this](const WarmedMessage& warmed) -> Actions {
                          if (const auto position = positionOf(warmed.implementation)) {
                            ImplementationState& state = m_implementations[*position];
                            state.warmPerCallNs = warmed.perCallNs;
                            state.callsPerSample = warmed.callsPerSample;
                            state.callsUntilSteady = warmed.callsUntilSteady;
                            setStage(*position, ImplementationStage::kReady);
                          }
                          return {};
                        },
                        [this](const PeakMessage& peak) -> Actions {
                          if (const auto position = positionOf(peak.implementation)) {
                            m_result.implementations[*position].peakBytes = peak.bytes;
                          }
                          return {};
                        },
                        [this](const ResidentMessage& resident) -> Actions {
                          if (const auto position = positionOf(resident.implementation)) {
                            m_result.implementations[*position].residentPeakBytes = resident.bytes;
                          }
                          return {};
                        },
                        [this](const EnergyMessage& energy) -> Actions {
                          if (const auto position = positionOf(energy.implementation)) {
                            m_result.implementations[*position].joulesPerCall = energy.joulesPerCall;
                          }
                          return {};
                        },
                        [this](const SampleMessage& sample) -> Actions {
                          onSample(sample);
                          return {};
                        },
                        [this](const NoiseMessage& noise) -> Actions {
                          m_result.noise.push_back(noise.pair);
                          return {};
                        },
                        [this](const TraceMessage& trace) -> Actions {
                          if (const auto position = positionOf(trace.implementation)) {
                            m_result.implementations[*position].traceFile = trace.path;
                            m_result.implementations[*position].profiledNs = trace.profiledNs;
                            setStage(*position, ImplementationStage::kDone);
                          }
                          return {};
                        },
                        [this](const WarningMessage& warning) -> Actions {
                          m_result.warnings.push_back(warning.implementation.empty()
                                                          ? warning.text
                                                          : warning.implementation + ": " + warning.text);
                          return {};
                        },
                        [this](const FailureMessage& failure) -> Actions {
                          onFailure(failure);
                          return {};
                        },
                        [this](const DoneMessage& done) -> Actions {
                          m_doneSeen = true;
                          m_cancelling = m_cancelling || done.cancelled;
                          return {};
                        },
                    },
                    message);
}

RunState::Actions RunState::onPhase(const PhaseMessage& message) {
  m_stage = stageOf(message.phase);
  m_phase = message.phase;
  m_current = positionOf(message.implementation);
  if (message.phase == RunPhase::kTime) {
    m_round = message.round;
    setStageOfAll(ImplementationStage::kTiming);
    return {};
  }
  if (message.phase == RunPhase::kProfile || message.phase == RunPhase::kWrite) {
    for (std::size_t i = 0; i < m_implementations.size(); ++i) {
      if (m_implementations[i].stage == ImplementationStage::kTiming) setStage(i, ImplementationStage::kTimed);
    }
  }
  if (m_current && stageWithin(message.phase)) setStage(*m_current, *stageWithin(message.phase));
  return {};
}

void RunState::onChecked(const CheckedMessage& message) {
  const std::optional<std::size_t> position = positionOf(message.implementation);
  if (!position) return;
  m_result.implementations[*position].error = message.error;
  if (message.error.passed()) {
    setStage(*position, ImplementationStage::kChecked);
    return;
  }
  fail(*position, RunPhase::kCheck,
       fmt::format("its result is wrong: relative error {:.2g} against {}, the limit is {:.2g}",
                   message.error.relativeL2, message.error.against, message.error.limit));
}

void RunState::onSample(const SampleMessage& message) {
  const std::optional<std::size_t> position = positionOf(message.implementation);
  if (!position || isOut(m_implementations[*position].stage)) return;
  ImplementationResult& implementation = m_result.implementations[*position];
  if (hasRound(implementation, message.sample.round)) return;
  const auto place = std::upper_bound(implementation.samples.begin(), implementation.samples.end(), message.sample,
                                      [](const Sample& a, const Sample& b) { return a.round < b.round; });
  implementation.samples.insert(place, message.sample);
}

void RunState::onFailure(const FailureMessage& message) {
  if (message.implementation.empty()) {
    m_runFailure = message.reason;
    return;
  }
  if (const auto position = positionOf(message.implementation)) fail(*position, message.phase, message.reason);
}

RunState::Actions RunState::onSilent(const RunnerSilent& event) {
  const double seconds = static_cast<double>(event.waitedNs) / 1e9;
  if (event.kind == SilenceKind::kNoHello) {
    m_runFailure = fmt::format("the runner did not answer within {:.1f} s", seconds);
  } else if (event.kind == SilenceKind::kOutputClosed) {
    m_lossReason = fmt::format("the runner closed its output and did not end within {:.1f} s", seconds);
  } else {
    m_lossReason = fmt::format("did not come back within {:.1f} s and was stopped", seconds);
  }
  return {RunAction::kKill};
}

RunState::Actions RunState::onCancel() {
  if (m_cancelling) return {};
  m_cancelling = true;
  return {RunAction::kSendCancel};
}

RunState::Actions RunState::onEnded(const RunnerEnded& event) {
  if (m_cancelling) return finish(RunStage::kCancelled, {});
  if (!m_runFailure.empty()) return finish(RunStage::kFailed, m_runFailure);
  if (!m_doneSeen) {
    const std::string reason = m_lossReason.empty() ? endInWords(event) : m_lossReason;
    if (event.exitCode == kRunnerExitBadPlan && !event.signal) return finish(RunStage::kFailed, reason);
    return loseRunner(reason);
  }
  bool anyTimed = false;
  for (std::size_t i = 0; i < m_implementations.size(); ++i) {
    if (isOut(m_implementations[i].stage)) continue;
    if (m_result.implementations[i].samples.empty()) {
      fail(i, RunPhase::kTime, "the runner ended without timing it");
    } else if (auto why = implausibility(m_result, m_result.implementations[i])) {
      fail(i, RunPhase::kTime, std::move(*why));
    } else {
      setStage(i, ImplementationStage::kDone);
      anyTimed = true;
    }
  }
  if (anyTimed) return finish(RunStage::kDone, {});
  return finish(RunStage::kFailed, "no implementation could be run to the end");
}

// The runner is gone in the middle: another goes on without the implementation that it was busy with.
RunState::Actions RunState::loseRunner(const std::string& reason) {
  m_lossReason.clear();
  if (!m_current || isOut(m_implementations[*m_current].stage)) {
    return finish(RunStage::kFailed, "the run stopped: " + reason);
  }
  const std::string offender = m_result.implementations[*m_current].id;
  fail(*m_current, m_phase, reason);
  keepCompleteRounds();
  if (!anyLeft()) return finish(RunStage::kFailed, fmt::format("{}: {}", offender, reason));
  m_result.warnings.push_back(fmt::format("{}: {}; a new runner went on with the others", offender, reason));
  ++m_restarts;
  m_current.reset();
  m_processId = 0;
  m_stage = RunStage::kStarting;
  m_phase = RunPhase::kAllocate;
  setStageOfAll(ImplementationStage::kWaiting);
  return {RunAction::kSpawn};
}

RunState::Actions RunState::finish(RunStage stage, std::string reason) {
  keepCompleteRounds();
  m_stage = stage;
  m_current.reset();
  m_result.ending = RunEnding::kComplete;
  if (stage == RunStage::kFailed) m_result.ending = RunEnding::kFailed;
  if (stage == RunStage::kCancelled) m_result.ending = RunEnding::kCancelled;
  m_result.endingReason = std::move(reason);
  return {};
}

void RunState::fail(std::size_t position, RunPhase phase, std::string reason) {
  m_result.implementations[position].failure = RunFailure{phase, std::move(reason)};
  setStage(position, ImplementationStage::kFailed);
}

// Who is out stays out: a runner that was killed may have written lines that come later.
void RunState::setStage(std::size_t position, ImplementationStage stage) {
  if (!isOut(m_implementations[position].stage)) m_implementations[position].stage = stage;
}

void RunState::setStageOfAll(ImplementationStage stage) {
  for (ImplementationState& implementation : m_implementations) {
    if (!isOut(implementation.stage)) implementation.stage = stage;
  }
}

// A round counts when every implementation that is still in has a sample of it: only then are there pairs.
int RunState::completeRounds() const {
  int rounds = 0;
  while (rounds < m_result.plan.rounds && anyLeft()) {
    for (std::size_t i = 0; i < m_implementations.size(); ++i) {
      if (!isOut(m_implementations[i].stage) && !hasRound(m_result.implementations[i], rounds)) return rounds;
    }
    ++rounds;
  }
  return rounds;
}

void RunState::keepCompleteRounds() {
  // With none left, what those that failed late have is kept as it is.
  if (!anyLeft()) return;
  const int rounds = completeRounds();
  m_result.completeRounds = rounds;
  for (ImplementationResult& implementation : m_result.implementations) {
    std::vector<Sample>& samples = implementation.samples;
    samples.erase(std::remove_if(samples.begin(), samples.end(),
                                 [rounds](const Sample& sample) { return sample.round >= rounds; }),
                  samples.end());
    std::sort(samples.begin(), samples.end(), [](const Sample& a, const Sample& b) { return a.round < b.round; });
  }
}

std::optional<std::size_t> RunState::positionOf(const std::string& id) const {
  for (std::size_t i = 0; i < m_result.implementations.size(); ++i) {
    if (m_result.implementations[i].id == id) return i;
  }
  return std::nullopt;
}

bool RunState::anyLeft() const {
  return std::any_of(m_implementations.begin(), m_implementations.end(),
                     [](const ImplementationState& implementation) { return !isOut(implementation.stage); });
}

PlanMessage RunState::messageForRunner() const {
  PlanMessage message;
  message.plan = m_result.plan;
  message.plan.implementations.clear();
  for (std::size_t i = 0; i < m_implementations.size(); ++i) {
    if (isOut(m_implementations[i].stage)) continue;
    const ImplementationResult& implementation = m_result.implementations[i];
    message.plan.implementations.push_back(implementation.id);
    message.continuation.letters.push_back(i);
    if (!implementation.traceFile.empty()) message.continuation.withTrace.push_back(implementation.id);
  }
  message.continuation.firstRound = m_result.completeRounds;
  message.continuation.firstNoisePair = static_cast<int>(m_result.noise.size());
  return message;
}

}  // namespace attnscope
