// SPDX-License-Identifier: Apache-2.0
#include "tests/support/ReferenceReader.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <nlohmann/json.hpp>

namespace attnscope::reference {

namespace {

using nlohmann::json;

struct Event {
  json value;
  std::size_t order = 0;
  std::int64_t at = 0;
  std::string phase, category, thread, pid;
  std::optional<std::string> name;
};

std::string textOf(const json& value) { return value.is_string() ? value.get<std::string>() : value.dump(); }

// "7", 7 and 7.0 are the same number; nothing is 0.
std::string identityOf(const json& event, const char* key) {
  if (!event.contains(key) || event[key].is_null()) return "0";
  const std::string text = textOf(event[key]);
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  if (end != text.c_str() && *end == '\0') return std::to_string(std::llround(number));
  return text;
}

std::int64_t nsOf(const json& value) { return std::llround(std::strtod(textOf(value).c_str(), nullptr) * 1000); }

bool isDevice(const std::string& category) { return category == "kernel" || category == "gpu_memcpy"; }

bool before(const Event* a, const Event* b) { return a->at != b->at ? a->at < b->at : a->order < b->order; }

class Reader {
 public:
  explicit Reader(const std::string& text) {
    const json document = json::parse(text);
    const json& list = document.is_array() ? document : document["traceEvents"];
    for (const json& value : list) {
      Event event;
      event.order = m_result.events++;
      if (!value.is_object() || !value.contains("ph")) continue;
      event.value = value;
      event.phase = value["ph"].get<std::string>();
      event.pid = identityOf(value, "pid");
      event.thread = event.pid + "|" + identityOf(value, "tid");
      if (value.contains("cat") && value["cat"].is_string()) event.category = value["cat"].get<std::string>();
      if (value.contains("name") && !value["name"].is_null()) event.name = textOf(value["name"]);
      if (event.phase == "M") continue;
      event.at = nsOf(value["ts"]);
      m_events.push_back(std::move(event));
    }
  }

  Reading run() {
    complete();
    std::int64_t last = lastTime();
    threads(last);
    async(last);
    std::sort(m_result.slices.begin(), m_result.slices.end(),
              [](const Slice& a, const Slice& b) { return a.order < b.order; });
    nest();
    points();
    flows();
    return std::move(m_result);
  }

 private:
  std::int64_t lastTime() const {
    std::int64_t last = INT64_MIN;
    for (const Slice& slice : m_result.slices) last = std::max(last, slice.start + slice.duration);
    for (const Event& event : m_events)
      if (event.phase != "s" && event.phase != "t" && event.phase != "f") last = std::max(last, event.at);
    return last;
  }

  void complete() {
    for (const Event& event : m_events) {
      if (event.phase != "X") continue;
      Slice slice = started(event, event.thread);
      slice.finished = event.value.contains("dur");
      slice.duration = slice.finished ? std::max<std::int64_t>(0, nsOf(event.value["dur"])) : 0;
      m_result.slices.push_back(slice);
    }
  }

  static Slice started(const Event& event, const std::string& track) {
    Slice slice;
    slice.name = event.name;
    slice.track = track;
    slice.start = event.at;
    slice.order = event.order;
    slice.category = event.category;
    return slice;
  }

  // Ends in order of time; one that finds nothing open tries again after the begins of its own time.
  void pair(std::vector<const Event*> events, const std::string& begin, std::int64_t last, bool isAsync) {
    std::sort(events.begin(), events.end(), before);
    std::vector<const Event*> open;
    std::vector<const Event*> again;
    const auto trackOf = [&](const Event& event) {
      if (!isAsync) return event.thread;
      const Event& root = *open.front();
      return "async|" + root.pid + "|" + root.category + "|" + root.name.value_or("");
    };
    const auto close = [&](const Event& end) {
      for (std::size_t i = open.size(); i-- > 0;) {
        if (end.name && open[i]->name != end.name) continue;
        Slice slice = started(*open[i], trackOf(*open[i]));
        slice.duration = end.at - slice.start;
        m_result.slices.push_back(slice);
        open.erase(open.begin() + static_cast<std::ptrdiff_t>(i));
        return true;
      }
      return false;
    };
    for (std::size_t i = 0; i < events.size(); ++i) {
      if (events[i]->phase == begin) {
        open.push_back(events[i]);
      } else if (!close(*events[i])) {
        again.push_back(events[i]);
      }
      if (i + 1 == events.size() || events[i + 1]->at != events[i]->at) {
        for (const Event* end : again) close(*end);
        again.clear();
      }
    }
    for (const Event* event : open) {
      Slice slice = started(*event, trackOf(*event));
      slice.duration = last - slice.start;
      slice.finished = false;
      m_result.slices.push_back(slice);
    }
  }

  void threads(std::int64_t last) {
    std::map<std::string, std::vector<const Event*>> byThread;
    for (const Event& event : m_events)
      if (event.phase == "B" || event.phase == "E") byThread[event.thread].push_back(&event);
    for (auto& [thread, events] : byThread) pair(events, "B", last, false);
  }

  // "id", or "id2" with the process where it is local.
  static std::string idOf(const Event& event) {
    if (!event.value.contains("id2")) return event.value.contains("id") ? textOf(event.value["id"]) : "";
    const json& id = event.value["id2"];
    if (id.contains("local")) return textOf(id["local"]) + "|of " + event.pid;
    return textOf(id["global"]);
  }

  // Nestable ones by (category, scope, id), the older ones by their name as well.
  void async(std::int64_t last) {
    std::map<std::string, std::vector<const Event*>> nestable;
    std::map<std::string, std::vector<const Event*>> older;
    for (const Event& event : m_events) {
      const std::string scope = event.value.contains("scope") ? textOf(event.value["scope"]) : "";
      const std::string key = event.category + "|" + scope + "|" + idOf(event);
      if (event.phase == "b" || event.phase == "e") nestable[key].push_back(&event);
      if (event.phase == "S" || event.phase == "F") older[key + "|" + event.name.value_or("")].push_back(&event);
    }
    for (auto& [id, events] : nestable) pair(events, "b", last, true);
    for (auto& [id, events] : older) pair(events, "S", last, true);
  }

  static bool holds(const Slice& outer, const Slice& inner) {
    const std::int64_t end = outer.start + outer.duration;
    const std::int64_t innerEnd = inner.start + inner.duration;
    return innerEnd <= end || (innerEnd - end <= 1000 && innerEnd - end < end - inner.start);
  }

  void nest() {
    std::map<std::string, std::vector<Slice*>> byTrack;
    for (Slice& slice : m_result.slices) byTrack[slice.track].push_back(&slice);
    for (auto& entry : byTrack) {
      std::vector<Slice*>& slices = entry.second;
      std::sort(slices.begin(), slices.end(), [](const Slice* a, const Slice* b) {
        return std::tuple(a->start, -a->duration, a->order) < std::tuple(b->start, -b->duration, b->order);
      });
      for (std::size_t i = 0; i < slices.size(); ++i) {
        Slice& slice = *slices[i];
        const auto isOpen = [&](const Slice& other) { return other.start + other.duration > slice.start; };
        const Slice* parent = nullptr;
        for (std::size_t k = 0; k < i; ++k)
          if (isOpen(*slices[k]) && holds(*slices[k], slice) && (!parent || slices[k]->depth > parent->depth))
            parent = slices[k];
        slice.depth = parent ? parent->depth + 1 : 0;
        if (parent) slice.parent = parent->order;
        const auto taken = [&](unsigned depth) {
          for (std::size_t k = 0; k < i; ++k)
            if (isOpen(*slices[k]) && slices[k]->depth == depth) return true;
          return false;
        };
        while (taken(slice.depth)) ++slice.depth;
      }
    }
  }

  void points() {
    for (const Event& event : m_events) {
      if (std::string("iIRnTp").find(event.phase) != std::string::npos)
        m_result.instants.push_back({event.at, event.name.value_or(""), event.order});
      if (event.phase != "C") continue;
      for (const auto& [series, value] : event.value["args"].items()) {
        const std::string text = textOf(value);
        if (text.empty() || value.is_structured()) continue;
        const std::string id = event.value.contains("id") ? textOf(event.value["id"]) : "";
        // What is not finite is a gap.
        const double number = std::strtod(text.c_str(), nullptr);
        m_result.counters[{event.pid + "|" + event.name.value_or(""), id, series}].push_back(
            {event.at, std::isfinite(number) ? number : kGap});
      }
    }
    for (auto& [key, samples] : m_result.counters)
      std::stable_sort(samples.begin(), samples.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  }

  static bool suits(const Slice& slice, const Event& end) {
    if (end.category == "fwdbwd") return slice.category == "cpu_op";
    if (end.category != "ac2g") return true;
    return end.phase == "s" ? slice.category == "cuda_runtime" : isDevice(slice.category);
  }

  const Slice* sliceOfOrder(std::size_t order) const {
    for (const Slice& slice : m_result.slices)
      if (slice.order == order) return &slice;
    return nullptr;
  }

  const Event* eventOfOrder(std::size_t order) const {
    for (const Event& event : m_events)
      if (event.order == order) return &event;
    return nullptr;
  }

  static bool isFlow(const Event& event) { return event.phase == "s" || event.phase == "t" || event.phase == "f"; }

  const Slice* bound(const Event& end) const {
    // The slice that is written directly before, other ends of arrows aside.
    std::size_t order = end.order;
    while (order > 0 && eventOfOrder(order - 1) && isFlow(*eventOfOrder(order - 1))) --order;
    const Slice* last = order > 0 ? sliceOfOrder(order - 1) : nullptr;
    if (last && last->track == end.thread && last->start == end.at && suits(*last, end)) return last;
    const Slice* best = nullptr;
    const auto rank = [&](const Slice& slice) { return slice.start == end.at ? (suits(slice, end) ? 3 : 2) : 1; };
    const bool next = end.phase == "f" && !end.value.contains("bp");
    for (const Slice& slice : m_result.slices) {
      if (slice.track != end.thread) continue;
      const bool inside =
          slice.start == end.at || (!next && slice.start < end.at && slice.start + slice.duration > end.at);
      if (!inside) continue;
      // Of slices of one row that begin together the one drawn last counts, which the file has later.
      const auto better = [&](const Slice& a, const Slice& b) {
        return std::tuple(rank(a), a.depth, -a.duration, a.order) > std::tuple(rank(b), b.depth, -b.duration, b.order);
      };
      if (!best || better(slice, *best)) best = &slice;
    }
    if (best || !next) return best;
    for (const Slice& slice : m_result.slices) {
      if (slice.track != end.thread || slice.start < end.at) continue;
      const auto key = [](const Slice& s) { return std::tuple(s.start, s.depth, -s.duration, s.order); };
      if (!best || key(slice) < key(*best)) best = &slice;
    }
    return best;
  }

  struct End {
    char role;  // s start, t step, f end
    std::int64_t at;
    std::size_t order;
    const Slice* slice;
    bool used = false;
  };

  // Of version 2, on slices: "bind_id" is the whole key.
  void collectBinds(std::map<std::string, std::vector<End>>& ends) {
    for (const Event& event : m_events) {
      if (!event.value.contains("bind_id") || std::string("XBb").find(event.phase) == std::string::npos) continue;
      const bool in = event.value.value("flow_in", false);
      const bool out = event.value.value("flow_out", false);
      const Slice* slice = sliceOfOrder(event.order);
      if (!in && !out) {
        ++m_result.unbound;
      } else {
        ends["bind " + textOf(event.value["bind_id"])].push_back({in && out ? 't'
                                                                  : out     ? 's'
                                                                            : 'f',
                                                                  slice->start, event.order, slice});
      }
    }
  }

  void flows() {
    std::map<std::string, std::vector<End>> byKey;
    for (const Event& event : m_events)
      if (isFlow(event))
        byKey["flow " + event.category + "|" + event.name.value_or("") + "|" + idOf(event)].push_back(
            {event.phase[0], event.at, event.order, bound(event)});
    collectBinds(byKey);
    for (auto& [key, ends] : byKey) {
      std::sort(ends.begin(), ends.end(),
                [](const End& a, const End& b) { return std::tuple(a.at, a.order) < std::tuple(b.at, b.order); });
      for (End& end : ends) {
        if (end.role == 's' || !end.slice) continue;
        End* source = nearestSource(ends, end);
        if (!source || !source->slice) continue;
        source->used = end.used = true;
        m_result.arrows.emplace_back(source->slice->order, end.slice->order);
      }
      for (const End& end : ends) m_result.unbound += end.used ? 0 : 1;
    }
    std::sort(m_result.arrows.begin(), m_result.arrows.end());
  }

  static End* nearestSource(std::vector<End>& ends, const End& end) {
    End* source = nullptr;
    const auto distance = [&](const End& other) {
      const std::int64_t steps = std::llabs(static_cast<long long>(other.order) - static_cast<long long>(end.order));
      return std::tuple(other.at > end.at, std::llabs(other.at - end.at), other.order > end.order, steps);
    };
    for (End& candidate : ends) {
      if (&candidate == &end || candidate.role == 'f') continue;
      const bool late = candidate.at > end.at;
      if (late && (end.role == 't' || candidate.role == 't')) continue;
      if (end.role == 't' && candidate.role == 't' && candidate.at == end.at && candidate.order > end.order) continue;
      if (!source || distance(candidate) < distance(*source)) source = &candidate;
    }
    return source;
  }

  std::vector<Event> m_events;
  Reading m_result;
};

}  // namespace

Reading read(const std::string& text) { return Reader(text).run(); }

}  // namespace attnscope::reference
