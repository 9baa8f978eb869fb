// SPDX-License-Identifier: Apache-2.0
// Builder step: what M events say about processes and threads, names for people, and the order of drawing.
#include <algorithm>
#include <cctype>

#include "core/trace/BuilderState.h"

namespace attnscope {

namespace {

std::string trimmed(std::string text) {
  while (!text.empty() && (text.back() == ' ' || text.back() == '\n')) text.pop_back();
  return text;
}

// "stream 7" before "stream 20".
bool naturalLess(const std::string& a, const std::string& b) {
  std::size_t i = 0;
  std::size_t k = 0;
  const auto digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
  while (i < a.size() && k < b.size()) {
    if (digit(a[i]) && digit(b[k])) {
      const auto numberEnd = [&](const std::string& text, std::size_t at) {
        while (at < text.size() && digit(text[at])) ++at;
        return at;
      };
      const std::size_t endA = numberEnd(a, i);
      const std::size_t endB = numberEnd(b, k);
      while (i + 1 < endA && a[i] == '0') ++i;
      while (k + 1 < endB && b[k] == '0') ++k;
      if (endA - i != endB - k) return endA - i < endB - k;
      for (; i < endA; ++i, ++k)
        if (a[i] != b[k]) return a[i] < b[k];
      continue;
    }
    if (a[i] != b[k]) return a[i] < b[k];
    ++i;
    ++k;
  }
  return a.size() - i < b.size() - k;
}

bool identityLess(const RawIdentity& a, const RawIdentity& b) {
  if (a.isWord != b.isWord) return b.isWord;
  return a.isWord ? naturalLess(a.word, b.word) : a.number < b.number;
}

constexpr double kDeviceSortIndex = 5000000;  // Kineto: 5000000 + index for devices

class Namer {
 public:
  explicit Namer(BuilderState& state) : m_state(state) {}

  void run() {
    for (const RawBlock& block : m_state.raw.blocks)
      for (const RawMetadata& metadata : block.metadata) apply(metadata);
    for (BuildTrack& track : m_state.tracks)
      if (track.used) m_state.processes[track.process].hasTracks = true;
    order();
  }

 private:
  static void rename(Process& process, const std::string& name) {
    if (name.empty() || process.name == name) return;
    if (!process.name.empty()) process.earlierNames.push_back(process.name);
    process.name = name;
  }

  [[nodiscard]] std::uint32_t findProcess(const RawIdentity& pid, bool device) const {
    const auto place = m_state.processByKey.find(keyOf(pid) + (device && !pid.isWord ? "d" : ""));
    return place == m_state.processByKey.end() ? kNone : place->second;
  }

  void apply(const RawMetadata& metadata) {
    const RawThread& thread = m_state.threads[metadata.thread];
    if (thread.pid.isWord && thread.pid.word.empty()) return;
    if (metadata.kind == RawMetadata::Kind::kThreadName || metadata.kind == RawMetadata::Kind::kThreadSort) {
      applyToThread(metadata);
      return;
    }
    std::uint32_t host = findProcess(thread.pid, false);
    const std::uint32_t device = thread.pid.isWord ? kNone : findProcess(thread.pid, true);
    // A process that nothing else mentions is known by its name alone.
    if (host == kNone && device == kNone) host = m_state.processFor(thread.pid, false, metadata.order);
    for (const std::uint32_t which : {host, device}) {
      if (which == kNone) continue;
      BuildProcess& process = m_state.processes[which];
      const bool both = host != kNone && device != kNone;
      switch (metadata.kind) {
        case RawMetadata::Kind::kProcessName:
          rename(process.result, trimmed(metadata.text));
          break;
        case RawMetadata::Kind::kProcessLabels:
          if (!both || (metadata.text.rfind("GPU", 0) == 0) == process.device) process.result.labels = metadata.text;
          break;
        default:
          if (metadata.hasNumber && (!both || (metadata.number >= kDeviceSortIndex) == process.device))
            process.result.sortIndex = metadata.number;
      }
    }
  }

  void applyToThread(const RawMetadata& metadata) {
    const ThreadTracks& entry = m_state.threadTracks[metadata.thread];
    const bool both = entry.host != kNone && entry.device != kNone && entry.host != entry.device;
    for (const std::uint32_t which : {entry.host, entry.device}) {
      if (which == kNone) continue;
      BuildTrack& track = m_state.tracks[which];
      const bool device = track.kind == TrackKind::kStream;
      if (metadata.kind == RawMetadata::Kind::kThreadName) {
        if (!both || (metadata.text.rfind("stream", 0) == 0) == device) track.givenName = trimmed(metadata.text);
      } else if (metadata.hasNumber) {
        track.sortIndex = metadata.number;
      }
    }
  }

  [[nodiscard]] static std::string threadName(const BuildTrack& track, const BuildProcess& process) {
    const bool mainThread =
        process.hostWork && !track.tid.isWord && !process.pid.isWord && track.tid.number == process.pid.number;
    std::string name = track.givenName;
    const std::string number = std::to_string(track.tid.number);
    const std::string kineto = "thread " + number + " (";
    if (name.size() > kineto.size() && name.compare(0, kineto.size(), kineto) == 0 && name.back() == ')')
      name = name.substr(kineto.size(), name.size() - kineto.size() - 1) + " " + number;
    if (name.empty()) name = track.tid.isWord ? track.tid.word : "thread " + number;
    return mainThread ? name + ", main thread" : name;
  }

  [[nodiscard]] static std::string streamName(const BuildTrack& track) {
    if (track.tid.isWord) return track.tid.word;
    if (!track.givenName.empty()) return track.givenName;
    if (track.tid.number < 0) return "synchronisation";
    return "stream " + std::to_string(track.tid.number);
  }

  [[nodiscard]] int group(const BuildProcess& process) const {
    if (process.device) return 1;
    if (process.spans || (process.pid.isWord && (process.pid.word == "Spans" || process.pid.word == "Traces")))
      return 2;
    return m_devices && !process.hostWork ? 2 : 0;
  }

  void order() {
    for (const BuildProcess& process : m_state.processes) m_devices = m_devices || process.device;
    std::vector<std::uint32_t> processOrder;
    for (std::uint32_t i = 0; i < m_state.processes.size(); ++i) {
      // Kineto names processes of devices that did nothing; a file of names alone shows them all.
      if (m_state.processes[i].hasTracks || !m_state.timed) processOrder.push_back(i);
    }
    std::stable_sort(processOrder.begin(), processOrder.end(), [&](std::uint32_t a, std::uint32_t b) {
      const BuildProcess& x = m_state.processes[a];
      const BuildProcess& y = m_state.processes[b];
      if (group(x) != group(y)) return group(x) < group(y);
      const bool indexed = x.result.sortIndex.has_value();
      if (indexed != y.result.sortIndex.has_value()) return indexed;
      if (indexed && *x.result.sortIndex != *y.result.sortIndex) return *x.result.sortIndex < *y.result.sortIndex;
      return identityLess(x.pid, y.pid);
    });
    std::vector<std::uint32_t> newProcess(m_state.processes.size(), kNone);
    for (std::size_t i = 0; i < processOrder.size(); ++i) newProcess[processOrder[i]] = static_cast<std::uint32_t>(i);

    std::vector<std::uint32_t> trackOrder;
    for (std::uint32_t i = 0; i < m_state.tracks.size(); ++i)
      if (m_state.tracks[i].used) trackOrder.push_back(i);
    const auto kindGroup = [](TrackKind kind) {
      return kind == TrackKind::kAsync ? 1 : kind == TrackKind::kCounter ? 2 : 0;
    };
    std::stable_sort(trackOrder.begin(), trackOrder.end(), [&](std::uint32_t a, std::uint32_t b) {
      const BuildTrack& x = m_state.tracks[a];
      const BuildTrack& y = m_state.tracks[b];
      if (newProcess[x.process] != newProcess[y.process]) return newProcess[x.process] < newProcess[y.process];
      if (kindGroup(x.kind) != kindGroup(y.kind)) return kindGroup(x.kind) < kindGroup(y.kind);
      if (kindGroup(x.kind) != 0) {
        // "a1" and "a01" are neither less than the other.
        if (naturalLess(x.name, y.name) != naturalLess(y.name, x.name)) return naturalLess(x.name, y.name);
        return x.firstOrder < y.firstOrder;
      }
      if (x.sortIndex.has_value() != y.sortIndex.has_value()) return x.sortIndex.has_value();
      if (x.sortIndex && *x.sortIndex != *y.sortIndex) return *x.sortIndex < *y.sortIndex;
      if (identityLess(x.tid, y.tid) != identityLess(y.tid, x.tid)) return identityLess(x.tid, y.tid);
      return x.firstOrder < y.firstOrder;
    });
    publish(processOrder, newProcess, trackOrder);
  }

  [[nodiscard]] Identity published(const RawIdentity& identity) const {
    Identity result;
    if (identity.isWord) result.word = m_state.trace->strings.intern(identity.word);
    result.number = identity.isWord ? 0 : identity.number;
    return result;
  }

  void publish(const std::vector<std::uint32_t>& processOrder, const std::vector<std::uint32_t>& newProcess,
               const std::vector<std::uint32_t>& trackOrder) {
    Trace& trace = *m_state.trace;
    for (const std::uint32_t i : processOrder) {
      BuildProcess& process = m_state.processes[i];
      process.result.pid = published(process.pid);
      process.result.kind = process.device     ? ProcessKind::kDevice
                            : process.hostWork ? ProcessKind::kHost
                                               : ProcessKind::kOther;
      if (process.device && !process.pid.isWord) process.result.device = static_cast<std::int32_t>(process.pid.number);
      trace.processes.push_back(process.result);
    }
    std::vector<BuildTrack> tracks;
    std::vector<std::uint32_t> newTrack(m_state.tracks.size(), kNone);
    tracks.reserve(trackOrder.size());
    for (const std::uint32_t i : trackOrder) {
      newTrack[i] = static_cast<std::uint32_t>(tracks.size());
      BuildTrack& from = m_state.tracks[i];
      const BuildProcess& process = m_state.processes[from.process];
      Track track;
      track.kind = from.kind;
      if (process.spans && from.kind == TrackKind::kThread) track.kind = TrackKind::kSpans;
      track.process = ProcessId{newProcess[from.process]};
      track.tid = published(from.tid);
      track.sortIndex = from.sortIndex;
      if (from.kind == TrackKind::kStream) {
        track.name = streamName(from);
        track.device = process.device && !process.pid.isWord ? static_cast<std::int32_t>(process.pid.number) : -1;
        if (!from.tid.isWord && from.tid.number >= 0) {
          track.stream = from.tid.number;
        } else if (from.tid.isWord && from.tid.word.rfind("stream ", 0) == 0) {
          track.stream = std::strtoll(from.tid.word.c_str() + 7, nullptr, 10);
        }
      } else if (kindOfThread(from.kind)) {
        track.name = threadName(from, process);
      } else {
        track.name = from.name;
      }
      trace.tracks.push_back(std::move(track));
      tracks.push_back(std::move(from));
    }
    m_state.tracks = std::move(tracks);
    for (ThreadTracks& entry : m_state.threadTracks) {
      if (entry.host != kNone) entry.host = newTrack[entry.host];
      if (entry.device != kNone) entry.device = newTrack[entry.device];
    }
    for (auto& [key, track] : m_state.trackByKey) track = newTrack[track];
    for (std::uint32_t& track : m_state.sliceTracks)
      if (track != kNone) track = newTrack[track];
    for (RawSlice& slice : m_state.paired) slice.thread = newTrack[slice.thread];
  }

  static bool kindOfThread(TrackKind kind) { return kind == TrackKind::kThread || kind == TrackKind::kSpans; }

  BuilderState& m_state;
  bool m_devices = false;
};

}  // namespace

void nameRows(BuilderState& state) { Namer(state).run(); }

}  // namespace attnscope
