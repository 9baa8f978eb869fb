// SPDX-License-Identifier: Apache-2.0
#include "core/compare/SequenceAlignment.h"

#include <algorithm>

namespace attnscope {

namespace {

using Matches = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

// The middle, which differs at both ends. Appends its matches; false when there are too many differences.
bool alignMiddle(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b, std::uint32_t offset,
                 std::int32_t maxDifferences, Matches& matches) {
  const auto n = static_cast<std::int32_t>(a.size());
  const auto m = static_cast<std::int32_t>(b.size());
  const std::int32_t limit = std::min(n + m, maxDifferences);
  const auto width = static_cast<std::size_t>(2 * limit + 3);
  std::vector<std::int32_t> furthest(width, 0);    // x reached on each diagonal k, at index k + limit + 1
  std::vector<std::vector<std::int32_t>> history;  // rows of `furthest` before each d, diagonals -d..d
  const auto at = [limit](std::int32_t k) { return static_cast<std::size_t>(k + limit + 1); };
  std::int32_t found = -1;
  for (std::int32_t d = 0; d <= limit && found < 0; ++d) {
    history.emplace_back(furthest.begin() + (limit + 1 - d - 1), furthest.begin() + (limit + 1 + d + 2));
    for (std::int32_t k = -d; k <= d; k += 2) {
      const bool down = k == -d || (k != d && furthest[at(k - 1)] < furthest[at(k + 1)]);
      std::int32_t x = down ? furthest[at(k + 1)] : furthest[at(k - 1)] + 1;
      std::int32_t y = x - k;
      while (x < n && y < m && a[static_cast<std::size_t>(x)] == b[static_cast<std::size_t>(y)]) ++x, ++y;
      furthest[at(k)] = x;
      if (x >= n && y >= m) {
        found = d;
        break;
      }
    }
  }
  if (found < 0) return false;
  // Back from the end: each step undoes one insertion or deletion and the equal run after it.
  std::int32_t x = n;
  std::int32_t y = m;
  const std::size_t firstMatch = matches.size();
  for (std::int32_t d = found; d >= 0; --d) {
    const std::vector<std::int32_t>& row = history[static_cast<std::size_t>(d)];
    const auto rowAt = [d](std::int32_t k) { return static_cast<std::size_t>(k + d + 1); };
    const std::int32_t k = x - y;
    const bool down = k == -d || (k != d && row[rowAt(k - 1)] < row[rowAt(k + 1)]);
    const std::int32_t fromX = d == 0 ? 0 : down ? row[rowAt(k + 1)] : row[rowAt(k - 1)];
    const std::int32_t fromY = d == 0 ? 0 : down ? fromX - (k + 1) : fromX - (k - 1);
    const std::int32_t runX = d == 0 ? 0 : down ? fromX : fromX + 1;  // where the equal run begins
    while (x > runX) {
      --x, --y;
      matches.emplace_back(static_cast<std::uint32_t>(x) + offset, static_cast<std::uint32_t>(y) + offset);
    }
    x = fromX;
    y = fromY;
  }
  std::reverse(matches.begin() + static_cast<std::ptrdiff_t>(firstMatch), matches.end());
  return true;
}

}  // namespace

std::vector<std::pair<std::uint32_t, std::uint32_t>> alignSequences(std::span<const std::uint32_t> a,
                                                                    std::span<const std::uint32_t> b,
                                                                    std::int32_t maxDifferences) {
  Matches matches;
  const std::size_t shorter = std::min(a.size(), b.size());
  std::size_t head = 0;
  while (head < shorter && a[head] == b[head]) ++head;
  std::size_t tail = 0;
  while (tail < shorter - head && a[a.size() - 1 - tail] == b[b.size() - 1 - tail]) ++tail;
  for (std::size_t i = 0; i < head; ++i) {
    matches.emplace_back(static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(i));
  }
  alignMiddle(a.subspan(head, a.size() - head - tail), b.subspan(head, b.size() - head - tail),
              static_cast<std::uint32_t>(head), maxDifferences, matches);
  for (std::size_t i = tail; i > 0; --i) {
    matches.emplace_back(static_cast<std::uint32_t>(a.size() - i), static_cast<std::uint32_t>(b.size() - i));
  }
  return matches;
}

}  // namespace attnscope
