// SPDX-License-Identifier: Apache-2.0
// Builder step: begins and ends become slices; what is left of the points are instants and arrow ends.
#include <algorithm>
#include <map>

#include "core/trace/ArgsText.h"
#include "core/trace/BuilderState.h"
#include "core/trace/Pairing.h"

namespace attnscope {

namespace {

class SpanMaker {
 public:
  explicit SpanMaker(BuilderState& state) : m_state(state) {}

  void run() {
    for (const RawBlock& block : m_state.raw.blocks) m_keepsEnds = m_keepsEnds || !block.stacks.empty();
    collect();
    for (auto& [track, points] : m_threads) {
      m_pairs.clear();
      addStrays(m_strayEnds, pairEvents(
                                 points, [](const RawPoint& p) { return p.phase == 'B'; }, m_pairs));
      for (const PairedEvents& pair : m_pairs) add(pair, track);
    }
    for (auto& [key, points] : m_async) {
      m_pairs.clear();
      addStrays(m_strayAsync, pairEvents(
                                  points, [](const RawPoint& p) { return p.phase == 'b' || p.phase == 'S'; }, m_pairs));
      for (const PairedEvents& pair : m_pairs) add(pair, asyncTrack(*pair.outermost));
    }
    TraceHealth& health = m_state.raw.health;
    health.note("slice.stray-end", Severity::kLost, "E events without a B that they could close.", m_strayEnds.count,
                TraceHealth::kNowhere, m_strayEnds.firstOrder);
    health.note("async.stray-end", Severity::kLost, "Ends of async spans without a begin.", m_strayAsync.count,
                TraceHealth::kNowhere, m_strayAsync.firstOrder);
    health.note("slice.not-finished", Severity::kRepaired,
                "Begins that were never closed; they are drawn to the end of the trace.", m_unfinished,
                TraceHealth::kNowhere, m_firstUnfinished);
  }

 private:
  struct AsyncKey {
    std::uint32_t category;
    std::uint32_t name;  // of S and F, whose id counts for one name
    std::uint32_t id;
    std::uint32_t process;  // where the id is local
    bool nestable;
    auto operator<=>(const AsyncKey&) const = default;
  };

  static void addStrays(StrayEnds& sum, const StrayEnds& more) {
    sum.count += more.count;
    sum.firstOrder = std::min(sum.firstOrder, more.firstOrder);
  }

  void collect() {
    std::size_t points = 0;
    for (const RawBlock& block : m_state.raw.blocks) points += block.points.size();
    m_state.flowEnds.reserve(points);  // what stays empty of it takes no memory
    m_state.instants.reserve(points);
    for (const RawBlock& block : m_state.raw.blocks) {
      for (const RawPoint& point : block.points) {
        const Side side = sideOf(m_state.classOf(point.category));
        switch (point.phase) {
          case 'B':
          case 'E': {
            const std::uint32_t track = m_state.trackFor(point.thread, side, point.order);
            m_threads[track].push_back(&point);
            break;
          }
          case 'b':
          case 'e':
          case 'S':
          case 'F':
            m_async[asyncKey(point)].push_back(&point);
            break;
          case 's':
          case 't':
          case 'f':
            m_state.flowEnds.push_back(&point);
            break;
          default:
            m_state.instants.push_back(&point);
        }
      }
    }
  }

  AsyncKey asyncKey(const RawPoint& point) {
    const bool nestable = point.phase == 'b' || point.phase == 'e';
    const bool local = (point.flags & kLocalId) != 0;
    return {m_state.categories[point.category].name, nestable ? kNone : point.name, point.id,
            local ? m_state.processFor(m_state.threads[point.thread].pid, false, point.order) : kNone, nestable};
  }

  std::uint32_t asyncTrack(const RawPoint& root) {
    const RawIdentity& pid = m_state.threads[root.thread].pid;
    const std::uint32_t process = m_state.processFor(pid, false, root.order);
    const std::uint32_t category = m_state.categories[root.category].name;
    const std::string key =
        "a" + std::to_string(process) + ":" + std::to_string(category) + ":" + std::to_string(root.name);
    const auto [place, added] = m_state.trackByKey.try_emplace(key, static_cast<std::uint32_t>(m_state.tracks.size()));
    if (added) {
      BuildTrack track;
      track.kind = TrackKind::kAsync;
      track.process = process;
      track.tid = m_state.threads[root.thread].tid;
      if (root.name != kNone) track.name = m_state.trace->strings.view(StringId{root.name});
      if (track.name.empty()) track.name = "async";
      m_state.tracks.push_back(std::move(track));
    }
    BuildTrack& track = m_state.tracks[place->second];
    track.used = true;
    track.firstOrder = std::min(track.firstOrder, root.order);
    return place->second;
  }

  [[nodiscard]] std::string_view keptArgs(const RawPoint& point) const {
    // The copy lies in the block that the event came from; blocks are in order of events.
    std::size_t low = 0;
    for (std::size_t high = m_state.raw.blocks.size(); high - low > 1;) {
      const std::size_t middle = (low + high) / 2;
      (firstOrderOf(middle) > point.order ? high : low) = middle;
    }
    return std::string_view(m_state.raw.blocks[low].kept).substr(point.keptArgs, point.argsLength);
  }

  [[nodiscard]] std::uint64_t firstOrderOf(std::size_t wanted) const {
    if (m_firstOrders.empty()) {
      std::uint64_t sum = 0;
      for (const RawBlock& block : m_state.raw.blocks) {
        m_firstOrders.push_back(sum);
        sum += block.events;
      }
    }
    return m_firstOrders[wanted];
  }

  void add(const PairedEvents& pair, std::uint32_t track) {
    const RawPoint& begin = *pair.begin;
    RawSlice slice;
    slice.startNs = begin.atNs;
    slice.name = begin.name;
    slice.category = begin.category;
    slice.thread = track;
    slice.order = begin.order;
    slice.argsBegin = begin.argsBegin;
    slice.argsLength = begin.argsLength;
    slice.flags = begin.flags;
    if (pair.end) {
      if (m_keepsEnds) m_state.beginOfEnd.emplace(pair.end->order, begin.order);
      slice.durationNs = pair.end->atNs - begin.atNs;
      if (pair.end->argsLength != 0) {
        if (begin.argsLength == 0) {
          slice.argsBegin = pair.end->argsBegin;
          slice.argsLength = pair.end->argsLength;
        } else {
          const std::string merged = mergeArgs(keptArgs(begin), keptArgs(*pair.end));
          slice.argsBegin = m_state.raw.textBytes + m_state.appended.size();
          slice.argsLength = static_cast<std::uint32_t>(merged.size());
          m_state.appended += merged;
        }
      }
    } else {
      slice.durationNs = m_state.endNs - begin.atNs;
      slice.flags |= kUnfinished;
      ++m_unfinished;
      m_firstUnfinished = std::min<std::uint64_t>(m_firstUnfinished, begin.order);
    }
    m_state.paired.push_back(slice);
  }

  BuilderState& m_state;
  std::map<std::uint32_t, std::vector<const RawPoint*>> m_threads;
  std::map<AsyncKey, std::vector<const RawPoint*>> m_async;
  std::vector<PairedEvents> m_pairs;
  mutable std::vector<std::uint64_t> m_firstOrders;
  bool m_keepsEnds = false;
  StrayEnds m_strayEnds;
  StrayEnds m_strayAsync;
  std::uint64_t m_unfinished = 0;
  std::uint64_t m_firstUnfinished = TraceHealth::kNowhere;
};

}  // namespace

void pairSpans(BuilderState& state) { SpanMaker(state).run(); }

}  // namespace attnscope
