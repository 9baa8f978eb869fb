// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/OperatorPaths.h"

#include <algorithm>
#include <unordered_map>

namespace attnscope {

namespace {

constexpr std::string_view kModulePrefix = "nn.Module: ";
constexpr std::uint32_t kNone = PathRow::kNone;

class Paths {
 public:
  Paths(const Trace& trace, const OperatorTree& tree, PathGrouping grouping, TimeRange scope)
      : m_trace(trace), m_tree(tree), m_grouping(grouping), m_scope(scope) {}

  PathTable build(const std::stop_token& stop) {
    if (m_grouping != PathGrouping::kCalls) {
      findContexts(stop);
      countContexts();
    }
    if (stop.stop_requested()) return {};
    m_rowOfNode.assign(m_tree.nodes.size(), kNone);
    for (std::uint32_t node = 0; node < m_tree.nodes.size(); ++node) addNode(node);
    // A row stands after the one it is under: from the end, sums are complete when they are passed on.
    for (std::size_t i = m_table.rows.size(); i-- > 0;) {
      PathRow& row = m_table.rows[i];
      row.cpuTotalNs += row.cpuSelfNs;
      row.deviceTotalNs += row.deviceSelfNs;
      if (row.parent == kNone) continue;
      m_table.rows[row.parent].cpuTotalNs += row.cpuTotalNs;
      m_table.rows[row.parent].deviceTotalNs += row.deviceTotalNs;
    }
    dropUnused();
    m_table.hasContext = m_grouping == PathGrouping::kCalls || m_hasContext;
    return std::move(m_table);
  }

 private:
  std::uint32_t child(std::uint32_t parent, StringId name, bool isOperator) {
    const std::uint64_t key = (std::uint64_t{parent} << 32 | index(name)) ^ (isOperator ? 0 : std::uint64_t{1} << 63);
    const auto [at, added] = m_children.try_emplace(key, static_cast<std::uint32_t>(m_table.rows.size()));
    if (added) {
      PathRow row;
      row.parent = parent;
      row.name = name;
      row.isOperator = isOperator;
      if (name != kNoString) row.kind = classifyOperator(m_trace.strings.view(name));
      if (!isOperator) row.kind = WorkKind::kPython;
      m_table.rows.push_back(std::move(row));
    }
    return at->second;
  }

  [[nodiscard]] bool isContext(std::uint32_t slice) const {
    if (m_trace.slices.categoryClass[slice] != CategoryClass::kPythonFunction) return false;
    return m_grouping == PathGrouping::kFrames || m_trace.name(SliceId{slice}).starts_with(kModulePrefix);
  }

  // The innermost module or frame at or above each slice. Slices of a thread are ordered by depth: parents come first.
  void findContexts(const std::stop_token& stop) {
    const SliceTable& slices = m_trace.slices;
    m_contextOf.assign(slices.size(), kNoSlice);
    for (std::uint32_t i = 0; i < slices.size(); ++i) {
      if ((i & 0xFFFFu) == 0 && stop.stop_requested()) return;
      const SliceId parent = slices.parent[i];
      if (isContext(i)) {
        m_contextOf[i] = SliceId{i};
        m_hasContext = true;
      } else if (parent != kNoSlice && index(parent) < i) {
        m_contextOf[i] = m_contextOf[index(parent)];
      }
    }
    m_rowOfContext.assign(slices.size(), kNone);
  }

  // The row of a context with those around it.
  std::uint32_t contextRow(SliceId context) {
    std::vector<SliceId> path;
    for (SliceId at = context; at != kNoSlice && m_rowOfContext[index(at)] == kNone;) {
      path.push_back(at);
      const SliceId parent = m_trace.slices.parent[index(at)];
      at = parent != kNoSlice && parent < at ? m_contextOf[index(parent)] : kNoSlice;
    }
    std::uint32_t row = kNone;
    if (!path.empty()) {
      const SliceId parent = m_trace.slices.parent[index(path.back())];
      const SliceId around = parent != kNoSlice && parent < path.back() ? m_contextOf[index(parent)] : kNoSlice;
      if (around != kNoSlice) row = m_rowOfContext[index(around)];
    } else if (context != kNoSlice) {
      row = m_rowOfContext[index(context)];
    }
    for (auto at = path.rbegin(); at != path.rend(); ++at) {
      row = child(row, m_trace.slices.name[index(*at)], false);
      m_rowOfContext[index(*at)] = row;
    }
    return row;
  }

  void countContexts() {
    for (std::uint32_t i = 0; i < m_contextOf.size(); ++i) {
      if (m_contextOf[i] != SliceId{i} || !m_scope.contains(m_trace.slices.startNs[i])) continue;
      PathRow& row = m_table.rows[contextRow(SliceId{i})];
      ++row.calls;
      row.slices.push_back(SliceId{i});
    }
  }

  // The operator that a node belongs to where it is seen from outside: the outermost one in its context.
  [[nodiscard]] std::uint32_t outermost(std::uint32_t node) const {
    const auto contextOf = [&](std::uint32_t of) {
      const SliceId slice = m_tree.nodes[of].slice;
      return slice == kNoSlice ? kNoSlice : m_contextOf[index(slice)];
    };
    std::uint32_t top = node;
    for (std::uint32_t up = m_tree.nodes[node].parent; up != OperatorNode::kNone; up = m_tree.nodes[up].parent) {
      const bool isSameContext = contextOf(up) == contextOf(top) || !m_tree.nodes[top].isOperator;
      if (!m_tree.nodes[up].isOperator || !isSameContext) break;
      top = up;
    }
    return top;
  }

  // Paths of which nothing starts in the scope.
  void dropUnused() {
    std::vector<PathRow>& rows = m_table.rows;
    std::vector<bool> isUsed(rows.size());
    for (std::size_t i = rows.size(); i-- > 0;) {
      const PathRow& row = rows[i];
      if (row.calls > 0 || row.cpuSelfNs != 0 || row.deviceSelfNs != 0) isUsed[i] = true;
      if (isUsed[i] && row.parent != kNone) isUsed[row.parent] = true;
    }
    std::vector<std::uint32_t> placeOf(rows.size(), kNone);
    std::uint32_t count = 0;
    for (std::uint32_t i = 0; i < rows.size(); ++i) {
      if (!isUsed[i]) continue;
      placeOf[i] = count;
      if (rows[i].parent != kNone) rows[i].parent = placeOf[rows[i].parent];
      if (count != i) rows[count] = std::move(rows[i]);
      ++count;
    }
    rows.resize(count);
  }

  void addNode(std::uint32_t node) {
    const OperatorNode& each = m_tree.nodes[node];
    if (each.slice == kNoSlice) return;
    std::uint32_t shown = node;
    std::uint32_t row = kNone;
    if (m_grouping == PathGrouping::kCalls) {
      const std::uint32_t above = each.parent == OperatorNode::kNone ? kNone : m_rowOfNode[each.parent];
      // What starts before the scope is above it, and shows the path of what starts inside.
      row = m_rowOfNode[node] = child(above, each.name, true);
    } else {
      shown = outermost(node);
      row = m_rowOfNode[shown];
      if (row == kNone) {
        row = child(contextRow(m_contextOf[index(m_tree.nodes[shown].slice)]), m_tree.nodes[shown].name, true);
        m_rowOfNode[shown] = row;
      }
    }
    if (!m_scope.contains(m_trace.slices.startNs[index(each.slice)])) return;
    PathRow& to = m_table.rows[row];
    if (each.isUserAnnotation) to.kind = WorkKind::kAnnotation;
    to.cpuSelfNs += each.cpuSelfNs;
    to.deviceSelfNs += each.deviceSelfNs;
    to.cpuMemorySelfBytes += each.cpuMemorySelfBytes;
    to.deviceMemorySelfBytes += each.deviceMemorySelfBytes;
    if (shown != node) return;
    ++to.calls;
    to.slices.push_back(each.slice);
  }

  const Trace& m_trace;
  const OperatorTree& m_tree;
  PathGrouping m_grouping;
  TimeRange m_scope;
  PathTable m_table;
  bool m_hasContext = false;
  std::unordered_map<std::uint64_t, std::uint32_t> m_children;
  std::vector<std::uint32_t> m_rowOfNode;
  std::vector<SliceId> m_contextOf;           // by slice
  std::vector<std::uint32_t> m_rowOfContext;  // by slice
};

}  // namespace

PathTable operatorPaths(const Trace& trace, const OperatorTree& tree, PathGrouping grouping, TimeRange scope,
                        const std::stop_token& stop) {
  return Paths(trace, tree, grouping, scope).build(stop);
}

std::string pathName(const Trace& trace, const OperatorTree& tree, StringId name) {
  std::string text = operatorName(trace, tree, name);
  if (text.starts_with(kModulePrefix)) text.erase(0, kModulePrefix.size());
  return text;
}

}  // namespace attnscope
