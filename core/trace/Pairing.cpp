// SPDX-License-Identifier: Apache-2.0
#include "core/trace/Pairing.h"

#include <algorithm>

namespace attnscope {

namespace {

class Stack {
 public:
  explicit Stack(std::vector<PairedEvents>& pairs) : m_pairs(pairs) {}

  void push(const RawPoint* begin) { m_open.push_back(begin); }

  bool close(const RawPoint* end) {
    std::size_t at = m_open.size();
    if (end->name == kNone) {
      if (at == 0) return false;
    } else {
      while (at > 0 && m_open[at - 1]->name != end->name) --at;
      if (at == 0) return false;
    }
    m_pairs.push_back({m_open[at - 1], end, m_open.front()});
    m_open.erase(m_open.begin() + static_cast<std::ptrdiff_t>(at) - 1);
    return true;
  }

  void finish() {
    for (const RawPoint* begin : m_open) m_pairs.push_back({begin, nullptr, m_open.front()});
  }

 private:
  std::vector<const RawPoint*> m_open;
  std::vector<PairedEvents>& m_pairs;
};

}  // namespace

std::uint64_t pairEvents(std::vector<const RawPoint*>& points, const std::function<bool(const RawPoint&)>& isBegin,
                         std::vector<PairedEvents>& pairs) {
  const auto before = [](const RawPoint* a, const RawPoint* b) {
    return a->atNs != b->atNs ? a->atNs < b->atNs : a->order < b->order;
  };
  if (!std::is_sorted(points.begin(), points.end(), before)) std::sort(points.begin(), points.end(), before);

  std::uint64_t strays = 0;
  Stack stack(pairs);
  std::vector<const RawPoint*> waiting;
  for (std::size_t i = 0; i < points.size();) {
    const std::int64_t now = points[i]->atNs;
    waiting.clear();
    for (; i < points.size() && points[i]->atNs == now; ++i) {
      if (isBegin(*points[i])) {
        stack.push(points[i]);
      } else if (!stack.close(points[i])) {
        waiting.push_back(points[i]);
      }
    }
    for (const RawPoint* end : waiting)
      if (!stack.close(end)) ++strays;
  }
  stack.finish();
  return strays;
}

}  // namespace attnscope
