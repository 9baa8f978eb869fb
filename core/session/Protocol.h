// SPDX-License-Identifier: Apache-2.0
#pragma once

// The runner's protocol: one JSON object a line over its standard input (plan, cancel) and standard output
// (everything else); its standard error is its log. README.md lists the messages and their order. Here they are
// values, with their texts in Protocol.cpp alone. Pure; any thread.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "core/base/Result.h"
#include "core/session/RunPlan.h"
#include "core/session/RunResult.h"

namespace attnscope {

inline constexpr int kProtocolVersion = 1;
inline constexpr std::size_t kLongestLineBytes = 16u << 20;  // longer is no message

// --- From the runner --------------------------------------------------------------------------------------------

// First of all lines, before the plan is read.
struct HelloMessage {
  int protocol = kProtocolVersion;
  std::string runnerVersion;
  std::string libtorch;
  std::int64_t processId = 0;
  bool operator==(const HelloMessage&) const = default;
};
struct EnvironmentMessage {
  RunEnvironment environment;
  bool operator==(const EnvironmentMessage&) const = default;
};
// A phase begins, of one implementation or, while timing and writing, of the whole run.
struct PhaseMessage {
  RunPhase phase = RunPhase::kAllocate;
  std::string implementation;  // empty: of all
  int round = -1;              // of the timing; -1 elsewhere
  bool operator==(const PhaseMessage&) const = default;
};
// Written by the working thread just before a call that may hang: the next line comes within `deadlineNs`.
struct HeartbeatMessage {
  std::string implementation;  // that the call is of; empty: of none
  std::int64_t deadlineNs = 0;
  bool operator==(const HeartbeatMessage&) const = default;
};
// The runner cannot run it, for this reason; it is left out and the run goes on.
struct RefusedMessage {
  std::string implementation;
  std::string reason;
  bool operator==(const RefusedMessage&) const = default;
};
// An error above its limit ends this implementation: it is not timed.
struct CheckedMessage {
  std::string implementation;
  ErrorCheck error;
  bool operator==(const CheckedMessage&) const = default;
};
struct WarmedMessage {
  std::string implementation;
  std::int64_t perCallNs = 0;
  std::int64_t callsPerSample = 1;
  int callsUntilSteady = 0;
  bool operator==(const WarmedMessage&) const = default;
};
struct PeakMessage {
  std::string implementation;
  std::int64_t bytes = 0;
  bool operator==(const PeakMessage&) const = default;
};
// How far the process's memory rose in a warm call, by the kernel's count.
struct ResidentMessage {
  std::string implementation;
  std::int64_t bytes = 0;
  bool operator==(const ResidentMessage&) const = default;
};
// Of the processor, over all samples of an implementation.
struct EnergyMessage {
  std::string implementation;
  double joulesPerCall = 0;
  bool operator==(const EnergyMessage&) const = default;
};
struct SampleMessage {
  std::string implementation;
  Sample sample;
  bool operator==(const SampleMessage&) const = default;
};
struct NoiseMessage {
  NoisePair pair;
  bool operator==(const NoiseMessage&) const = default;
};
struct TraceMessage {
  std::string implementation;
  std::string path;
  std::int64_t profiledNs = 0;  // wall time of one profiled call
  bool operator==(const TraceMessage&) const = default;
};
struct WarningMessage {
  std::string implementation;  // empty: of the run
  std::string text;
  bool operator==(const WarningMessage&) const = default;
};
// With an implementation: it failed, the run goes on without it. Without: the run cannot go on.
struct FailureMessage {
  std::string implementation;
  RunPhase phase = RunPhase::kAllocate;
  std::string reason;
  bool operator==(const FailureMessage&) const = default;
};
// Last line, also after a cancel.
struct DoneMessage {
  bool cancelled = false;
  bool operator==(const DoneMessage&) const = default;
};

using RunnerMessage =
    std::variant<HelloMessage, EnvironmentMessage, PhaseMessage, HeartbeatMessage, RefusedMessage, CheckedMessage,
                 WarmedMessage, PeakMessage, ResidentMessage, EnergyMessage, SampleMessage, NoiseMessage, TraceMessage,
                 WarningMessage, FailureMessage, DoneMessage>;

// One line without its line break.
[[nodiscard]] std::string lineOf(const RunnerMessage& message);
// Unknown keys are ignored, an unknown type is an error, a hello of a newer protocol is an error that says so.
[[nodiscard]] Result<RunnerMessage> runnerMessageOf(std::string_view line);

// --- To the runner ----------------------------------------------------------------------------------------------

struct PlanMessage {
  int protocol = kProtocolVersion;
  RunPlan plan;
  RunContinuation continuation;
  bool operator==(const PlanMessage&) const = default;
};
struct CancelMessage {
  bool operator==(const CancelMessage&) const = default;
};
using ControllerMessage = std::variant<PlanMessage, CancelMessage>;
[[nodiscard]] std::string lineOf(const ControllerMessage& message);
[[nodiscard]] Result<ControllerMessage> controllerMessageOf(std::string_view line);

// Exit codes of the runner that say why it ended.
inline constexpr int kRunnerExitDone = 0;
inline constexpr int kRunnerExitBadPlan = 2;
inline constexpr int kRunnerExitFailed = 4;
inline constexpr int kRunnerExitOutOfMemory = 5;  // an allocation failed that nothing could answer

}  // namespace attnscope
