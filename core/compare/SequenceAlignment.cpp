// SPDX-License-Identifier: Apache-2.0
#include "core/compare/SequenceAlignment.h"

#include <algorithm>

namespace attnscope {

namespace {

using Keys = std::span<const std::uint32_t>;

// A part of both sequences: positions [fromA, toA) and [fromB, toB).
struct Part {
  std::int32_t fromA, toA, fromB, toB;
};
struct Point {
  std::int32_t a, b;
};

class Aligner {
 public:
  Aligner(Keys a, Keys b, std::int32_t maxDifferences, const std::stop_token& stop)
      : m_a(a),
        m_b(b),
        m_maxDifferences(std::max(maxDifferences, 1)),
        m_stop(stop),
        m_forward(a.size() + b.size() + 3),
        m_backward(a.size() + b.size() + 3) {}

  SequenceMatches run() {
    align({0, static_cast<std::int32_t>(m_a.size()), 0, static_cast<std::int32_t>(m_b.size())});
    return std::move(m_matches);
  }

 private:
  void align(Part part);
  [[nodiscard]] Point meetingPoint(const Part& part);
  [[nodiscard]] bool stepForward(const Part& part, std::int32_t step, Point& met);
  [[nodiscard]] bool stepBackward(const Part& part, std::int32_t step, Point& met);
  [[nodiscard]] Point furthest(const Part& part, std::int32_t step);

  [[nodiscard]] bool equal(std::int32_t a, std::int32_t b) const {
    return m_a[static_cast<std::size_t>(a)] == m_b[static_cast<std::size_t>(b)];
  }
  void match(std::int32_t a, std::int32_t b) {
    m_matches.emplace_back(static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b));
  }
  // Position reached in `a` on diagonal a - b.
  std::int32_t& forward(std::int32_t diagonal) { return m_forward[place(diagonal)]; }
  std::int32_t& backward(std::int32_t diagonal) { return m_backward[place(diagonal)]; }
  [[nodiscard]] std::size_t place(std::int32_t diagonal) const {
    return static_cast<std::size_t>(diagonal + static_cast<std::int32_t>(m_b.size()) + 1);
  }
  // Diagonals that `step` steps from the corner `middle` can be on and that lie inside the part: first to last, every
  // second one.
  struct Band {
    std::int32_t first, last;
  };
  static Band band(const Part& part, std::int32_t middle, std::int32_t step) {
    const std::int32_t least = part.fromA - part.toB;
    const std::int32_t most = part.toA - part.fromB;
    Band band{middle - step, middle + step};
    if (band.first < least) band.first = least + ((least - band.first) & 1);
    if (band.last > most) band.last = most - ((band.last - most) & 1);
    return band;
  }

  Keys m_a;
  Keys m_b;
  std::int32_t m_maxDifferences;
  const std::stop_token& m_stop;
  std::vector<std::int32_t> m_forward;
  std::vector<std::int32_t> m_backward;
  SequenceMatches m_matches;
};

void Aligner::align(Part part) {
  while (part.fromA < part.toA && part.fromB < part.toB && equal(part.fromA, part.fromB)) {
    match(part.fromA++, part.fromB++);
  }
  std::int32_t tail = 0;
  while (part.fromA < part.toA && part.fromB < part.toB && equal(part.toA - 1, part.toB - 1)) {
    --part.toA;
    --part.toB;
    ++tail;
  }
  if (part.fromA < part.toA && part.fromB < part.toB && !m_stop.stop_requested()) {
    const Point point = meetingPoint(part);
    align({part.fromA, point.a, part.fromB, point.b});
    align({point.a, part.toA, point.b, part.toB});
  }
  for (std::int32_t i = 0; i < tail; ++i) match(part.toA + i, part.toB + i);
}

// A point of a shortest path, strictly between the corners: neither side is empty and the corners differ.
Point Aligner::meetingPoint(const Part& part) {
  forward(part.fromA - part.fromB) = part.fromA;
  backward(part.toA - part.toB) = part.toA;
  Point met{};
  for (std::int32_t step = 1;; ++step) {
    if (stepForward(part, step, met) || stepBackward(part, step, met)) return met;
    if (step >= m_maxDifferences || m_stop.stop_requested()) return furthest(part, step);
  }
}

bool Aligner::stepForward(const Part& part, std::int32_t step, Point& met) {
  const std::int32_t start = part.fromA - part.fromB;
  const std::int32_t end = part.toA - part.toB;
  const auto [firstBefore, lastBefore] = band(part, start, step - 1);
  const auto [firstOther, lastOther] = band(part, end, step - 1);
  const bool mayMeet = ((end - start) & 1) != 0;  // paths of different parity are never on one diagonal
  const auto [first, last] = band(part, start, step);
  for (std::int32_t diagonal = first; diagonal <= last; diagonal += 2) {
    const bool hasBelow = diagonal - 1 >= firstBefore && diagonal - 1 <= lastBefore;
    const bool hasAbove = diagonal + 1 >= firstBefore && diagonal + 1 <= lastBefore;
    std::int32_t a = hasBelow ? forward(diagonal - 1) + 1 : INT32_MIN;
    if (hasAbove) a = std::max(a, forward(diagonal + 1));
    a = std::min({a, part.toA, part.toB + diagonal});
    while (a < part.toA && a - diagonal < part.toB && equal(a, a - diagonal)) ++a;
    forward(diagonal) = a;
    if (mayMeet && diagonal >= firstOther && diagonal <= lastOther && backward(diagonal) <= a) {
      met = {a, a - diagonal};
      return true;
    }
  }
  return false;
}

bool Aligner::stepBackward(const Part& part, std::int32_t step, Point& met) {
  const std::int32_t start = part.toA - part.toB;
  const std::int32_t end = part.fromA - part.fromB;
  const auto [firstBefore, lastBefore] = band(part, start, step - 1);
  const auto [firstOther, lastOther] = band(part, end, step);
  const bool mayMeet = ((end - start) & 1) == 0;
  const auto [first, last] = band(part, start, step);
  for (std::int32_t diagonal = first; diagonal <= last; diagonal += 2) {
    const bool hasBelow = diagonal - 1 >= firstBefore && diagonal - 1 <= lastBefore;
    const bool hasAbove = diagonal + 1 >= firstBefore && diagonal + 1 <= lastBefore;
    std::int32_t a = hasAbove ? backward(diagonal + 1) - 1 : INT32_MAX;
    if (hasBelow) a = std::min(a, backward(diagonal - 1));
    a = std::max({a, part.fromA, part.fromB + diagonal});
    while (a > part.fromA && a - diagonal > part.fromB && equal(a - 1, a - diagonal - 1)) --a;
    backward(diagonal) = a;
    if (mayMeet && diagonal >= firstOther && diagonal <= lastOther && forward(diagonal) >= a) {
      met = {a, a - diagonal};
      return true;
    }
  }
  return false;
}

// Of all that was reached from either corner, the point furthest from it.
Point Aligner::furthest(const Part& part, std::int32_t step) {
  Point best{part.fromA, part.fromB};
  std::int32_t gained = 0;
  const auto [first, last] = band(part, part.fromA - part.fromB, step);
  for (std::int32_t diagonal = first; diagonal <= last; diagonal += 2) {
    const Point point{forward(diagonal), forward(diagonal) - diagonal};
    const std::int32_t gain = point.a - part.fromA + point.b - part.fromB;
    if (gain > gained) gained = gain, best = point;
  }
  const auto [firstBack, lastBack] = band(part, part.toA - part.toB, step);
  for (std::int32_t diagonal = firstBack; diagonal <= lastBack; diagonal += 2) {
    const Point point{backward(diagonal), backward(diagonal) - diagonal};
    const std::int32_t gain = part.toA - point.a + part.toB - point.b;
    if (gain > gained) gained = gain, best = point;
  }
  return best;
}

}  // namespace

SequenceMatches alignSequences(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b,
                               std::int32_t maxDifferences, const std::stop_token& stop) {
  return Aligner(a, b, maxDifferences, stop).run();
}

}  // namespace attnscope
