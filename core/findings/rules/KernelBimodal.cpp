// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "core/findings/Words.h"
#include "core/findings/rules/Catalogue.h"
#include "core/findings/rules/Parts.h"

namespace attnscope::rules {

namespace {

constexpr std::uint64_t kFewestCalls = 20;
constexpr double kLeastShare = 0.02;      // of the kernel time
constexpr double kLeastGroup = 0.1;       // of the calls
constexpr double kLeastExplained = 0.85;  // of the variance, by being in one group or the other

struct Groups {
  std::size_t lower = 0;  // sorted durations before it are the faster group
  double fast = 0;        // means
  double slow = 0;
  double explained = 0;
};

// The cut that explains most of the variance (Otsu 1979). O(n) of sorted durations.
Groups bestGroups(const std::vector<std::int64_t>& sorted) {
  const auto count = static_cast<double>(sorted.size());
  double sum = 0;
  double squares = 0;
  for (const std::int64_t ns : sorted) {
    sum += static_cast<double>(ns);
    squares += static_cast<double>(ns) * static_cast<double>(ns);
  }
  const double variance = squares - sum * sum / count;
  Groups best;
  double below = 0;
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    below += static_cast<double>(sorted[i - 1]);
    const auto lower = static_cast<double>(i);
    const double upper = count - lower;
    if (lower < kLeastGroup * count || upper < kLeastGroup * count) continue;
    const double fast = below / lower;
    const double slow = (sum - below) / upper;
    const double between = lower * upper / count * (slow - fast) * (slow - fast);
    const double explained = variance <= 0 ? 0 : between / variance;
    if (explained > best.explained) best = {i, fast, slow, explained};
  }
  return best;
}

}  // namespace

RuleAnswer kernelBimodal(const Metrics& metrics, double threshold) {
  if (!metrics.hasDevice) return withoutDevice();
  const Trace& trace = *metrics.trace;
  std::vector<Finding> findings;
  for (const KernelRow& row : metrics.launches.rows) {
    if (row.calls < kFewestCalls || row.totalShare < kLeastShare) continue;
    std::vector<std::int64_t> durations;
    for (const SliceId slice : row.slices) durations.push_back(trace.slices.durationNs[index(slice)]);
    std::sort(durations.begin(), durations.end());
    const Groups groups = bestGroups(durations);
    if (groups.explained < kLeastExplained || groups.fast <= 0 || groups.slow < threshold * groups.fast) continue;
    const std::int64_t border = durations[groups.lower];
    std::vector<SliceId> slow;
    for (const SliceId slice : row.slices) {
      if (trace.slices.durationNs[index(slice)] >= border) slow.push_back(slice);
    }
    Finding finding;
    finding.headline = fmt::format("{} takes {} in {} calls and {} in {}, with the same launch shape", row.shortName,
                                   words::time(static_cast<std::int64_t>(groups.fast)), groups.lower,
                                   words::time(static_cast<std::int64_t>(groups.slow)), slow.size());
    finding.why =
        "The mean describes neither group. The same launch that takes two times differs in what it works on, in what "
        "runs beside it, or in the clock.";
    finding.change =
        "Read the distribution rather than the mean. Look at the slow calls: their inputs, what other streams do "
        "meanwhile, and whether they come together (clock, heat) or take turns (inputs, caches).";
    finding.evidence.push_back(slicesEvidence(words::count(slow.size(), "slow call", "slow calls"), slow));
    finding.evidence.push_back(kernelEvidence(row));
    finding.caveats = {"Inputs of the same launch shape may still be different work."};
    findings.push_back(std::move(finding));
    if (findings.size() == 5) break;
  }
  return findings;
}

}  // namespace attnscope::rules
