// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "core/findings/Words.h"
#include "core/findings/rules/Catalogue.h"
#include "core/findings/rules/Parts.h"

namespace attnscope::rules {

RuleAnswer memoryNoEvents(const Metrics& metrics, double threshold) {
  const Trace& trace = *metrics.trace;
  if (trace.slices.size() == 0) return NotApplicable{"no slices in this trace"};
  if (static_cast<double>(trace.memory.size()) >= threshold) return std::vector<Finding>{};
  const bool wasAsked = std::any_of(trace.metadata.begin(), trace.metadata.end(), [](const auto& entry) {
    return entry.first == "profile_memory" && entry.second == "1";
  });
  Finding finding;
  finding.headline =
      wasAsked ? "Memory was asked for, and no record of it was written" : "No memory is recorded in this trace";
  finding.why = "Peaks, their holders and growth cannot be told from it.";
  finding.change = wasAsked ? "Record without profile_all_threads, which writes no memory records."
                            : "Record with profile(..., profile_memory=True, record_shapes=True) where memory matters.";
  return std::vector<Finding>{finding};
}

}  // namespace attnscope::rules
