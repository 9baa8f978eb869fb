// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "core/findings/Words.h"
#include "core/findings/rules/Catalogue.h"
#include "core/findings/rules/Parts.h"

namespace attnscope::rules {

RuleAnswer profilerSelf(const Metrics& metrics, double threshold) {
  const Trace& trace = *metrics.trace;
  std::vector<SliceId> slices;
  std::int64_t total = 0;
  bool any = false;
  for (std::size_t i = 0; i < trace.slices.size(); ++i) {
    if (trace.slices.categoryClass[i] != CategoryClass::kOverhead) continue;
    any = true;
    if (!isIn(metrics.windows, trace.slices.startNs[i])) continue;
    slices.push_back(SliceId{static_cast<std::uint32_t>(i)});
    total += trace.slices.durationNs[i];
  }
  if (!any) return NotApplicable{"the recorder wrote nothing of its own work"};
  if (slices.empty() || share(total, metrics.windowNs) < threshold) return std::vector<Finding>{};
  Finding finding;
  finding.headline = fmt::format("The profiler itself takes {} {}, {}", words::time(total), inWindows(metrics),
                                 words::percent(share(total, metrics.windowNs)));
  finding.why =
      "Requests for buffers, flushes and the loading of code at its first use are not there without the profiler or "
      "after a warm-up: gaps around them say nothing of the program.";
  finding.change =
      "Warm up before recording, and record fewer things at once (with_stack and profile_memory cost most).";
  finding.evidence.push_back(
      slicesEvidence(words::count(slices.size(), "slice of overhead", "slices of overhead"), slices));
  return std::vector<Finding>{finding};
}

}  // namespace attnscope::rules
