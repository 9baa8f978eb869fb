// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "core/findings/Words.h"
#include "core/findings/rules/Catalogue.h"
#include "core/findings/rules/Parts.h"

namespace attnscope::rules {

namespace {

constexpr std::size_t kBefore = 4;  // work on the stream before an attention kernel that may prepare its inputs
constexpr std::size_t kAfter = 2;

bool isCopy(const Trace& trace, std::uint32_t row) {
  const SliceId slice = trace.deviceWork.slice[row];
  if (trace.slices.kind[index(slice)] == WorkKind::kCopy) return true;
  const SliceId launcher = trace.deviceWork.launchOperator[row];
  return launcher != kNoSlice && trace.name(launcher) == "aten::copy_";
}

// Rows of the device's kernels, copies and memsets in order of stream and start.
std::vector<std::uint32_t> inStreamOrder(const Trace& trace) {
  std::vector<std::uint32_t> rows;
  for (std::uint32_t i = 0; i < trace.deviceWork.size(); ++i) {
    if (trace.slices.categoryClass[index(trace.deviceWork.slice[i])] != CategoryClass::kSynchronisation) {
      rows.push_back(i);
    }
  }
  std::sort(rows.begin(), rows.end(), [&](std::uint32_t a, std::uint32_t b) {
    const auto key = [&](std::uint32_t row) {
      return std::tuple(trace.deviceWork.device[row], trace.deviceWork.stream[row],
                        trace.slices.startNs[index(trace.deviceWork.slice[row])], row);
    };
    return key(a) < key(b);
  });
  return rows;
}

}  // namespace

RuleAnswer attentionLayoutCopy(const Metrics& metrics, double threshold) {
  if (!metrics.hasDevice) return withoutDevice();
  const Trace& trace = *metrics.trace;
  const DeviceWorkTable& work = trace.deviceWork;
  const std::vector<std::uint32_t> rows = inStreamOrder(trace);
  std::vector<bool> isBeside(work.size());
  std::size_t attentionKernels = 0;
  const auto sameStream = [&](std::uint32_t a, std::uint32_t b) {
    return work.device[a] == work.device[b] && work.stream[a] == work.stream[b];
  };
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const SliceId slice = work.slice[rows[i]];
    if (trace.slices.kind[index(slice)] != WorkKind::kAttention) continue;
    if (!metrics.scope.contains(trace.slices.startNs[index(slice)])) continue;
    ++attentionKernels;
    const std::size_t first = i - std::min(i, kBefore);
    const std::size_t last = std::min(rows.size(), i + 1 + kAfter);
    for (std::size_t near = first; near < last; ++near) {
      if (sameStream(rows[near], rows[i]) && isCopy(trace, rows[near])) isBeside[rows[near]] = true;
    }
  }
  if (attentionKernels == 0) return NotApplicable{"no fused attention kernel in this trace"};
  std::vector<SliceId> copies;
  std::int64_t total = 0;
  for (std::uint32_t row = 0; row < work.size(); ++row) {
    if (!isBeside[row]) continue;
    copies.push_back(work.slice[row]);
    total += trace.slices.durationNs[index(work.slice[row])];
  }
  const double part = share(total, metrics.kernels.totalNs);
  if (copies.empty() || part < threshold) return std::vector<Finding>{};
  std::sort(copies.begin(), copies.end(),
            [&](SliceId a, SliceId b) { return trace.slices.startNs[index(a)] < trace.slices.startNs[index(b)]; });
  Finding finding;
  finding.confidence = Confidence::kInferred;
  finding.severity = FindingSeverity::kWarning;
  finding.headline = fmt::format("{} around attention take {}, {} of the kernel time",
                                 words::count(copies.size(), "layout copy", "layout copies"), words::time(total),
                                 words::percent(part));
  finding.why = fmt::format(
      "Beside {} queries, keys, values or the output are copied into another layout. A copy moves bytes and computes "
      "nothing, and the next kernel waits for it on the same stream.",
      words::count(attentionKernels, "attention kernel", "attention kernels"));
  finding.change =
      "Pass queries, keys and values as transposed views: the flash backend takes any layout whose last dimension is "
      "contiguous. Write the output projection for the layout that attention returns.";
  finding.savingNs = total;
  finding.savingFormula = "sum of the kernel time of these copies";
  finding.evidence.push_back(slicesEvidence(words::count(copies.size(), "copy", "copies"), copies));
  finding.caveats = {
      "Copies are told by their place on the stream, up to four pieces of work before an attention kernel and two "
      "after it: rotary embeddings and caches may copy there too."};
  return std::vector<Finding>{finding};
}

}  // namespace attnscope::rules
