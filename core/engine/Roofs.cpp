// SPDX-License-Identifier: Apache-2.0
#include "core/engine/Roofs.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <ATen/ops/mm.h>
#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <array>
#include <span>
#include <thread>
#include <vector>

#include "core/engine/Benchmark.h"
#include "core/engine/Failure.h"
#include "core/engine/Inputs.h"
#include "core/engine/PeakLoop.h"

namespace attnscope::engine {
namespace {

constexpr std::int64_t kSize = 1024;
constexpr std::int64_t kAtMostNs = 200'000'000;
constexpr std::size_t kMostBytes = 512u << 20;

std::int64_t timeIn(TimeMetric metric) {
  const Instant instant = now();
  return metric == TimeMetric::kWall ? instant.wallNs : instant.threadCpuNs;
}

// Repeats `work` for a while, three times at least; the shortest time in s.
template <class Work>
double shortestSeconds(TimeMetric metric, Work&& work) {
  constexpr int kLeastRepeats = 3;
  std::int64_t shortest = 0;
  const std::int64_t end = now().wallNs + kAtMostNs;
  for (int repeat = 0; repeat < kLeastRepeats || now().wallNs < end; ++repeat) {
    const std::int64_t start = timeIn(metric);
    work();
    const std::int64_t taken = std::max<std::int64_t>(1, timeIn(metric) - start);
    shortest = repeat == 0 ? taken : std::min(shortest, taken);
  }
  return static_cast<double>(shortest) * 1e-9;
}

double productRate(DataType type, TimeMetric metric) {
  const c10::InferenceMode noGradients;
  const at::Tensor left = randomNormal({kSize, kSize}, 1.0, 1).to(scalarTypeOf(type));
  const at::Tensor right = randomNormal({kSize, kSize}, 1.0, 2).to(scalarTypeOf(type));
  at::Tensor product = at::empty({kSize, kSize}, left.options());
  at::mm_out(product, left, right);
  const double seconds = shortestSeconds(metric, [&] { at::mm_out(product, left, right); });
  return 2.0 * kSize * kSize * kSize / seconds;
}

// On each thread as many multiply-adds at once.
double multiplyAddRate(DataType type, int threads, TimeMetric metric) {
  constexpr std::int64_t kRounds = 1 << 20;
  const double seconds = shortestSeconds(metric, [&] {
    std::vector<std::jthread> others;
    for (int thread = 1; thread < threads; ++thread) others.emplace_back([] { multiplyAdd(kRounds); });
    multiplyAdd(kRounds);
  });
  const double widths = type == DataType::kFloat64 ? 2 : 1;  // half as many of them fit a register
  return static_cast<double>(multiplyAddFlops(kRounds)) * threads / seconds / widths;
}

double copyRate(TimeMetric metric) {
  const c10::InferenceMode noGradients;
  const std::size_t bytes = std::min(kMostBytes, 4 * lastLevelCacheBytes());
  const at::Tensor from = at::full({static_cast<std::int64_t>(bytes / 2 / sizeof(float))}, 1.0f, at::kFloat);
  at::Tensor to = from.clone();
  return static_cast<double>(bytes) / shortestSeconds(metric, [&] { to.copy_(from); });
}

// Eight sums at once, so that the additions are not what it waits for.
std::uint64_t sumOf(std::span<const std::uint64_t> words) {
  std::array<std::uint64_t, 8> sums{};
  for (std::size_t i = 0; i + sums.size() <= words.size(); i += sums.size()) {
    for (std::size_t lane = 0; lane < sums.size(); ++lane) sums[lane] += words[i + lane];
  }
  std::uint64_t total = 0;
  for (const std::uint64_t sum : sums) total += sum;
  return total;
}

double readingRate(int threads, TimeMetric metric) {
  const std::size_t bytes = std::min(kMostBytes, 4 * lastLevelCacheBytes());
  const std::vector<std::uint64_t> words(bytes / sizeof(std::uint64_t), 1);
  const std::size_t share = words.size() / static_cast<std::size_t>(threads);
  const auto readPart = [&](std::size_t part) {
    volatile std::uint64_t sink = sumOf(std::span(words).subspan(part * share, share));
    static_cast<void>(sink);
  };
  const double seconds = shortestSeconds(metric, [&] {
    std::vector<std::jthread> others;
    for (std::size_t part = 1; part < static_cast<std::size_t>(threads); ++part) others.emplace_back(readPart, part);
    readPart(0);
  });
  return static_cast<double>(bytes) / seconds;
}

}  // namespace

Result<Roofs> measureRoofs(DataType type, int threads) {
  return guarded("measuring what this machine can do", [&]() -> Result<Roofs> {
    const TimeMetric metric = threads == 1 ? TimeMetric::kThreadCpu : TimeMetric::kWall;
    Roofs roofs;
    roofs.flopsPerSecond = productRate(type, metric);
    roofs.peakFlopsPerSecond = std::max(roofs.flopsPerSecond, multiplyAddRate(type, threads, metric));
    roofs.bytesPerSecond = readingRate(threads, metric);
    roofs.copyBytesPerSecond = copyRate(metric);
    return roofs;
  });
}

}  // namespace attnscope::engine
