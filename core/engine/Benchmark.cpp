// SPDX-License-Identifier: Apache-2.0
#include "core/engine/Benchmark.h"

#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <random>
#include <utility>

namespace attnscope::engine {
namespace {

constexpr std::int64_t kMeasurementNs = 1'000'000;
constexpr int kMeasurementsPerMedian = 5;
constexpr int kMedians = 3;

std::int64_t clockNs(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

// The last three medians.
class Steadiness {
 public:
  void add(double median) {
    std::rotate(m_medians.begin(), m_medians.begin() + 1, m_medians.end());
    m_medians.back() = median;
    ++m_count;
  }
  [[nodiscard]] std::optional<double> spread() const {
    if (m_count < kMedians) return std::nullopt;
    const auto [least, most] = std::minmax_element(m_medians.begin(), m_medians.end());
    return *least > 0 ? (*most - *least) / *least : 0;
  }

 private:
  std::array<double, kMedians> m_medians{};
  int m_count = 0;
};

}  // namespace

Instant now() { return {.wallNs = clockNs(CLOCK_MONOTONIC), .threadCpuNs = clockNs(CLOCK_THREAD_CPUTIME_ID)}; }

std::size_t lastLevelCacheBytes() {
  constexpr std::size_t kGuess = 32u << 20;
  for (const int name : {_SC_LEVEL4_CACHE_SIZE, _SC_LEVEL3_CACHE_SIZE, _SC_LEVEL2_CACHE_SIZE}) {
    const long bytes = sysconf(name);
    if (bytes > 0) return static_cast<std::size_t>(bytes);
  }
  return kGuess;
}

CacheFlusher::CacheFlusher() : m_words(2 * lastLevelCacheBytes() / sizeof(std::uint64_t), 1) {}

void CacheFlusher::flush() {
  for (std::uint64_t& word : m_words) ++word;
  asm volatile("" : : "r"(m_words.data()) : "memory");  // the compiler may not leave it out
}

std::optional<Sample> takeSample(const Call& call, int round, const Sampling& sampling, const Cancelled& cancelled) {
  Sample sample;
  sample.round = round;
  sample.calls = sampling.calls;
  if (sampling.flusher != nullptr) {
    for (std::int64_t i = 0; i < sampling.calls; ++i) {
      if (cancelled()) return std::nullopt;
      sampling.flusher->flush();
      const Instant start = now();
      call();
      const Instant end = now();
      sample.wallNs += end.wallNs - start.wallNs;
      sample.threadCpuNs += end.threadCpuNs - start.threadCpuNs;
    }
    return sample;
  }
  const Instant start = now();
  for (std::int64_t i = 0; i < sampling.calls; ++i) {
    if (cancelled()) return std::nullopt;
    call();
  }
  const Instant end = now();
  sample.wallNs = end.wallNs - start.wallNs;
  sample.threadCpuNs = end.threadCpuNs - start.threadCpuNs;
  return sample;
}

std::int64_t callsPerSample(std::int64_t perCallNs, std::int64_t sampleAtLeastNs, CacheState cache) {
  const std::int64_t one = std::max<std::int64_t>(1, perCallNs);
  const std::int64_t calls = std::max<std::int64_t>(1, (sampleAtLeastNs + one - 1) / one);
  return cache == CacheState::kCold ? std::min(calls, kMostColdCalls) : calls;
}

std::optional<WarmUpResult> warmUp(const Call& call, const WarmUpLimits& limits, const BeforeMeasurement& before,
                                   const Cancelled& cancelled) {
  WarmUpResult result;
  Steadiness steadiness;
  const std::int64_t end = now().wallNs + limits.atMostNs;
  std::vector<double> group;
  std::vector<Sample> all;
  const auto medianOfLast = [&all](TimeMetric metric) {  // the first ones are slow
    const std::size_t last = std::min<std::size_t>(all.size(), kMeasurementsPerMedian);
    std::vector<double> times;
    for (std::size_t i = all.size() - last; i < all.size(); ++i) times.push_back(all[i].perCallNs(metric));
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(medianOf(std::move(times))));
  };
  do {
    Sampling sampling;
    if (!all.empty()) sampling.calls = callsPerSample(result.wallPerCallNs, kMeasurementNs, CacheState::kHot);
    before(sampling.calls, all.empty() ? 0 : result.wallPerCallNs);
    const std::optional<Sample> sample = takeSample(call, 0, sampling, cancelled);
    if (!sample) return std::nullopt;
    result.calls += static_cast<int>(sampling.calls);
    all.push_back(*sample);
    result.wallPerCallNs = medianOfLast(TimeMetric::kWall);
    group.push_back(sample->perCallNs(limits.metric));
    if (group.size() < kMeasurementsPerMedian) continue;
    steadiness.add(medianOf(std::exchange(group, {})));
    result.spread = steadiness.spread();
    result.steady = result.spread && *result.spread <= kSteadyRatio;
  } while (!result.steady && now().wallNs < end);
  result.perCallNs = medianOfLast(limits.metric);
  result.callsPerSample = callsPerSample(result.perCallNs, limits.sampleAtLeastNs, limits.cache);
  return result;
}

std::vector<std::size_t> orderOfRound(std::size_t count, std::uint64_t seed, int round) {
  std::vector<std::size_t> order(count);
  for (std::size_t i = 0; i < count; ++i) order[i] = i;
  std::mt19937_64 random(seed * 0x9E3779B97F4A7C15ull + static_cast<std::uint64_t>(round));
  for (std::size_t i = count; i > 1; --i) std::swap(order[i - 1], order[random() % i]);  // not std::shuffle: it varies
  return order;
}

int noisePairsAfter(int round, int noiseBlocks) { return (round + 1) * noiseBlocks; }

}  // namespace attnscope::engine
