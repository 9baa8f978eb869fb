// SPDX-License-Identifier: Apache-2.0
#pragma once

// The keys of an event and of its args that a reader of traces needs, by the text between their quotes.

#include <cstdint>
#include <string_view>

namespace attnscope {

enum class EventKey : std::uint8_t {
  kOther,
  kName,
  kCategory,
  kPhase,
  kPid,
  kTid,
  kTime,
  kDuration,
  kId,
  kId2,
  kArgs,
  kScope,  // "s" of an instant
  kBindPoint,
  kAsyncScope,  // "scope"
  kBindId,
  kFlowsIn,
  kFlowsOut,
  kEntries,
  kEventStats,
  kFrame,  // from here on: call stacks, which few events have
  kEndFrame,
  kStack,
  kEndStack,
};

enum class ArgKey : std::uint8_t {
  kOther,
  kExternalId,
  kCorrelation,
  kInputDims,
  kDevice,
  kStream,
  kGrid,
  kBlock,
  kRegisters,
  kSharedMemory,
  kOccupancy,
  kBytes,  // of a copy
  kFinished,
  kMemoryBytes,  // of memory events, as the rest
  kAddress,
  kEventIndex,
  kDeviceId,
  kDeviceType,
  kTotalReserved,
  kTotalAllocated,
};

// What a key says in either place.
struct KeyMeaning {
  EventKey event = EventKey::kOther;
  ArgKey arg = ArgKey::kOther;
};

[[nodiscard]] EventKey eventKey(std::string_view text);
[[nodiscard]] ArgKey argKey(std::string_view text);

}  // namespace attnscope
