// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "core/findings/Words.h"
#include "core/findings/rules/Catalogue.h"
#include "core/findings/rules/Parts.h"

namespace attnscope::rules {

RuleAnswer kernelDominant(const Metrics& metrics, double threshold) {
  if (!metrics.hasDevice) return withoutDevice();
  if (metrics.kernels.rows.empty()) return NotApplicable{"no kernels"};
  const KernelRow& row = metrics.kernels.rows.front();
  if (row.totalShare < threshold) return std::vector<Finding>{};
  Finding finding;
  finding.headline = fmt::format("{} takes {}, {} of the kernel time", row.shortName, words::time(row.totalNs),
                                 words::percent(row.totalShare));
  finding.why =
      "What one kernel takes bounds what all others can give: twice as fast, it makes the whole shorter by "
      "half of its share.";
  finding.change = row.operators.empty() ? std::string("Begin here.")
                                         : fmt::format("Begin here: {} launches most of its calls.",
                                                       metrics.trace->strings.view(row.operators.front().name));
  finding.evidence.push_back(kernelEvidence(row));
  return std::vector<Finding>{finding};
}

}  // namespace attnscope::rules
