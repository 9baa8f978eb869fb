// SPDX-License-Identifier: Apache-2.0
#pragma once

// Allocated and reserved bytes over time of each device, the peak and who holds it. From [memory] records in the
// order (time, file order). Pure functions, any thread, O(n log n).

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/TimeRange.h"
#include "core/trace/Trace.h"

namespace attnscope {

struct MemoryHolder {
  StringId operatorName = kNoString;  // innermost cpu_op open on the record's thread; kNoString: none
  std::int64_t bytes = 0;
  std::uint64_t blocks = 0;
};

struct MemorySeries {
  std::string device;  // "cpu", "cuda:0", "hip:0"...
  std::int16_t deviceType = 0;
  std::int16_t deviceId = -1;
  bool hasTotals =
      true;  // false: only rises over the start are known (2021); then startBytes is 0 and levels are relative
  std::int64_t peakBytes = 0;  // highest level of a record
  std::int64_t peakAtNs = 0;
  std::int64_t startBytes = 0;  // first total less first bytes
  std::int64_t endBytes = 0;
  std::int64_t reservedPeakBytes = kNoNumber;
  std::uint64_t allocations = 0;
  std::uint64_t frees = 0;
  std::vector<MemoryHolder> holdersAtPeak;  // most bytes first; blocks from before the trace are not among them
  std::vector<std::int64_t> atNs;
  std::vector<std::int64_t> allocatedBytes;
  std::vector<std::int64_t> reservedBytes;  // kNoNumber where not recorded
};
// CPU first, then by type and id. `scope` limits records; the levels stay the file's own.
[[nodiscard]] std::vector<MemorySeries> memorySeries(const Trace& trace, TimeRange scope = TimeRange::all());

}  // namespace attnscope
