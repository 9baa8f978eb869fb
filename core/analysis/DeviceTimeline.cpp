// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/DeviceTimeline.h"

#include <algorithm>
#include <map>
#include <utility>

namespace attnscope {

namespace {

bool isWork(CategoryClass category) {
  return category == CategoryClass::kKernel || category == CategoryClass::kGpuMemcpy ||
         category == CategoryClass::kGpuMemset;
}

// Disjoint, by start.
std::vector<TimeRange> unionOf(std::vector<TimeRange> ranges) {
  std::sort(ranges.begin(), ranges.end(), [](const TimeRange& a, const TimeRange& b) { return a.startNs < b.startNs; });
  std::vector<TimeRange> joined;
  for (const TimeRange& range : ranges) {
    if (!joined.empty() && range.startNs <= joined.back().endNs) {
      joined.back().endNs = std::max(joined.back().endNs, range.endNs);
    } else {
      joined.push_back(range);
    }
  }
  return joined;
}

std::int64_t overlap(const std::vector<TimeRange>& joined, TimeRange with) {
  auto at = std::lower_bound(joined.begin(), joined.end(), with.startNs,
                             [](const TimeRange& range, std::int64_t ns) { return range.endNs <= ns; });
  std::int64_t sum = 0;
  for (; at != joined.end() && at->startNs < with.endNs; ++at) {
    sum += std::min(at->endNs, with.endNs) - std::max(at->startNs, with.startNs);
  }
  return sum;
}

// What kept the host from launching.
struct HostHolds {
  std::map<TrackId, std::vector<TimeRange>> synchronising;  // by thread
  std::vector<TimeRange> profiler;
};

HostHolds hostHolds(const Trace& trace) {
  HostHolds holds;
  for (std::size_t at = 0; at < trace.slices.size(); ++at) {
    const SliceId slice{static_cast<std::uint32_t>(at)};
    const TimeRange range{trace.slices.startNs[at], trace.slices.endNs(slice)};
    const CategoryClass category = trace.slices.categoryClass[at];
    if (category == CategoryClass::kOverhead) {
      holds.profiler.push_back(range);
    } else if (trace.slices.kind[at] == WorkKind::kSynchronisation &&
               (category == CategoryClass::kRuntime || category == CategoryClass::kDriver)) {
      holds.synchronising[trace.slices.track[at]].push_back(range);
    }
  }
  holds.profiler = unionOf(std::move(holds.profiler));
  for (auto& [track, ranges] : holds.synchronising) ranges = unionOf(std::move(ranges));
  return holds;
}

IdleCause causeOf(const Trace& trace, const HostHolds& holds, TimeRange gap, SliceId launch) {
  if (launch == kNoSlice) return IdleCause::kUnknown;
  const std::int64_t launched = std::clamp(trace.slices.endNs(launch), gap.startNs, gap.endNs);
  const std::int64_t waited = gap.endNs - launched;
  if (waited > gap.durationNs() / 2) return IdleCause::kWaiting;
  const TimeRange unlaunched{gap.startNs, launched};
  if (overlap(holds.profiler, unlaunched) * 2 > unlaunched.durationNs()) return IdleCause::kProfiler;
  const auto thread = holds.synchronising.find(trace.slices.track[index(launch)]);
  if (thread != holds.synchronising.end() && overlap(thread->second, unlaunched) * 2 > unlaunched.durationNs()) {
    return IdleCause::kSynchronisation;
  }
  return IdleCause::kNoLaunch;
}

// Rows of device work by track, each by start.
std::map<TrackId, std::vector<std::size_t>> workByStream(const Trace& trace) {
  std::map<TrackId, std::vector<std::size_t>> streams;
  for (std::size_t row = 0; row < trace.deviceWork.size(); ++row) {
    const SliceId slice = trace.deviceWork.slice[row];
    if (isWork(trace.slices.categoryClass[index(slice)])) streams[trace.slices.track[index(slice)]].push_back(row);
  }
  const auto start = [&](std::size_t row) { return trace.slices.startNs[index(trace.deviceWork.slice[row])]; };
  for (auto& [track, rows] : streams) {
    std::stable_sort(rows.begin(), rows.end(), [&](std::size_t a, std::size_t b) { return start(a) < start(b); });
  }
  return streams;
}

std::int64_t binWidth(std::int64_t durationNs, int mostBins) {
  std::int64_t width = 1;
  while (true) {
    for (const std::int64_t factor : {1, 2, 5}) {
      if (durationNs / (width * factor) < mostBins) return width * factor;
    }
    width *= 10;
  }
}

}  // namespace

std::string_view toString(IdleCause cause) {
  switch (cause) {
    case IdleCause::kNoLaunch:
      return "no launch";
    case IdleCause::kWaiting:
      return "waiting";
    case IdleCause::kSynchronisation:
      return "synchronisation";
    case IdleCause::kProfiler:
      return "profiler";
    case IdleCause::kUnknown:
      break;
  }
  return "unknown";
}

std::vector<IdleGap> idleGaps(const Trace& trace) {
  std::vector<IdleGap> gaps;
  if (!trace.hasDeviceWork()) return gaps;
  const HostHolds holds = hostHolds(trace);
  for (const auto& [track, rows] : workByStream(trace)) {
    std::int64_t until = trace.slices.endNs(trace.deviceWork.slice[rows.front()]);
    for (const std::size_t row : rows) {
      const SliceId slice = trace.deviceWork.slice[row];
      const TimeRange gap{until, trace.slices.startNs[index(slice)]};
      if (gap.durationNs() > 0) {
        gaps.push_back({track, gap, causeOf(trace, holds, gap, trace.deviceWork.launch[row]), slice});
      }
      until = std::max(until, trace.slices.endNs(slice));
    }
  }
  return gaps;
}

std::vector<IdleSum> idleByCause(const std::vector<IdleGap>& gaps, TrackId track, TimeRange scope) {
  std::vector<IdleSum> sums;
  auto at = std::lower_bound(gaps.begin(), gaps.end(), std::pair{track, scope.startNs},
                             [](const IdleGap& gap, const std::pair<TrackId, std::int64_t>& wanted) {
                               return std::pair{gap.track, gap.range.endNs} <= wanted;
                             });
  for (; at != gaps.end() && at->track == track && at->range.startNs < scope.endNs; ++at) {
    const std::int64_t inside = std::min(at->range.endNs, scope.endNs) - std::max(at->range.startNs, scope.startNs);
    auto sum = std::find_if(sums.begin(), sums.end(), [&](const IdleSum& each) { return each.cause == at->cause; });
    if (sum == sums.end()) sum = sums.insert(sums.end(), IdleSum{at->cause, 0, 0});
    sum->totalNs += inside;
    ++sum->gaps;
  }
  std::stable_sort(sums.begin(), sums.end(), [](const IdleSum& a, const IdleSum& b) { return a.totalNs > b.totalNs; });
  return sums;
}

std::vector<DeviceSeries> launchQueueDepth(const Trace& trace) {
  std::map<std::int32_t, std::vector<std::pair<std::int64_t, int>>> changes;  // by device
  for (std::size_t row = 0; row < trace.deviceWork.size(); ++row) {
    const SliceId launch = trace.deviceWork.launch[row];
    const SliceId slice = trace.deviceWork.slice[row];
    if (launch == kNoSlice || !isWork(trace.slices.categoryClass[index(slice)])) continue;
    const std::int64_t began = trace.slices.startNs[index(launch)];
    // Clocks of host and device differ a little: what began before its launch never waited.
    const std::int64_t started = std::max(began, trace.slices.startNs[index(slice)]);
    changes[trace.deviceWork.device[row]].emplace_back(began, 1);
    changes[trace.deviceWork.device[row]].emplace_back(started, -1);
  }
  std::vector<DeviceSeries> result;
  for (auto& [device, steps] : changes) {
    // Those that begin before those that end at the same time, so that it never falls below zero.
    std::sort(steps.begin(), steps.end(), [](const auto& a, const auto& b) {
      return a.first != b.first ? a.first < b.first : a.second > b.second;
    });
    DeviceSeries series;
    series.device = device;
    int depth = 0;
    for (const auto& [ns, by] : steps) {
      depth += by;
      if (!series.atNs.empty() && series.atNs.back() == ns) {
        series.value.back() = depth;
      } else {
        series.atNs.push_back(ns);
        series.value.push_back(depth);
      }
    }
    result.push_back(std::move(series));
  }
  return result;
}

std::vector<DeviceSeries> busyShare(const Trace& trace, int mostBins) {
  std::map<std::int32_t, std::vector<TimeRange>> busy;
  for (std::size_t row = 0; row < trace.deviceWork.size(); ++row) {
    const SliceId slice = trace.deviceWork.slice[row];
    if (!isWork(trace.slices.categoryClass[index(slice)])) continue;
    busy[trace.deviceWork.device[row]].push_back({trace.slices.startNs[index(slice)], trace.slices.endNs(slice)});
  }
  std::vector<DeviceSeries> result;
  const TimeRange whole = trace.dense;
  if (whole.durationNs() <= 0) return result;
  const std::int64_t width = binWidth(whole.durationNs(), std::max(1, mostBins));
  for (auto& [device, ranges] : busy) {
    const std::vector<TimeRange> joined = unionOf(std::move(ranges));
    DeviceSeries series;
    series.device = device;
    for (std::int64_t at = whole.startNs; at < whole.endNs; at += width) {
      const TimeRange bin{at, std::min(at + width, whole.endNs)};
      series.atNs.push_back(at);
      series.value.push_back(static_cast<double>(overlap(joined, bin)) / static_cast<double>(bin.durationNs()));
    }
    series.atNs.push_back(whole.endNs);
    series.value.push_back(0);
    result.push_back(std::move(series));
  }
  return result;
}

}  // namespace attnscope
