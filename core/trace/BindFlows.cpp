// SPDX-License-Identifier: Apache-2.0
// Builder step: ends of arrows find their slices, and starts their ends.
//
// An end lies on the innermost slice of its thread that holds its time. Where slices begin exactly there, the one
// written directly before (other arrow ends aside) comes first, then one of the category that the arrow's kind asks
// for, then the innermost. An `f` without "bp": "e" takes the next slice that begins at its time or later.
#include <algorithm>
#include <atomic>
#include <memory>
#include <numeric>
#include <span>
#include <tuple>
#include <unordered_map>

#include "core/trace/BuilderState.h"
#include "core/trace/InParallel.h"
#include "core/trace/RowEnds.h"
#include "core/trace/SortByNumber.h"

namespace attnscope {

namespace {

using Role = FlowRole;
enum class Wants : std::uint8_t { kAny, kLaunch, kDevice, kOperator };

// Finds the slices: ends are gone through side by side, in parts of the file.
class EndPlacer {
 public:
  EndPlacer(BuilderState& state, unsigned threads) : m_state(state), m_trace(*state.trace), m_threads(threads) {}

  void run() {
    readCategories();
    findDeepTracks();
    const std::vector<const RawPoint*>& points = m_state.flowEnds;
    std::size_t binds = 0;
    for (const RawBlock& block : m_state.raw.blocks) binds += block.binds.size();
    FlowEnds& placed = m_state.placedEnds;
    placed.ends = std::make_unique_for_overwrite<FlowEnd[]>(points.size() + binds);
    placed.size = points.size();
    const std::size_t parts = std::clamp<std::size_t>(points.size() / kFewest, 1, std::size_t{m_threads} * 4);
    inParallel(parts, m_threads,
               [&](std::size_t part) { placePart(points.size() * part / parts, points.size() * (part + 1) / parts); });
    if (m_state.stop.stop_requested()) return;
    if (m_anyLocal) placeLocalIds();
    placeBinds();
  }

 private:
  static constexpr std::size_t kFewest = 4096;  // ends worth a part of their own
  struct Question {
    std::uint32_t track;
    Wants wants;
    bool next;
    std::int64_t at;
    bool operator==(const Question&) const = default;
  };
  struct HashQuestion {
    std::size_t operator()(const Question& q) const {
      const std::uint64_t rest =
          std::uint64_t{q.track} << 3 | static_cast<std::uint64_t>(q.wants) << 1 | (q.next ? 1 : 0);
      return static_cast<std::size_t>((static_cast<std::uint64_t>(q.at) * 0x9E3779B97F4A7C15ULL + rest) *
                                      0xBF58476D1CE4E5B9ULL);
    }
  };
  struct Found {
    std::uint32_t slice = kNone;
    int rank = 0;  // 3 begins here and wanted, 2 begins here, 1 holds the time, 0 begins later
  };
  using Known = std::unordered_map<Question, Found, HashQuestion>;

  // What the arrows of each category ask for where they end; where they start it is the launch instead of the device.
  void readCategories() {
    m_wants.reserve(m_state.categories.size());
    for (const RawCategory& row : m_state.categories) {
      const std::string_view category = m_trace.strings.view(StringId{row.name});
      const bool launches = category == "ac2g" || category == "async" || category == "async_cpu_to_gpu" ||
                            category == "async_gpu" || category == "cpu_to_cuda";
      m_wants.push_back(category == "fwdbwd" ? Wants::kOperator : launches ? Wants::kDevice : Wants::kAny);
    }
  }

  [[nodiscard]] Wants wanted(const RawPoint& point) const {
    const Wants wants = m_wants[point.category];
    return wants == Wants::kDevice && point.phase == 's' ? Wants::kLaunch : wants;
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

  void placePart(std::size_t first, std::size_t last) {
    const std::vector<const RawPoint*>& points = m_state.flowEnds;
    Known known;
    std::uint32_t before = kNone;  // slice written before the arrow ends that stand together
    std::size_t begin = first;     // of those that stand together with the first
    while (begin > 0 && begin < last && points[begin]->order == points[begin - 1]->order + 1) --begin;
    std::uint32_t lastOrder = kNone;
    for (std::size_t i = begin; i < last; ++i) {
      if (m_state.stopped(i)) return;
      const RawPoint& point = *points[i];
      if (point.order != lastOrder + 1) before = point.order > 0 ? m_state.sliceOfOrder[point.order - 1] : kNone;
      lastOrder = point.order;
      if (i < first) continue;
      if ((point.flags & kLocalId) != 0) m_anyLocal = true;
      const Role role = point.phase == 's' ? Role::kStart : point.phase == 't' ? Role::kStep : Role::kEnd;
      m_state.placedEnds.ends[i] = {m_state.categories[point.category].name,
                                    point.name,
                                    point.id,
                                    kNone,
                                    point.atNs - m_state.zeroNs,
                                    point.order,
                                    bind(point, role, before, known),
                                    role,
                                    false};
    }
  }

  // Makes processes where there are none, and so one after another.
  void placeLocalIds() {
    for (std::size_t i = 0; i < m_state.flowEnds.size(); ++i) {
      const RawPoint& point = *m_state.flowEnds[i];
      if ((point.flags & kLocalId) == 0) continue;
      m_state.placedEnds.ends[i].process = m_state.processFor(m_state.threads[point.thread].pid, false, point.order);
    }
  }

  void placeBinds() {
    FlowEnds& placed = m_state.placedEnds;
    for (const RawBlock& block : m_state.raw.blocks)
      for (const RawBind& bound : block.binds) {
        const bool in = (bound.flags & kFlowIn) != 0;
        const bool out = (bound.flags & kFlowOut) != 0;
        const std::uint32_t slice = m_state.sliceOfOrder[bound.order];
        if ((!in && !out) || slice == kNone) {
          ++m_state.trace->flows.unbound;
          placed.firstUnbound = std::min<std::uint64_t>(placed.firstUnbound, bound.order);
          continue;
        }
        const Role role = in && out ? Role::kStep : out ? Role::kStart : Role::kEnd;
        // Version 2 arrows have a key of their own: the id alone.
        placed.ends[placed.size++] = {kNone - 1,   kNone - 1, bound.id, kNone, m_trace.slices.startNs[slice],
                                      bound.order, slice,     role,     false};
      }
  }

  [[nodiscard]] std::uint32_t bind(const RawPoint& point, Role role, std::uint32_t last, Known& known) const {
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
      const Found found = on(track, at, wants, next, known);
      if (found.slice != kNone) offer(found, best);
    }
    return best.slice;
  }

  // Of one track. What took long to find is kept for all ends that ask the same.
  Found on(std::uint32_t track, std::int64_t at, Wants wants, bool next, Known& known) const {
    if (!known.empty())
      if (const auto answer = known.find({track, wants, next, at}); answer != known.end()) return answer->second;
    Found best;
    const auto deep = m_deep.empty() ? m_deep.end() : m_deep.find(track);
    const std::size_t looked = deep == m_deep.end() ? searchRows(m_trace.tracks[track], at, wants, next, best)
                                                    : searchDeep(deep->second, at, wants, next, best);
    if (looked > kManyLooked) known.emplace(Question{track, wants, next, at}, best);
    return best;
  }
  static constexpr std::size_t kManyLooked = 16;

  // Returns how many slices that begin at that time were looked at, likewise below.
  std::size_t searchRows(const Track& track, std::int64_t at, Wants wants, bool next, Found& best) const {
    const SliceTable& t = m_trace.slices;
    std::size_t looked = 0;
    for (std::size_t row = track.rows.size(); row-- > 0;) {
      const RowSpan span = track.rows[row];
      const auto begin = t.startNs.begin() + span.first;
      const auto end = begin + span.count;
      const auto after = std::upper_bound(begin, end, at);
      // Slices of no length may share a start with one that follows them; the last of a row that is wanted is the best.
      for (auto it = after; it != begin && *(it - 1) == at; --it, ++looked) {
        const bool isBest = isWanted(indexOf(it - 1), wants);
        offer({indexOf(it - 1), isBest ? 3 : 2}, best);
        if (isBest) break;
      }
      if (next) {
        if (after != end) offer({indexOf(after), 0}, best);
      } else if (after != begin && *(after - 1) != at) {
        const std::uint32_t slice = indexOf(after - 1);
        if (t.startNs[slice] + t.durationNs[slice] > at) offer({slice, 1}, best);
      }
    }
    return looked;
  }

  // A track of many rows: one search for all of them.
  struct DeepTrack {
    std::vector<std::uint32_t> byStart;  // slices, by (start, row)
    std::vector<std::int64_t> timesNs;   // of the ends of arrows that lie on it, ascending
    std::vector<std::uint32_t> holders;  // at those: the lowest slice that began before and ends later; kNone
  };
  static constexpr std::size_t kManyRows = 64;

  void findDeepTracks() {
    for (std::uint32_t i = 0; i < m_trace.tracks.size(); ++i)
      if (m_trace.tracks[i].rows.size() > kManyRows) m_deep[i];
    if (m_deep.empty()) return;
    for (const RawPoint* point : m_state.flowEnds) {
      const ThreadTracks& entry = m_state.threadTracks[point->thread];
      for (const std::uint32_t track : {entry.host, entry.device})
        if (const auto deep = m_deep.find(track); deep != m_deep.end())
          deep->second.timesNs.push_back(point->atNs - m_state.zeroNs);
    }
    for (auto& [track, deep] : m_deep) prepare(m_trace.tracks[track], deep);
  }

  void prepare(const Track& track, DeepTrack& deep) const {
    const SliceTable& t = m_trace.slices;
    std::sort(deep.timesNs.begin(), deep.timesNs.end());
    deep.timesNs.erase(std::unique(deep.timesNs.begin(), deep.timesNs.end()), deep.timesNs.end());
    if (deep.timesNs.empty()) return;
    deep.byStart.resize(track.sliceCount);
    std::iota(deep.byStart.begin(), deep.byStart.end(), track.firstSlice);
    // Slices come by row, so that a stable sort keeps the row's order.
    std::stable_sort(deep.byStart.begin(), deep.byStart.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return t.startNs[a] < t.startNs[b]; });
    RowEnds rows;
    auto next = deep.byStart.begin();
    for (const std::int64_t at : deep.timesNs) {
      if (m_state.stop.stop_requested()) return;
      for (; next != deep.byStart.end() && t.startNs[*next] < at; ++next) {
        while (rows.size() < t.depth[*next]) rows.take(rows.size(), INT64_MIN, kNone);
        rows.take(t.depth[*next], t.startNs[*next] + t.durationNs[*next], *next);
      }
      const std::uint32_t row = rows.lowestTaken(at);
      deep.holders.push_back(row == kNone ? kNone : rows[row].item);
    }
  }

  std::size_t searchDeep(const DeepTrack& deep, std::int64_t at, Wants wants, bool next, Found& best) const {
    const SliceTable& t = m_trace.slices;
    auto slice = std::lower_bound(deep.byStart.begin(), deep.byStart.end(), at,
                                  [&](std::uint32_t a, std::int64_t ns) { return t.startNs[a] < ns; });
    std::size_t looked = 0;
    for (; slice != deep.byStart.end() && t.startNs[*slice] == at; ++slice, ++looked)
      offer({*slice, isWanted(*slice, wants) ? 3 : 2}, best);
    if (next) {
      if (slice != deep.byStart.end()) offer({*slice, 0}, best);
      return looked;
    }
    const auto time = std::lower_bound(deep.timesNs.begin(), deep.timesNs.end(), at);
    const std::uint32_t holder = deep.holders[static_cast<std::size_t>(time - deep.timesNs.begin())];
    if (holder != kNone) offer({holder, 1}, best);
    return looked;
  }

  [[nodiscard]] std::uint32_t indexOf(std::vector<std::int64_t>::const_iterator it) const {
    return static_cast<std::uint32_t>(it - m_trace.slices.startNs.cbegin());
  }

  // Of those that begin here or hold the time the lowest drawn; of later ones the earliest, then the highest drawn.
  void offer(Found found, Found& best) const {
    const SliceTable& t = m_trace.slices;
    const auto better = [&] {
      if (best.slice == kNone || found.rank != best.rank) return best.slice == kNone || found.rank > best.rank;
      const std::int64_t later = t.startNs[found.slice] - t.startNs[best.slice];
      if (found.rank == 0 && later != 0) return later < 0;
      if (t.depth[found.slice] != t.depth[best.slice])
        return (t.depth[found.slice] > t.depth[best.slice]) == (found.rank > 0);
      return found.rank > 0 && found.slice > best.slice;
    };
    if (better()) best = found;
  }

  BuilderState& m_state;
  const Trace& m_trace;
  unsigned m_threads;
  std::unordered_map<std::uint32_t, DeepTrack> m_deep;
  std::vector<Wants> m_wants;  // by category
  std::atomic<bool> m_anyLocal{false};
};

// Finds what starts the arrow of each end.
class FlowConnector {
 public:
  explicit FlowConnector(BuilderState& state)
      : m_state(state),
        m_trace(*state.trace),
        m_count(state.placedEnds.size),
        m_firstUnbound(state.placedEnds.firstUnbound) {}

  void run() {
    if (m_state.stop.stop_requested()) return;
    sortEnds();
    if (m_state.stop.stop_requested()) return;
    for (std::size_t i = 0; i < m_count;) {
      if (m_state.stop.stop_requested()) return;
      std::size_t end = i;
      while (end < m_count && m_ends[end].key() == m_ends[i].key()) ++end;
      connect(i, end);
      i = end;
    }
    publish();
  }

 private:
  // By key, then time, then file: ids, which tell most, are counted into place, and the few ends of each are sorted.
  void sortEnds() {
    struct Place {
      std::uint32_t id;
      std::uint32_t end;
    };
    const std::unique_ptr<FlowEnd[]> placed = std::move(m_state.placedEnds.ends);
    std::vector<Place> places(m_count);
    for (std::uint32_t i = 0; i < m_count; ++i) places[i] = {placed[i].id, i};
    sortByNumber(places, [](const Place& place) { return place.id; });
    if (m_state.stop.stop_requested()) return;
    m_ends = std::make_unique_for_overwrite<FlowEnd[]>(m_count);
    for (std::size_t i = 0; i < m_count;) {
      const std::size_t first = i;
      for (; i < m_count && places[i].id == places[first].id; ++i) m_ends[i] = placed[places[i].end];
      std::sort(&m_ends[first], m_ends.get() + i, [](const FlowEnd& a, const FlowEnd& b) {
        return std::tie(a.category, a.name, a.process, a.atNs, a.order) <
               std::tie(b.category, b.name, b.process, b.atNs, b.order);
      });
    }
  }

  // Starts and steps of one key, by (time, file).
  struct Sources {
    std::vector<std::size_t> all;
    std::vector<std::size_t> starts;
  };

  // Each step and end takes the start or step that lies nearest before it; where times tie, the one written nearest
  // before it, since ranks are merged one after another.
  void connect(std::size_t first, std::size_t last) {
    m_sources.all.clear();
    m_sources.starts.clear();
    for (std::size_t i = first; i < last; ++i) {
      if (m_ends[i].role != Role::kEnd) m_sources.all.push_back(i);
      if (m_ends[i].role == Role::kStart) m_sources.starts.push_back(i);
    }
    if (m_sources.starts.size() > 1) {
      m_state.raw.health.note("flow.ambiguous-id", Severity::kRepaired,
                              "Ids of arrows that several starts share; each end takes the start nearest before it.", 1,
                              TraceHealth::kNowhere, m_ends[first].order);
    }
    for (std::size_t i = first; i < last; ++i) {
      FlowEnd& end = m_ends[i];
      if (end.role == Role::kStart || end.slice == kNone) continue;
      const std::size_t source = sourceOf(i);
      if (source == kNoSource || m_ends[source].slice == kNone) continue;
      m_ends[source].used = true;
      end.used = true;
      if (m_ends[source].atNs > end.atNs)
        m_state.raw.health.note("flow.backwards", Severity::kInfo,
                                "Arrows whose end lies before their start: clocks of host and device differ.", 1,
                                TraceHealth::kNowhere, end.order);
      m_arrows.push_back({m_ends[source].slice, end.slice, end.category});
    }
  }

  [[nodiscard]] std::size_t sourceOf(std::size_t i) const {
    const FlowEnd& end = m_ends[i];
    const std::vector<std::size_t>& all = m_sources.all;
    const auto isBefore = [this](std::size_t s, std::int64_t ns) { return m_ends[s].atNs < ns; };
    const auto now = std::lower_bound(all.begin(), all.end(), end.atNs, isBefore);
    // At its own time a step follows starts wherever they are written, and steps that are written before it.
    if (end.role == Role::kStep) {
      if (now != all.end() && *now < i) return nearestAt(all, i);
      const std::size_t start = nearestAt(m_sources.starts, i);
      if (start != kNoSource) return start;
    } else if (const std::size_t source = nearestAt(all, i); source != kNoSource) {
      return source;
    }
    if (now != all.begin()) return nearestAt(all, i, m_ends[*(now - 1)].atNs);
    if (end.role == Role::kStep) return kNoSource;
    const auto later = std::lower_bound(m_sources.starts.begin(), m_sources.starts.end(), end.atNs, isBefore);
    if (later == m_sources.starts.end()) return kNoSource;
    return nearestAt(m_sources.starts, i, m_ends[*later].atNs);
  }

  [[nodiscard]] std::size_t nearestAt(const std::vector<std::size_t>& sources, std::size_t i) const {
    return nearestAt(sources, i, m_ends[i].atNs);
  }

  // Of the sources at a time the last that is written before end `i`, else the first that is written behind it.
  [[nodiscard]] std::size_t nearestAt(const std::vector<std::size_t>& sources, std::size_t i, std::int64_t atNs) const {
    const auto begin = std::lower_bound(sources.begin(), sources.end(), atNs,
                                        [this](std::size_t s, std::int64_t ns) { return m_ends[s].atNs < ns; });
    const auto end = std::upper_bound(begin, sources.end(), atNs,
                                      [this](std::int64_t ns, std::size_t s) { return ns < m_ends[s].atNs; });
    const auto behind = std::lower_bound(
        begin, end, m_ends[i].order, [this](std::size_t s, std::uint32_t order) { return m_ends[s].order < order; });
    if (behind != begin) return *(behind - 1);
    return behind == end ? kNoSource : *behind;
  }

  void publish() {
    FlowTable& t = m_trace.flows;
    for (const FlowEnd& end : std::span(m_ends.get(), m_count)) {
      if (end.used) continue;
      ++t.unbound;
      m_firstUnbound = std::min<std::uint64_t>(m_firstUnbound, end.order);
    }
    sortByNumber(m_arrows, [](const Arrow& arrow) { return std::get<0>(arrow); });
    for (auto first = m_arrows.begin(); first != m_arrows.end();) {
      const auto last = std::find_if(first, m_arrows.end(),
                                     [&](const Arrow& arrow) { return std::get<0>(arrow) != std::get<0>(*first); });
      std::sort(first, last);
      first = last;
    }
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
    sortByNumber(t.byTarget, [&](std::uint32_t row) { return static_cast<std::uint32_t>(t.to[row]); });
    m_state.raw.health.note("flow.unbound", Severity::kInfo,
                            "Ends of arrows without a partner or without a slice; no arrow is drawn.", t.unbound,
                            TraceHealth::kNowhere, m_firstUnbound);
  }

  BuilderState& m_state;
  Trace& m_trace;
  static constexpr std::size_t kNoSource = SIZE_MAX;

  std::unique_ptr<FlowEnd[]> m_ends;
  std::size_t m_count;
  std::uint64_t m_firstUnbound;
  Sources m_sources;
  using Arrow = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;  // from, to, category
  std::vector<Arrow> m_arrows;
};

}  // namespace

void placeFlowEnds(BuilderState& state, unsigned threads) { EndPlacer(state, threads).run(); }
void connectFlows(BuilderState& state) { FlowConnector(state).run(); }

}  // namespace attnscope
