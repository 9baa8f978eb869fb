// SPDX-License-Identifier: Apache-2.0
#pragma once

// On which track the operator of a process with an `External id` lies. Ids are mostly small and dense, so that they
// count into a table; far apart ones are hashed. Built by one thread.

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace attnscope {

class OperatorTracks {
 public:
  static constexpr std::uint32_t kNone = 0xFFFFFFFFu;

  // First all ids are counted, then they are added.
  void count(std::int64_t id) {
    m_low = std::min(m_low, id);
    m_high = std::max(m_high, id);
    ++m_count;
  }
  void count(const OperatorTracks& other) {
    m_low = std::min(m_low, other.m_low);
    m_high = std::max(m_high, other.m_high);
    m_count += other.m_count;
  }

  // Of several tracks of an id the first that is added stays.
  void add(std::int64_t id, std::uint32_t track) {
    if (m_tracks.empty() && m_hashed.empty()) {
      const std::uint64_t span = offset(m_high);
      if (span < m_count * 8 + 1024) m_tracks.assign(span + 1, kNone);
    }
    if (m_tracks.empty()) {
      m_hashed.emplace(id, track);
    } else if (std::uint32_t& known = m_tracks[offset(id)]; known == kNone) {
      known = track;
    }
  }

  // kNone: no operator has the id.
  [[nodiscard]] std::uint32_t of(std::int64_t id) const {
    if (m_tracks.empty()) {
      const auto found = m_hashed.find(id);
      return found == m_hashed.end() ? kNone : found->second;
    }
    return id < m_low || id > m_high ? kNone : m_tracks[offset(id)];
  }

 private:
  [[nodiscard]] std::uint64_t offset(std::int64_t id) const {
    return static_cast<std::uint64_t>(id) - static_cast<std::uint64_t>(m_low);
  }

  std::int64_t m_low = INT64_MAX;
  std::int64_t m_high = INT64_MIN;
  std::uint64_t m_count = 0;
  std::vector<std::uint32_t> m_tracks;
  std::unordered_map<std::int64_t, std::uint32_t> m_hashed;
};

}  // namespace attnscope
