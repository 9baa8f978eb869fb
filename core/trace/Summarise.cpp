// SPDX-License-Identifier: Apache-2.0
// Last builder step: range, dense range, base of the clock, steps, launches by arrow.
#include <algorithm>

#include "core/trace/BuilderState.h"

namespace attnscope {

namespace {

std::string decimal(Int128 value) {
  const bool negative = value < 0;
  __uint128_t rest = negative ? -static_cast<__uint128_t>(value) : static_cast<__uint128_t>(value);
  std::string digits;
  do {
    digits += static_cast<char>('0' + static_cast<int>(rest % 10));
    rest /= 10;
  } while (rest != 0);
  if (negative) digits += '-';
  std::reverse(digits.begin(), digits.end());
  return digits;
}

// The first view: without device events that lost their time, and without at most one event in a hundred that lies
// more than kFar times the rest's span away.
constexpr double kFar = 20;

TimeRange denseRange(BuilderState& state) {
  Trace& trace = *state.trace;
  const SliceTable& slices = trace.slices;
  const Int128 zeroInFile = state.raw.clockOrigin + state.zeroNs;
  std::uint64_t lost = 0;
  std::uint64_t firstLost = TraceHealth::kNowhere;
  std::vector<std::int64_t> starts;
  starts.reserve(slices.size());
  const auto lostItsTime = [&](std::size_t i) {
    return slices.durationNs[i] == 0 && isDeviceWork(slices.categoryClass[i]) && zeroInFile + slices.startNs[i] == 0;
  };
  for (std::size_t i = 0; i < slices.size(); ++i) {
    if (state.stopped(i)) return trace.range;
    if (lostItsTime(i)) {
      ++lost;
      firstLost = std::min<std::uint64_t>(firstLost, slices.order[i]);
    } else {
      starts.push_back(slices.startNs[i]);
    }
  }
  state.raw.health.note("time.zero", Severity::kInfo,
                        "Device events at time 0 without length: the recorder lost their times.", lost,
                        TraceHealth::kNowhere, firstLost);
  if (starts.empty()) return trace.range;
  const std::size_t outliers = starts.size() / 100 + (starts.size() >= 20 ? 1 : 0);
  std::int64_t low = trace.range.startNs;
  std::int64_t high = trace.range.endNs;
  const auto at = [&](std::size_t position) {
    std::nth_element(starts.begin(), starts.begin() + static_cast<std::ptrdiff_t>(position), starts.end());
    return starts[position];
  };
  const std::int64_t coreLow = at(outliers);
  const std::int64_t coreHigh = at(starts.size() - 1 - outliers);
  const double core = std::max(1.0, static_cast<double>(coreHigh - coreLow));
  if (outliers > 0 && static_cast<double>(coreLow - low) > kFar * core) low = coreLow - static_cast<std::int64_t>(core);
  const bool farEnd = outliers > 0 && static_cast<double>(at(starts.size() - 1) - coreHigh) > kFar * core;
  if (farEnd) high = coreHigh + static_cast<std::int64_t>(core);
  if (lost == 0 && low == trace.range.startNs && !farEnd) return trace.range;
  TimeRange dense{INT64_MAX, INT64_MIN};
  for (std::size_t i = 0; i < slices.size(); ++i) {
    if (lostItsTime(i) || slices.startNs[i] < low || slices.startNs[i] > high) continue;
    dense.startNs = std::min(dense.startNs, slices.startNs[i]);
    dense.endNs = std::max(dense.endNs, slices.startNs[i] + slices.durationNs[i]);
  }
  return dense.startNs <= dense.endNs ? dense : trace.range;
}

void findSteps(Trace& trace) {
  std::vector<bool> isStep(trace.strings.size(), false);
  bool any = false;
  for (std::uint32_t i = 0; i < isStep.size(); ++i)
    if (trace.strings.view(StringId{i}).rfind("ProfilerStep#", 0) == 0) isStep[i] = any = true;
  if (!any) return;
  const SliceTable& slices = trace.slices;
  for (std::uint32_t i = 0; i < slices.size(); ++i) {
    if (slices.name[i] == kNoString || !isStep[index(slices.name[i])]) continue;
    const CategoryClass category = slices.categoryClass[i];
    if (category != CategoryClass::kUserAnnotation && category != CategoryClass::kCpuOperator) continue;
    trace.steps.push_back({slices.name[i], SliceId{i}, slices.startNs[i], slices.durationNs[i]});
  }
  std::sort(trace.steps.begin(), trace.steps.end(), [](const Step& a, const Step& b) {
    return a.startNs != b.startNs ? a.startNs < b.startNs : a.slice < b.slice;
  });
}

// Where no correlation leads to the launch, an arrow from a runtime or driver call does.
void launchesByArrow(Trace& trace) {
  DeviceWorkTable& work = trace.deviceWork;
  for (std::size_t i = 0; i < work.size(); ++i) {
    if (work.launch[i] != kNoSlice) continue;
    const auto [first, last] = trace.flows.arriving(work.slice[i]);
    for (std::size_t k = first; k < last; ++k) {
      const SliceId from = trace.flows.from[trace.flows.byTarget[k]];
      const CategoryClass category = trace.slices.categoryClass[index(from)];
      if (category != CategoryClass::kRuntime && category != CategoryClass::kDriver) continue;
      work.launch[i] = from;
      break;
    }
  }
}

}  // namespace

void summarise(BuilderState& state) {
  Trace& trace = *state.trace;
  trace.timed = state.timed;
  trace.writtenZero = decimal(state.raw.clockOrigin + state.zeroNs);
  trace.base = decimal(state.raw.clockOrigin + state.zeroNs + state.raw.baseTimeNs);
  if (state.timed) {
    trace.range = {0, state.endNs - state.zeroNs};
    trace.dense = denseRange(state);
  } else {
    state.raw.health.note("trace.no-timed-events", Severity::kInfo, "The file holds no event that has a time.");
  }
  if (state.stop.stop_requested()) return;
  launchesByArrow(trace);
  findSteps(trace);
}

}  // namespace attnscope
