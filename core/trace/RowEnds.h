// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where the last slice of each row of a track ends, while its slices are gone through by start: a row is taken as long
// as that end lies ahead, and free again afterwards. Groups of 16 rows carry their least and greatest end, groups of
// groups likewise, so that the questions take O(log rows); with up to 16 rows there are no groups. For one thread.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/trace/RawEvents.h"

namespace attnscope {

class RowEnds {
 public:
  struct Row {
    std::int64_t endNs = INT64_MIN;
    std::uint32_t item = kNone;  // the caller's number of that slice
  };

  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(m_rows.size()); }
  [[nodiscard]] const Row& operator[](std::uint32_t row) const { return m_rows[row]; }

  // A row that is one below the lowest so far is made.
  void take(std::uint32_t row, std::int64_t endNs, std::uint32_t item) {
    if (row == m_rows.size()) m_rows.emplace_back();
    m_rows[row] = {endNs, item};
    m_bottom = std::max(m_bottom, row + 1);
    if (m_rows.size() > kGroup) summarise(row);
  }

  // The lowest row that is taken at `ns`; kNone where none is. `ns` never goes back. O(1) amortised.
  [[nodiscard]] std::uint32_t lowestTaken(std::int64_t ns) {
    while (m_bottom > 0 && m_rows[m_bottom - 1].endNs <= ns) --m_bottom;
    return m_bottom - 1;  // kNone for 0
  }

  // The lowest row whose slice ends at `ns` or later; kNone where none does.
  [[nodiscard]] std::uint32_t lowestEndingFrom(std::int64_t ns) const {
    const auto endsFrom = [ns](const Span& group) { return group.greatest >= ns; };
    std::size_t begin = 0;
    std::size_t end = m_levels.empty() ? 0 : m_levels.back().size();
    for (std::size_t level = m_levels.size(); level-- > 0;) {
      while (end > begin && !endsFrom(m_levels[level][end - 1])) --end;
      if (end == begin) return kNone;
      begin = (end - 1) * kGroup;
      end = std::min(begin + kGroup, level == 0 ? m_rows.size() : m_levels[level - 1].size());
    }
    if (m_levels.empty()) end = m_rows.size();
    while (end > begin && m_rows[end - 1].endNs < ns) --end;
    return end == begin ? kNone : static_cast<std::uint32_t>(end - 1);
  }

  // The first row at `from` or below that is free at `ns`, which may be a new one.
  [[nodiscard]] std::uint32_t firstFree(std::uint32_t from, std::int64_t ns) const {
    std::size_t at = from;
    for (; at < m_rows.size(); ++at) {
      if (at % kGroup == 0 && at != from && !m_levels.empty()) break;
      if (m_rows[at].endNs <= ns) return static_cast<std::uint32_t>(at);
    }
    if (at >= m_rows.size()) return static_cast<std::uint32_t>(m_rows.size());
    // Up to the first group that has a free row, and down again.
    at /= kGroup;
    std::size_t level = 0;
    while (level < m_levels.size()) {
      const std::vector<Span>& groups = m_levels[level];
      while (at < groups.size() && groups[at].least > ns && (at + 1) % kGroup != 0) ++at;
      if (at < groups.size() && groups[at].least <= ns) break;
      at = at / kGroup + 1;
      ++level;
    }
    if (level == m_levels.size()) return static_cast<std::uint32_t>(m_rows.size());
    for (; level > 0; --level) {
      at *= kGroup;
      while (m_levels[level - 1][at].least > ns) ++at;
    }
    at *= kGroup;
    while (m_rows[at].endNs > ns) ++at;
    return static_cast<std::uint32_t>(at);
  }

 private:
  static constexpr std::size_t kGroup = 16;
  struct Span {
    std::int64_t least = INT64_MAX;
    std::int64_t greatest = INT64_MIN;
    bool operator==(const Span&) const = default;
  };

  [[nodiscard]] Span spanOf(std::size_t level, std::size_t group) const {
    Span span;
    const std::size_t size = level == 0 ? m_rows.size() : m_levels[level - 1].size();
    for (std::size_t at = group * kGroup; at < std::min(size, (group + 1) * kGroup); ++at) {
      const Span part = level == 0 ? Span{m_rows[at].endNs, m_rows[at].endNs} : m_levels[level - 1][at];
      span.least = std::min(span.least, part.least);
      span.greatest = std::max(span.greatest, part.greatest);
    }
    return span;
  }

  // The groups around a row, from the smallest up.
  void summarise(std::size_t at) {
    std::size_t below = m_rows.size();
    for (std::size_t level = 0; below > kGroup; ++level) {
      at /= kGroup;
      if (level == m_levels.size()) {
        m_levels.emplace_back();
        while (m_levels[level].size() * kGroup < below)
          m_levels[level].push_back(spanOf(level, m_levels[level].size()));
      } else if (at == m_levels[level].size()) {
        m_levels[level].push_back(spanOf(level, at));
      } else {
        const Span span = spanOf(level, at);
        if (span == m_levels[level][at]) return;
        m_levels[level][at] = span;
      }
      below = m_levels[level].size();
    }
  }

  std::vector<Row> m_rows;
  std::vector<std::vector<Span>> m_levels;
  std::uint32_t m_bottom = 0;  // no row at or below it is taken
};

}  // namespace attnscope
