// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "core/findings/Words.h"
#include "core/findings/rules/Catalogue.h"
#include "core/findings/rules/Parts.h"

namespace attnscope::rules {

RuleAnswer gemmLayout(const Metrics& metrics, double threshold) {
  if (!metrics.hasDevice) return withoutDevice();
  struct Layout {
    std::string_view name;
    std::int64_t totalNs = 0;
    std::vector<SliceId> slices;
  };
  std::vector<Layout> layouts;
  std::int64_t total = 0;
  bool anyGemm = false;
  for (const KernelRow& row : metrics.kernels.rows) {
    if (row.kind != WorkKind::kGemm) continue;
    anyGemm = true;
    const std::string_view name = attnscope::gemmLayout(metrics.trace->strings.view(row.name));
    if (name.empty()) continue;
    auto at = std::find_if(layouts.begin(), layouts.end(), [name](const Layout& each) { return each.name == name; });
    if (at == layouts.end()) at = layouts.insert(layouts.end(), Layout{name, 0, {}});
    at->totalNs += row.totalNs;
    at->slices.insert(at->slices.end(), row.slices.begin(), row.slices.end());
    total += row.totalNs;
  }
  if (!anyGemm) return NotApplicable{"no matmul kernels"};
  if (layouts.empty()) return NotApplicable{"no name of a matmul kernel says its layout"};
  if (share(total, metrics.kernels.totalNs) < threshold) return std::vector<Finding>{};
  std::stable_sort(layouts.begin(), layouts.end(),
                   [](const Layout& a, const Layout& b) { return a.totalNs > b.totalNs; });
  Finding finding;
  finding.confidence = Confidence::kNamed;
  std::vector<std::string> parts;
  for (Layout& layout : layouts) {
    std::sort(layout.slices.begin(), layout.slices.end(), [&](SliceId a, SliceId b) {
      return metrics.trace->slices.startNs[index(a)] < metrics.trace->slices.startNs[index(b)];
    });
    parts.push_back(fmt::format("{} {}", layout.name, words::percent(share(layout.totalNs, total))));
    finding.evidence.push_back(
        slicesEvidence(fmt::format("{} of {}, {}", words::count(layout.slices.size(), "kernel", "kernels"), layout.name,
                                   words::time(layout.totalNs)),
                       layout.slices));
  }
  finding.headline = fmt::format("Matmul kernels take their inputs as {}", fmt::join(parts, ", "));
  finding.why =
      "As BLAS counts, column by column: n is an input as it is stored, t a transposed one. A linear layer in PyTorch "
      "is tn going forward.";
  finding.change =
      "Nothing by itself; where one layout is much slower for the same sizes, store that input the other way.";
  return std::vector<Finding>{finding};
}

}  // namespace attnscope::rules
