// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "core/findings/Words.h"
#include "core/findings/rules/Catalogue.h"
#include "core/findings/rules/Parts.h"

namespace attnscope::rules {

RuleAnswer traceLossy(const Metrics& metrics, double threshold) {
  std::vector<HealthEntry> lossy;
  std::uint64_t count = 0;
  for (const HealthEntry& entry : metrics.trace->health.sorted()) {
    const bool isLossy = entry.severity == Severity::kLost || entry.code == "time.zero";
    if (!isLossy) continue;
    lossy.push_back(entry);
    count += entry.count;
  }
  if (lossy.empty() || static_cast<double>(count) < threshold) return std::vector<Finding>{};
  std::vector<std::string> parts;
  for (const HealthEntry& entry : lossy) parts.push_back(fmt::format("{} {}", entry.count, entry.code));
  Finding finding;
  finding.severity = FindingSeverity::kWarning;
  finding.headline = fmt::format("{} of the file {} lost or without a time", words::count(count, "event", "events"),
                                 count == 1 ? "is" : "are");
  finding.why = fmt::format("Sums, gaps and comparisons lack them ({}).", fmt::join(parts, ", "));
  finding.change = "See the trace's health for each kind and its place in the file; record again where it matters.";
  return std::vector<Finding>{finding};
}

}  // namespace attnscope::rules
