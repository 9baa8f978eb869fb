// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "core/findings/Words.h"
#include "core/findings/rules/Catalogue.h"
#include "core/findings/rules/Parts.h"

namespace attnscope::rules {

namespace {

constexpr std::string_view kRepeat = "aten::repeat_interleave";

}  // namespace

RuleAnswer attentionKvRepeat(const Metrics& metrics, double threshold) {
  const WorkOfName repeats = metrics.workOf([](std::string_view name) { return name == kRepeat; });
  if (repeats.calls == 0) return NotApplicable{"no repeat_interleave in this trace"};
  const double part = share(repeats.totalNs, metrics.allWorkNs());
  if (part < threshold) return std::vector<Finding>{};
  Finding finding;
  finding.confidence = Confidence::kNamed;
  finding.severity = FindingSeverity::kWarning;
  finding.headline = fmt::format("Keys and values are repeated {} times, {}, {} of the {}", repeats.calls,
                                 words::time(repeats.totalNs), words::percent(part), workWords(metrics));
  finding.why =
      "With grouped queries several heads share one head of keys and values. Repeating them writes each as often as it "
      "is shared, and attention reads the copies in place of the one.";
  finding.change =
      "scaled_dot_product_attention(..., enable_gqa=True), or a kernel that takes fewer heads of keys and values.";
  finding.savingNs = repeats.totalNs;
  finding.savingFormula = "time of these operators with what they call";
  finding.evidence.push_back(slicesEvidence(words::count(repeats.calls, "repeat", "repeats"), repeats.slices));
  finding.caveats = {"repeat_interleave outside attention is counted as well."};
  return std::vector<Finding>{finding};
}

}  // namespace attnscope::rules
