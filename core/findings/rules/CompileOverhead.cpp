// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "core/findings/Words.h"
#include "core/findings/rules/Catalogue.h"
#include "core/findings/rules/Parts.h"

namespace attnscope::rules {

RuleAnswer compileOverhead(const Metrics& metrics, double threshold) {
  const Trace& trace = *metrics.trace;
  const auto isCost = [](std::string_view name) {
    return name.starts_with("TorchDynamo Cache Lookup") || name.starts_with("Pregraph bytecode") ||
           name.starts_with("AOTDispatcher Runtime Wrapper Prologue");
  };
  std::vector<SliceId> slices;
  std::int64_t total = 0;
  bool isCompiled = false;
  for (const std::uint32_t node : metrics.nodes) {
    const std::string_view name = metrics.name(node);
    isCompiled = isCompiled || name.starts_with("Torch-Compiled Region") || name.starts_with("CompiledFunction");
    if (!isCost(name) || !isIn(metrics.windows, trace.slices.startNs[index(metrics.tree->nodes[node].slice)])) continue;
    slices.push_back(metrics.tree->nodes[node].slice);
    total += metrics.tree->nodes[node].cpuTotalNs;
  }
  if (!isCompiled && slices.empty()) return NotApplicable{"no compiled regions in this trace"};
  if (slices.empty() || share(total, metrics.windowNs) < threshold) return std::vector<Finding>{};
  Finding finding;
  finding.severity = FindingSeverity::kWarning;
  finding.headline = fmt::format("Guards and lookups of compiled code take {} {}, {}", words::time(total),
                                 inWindows(metrics), words::percent(share(total, metrics.windowNs)));
  finding.why =
      "Before each compiled region its guards are checked and its graph is looked up on the host; with many small "
      "regions that costs more than it saves.";
  finding.change =
      "Compile larger regions (remove graph breaks: TORCH_LOGS=graph_breaks), and keep shapes the same so that nothing "
      "is compiled again.";
  finding.savingNs = total;
  finding.savingFormula = "sum of the durations of these lookups and prologues";
  finding.evidence.push_back(slicesEvidence(words::count(slices.size(), "lookup", "lookups"), slices));
  finding.caveats = {"Where the device is the limit the host's time does not show in the step."};
  return std::vector<Finding>{finding};
}

}  // namespace attnscope::rules
