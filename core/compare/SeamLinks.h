// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the ribbons at the seam join: stretches of work on the compared tracks of two runs, matched in order.
// A unit is an outermost annotation or operator inside the steps of a host track, or the consecutive kernels of one
// such unit on a device stream. Units are aligned by name as a sequence (longest common subsequence); between matched
// neighbours, work that both sides have under other names is one link of match kRole (many to one), work of one
// side alone is kOnlyBase or kOnlyOther. The amounts sum to the work of the tracks' units in scope.
// An annotation is seen through where it holds other annotations or spans most of what encloses it, so that the units
// are the stages of a step and not the step.
// Pure function, any thread; O((n + m) * d) for d differences, bounded: beyond 2,000 differences only equal beginnings
// and ends are matched, and the middle is one link.

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/TimeRange.h"
#include "core/compare/Comparison.h"

namespace attnscope {

struct SeamSide {
  TimeRange range;              // own time; where `slices` is empty: start == end, the place in the order
  std::int64_t workNs = 0;      // sum of the slices' durations (device), or of the units' durations (host)
  std::vector<SliceId> slices;  // units' slices on the compared track, in order of start
};

struct SeamLink {
  std::string title;  // the unit's name, or "Scores … Weighted sum" of several
  MatchKind match = MatchKind::kExact;
  SeamSide base;
  SeamSide other;
  [[nodiscard]] std::int64_t deltaNs() const { return other.workNs - base.workNs; }
};

struct SeamTrack {
  const Trace* trace = nullptr;
  TrackId track = kNoTrack;
  TimeRange scope = TimeRange::all();
};

[[nodiscard]] std::vector<SeamLink> seamLinks(const SeamTrack& base, const SeamTrack& other);

}  // namespace attnscope
