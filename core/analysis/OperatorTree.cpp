// SPDX-License-Identifier: Apache-2.0
// The operator tree: each thread is put in order, runtime calls are placed, parents are found by a stack, and what is
// left after folding becomes nodes. Threads of the trace share nothing but what was counted before, so that each step
// takes them side by side.
#include <algorithm>
#include <array>
#include <utility>

#include "core/analysis/MemoryOperators.h"
#include "core/analysis/OperatorTracks.h"
#include "core/analysis/Operators.h"
#include "core/trace/InParallel.h"
#include "core/trace/TrackOrder.h"

namespace attnscope {

namespace {

constexpr std::uint32_t kNone = OperatorNode::kNone;
constexpr std::string_view kStepPrefix = "ProfilerStep#";
constexpr std::size_t kStopEvery = 0x10000;

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

}  // namespace

class OperatorTreeBuilder {
 public:
  OperatorTreeBuilder(const Trace& trace, std::stop_token stop, unsigned workers)
      : m_trace(trace), m_slices(trace.slices), m_stop(std::move(stop)), m_workers(workers) {}

  OperatorTree build() {
    readNames();
    m_threads.resize(m_trace.tracks.size());
    inParallel(m_threads.size() + 2, m_workers, [&](std::size_t i) {
      if (i == 0) return sumDeviceWork();
      if (i == 1) return sumMemory();
      order(i - 2);
    });
    placeCalls();
    inParallel(m_threads.size(), m_workers, [&](std::size_t t) { linkParents(m_threads[t]); });
    if (m_stop.stop_requested()) return {};
    reserveNodes();
    inParallel(m_threads.size(), m_workers, [&](std::size_t t) { fill(m_threads[t]); });
    if (m_stop.stop_requested()) return {};
    gatherFacts();
    findUnattributed();
    markWorking();
    return std::move(m_tree);
  }

 private:
  using Facts = OperatorNodes::Facts;
  static constexpr std::uint32_t kFolded = kNone;

  struct Thread {
    std::vector<SliceId> slices;  // of its tree, in order; kNoSlice where a call moved to another thread
    std::vector<SliceId> movedIn;
    std::vector<std::pair<std::uint32_t, SliceId>> movedOut;  // to which thread
    // By position in `slices`. The parent becomes the node once that is made.
    std::vector<std::uint32_t> parent;
    std::vector<std::uint32_t> end;  // behind the last slice below; kFolded
    std::size_t operators = 0;       // and annotations
    std::size_t calls = 0;
    OperatorTracks ids;  // of its operators, counted
    bool asksForIds = false;
    std::size_t folded = 0;
    std::uint32_t firstNode = 0;
    StringId firstStep = kNoString;
    std::vector<Facts> facts;                                      // the first is of the nodes that have none
    std::vector<std::pair<std::uint32_t, std::uint32_t>> covered;  // memory records inside its outermost slices
  };

  void readNames();
  void sumDeviceWork();
  void sumMemory();
  void order(std::size_t track);
  void placeCalls();
  [[nodiscard]] std::vector<std::uint32_t> stoppers() const;
  [[nodiscard]] std::uint32_t busiestOf(const std::vector<std::uint32_t>& stopper) const;
  [[nodiscard]] std::vector<OperatorTracks> operatorTracks() const;
  void linkParents(Thread& thread);
  void takeMoved(Thread& thread) const;
  void markFolded(Thread& thread) const;
  void reserveNodes();
  void fill(Thread& thread);
  void addMemory(Thread& thread, std::uint32_t node, SliceId slice, std::size_t& from);
  void markOperatorAbove(std::uint32_t node);
  Facts& factsOf(Thread& thread, std::uint32_t node);
  void gatherFacts();
  void findUnattributed();
  void markWorking();

  [[nodiscard]] std::int64_t start(SliceId id) const { return m_slices.startNs[index(id)]; }
  [[nodiscard]] std::int64_t duration(SliceId id) const { return m_slices.durationNs[index(id)]; }
  [[nodiscard]] Role role(SliceId id) const { return roleOf(m_slices.categoryClass[index(id)]); }
  [[nodiscard]] bool isStep(StringId name) const { return name != kNoString && m_isStep[index(name)] != 0; }
  [[nodiscard]] bool isSelected(std::size_t slice) const {
    const Role role = roleOf(m_slices.categoryClass[slice]);
    if (role == Role::kNo || (role != Role::kCall && m_slices.markedUnfinished[slice])) return false;
    const StringId name = m_slices.name[slice];
    return name == kNoString || m_isLeftOut[index(name)] == 0;
  }
  // Of two slices of one start and length: operators before calls, then by file.
  [[nodiscard]] bool tieBefore(SliceId a, SliceId b) const {
    const bool callA = role(a) == Role::kCall;
    const bool callB = role(b) == Role::kCall;
    return callA != callB ? callB : m_slices.order[index(a)] < m_slices.order[index(b)];
  }
  [[nodiscard]] bool before(SliceId a, SliceId b) const {
    if (start(a) != start(b)) return start(a) < start(b);
    if (duration(a) != duration(b)) return duration(a) > duration(b);
    return tieBefore(a, b);
  }
  // Steps have one name, which may be that of another slice.
  [[nodiscard]] bool isSameName(SliceId a, SliceId b) const {
    const StringId nameA = m_slices.name[index(a)];
    const StringId nameB = m_slices.name[index(b)];
    if (nameA == nameB) return true;
    const bool stepA = isStep(nameA);
    const bool stepB = isStep(nameB);
    if (stepA && stepB) return true;
    return m_knownStep != kNoString && ((stepA && nameB == m_knownStep) || (stepB && nameA == m_knownStep));
  }

  const Trace& m_trace;
  const SliceTable& m_slices;
  std::stop_token m_stop;
  unsigned m_workers;
  OperatorTree m_tree;
  std::vector<Thread> m_threads;  // by track
  std::vector<std::uint8_t> m_isLeftOut;
  std::vector<std::uint8_t> m_isStep;
  StringId m_knownStep = kNoString;        // "ProfilerStep*" where the file has that name itself
  std::vector<std::int64_t> m_deviceNs;    // by slice, of the work that it launched; empty without any
  std::vector<std::int64_t> m_hostSums;    // of memory records before a row of the table; empty without any
  std::vector<std::int64_t> m_deviceSums;  // likewise
};

void OperatorTreeBuilder::readNames() {
  m_isLeftOut.resize(m_trace.strings.size());
  m_isStep.resize(m_trace.strings.size());
  for (std::uint32_t i = 0; i < m_isStep.size(); ++i) {
    const std::string_view name = m_trace.strings.view(StringId{i});
    m_isLeftOut[i] = isLeftOut(name) ? 1 : 0;
    m_isStep[i] = name.starts_with(kStepPrefix) ? 1 : 0;
  }
  m_knownStep = m_trace.strings.find("ProfilerStep*");
}

void OperatorTreeBuilder::sumDeviceWork() {
  const DeviceWorkTable& work = m_trace.deviceWork;
  if (work.size() == 0) return;
  m_deviceNs.assign(m_slices.size(), 0);
  for (std::size_t i = 0; i < work.size(); ++i)
    if (work.launchOperator[i] != kNoSlice) m_deviceNs[index(work.launchOperator[i])] += duration(work.slice[i]);
}

void OperatorTreeBuilder::sumMemory() {
  const MemoryTable& memory = m_trace.memory;
  if (memory.size() == 0) return;
  m_hostSums.assign(memory.size() + 1, 0);
  m_deviceSums.assign(memory.size() + 1, 0);
  for (std::size_t i = 0; i < memory.size(); ++i) {
    m_hostSums[i + 1] = m_hostSums[i] + (isHostMemory(memory.deviceType[i]) ? memory.bytes[i] : 0);
    m_deviceSums[i + 1] = m_deviceSums[i] + (isDeviceMemory(memory.deviceType[i]) ? memory.bytes[i] : 0);
  }
}

void OperatorTreeBuilder::order(std::size_t track) {
  Thread& thread = m_threads[track];
  thread.slices = inStartOrder(
      m_slices, m_trace.tracks[track].rows, [this](std::size_t slice) { return isSelected(slice); },
      [this](SliceId a, SliceId b) { return tieBefore(a, b); }, m_stop);
  for (const SliceId id : thread.slices) {
    const Role role = this->role(id);
    const std::int64_t externalId = m_slices.externalId[index(id)];
    ++(role == Role::kCall ? thread.calls : thread.operators);
    if (externalId == kNoNumber) continue;
    if (role == Role::kOperator) thread.ids.count(externalId);
    if (role == Role::kCall && externalId != m_slices.correlation[index(id)]) thread.asksForIds = true;
  }
}

// By process: the thread that stopped the profiler. The file does not name it: tid equal to pid, else the busiest.
std::vector<std::uint32_t> OperatorTreeBuilder::stoppers() const {
  std::vector<std::uint32_t> stopper(m_trace.processes.size(), kNone);
  for (std::uint32_t t = 0; t < m_threads.size(); ++t) {
    const Track& track = m_trace.tracks[t];
    if (m_threads[t].operators == 0 || track.process == kNoProcess) continue;
    const Process& process = m_trace.processes[index(track.process)];
    std::uint32_t& best = stopper[index(track.process)];
    const auto isMain = [&](std::size_t other) { return m_trace.tracks[other].tid == process.pid; };
    if (best == kNone || isMain(t) || (!isMain(best) && m_threads[t].operators > m_threads[best].operators)) best = t;
  }
  return stopper;
}

// The stopper of the process with the most operators.
std::uint32_t OperatorTreeBuilder::busiestOf(const std::vector<std::uint32_t>& stopper) const {
  std::vector<std::size_t> operatorsOf(m_trace.processes.size(), 0);
  for (std::size_t t = 0; t < m_threads.size(); ++t) {
    const ProcessId process = m_trace.tracks[t].process;
    if (process != kNoProcess) operatorsOf[index(process)] += m_threads[t].operators;
  }
  std::uint32_t busiest = kNone;
  for (std::size_t p = 0; p < stopper.size(); ++p) {
    if (stopper[p] == kNone) continue;
    if (busiest == kNone || operatorsOf[p] > operatorsOf[index(m_trace.tracks[busiest].process)]) busiest = stopper[p];
  }
  return busiest;
}

// By process; empty where no call asks.
std::vector<OperatorTracks> OperatorTreeBuilder::operatorTracks() const {
  const bool asked = std::any_of(m_threads.begin(), m_threads.end(), [](const Thread& t) { return t.asksForIds; });
  if (!asked) return {};
  std::vector<OperatorTracks> tracks(m_trace.processes.size());
  for (std::size_t t = 0; t < m_threads.size(); ++t)
    if (const ProcessId process = m_trace.tracks[t].process; process != kNoProcess)
      tracks[index(process)].count(m_threads[t].ids);
  for (std::uint32_t t = 0; t < m_threads.size(); ++t) {
    const ProcessId process = m_trace.tracks[t].process;
    if (process == kNoProcess) continue;
    if (m_stop.stop_requested()) return {};
    for (const SliceId id : m_threads[t].slices) {
      const std::int64_t externalId = m_slices.externalId[index(id)];
      if (externalId != kNoNumber && role(id) == Role::kOperator) tracks[index(process)].add(externalId, t);
    }
  }
  return tracks;
}

// Puts runtime, driver and overhead slices on the thread on which PyTorch counts them: their operator's when linked,
// else the one that stopped the profiler.
void OperatorTreeBuilder::placeCalls() {
  if (std::none_of(m_threads.begin(), m_threads.end(), [](const Thread& t) { return t.calls != 0; })) return;
  const std::vector<std::uint32_t> stopper = stoppers();
  const std::uint32_t busiest = busiestOf(stopper);
  const std::vector<OperatorTracks> tracks = operatorTracks();
  inParallel(m_threads.size(), m_workers, [&](std::size_t t) {
    Thread& thread = m_threads[t];
    if (thread.calls == 0) return;
    const auto track = static_cast<std::uint32_t>(t);
    const ProcessId process = m_trace.tracks[t].process;
    std::int64_t openUntil = INT64_MIN;  // of the operators that began so far
    std::size_t next = 0;
    for (std::size_t i = 0; i < thread.slices.size(); ++i) {
      if (i % kStopEvery == 0 && m_stop.stop_requested()) return;
      const SliceId id = thread.slices[i];
      if (role(id) != Role::kCall) continue;
      for (; next < thread.slices.size(); ++next) {
        const SliceId other = thread.slices[next];
        if (start(other) > start(id)) break;
        if (role(other) == Role::kOperator) openUntil = std::max(openUntil, m_slices.endNs(other));
      }
      const std::int64_t externalId = m_slices.externalId[index(id)];
      std::uint32_t place = kNone;
      // An External id that is the call's own correlation id links to nobody (Kineto of 2022 to 2024).
      const bool asks = externalId != kNoNumber && externalId != m_slices.correlation[index(id)];
      if (asks && process != kNoProcess && !tracks.empty()) place = tracks[index(process)].of(externalId);
      if (place == kNone && start(id) < openUntil) place = track;
      if (place == kNone && process != kNoProcess) place = stopper[index(process)];
      if (place == kNone) place = busiest == kNone ? track : busiest;
      if (place == track) continue;
      thread.movedOut.emplace_back(place, id);
      thread.slices[i] = kNoSlice;
    }
  });
  for (Thread& thread : m_threads)
    for (const auto& [place, id] : std::exchange(thread.movedOut, {})) m_threads[place].movedIn.push_back(id);
}

void OperatorTreeBuilder::takeMoved(Thread& thread) const {
  std::vector<SliceId>& slices = thread.slices;
  if (thread.calls != 0) slices.erase(std::remove(slices.begin(), slices.end(), kNoSlice), slices.end());
  if (thread.movedIn.empty()) return;
  const auto isBefore = [this](SliceId a, SliceId b) { return before(a, b); };
  std::sort(thread.movedIn.begin(), thread.movedIn.end(), isBefore);
  std::vector<SliceId> all(slices.size() + thread.movedIn.size());
  std::merge(slices.begin(), slices.end(), thread.movedIn.begin(), thread.movedIn.end(), all.begin(), isBefore);
  slices = std::move(all);
  thread.movedIn = std::vector<SliceId>();
}

// A slice that only overlaps the open one closes it for good, as in PyTorch.
void OperatorTreeBuilder::linkParents(Thread& thread) {
  takeMoved(thread);
  const auto count = static_cast<std::uint32_t>(thread.slices.size());
  thread.parent.reserve(count);
  thread.end.assign(count, count);
  struct Open {
    std::uint32_t at;
    std::int64_t endNs;
  };
  std::vector<Open> open;
  for (std::uint32_t at = 0; at < count; ++at) {
    if (at % kStopEvery == 0 && m_stop.stop_requested()) return;
    const std::int64_t from = start(thread.slices[at]);
    const std::int64_t to = from + duration(thread.slices[at]);
    while (!open.empty() && (from >= open.back().endNs || to > open.back().endNs)) {
      thread.end[open.back().at] = at;
      open.pop_back();
    }
    thread.parent.push_back(open.empty() ? kNone : open.back().at);
    open.push_back({at, to});
  }
  markFolded(thread);
}

// An only child with its parent's name is taken into the parent, until no more are. Children stand behind their parent,
// so that an only child is the next slice and ends where its parent does.
void OperatorTreeBuilder::markFolded(Thread& thread) const {
  std::uint32_t parentEnd = kNone;
  for (std::uint32_t at = 0; at < thread.slices.size(); ++at) {
    const SliceId id = thread.slices[at];
    if (thread.firstStep == kNoString && isStep(m_slices.name[index(id)])) thread.firstStep = m_slices.name[index(id)];
    const std::uint32_t end = thread.end[at];
    if (at > 0 && thread.parent[at] == at - 1 && end == parentEnd && isSameName(thread.slices[at - 1], id)) {
      thread.end[at] = kFolded;
      ++thread.folded;
    }
    parentEnd = end;
  }
}

void OperatorTreeBuilder::reserveNodes() {
  std::uint32_t count = 0;
  for (Thread& thread : m_threads) {
    thread.firstNode = count;
    count += static_cast<std::uint32_t>(thread.slices.size() - thread.folded);
    if (m_tree.stepName == kNoString && thread.firstStep != kNoString)
      m_tree.stepName = m_knownStep == kNoString ? thread.firstStep : m_knownStep;
  }
  OperatorNodes& nodes = m_tree.nodes;
  nodes.m_names = m_slices.name;
  nodes.m_durationNs = m_slices.durationNs;
  nodes.m_stepName = m_tree.stepName;
  inParallel(5, m_workers, [&](std::size_t column) {
    if (column == 0) m_tree.nodeOfSlice.assign(m_slices.size(), kNone);
    if (column == 1) nodes.m_cpuSelfNs.resize(count);
    if (column == 2) nodes.m_slice.resize(count);
    if (column == 3) nodes.m_parent.resize(count);
    if (column == 4) {
      nodes.m_flags.resize(count);
      nodes.m_fact.resize(count);
    }
  });
}

OperatorTreeBuilder::Facts& OperatorTreeBuilder::factsOf(Thread& thread, std::uint32_t node) {
  std::uint32_t& fact = m_tree.nodes.m_fact[node];
  if (fact == 0) {
    if (thread.facts.empty()) thread.facts.emplace_back();
    fact = static_cast<std::uint32_t>(thread.facts.size());
    thread.facts.emplace_back();
  }
  return thread.facts[fact];
}

void OperatorTreeBuilder::fill(Thread& thread) {
  OperatorNodes& nodes = m_tree.nodes;
  std::uint32_t node = thread.firstNode;
  std::size_t from = 0;
  thread.facts.reserve(thread.slices.size() + 1);  // what stays empty of it takes no memory
  for (std::size_t at = 0; at < thread.slices.size(); ++at) {
    if (at % kStopEvery == 0 && m_stop.stop_requested()) return;
    const SliceId slice = thread.slices[at];
    const std::int64_t deviceNs = m_deviceNs.empty() ? 0 : m_deviceNs[index(slice)];
    if (thread.end[at] == kFolded) {
      if (deviceNs != 0) factsOf(thread, node - 1).deviceSelfNs += deviceNs;
      m_tree.nodeOfSlice[index(slice)] = thread.parent[at] = node - 1;
      continue;
    }
    const std::uint32_t parent = thread.parent[at] == kNone ? kNone : thread.parent[thread.parent[at]];
    const Role role = this->role(slice);
    nodes.m_slice[node] = slice;
    nodes.m_parent[node] = parent;
    nodes.m_cpuSelfNs[node] = duration(slice);
    if (parent != kNone) nodes.m_cpuSelfNs[parent] -= duration(slice);
    if (role == Role::kAnnotation) nodes.m_flags[node] |= OperatorNodes::kIsAnnotation;
    if (isStep(m_slices.name[index(slice)])) nodes.m_flags[node] |= OperatorNodes::kIsStep;
    if (role == Role::kOperator) {
      nodes.m_flags[node] |= OperatorNodes::kIsOperator;
      markOperatorAbove(node);
    }
    if (deviceNs != 0) factsOf(thread, node).deviceSelfNs += deviceNs;
    if (!m_hostSums.empty()) addMemory(thread, node, slice, from);
    m_tree.nodeOfSlice[index(slice)] = thread.parent[at] = node;
    ++node;
  }
  for (std::uint32_t at = node; at-- > thread.firstNode;) {
    if (nodes.m_fact[at] == 0) continue;
    Facts& facts = factsOf(thread, at);
    const std::int64_t deviceNs = facts.deviceTotalNs += facts.deviceSelfNs;
    if (deviceNs != 0 && nodes.m_parent[at] != kNone) factsOf(thread, nodes.m_parent[at]).deviceTotalNs += deviceNs;
  }
  thread.slices = std::vector<SliceId>();
  thread.parent = thread.end = std::vector<std::uint32_t>();
}

// Every parent is asked once by its first operator, and by others until one has marked it.
void OperatorTreeBuilder::markOperatorAbove(std::uint32_t node) {
  OperatorNodes& nodes = m_tree.nodes;
  for (std::uint32_t up = nodes.m_parent[node]; up != kNone; up = nodes.m_parent[up]) {
    if ((nodes.m_flags[up] & OperatorNodes::kHasOperatorBelow) != 0) return;
    nodes.m_flags[up] |= OperatorNodes::kHasOperatorBelow;
  }
}

// Every record from start to end of a slice, both included, counts for it, of whatever thread. `from` is where the
// slice before looked: slices come by start.
void OperatorTreeBuilder::addMemory(Thread& thread, std::uint32_t node, SliceId slice, std::size_t& from) {
  const std::vector<std::int64_t>& times = m_trace.memory.atNs;
  from = firstFrom(times, from, start(slice));
  const std::size_t to = firstFrom(times, from, m_slices.endNs(slice) + 1);
  if (from == to) return;
  const std::uint32_t parent = m_tree.nodes.m_parent[node];
  if (parent == kNone) thread.covered.emplace_back(from, to);  // what lies inside others is covered by them
  const std::int64_t hostBytes = m_hostSums[to] - m_hostSums[from];
  const std::int64_t deviceBytes = m_deviceSums[to] - m_deviceSums[from];
  if (hostBytes == 0 && deviceBytes == 0) return;
  Facts& facts = factsOf(thread, node);
  facts.cpuMemoryBytes = hostBytes;
  facts.cpuMemorySelfBytes += hostBytes;
  facts.deviceMemoryBytes = deviceBytes;
  facts.deviceMemorySelfBytes += deviceBytes;
  if (parent == kNone) return;
  Facts& above = factsOf(thread, parent);
  above.cpuMemorySelfBytes -= hostBytes;
  above.deviceMemorySelfBytes -= deviceBytes;
}

// Those of the thread that has most, and the others' behind them.
void OperatorTreeBuilder::gatherFacts() {
  OperatorNodes& nodes = m_tree.nodes;
  const auto largest = std::max_element(m_threads.begin(), m_threads.end(), [](const Thread& a, const Thread& b) {
    return a.facts.size() < b.facts.size();
  });
  if (largest == m_threads.end() || largest->facts.empty()) return;
  nodes.m_facts = std::move(largest->facts);
  largest->facts = {};
  std::vector<std::size_t> shift;
  std::size_t count = nodes.m_facts.size();
  for (const Thread& thread : m_threads) {
    shift.push_back(count - 1);
    if (!thread.facts.empty()) count += thread.facts.size() - 1;
  }
  nodes.m_facts.resize(count);
  inParallel(m_threads.size(), m_workers, [&](std::size_t t) {
    Thread& thread = m_threads[t];
    if (thread.facts.empty()) return;
    std::copy(thread.facts.begin() + 1, thread.facts.end(),
              nodes.m_facts.begin() + static_cast<std::ptrdiff_t>(shift[t] + 1));
    thread.facts = std::vector<Facts>();
    const std::size_t end = t + 1 < m_threads.size() ? m_threads[t + 1].firstNode : nodes.size();
    for (std::size_t node = thread.firstNode; node < end; ++node)
      if (nodes.m_fact[node] != 0) nodes.m_fact[node] += static_cast<std::uint32_t>(shift[t]);
  });
}

void OperatorTreeBuilder::findUnattributed() {
  const MemoryTable& memory = m_trace.memory;
  std::vector<std::int32_t> covered(memory.size() + 1, 0);
  for (const Thread& thread : m_threads)
    for (const auto& [from, to] : thread.covered) {
      ++covered[from];
      --covered[to];
    }
  std::int32_t depth = 0;
  for (std::size_t i = 0; i < memory.size(); ++i) {
    depth += covered[i];
    if (depth != 0) continue;
    m_tree.unattributed.push_back(static_cast<std::uint32_t>(i));
    ++m_tree.unattributedRecords;
    m_tree.unattributedCpuBytes += m_hostSums[i + 1] - m_hostSums[i];
    m_tree.unattributedDeviceBytes += m_deviceSums[i + 1] - m_deviceSums[i];
  }
  if (m_tree.unattributedRecords != 0) m_tree.memoryName = m_trace.strings.find("[memory]");
}

// By name and not by call, so that every call of an operator is treated alike.
void OperatorTreeBuilder::markWorking() {
  struct Times {
    std::int64_t selfNs = 0;
    std::int64_t totalNs = 0;
  };
  OperatorNodes& nodes = m_tree.nodes;
  std::vector<Times> times(m_trace.strings.size() + 1);  // the last: of those without a name
  const auto timesOf = [&](std::size_t node) -> Times& {
    const bool step = (nodes.m_flags[node] & OperatorNodes::kIsStep) != 0;
    const StringId name = step ? nodes.m_stepName : m_slices.name[index(nodes.m_slice[node])];
    return times[name == kNoString ? times.size() - 1 : index(name)];
  };
  for (std::size_t node = 0; node < nodes.size(); ++node) {
    if ((nodes.m_flags[node] & OperatorNodes::kIsOperator) == 0) continue;
    Times& sums = timesOf(node);
    sums.selfNs += nodes.m_cpuSelfNs[node];
    sums.totalNs += duration(nodes.m_slice[node]);
  }
  for (std::size_t node = 0; node < nodes.size(); ++node) {
    std::uint8_t& flags = nodes.m_flags[node];
    if ((flags & OperatorNodes::kIsOperator) == 0) continue;
    const Times& sums = timesOf(node);
    const bool isLeaf = (flags & OperatorNodes::kHasOperatorBelow) == 0;
    if (isLeaf || 2 * sums.selfNs >= sums.totalNs) flags |= OperatorNodes::kIsWorking;
  }
}

OperatorTree buildOperatorTree(const Trace& trace, std::stop_token stop, unsigned workers) {
  return OperatorTreeBuilder(trace, std::move(stop), std::max(workers, 1u)).build();
}

}  // namespace attnscope
