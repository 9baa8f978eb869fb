// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "core/findings/Words.h"
#include "core/findings/rules/Catalogue.h"
#include "core/findings/rules/Parts.h"

namespace attnscope::rules {

namespace {

constexpr std::size_t kFewestSteps = 3;

struct Launched {
  std::int64_t atNs = 0;  // the call
  TimeRange ran;
  StringId kernel = kNoString;
  std::array<std::int32_t, 3> grid{};
  std::array<std::int32_t, 3> block{};
};
struct SameLaunch {
  bool operator()(const Launched& a, const Launched& b) const {
    return a.kernel == b.kernel && a.grid == b.grid && a.block == b.block;
  }
};

std::int64_t overlapNs(const TimeRange& a, const TimeRange& b) {
  return std::max<std::int64_t>(0, std::min(a.endNs, b.endNs) - std::max(a.startNs, b.startNs));
}

TimeRange rangeOf(const Step& step) { return {step.startNs, step.startNs + step.durationNs}; }

// The kernels that were called for in each step, in the order of the calls.
std::vector<std::vector<Launched>> sequencesOf(const Trace& trace, const std::vector<Step>& steps) {
  std::vector<std::vector<Launched>> sequences(steps.size());
  for (std::size_t i = 0; i < trace.deviceWork.size(); ++i) {
    const SliceId kernel = trace.deviceWork.slice[i];
    const SliceId call = trace.deviceWork.launch[i];
    if (call == kNoSlice || trace.slices.categoryClass[index(kernel)] != CategoryClass::kKernel) continue;
    const std::int64_t at = trace.slices.startNs[index(call)];
    const auto after = std::upper_bound(steps.begin(), steps.end(), at,
                                        [](std::int64_t ns, const Step& step) { return ns < step.startNs; });
    if (after == steps.begin()) continue;
    const auto step = static_cast<std::size_t>(after - steps.begin()) - 1;
    if (!rangeOf(steps[step]).contains(at)) continue;
    sequences[step].push_back({at,
                               {trace.slices.startNs[index(kernel)], trace.slices.endNs(kernel)},
                               trace.slices.name[index(kernel)],
                               trace.deviceWork.grid[i],
                               trace.deviceWork.block[i]});
  }
  for (std::vector<Launched>& sequence : sequences) {
    std::stable_sort(sequence.begin(), sequence.end(),
                     [](const Launched& a, const Launched& b) { return a.atNs < b.atNs; });
  }
  return sequences;
}

// From its first kernel to its last: before and after it a step waits for other things than launches.
TimeRange ranOf(const std::vector<Launched>& sequence) {
  TimeRange range = sequence.front().ran;
  for (const Launched& each : sequence) {
    range.startNs = std::min(range.startNs, each.ran.startNs);
    range.endNs = std::max(range.endNs, each.ran.endNs);
  }
  return range;
}

bool isOneSequence(const std::vector<Launched>& a, const std::vector<Launched>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), SameLaunch());
}

// Steps of the sequence that most of them have.
std::vector<std::size_t> stepsAlike(const std::vector<std::vector<Launched>>& sequences) {
  std::vector<std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < sequences.size(); ++i) {
    if (sequences[i].empty()) continue;
    const auto group = std::find_if(groups.begin(), groups.end(), [&](const std::vector<std::size_t>& each) {
      return isOneSequence(sequences[each.front()], sequences[i]);
    });
    if (group != groups.end()) {
      group->push_back(i);
    } else {
      groups.push_back({i});
    }
  }
  const auto largest =
      std::max_element(groups.begin(), groups.end(), [](const auto& a, const auto& b) { return a.size() < b.size(); });
  return largest == groups.end() ? std::vector<std::size_t>{} : *largest;
}

bool launchesGraphs(const Metrics& metrics) {
  const Trace& trace = *metrics.trace;
  for (std::size_t i = 0; i < trace.slices.size(); ++i) {
    const CategoryClass category = trace.slices.categoryClass[i];
    if (category != CategoryClass::kRuntime && category != CategoryClass::kDriver) continue;
    if (trace.strings.view(trace.slices.name[i]).find("GraphLaunch") == std::string_view::npos) continue;
    if (isIn(metrics.windows, trace.slices.startNs[i])) return true;
  }
  return false;
}

}  // namespace

RuleAnswer graphCandidate(const Metrics& metrics, double threshold) {
  if (!metrics.hasDevice) return withoutDevice();
  const Trace& trace = *metrics.trace;
  std::vector<Step> steps;
  for (const Step& step : trace.steps) {
    if (metrics.scope.contains(step.startNs)) steps.push_back(step);
  }
  if (steps.size() < kFewestSteps) return NotApplicable{fmt::format("fewer than {} steps", kFewestSteps)};
  if (launchesGraphs(metrics)) return NotApplicable{"kernels are launched as graphs"};
  const auto pace = launchPace(metrics);
  if (!pace) return NotApplicable{kFewLaunches};
  const std::vector<std::vector<Launched>> sequences = sequencesOf(trace, steps);
  const std::vector<std::size_t> alike = stepsAlike(sequences);
  if (alike.size() < kFewestSteps || pace->kernelNs >= pace->distanceNs) return std::vector<Finding>{};
  std::int64_t stepNs = 0;
  std::int64_t idleNs = 0;
  std::vector<SliceId> slices;
  for (const std::size_t i : alike) {
    const TimeRange ran = ranOf(sequences[i]);
    stepNs += rangeOf(steps[i]).durationNs();
    slices.push_back(steps[i].slice);
    for (const DeviceGap& gap : metrics.gaps) {
      if (gap.syncNs == 0) idleNs += overlapNs(gap.range, ran);
    }
  }
  const double part = share(idleNs, stepNs);
  if (idleNs == 0 || part < threshold) return std::vector<Finding>{};
  Finding finding;
  finding.confidence = Confidence::kInferred;
  finding.severity = FindingSeverity::kWarning;
  finding.headline = fmt::format("{} steps launch the same {} kernels one by one, and the device waits for {} of them",
                                 alike.size(), sequences[alike.front()].size(), words::percent(part));
  finding.why = fmt::format(
      "The median kernel takes {}, and the host calls for one every {}. The steps call for the same kernels with the "
      "same grids in the same order: a CUDA graph calls for all of them at once.",
      words::time(pace->kernelNs), words::time(pace->distanceNs));
  finding.change =
      "Capture the step as a CUDA graph (torch.cuda.graph, torch.cuda.make_graphed_callables, or torch.compile with "
      "mode=\"reduce-overhead\").";
  finding.savingNs = idleNs;
  finding.savingFormula =
      "sum of the device's gaps from the first to the last kernel of each of these steps, without those in which the "
      "host waited for the device";
  finding.evidence.push_back(slicesEvidence(words::count(alike.size(), "step", "steps"), slices));
  for (const DeviceGap& gap : metrics.gaps) {
    const bool isWithin = std::any_of(alike.begin(), alike.end(), [&](std::size_t i) {
      return overlapNs(gap.range, ranOf(sequences[i])) == gap.range.durationNs();
    });
    if (gap.syncNs != 0 || !isWithin) continue;
    finding.evidence.push_back(
        {fmt::format("longest gap, {}", words::time(gap.range.durationNs())), {}, gap.range, kNoString});
    break;
  }
  finding.caveats = {
      "A graph replays the addresses of its recording: inputs are copied into place, sizes stay, and nothing in the "
      "step may ask the device for a value.",
      "Grids tell sizes up to the block: sizes that differ within one are not seen."};
  return std::vector<Finding>{finding};
}

}  // namespace attnscope::rules
