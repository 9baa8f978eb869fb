// SPDX-License-Identifier: Apache-2.0
// Builder step: ends of arrows find their slices, and starts their ends.
//
// An end lies on the innermost slice of its thread that holds its time. Where slices begin exactly there, the one
// written directly before (other arrow ends aside) comes first, then one of the category that the arrow's kind asks
// for, then the innermost. An `f` without "bp": "e" takes the next slice that begins at its time or later.
#include <algorithm>
#include <tuple>

#include "core/trace/BuilderState.h"

namespace attnscope {

namespace {

enum class Role : std::uint8_t { kStart, kStep, kEnd };
enum class Wants : std::uint8_t { kAny, kLaunch, kDevice, kOperator };

struct FlowEnd {
  std::uint32_t category;
  std::uint32_t name;
  std::uint32_t id;
  std::uint32_t process;  // where the id is local
  std::int64_t atNs;
  std::uint32_t order;
  std::uint32_t slice;
  Role role;
  bool used = false;

  [[nodiscard]] auto key() const { return std::tie(category, name, id, process); }
};

class FlowBinder {
 public:
  explicit FlowBinder(BuilderState& state) : m_state(state), m_trace(*state.trace) {}

  void run() {
    collectEnds();
    collectBinds();
    sortEnds();
    for (std::size_t i = 0; i < m_ends.size();) {
      std::size_t end = i;
      while (end < m_ends.size() && m_ends[end].key() == m_ends[i].key()) ++end;
      connect(i, end);
      i = end;
    }
    publish();
  }

 private:
  // By key, then time, then file: small records are sorted, and the ends put into their order.
  void sortEnds() {
    struct Place {
      std::uint64_t id;  // with the category, most of the key
      std::int64_t atNs;
      std::uint32_t end;
    };
    std::vector<Place> places(m_ends.size());
    for (std::uint32_t i = 0; i < m_ends.size(); ++i)
      places[i] = {(std::uint64_t{m_ends[i].id} << 32) | m_ends[i].category, m_ends[i].atNs, i};
    std::sort(places.begin(), places.end(), [&](const Place& a, const Place& b) {
      if (a.id != b.id) return a.id < b.id;
      const FlowEnd& x = m_ends[a.end];
      const FlowEnd& y = m_ends[b.end];
      if (x.name != y.name) return x.name < y.name;
      if (x.process != y.process) return x.process < y.process;
      return a.atNs != b.atNs ? a.atNs < b.atNs : x.order < y.order;
    });
    std::vector<FlowEnd> sorted;
    sorted.reserve(m_ends.size());
    for (const Place& place : places) sorted.push_back(m_ends[place.end]);
    m_ends = std::move(sorted);
  }

  [[nodiscard]] Wants wanted(const RawPoint& point) const {
    const std::string_view category = m_trace.strings.view(StringId{m_state.categories[point.category].name});
    if (category == "fwdbwd") return Wants::kOperator;
    const bool launches = category == "ac2g" || category == "async" || category == "async_cpu_to_gpu" ||
                          category == "async_gpu" || category == "cpu_to_cuda";
    if (!launches) return Wants::kAny;
    return point.phase == 's' ? Wants::kLaunch : Wants::kDevice;
  }

  [[nodiscard]] bool isWanted(std::uint32_t slice, Wants wants) const {
    const CategoryClass category = m_trace.slices.categoryClass[slice];
    switch (wants) {
      case Wants::kAny:
        return true;
      case Wants::kLaunch:
        return category == CategoryClass::kRuntime || category == CategoryClass::kDriver;
      case Wants::kDevice:
        return isDeviceWork(category);
      case Wants::kOperator:
        return category == CategoryClass::kCpuOperator;
    }
    return true;
  }

  void collectEnds() {
    std::uint32_t before = kNone;  // slice written before the arrow ends that stand together
    std::uint32_t lastOrder = kNone;
    for (const RawPoint* point : m_state.flowEnds) {
      if (point->order != lastOrder + 1) before = point->order > 0 ? m_state.sliceOfOrder[point->order - 1] : kNone;
      lastOrder = point->order;
      const bool local = (point->flags & kLocalId) != 0;
      const Role role = point->phase == 's' ? Role::kStart : point->phase == 't' ? Role::kStep : Role::kEnd;
      const std::uint32_t process =
          local ? m_state.processFor(m_state.threads[point->thread].pid, false, point->order) : kNone;
      m_ends.push_back({m_state.categories[point->category].name, point->name, point->id, process,
                        point->atNs - m_state.zeroNs, point->order, bind(*point, role, before), role});
    }
  }

  void collectBinds() {
    for (const RawBlock& block : m_state.raw.blocks)
      for (const RawBind& bound : block.binds) {
        const bool in = (bound.flags & kFlowIn) != 0;
        const bool out = (bound.flags & kFlowOut) != 0;
        const std::uint32_t slice = m_state.sliceOfOrder[bound.order];
        if ((!in && !out) || slice == kNone) {
          ++m_trace.flows.unbound;
          m_firstUnbound = std::min<std::uint64_t>(m_firstUnbound, bound.order);
          continue;
        }
        const Role role = in && out ? Role::kStep : out ? Role::kStart : Role::kEnd;
        // Version 2 arrows have a key of their own: the id alone.
        m_ends.push_back(
            {kNone - 1, kNone - 1, bound.id, kNone, m_trace.slices.startNs[slice], bound.order, slice, role});
      }
  }

  [[nodiscard]] std::uint32_t bind(const RawPoint& point, Role role, std::uint32_t last) const {
    const std::int64_t at = point.atNs - m_state.zeroNs;
    const Wants wants = wanted(point);
    const ThreadTracks& entry = m_state.threadTracks[point.thread];
    if (last != kNone && m_trace.slices.startNs[last] == at && isWanted(last, wants)) {
      const std::uint32_t track = static_cast<std::uint32_t>(index(m_trace.slices.track[last]));
      if (track == entry.host || track == entry.device) return last;
    }
    const bool next = role == Role::kEnd && (point.flags & kBindsEnclosing) == 0;
    Found best;
    for (const std::uint32_t track : {entry.host, entry.device}) {
      if (track == kNone || (track == entry.host && best.slice != kNone && entry.host == entry.device)) continue;
      search(m_trace.tracks[track], at, wants, next, best);
    }
    return best.slice;
  }

  struct Found {
    std::uint32_t slice = kNone;
    int rank = 0;  // 3 begins here and wanted, 2 begins here, 1 holds the time
    std::int64_t startNs = 0;
    std::uint16_t depth = 0;
  };

  void search(const Track& track, std::int64_t at, Wants wants, bool next, Found& best) const {
    const SliceTable& t = m_trace.slices;
    for (std::size_t row = track.rows.size(); row-- > 0;) {
      const RowSpan span = track.rows[row];
      const auto begin = t.startNs.begin() + span.first;
      const auto end = begin + span.count;
      const auto after = std::upper_bound(begin, end, at);
      // Slices of no length may share a start with one that follows them; the last of a row that is wanted is the best.
      for (auto it = after; it != begin && *(it - 1) == at; --it) {
        const bool isBest = isWanted(indexOf(it - 1), wants);
        offer(indexOf(it - 1), isBest ? 3 : 2, best);
        if (isBest) break;
      }
      if (next) {
        if (after != end) offerLater(indexOf(after), best);
      } else if (after != begin && *(after - 1) != at) {
        const std::uint32_t slice = indexOf(after - 1);
        if (t.startNs[slice] + t.durationNs[slice] > at) offer(slice, 1, best);
      }
    }
  }

  [[nodiscard]] std::uint32_t indexOf(std::vector<std::int64_t>::const_iterator it) const {
    return static_cast<std::uint32_t>(it - m_trace.slices.startNs.cbegin());
  }

  void offer(std::uint32_t slice, int rank, Found& best) const {
    const std::uint16_t depth = m_trace.slices.depth[slice];
    const bool first = best.slice == kNone;
    const bool better = first || rank > best.rank ||
                        (rank == best.rank && (depth > best.depth || (depth == best.depth && slice > best.slice)));
    if (better) best = {slice, rank, m_trace.slices.startNs[slice], depth};
  }

  // The next slice: earliest, then outermost.
  void offerLater(std::uint32_t slice, Found& best) const {
    if (best.rank >= 1) return;
    const std::int64_t start = m_trace.slices.startNs[slice];
    const std::uint16_t depth = m_trace.slices.depth[slice];
    const bool better = best.slice == kNone || start < best.startNs || (start == best.startNs && depth < best.depth);
    if (better) best = {slice, 0, start, depth};
  }

  // Each step and end takes the start or step that lies nearest before it; where times tie, the one written nearest
  // before it, since ranks are merged one after another.
  void connect(std::size_t first, std::size_t last) {
    std::vector<std::size_t> sources;
    std::size_t starts = 0;
    for (std::size_t i = first; i < last; ++i) {
      if (m_ends[i].role != Role::kEnd) sources.push_back(i);
      if (m_ends[i].role == Role::kStart) ++starts;
    }
    if (starts > 1) {
      m_state.raw.health.note("flow.ambiguous-id", Severity::kRepaired,
                              "Ids of arrows that several starts share; each end takes the start nearest before it.", 1,
                              TraceHealth::kNowhere, m_ends[first].order);
    }
    for (std::size_t i = first; i < last; ++i) {
      FlowEnd& end = m_ends[i];
      if (end.role == Role::kStart || end.slice == kNone) continue;
      std::size_t best = last;
      bool backwards = false;
      for (const std::size_t s : candidates(sources, end)) {
        if (s == i) continue;
        const FlowEnd& source = m_ends[s];
        const bool late = source.atNs > end.atNs;
        if (end.role == Role::kStep && late) continue;
        if (source.role == Role::kStep && late) continue;
        if (end.role == Role::kStep && source.role == Role::kStep && source.atNs == end.atNs &&
            source.order > end.order)
          continue;
        if (best == last || nearer(source, m_ends[best], end)) {
          best = s;
          backwards = late;
        }
      }
      if (best == last || m_ends[best].slice == kNone) continue;
      m_ends[best].used = true;
      end.used = true;
      if (backwards)
        m_state.raw.health.note("flow.backwards", Severity::kInfo,
                                "Arrows whose end lies before their start: clocks of host and device differ.", 1,
                                TraceHealth::kNowhere, end.order);
      m_arrows.push_back({m_ends[best].slice, end.slice, end.category});
    }
  }

  // Sources around the end in time; a long list is cut to its neighbours.
  [[nodiscard]] std::vector<std::size_t> candidates(const std::vector<std::size_t>& sources, const FlowEnd& end) const {
    if (sources.size() <= 8) return sources;
    const auto after =
        std::partition_point(sources.begin(), sources.end(), [&](std::size_t s) { return m_ends[s].atNs <= end.atNs; });
    std::vector<std::size_t> near;
    // All of the latest time before, and the first later one.
    for (auto it = after; it != sources.begin();) {
      --it;
      near.push_back(*it);
      if (near.size() > 1 && m_ends[*it].atNs != m_ends[near.front()].atNs && near.size() > 2) break;
      if (near.size() > 4096) break;
    }
    if (after != sources.end()) near.push_back(*after);
    return near;
  }

  static bool nearer(const FlowEnd& a, const FlowEnd& b, const FlowEnd& end) {
    const bool lateA = a.atNs > end.atNs;
    const bool lateB = b.atNs > end.atNs;
    if (lateA != lateB) return lateB;
    if (a.atNs != b.atNs) return lateA ? a.atNs < b.atNs : a.atNs > b.atNs;
    const bool behindA = a.order > end.order;
    const bool behindB = b.order > end.order;
    if (behindA != behindB) return behindB;
    return behindA ? a.order < b.order : a.order > b.order;
  }

  void publish() {
    FlowTable& t = m_trace.flows;
    for (const FlowEnd& end : m_ends) {
      if (end.used) continue;
      ++t.unbound;
      m_firstUnbound = std::min<std::uint64_t>(m_firstUnbound, end.order);
    }
    std::sort(m_arrows.begin(), m_arrows.end());
    t.from.reserve(m_arrows.size());
    t.to.reserve(m_arrows.size());
    t.category.reserve(m_arrows.size());
    for (const auto& [from, to, category] : m_arrows) {
      t.from.push_back(SliceId{from});
      t.to.push_back(SliceId{to});
      t.category.push_back(category == kNone - 1 ? kNoString : StringId{category});
    }
    t.byTarget.resize(m_arrows.size());
    for (std::uint32_t i = 0; i < t.byTarget.size(); ++i) t.byTarget[i] = i;
    std::sort(t.byTarget.begin(), t.byTarget.end(),
              [&](std::uint32_t a, std::uint32_t b) { return t.to[a] != t.to[b] ? t.to[a] < t.to[b] : a < b; });
    m_state.raw.health.note("flow.unbound", Severity::kInfo,
                            "Ends of arrows without a partner or without a slice; no arrow is drawn.", t.unbound,
                            TraceHealth::kNowhere, m_firstUnbound);
  }

  BuilderState& m_state;
  Trace& m_trace;
  std::vector<FlowEnd> m_ends;
  std::uint64_t m_firstUnbound = TraceHealth::kNowhere;
  std::vector<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>> m_arrows;
};

}  // namespace

void bindFlows(BuilderState& state) { FlowBinder(state).run(); }

}  // namespace attnscope
