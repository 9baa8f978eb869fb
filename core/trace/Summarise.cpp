// SPDX-License-Identifier: Apache-2.0
// Last builder step: range, dense range, base of the clock, steps, launches by arrow.
#include <algorithm>
#include <utility>
#include <vector>

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

// Starts of slices by their position in the order of all.
class Starts {
 public:
  // Those of a whole trace: rows are in order, so that positions are found by halving the time that they lie in.
  explicit Starts(const Trace& trace) : m_trace(&trace), m_size(trace.slices.size()) {}
  explicit Starts(std::vector<std::int64_t> starts) : m_starts(std::move(starts)), m_size(m_starts.size()) {}

  [[nodiscard]] std::size_t size() const { return m_size; }

  [[nodiscard]] std::int64_t at(std::size_t position) {
    if (m_trace == nullptr) {
      std::nth_element(m_starts.begin(), m_starts.begin() + static_cast<std::ptrdiff_t>(position), m_starts.end());
      return m_starts[position];
    }
    std::int64_t low = m_trace->range.startNs;
    for (std::int64_t high = m_trace->range.endNs; low < high;) {
      const std::int64_t middle = low + (high - low) / 2;
      if (countUpTo(middle) > position) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }

 private:
  [[nodiscard]] std::size_t countUpTo(std::int64_t ns) const {
    std::size_t count = 0;
    const auto starts = m_trace->slices.startNs.begin();
    for (const Track& track : m_trace->tracks)
      for (const RowSpan& row : track.rows) {
        const auto begin = starts + row.first;
        count += static_cast<std::size_t>(std::upper_bound(begin, begin + row.count, ns) - begin);
      }
    return count;
  }

  const Trace* m_trace = nullptr;
  std::vector<std::int64_t> m_starts;
  std::size_t m_size;
};

// Device events that stand at time 0 of the file, without length.
class LostTimes {
 public:
  explicit LostTimes(const BuilderState& state)
      : m_slices(state.trace->slices), m_zeroInFile(state.raw.clockOrigin + state.zeroNs) {}

  // Nothing begins before the trace's zero.
  [[nodiscard]] bool possible() const { return m_zeroInFile <= 0; }
  [[nodiscard]] bool has(std::size_t slice) const {
    return m_slices.durationNs[slice] == 0 && isDeviceWork(m_slices.categoryClass[slice]) &&
           m_zeroInFile + m_slices.startNs[slice] == 0;
  }

 private:
  const SliceTable& m_slices;
  Int128 m_zeroInFile;
};

bool hasFewRows(const Trace& trace) {
  constexpr std::size_t kSlicesForRow = 4096;  // of fewer, sorting them is as fast
  std::size_t rows = 0;
  for (const Track& track : trace.tracks) rows += track.rows.size();
  return rows * kSlicesForRow < trace.slices.size();
}

TimeRange denseRange(BuilderState& state) {
  Trace& trace = *state.trace;
  const SliceTable& slices = trace.slices;
  const LostTimes losses(state);
  std::uint64_t lost = 0;
  std::uint64_t firstLost = TraceHealth::kNowhere;
  const auto withTimes = [&] {
    std::vector<std::int64_t> starts;
    starts.reserve(slices.size());
    for (std::size_t i = 0; i < slices.size() && !state.stopped(i); ++i) {
      if (losses.has(i)) {
        ++lost;
        firstLost = std::min<std::uint64_t>(firstLost, slices.order[i]);
      } else {
        starts.push_back(slices.startNs[i]);
      }
    }
    return Starts(std::move(starts));
  };
  Starts starts = !losses.possible() && hasFewRows(trace) ? Starts(trace) : withTimes();
  if (state.stop.stop_requested()) return trace.range;
  state.raw.health.note("time.zero", Severity::kInfo,
                        "Device events at time 0 without length: the recorder lost their times.", lost,
                        TraceHealth::kNowhere, firstLost);
  if (starts.size() == 0) return trace.range;
  const std::size_t outliers = starts.size() / 100 + (starts.size() >= 20 ? 1 : 0);
  std::int64_t low = trace.range.startNs;
  std::int64_t high = trace.range.endNs;
  const std::int64_t coreLow = starts.at(outliers);
  const std::int64_t coreHigh = starts.at(starts.size() - 1 - outliers);
  const double core = std::max(1.0, static_cast<double>(coreHigh - coreLow));
  if (outliers > 0 && static_cast<double>(coreLow - low) > kFar * core) low = coreLow - static_cast<std::int64_t>(core);
  const bool farEnd = outliers > 0 && static_cast<double>(starts.at(starts.size() - 1) - coreHigh) > kFar * core;
  if (farEnd) high = coreHigh + static_cast<std::int64_t>(core);
  if (lost == 0 && low == trace.range.startNs && !farEnd) return trace.range;
  TimeRange dense{INT64_MAX, INT64_MIN};
  for (std::size_t i = 0; i < slices.size(); ++i) {
    if (losses.has(i) || slices.startNs[i] < low || slices.startNs[i] > high) continue;
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
