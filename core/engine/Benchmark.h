// SPDX-License-Identifier: Apache-2.0
#pragma once

// How calls are timed. Knows no LibTorch: a call is a function. One thread.

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "core/session/RunPlan.h"
#include "core/session/RunResult.h"

namespace attnscope::engine {

using Call = std::function<void()>;
using Cancelled = std::function<bool()>;

struct Instant {
  std::int64_t wallNs = 0;       // of a clock that never jumps
  std::int64_t threadCpuNs = 0;  // of this thread
};
[[nodiscard]] Instant now();

// The largest cache of this machine, in bytes; a guess of 32 MiB where the machine does not say.
[[nodiscard]] std::size_t lastLevelCacheBytes();

// Fills the caches with something else: streams through twice the size of the last one.
class CacheFlusher {
 public:
  CacheFlusher();
  void flush();

 private:
  std::vector<std::uint64_t> m_words;
};

// What a sample needs beside the call.
struct Sampling {
  std::int64_t calls = 1;
  CacheFlusher* flusher = nullptr;  // flushed before each call, outside the clocks; null: hot
};
// None when it was cancelled between two calls.
[[nodiscard]] std::optional<Sample> takeSample(const Call& call, int round, const Sampling& sampling,
                                               const Cancelled& cancelled);

inline constexpr double kSteadyRatio = 0.02;
struct WarmUpResult {
  std::int64_t perCallNs = 1;      // in the metric
  std::int64_t wallPerCallNs = 1;  // for deadlines
  std::int64_t callsPerSample = 1;
  int calls = 0;                 // until it was steady, or until it had to end
  bool steady = false;           // three medians in a row within 2 %
  std::optional<double> spread;  // of the last three medians: largest less smallest, over the smallest
};
struct WarmUpLimits {
  std::int64_t sampleAtLeastNs = 0;
  std::int64_t atMostNs = 0;  // of wall time
  CacheState cache = CacheState::kHot;
  TimeMetric metric = TimeMetric::kWall;
};
// Calls until three medians in a row, each of 5 measurements of 1 ms or one call, lie within 2 % of one another, or
// until the time is over; at least one call. `before` is told before each measurement how many calls it is and what
// wall time one took so far (0: not known). None when it was cancelled.
using BeforeMeasurement = std::function<void(std::int64_t calls, std::int64_t wallPerCallNs)>;
[[nodiscard]] std::optional<WarmUpResult> warmUp(const Call& call, const WarmUpLimits& limits,
                                                 const BeforeMeasurement& before, const Cancelled& cancelled);

// A cold call is flushed for each time: few of them make a sample.
inline constexpr std::int64_t kMostColdCalls = 8;
[[nodiscard]] std::int64_t callsPerSample(std::int64_t perCallNs, std::int64_t sampleAtLeastNs, CacheState cache);
// Positions 0 to count - 1 in an order that the seed and the round decide, on every machine the same.
[[nodiscard]] std::vector<std::size_t> orderOfRound(std::size_t count, std::uint64_t seed, int round);
// Noise pairs that are complete after `round` (from 0): they are spread evenly among the rounds.
[[nodiscard]] int noisePairsAfter(int round, int noiseBlocks);

}  // namespace attnscope::engine
