// SPDX-License-Identifier: Apache-2.0
#pragma once

// A look inside one call of an own kernel: what each worker did, tile by tile, as slices of the trace that is recorded.
// The calls are made for it, by the kernels' watched build, after everything that is timed or recorded: no figure of a
// comparison comes from them.
//
// Slices have the category "tile" and stand on a track for each worker: "pack", "scores", "softmax", "weighted_sum",
// "write", "merge", inside one "inside view". Their args: q0, q1 (queries [q0, q1)), k0, k1 (keys), head (of keys),
// sequence, row0, rows (row = query x group + head in group); of a softmax also max and sum, a list of its rows'
// largest scores and sums of exp(score - largest) over the keys so far, null where a row has seen none. The args of
// "inside view": what all have in common, how many slices there are and should be, how much of the worker's time they
// cover, and what watching costs.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/engine/kernels/AttentionKernel.h"

namespace attnscope::engine {

struct WatchedAttention {
  kernels::WatchedCall call;
  std::int64_t expectedSteps = 0;  // by TileCount.h
  int workers = 1;
  std::int64_t group = 1;  // query heads of a key head
  std::int64_t queries = 0;
  std::int64_t keys = 0;
};

// What an implementation offers that can be looked into. One thread at a time.
class Inside {
 public:
  Inside() = default;
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
  virtual ~Inside() = default;
  // Why its calls cannot be recorded tile by tile; none: they can.
  [[nodiscard]] virtual std::optional<std::string> refusal() const = 0;
  // The next call is made by the watched build; room for what it records is made here.
  virtual void watchNextCall() = 0;
  // Of the last call that was watched.
  [[nodiscard]] virtual const WatchedAttention& watched() const = 0;
};

// More slices than this are not recorded: a trace of 200,000 is 40 MB and opens at once.
inline constexpr std::int64_t kMostTileSlices = 200'000;
// Rows of all softmax slices whose largest scores and sums are kept; those of later items are left out.
inline constexpr std::int64_t kMostRowStates = 250'000;

struct InsideView {
  WatchedAttention attention;
  // A watched call's time over an ordinary one's, less 1: the least of some of each. With one worker its CPU time, with
  // more wall time.
  double cost = 0;
};
// Makes `pairs` (1 or more) watched calls and as many ordinary ones in turns, and tells of the first. `call` is one
// call of the implementation.
[[nodiscard]] InsideView lookInside(const std::function<void()>& call, Inside& inside, int pairs);

// The share of a worker's time, from its first step to its last, that lies in steps: by worker, 0 for one without any.
[[nodiscard]] std::vector<double> coveredShares(const WatchedAttention& attention);

// Events of a Chrome trace without the brackets around them, each with a comma behind it; times are counted from
// `baseNs`, and the tracks are those of process `pid`.
[[nodiscard]] std::string traceEventsOf(const InsideView& view, std::int64_t baseNs, int pid);
// The same where there is none: one instant that says why.
[[nodiscard]] std::string traceEventsOf(const std::string& refusal, std::int64_t timeNs, std::int64_t baseNs, int pid);

}  // namespace attnscope::engine
