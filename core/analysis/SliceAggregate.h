// SPDX-License-Identifier: Apache-2.0
#pragma once

// Any slices, summed by what they have in common: count, total, self time, spread. Slices are added in parts, so that
// a caller can show what there is so far. Not thread-safe; the trace outlives it.
// Self time is the duration less those of the slices drawn directly inside.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/trace/Trace.h"

namespace attnscope {

enum class AggregateBy : std::uint8_t {
  kName,
  kCategory,
  kOperator,  // the innermost cpu_op that the slice is, lies in, or was launched by; slices without one are a row
  kKernel,    // kernels, copies and memsets by name; other slices are left out
};

struct AggregateRow {
  StringId key = kNoString;            // a name or category; kNoString: slices that have none
  WorkKind kind = WorkKind::kUnknown;  // of the first
  std::uint64_t count = 0;
  std::int64_t totalNs = 0;
  std::int64_t selfNs = 0;
  std::int64_t minNs = 0;
  std::int64_t meanNs = 0;    // half up
  std::int64_t medianNs = 0;  // mean of the middle two, half up
  std::int64_t p95Ns = 0;     // nearest rank
  std::int64_t maxNs = 0;
  SliceId longest = kNoSlice;  // the first of the longest
};

class SliceAggregate {
 public:
  SliceAggregate(const Trace& trace, AggregateBy by);

  // Ascending, none twice, and none before those that were added. O(n log n) at most in the slices inside them.
  void add(std::span<const SliceId> slices);
  [[nodiscard]] std::uint64_t count() const { return m_count; }
  [[nodiscard]] std::int64_t totalNs() const { return m_totalNs; }
  // By total downwards, then in the order of first appearance. O(n) in what was added.
  [[nodiscard]] std::vector<AggregateRow> rows() const;
  // Durations of a row's slices, in the order in which they were added.
  [[nodiscard]] std::span<const std::int64_t> durations(StringId key) const;
  [[nodiscard]] std::span<const SliceId> slices(StringId key) const;

 private:
  struct Group {
    AggregateRow sums;
    std::vector<std::int64_t> durations;
    std::vector<SliceId> slices;
  };
  [[nodiscard]] StringId keyOf(SliceId slice) const;
  [[nodiscard]] bool isLeftOut(SliceId slice) const;
  [[nodiscard]] SliceId operatorOf(SliceId slice) const;
  [[nodiscard]] const Group* find(StringId key) const;
  Group& groupOf(StringId key);
  std::int64_t childrenNs(SliceId slice);

  static constexpr std::uint32_t kNone = 0xFFFFFFFFu;

  const Trace& m_trace;
  AggregateBy m_by;
  std::vector<std::uint32_t> m_groupOf;  // by StringId; kNone
  std::uint32_t m_withoutKey = kNone;
  std::vector<Group> m_groups;
  std::uint64_t m_count = 0;
  std::int64_t m_totalNs = 0;
  // Where the search for children goes on: slices come in the order of their row, and so do those below.
  TrackId m_track = kNoTrack;
  std::uint16_t m_depth = 0;
  std::vector<std::uint32_t> m_cursors;  // by depth of the track
};

}  // namespace attnscope
