// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "core/findings/Words.h"
#include "core/findings/rules/Catalogue.h"
#include "core/findings/rules/Parts.h"

namespace attnscope::rules {

namespace {

constexpr std::int64_t kAlignedBytes = 16;  // what tensor cores are fed with at once

std::string sizesOf(const GemmGroup& group) {
  const GemmSizes& sizes = group.sizes;
  const std::string one = fmt::format("{} x {} by {} x {}", sizes.rows, sizes.inner, sizes.inner, sizes.columns);
  return sizes.batch == 1 ? one : fmt::format("{} of {}", sizes.batch, one);
}

}  // namespace

RuleAnswer gemmShape(const Metrics& metrics, double threshold) {
  if (!metrics.hasDevice) return withoutDevice();
  const Trace& trace = *metrics.trace;
  std::vector<const GemmGroup*> off;
  std::int64_t total = 0;
  bool anyKnown = false;
  for (const GemmGroup& group : metrics.gemms) {
    // A product with a vector is limited by memory, whatever its sizes.
    if (group.sizes.rows == 1 || group.sizes.columns == 1) continue;
    const auto bytes = elementBytes(trace, group.operators.front());
    if (!bytes || *bytes > 2) continue;
    anyKnown = true;
    const std::int64_t multiple = kAlignedBytes / *bytes;
    if (group.sizes.inner % multiple == 0 && group.sizes.columns % multiple == 0) continue;
    off.push_back(&group);
    total += group.deviceNs;
  }
  if (!anyKnown) return NotApplicable{"no matmul kernels of half precision whose sizes and types are recorded"};
  const double part = share(total, metrics.kernels.totalNs);
  if (off.empty() || part < threshold) return std::vector<Finding>{};
  const GemmGroup& first = *off.front();
  const std::int64_t multiple = kAlignedBytes / elementBytes(trace, first.operators.front()).value_or(2);
  std::size_t calls = 0;
  for (const GemmGroup* group : off) calls += group->operators.size();
  Finding finding;
  finding.confidence = Confidence::kInferred;
  finding.severity = part >= 0.05 ? FindingSeverity::kWarning : FindingSeverity::kInfo;
  finding.headline =
      fmt::format("{} of sizes that are no multiple of {} {} {}, {} of the kernel time; the longest is {}",
                  words::count(calls, "matmul", "matmuls"), multiple, calls == 1 ? "takes" : "take", words::time(total),
                  words::percent(part), sizesOf(first));
  finding.why = fmt::format(
      "Tensor cores are fed with {} bytes at once. Rows of another length begin off that grid: the library chooses "
      "kernels that load less at a time, or none with tensor cores.",
      kAlignedBytes);
  finding.change = fmt::format(
      "Pad the inner size and the columns to a multiple of {} (64 is better still): vocabulary, head size, hidden "
      "size.",
      multiple);
  finding.savingNs = total;
  finding.savingFormula = "kernel time of these matmuls, of which padded ones leave a part";
  for (std::size_t i = 0; i < std::min<std::size_t>(off.size(), 4); ++i) {
    finding.evidence.push_back(
        slicesEvidence(fmt::format("{}, {}, {}", words::count(off[i]->kernels.size(), "kernel", "kernels"),
                                   sizesOf(*off[i]), words::time(off[i]->deviceNs)),
                       off[i]->kernels));
  }
  finding.caveats = {
      "Whether a tensor is stored by rows or by columns is not recorded: of a transposed one the rows count instead."};
  return std::vector<Finding>{finding};
}

}  // namespace attnscope::rules
