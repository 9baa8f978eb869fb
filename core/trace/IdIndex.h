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
  void add(std::int64_t id, std::uint32_t slice) { m_entries.emplace_back(id, slice); }

  void build() {
    if (m_entries.empty()) return;
    const auto less = [](const Entry& a, const Entry& b) { return a.first < b.first; };
    const auto [low, high] = std::minmax_element(m_entries.begin(), m_entries.end(), less);
    m_low = low->first;
    const std::uint64_t span = static_cast<std::uint64_t>(high->first) - static_cast<std::uint64_t>(m_low) + 1;
    if (span == 0 || span > m_entries.size() * 8 + 1024) {
      std::stable_sort(m_entries.begin(), m_entries.end(), less);
      m_slices.reserve(m_entries.size());
      for (const Entry& entry : m_entries) m_slices.push_back(entry.second);
      return;
    }
    m_first.assign(span + 1, 0);
    for (const Entry& entry : m_entries) ++m_first[offset(entry.first) + 1];
    for (std::size_t i = 1; i < m_first.size(); ++i) m_first[i] += m_first[i - 1];
    std::vector<std::uint32_t> next(m_first.begin(), m_first.end() - 1);
    m_slices.resize(m_entries.size());
    for (const Entry& entry : m_entries) m_slices[next[offset(entry.first)]++] = entry.second;
    m_entries = std::vector<Entry>();
  }

  // Slices of the id, in the order in which they were added, or that of sortLarge().
  [[nodiscard]] std::span<const std::uint32_t> of(std::int64_t id) const {
    if (!m_first.empty()) {
      if (id < m_low || offset(id) + 1 >= m_first.size()) return {};
      return std::span(m_slices).subspan(m_first[offset(id)], m_first[offset(id) + 1] - m_first[offset(id)]);
    }
    const auto begin = std::lower_bound(m_entries.begin(), m_entries.end(), id,
                                        [](const Entry& entry, std::int64_t value) { return entry.first < value; });
    const auto end = std::upper_bound(begin, m_entries.end(), id,
                                      [](std::int64_t value, const Entry& entry) { return value < entry.first; });
    return std::span(m_slices).subspan(static_cast<std::size_t>(begin - m_entries.begin()),
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
    for (std::size_t begin = 0; begin < m_entries.size();) {
      std::size_t end = begin + 1;
      while (end < m_entries.size() && m_entries[end].first == m_entries[begin].first) ++end;
      sortSpan(begin, end);
      begin = end;
    }
  }

 private:
  using Entry = std::pair<std::int64_t, std::uint32_t>;
  [[nodiscard]] std::size_t offset(std::int64_t id) const {
    return static_cast<std::size_t>(static_cast<std::uint64_t>(id) - static_cast<std::uint64_t>(m_low));
  }

  std::vector<Entry> m_entries;
  std::vector<std::uint32_t> m_first;
  std::vector<std::uint32_t> m_slices;
  std::int64_t m_low = 0;
};

}  // namespace attnscope
