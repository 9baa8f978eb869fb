// SPDX-License-Identifier: Apache-2.0
#include "core/compare/SeamLinks.h"

#include <algorithm>
#include <span>
#include <string_view>
#include <unordered_map>

#include "core/analysis/Stages.h"
#include "core/compare/SequenceAlignment.h"

namespace attnscope {

namespace {

constexpr double kSeenThroughShare = 0.6;  // of the enclosing span: an annotation this long is the step, not a stage

struct Unit {
  std::string_view name;
  TimeRange range;
  std::int64_t workNs = 0;
  std::vector<SliceId> slices;
  bool isStage = false;  // an annotation
};

bool isStep(std::string_view name) { return name.substr(0, 13) == "ProfilerStep#"; }

// Annotations and operators of a track in order of start, longer first: a pre-order walk of its host work.
struct HostSlices {
  std::vector<SliceId> order;
  std::vector<bool> holdsAnnotation;  // by position in `order`
  std::vector<TimeRange> enclosing;   // of the annotation around it that is nearest, else of the whole scope
};

HostSlices hostSlices(const Trace& trace, TrackId track, TimeRange scope) {
  HostSlices host;
  const Track& row = trace.tracks[index(track)];
  const SliceTable& slices = trace.slices;
  for (std::uint32_t i = row.firstSlice; i < row.firstSlice + row.sliceCount; ++i) {
    const CategoryClass category = slices.categoryClass[i];
    if (category != CategoryClass::kCpuOperator && category != CategoryClass::kUserAnnotation) continue;
    if (scope.contains(slices.startNs[i])) host.order.push_back(SliceId{i});
  }
  std::sort(host.order.begin(), host.order.end(), [&slices](SliceId a, SliceId b) {
    if (slices.startNs[index(a)] != slices.startNs[index(b)])
      return slices.startNs[index(a)] < slices.startNs[index(b)];
    if (slices.durationNs[index(a)] != slices.durationNs[index(b)]) {
      return slices.durationNs[index(a)] > slices.durationNs[index(b)];
    }
    return slices.order[index(a)] < slices.order[index(b)];
  });
  TimeRange whole{0, 0};
  if (!host.order.empty()) {
    whole.startNs = slices.startNs[index(host.order.front())];
    for (const SliceId slice : host.order) whole.endNs = std::max(whole.endNs, slices.endNs(slice));
  }
  host.holdsAnnotation.assign(host.order.size(), false);
  host.enclosing.assign(host.order.size(), whole);
  std::vector<std::size_t> open;  // annotations around the walk
  for (std::size_t i = 0; i < host.order.size(); ++i) {
    const SliceId slice = host.order[i];
    while (!open.empty() && slices.endNs(host.order[open.back()]) <= slices.startNs[index(slice)]) open.pop_back();
    const bool annotation = slices.categoryClass[index(slice)] == CategoryClass::kUserAnnotation;
    if (!open.empty()) {
      const SliceId around = host.order[open.back()];
      host.enclosing[i] = {slices.startNs[index(around)], slices.endNs(around)};
      if (annotation) host.holdsAnnotation[open.back()] = true;
    }
    if (annotation) open.push_back(i);
  }
  return host;
}

std::vector<Unit> hostUnits(const Trace& trace, TrackId track, TimeRange scope) {
  const HostSlices host = hostSlices(trace, track, scope);
  const SliceTable& slices = trace.slices;
  std::vector<Unit> units;
  std::int64_t coveredUntil = INT64_MIN;
  for (std::size_t i = 0; i < host.order.size(); ++i) {
    const SliceId slice = host.order[i];
    const std::int64_t start = slices.startNs[index(slice)];
    const std::int64_t duration = slices.durationNs[index(slice)];
    if (start < coveredUntil) continue;  // inside the unit before
    const bool isStage = slices.categoryClass[index(slice)] == CategoryClass::kUserAnnotation;
    if (isStage) {
      const bool whole =
          static_cast<double>(duration) >= kSeenThroughShare * static_cast<double>(host.enclosing[i].durationNs());
      if (isStep(trace.name(slice)) || host.holdsAnnotation[i] || whole) continue;
    }
    units.push_back({trace.name(slice), {start, start + duration}, duration, {slice}, isStage});
    coveredUntil = start + duration;
  }
  return units;
}

// Kernels of a stream in order of start, those launched under one host unit together.
std::vector<Unit> deviceUnits(const Trace& trace, TrackId track, TimeRange scope) {
  std::unordered_map<std::uint32_t, std::vector<Unit>> hosts;  // by thread: its units over the whole trace
  const auto hostUnitOf = [&](SliceId launch) -> const Unit* {
    if (launch == kNoSlice) return nullptr;
    const TrackId thread = trace.slices.track[index(launch)];
    auto known = hosts.find(static_cast<std::uint32_t>(thread));
    if (known == hosts.end()) {
      known = hosts.emplace(static_cast<std::uint32_t>(thread), hostUnits(trace, thread, TimeRange::all())).first;
    }
    const std::int64_t at = trace.slices.startNs[index(launch)];
    const auto after = std::upper_bound(known->second.begin(), known->second.end(), at,
                                        [](std::int64_t ns, const Unit& unit) { return ns < unit.range.startNs; });
    if (after == known->second.begin()) return nullptr;
    const Unit& unit = *(after - 1);
    return at < unit.range.endNs || at == unit.range.startNs ? &unit : nullptr;
  };
  std::vector<std::pair<SliceId, SliceId>> work;  // device slice, the host slice it came from
  for (std::size_t i = 0; i < trace.deviceWork.size(); ++i) {
    const SliceId slice = trace.deviceWork.slice[i];
    if (trace.slices.track[index(slice)] != track || !scope.contains(trace.slices.startNs[index(slice)])) continue;
    if (trace.slices.categoryClass[index(slice)] == CategoryClass::kSynchronisation) continue;
    const SliceId launch = trace.deviceWork.launch[i];
    work.emplace_back(slice, launch == kNoSlice ? trace.deviceWork.launchOperator[i] : launch);
  }
  std::stable_sort(work.begin(), work.end(), [&trace](const auto& a, const auto& b) {
    return trace.slices.startNs[index(a.first)] < trace.slices.startNs[index(b.first)];
  });
  std::vector<Unit> units;
  const Unit* current = nullptr;
  for (const auto& [slice, launch] : work) {
    const Unit* host = hostUnitOf(launch);
    const std::int64_t start = trace.slices.startNs[index(slice)];
    const std::int64_t end = trace.slices.endNs(slice);
    if (units.empty() || host == nullptr || host != current) {
      units.push_back({host ? host->name : trace.name(slice), {start, end}, 0, {}, host && host->isStage});
    }
    current = host;
    Unit& unit = units.back();
    unit.range.endNs = std::max(unit.range.endNs, end);
    unit.workNs += end - start;
    unit.slices.push_back(slice);
  }
  return units;
}

std::vector<Unit> unitsOf(const SeamTrack& side) {
  if (!side.trace || side.track == kNoTrack) return {};
  const bool device = side.trace->tracks[index(side.track)].kind == TrackKind::kStream;
  return device ? deviceUnits(*side.trace, side.track, side.scope) : hostUnits(*side.trace, side.track, side.scope);
}

std::vector<std::uint32_t> keysOf(const std::vector<Unit>& units,
                                  std::unordered_map<std::string_view, std::uint32_t>& ids) {
  std::vector<std::uint32_t> keys;
  keys.reserve(units.size());
  for (const Unit& unit : units)
    keys.push_back(ids.emplace(unit.name, static_cast<std::uint32_t>(ids.size())).first->second);
  return keys;
}

// Units [first, last) of a side as one; a place without length where there are none.
SeamSide sideOf(const std::vector<Unit>& units, std::size_t first, std::size_t last) {
  SeamSide side;
  if (first == last) {
    const std::int64_t at = first > 0 ? units[first - 1].range.endNs : units.empty() ? 0 : units[0].range.startNs;
    side.range = {at, at};
    return side;
  }
  side.range = units[first].range;
  for (std::size_t i = first; i < last; ++i) {
    side.range.endNs = std::max(side.range.endNs, units[i].range.endNs);
    side.workNs += units[i].workNs;
    side.slices.insert(side.slices.end(), units[i].slices.begin(), units[i].slices.end());
  }
  return side;
}

// A stage is named as the compared row names it.
std::string wordsOf(const Unit& unit) { return unit.isStage ? stageWords(unit.name) : std::string(unit.name); }

std::string titleOf(const std::vector<Unit>& base, std::size_t baseFirst, std::size_t baseLast,
                    const std::vector<Unit>& other, std::size_t otherFirst, std::size_t otherLast) {
  if (otherLast - otherFirst == 1) return wordsOf(other[otherFirst]);
  if (baseLast - baseFirst == 1) return wordsOf(base[baseFirst]);
  const std::span<const Unit> units = baseLast > baseFirst
                                          ? std::span(base).subspan(baseFirst, baseLast - baseFirst)
                                          : std::span(other).subspan(otherFirst, otherLast - otherFirst);
  // Where stages are among them, the reshapes between those say nothing.
  const auto isStage = [](const Unit& unit) { return unit.isStage; };
  const auto firstStage = std::find_if(units.begin(), units.end(), isStage);
  const Unit& first = firstStage != units.end() ? *firstStage : units.front();
  const Unit& last = firstStage != units.end() ? *std::find_if(units.rbegin(), units.rend(), isStage) : units.back();
  return first.name == last.name ? wordsOf(first) : wordsOf(first) + " … " + wordsOf(last);
}

}  // namespace

std::vector<SeamLink> seamLinks(const SeamTrack& base, const SeamTrack& other) {
  const std::vector<Unit> baseUnits = unitsOf(base);
  const std::vector<Unit> otherUnits = unitsOf(other);
  std::unordered_map<std::string_view, std::uint32_t> ids;
  const std::vector<std::uint32_t> baseKeys = keysOf(baseUnits, ids);
  const std::vector<std::uint32_t> otherKeys = keysOf(otherUnits, ids);

  std::vector<SeamLink> links;
  std::size_t i = 0;
  std::size_t j = 0;
  const auto closeGap = [&](std::size_t baseEnd, std::size_t otherEnd) {
    if (i == baseEnd && j == otherEnd) return;
    SeamLink link;
    link.title = titleOf(baseUnits, i, baseEnd, otherUnits, j, otherEnd);
    link.match = i == baseEnd ? MatchKind::kOnlyOther : j == otherEnd ? MatchKind::kOnlyBase : MatchKind::kRole;
    link.base = sideOf(baseUnits, i, baseEnd);
    link.other = sideOf(otherUnits, j, otherEnd);
    links.push_back(std::move(link));
    i = baseEnd;
    j = otherEnd;
  };
  for (const auto& [a, b] : alignSequences(baseKeys, otherKeys)) {
    closeGap(a, b);
    links.push_back(
        {wordsOf(baseUnits[a]), MatchKind::kExact, sideOf(baseUnits, a, a + 1), sideOf(otherUnits, b, b + 1)});
    i = a + 1;
    j = b + 1;
  }
  closeGap(baseUnits.size(), otherUnits.size());
  return links;
}

}  // namespace attnscope
