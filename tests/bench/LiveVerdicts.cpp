// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/LiveVerdicts.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <thread>
#include <vector>

#include "core/engine/Benchmark.h"
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
  int called = 0;
  int found = 0;
  int wrong = 0;
  for (int i = 0; i < runs; ++i) {
    LiveRun run(static_cast<std::uint64_t>(i) + 1, waitNs, warm->callsPerSample);
    run.measure();
    const TimingVerdict same = run.ofSame().verdict;
    const TimingVerdict slower = run.ofSlower().verdict;
    called += same == TimingVerdict::kFaster || same == TimingVerdict::kSlower ? 1 : 0;
    found += slower == TimingVerdict::kSlower ? 1 : 0;
    wrong += slower == TimingVerdict::kFaster ? 1 : 0;
  }
  std::printf("equal ones called faster or slower: %d of %d (at most %.0f of 100)\n", called, runs, 100 * kMayBeCalled);
  std::printf("5 %% busy wait called slower: %d of %d; called faster: %d (must 0)\n", found, runs, wrong);
  return called <= kMayBeCalled * runs && wrong == 0 ? 0 : 1;
}

}  // namespace attnscope
