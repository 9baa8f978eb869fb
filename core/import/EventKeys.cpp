// SPDX-License-Identifier: Apache-2.0
#include "core/import/EventKeys.h"

#include <cstddef>
#include <cstring>

namespace attnscope {

namespace {

// Comparison with a literal of the same length, which the compiler turns into one or two instructions.
template <std::size_t N>
bool is(std::string_view text, const char (&literal)[N]) {
  return std::memcmp(text.data(), literal, N - 1) == 0;
}

}  // namespace

EventKey eventKey(std::string_view text) {
  switch (text.size()) {
    case 1:
      if (is(text, "s")) return EventKey::kScope;
      break;
    case 2:
      if (is(text, "ph")) return EventKey::kPhase;
      if (is(text, "ts")) return EventKey::kTime;
      if (is(text, "id")) return EventKey::kId;
      if (is(text, "bp")) return EventKey::kBindPoint;
      if (is(text, "sf")) return EventKey::kFrame;
      break;
    case 3:
      if (is(text, "cat")) return EventKey::kCategory;
      if (is(text, "pid")) return EventKey::kPid;
      if (is(text, "tid")) return EventKey::kTid;
      if (is(text, "dur")) return EventKey::kDuration;
      if (is(text, "id2")) return EventKey::kId2;
      if (is(text, "esf")) return EventKey::kEndFrame;
      break;
    case 4:
      if (is(text, "name")) return EventKey::kName;
      if (is(text, "args")) return EventKey::kArgs;
      break;
    case 5:
      if (is(text, "scope")) return EventKey::kAsyncScope;
      if (is(text, "stack")) return EventKey::kStack;
      break;
    case 6:
      if (is(text, "estack")) return EventKey::kEndStack;
      break;
    case 7:
      if (is(text, "bind_id")) return EventKey::kBindId;
      if (is(text, "flow_in")) return EventKey::kFlowsIn;
      if (is(text, "entries")) return EventKey::kEntries;
      break;
    case 8:
      if (is(text, "flow_out")) return EventKey::kFlowsOut;
      break;
    case 11:
      if (is(text, "event_stats")) return EventKey::kEventStats;
      break;
    default:
      break;
  }
  return EventKey::kOther;
}

ArgKey argKey(std::string_view text) {
  switch (text.size()) {
    case 4:
      if (is(text, "grid")) return ArgKey::kGrid;
      if (is(text, "Addr")) return ArgKey::kAddress;
      break;
    case 5:
      if (is(text, "block")) return ArgKey::kBlock;
      if (is(text, "bytes")) return ArgKey::kBytes;
      if (is(text, "Bytes")) return ArgKey::kMemoryBytes;
      break;
    case 6:
      if (is(text, "stream")) return ArgKey::kStream;
      if (is(text, "device")) return ArgKey::kDevice;
      if (is(text, "Ev Idx")) return ArgKey::kEventIndex;
      break;
    case 8:
      if (is(text, "finished")) return ArgKey::kFinished;
      break;
    case 9:
      if (is(text, "Device Id")) return ArgKey::kDeviceId;
      break;
    case 10:
      if (is(text, "Input Dims") || is(text, "Input dims")) return ArgKey::kInputDims;
      break;
    case 11:
      if (is(text, "External id") || is(text, "external id") || is(text, "External Id")) return ArgKey::kExternalId;
      if (is(text, "correlation")) return ArgKey::kCorrelation;
      if (is(text, "Device Type")) return ArgKey::kDeviceType;
      break;
    case 13:
      if (is(text, "shared memory")) return ArgKey::kSharedMemory;
      break;
    case 14:
      if (is(text, "Total Reserved")) return ArgKey::kTotalReserved;
      break;
    case 15:
      if (is(text, "Total Allocated")) return ArgKey::kTotalAllocated;
      break;
    case 20:
      if (is(text, "registers per thread")) return ArgKey::kRegisters;
      if (is(text, "Profiler Event Index")) return ArgKey::kEventIndex;
      break;
    case 25:
    case 23:
      if (text == "est. achieved occupancy %" || text == "theoretical occupancy %") return ArgKey::kOccupancy;
      break;
    default:
      break;
  }
  return ArgKey::kOther;
}

}  // namespace attnscope
