// SPDX-License-Identifier: Apache-2.0
#pragma once

// Who asked for memory, record by record. Pure functions, any thread, O(n log n).

#include <cstdint>
#include <string>
#include <vector>

#include "core/trace/Trace.h"

namespace attnscope {

// By row of MemoryTable: the innermost cpu_op open on the thread of the record; kNoSlice: none.
[[nodiscard]] std::vector<SliceId> memoryOperators(const Trace& trace);
// "cpu", "cuda:0", "hip:0"... as MemorySeries::device.
[[nodiscard]] std::string memoryDeviceName(std::int16_t deviceType, std::int16_t deviceId);

}  // namespace attnscope
