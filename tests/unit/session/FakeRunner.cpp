// SPDX-License-Identifier: Apache-2.0
// A runner without LibTorch for the controller's tests: it follows the protocol with made-up numbers, and does what it
// is told to when an implementation enters a phase.
//   fake_runner [--do ACTION --at PHASE [--implementation ID] [--round R]] [--sample-ms N] [--deadline-ms N]
// ACTION: crash, kill, abort, hang, out-of-memory, exit, garbage, close-output, wrong-result, fail, refuse,
// log-and-exit PHASE: one of the protocol's, or start (before hello: garbage, no-hello, long-line,
// hang, exit), plan (after it:
// bad-plan).
// --stubborn hears neither cancel nor SIGTERM, --deaf not the cancel.

#include <poll.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include "core/session/Protocol.h"

namespace {

using namespace attnscope;

struct Options {
  std::string action, at, implementation;
  int round = 0;
  int sampleMs = 0;
  int deadlineMs = 200;  // of a call that will hang; others have time on a busy machine too
  bool deaf = false;
};

void say(const RunnerMessage& message) {
  std::cout << lineOf(message) << '\n' << std::flush;
  if (!std::cout) std::_Exit(kRunnerExitFailed);
}

[[noreturn]] void sleepForever() {
  while (true) std::this_thread::sleep_for(std::chrono::seconds(1));
}

class FakeRunner {
 public:
  FakeRunner(Options options, PlanMessage message) : m_options(std::move(options)), m_message(std::move(message)) {}

  int run() {
    const RunPlan& plan = m_message.plan;
    RunEnvironment environment;
    environment.libtorch = "fake";
    environment.threads = plan.threads;
    say(EnvironmentMessage{environment});
    m_left = plan.implementations;
    for (const RunPhase phase : {RunPhase::kAllocate, RunPhase::kCheck, RunPhase::kWarmUp}) {
      for (const std::string& id : std::vector<std::string>(m_left)) {
        if (cancelled()) return done(true);
        say(PhaseMessage{phase, id, -1});
        say(heartbeat(toString(phase), id, 0));
        if (act(toString(phase), id, 0)) continue;
        if (phase == RunPhase::kCheck) {
          say(CheckedMessage{id, {1e-7, 1e-6, 1e-5, "float64 reference", {}}});
          say(PeakMessage{id, 1000});
        }
        if (phase == RunPhase::kWarmUp) say(WarmedMessage{id, 1'000'000, 3, 5});
      }
    }
    for (int round = m_message.continuation.firstRound; round < plan.rounds; ++round) {
      if (cancelled()) return done(true);
      say(PhaseMessage{RunPhase::kTime, {}, round});
      if (!timeRound(round)) return done(true);
    }
    return profile();
  }

 private:
  bool timeRound(int round) {
    for (const std::string& id : std::vector<std::string>(m_left)) {
      if (cancelled()) return false;
      say(heartbeat("time", id, round));
      if (act("time", id, round)) continue;
      std::this_thread::sleep_for(std::chrono::milliseconds(m_options.sampleMs));
      say(SampleMessage{id, {round, 3'000'000 + round, 2'900'000 + round, 3}});
    }
    return true;
  }

  int profile() {
    if (m_message.plan.profiling == Profiling::kRecord) {
      for (std::size_t i = 0; i < m_left.size(); ++i) {
        const std::string id = m_left[i];
        bool has = false;
        for (const std::string& other : m_message.continuation.withTrace) has = has || other == id;
        if (has) continue;
        say(PhaseMessage{RunPhase::kProfile, id, -1});
        say(heartbeat("profile", id, 0));
        if (act("profile", id, 0)) continue;
        const std::string path = m_message.plan.traceFolder + "/" + traceNameOf(letterOfImplementation(id), id);
        std::ofstream(path) << R"({"traceEvents": []})";
        say(TraceMessage{id, path, 5'000'000});
      }
    }
    say(PhaseMessage{RunPhase::kWrite, {}, -1});
    act("write", {}, 0);
    return done(false);
  }

  std::size_t letterOfImplementation(const std::string& id) const {
    for (std::size_t i = 0; i < m_message.plan.implementations.size(); ++i) {
      if (m_message.plan.implementations[i] == id) return m_message.continuation.letters[i];
    }
    return 0;
  }

  bool isTime(std::string_view phase, const std::string& id, int round) const {
    return m_options.at == phase && round == m_options.round &&
           (m_options.implementation.empty() || m_options.implementation == id);
  }

  HeartbeatMessage heartbeat(std::string_view phase, const std::string& id, int round) const {
    const bool hangs = m_options.action == "hang" && isTime(phase, id, round);
    return {id, (hangs ? m_options.deadlineMs : 20'000) * 1'000'000ll};
  }

  // True where the implementation is out now.
  bool act(std::string_view phase, const std::string& id, int round) {
    if (!isTime(phase, id, round)) return false;
    const std::string& action = m_options.action;
    if (action == "crash") {
      std::signal(SIGSEGV, SIG_DFL);  // a sanitizer would catch it and exit
      std::raise(SIGSEGV);
    }
    if (action == "kill") std::raise(SIGKILL);
    if (action == "abort") std::abort();
    if (action == "hang") sleepForever();
    if (action == "out-of-memory") std::_Exit(kRunnerExitOutOfMemory);
    if (action == "exit") std::_Exit(7);
    if (action == "garbage") std::cout << "Segmentation fault (core dumped)\n" << std::flush;
    if (action == "log-and-exit") {
      std::fputs("terminate called after throwing\n", stderr);
      std::_Exit(7);
    }
    if (action == "close-output") {
      ::close(STDOUT_FILENO);
      sleepForever();
    }
    if (action == "stop-run") {
      say(FailureMessage{{}, RunPhase::kCheck, "the device is gone"});
      sleepForever();
    }
    if (action == "wrong-result") say(CheckedMessage{id, {0.5, 1.0, 1e-5, "float64 reference", {}}});
    if (action == "fail") say(FailureMessage{id, RunPhase::kCheck, "asked for 64.0 GiB"});
    if (action == "refuse") say(RefusedMessage{id, "not on this CPU"});
    const bool out = action == "wrong-result" || action == "fail" || action == "refuse";
    if (out) std::erase(m_left, id);
    return out;
  }

  bool cancelled() const {
    if (m_options.deaf) return false;
    pollfd input{STDIN_FILENO, POLLIN, 0};
    return ::poll(&input, 1, 0) > 0;
  }

  int done(bool wasCancelled) const {
    say(DoneMessage{wasCancelled});
    return kRunnerExitDone;
  }

  Options m_options;
  PlanMessage m_message;
  std::vector<std::string> m_left;
};

Options optionsFrom(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--stubborn") {
      std::signal(SIGTERM, SIG_IGN);
      options.deaf = true;
      continue;
    }
    if (word == "--deaf") {
      options.deaf = true;
      continue;
    }
    const std::string value = i + 1 < argc ? argv[++i] : "";
    if (word == "--do") options.action = value;
    if (word == "--at") options.at = value;
    if (word == "--implementation") options.implementation = value;
    if (word == "--round") options.round = std::atoi(value.c_str());
    if (word == "--deadline-ms") options.deadlineMs = std::atoi(value.c_str());
    if (word == "--sample-ms") options.sampleMs = std::atoi(value.c_str());
  }
  return options;
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = optionsFrom(argc, argv);
  if (options.at == "start") {
    if (options.action == "hang") sleepForever();
    if (options.action == "exit") return 127;
    if (options.action == "garbage") std::cout << "hello, world\n" << std::flush;
    if (options.action == "no-hello") say(DoneMessage{});
    if (options.action == "long-line") {
      const std::string piece(1u << 20, 'x');
      for (int i = 0; i < 20; ++i) std::cout << piece << std::flush;
      sleepForever();
    }
  }
  say(HelloMessage{options.action == "newer" ? kProtocolVersion + 1 : kProtocolVersion, "0.1.0", "fake", ::getpid()});
  std::string line;
  // The plan alone, byte by byte: what comes after it is a cancel, which poll() must see.
  for (char character = 0; ::read(STDIN_FILENO, &character, 1) == 1 && character != '\n';) line += character;
  const Result<ControllerMessage> message = controllerMessageOf(line);
  if (!message || options.action == "bad-plan") return kRunnerExitBadPlan;
  return FakeRunner(options, std::get<PlanMessage>(*message)).run();
}
