// SPDX-License-Identifier: Apache-2.0
#include "core/session/RunResult.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "core/problem/Cards.h"
#include "core/problem/Formulas.h"

namespace attnscope {
namespace {

void fillFromCard(ImplementationResult& implementation, const RunPlan& plan) {
  const Card* card = findCard(implementation.id);
  if (card == nullptr) {
    implementation.available = false;
    implementation.reason = "There is no implementation of this name.";
    return;
  }
  const std::optional<DeviceKind> device = deviceKindOf(plan.device);
  const std::optional<std::string> refusal =
      device ? refusalOf(*card, plan.problem, *device) : std::optional<std::string>("The device is not known.");
  if (refusal) {
    implementation.available = false;
    implementation.reason = *refusal;
  }
  const CardFigures figures = figuresOf(*card, plan.problem, conditionsHere(plan.threads));
  implementation.predictedPeakBytes = figures.predictedPeakBytes;
  implementation.usefulFlops = figures.usefulFlops;
  implementation.executedFlops = figures.executedFlops;
}

// What has to come from memory in each call, where that is known and bounds it: of attention alone (in a block it is no
// bound), and of more than the caches hold or with cold ones.
std::optional<double> bytesFromMemory(const RunResult& result, const ImplementationResult& implementation) {
  const RunEnvironment& environment = result.environment;
  const RunPlan& plan = result.plan;
  if (!environment.roofBytesPerSecond || *environment.roofBytesPerSecond <= 0) return std::nullopt;
  if (plan.problem.workload != Workload::kAttention) return std::nullopt;
  std::int64_t bytes = minimumBytes(plan.problem);
  if (const Card* card = findCard(implementation.id); card != nullptr && plan.problem.latentSize > 0) {
    bytes = figuresOf(*card, plan.problem, {}).minimumBytes;
  }
  if (plan.cache == CacheState::kHot && bytes <= environment.lastLevelCacheBytes.value_or(0)) return std::nullopt;
  return static_cast<double>(std::max<std::int64_t>(1, bytes));
}

}  // namespace

std::string_view toString(RunEnding ending) {
  switch (ending) {
    case RunEnding::kComplete:
      return "complete";
    case RunEnding::kCancelled:
      return "cancelled";
    case RunEnding::kFailed:
      return "failed";
  }
  return "";
}

RunResult startedResult(const RunPlan& plan) {
  RunResult result;
  result.plan = plan;
  for (const std::string& id : plan.implementations) {
    ImplementationResult& implementation = result.implementations.emplace_back();
    implementation.id = id;
    fillFromCard(implementation, plan);
  }
  return result;
}

std::vector<double> perCallNs(const ImplementationResult& implementation, TimeMetric metric) {
  std::vector<double> times;
  times.reserve(implementation.samples.size());
  for (const Sample& sample : implementation.samples) times.push_back(sample.perCallNs(metric));
  return times;
}

TimeStatistics timeOf(const ImplementationResult& implementation, TimeMetric metric) {
  return statisticsOf(perCallNs(implementation, metric));
}

std::optional<double> flopsPerSecond(const ImplementationResult& implementation, TimeMetric metric) {
  const TimeStatistics time = timeOf(implementation, metric);
  if (time.n == 0 || time.medianNs <= 0 || implementation.usefulFlops <= 0) return std::nullopt;
  return static_cast<double>(implementation.usefulFlops) / time.medianNs * 1e9;
}

std::optional<double> roofShare(const RunResult& result, const ImplementationResult& implementation) {
  const std::optional<double> reached = flopsPerSecond(implementation, result.plan.metric());
  const RunEnvironment& environment = result.environment;
  if (!reached || !environment.roofFlopsPerSecond || *environment.roofFlopsPerSecond <= 0) return std::nullopt;
  double roof = *environment.roofFlopsPerSecond;
  if (const std::optional<double> bytes = bytesFromMemory(result, implementation)) {
    roof = std::min(roof, *environment.roofBytesPerSecond * static_cast<double>(implementation.usefulFlops) / *bytes);
  }
  return roof > 0 ? std::optional<double>(*reached / roof) : std::nullopt;
}

std::optional<double> predictedNs(const RunResult& result, const ImplementationResult& implementation) {
  const std::optional<double> rate = result.environment.roofFlopsPerSecond;
  if (!rate || *rate <= 0 || !implementation.executedFlops) return std::nullopt;
  double seconds = static_cast<double>(*implementation.executedFlops) / *rate;
  if (const std::optional<double> bytes = bytesFromMemory(result, implementation)) {
    seconds = std::max(seconds, *bytes / *result.environment.roofBytesPerSecond);
  }
  return seconds * 1e9;
}

std::optional<std::string> implausibility(const RunResult& result, const ImplementationResult& implementation) {
  // Roofs are measured in another moment: a clock may have risen since.
  constexpr double kTolerance = 1.1;
  const std::optional<double> peak = result.environment.peakFlopsPerSecond;
  const TimeStatistics time = timeOf(implementation, result.plan.metric());
  if (!peak || *peak <= 0 || time.n == 0 || time.medianNs <= 0 || !implementation.executedFlops) return std::nullopt;
  const double reached = static_cast<double>(*implementation.executedFlops) / time.medianNs * 1e9;
  if (reached <= *peak * kTolerance) return std::nullopt;
  return fmt::format("its time is implausible: {:.1f} GFLOP/s were executed and this machine reaches {:.1f}",
                     reached / 1e9, *peak / 1e9);
}

std::optional<double> profilerCostRatio(const ImplementationResult& implementation) {
  const TimeStatistics wall = timeOf(implementation, TimeMetric::kWall);
  if (!implementation.profiledNs || wall.n == 0 || wall.medianNs <= 0) return std::nullopt;
  return static_cast<double>(*implementation.profiledNs) / wall.medianNs;
}

PairedComparison comparedWithBaseline(const RunResult& result, std::size_t other, double thresholdRatio) {
  const TimeMetric metric = result.plan.metric();
  std::unordered_map<int, double> byRound;
  for (const Sample& sample : result.implementations.front().samples) byRound[sample.round] = sample.perCallNs(metric);
  std::vector<double> base;
  std::vector<double> times;
  for (const Sample& sample : result.implementations[other].samples) {
    const auto found = byRound.find(sample.round);
    if (found == byRound.end()) continue;
    base.push_back(found->second);
    times.push_back(sample.perCallNs(metric));
  }
  return comparePairs(base, times, noiseFloorRatio(result), thresholdRatio);
}

std::optional<double> noiseFloorRatio(const RunResult& result) {
  const TimeMetric metric = result.plan.metric();
  std::vector<double> first;
  std::vector<double> second;
  for (const NoisePair& pair : result.noise) {
    first.push_back(pair.first.perCallNs(metric));
    second.push_back(pair.second.perCallNs(metric));
  }
  return noiseFloorOf(first, second, static_cast<std::size_t>(std::max(0, result.plan.rounds)));
}

}  // namespace attnscope
