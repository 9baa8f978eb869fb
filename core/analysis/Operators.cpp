// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/Operators.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "core/analysis/Kernels.h"
#include "core/trace/SortRuns.h"

namespace attnscope {

namespace {

constexpr std::uint32_t kNone = OperatorNode::kNone;
constexpr std::string_view kStepPrefix = "ProfilerStep#";
constexpr std::size_t kStopEvery = 65536;

bool isDeviceMemory(std::int16_t type) { return type == 1 || type == 6 || type == 12 || type == 20; }
bool isHostMemory(std::int16_t type) { return type == 0 || type == 2 || type == 5; }

// Events that PyTorch leaves out of its tables.
bool isLeftOut(std::string_view name) {
  static constexpr std::array<std::string_view, 8> kNames = {"[memory]",
                                                             "[OutOfMemory]",
                                                             "profiler::_record_function_enter",
                                                             "profiler::_record_function_enter_new",
                                                             "profiler::_record_function_exit",
                                                             "aten::is_leaf",
                                                             "aten::output_nr",
                                                             "aten::_version"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

enum class Role : std::uint8_t { kNo, kOperator, kAnnotation, kCall };  // kCall: runtime, driver, overhead

Role roleOf(CategoryClass category) {
  switch (category) {
    case CategoryClass::kCpuOperator:
      return Role::kOperator;
    case CategoryClass::kUserAnnotation:
      return Role::kAnnotation;
    case CategoryClass::kRuntime:
    case CategoryClass::kDriver:
    case CategoryClass::kOverhead:
      return Role::kCall;
    default:
      return Role::kNo;
  }
}

// By name and not by call, so that every call of an operator is treated alike.
void markWorking(std::vector<OperatorNode>& nodes) {
  struct Times {
    std::int64_t selfNs = 0;
    std::int64_t totalNs = 0;
  };
  std::unordered_map<std::uint32_t, Times> times;
  for (const OperatorNode& node : nodes) {
    if (!node.isOperator) continue;
    Times& sums = times[static_cast<std::uint32_t>(node.name)];
    sums.selfNs += node.cpuSelfNs;
    sums.totalNs += node.cpuTotalNs;
  }
  for (OperatorNode& node : nodes) {
    if (!node.isOperator) continue;
    const Times& sums = times[static_cast<std::uint32_t>(node.name)];
    node.isWorking = node.isLeaf || 2 * sums.selfNs >= sums.totalNs;
  }
}

// First position at `from` or behind whose time is `ns` or later: steps that double, then halving.
std::size_t firstFrom(const std::vector<std::int64_t>& times, std::size_t from, std::int64_t ns) {
  std::size_t step = 1;
  while (from + step < times.size() && times[from + step - 1] < ns) {
    from += step;
    step *= 2;
  }
  const auto begin = times.begin() + static_cast<std::ptrdiff_t>(from);
  const auto end = times.begin() + static_cast<std::ptrdiff_t>(std::min(times.size(), from + step));
  return static_cast<std::size_t>(std::lower_bound(begin, end, ns) - times.begin());
}

class TreeBuilder {
 public:
  TreeBuilder(const Trace& trace, std::stop_token stop) : m_trace(trace), m_slices(trace.slices), m_stop(stop) {}

  OperatorTree build() {
    selectRows();
    placeCalls();
    linkParents();
    if (m_stop.stop_requested()) return {};
    attributeMemory();
    attributeDeviceWork();
    fold();
    return publish();
  }

 private:
  struct Row {
    SliceId slice;
    StringId name;
    Role role;
    std::uint32_t parent = kNone;
    std::uint32_t firstChild = kNone;
    std::uint32_t lastChild = kNone;
    std::uint32_t nextSibling = kNone;
    std::uint32_t children = 0;
    std::uint32_t keeper = kNone;  // the row this one was folded into
    std::int64_t deviceNs = 0;
    std::int64_t hostBytes = 0;
    std::int64_t deviceBytes = 0;
  };

  void selectRows();
  void placeCalls();
  void linkParents();
  void attributeMemory();
  void attributeDeviceWork();
  void fold();
  OperatorTree publish();

  StringId canonicalName(StringId name) {
    if (name == kNoString || !m_trace.strings.view(name).starts_with(kStepPrefix)) return name;
    if (m_tree.stepName == kNoString) {
      const StringId known = m_trace.strings.find("ProfilerStep*");
      m_tree.stepName = known == kNoString ? name : known;
    }
    return m_tree.stepName;
  }
  [[nodiscard]] std::int64_t start(SliceId id) const { return m_slices.startNs[index(id)]; }
  [[nodiscard]] std::int64_t duration(SliceId id) const { return m_slices.durationNs[index(id)]; }
  [[nodiscard]] bool sorted(SliceId a, SliceId b) const {
    if (start(a) != start(b)) return start(a) < start(b);
    if (duration(a) != duration(b)) return duration(a) > duration(b);
    const bool callA = roleOf(m_slices.categoryClass[index(a)]) == Role::kCall;
    const bool callB = roleOf(m_slices.categoryClass[index(b)]) == Role::kCall;
    if (callA != callB) return callB;
    return m_slices.order[index(a)] < m_slices.order[index(b)];
  }
  void markEnclosed(std::size_t track, const std::vector<SliceId>& calls, std::vector<bool>& enclosed) const;
  [[nodiscard]] std::uint32_t rowOf(SliceId id) const { return m_rowOfSlice[index(id)]; }

  const Trace& m_trace;
  const SliceTable& m_slices;
  std::stop_token m_stop;
  OperatorTree m_tree;
  std::vector<std::vector<SliceId>> m_threads;  // by track: the slices of its tree
  std::vector<std::vector<SliceId>> m_calls;    // by track: runtime, driver and overhead slices before they are placed
  std::vector<Row> m_rows;                      // in (thread, start) order
  std::vector<std::uint32_t> m_rowOfSlice;
};

void TreeBuilder::selectRows() {
  m_threads.resize(m_trace.tracks.size());
  m_calls.resize(m_trace.tracks.size());
  std::vector<bool> leftOut(m_trace.strings.size());
  for (std::size_t i = 0; i < leftOut.size(); ++i) {
    leftOut[i] = isLeftOut(m_trace.strings.view(StringId{static_cast<std::uint32_t>(i)}));
  }
  for (std::size_t i = 0; i < m_slices.size(); ++i) {
    const Role role = roleOf(m_slices.categoryClass[i]);
    if (role == Role::kNo || m_slices.track[i] == kNoTrack) continue;
    if (role != Role::kCall && m_slices.markedUnfinished[i]) continue;
    const StringId name = m_slices.name[i];
    if (name != kNoString && leftOut[index(name)]) continue;
    auto& list = role == Role::kCall ? m_calls : m_threads;
    list[index(m_slices.track[i])].push_back(SliceId{static_cast<std::uint32_t>(i)});
  }
  for (auto& thread : m_threads) {
    sortRuns(thread, [this](SliceId a, SliceId b) { return sorted(a, b); });
  }
}

// Which of `calls` begin inside a cpu_op of the track.
void TreeBuilder::markEnclosed(std::size_t track, const std::vector<SliceId>& calls,
                               std::vector<bool>& enclosed) const {
  std::vector<std::size_t> byStart(calls.size());
  std::iota(byStart.begin(), byStart.end(), std::size_t{0});
  std::sort(byStart.begin(), byStart.end(),
            [&](std::size_t a, std::size_t b) { return start(calls[a]) < start(calls[b]); });
  std::int64_t openUntil = INT64_MIN;
  std::size_t next = 0;
  const auto& thread = m_threads[track];
  for (const std::size_t at : byStart) {
    for (; next < thread.size() && start(thread[next]) <= start(calls[at]); ++next) {
      if (m_slices.categoryClass[index(thread[next])] != CategoryClass::kCpuOperator) continue;
      openUntil = std::max(openUntil, m_slices.endNs(thread[next]));
    }
    enclosed[at] = start(calls[at]) < openUntil;
  }
}

// Puts runtime, driver and overhead slices on the thread on which PyTorch counts them: their operator's when linked,
// else the one that stopped the profiler. The file does not name that one: tid equal to pid, else the busiest.
void TreeBuilder::placeCalls() {
  const std::size_t trackCount = m_trace.tracks.size();
  constexpr std::size_t kNowhere = ~std::size_t{0};
  std::vector<std::size_t> stopper(m_trace.processes.size(), kNowhere);
  std::size_t busiest = kNowhere;
  std::unordered_map<std::uint64_t, std::size_t> trackOfOperator;  // (process, External id)
  const auto keyOf = [](ProcessId process, std::int64_t externalId) {
    return static_cast<std::uint64_t>(externalId) ^ (static_cast<std::uint64_t>(process) << 48);
  };
  bool anyCalls = false;
  for (std::size_t t = 0; t < trackCount; ++t) anyCalls = anyCalls || !m_calls[t].empty();
  if (!anyCalls) return;

  for (std::size_t t = 0; t < trackCount; ++t) {
    const Track& track = m_trace.tracks[t];
    if (m_threads[t].empty() || track.process == kNoProcess) continue;
    for (const SliceId id : m_threads[t]) {
      const std::int64_t externalId = m_slices.externalId[index(id)];
      if (externalId == kNoNumber || m_slices.categoryClass[index(id)] != CategoryClass::kCpuOperator) continue;
      trackOfOperator.emplace(keyOf(track.process, externalId), t);
    }
    const Process& process = m_trace.processes[index(track.process)];
    std::size_t& best = stopper[index(track.process)];
    const auto isMain = [&](std::size_t other) { return m_trace.tracks[other].tid == process.pid; };
    if (best == kNowhere || isMain(t) || (!isMain(best) && m_threads[t].size() > m_threads[best].size())) best = t;
  }
  std::vector<std::size_t> operatorsOf(m_trace.processes.size(), 0);
  for (std::size_t t = 0; t < trackCount; ++t) {
    if (m_trace.tracks[t].process == kNoProcess) continue;
    operatorsOf[index(m_trace.tracks[t].process)] += m_threads[t].size();
  }
  for (std::size_t p = 0; p < stopper.size(); ++p) {
    if (stopper[p] == kNowhere) continue;
    if (busiest == kNowhere || operatorsOf[p] > operatorsOf[index(m_trace.tracks[busiest].process)]) {
      busiest = stopper[p];
    }
  }

  std::vector<std::pair<std::size_t, SliceId>> placed;
  for (std::size_t t = 0; t < trackCount; ++t) {
    if (m_calls[t].empty()) continue;
    std::vector<bool> enclosed(m_calls[t].size(), false);
    markEnclosed(t, m_calls[t], enclosed);
    const ProcessId process = m_trace.tracks[t].process;
    for (std::size_t i = 0; i < m_calls[t].size(); ++i) {
      const SliceId id = m_calls[t][i];
      const std::int64_t externalId = m_slices.externalId[index(id)];
      std::size_t thread = kNowhere;
      // An External id that is the call's own correlation id links to nobody (Kineto of 2022 to 2024).
      if (externalId != kNoNumber && externalId != m_slices.correlation[index(id)]) {
        const auto found = trackOfOperator.find(keyOf(process, externalId));
        if (found != trackOfOperator.end()) thread = found->second;
      }
      if (thread == kNowhere && enclosed[i]) thread = t;
      if (thread == kNowhere && process != kNoProcess) thread = stopper[index(process)];
      if (thread == kNowhere) thread = busiest == kNowhere ? t : busiest;
      placed.emplace_back(thread, id);
    }
    m_calls[t] = std::vector<SliceId>();
  }
  std::vector<std::size_t> operatorCount(trackCount);
  for (std::size_t t = 0; t < trackCount; ++t) operatorCount[t] = m_threads[t].size();
  for (const auto& [thread, id] : placed) m_threads[thread].push_back(id);
  const auto before = [this](SliceId a, SliceId b) { return sorted(a, b); };
  for (std::size_t t = 0; t < trackCount; ++t) {
    const auto middle = m_threads[t].begin() + static_cast<std::ptrdiff_t>(operatorCount[t]);
    if (middle == m_threads[t].end()) continue;
    std::sort(middle, m_threads[t].end(), before);
    std::inplace_merge(m_threads[t].begin(), middle, m_threads[t].end(), before);
  }
}

void TreeBuilder::linkParents() {
  std::size_t total = 0;
  for (const auto& thread : m_threads) total += thread.size();
  m_rows.reserve(total);
  m_rowOfSlice.assign(m_slices.size(), kNone);
  std::vector<std::uint32_t> open;
  for (auto& thread : m_threads) {
    open.clear();
    for (const SliceId id : thread) {
      const std::int64_t from = start(id);
      const std::int64_t to = m_slices.endNs(id);
      // A slice that only overlaps the open one closes it for good, as in PyTorch.
      while (!open.empty()) {
        const std::int64_t topEnd = m_slices.endNs(m_rows[open.back()].slice);
        if (from < topEnd && to <= topEnd) break;
        open.pop_back();
      }
      const auto row = static_cast<std::uint32_t>(m_rows.size());
      m_rows.push_back({.slice = id,
                        .name = canonicalName(m_slices.name[index(id)]),
                        .role = roleOf(m_slices.categoryClass[index(id)])});
      m_rowOfSlice[index(id)] = row;
      if (!open.empty()) {
        Row& parent = m_rows[open.back()];
        m_rows[row].parent = open.back();
        (parent.lastChild == kNone ? parent.firstChild : m_rows[parent.lastChild].nextSibling) = row;
        parent.lastChild = row;
        ++parent.children;
      }
      open.push_back(row);
      if (m_rows.size() % kStopEvery == 0 && m_stop.stop_requested()) return;
    }
    thread = std::vector<SliceId>();
  }
}

// Every record from start to end of a slice, both included, counts for it, of whatever thread.
void TreeBuilder::attributeMemory() {
  const MemoryTable& memory = m_trace.memory;
  if (memory.size() == 0) return;
  std::vector<std::int64_t> host(memory.size() + 1, 0);
  std::vector<std::int64_t> device(memory.size() + 1, 0);
  for (std::size_t i = 0; i < memory.size(); ++i) {
    host[i + 1] = host[i] + (isHostMemory(memory.deviceType[i]) ? memory.bytes[i] : 0);
    device[i + 1] = device[i] + (isDeviceMemory(memory.deviceType[i]) ? memory.bytes[i] : 0);
  }
  std::vector<std::int32_t> covered(memory.size() + 1, 0);
  std::size_t from = 0;
  std::int64_t lastStart = INT64_MIN;
  for (Row& row : m_rows) {
    const std::int64_t startNs = start(row.slice);
    // Rows come by start within a thread, so that the next place is near.
    from = firstFrom(memory.atNs, startNs < lastStart ? 0 : from, startNs);
    lastStart = startNs;
    const std::size_t to = firstFrom(memory.atNs, from, m_slices.endNs(row.slice) + 1);
    row.hostBytes = host[to] - host[from];
    row.deviceBytes = device[to] - device[from];
    if (from == to) continue;
    ++covered[from];
    --covered[to];
  }
  std::int32_t depth = 0;
  for (std::size_t i = 0; i < memory.size(); ++i) {
    depth += covered[i];
    if (depth != 0) continue;
    m_tree.unattributed.push_back(static_cast<std::uint32_t>(i));
    ++m_tree.unattributedRecords;
    m_tree.unattributedCpuBytes += host[i + 1] - host[i];
    m_tree.unattributedDeviceBytes += device[i + 1] - device[i];
  }
  if (m_tree.unattributedRecords != 0) m_tree.memoryName = m_trace.strings.find("[memory]");
}

void TreeBuilder::attributeDeviceWork() {
  const DeviceWorkTable& work = m_trace.deviceWork;
  for (std::size_t i = 0; i < work.size(); ++i) {
    if (work.launchOperator[i] == kNoSlice) continue;
    const std::uint32_t row = rowOf(work.launchOperator[i]);
    if (row != kNone) m_rows[row].deviceNs += duration(work.slice[i]);
  }
}

// An only child with its parent's name is taken into the parent, until no more are.
void TreeBuilder::fold() {
  for (std::uint32_t i = 0; i < m_rows.size(); ++i) {
    if (m_rows[i].keeper != kNone) continue;
    Row& row = m_rows[i];
    while (row.children == 1 && m_rows[row.firstChild].name == row.name) {
      Row& child = m_rows[row.firstChild];
      child.keeper = i;
      row.deviceNs += child.deviceNs;
      row.children = child.children;
      row.firstChild = child.firstChild;
      row.lastChild = child.lastChild;
    }
    for (std::uint32_t c = row.firstChild; c != kNone; c = m_rows[c].nextSibling) m_rows[c].parent = i;
  }
}

OperatorTree TreeBuilder::publish() {
  std::vector<std::uint32_t> nodeOfRow(m_rows.size(), kNone);
  auto& nodes = m_tree.nodes;
  nodes.reserve(m_rows.size());
  for (std::uint32_t i = 0; i < m_rows.size(); ++i) {
    const Row& row = m_rows[i];
    if (row.keeper != kNone) {
      nodeOfRow[i] = nodeOfRow[row.keeper];
      continue;
    }
    nodeOfRow[i] = static_cast<std::uint32_t>(nodes.size());
    OperatorNode node;
    node.slice = row.slice;
    node.parent = row.parent == kNone ? kNone : nodeOfRow[row.parent];
    node.name = row.name;
    node.isUserAnnotation = row.role == Role::kAnnotation;
    node.isOperator = row.role == Role::kOperator;
    node.isLeaf = node.isOperator;
    node.cpuTotalNs = node.cpuSelfNs = duration(row.slice);
    node.deviceTotalNs = node.deviceSelfNs = row.deviceNs;
    node.cpuMemoryBytes = node.cpuMemorySelfBytes = row.hostBytes;
    node.deviceMemoryBytes = node.deviceMemorySelfBytes = row.deviceBytes;
    nodes.push_back(node);
  }
  std::vector<bool> operatorBelow(nodes.size(), false);
  for (std::size_t i = nodes.size(); i-- > 0;) {
    OperatorNode& node = nodes[i];
    node.isLeaf = node.isOperator && !operatorBelow[i];
    if (node.parent == kNone) continue;
    OperatorNode& parent = nodes[node.parent];
    parent.cpuSelfNs -= node.cpuTotalNs;
    parent.deviceTotalNs += node.deviceTotalNs;
    parent.cpuMemorySelfBytes -= node.cpuMemoryBytes;
    parent.deviceMemorySelfBytes -= node.deviceMemoryBytes;
    if (node.isOperator || operatorBelow[i]) operatorBelow[node.parent] = true;
  }
  markWorking(nodes);
  m_tree.nodeOfSlice = std::move(m_rowOfSlice);
  for (std::uint32_t& row : m_tree.nodeOfSlice) {
    if (row != kNone) row = nodeOfRow[row];
  }
  return std::move(m_tree);
}

}  // namespace

OperatorTree buildOperatorTree(const Trace& trace, std::stop_token stop) {
  return TreeBuilder(trace, std::move(stop)).build();
}

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
