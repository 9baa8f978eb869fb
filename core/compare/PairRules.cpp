// SPDX-License-Identifier: Apache-2.0
#include "core/compare/PairRules.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/analysis/Averages.h"
#include "core/compare/CallGroups.h"
#include "core/compare/MatchedWork.h"

namespace attnscope {

namespace {

using Groups = std::vector<ComparisonGroup>;

Groups::iterator find(Groups& groups, const std::string& key) {
  return std::find_if(groups.begin(), groups.end(), [&](const ComparisonGroup& group) { return group.key == key; });
}

bool isEmpty(const RunFigures& figures) {
  return figures.calls == 0 && figures.hostSelfNs == 0 && figures.deviceNs == 0;
}

void addFigures(RunFigures& sum, const RunFigures& part) {
  if (isEmpty(part)) return;
  if (isEmpty(sum)) {
    sum = part;
    return;
  }
  const auto calls = static_cast<std::int64_t>(sum.calls + part.calls);
  const __int128_t whole = __int128_t{sum.meanNs} * static_cast<std::int64_t>(sum.calls) +
                           __int128_t{part.meanNs} * static_cast<std::int64_t>(part.calls);
  if (part.calls > sum.calls) sum.medianNs = part.medianNs;  // of the larger part: the calls are not at hand
  sum.meanNs = calls == 0 ? 0 : halfUp(whole, calls);
  sum.calls += part.calls;
  sum.hostSelfNs += part.hostSelfNs;
  sum.deviceNs += part.deviceNs;
}

void moveCalls(std::vector<std::uint32_t>& groupOfNode, std::uint32_t from, std::uint32_t to) {
  std::replace(groupOfNode.begin(), groupOfNode.end(), from, to);
}

void pair(Comparison& comparison, const PairRule& rule) {
  Groups& groups = comparison.groups;
  const auto base = find(groups, rule.base);
  const auto other = find(groups, rule.other);
  if (base == groups.end() || other == groups.end() || !canPair(*base, *other)) return;
  const auto from = static_cast<std::uint32_t>(other - groups.begin());
  const auto to = static_cast<std::uint32_t>(base - groups.begin());
  for (std::size_t run = 0; run < base->runs.size(); ++run) {
    addFigures(base->runs[run], other->runs[run]);
    if (base->names[run].empty()) base->names[run] = other->names[run];
    auto& kernels = base->kernels[run];
    kernels.insert(kernels.end(), other->kernels[run].begin(), other->kernels[run].end());
    if (run > 0) base->matches[run] = base->names[run].empty() ? MatchKind::kOnlyBase : MatchKind::kRole;
    moveCalls(comparison.groupOfNode[run], from, to);
  }
  base->match = MatchKind::kRole;
  base->isMadeByHand = true;
  base->operatorName = base->operatorName + " -> " + other->operatorName;
  base->key = fmt::format("{} -> {} (paired by hand)", rule.base, rule.other);
  // The emptied group stays until the end, so that positions stay.
  *other = ComparisonGroup{};
  other->runs.resize(base->runs.size());
}

void cut(Comparison& comparison, const PairRule& rule) {
  Groups& groups = comparison.groups;
  const auto found = find(groups, rule.base);
  if (found == groups.end() || !canCut(*found)) return;
  const auto from = static_cast<std::uint32_t>(found - groups.begin());
  const auto to = static_cast<std::uint32_t>(groups.size());
  ComparisonGroup other = *found;
  ComparisonGroup& base = *found;
  other.runs[0] = {};
  other.kernels[0].clear();
  for (std::size_t run = 1; run < base.runs.size(); ++run) {
    base.runs[run] = {};
    base.kernels[run].clear();
    base.matches[run] = MatchKind::kOnlyBase;
    other.matches[run] = MatchKind::kOnlyOther;
    moveCalls(comparison.groupOfNode[run], from, to);
    if (other.operatorName == base.operatorName && !base.names[run].empty()) other.operatorName = base.names[run];
    base.names[run].clear();
  }
  other.names[0].clear();
  base.operatorName = base.names[0];
  base.match = MatchKind::kOnlyBase;
  other.match = MatchKind::kOnlyOther;
  base.isMadeByHand = other.isMadeByHand = true;
  base.key = rule.base + " (cut, base)";
  other.key = rule.base + " (cut, other)";
  groups.push_back(std::move(other));
}

void dropEmptied(Comparison& comparison) {
  Groups& groups = comparison.groups;
  std::vector<std::uint32_t> place(groups.size());
  std::uint32_t next = 0;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    place[i] = next;
    if (!groups[i].key.empty()) ++next;
  }
  std::erase_if(groups, [](const ComparisonGroup& group) { return group.key.empty(); });
  for (auto& ofNode : comparison.groupOfNode) {
    for (std::uint32_t& group : ofNode) {
      if (group != Comparison::kNoGroup) group = place[group];
    }
  }
}

}  // namespace

bool canPair(const ComparisonGroup& base, const ComparisonGroup& other) {
  return base.match == MatchKind::kOnlyBase && other.match == MatchKind::kOnlyOther && !base.isMadeByHand &&
         !other.isMadeByHand;
}

bool canCut(const ComparisonGroup& group) {
  return group.match <= MatchKind::kRole && !group.isUnlinked && !group.isProfiler && !group.isMadeByHand;
}

void applyPairRules(Comparison& comparison, const std::vector<PairRule>& rules) {
  if (rules.empty()) return;
  for (const PairRule& rule : rules) rule.kind == PairRuleKind::kPair ? pair(comparison, rule) : cut(comparison, rule);
  dropEmptied(comparison);
  sortGroups(comparison);
  judgeMatchedWork(comparison);
}

}  // namespace attnscope
