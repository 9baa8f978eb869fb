// SPDX-License-Identifier: GPL-3.0-or-later
// What the session compares: the comparison of the ready runs, its colours, its changes and the pairs made by hand.
#include <algorithm>

#include "core/compare/ChangeClasses.h"
#include "ui/bridge/FreedAside.h"
#include "ui/bridge/Jobs.h"
#include "ui/bridge/Session.h"

namespace attnscope::ui {

void Session::refreshComparison() {
  const std::vector<int> ready = readyRuns();
  if (ready.size() < 2) {
    m_jobs->cancel(comparisonKey());
    if (m_comparison) {
      m_comparison = nullptr;
      m_comparedRuns.clear();
      Q_EMIT comparisonChanged();
    }
    return;
  }
  struct Input {
    std::shared_ptr<const RunFacts> facts;
    std::string title;
    TimeRange scope;
    std::shared_ptr<const RunResult> measurement;
    std::size_t measuredAs;
  };
  struct Compared {
    std::shared_ptr<const Comparison> comparison;
    std::vector<std::vector<std::uint8_t>> changes;
  };
  std::vector<int> positions{baseline()};
  for (const int position : ready) {
    if (position != positions.front()) positions.push_back(position);
  }
  std::vector<Input> inputs;
  for (const int position : positions) {
    const Run* of = run(position);
    inputs.push_back(
        {of->m_facts, of->title().toStdString(), scopeRange(position), of->measurement(), of->measuredAs()});
  }
  m_jobs->start(
      comparisonKey(),
      [inputs = std::move(inputs), rules = m_pairRules](std::stop_token stop) {
        std::vector<ComparedRun> runs;
        for (const Input& input : inputs) {
          runs.push_back({input.facts->trace.get(), &input.facts->tree, input.title, input.scope,
                          input.measurement.get(), input.measuredAs});
        }
        Compared compared;
        auto comparison = makeFreedAside<Comparison>(compareRuns(runs, stop));
        if (stop.stop_requested()) return compared;
        applyPairRules(*comparison, rules);
        for (std::size_t run = 0; run < runs.size(); ++run) {
          compared.changes.push_back(changeClasses(*comparison, run, *runs[run].trace, *runs[run].tree));
        }
        compared.comparison = std::move(comparison);
        return compared;
      },
      [this, positions](Compared compared) {
        m_comparison = std::move(compared.comparison);
        m_changes = std::move(compared.changes);
        m_comparedRuns = positions;
        Q_EMIT comparisonChanged();
      });
}

void Session::setSliceColour(SliceColour colour) {
  if (colour == m_sliceColour) return;
  m_sliceColour = colour;
  Q_EMIT sliceColourChanged();
}

void Session::setChangesOnly(bool isOn) {
  if (isOn == m_changesOnly) return;
  m_changesOnly = isOn;
  Q_EMIT sliceColourChanged();
}

std::span<const std::uint8_t> Session::changesOf(int position) const {
  const auto at = std::find(m_comparedRuns.begin(), m_comparedRuns.end(), position);
  if (!m_comparison || at == m_comparedRuns.end()) return {};
  return m_changes[static_cast<std::size_t>(at - m_comparedRuns.begin())];
}

void Session::setPairRules(std::vector<PairRule> rules) {
  if (rules == m_pairRules) return;
  restorePairRules(std::move(rules));
  Q_EMIT pairRulesChanged();
}

void Session::restorePairRules(std::vector<PairRule> rules) {
  if (rules == m_pairRules) return;
  m_pairRules = std::move(rules);
  refreshComparison();
}

std::vector<SliceId> Session::slicesOfGroup(std::size_t group, std::size_t compared) const {
  std::vector<SliceId> slices;
  if (!m_comparison || compared >= m_comparedRuns.size() || compared >= m_comparison->groupOfNode.size()) return slices;
  const RunFacts& facts = *run(m_comparedRuns[compared])->facts();
  const std::vector<std::uint32_t>& groupOfNode = m_comparison->groupOfNode[compared];
  const TimeRange scope = scopeRange(m_comparedRuns[compared]);
  for (std::size_t node = 0; node < groupOfNode.size() && node < facts.tree.nodes.size(); ++node) {
    const SliceId slice = facts.tree.nodes[node].slice;
    if (groupOfNode[node] == group && scope.contains(facts.trace->slices.startNs[index(slice)]))
      slices.push_back(slice);
  }
  const DeviceWorkTable& work = facts.trace->deviceWork;
  for (std::size_t i = 0; i < work.size(); ++i) {
    if (!scope.contains(facts.trace->slices.startNs[index(work.slice[i])])) continue;
    const SliceId launcher = work.launchOperator[i];
    const std::uint32_t node = launcher == kNoSlice ? OperatorNode::kNone : facts.tree.nodeOfSlice[index(launcher)];
    const bool unlinked = node == OperatorNode::kNone || groupOfNode[node] == Comparison::kNoGroup;
    if (unlinked ? m_comparison->groups[group].isUnlinked : groupOfNode[node] == group) slices.push_back(work.slice[i]);
  }
  std::sort(slices.begin(), slices.end());
  return slices;
}

// Groups stand by amount of their difference already.
bool Session::selectChange(int step) {
  if (!m_comparison) return false;
  const auto& groups = m_comparison->groups;
  const auto differs = [&](const ComparisonGroup& group) {
    for (std::size_t i = 1; i < group.runs.size(); ++i) {
      if (m_comparison->deltaNs(group, i) != 0) return true;
    }
    return false;
  };
  const auto count = static_cast<int>(groups.size());
  int at = static_cast<int>(m_change) - 1 + step;
  if (m_change == 0) at = step > 0 ? 0 : -1;
  while (at >= 0 && at < count && !differs(groups[static_cast<std::size_t>(at)])) at += step > 0 ? 1 : -1;
  if (at < 0 || at >= count) return false;
  m_change = static_cast<std::size_t>(at) + 1;
  Selection selection;
  for (std::size_t i = 0; i < m_comparedRuns.size(); ++i) {
    std::vector<SliceId> slices = slicesOfGroup(static_cast<std::size_t>(at), i);
    if (slices.empty()) continue;
    const SliceTable& table = run(m_comparedRuns[i])->trace()->slices;
    if (selection.isEmpty()) {
      selection.leadRun = m_comparedRuns[i];
      selection.leadSlice = *std::max_element(slices.begin(), slices.end(), [&](SliceId a, SliceId b) {
        return table.durationNs[index(a)] < table.durationNs[index(b)];
      });
    }
    selection.parts.push_back({m_comparedRuns[i], std::move(slices)});
  }
  if (selection.isEmpty()) return false;
  selection.words = QString::fromStdString(groups[static_cast<std::size_t>(at)].operatorName);
  selection.origin = SelectionOrigin::kTable;
  select(std::move(selection));
  return true;
}

}  // namespace attnscope::ui
