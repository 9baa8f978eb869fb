// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/SliceAggregate.h"

#include <algorithm>

#include "core/analysis/Averages.h"

namespace attnscope {

namespace {

bool isDeviceWork(CategoryClass category) {
  return category == CategoryClass::kKernel || category == CategoryClass::kGpuMemcpy ||
         category == CategoryClass::kGpuMemset;
}

// Of a share of a half or more, after medianOf(): only what that left above the middle is looked at.
std::int64_t nearestRank(std::vector<std::int64_t>& values, double share) {
  const auto count = static_cast<double>(values.size());
  auto rank = static_cast<std::size_t>(share * count);
  if (static_cast<double>(rank) < share * count) ++rank;
  const std::size_t middle = values.size() / 2;
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(std::max(rank, middle + 1) - 1);
  std::nth_element(values.begin() + static_cast<std::ptrdiff_t>(middle), at, values.end());
  return *at;
}

// Reorders the values.
std::int64_t medianOf(std::vector<std::int64_t>& values) {
  const auto upper = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), upper, values.end());
  if (values.size() % 2 == 1) return *upper;
  return halfUp(__int128_t{*std::max_element(values.begin(), upper)} + *upper, 2);
}

}  // namespace

SliceAggregate::SliceAggregate(const Trace& trace, AggregateBy by)
    : m_trace(trace), m_by(by), m_groupOf(trace.strings.size(), kNone) {}

SliceId SliceAggregate::operatorOf(SliceId slice) const {
  const SliceTable& table = m_trace.slices;
  if (isDeviceWork(table.categoryClass[index(slice)])) {
    const auto row = m_trace.deviceWork.find(slice);
    return row ? m_trace.deviceWork.launchOperator[*row] : kNoSlice;
  }
  while (slice != kNoSlice && table.categoryClass[index(slice)] != CategoryClass::kCpuOperator) {
    slice = table.parent[index(slice)];
  }
  return slice;
}

StringId SliceAggregate::keyOf(SliceId slice) const {
  switch (m_by) {
    case AggregateBy::kCategory:
      return m_trace.slices.category[index(slice)];
    case AggregateBy::kOperator: {
      const SliceId in = operatorOf(slice);
      return in == kNoSlice ? kNoString : m_trace.slices.name[index(in)];
    }
    case AggregateBy::kName:
    case AggregateBy::kKernel:
      break;
  }
  return m_trace.slices.name[index(slice)];
}

bool SliceAggregate::isLeftOut(SliceId slice) const {
  return m_by == AggregateBy::kKernel && !isDeviceWork(m_trace.slices.categoryClass[index(slice)]);
}

SliceAggregate::Group& SliceAggregate::groupOf(StringId key) {
  std::uint32_t& at = key == kNoString ? m_withoutKey : m_groupOf[index(key)];
  if (at == kNone) {
    at = static_cast<std::uint32_t>(m_groups.size());
    m_groups.emplace_back().sums.key = key;
  }
  return m_groups[at];
}

// Each row below is walked from where the slice before left it. A row without a slice in the range ends the search:
// nothing lies deeper without something above it.
std::int64_t SliceAggregate::childrenNs(SliceId slice) {
  const SliceTable& table = m_trace.slices;
  const Track& track = m_trace.tracks[index(table.track[index(slice)])];
  const std::uint16_t depth = table.depth[index(slice)];
  if (table.track[index(slice)] != m_track || depth != m_depth) {
    m_track = table.track[index(slice)];
    m_depth = depth;
    m_cursors.clear();
    for (const RowSpan& row : track.rows) m_cursors.push_back(row.first);
  }
  const std::int64_t start = table.startNs[index(slice)];
  const std::int64_t end = table.endNs(slice);
  std::int64_t sum = 0;
  for (std::size_t below = depth + std::size_t{1}; below < track.rows.size(); ++below) {
    const std::uint32_t last = track.rows[below].first + track.rows[below].count;
    std::uint32_t& at = m_cursors[below];
    const auto isBefore = [&](std::uint32_t other) {
      return table.startNs[other] + std::max<std::int64_t>(table.durationNs[other], 1) <= start;
    };
    // By steps that double, then back: next to it where every slice is asked for, far where few are.
    std::uint32_t step = 1;
    while (at < last && isBefore(at)) {
      const std::uint32_t next = last - at > step ? at + step : last;
      if (next < last && isBefore(next)) {
        at = next;
        step *= 2;
      } else if (step > 1) {
        step = 1;
      } else {
        ++at;
      }
    }
    if (at == last || table.startNs[at] >= std::max(end, start + 1)) break;
    for (std::uint32_t child = at; child < last && table.startNs[child] < end; ++child) {
      if (table.parent[child] == slice) sum += table.durationNs[child];
    }
  }
  return sum;
}

void SliceAggregate::add(std::span<const SliceId> slices) {
  const SliceTable& table = m_trace.slices;
  for (const SliceId slice : slices) {
    if (isLeftOut(slice)) continue;
    const std::int64_t duration = table.durationNs[index(slice)];
    Group& group = groupOf(keyOf(slice));
    AggregateRow& sums = group.sums;
    if (sums.count == 0) {
      sums.kind = table.kind[index(slice)];
      sums.minNs = sums.maxNs = duration;
      sums.longest = slice;
    }
    if (duration > sums.maxNs) {
      sums.maxNs = duration;
      sums.longest = slice;
    }
    sums.minNs = std::min(sums.minNs, duration);
    ++sums.count;
    sums.totalNs += duration;
    sums.selfNs += duration - childrenNs(slice);
    group.durations.push_back(duration);
    group.slices.push_back(slice);
    ++m_count;
    m_totalNs += duration;
  }
}

std::vector<AggregateRow> SliceAggregate::rows() const {
  std::vector<AggregateRow> rows;
  rows.reserve(m_groups.size());
  std::vector<std::int64_t> durations;
  for (const Group& group : m_groups) {
    AggregateRow row = group.sums;
    durations = group.durations;
    row.meanNs = halfUp(row.totalNs, static_cast<std::int64_t>(row.count));
    row.medianNs = medianOf(durations);
    row.p95Ns = nearestRank(durations, 0.95);
    rows.push_back(row);
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const AggregateRow& a, const AggregateRow& b) { return a.totalNs > b.totalNs; });
  return rows;
}

const SliceAggregate::Group* SliceAggregate::find(StringId key) const {
  const std::uint32_t at = key == kNoString                ? m_withoutKey
                           : index(key) < m_groupOf.size() ? m_groupOf[index(key)]
                                                           : kNone;
  return at == kNone ? nullptr : &m_groups[at];
}

std::span<const std::int64_t> SliceAggregate::durations(StringId key) const {
  const Group* group = find(key);
  return group ? std::span<const std::int64_t>(group->durations) : std::span<const std::int64_t>();
}

std::span<const SliceId> SliceAggregate::slices(StringId key) const {
  const Group* group = find(key);
  return group ? std::span<const SliceId>(group->slices) : std::span<const SliceId>();
}

}  // namespace attnscope
