// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "core/findings/Words.h"
#include "core/findings/rules/Catalogue.h"
#include "core/findings/rules/Parts.h"

namespace attnscope::rules {

namespace {

constexpr std::int64_t kLeastBytes = 64 * 1024 * 1024;  // of difference that is worth a word

}  // namespace

RuleAnswer memoryFragmentation(const Metrics& metrics, double threshold) {
  std::vector<Finding> findings;
  bool any = false;
  for (const MemorySeries& series : *metrics.memory) {
    if (series.reservedPeakBytes == kNoNumber || series.device == "cpu" || series.peakBytes <= 0) continue;
    any = true;
    const std::int64_t unused = series.reservedPeakBytes - series.peakBytes;
    if (unused < kLeastBytes || share(series.reservedPeakBytes, series.peakBytes) < threshold) continue;
    Finding finding;
    finding.severity = FindingSeverity::kWarning;
    finding.headline =
        fmt::format("{} is reserved on {} for a peak of {} in use", words::bytes(series.reservedPeakBytes),
                    series.device, words::bytes(series.peakBytes));
    finding.why =
        "The allocator holds memory in pieces that do not fit what is asked for; another process or a longer context "
        "cannot have it.";
    finding.change =
        "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True, sizes that stay the same from step to step, and "
        "preallocated caches.";
    finding.evidence.push_back({"the peak", {}, TimeRange{series.peakAtNs, series.peakAtNs + 1}, kNoString});
    finding.caveats = {"Memory that was needed before this trace is reserved still."};
    findings.push_back(std::move(finding));
  }
  if (!any) return NotApplicable{"no reserved memory of a device recorded"};
  return findings;
}

}  // namespace attnscope::rules
