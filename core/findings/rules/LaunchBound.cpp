// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "core/findings/Words.h"
#include "core/findings/rules/Catalogue.h"
#include "core/findings/rules/Parts.h"

namespace attnscope::rules {

namespace {

constexpr std::size_t kFewest = 50;  // launches from which a median says something

}  // namespace

RuleAnswer launchBound(const Metrics& metrics, double threshold) {
  if (!metrics.hasDevice) return withoutDevice();
  const Trace& trace = *metrics.trace;
  // By the thread that launched: the starts of its calls and the durations of its kernels.
  struct Thread {
    std::vector<std::int64_t> calls;
    std::vector<std::int64_t> kernels;
    std::vector<SliceId> slices;
  };
  std::vector<Thread> threads(trace.tracks.size());
  for (std::size_t i = 0; i < trace.deviceWork.size(); ++i) {
    const SliceId call = trace.deviceWork.launch[i];
    const SliceId kernel = trace.deviceWork.slice[i];
    if (call == kNoSlice || trace.slices.categoryClass[index(kernel)] != CategoryClass::kKernel) continue;
    if (!isIn(metrics.windows, trace.slices.startNs[index(call)])) continue;
    Thread& thread = threads[index(trace.slices.track[index(call)])];
    thread.calls.push_back(trace.slices.startNs[index(call)]);
    thread.kernels.push_back(trace.slices.durationNs[index(kernel)]);
    thread.slices.push_back(call);
  }
  const auto busiest = std::max_element(
      threads.begin(), threads.end(), [](const Thread& a, const Thread& b) { return a.calls.size() < b.calls.size(); });
  if (busiest == threads.end() || busiest->calls.size() < kFewest) {
    return NotApplicable{fmt::format("fewer than {} launches of kernels are linked to their calls", kFewest)};
  }
  std::sort(busiest->calls.begin(), busiest->calls.end());
  std::vector<std::int64_t> distances;
  for (std::size_t i = 1; i < busiest->calls.size(); ++i) {
    // Kernels of one graph launch share its call.
    if (busiest->calls[i] > busiest->calls[i - 1]) distances.push_back(busiest->calls[i] - busiest->calls[i - 1]);
  }
  if (distances.size() + 1 < kFewest) return NotApplicable{"kernels are launched as graphs"};
  std::sort(distances.begin(), distances.end());
  std::sort(busiest->kernels.begin(), busiest->kernels.end());
  const std::int64_t kernel = busiest->kernels[busiest->kernels.size() / 2];
  const std::int64_t distance = distances[distances.size() / 2];
  if (share(kernel, distance) >= threshold) return std::vector<Finding>{};
  const std::int64_t idle = metrics.windowNs - metrics.busyNs;
  Finding finding;
  finding.severity = FindingSeverity::kWarning;
  finding.headline = fmt::format("The median kernel takes {}, but the host launches one every {}", words::time(kernel),
                                 words::time(distance));
  finding.why =
      "The host cannot call for kernels as fast as the device finishes them: the device waits between them, and the "
      "time of the step is that of the host.";
  finding.change =
      "Fewer and larger kernels: fuse (torch.compile, a fused attention call), larger batches, or a CUDA graph of the "
      "step.";
  finding.savingNs = idle;
  finding.savingFormula = "idle time of the device, of which launching is the cause where nothing else is";
  finding.evidence.push_back(slicesEvidence(
      words::count(busiest->slices.size(), "launch of the busiest thread", "launches of the busiest thread"),
      busiest->slices));
  finding.caveats = {"The profiler adds to the time of each call: without it launches follow one another faster."};
  return std::vector<Finding>{finding};
}

}  // namespace attnscope::rules
