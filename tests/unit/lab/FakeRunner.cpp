// SPDX-License-Identifier: GPL-3.0-or-later
// A runner without LibTorch that says what a real one says, with made-up figures that are the same each time.
// Environment: LAB_FAKE_FAIL=ID runs out of memory while warming up; LAB_FAKE_WRONG=ID computes a wrong result;
// LAB_FAKE_HOLD=ROUND waits in that round until it is stopped; LAB_FAKE_DIE=1 ends before it says anything.

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include <unistd.h>

#include "core/session/Protocol.h"

namespace {

using namespace attnscope;

std::string setting(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

void say(const RunnerMessage& message) { std::cout << lineOf(message) << '\n' << std::flush; }

double usualNs(const std::string& id) {
  static const std::map<std::string, double> kTimes = {
      {"naive.plain", 3'120e3}, {"naive.inplace", 2'810e3}, {"sdpa.math", 3'560e3}, {"sdpa.flash", 1'352e3}};
  const auto found = kTimes.find(id);
  return found == kTimes.end() ? 2'200e3 : found->second;
}

// A few per cent to and fro, with a tail, as timings are.
double wobble(std::uint64_t& state) {
  state = state * 6364136223846793005ull + 1442695040888963407ull;
  const double unit = static_cast<double>(state >> 11) / 9007199254740992.0;
  return 1 + 0.012 * (unit - 0.5) + 0.05 * std::pow(unit, 12);
}

int describe() {
  std::cout << R"({"runner_version": "0.1.0", "libtorch": "2.11.0", "cpu_capability": "AVX2", "threads": 8,)"
            << R"( "implementations": [{"id": "blockwise.aten", "available": false,)"
            << R"( "reason": "Needs AVX-512, which this CPU does not have."}],)"
            << R"( "sdpa_choice": {"backend": "flash",)"
            << R"( "against": [{"backend": "math", "reason": "flash is faster for these sizes."}]}})" << '\n';
  return 0;
}

Sample sampleOf(const std::string& id, int round, std::uint64_t& state) {
  const double ns = usualNs(id) * wobble(state);
  constexpr std::int64_t kCalls = 7;
  return {round, static_cast<std::int64_t>(ns * kCalls), static_cast<std::int64_t>(ns * kCalls), kCalls};
}

// Two calls, each an operator of its length in a step of its own.
void writeTrace(const std::string& path, double callUs) {
  std::ofstream out(path);
  out << R"({"schemaVersion": 1, "traceEvents": [)";
  for (int step = 0; step < 2; ++step) {
    const double at = 1000 + step * (callUs + 100);
    out << R"({"ph":"X","cat":"user_annotation","name":"ProfilerStep#)" << step << R"(","pid":5,"tid":5,"ts":)" << at
        << R"(,"dur":)" << callUs + 20 << R"(},{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":5,"tid":5,"ts":)"
        << at + 10 << R"(,"dur":)" << callUs << "},";
  }
  out << R"({"ph":"M","name":"process_name","pid":5,"tid":0,"args":{"name":"attnscope"}}]})";
}

int run() {
  if (!setting("LAB_FAKE_DIE").empty()) {
    std::cerr << "libtorch_cpu.so: cannot be loaded\n";
    return 4;
  }
  say(HelloMessage{kProtocolVersion, "0.1.0", "2.11.0", getpid()});
  std::string line;
  if (!std::getline(std::cin, line)) return 2;
  const auto message = controllerMessageOf(line);
  if (!message || !std::holds_alternative<PlanMessage>(*message)) return 2;
  const RunPlan plan = std::get<PlanMessage>(*message).plan;
  RunEnvironment environment;
  environment.roofFlopsPerSecond = 300e9;
  environment.roofBytesPerSecond = 20e9;
  say(EnvironmentMessage{environment});
  std::vector<std::string> left;
  for (const std::string& id : plan.implementations) say(PhaseMessage{RunPhase::kAllocate, id, -1});
  for (const std::string& id : plan.implementations) {
    say(PhaseMessage{RunPhase::kCheck, id, -1});
    const bool wrong = id == setting("LAB_FAKE_WRONG");
    say(CheckedMessage{id, {wrong ? 0.71 : 2.1e-7, wrong ? 3.0 : 1e-6, 1e-5, "float64 reference", {}}});
    if (wrong) continue;
    say(PeakMessage{id, id == "sdpa.flash" ? 3 << 20 : 98 << 20});
    left.push_back(id);
  }
  for (auto id = left.begin(); id != left.end();) {
    say(PhaseMessage{RunPhase::kWarmUp, *id, -1});
    if (*id == setting("LAB_FAKE_FAIL")) {
      say(FailureMessage{*id, RunPhase::kWarmUp, "ran out of memory: asked for 64.0 GiB, the budget is 20.7 GiB"});
      id = left.erase(id);
      continue;
    }
    say(WarmedMessage{*id, static_cast<std::int64_t>(usualNs(*id)), 7, 14});
    ++id;
  }
  std::uint64_t state = 7;
  const std::string hold = setting("LAB_FAKE_HOLD");
  for (int round = 0; round < plan.rounds; ++round) {
    say(PhaseMessage{RunPhase::kTime, {}, round});
    if (!hold.empty() && round == std::atoi(hold.c_str())) {
      std::getline(std::cin, line);  // a cancel, or the end of the input
      say(DoneMessage{true});
      return 0;
    }
    for (const std::string& id : left) say(SampleMessage{id, sampleOf(id, round, state)});
    if (plan.noiseBlocks == 0) continue;
    for (int block = 0; block < plan.noiseBlocks; ++block) {
      const std::string& base = plan.implementations.front();
      say(NoiseMessage{{round * plan.noiseBlocks + block, sampleOf(base, round, state), sampleOf(base, round, state)}});
    }
  }
  for (std::size_t i = 0; i < left.size(); ++i) {
    say(PhaseMessage{RunPhase::kProfile, left[i], -1});
    const std::string path = plan.traceFolder + "/" + traceNameOf(i, left[i]);
    writeTrace(path, usualNs(left[i]) / 1000);
    say(TraceMessage{left[i], path, static_cast<std::int64_t>(usualNs(left[i]) * 1.2)});
  }
  say(PhaseMessage{RunPhase::kWrite, {}, -1});
  say(DoneMessage{false});
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string command = argc > 1 ? argv[1] : "";
  if (command == "describe") {
    if (argc > 2) std::string problem((std::istreambuf_iterator<char>(std::cin)), {});
    return describe();
  }
  return command == "run" ? run() : 2;
}
