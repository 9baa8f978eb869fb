// SPDX-License-Identifier: Apache-2.0
// Builder step: facts of device work, the calls that launched it and the operators that it belongs to.
//
// How Kineto writes the operator depends on its age: `External id` of device events is the operator's id (to November
// 2021, and since October 2024, absent when unlinked), their own correlation id (to February 2024), or either (until
// October 2024).
#include <algorithm>
#include <span>

#include "core/trace/BuilderState.h"
#include "core/trace/IdIndex.h"
#include "core/trace/RowSet.h"

namespace attnscope {

namespace {

class DeviceLinker {
 public:
  explicit DeviceLinker(const BuilderState& state)
      : m_state(state), m_trace(*state.trace), m_slices(state.trace->slices) {}

  TraceHealth run() {
    collect();
    if (m_state.stop.stop_requested()) return {};
    const Age age = ageOfLinks();
    DeviceWorkTable& t = m_trace.deviceWork;
    for (std::size_t i = 0; i < t.slice.size(); ++i) {
      if (m_state.stopped(i)) return {};
      const std::uint32_t slice = static_cast<std::uint32_t>(index(t.slice[i]));
      const std::uint32_t launch = launchOf(slice);
      if (launch != kNone) t.launch[i] = SliceId{launch};
      const std::uint32_t op = operatorOf(slice, launch, age);
      if (op != kNone) t.launchOperator[i] = SliceId{op};
    }
    TraceHealth health;
    health.note("correlation.ambiguous-id", Severity::kRepaired,
                "Correlation ids that several launches share; the launch nearest before is taken.", m_ambiguous,
                TraceHealth::kNowhere, m_firstAmbiguous);
    health.note("stream.overlap", Severity::kInfo,
                "Kernels and copies that run while another of their stream does; busy time counts the union.",
                m_stacked, TraceHealth::kNowhere, m_firstStacked);
    return health;
  }

 private:
  static constexpr std::size_t kMany = 256;

  enum class Age : std::uint8_t { kOperatorId, kOwnCorrelation, kEither };

  void collect() {
    std::vector<std::uint32_t> work;
    RowSet isWorkRow(m_slices.size());
    for (std::uint32_t i = 0; i < m_slices.size(); ++i) {
      if (m_state.stopped(i)) return;
      const CategoryClass category = m_slices.categoryClass[i];
      if (isDeviceWork(category)) {
        work.push_back(i);
        isWorkRow.add(i);
        if (category == CategoryClass::kKernel) ++m_trace.kernels;
        const SliceId around = m_slices.parent[i];
        if (around != kNoSlice && category != CategoryClass::kSynchronisation && isWork(around))
          count(m_stacked, m_firstStacked, i);
      }
    }
    isWorkRow.count();
    if (!work.empty()) {
      m_launches.build(m_slices.correlation, [this](std::size_t i) {
        const CategoryClass category = m_slices.categoryClass[i];
        return (category == CategoryClass::kRuntime || category == CategoryClass::kDriver) &&
               m_slices.correlation[i] != kNoNumber;
      });
      m_operators.build(m_slices.externalId, [this](std::size_t i) {
        return m_slices.categoryClass[i] == CategoryClass::kCpuOperator && m_slices.externalId[i] != kNoNumber;
      });
      if (m_state.stop.stop_requested()) return;
      const auto earlier = [this](std::uint32_t a, std::uint32_t b) { return isEarlier(a, b); };
      m_launches.sortLarge(kMany, earlier);
      m_operators.sortLarge(kMany, earlier);
    }
    DeviceWorkTable& t = m_trace.deviceWork;
    const std::size_t n = work.size();
    t.slice.reserve(n);
    for (const std::uint32_t slice : work) t.slice.push_back(SliceId{slice});
    t.device.assign(n, -1);
    t.stream.assign(n, kNoNumber);
    t.launch.assign(n, kNoSlice);
    t.launchOperator.assign(n, kNoSlice);
    t.grid.assign(n, {});
    t.block.assign(n, {});
    t.registersPerThread.assign(n, -1);
    t.sharedMemoryBytes.assign(n, -1);
    t.occupancyReported.assign(n, -1.0f);
    t.bytes.assign(n, -1);
    for (std::size_t i = 0; i < n; ++i) {
      const Track& track = m_trace.tracks[index(m_slices.track[work[i]])];
      t.device[i] = track.device;
      t.stream[i] = track.stream;
    }
    for (const RawBlock& block : m_state.raw.blocks)
      for (const RawDeviceFacts& facts : block.deviceFacts) {
        const std::uint32_t slice = m_state.sliceOfOrder[facts.order];
        if (slice == kNone || !isWorkRow.has(slice)) continue;
        const std::size_t row = isWorkRow.before(slice);
        if (facts.device >= 0) t.device[row] = facts.device;
        if (facts.stream != kNoNumber && facts.stream >= 0) t.stream[row] = facts.stream;
        t.grid[row] = facts.grid;
        t.block[row] = facts.block;
        t.registersPerThread[row] = facts.registersPerThread;
        t.sharedMemoryBytes[row] = facts.sharedMemoryBytes;
        t.occupancyReported[row] = facts.occupancy;
        t.bytes[row] = facts.bytes;
      }
  }

  void count(std::uint64_t& sum, std::uint64_t& first, std::uint32_t slice) const {
    ++sum;
    first = std::min<std::uint64_t>(first, m_slices.order[slice]);
  }

  [[nodiscard]] bool isWork(SliceId id) const {
    const CategoryClass category = m_slices.categoryClass[index(id)];
    return isDeviceWork(category) && category != CategoryClass::kSynchronisation;
  }

  [[nodiscard]] Age ageOfLinks() const {
    std::uint64_t equal = 0;
    std::uint64_t other = 0;
    std::uint64_t without = 0;
    for (const SliceId id : m_trace.deviceWork.slice) {
      const std::uint32_t slice = static_cast<std::uint32_t>(index(id));
      if (m_slices.externalId[slice] == kNoNumber) {
        ++without;
      } else if (m_slices.externalId[slice] == m_slices.correlation[slice]) {
        ++equal;
      } else {
        ++other;
      }
    }
    if (equal > 0 && other == 0) return Age::kOwnCorrelation;
    return equal > 0 && without == 0 ? Age::kEither : Age::kOperatorId;
  }

  [[nodiscard]] bool isEarlier(std::uint32_t a, std::uint32_t b) const {
    if (m_slices.startNs[a] != m_slices.startNs[b]) return m_slices.startNs[a] < m_slices.startNs[b];
    return m_slices.order[a] < m_slices.order[b];
  }

  // Of an id that many share (a recorder that gives all the same), those around the slice in time: each of n against
  // each would take n^2.
  [[nodiscard]] std::span<const std::uint32_t> around(std::span<const std::uint32_t> candidates,
                                                      std::uint32_t slice) const {
    if (candidates.size() <= kMany) return candidates;
    const auto after = std::upper_bound(candidates.begin(), candidates.end(), slice,
                                        [this](std::uint32_t a, std::uint32_t b) { return isEarlier(a, b); });
    const auto position = static_cast<std::size_t>(after - candidates.begin());
    const std::size_t first = position - std::min(position, kMany / 2);
    return candidates.subspan(first, std::min(kMany, candidates.size() - first));
  }

  // The candidate of an id that lies nearest before the slice; where times tie, that is written nearest before it.
  // `process` is preferred where it is known.
  [[nodiscard]] std::uint32_t nearest(const IdIndex& candidates, std::int64_t id, std::uint32_t slice,
                                      std::uint32_t process, bool& ambiguous) const {
    std::uint32_t best = kNone;
    std::size_t count = 0;
    for (const std::uint32_t candidate : around(candidates.of(id), slice)) {
      if (process != kNone && processOf(candidate) != process) continue;
      if (++count == 1 || nearer(candidate, best, slice)) best = candidate;
    }
    ambiguous = count > 1;
    return best;
  }

  [[nodiscard]] bool nearer(std::uint32_t a, std::uint32_t b, std::uint32_t slice) const {
    const std::int64_t at = m_slices.startNs[slice];
    const std::int64_t startA = m_slices.startNs[a];
    const std::int64_t startB = m_slices.startNs[b];
    const bool lateA = startA > at;
    if (lateA != (startB > at)) return !lateA;
    if (startA != startB) return lateA ? startA < startB : startA > startB;
    const std::uint32_t orderA = m_slices.order[a];
    const std::uint32_t orderB = m_slices.order[b];
    const bool behindA = orderA > m_slices.order[slice];
    if (behindA != (orderB > m_slices.order[slice])) return !behindA;
    return behindA ? orderA < orderB : orderA > orderB;
  }

  [[nodiscard]] std::uint32_t processOf(std::uint32_t slice) const {
    return static_cast<std::uint32_t>(index(m_trace.tracks[index(m_slices.track[slice])].process));
  }

  [[nodiscard]] std::uint32_t launchOf(std::uint32_t slice) {
    if (m_slices.correlation[slice] == kNoNumber) return kNone;
    bool ambiguous = false;
    const std::uint32_t launch = nearest(m_launches, m_slices.correlation[slice], slice, kNone, ambiguous);
    if (ambiguous) count(m_ambiguous, m_firstAmbiguous, slice);
    return launch;
  }

  [[nodiscard]] std::uint32_t operatorOf(std::uint32_t slice, std::uint32_t launch, Age age) const {
    if (age == Age::kOwnCorrelation) return launch == kNone ? kNone : enclosingOperator(launch);
    std::int64_t id = m_slices.externalId[slice];
    if (id == kNoNumber && launch != kNone) id = m_slices.externalId[launch];
    if (id == kNoNumber) return kNone;
    if (age == Age::kEither && id == m_slices.correlation[slice]) return kNone;
    bool ambiguous = false;
    const std::uint32_t process = launch == kNone ? kNone : processOf(launch);
    return nearest(m_operators, id, slice, process, ambiguous);
  }

  [[nodiscard]] std::uint32_t enclosingOperator(std::uint32_t slice) const {
    SliceId at = m_slices.parent[slice];
    while (at != kNoSlice && m_slices.categoryClass[index(at)] != CategoryClass::kCpuOperator)
      at = m_slices.parent[index(at)];
    return at == kNoSlice ? kNone : static_cast<std::uint32_t>(index(at));
  }

  const BuilderState& m_state;
  Trace& m_trace;
  const SliceTable& m_slices;
  IdIndex m_launches;
  IdIndex m_operators;
  std::uint64_t m_ambiguous = 0;
  std::uint64_t m_stacked = 0;
  std::uint64_t m_firstAmbiguous = TraceHealth::kNowhere;
  std::uint64_t m_firstStacked = TraceHealth::kNowhere;
};

}  // namespace

TraceHealth linkDeviceWork(const BuilderState& state) { return DeviceLinker(state).run(); }

}  // namespace attnscope
