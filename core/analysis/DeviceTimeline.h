// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a device did over time, beside its work itself: where each stream stood idle and why, how many launches waited,
// and which share of the time it was busy. The definitions stand in core/analysis/README.md. Pure functions of the
// trace, any thread, O(n log n) in the device work.

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/base/TimeRange.h"
#include "core/trace/Trace.h"

namespace attnscope {

enum class IdleCause : std::uint8_t {
  kNoLaunch,         // the host had not launched what came next
  kWaiting,          // it was launched, and waited: for another stream, an event, or to be started
  kSynchronisation,  // the host stood in a synchronising call, and so launched nothing
  kProfiler,         // the profiler's own work held the host
  kUnknown,          // what came next has no recorded launch
};
[[nodiscard]] std::string_view toString(IdleCause cause);

struct IdleGap {
  TrackId track = kNoTrack;  // the stream
  TimeRange range;           // from the end of all work before to the start of the next
  IdleCause cause = IdleCause::kUnknown;
  SliceId next = kNoSlice;  // the work that ended it
};
// Of every stream, by (track, start). Time before the first and after the last work of a stream is no gap.
[[nodiscard]] std::vector<IdleGap> idleGaps(const Trace& trace);

struct IdleSum {
  IdleCause cause = IdleCause::kUnknown;
  std::int64_t totalNs = 0;
  std::uint64_t gaps = 0;
};
// Of one stream's gaps inside the scope, clipped to it; largest first, causes without time left out.
[[nodiscard]] std::vector<IdleSum> idleByCause(const std::vector<IdleGap>& gaps, TrackId track, TimeRange scope);

// A value that holds from its time to the next.
struct DeviceSeries {
  std::int32_t device = -1;
  std::vector<std::int64_t> atNs;
  std::vector<double> value;
};
// Per device: work that was launched (its call began) and has not begun. Ordered by device.
[[nodiscard]] std::vector<DeviceSeries> launchQueueDepth(const Trace& trace);
// Per device: the share of each bin, 0 to 1, in which any kernel, copy or memset ran. The width is a 1, 2 or 5 times a
// power of ten ns, such that the dense range has at most `mostBins`. Ordered by device.
[[nodiscard]] std::vector<DeviceSeries> busyShare(const Trace& trace, int mostBins = 500);

}  // namespace attnscope
