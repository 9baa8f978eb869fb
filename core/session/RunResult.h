// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a run gave: samples whole, in order of rounds, and what was measured beside them. Plain values; any thread.
// Derived numbers (medians, intervals, verdicts) are made from them by the functions below and by Statistics.h, so
// that a number is the same in the window, on the command line and in a file. Times are of one call.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/session/RunPlan.h"
#include "core/session/Statistics.h"

namespace attnscope {

// `calls` calls in a row, measured together.
struct Sample {
  int round = 0;
  std::int64_t wallNs = 0;
  std::int64_t threadCpuNs = 0;  // of the thread that calls
  std::int64_t calls = 1;
  bool operator==(const Sample&) const = default;
  [[nodiscard]] double perCallNs(TimeMetric metric) const {
    const std::int64_t ns = metric == TimeMetric::kWall ? wallNs : threadCpuNs;
    return calls > 0 ? static_cast<double>(ns) / static_cast<double>(calls) : 0;
  }
};

// The baseline twice in one pair: what differs there is noise.
struct NoisePair {
  int pair = 0;  // 0 to noiseBlocks * rounds - 1
  Sample first;
  Sample second;
  bool operator==(const NoisePair&) const = default;
};

struct ErrorCheck {
  double relativeL2 = 0;
  double maxAbs = 0;
  double limit = 0;                      // of relativeL2
  std::string against;                   // "float64 reference", "float64 of its own definition"
  std::optional<double> distanceToFull;  // of an approximation: relative L2 to softmax attention; a fact, no error
  bool operator==(const ErrorCheck&) const = default;
  [[nodiscard]] bool passed() const { return relativeL2 <= limit; }  // false for NaN
};

struct RunFailure {
  RunPhase phase = RunPhase::kAllocate;
  std::string reason;  // "ran out of memory: asked for 64.0 GiB, the budget is 8.0 GiB"
  bool operator==(const RunFailure&) const = default;
};

struct ImplementationResult {
  std::string id;
  bool available = true;  // false: not run, and `reason` says why
  std::string reason;
  std::optional<ErrorCheck> error;
  std::vector<Sample> samples;  // of complete rounds, by round
  std::optional<std::int64_t> peakBytes;
  std::optional<std::int64_t> predictedPeakBytes;
  // How far the process's own memory rose in a warm call, as the kernel counts it: with what libraries take beside
  // tensors, and without what they had kept already.
  std::optional<std::int64_t> residentPeakBytes;
  std::optional<double> joulesPerCall;  // of the whole processor while it was timed; none: not measured
  std::int64_t usefulFlops = 0;
  std::optional<std::int64_t> executedFlops;
  std::optional<std::int64_t> profiledNs;  // wall time of one call in the profiled run: never a result, shows its cost
  std::string traceFile;                   // path, or the entry's name in a session file; empty: none
  std::optional<RunFailure> failure;
  bool operator==(const ImplementationResult&) const = default;
};

// Where it ran. Empty or none: not known.
struct RunEnvironment {
  std::string runnerVersion;
  std::string libtorch;
  std::string cpu;
  std::string cpuCapability;  // "AVX2": the instruction set that LibTorch's kernels use
  int logicalCpus = 0;
  int threads = 0;
  std::string device = "cpu";
  std::string governor;
  std::string build;                  // of LibTorch, in its own words: compiler, MKL, oneDNN, OpenMP
  std::string cpuList;                // that the runner may use: "0-1"
  std::string energy;                 // why it was not measured; empty: it was, or nobody asked
  std::string system;                 // "Linux 6.1"
  std::string startedAt;              // UTC, "2026-01-31T12:00:00Z"
  std::optional<double> loadAverage;  // of one minute, at the start
  std::optional<std::int64_t> memoryBytes;
  std::optional<double> roofFlopsPerSecond;  // measured matrix product of the problem's type on these threads
  std::optional<double> roofBytesPerSecond;  // measured reading from memory
  std::optional<double> copyBytesPerSecond;  // measured copying: bytes read and written
  // Nothing computes faster: the larger of the matrix product and of multiply-adds in registers.
  std::optional<double> peakFlopsPerSecond;
  std::optional<std::int64_t> lastLevelCacheBytes;
  std::optional<double> clockMhz;       // mean of the CPUs before timing
  std::optional<double> clockMhzAfter;  // and after it
  bool operator==(const RunEnvironment&) const = default;
};

enum class RunEnding : std::uint8_t { kComplete, kCancelled, kFailed };
[[nodiscard]] std::string_view toString(RunEnding ending);  // "complete", "cancelled", "failed"

struct RunResult {
  RunPlan plan;
  RunEnvironment environment;
  std::vector<ImplementationResult> implementations;  // as in the plan
  std::vector<NoisePair> noise;
  std::vector<std::string> warnings;
  RunEnding ending = RunEnding::kComplete;
  std::string endingReason;  // of kFailed
  int completeRounds = 0;
  bool operator==(const RunResult&) const = default;
};

// Everything but samples is filled in from the cards: availability, predictions, FLOPs.
[[nodiscard]] RunResult startedResult(const RunPlan& plan);

// Per call, by round.
[[nodiscard]] std::vector<double> perCallNs(const ImplementationResult& implementation, TimeMetric metric);
[[nodiscard]] TimeStatistics timeOf(const ImplementationResult& implementation, TimeMetric metric);
// Useful FLOPs of a call over its median time; none without samples. In a block: of attention alone, so at least.
[[nodiscard]] std::optional<double> flopsPerSecond(const ImplementationResult& implementation, TimeMetric metric);
// Of the lower of the two measured roofs at this problem's intensity (useful FLOPs over minimum bytes).
[[nodiscard]] std::optional<double> roofShare(const RunResult& result, const ImplementationResult& implementation);
// What the measured roofs allow at best: the larger of executed FLOPs over the product's rate and minimum bytes over
// the reading rate (where they do not fit the caches, or these are cold); none where no roof was measured, or where
// nobody knows what is executed.
[[nodiscard]] std::optional<double> predictedNs(const RunResult& result, const ImplementationResult& implementation);
// Why its time cannot be: it computed faster than this machine can. None: nothing speaks against it.
[[nodiscard]] std::optional<std::string> implausibility(const RunResult& result,
                                                        const ImplementationResult& implementation);
// Wall time of a profiled call over the median wall time of a timed one; none without both.
[[nodiscard]] std::optional<double> profilerCostRatio(const ImplementationResult& implementation);
// Implementation `other` of the plan against the first, over the rounds that both have.
[[nodiscard]] PairedComparison comparedWithBaseline(const RunResult& result, std::size_t other,
                                                    double thresholdRatio = kDefaultThresholdRatio);
// Largest |median ratio - 1| of the blocks of noise pairs; none where not one whole block was measured.
[[nodiscard]] std::optional<double> noiseFloorRatio(const RunResult& result);

}  // namespace attnscope
