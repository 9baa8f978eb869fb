// SPDX-License-Identifier: Apache-2.0
#pragma once

// Slices by an id of theirs. Ids are mostly small and dense, so they are counted into place; far apart ones are sorted.
// Built by one thread, then read by any number. O(n) to build, or O(n log n); O(1) or O(log n) to look up.

#include <algorithm>
#include <cstdint>
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
      return;
    }
    m_first.assign(span + 1, 0);
    for (const Entry& entry : m_entries) ++m_first[offset(entry.first) + 1];
    for (std::size_t i = 1; i < m_first.size(); ++i) m_first[i] += m_first[i - 1];
    std::vector<std::uint32_t> next(m_first.begin(), m_first.end() - 1);
    m_slices.resize(m_entries.size());
    for (const Entry& entry : m_entries) m_slices[next[offset(entry.first)]++] = entry.second;
    m_entries = {};
  }

  // Calls visit(slice) for each slice of the id, in the order in which they were added.
  template <class Visit>
  void forEach(std::int64_t id, Visit visit) const {
    if (!m_first.empty()) {
      if (id < m_low || offset(id) + 1 >= m_first.size()) return;
      for (std::uint32_t i = m_first[offset(id)]; i < m_first[offset(id) + 1]; ++i) visit(m_slices[i]);
      return;
    }
    auto it = std::lower_bound(m_entries.begin(), m_entries.end(), id,
                               [](const Entry& entry, std::int64_t value) { return entry.first < value; });
    for (; it != m_entries.end() && it->first == id; ++it) visit(it->second);
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
