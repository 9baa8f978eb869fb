// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "core/findings/Words.h"
#include "core/findings/rules/Catalogue.h"
#include "core/findings/rules/Parts.h"

namespace attnscope::rules {

namespace {

struct Backend {
  std::string_view prefix;
  std::string_view title;
};
constexpr std::array<Backend, 6> kBackends = {
    {{"aten::_scaled_dot_product_flash_attention_for_cpu", "flash for CPU"},
     {"aten::_scaled_dot_product_flash_attention", "flash"},
     {"aten::_scaled_dot_product_efficient_attention", "memory-efficient"},
     {"aten::_scaled_dot_product_cudnn_attention", "cuDNN"},
     {"aten::_scaled_dot_product_attention_math", "math"},
     {"aten::_scaled_dot_product_fused_attention_overrideable", "of the device's maker"}}};

}  // namespace

RuleAnswer attentionBackend(const Metrics& metrics, double threshold) {
  struct Ran {
    std::string_view title;
    std::vector<SliceId> slices;
    std::int64_t totalNs = 0;
  };
  std::vector<Ran> ran;
  std::size_t calls = 0;
  for (const std::uint32_t node : metrics.nodes) {
    const std::string_view name = metrics.name(node);
    if (!metrics.tree->nodes[node].isOperator || name.find("backward") != std::string_view::npos) continue;
    const auto backend = std::find_if(kBackends.begin(), kBackends.end(),
                                      [name](const Backend& each) { return name.starts_with(each.prefix); });
    if (backend == kBackends.end()) continue;
    auto at = std::find_if(ran.begin(), ran.end(), [&](const Ran& each) { return each.title == backend->title; });
    if (at == ran.end()) at = ran.insert(ran.end(), {backend->title, {}, 0});
    at->slices.push_back(metrics.tree->nodes[node].slice);
    at->totalNs += metrics.totalNs(node);
    ++calls;
  }
  if (calls == 0) return NotApplicable{"no backend of scaled_dot_product_attention in this trace"};
  if (static_cast<double>(calls) < threshold) return std::vector<Finding>{};
  std::stable_sort(ran.begin(), ran.end(),
                   [](const Ran& a, const Ran& b) { return a.slices.size() > b.slices.size(); });
  std::vector<std::string> parts;
  Finding finding;
  for (const Ran& each : ran) {
    parts.push_back(fmt::format("{} in {}", each.title, words::count(each.slices.size(), "call", "calls")));
    finding.evidence.push_back(
        slicesEvidence(fmt::format("{} of {}, {}", words::count(each.slices.size(), "call", "calls"), each.title,
                                   words::time(each.totalNs)),
                       each.slices));
  }
  finding.headline = fmt::format("scaled_dot_product_attention ran its backends {}", fmt::join(parts, ", "));
  finding.why =
      "PyTorch chooses a backend for each call by type, head size, mask and strides; the choice decides over "
      "memory and time more than anything in the call.";
  finding.change = ran.size() > 1 ? "Calls of the same model take several ways: see which inputs differ between them."
                                  : "Nothing, where it is the backend you expect.";
  return std::vector<Finding>{finding};
}

}  // namespace attnscope::rules
