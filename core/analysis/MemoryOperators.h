// SPDX-License-Identifier: Apache-2.0
#pragma once

// Who asked for memory, record by record. Pure functions, any thread, O(n log n).

#include <cstdint>
#include <string>
#include <vector>

#include "core/trace/Trace.h"

namespace attnscope {

// Device types as PyTorch numbers them.
[[nodiscard]] constexpr bool isHostMemory(std::int16_t type) { return type == 0 || type == 2 || type == 5; }
[[nodiscard]] constexpr bool isDeviceMemory(std::int16_t type) {
  return type == 1 || type == 6 || type == 12 || type == 20;
}

// By row of MemoryTable: the innermost cpu_op open on the thread of the record; kNoSlice: none.
[[nodiscard]] std::vector<SliceId> memoryOperators(const Trace& trace);
// "cpu", "cuda:0", "hip:0"... as MemorySeries::device.
[[nodiscard]] std::string memoryDeviceName(std::int16_t deviceType, std::int16_t deviceId);

}  // namespace attnscope
