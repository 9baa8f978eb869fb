// SPDX-License-Identifier: Apache-2.0
#pragma once

// How long device work waited, and for what. Pure function, any thread, O(n log n) in the device work.
//
// launch    from the start of the runtime call to the start of the work on the device
// queue     from when both the call had returned and the work before it on the same stream had ended, to its start:
//           what neither the host nor the stream explains
// wait      how long after the call's end the work before it on the stream still ran
// Host and device clocks are brought together by interpolation: work may seem to start before its call. Such a launch
// delay is kept as 0 and counted.

#include <cstdint>
#include <vector>

#include "core/trace/Trace.h"

namespace attnscope {

struct LaunchDelays {
  // By row of DeviceWorkTable, ns; -1: no call is known.
  std::vector<std::int64_t> launchNs;
  std::vector<std::int64_t> queueNs;
  std::vector<std::int64_t> waitNs;
  std::uint64_t beforeTheirCall = 0;
};
[[nodiscard]] LaunchDelays launchDelays(const Trace& trace);

}  // namespace attnscope
