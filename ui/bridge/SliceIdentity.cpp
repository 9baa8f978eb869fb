// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/SliceIdentity.h"

namespace attnscope::ui {

namespace {

// Times count from the trace's zero, which lies earlier where the file got an earlier event.
std::int64_t shiftBetween(const std::string& from, const std::string& to) {
  constexpr std::size_t kMostDigits = 18;
  if (from == to || from.size() > kMostDigits + 1 || to.size() > kMostDigits + 1) return 0;
  return std::stoll(from) - std::stoll(to);
}

bool isOn(const Trace& trace, const Track& track, const SliceIdentity& identity) {
  return track.kind == identity.kind && track.process != kNoProcess &&
         trace.identityText(trace.processes[index(track.process)].pid) == identity.process &&
         trace.identityText(track.tid) == identity.thread;
}

// Calls `take` for each slice that the identity fits but for its ordinal, until it returns false.
template <class Take>
void eachAlike(const Trace& trace, const SliceIdentity& identity, Take take) {
  const std::int64_t startNs = identity.startNs + shiftBetween(identity.zero, trace.writtenZero);
  for (const Track& track : trace.tracks) {
    if (!isOn(trace, track, identity)) continue;
    for (std::uint32_t i = track.firstSlice; i < track.firstSlice + track.sliceCount; ++i) {
      if (trace.slices.startNs[i] != startNs || trace.name(SliceId{i}) != identity.name) continue;
      if (!take(SliceId{i})) return;
    }
  }
}

}  // namespace

SliceIdentity identityOf(const Trace& trace, SliceId slice) {
  const Track& track = trace.tracks[index(trace.slices.track[index(slice)])];
  SliceIdentity identity;
  if (track.process != kNoProcess) identity.process = trace.identityText(trace.processes[index(track.process)].pid);
  identity.thread = trace.identityText(track.tid);
  identity.kind = track.kind;
  identity.name = std::string(trace.name(slice));
  identity.zero = trace.writtenZero;
  identity.startNs = trace.slices.startNs[index(slice)];
  eachAlike(trace, identity, [&](SliceId each) {
    if (each == slice) return false;
    ++identity.ordinal;
    return true;
  });
  return identity;
}

SliceId findSlice(const Trace& trace, const SliceIdentity& identity) {
  SliceId found = kNoSlice;
  std::uint32_t ordinal = 0;
  eachAlike(trace, identity, [&](SliceId each) {
    if (ordinal++ < identity.ordinal) return true;
    found = each;
    return false;
  });
  return found;
}

}  // namespace attnscope::ui
