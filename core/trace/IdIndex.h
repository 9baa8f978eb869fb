// SPDX-License-Identifier: Apache-2.0
#pragma once

// Slices by an id of theirs. Ids are mostly small and dense, so they are counted into place; far apart ones are sorted.
// Built by one thread, then read by any number. O(n) to build, or O(n log n); O(1) or O(log n) to look up.

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace attnscope {

class IdIndex {
 public:
  // Of the slices that are wanted; `ids` is a column of all.
  template <class Wanted>
  void build(std::span<const std::int64_t> ids, Wanted wanted) {
    const auto each = [&](auto take) {
      for (std::uint32_t slice = 0; slice < ids.size(); ++slice)
        if (wanted(slice)) take(ids[slice], slice);
    };
    std::int64_t high = INT64_MIN;
    std::uint64_t count = 0;
    m_low = INT64_MAX;
    each([&](std::int64_t id, std::uint32_t) {
      m_low = std::min(m_low, id);
      high = std::max(high, id);
      ++count;
    });
    if (count == 0) return;
    m_slices.resize(count);
    if (offset(high) < count * 8 + 1024) {
      // Counted two places on and placed one on, so that the counts end as the beginnings.
      m_first.assign(offset(high) + 3, 0);
      each([&](std::int64_t id, std::uint32_t) { ++m_first[offset(id) + 2]; });
      for (std::size_t i = 1; i < m_first.size(); ++i) m_first[i] += m_first[i - 1];
      each([&](std::int64_t id, std::uint32_t slice) { m_slices[m_first[offset(id) + 1]++] = slice; });
      m_first.pop_back();
      return;
    }
    std::vector<std::pair<std::int64_t, std::uint32_t>> entries;
    entries.reserve(count);
    each([&](std::int64_t id, std::uint32_t slice) { entries.emplace_back(id, slice); });
    std::sort(entries.begin(), entries.end());
    m_ids.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
      m_ids.push_back(entries[i].first);
      m_slices[i] = entries[i].second;
    }
  }

  // Slices of the id in their order, or in that of sortLarge().
  [[nodiscard]] std::span<const std::uint32_t> of(std::int64_t id) const {
    if (!m_first.empty()) {
      if (id < m_low || offset(id) + 1 >= m_first.size()) return {};
      return std::span(m_slices).subspan(m_first[offset(id)], m_first[offset(id) + 1] - m_first[offset(id)]);
    }
    const auto [begin, end] = std::equal_range(m_ids.begin(), m_ids.end(), id);
    return std::span(m_slices).subspan(static_cast<std::size_t>(begin - m_ids.begin()),
                                       static_cast<std::size_t>(end - begin));
  }

  // Sorts the slices of each id that has more than `many` of them.
  template <class Less>
  void sortLarge(std::size_t many, Less less) {
    const auto sortSpan = [&](std::size_t begin, std::size_t end) {
      if (end - begin > many) {
        std::sort(m_slices.begin() + static_cast<std::ptrdiff_t>(begin),
                  m_slices.begin() + static_cast<std::ptrdiff_t>(end), less);
      }
    };
    for (std::size_t i = 0; i + 1 < m_first.size(); ++i) sortSpan(m_first[i], m_first[i + 1]);
    for (std::size_t begin = 0; begin < m_ids.size();) {
      std::size_t end = begin + 1;
      while (end < m_ids.size() && m_ids[end] == m_ids[begin]) ++end;
      sortSpan(begin, end);
      begin = end;
    }
  }

 private:
  [[nodiscard]] std::size_t offset(std::int64_t id) const {
    return static_cast<std::size_t>(static_cast<std::uint64_t>(id) - static_cast<std::uint64_t>(m_low));
  }

  std::vector<std::uint32_t> m_first;  // by id less the lowest: its first slice in m_slices
  std::vector<std::int64_t> m_ids;     // where they are far apart: of each slice in m_slices
  std::vector<std::uint32_t> m_slices;
  std::int64_t m_low = 0;
};

}  // namespace attnscope
