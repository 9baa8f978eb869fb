// SPDX-License-Identifier: Apache-2.0
#pragma once

// What is to be run: the problem, the implementations in order of their letters (A is the baseline), and how they are
// timed. Plain values; any thread. The runner gets it as the first line (Protocol.h).

#include <cstdint>
#include <string>
#include <vector>

#include "core/problem/Problem.h"

namespace attnscope {

enum class CacheState : std::uint8_t { kHot, kCold };        // cold: the last level cache is flushed before each sample
enum class Profiling : std::uint8_t { kRecord, kSkip };      // one profiled run of each, after all timing
enum class TimeMetric : std::uint8_t { kThreadCpu, kWall };  // kThreadCpu: of the working thread, for one-thread runs
[[nodiscard]] std::string_view toString(CacheState state);   // "hot", "cold"
[[nodiscard]] std::string_view toString(TimeMetric metric);  // "thread-cpu", "wall"

enum class RunPhase : std::uint8_t { kAllocate, kCheck, kWarmUp, kTime, kProfile, kWrite };
inline constexpr std::size_t kRunPhaseCount = 6;
[[nodiscard]] std::string_view toString(RunPhase phase);  // "allocate", "check", "warm-up", "time"...

// For tests of the runner alone: what it does to itself when `implementation` enters `phase` (in round `round` of the
// timing). Actions: "crash", "abort", "exit", "hang", "out-of-memory", "wrong-result"; and, whatever the phase,
// "again": the plan's first implementation is run under this name, and "again-slower": the same, with a busy wait of 5
// % of each of its calls. Ignored unless the runner was started with --test-hooks.
struct TestHook {
  std::string implementation;
  RunPhase phase = RunPhase::kCheck;
  int round = 0;
  std::string action;
  bool operator==(const TestHook&) const = default;
};

// Code of the person's own, for byo.script and byo.package. It runs with the runner's rights: nothing of it is compiled
// or loaded before the person said yes to it.
struct UserCode {
  std::string script;       // TorchScript source with a function `attention` (core/engine/implementations/YourScript.h)
  std::string scriptFile;   // a TorchScript module (.pt) with a method `attention` or `forward`, in place of the source
  std::string packageFile;  // a package of AOTInductor (.pt2)
  bool allowed = false;     // the person's yes
  bool operator==(const UserCode&) const = default;
};

// Whether what does not fit the budget by what is predicted is left out, or tried all the same.
enum class MemoryCheck : std::uint8_t { kRefuse, kGoOn };

struct RunPlan {
  Problem problem;
  std::vector<std::string> implementations;  // ids, each once; the first is the baseline
  std::string device = "cpu";
  int threads = 1;
  int rounds = 40;      // timed rounds over all implementations: each pair of two is one of a round
  int noiseBlocks = 3;  // of `rounds` pairs of the baseline with itself, for the noise floor; 0: not measured
  CacheState cache = CacheState::kHot;
  Profiling profiling = Profiling::kRecord;
  std::uint64_t orderSeed = 0;          // of the random order within each round
  std::uint64_t memoryBudgetBytes = 0;  // of the runner's process; 0: no limit
  MemoryCheck memoryCheck = MemoryCheck::kRefuse;
  std::vector<int> cpus;  // that the runner may use; empty: those that it starts with
  UserCode code;
  std::int64_t sampleAtLeastNs = 20'000'000;    // a call is repeated until a sample is as long
  std::int64_t warmUpAtMostNs = 1'000'000'000;  // of one implementation
  std::string traceFolder;                      // where the runner writes A-naive.plain.json...; it must exist
  std::vector<TestHook> testHooks;

  bool operator==(const RunPlan&) const = default;
  [[nodiscard]] TimeMetric metric() const {
    return device == "cpu" && threads == 1 ? TimeMetric::kThreadCpu : TimeMetric::kWall;
  }
};

// A short run for a first look: 12 rounds, samples of 5 ms, no noise blocks.
void makeQuick(RunPlan& plan);
// Options of `attnscope-cli run` that give this plan: "--impl", "a,b", problem options...
[[nodiscard]] std::vector<std::string> optionsOf(const RunPlan& plan);
// "A", "B"... "Z", "AA": the letter of an implementation of the plan.
[[nodiscard]] std::string letterOf(std::size_t position);
// "A-naive.plain.json": the name of an implementation's trace in the plan's folder and in a session file.
[[nodiscard]] std::string traceNameOf(std::size_t position, const std::string& implementation);

// What a runner that takes over after a crash leaves out: it allocates, checks and warms up all implementations of its
// plan (the offender is no longer in it), and goes on from there. Letters stay: `letters[i]` is the position that
// implementation i of this plan has in the run, and the number in its trace's name.
struct RunContinuation {
  int firstRound = 0;                  // rounds before it are complete
  int firstNoisePair = 0;              // of noiseBlocks * rounds
  std::vector<std::string> withTrace;  // these are not profiled again
  std::vector<std::size_t> letters;    // empty: 0, 1, 2...
  bool operator==(const RunContinuation&) const = default;
};

}  // namespace attnscope
