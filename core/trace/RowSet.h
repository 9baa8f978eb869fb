// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which rows of a table are in a set, and the how manieth of the set each is: a bit a row and a count each 64 rows, so
// that a look-up stays in the cache. Built by one thread in order, then read by any number.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace attnscope {

class RowSet {
 public:
  explicit RowSet(std::size_t rows) : m_words((rows + 63) / 64, 0) {}

  void add(std::size_t row) { m_words[row / 64] |= std::uint64_t{1} << (row % 64); }
  // Once all are added.
  void count() {
    m_before.reserve(m_words.size());
    std::uint32_t sum = 0;
    for (const std::uint64_t word : m_words) {
      m_before.push_back(sum);
      sum += static_cast<std::uint32_t>(std::popcount(word));
    }
  }

  [[nodiscard]] bool has(std::size_t row) const { return (m_words[row / 64] >> (row % 64) & 1) != 0; }
  // How many of the set come before the row.
  [[nodiscard]] std::uint32_t before(std::size_t row) const {
    const std::uint64_t below = m_words[row / 64] & ((std::uint64_t{1} << (row % 64)) - 1);
    return m_before[row / 64] + static_cast<std::uint32_t>(std::popcount(below));
  }

 private:
  std::vector<std::uint64_t> m_words;
  std::vector<std::uint32_t> m_before;
};

}  // namespace attnscope
