// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/LaunchDelays.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace attnscope {

LaunchDelays launchDelays(const Trace& trace) {
  const DeviceWorkTable& work = trace.deviceWork;
  LaunchDelays delays;
  delays.launchNs.assign(work.size(), -1);
  delays.queueNs.assign(work.size(), -1);
  delays.waitNs.assign(work.size(), -1);
  const auto startOf = [&](std::size_t row) { return trace.slices.startNs[index(work.slice[row])]; };
  std::vector<std::uint32_t> order(work.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::tuple(work.device[a], work.stream[a], startOf(a), a) <
           std::tuple(work.device[b], work.stream[b], startOf(b), b);
  });
  std::int64_t streamEnd = INT64_MIN;  // of the work before on the same stream
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::uint32_t row = order[i];
    const bool sameStream =
        i > 0 && work.device[order[i - 1]] == work.device[row] && work.stream[order[i - 1]] == work.stream[row];
    if (!sameStream) streamEnd = INT64_MIN;
    const SliceId call = work.launch[row];
    const std::int64_t start = startOf(row);
    if (call != kNoSlice) {
      const std::int64_t callEnd = trace.slices.endNs(call);
      const std::int64_t launch = start - trace.slices.startNs[index(call)];
      if (launch < 0) ++delays.beforeTheirCall;
      delays.launchNs[row] = std::max<std::int64_t>(launch, 0);
      delays.queueNs[row] = std::max<std::int64_t>(start - std::max(callEnd, streamEnd), 0);
      delays.waitNs[row] = streamEnd > callEnd ? std::min(streamEnd, start) - std::min(callEnd, start) : 0;
    }
    streamEnd = std::max(streamEnd, trace.slices.endNs(work.slice[row]));
  }
  return delays;
}

}  // namespace attnscope
