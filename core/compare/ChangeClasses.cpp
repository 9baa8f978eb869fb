// SPDX-License-Identifier: Apache-2.0
#include "core/compare/ChangeClasses.h"

#include <algorithm>
#include <cstdlib>

namespace attnscope {

namespace {

std::uint8_t classOfGroup(const Comparison& comparison, const ComparisonGroup& group, std::size_t run) {
  std::size_t other = run;
  if (run == 0) {
    other = 1;
    for (std::size_t i = 2; i < group.runs.size(); ++i) {
      const std::int64_t largest = std::abs(comparison.deltaNs(group, other));
      if (std::abs(comparison.deltaNs(group, i)) > largest) other = i;
    }
  }
  if (group.matches[other] == MatchKind::kOnlyBase || group.matches[other] == MatchKind::kOnlyOther) {
    return kUnmatchedChange;
  }
  const auto ns = [&](std::size_t of) {
    return comparison.byDevice ? group.runs[of].deviceNs : group.runs[of].hostSelfNs;
  };
  return changeClassOf(ns(0), ns(other));
}

}  // namespace

std::uint8_t changeClassOf(std::int64_t baseNs, std::int64_t otherNs) {
  if (baseNs == otherNs) return kNeutralChange;
  if (baseNs <= 0) return kChangeSteps - 1;
  const double ratio = static_cast<double>(otherNs) / static_cast<double>(baseNs);
  if (ratio <= 1 / 1.5) return 0;
  if (ratio <= 1 / 1.2) return 1;
  if (ratio < 1 / 1.02) return 2;
  if (ratio <= 1.02) return kNeutralChange;
  if (ratio < 1.2) return 4;
  return ratio < 1.5 ? 5 : 6;
}

std::vector<std::uint8_t> changeClasses(const Comparison& comparison, std::size_t run, const Trace& trace,
                                        const OperatorTree& tree) {
  std::vector<std::uint8_t> ofGroup;
  ofGroup.reserve(comparison.groups.size());
  for (const ComparisonGroup& group : comparison.groups) ofGroup.push_back(classOfGroup(comparison, group, run));
  std::vector<std::uint8_t> ofSlice(trace.slices.size(), kNoChangeClass);
  const std::vector<std::uint32_t>& groupOfNode = comparison.groupOfNode[run];
  for (std::size_t node = 0; node < groupOfNode.size(); ++node) {
    if (groupOfNode[node] != Comparison::kNoGroup) {
      ofSlice[index(tree.nodes[node].slice)] = ofGroup[groupOfNode[node]];
    }
  }
  for (std::size_t i = 0; i < trace.deviceWork.size(); ++i) {
    const SliceId launcher = trace.deviceWork.launchOperator[i];
    const std::uint32_t node = launcher == kNoSlice ? OperatorNode::kNone : tree.nodeOfSlice[index(launcher)];
    if (node != OperatorNode::kNone && groupOfNode[node] != Comparison::kNoGroup) {
      ofSlice[index(trace.deviceWork.slice[i])] = ofGroup[groupOfNode[node]];
    }
  }
  return ofSlice;
}

}  // namespace attnscope
