// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "core/findings/Words.h"
#include "core/findings/rules/Catalogue.h"
#include "core/findings/rules/Parts.h"

namespace attnscope::rules {

RuleAnswer copyPageable(const Metrics& metrics, double threshold) {
  if (!metrics.hasDevice) return withoutDevice();
  const Trace& trace = *metrics.trace;
  if (metrics.kernels.copies.empty()) return NotApplicable{"no copies recorded"};
  std::vector<SliceId> copies;
  std::int64_t total = 0;
  std::int64_t bytes = 0;
  for (const KernelRow& row : metrics.kernels.copies) {
    if (trace.strings.view(row.name).find("Pageable") == std::string_view::npos) continue;
    copies.insert(copies.end(), row.slices.begin(), row.slices.end());
    total += row.totalNs;
  }
  std::sort(copies.begin(), copies.end(),
            [&](SliceId a, SliceId b) { return trace.slices.startNs[index(a)] < trace.slices.startNs[index(b)]; });
  for (const SliceId copy : copies) {
    if (const auto row = trace.deviceWork.find(copy)) bytes += std::max<std::int64_t>(trace.deviceWork.bytes[*row], 0);
  }
  if (copies.empty() || share(total, metrics.windowNs) < threshold) return std::vector<Finding>{};
  Finding finding;
  finding.severity = FindingSeverity::kWarning;
  finding.headline = fmt::format("{} of pageable memory {} {} {}", words::count(copies.size(), "copy", "copies"),
                                 copies.size() == 1 ? "takes" : "take", words::time(total), inWindows(metrics));
  if (bytes > 0) finding.headline += fmt::format(", {}", words::bytes(bytes));
  finding.why =
      "Memory that may be paged out is first copied into a buffer of the driver, so that the copy is slower and the "
      "host cannot go on while it runs.";
  finding.change =
      "Pin the host's memory (DataLoader(pin_memory=True), tensor.pin_memory()) and copy with non_blocking=True.";
  finding.savingNs = total;
  finding.savingFormula = "sum of the durations of these copies, where they run beside kernels instead";
  finding.evidence.push_back(slicesEvidence(words::count(copies.size(), "copy", "copies"), copies));
  finding.caveats = {"Pinned memory is taken from the whole machine."};
  return std::vector<Finding>{finding};
}

}  // namespace attnscope::rules
