// SPDX-License-Identifier: Apache-2.0
#include "core/compare/MatchedWork.h"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

namespace attnscope {

namespace {

constexpr const char* kSubject = "matched work";
constexpr double kMostOfIt = 0.5;     // with less of either run there are reservations
constexpr double kNearlyNone = 0.05;  // with less of both they are different programs

bool isMatched(MatchKind kind) { return kind != MatchKind::kOnlyBase && kind != MatchKind::kOnlyOther; }

void addCondition(Comparison& comparison, std::size_t run) {
  const MatchedShares shares = matchedShares(comparison, run);
  if (std::min(shares.base, shares.other) >= kMostOfIt) return;
  const bool refuses = std::max(shares.base, shares.other) < kNearlyNone;
  const auto text = [](double share) { return fmt::format("{:.0f} %", 100 * share); };
  comparison.reasons.push_back({.subject = kSubject,
                                .base = text(shares.base),
                                .other = text(shares.other),
                                .meaning = refuses ? "the runs do different work"
                                                   : "the rest is of calls that stand for nothing in the other run",
                                .run = run,
                                .refuses = refuses});
}

}  // namespace

MatchedShares matchedShares(const Comparison& comparison, std::size_t run) {
  double matched[2] = {0, 0};
  double all[2] = {0, 0};
  for (const ComparisonGroup& group : comparison.groups) {
    if (group.isUnlinked || group.isProfiler) continue;
    for (const std::size_t side : {std::size_t{0}, run}) {
      const RunFigures& figures = group.runs[side];
      const auto ns = static_cast<double>(comparison.byDevice ? figures.deviceNs : figures.hostSelfNs);
      const std::size_t at = side == 0 ? 0 : 1;
      all[at] += ns;
      if (isMatched(group.matches[run])) matched[at] += ns;
    }
  }
  const auto share = [&](std::size_t at) { return all[at] > 0 ? matched[at] / all[at] : 1; };
  return {share(0), share(1)};
}

void judgeMatchedWork(Comparison& comparison) {
  auto& reasons = comparison.reasons;
  std::erase_if(reasons, [](const Condition& reason) { return reason.subject == kSubject; });
  for (std::size_t run = 1; run < comparison.totals.size(); ++run) {
    // The plan of a measurement says more of its work than the operators of its trace do.
    if (!comparison.isByPlan[run]) addCondition(comparison, run);
  }
  std::stable_sort(reasons.begin(), reasons.end(), [](const Condition& a, const Condition& b) {
    return std::tuple(a.run, !a.refuses) < std::tuple(b.run, !b.refuses);
  });
  const bool isRefused =
      std::any_of(reasons.begin(), reasons.end(), [](const Condition& each) { return each.refuses; });
  comparison.comparable = isRefused ? Comparable::kNo : reasons.empty() ? Comparable::kYes : Comparable::kReservations;
}

}  // namespace attnscope
