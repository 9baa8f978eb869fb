// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/LiveVerdicts.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <thread>
#include <vector>

#include "core/engine/Benchmark.h"
#include "core/session/RunController.h"
#include "core/session/RunResult.h"
#include "core/session/Statistics.h"

namespace attnscope {

namespace {

constexpr int kRounds = 40;
constexpr int kNoiseBlocks = 3;
constexpr std::int64_t kSampleNs = 20'000'000;
constexpr double kBusyWait = 0.05;
constexpr double kMayBeCalled = 0.09;

// A row of dependent multiplications, about a millisecond.
void work() {
  volatile double sink = 0;
  double value = 1.0000001;
  for (int i = 0; i < 250'000; ++i) value = value * 1.0000001 + 1e-9;
  sink = value;
  static_cast<void>(sink);
}

// Keeps one core busy while it lives.
class BusyNeighbour {
 public:
  BusyNeighbour()
      : m_thread([this] {
          while (!m_stop.load(std::memory_order_relaxed)) work();
        }) {}
  ~BusyNeighbour() {
    m_stop = true;
    m_thread.join();
  }
  BusyNeighbour(const BusyNeighbour&) = delete;
  BusyNeighbour& operator=(const BusyNeighbour&) = delete;

 private:
  std::atomic<bool> m_stop{false};
  std::thread m_thread;
};

class LiveRun {
 public:
  LiveRun(std::uint64_t seed, std::int64_t waitNs, std::int64_t calls)
      : m_seed(seed), m_calls(calls), m_waiting([waitNs] {
          work();
          const std::int64_t end = engine::now().threadCpuNs + waitNs;
          while (engine::now().threadCpuNs < end) {
          }
        }) {}

  void measure() {
    for (int round = 0; round < kRounds; ++round) {
      std::array<double, 3> times{};
      for (const std::size_t which : engine::orderOfRound(times.size(), m_seed, round)) {
        times[which] = sample(which == 2 ? m_waiting : engine::Call(work), round);
      }
      m_base.push_back(times[0]);
      m_same.push_back(times[1]);
      m_slower.push_back(times[2]);
      while (static_cast<int>(m_first.size()) < engine::noisePairsAfter(round, kNoiseBlocks)) {
        m_first.push_back(sample(work, round));
        m_second.push_back(sample(work, round));
      }
    }
  }
  [[nodiscard]] PairedComparison ofSame() const { return comparePairs(m_base, m_same, floor()); }
  [[nodiscard]] PairedComparison ofSlower() const { return comparePairs(m_base, m_slower, floor()); }

 private:
  [[nodiscard]] double sample(const engine::Call& call, int round) const {
    return engine::takeSample(call, round, {m_calls, nullptr}, [] { return false; })->perCallNs(TimeMetric::kThreadCpu);
  }
  [[nodiscard]] std::optional<double> floor() const { return noiseFloorOf(m_first, m_second, kRounds); }

  std::uint64_t m_seed;
  std::int64_t m_calls;
  engine::Call m_waiting;
  std::vector<double> m_base, m_same, m_slower, m_first, m_second;
};

// What a tally counts, of a workload against its equal and against the slower one.
struct Tally {
  int runs = 0;
  int called = 0;  // equal ones faster or slower
  int found = 0;   // the slower one slower
  int wrong = 0;   // the slower one faster
  int voided = 0;  // runs that did not end

  void count(const PairedComparison& same, const PairedComparison& slower) {
    ++runs;
    called += same.verdict == TimingVerdict::kFaster || same.verdict == TimingVerdict::kSlower ? 1 : 0;
    found += slower.verdict == TimingVerdict::kSlower ? 1 : 0;
    wrong += slower.verdict == TimingVerdict::kFaster ? 1 : 0;
  }
  void print(const char* what) const {
    std::printf(
        "%s: equal ones called faster or slower %d of %d (at most %.0f of 100); 5 %% busy wait called slower "
        "%d, faster %d (must 0); %d runs void\n",
        what, called, runs, 100 * kMayBeCalled, found, wrong, voided);
    std::fflush(stdout);
  }
  // One may be called of a few, however few they are.
  [[nodiscard]] bool holds() const { return called <= std::max(1.0, kMayBeCalled * runs) && wrong == 0; }
};

// Under the names of two other implementations the runner runs the first again, once with the busy wait in it.
RunPlan planOfItself(int seed) {
  RunPlan plan;
  plan.problem.queryLength = plan.problem.keyValueLength = 512;
  plan.implementations = {"sdpa.flash", "naive.plain", "naive.inplace"};
  plan.testHooks = {{.implementation = "naive.plain", .action = "again"},
                    {.implementation = "naive.inplace", .action = "again-slower"}};
  plan.profiling = Profiling::kSkip;
  plan.orderSeed = static_cast<std::uint64_t>(seed);
  return plan;
}

Tally measureRunner(int runs) {
  Tally tally;
  for (int i = 0; i < runs; ++i) {
    RunResult result;
    RunObserver observer;
    observer.finished = [&result](const RunResult& finished) { result = finished; };
    RunController controller({{ATTNSCOPE_RUNNER, "run", "--test-hooks"}, {}}, {}, observer);
    if (controller.start(planOfItself(i + 1))) controller.wait();
    if (result.ending != RunEnding::kComplete || result.completeRounds < kRounds) {
      ++tally.voided;
      std::printf("run %d is void: %s\n", i + 1, result.endingReason.c_str());
      continue;
    }
    tally.count(comparedWithBaseline(result, 1), comparedWithBaseline(result, 2));
  }
  return tally;
}

}  // namespace

int measureLive(int runs) {
  const engine::WarmUpLimits limits{
      .sampleAtLeastNs = kSampleNs, .atMostNs = 1'000'000'000, .metric = TimeMetric::kThreadCpu};
  const auto warm = engine::warmUp(
      work, limits, [](std::int64_t, std::int64_t) {}, [] { return false; });
  const auto waitNs = static_cast<std::int64_t>(kBusyWait * static_cast<double>(warm->perCallNs));
  std::printf("%d runs of %d rounds beside one busy thread; a call takes %.3f ms, a sample is %lld of them\n", runs,
              kRounds, 1e-6 * static_cast<double>(warm->perCallNs), static_cast<long long>(warm->callsPerSample));
  const BusyNeighbour neighbour;
  Tally tally;
  for (int i = 0; i < runs; ++i) {
    LiveRun run(static_cast<std::uint64_t>(i) + 1, waitNs, warm->callsPerSample);
    run.measure();
    tally.count(run.ofSame(), run.ofSlower());
  }
  tally.print("sampled here");
  const Tally ofRunner = measureRunner((runs + 9) / 10);
  ofRunner.print("by the runner");
  return tally.holds() && ofRunner.holds() ? 0 : 1;
}

}  // namespace attnscope
