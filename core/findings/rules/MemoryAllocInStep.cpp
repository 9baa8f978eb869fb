// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "core/findings/Words.h"
#include "core/findings/rules/Catalogue.h"
#include "core/findings/rules/Parts.h"

namespace attnscope::rules {

namespace {

bool isAllocation(std::string_view name) {
  return name == "cudaMalloc" || name == "cudaFree" || name == "hipMalloc" || name == "hipFree" ||
         name == "cudaMallocHost" || name == "cudaHostAlloc";
}

}  // namespace

RuleAnswer memoryAllocInStep(const Metrics& metrics, double threshold) {
  const Trace& trace = *metrics.trace;
  if (!metrics.hasDevice) return withoutDevice();
  if (trace.steps.size() < 2) return NotApplicable{"fewer than 2 steps"};
  const std::int64_t steady = trace.steps.front().startNs + trace.steps.front().durationNs;
  std::vector<SliceId> calls;
  std::int64_t total = 0;
  for (const std::uint32_t node : metrics.nodes) {
    const SliceId slice = metrics.tree->nodes[node].slice;
    const std::int64_t start = trace.slices.startNs[index(slice)];
    if (start < steady || !isIn(metrics.windows, start) || !isAllocation(metrics.name(node))) continue;
    calls.push_back(slice);
    total += trace.slices.durationNs[index(slice)];
  }
  if (calls.empty() || static_cast<double>(calls.size()) < threshold) return std::vector<Finding>{};
  Finding finding;
  finding.severity = FindingSeverity::kWarning;
  finding.headline = fmt::format("Memory is asked of the driver {} in steps after the first, {}",
                                 words::count(calls.size(), "time", "times"), words::time(total));
  finding.why =
      "cudaMalloc and cudaFree may wait for the device. After a warm-up the allocator should have all it needs.";
  finding.change =
      "Keep sizes the same from step to step (pad to few lengths), remove torch.cuda.empty_cache(), or reserve at the "
      "start.";
  finding.savingNs = total;
  finding.savingFormula = "sum of the durations of these calls";
  finding.evidence.push_back(slicesEvidence(words::count(calls.size(), "call", "calls"), calls));
  return std::vector<Finding>{finding};
}

}  // namespace attnscope::rules
