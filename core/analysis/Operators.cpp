// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/Operators.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "core/analysis/Kernels.h"
#include "core/analysis/MemoryOperators.h"

namespace attnscope {

std::string operatorName(const Trace& trace, const OperatorTree& tree, StringId name) {
  if (name == kNoString) return {};
  if (name == tree.stepName) return "ProfilerStep*";
  const std::string_view text = trace.strings.view(name);
  return text.starts_with("_Z") ? demangledName(text) : std::string(text);
}

std::string operatorShapes(std::string_view inputDims) {
  if (inputDims.empty()) return "[]";
  std::string shapes;
  int depth = 0;
  std::size_t inputBegin = 0;  // where the list of the current input begins in `shapes`
  bool nested = false;
  for (const char c : inputDims) {
    if (c == '[') {
      ++depth;
      if (depth == 2) {
        inputBegin = shapes.size();
        nested = false;
      }
      if (depth > 2) nested = true;
    }
    shapes += c;
    if (c != ']') continue;
    if (depth == 2 && nested) {
      shapes.resize(inputBegin);
      shapes += "[]";
    }
    --depth;
  }
  return shapes;
}

namespace {

// Numbers the distinct texts that shapes come down to; many "Input Dims" may give one.
class ShapeKeys {
 public:
  explicit ShapeKeys(const Trace& trace) : m_trace(trace) {}

  std::uint32_t keyOf(StringId dims) {
    const auto known = m_keys.find(dims);
    if (known != m_keys.end()) return known->second;
    const auto next = static_cast<std::uint32_t>(m_texts.size());
    const auto [entry, added] = m_byText.emplace(operatorShapes(m_trace.strings.view(dims)), next);
    if (added) m_texts.push_back(entry->first);
    m_keys.emplace(dims, entry->second);
    return entry->second;
  }
  [[nodiscard]] const std::string& text(std::uint32_t key) const { return m_texts[key]; }

 private:
  const Trace& m_trace;
  std::unordered_map<StringId, std::uint32_t> m_keys;
  std::unordered_map<std::string, std::uint32_t> m_byText;
  std::vector<std::string> m_texts;
};

struct RowKey {
  StringId name;
  std::uint32_t shapes;
  bool isUserAnnotation;
  bool operator==(const RowKey&) const = default;
};
struct RowKeyHash {
  std::size_t operator()(const RowKey& key) const {
    const std::uint64_t bits = (static_cast<std::uint64_t>(key.name) << 32) ^
                               (static_cast<std::uint64_t>(key.shapes) << 1) ^ (key.isUserAnnotation ? 1u : 0u);
    return std::hash<std::uint64_t>{}(bits * 0x9E3779B97F4A7C15u);
  }
};

WorkKind kindOf(const Trace& trace, const OperatorNode& node) {
  return node.isOperator ? classifyOperator(trace.name(node.slice)) : trace.slices.kind[index(node.slice)];
}

void addNode(OperatorRow& row, const OperatorNode& node) {
  ++row.calls;
  row.cpuTotalNs += node.cpuTotalNs;
  row.cpuSelfNs += node.cpuSelfNs;
  row.deviceTotalNs += node.deviceTotalNs;
  row.deviceSelfNs += node.deviceSelfNs;
  row.cpuMemoryBytes += node.cpuMemoryBytes;
  row.cpuMemorySelfBytes += node.cpuMemorySelfBytes;
  row.deviceMemoryBytes += node.deviceMemoryBytes;
  row.deviceMemorySelfBytes += node.deviceMemorySelfBytes;
}

OperatorRow memoryRow(const Trace& trace, const OperatorTree& tree, TimeRange scope) {
  OperatorRow row;
  row.name = tree.memoryName;
  row.nameText = "[memory]";
  row.isMemoryRow = true;
  row.kind = WorkKind::kUnknown;
  for (const std::uint32_t record : tree.unattributed) {
    if (!scope.contains(trace.memory.atNs[record])) continue;
    ++row.calls;
    const std::int64_t bytes = trace.memory.bytes[record];
    if (isHostMemory(trace.memory.deviceType[record])) row.cpuMemoryBytes += bytes;
    if (isDeviceMemory(trace.memory.deviceType[record])) row.deviceMemoryBytes += bytes;
  }
  row.cpuMemorySelfBytes = row.cpuMemoryBytes;
  row.deviceMemorySelfBytes = row.deviceMemoryBytes;
  return row;
}

}  // namespace

OperatorTable operatorTable(const Trace& trace, const OperatorTree& tree, OperatorGrouping grouping,
                            OperatorFilter filter, TimeRange scope) {
  OperatorTable table;
  ShapeKeys shapes(trace);
  const bool byShape = grouping == OperatorGrouping::kByShape;
  std::unordered_map<RowKey, std::size_t, RowKeyHash> rowOf;
  for (std::uint32_t i = 0; i < tree.nodes.size(); ++i) {
    const OperatorNode& node = tree.nodes[i];
    if (!scope.contains(trace.slices.startNs[index(node.slice)])) continue;
    table.totals.cpuSelfNs += node.cpuSelfNs;
    table.totals.deviceSelfNs += node.deviceSelfNs;
    table.totals.cpuMemorySelfBytes += node.cpuMemorySelfBytes;
    table.totals.deviceMemorySelfBytes += node.deviceMemorySelfBytes;
    if (filter == OperatorFilter::kLeaf && !node.isLeaf) continue;
    const StringId dims = byShape ? trace.slices.inputDims[index(node.slice)] : kNoString;
    const std::uint32_t shapeKey = byShape ? shapes.keyOf(dims) : 0;
    const auto [entry, added] = rowOf.emplace(RowKey{node.name, shapeKey, node.isUserAnnotation}, table.rows.size());
    if (added) {
      OperatorRow row;
      row.name = node.name;
      row.nameText = operatorName(trace, tree, node.name);
      row.inputShapes = dims;
      if (byShape) row.shapesText = shapes.text(shapeKey);
      row.isUserAnnotation = node.isUserAnnotation;
      row.kind = kindOf(trace, node);
      table.rows.push_back(std::move(row));
    }
    addNode(table.rows[entry->second], node);
    table.rows[entry->second].nodes.push_back(i);
  }
  OperatorRow memory = memoryRow(trace, tree, scope);
  table.totals.cpuMemorySelfBytes += memory.cpuMemorySelfBytes;
  table.totals.deviceMemorySelfBytes += memory.deviceMemorySelfBytes;
  if (memory.calls != 0 && filter == OperatorFilter::kAll) {
    if (byShape) memory.shapesText = "[]";
    table.rows.push_back(std::move(memory));
  }
  for (std::size_t i = 0; i < trace.deviceWork.size(); ++i) {
    const SliceId id = trace.deviceWork.slice[i];
    if (trace.slices.categoryClass[index(id)] == CategoryClass::kSynchronisation) continue;
    if (scope.contains(trace.slices.startNs[index(id)]))
      table.totals.deviceEventsNs += trace.slices.durationNs[index(id)];
  }
  const auto startsBefore = [&](std::uint32_t a, std::uint32_t b) {
    return trace.slices.startNs[index(tree.nodes[a].slice)] < trace.slices.startNs[index(tree.nodes[b].slice)];
  };
  for (OperatorRow& row : table.rows) {
    if (!std::is_sorted(row.nodes.begin(), row.nodes.end(), startsBefore)) {
      std::stable_sort(row.nodes.begin(), row.nodes.end(), startsBefore);
    }
  }
  std::sort(table.rows.begin(), table.rows.end(), [](const OperatorRow& a, const OperatorRow& b) {
    if (a.cpuSelfNs != b.cpuSelfNs) return a.cpuSelfNs > b.cpuSelfNs;
    if (a.nameText != b.nameText) return a.nameText < b.nameText;
    if (a.shapesText != b.shapesText) return a.shapesText < b.shapesText;
    return a.isUserAnnotation < b.isUserAnnotation;
  });
  return table;
}

}  // namespace attnscope
