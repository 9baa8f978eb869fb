// SPDX-License-Identifier: Apache-2.0
#include "core/trace/Pairing.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

namespace attnscope {

namespace {

// Begins that wait for their end, innermost last. Those that an end of their name closed further down stay in place,
// marked, until what lies on them is gone. O(1) amortised: names that lie deep are found through an index, which is
// built when the first such end comes.
class Stack {
 public:
  explicit Stack(std::vector<PairedEvents>& pairs) : m_pairs(pairs) {}

  void push(const RawPoint* begin) {
    if (m_indexed) m_byName[begin->name].push_back(static_cast<std::uint32_t>(m_entries.size()));
    m_entries.push_back({begin, true});
  }

  bool close(const RawPoint* end) {
    const std::size_t at = find(end->name);
    if (at == kAbsent) return false;
    m_pairs.push_back({m_entries[at].begin, end, m_entries[bottom()].begin});
    m_entries[at].open = false;
    while (!m_entries.empty() && !m_entries.back().open) pop();
    return true;
  }

  void finish() {
    if (m_entries.empty()) return;
    const RawPoint* outermost = m_entries[bottom()].begin;
    for (const Entry& entry : m_entries)
      if (entry.open) m_pairs.push_back({entry.begin, nullptr, outermost});
  }

 private:
  struct Entry {
    const RawPoint* begin;
    bool open;
  };
  static constexpr std::size_t kAbsent = SIZE_MAX;
  static constexpr std::size_t kNear = 64;  // looked at one by one

  // The innermost open entry of this name, of any for kNone. The last entry is always open.
  std::size_t find(std::uint32_t name) {
    if (m_entries.empty()) return kAbsent;
    if (name == kNone) return m_entries.size() - 1;
    const std::size_t last = m_entries.size() > kNear ? m_entries.size() - kNear : 0;
    for (std::size_t at = m_entries.size(); at-- > last;)
      if (m_entries[at].open && m_entries[at].begin->name == name) return at;
    if (last == 0) return kAbsent;
    if (!m_indexed) {
      m_indexed = true;
      for (std::uint32_t at = 0; at < m_entries.size(); ++at) m_byName[m_entries[at].begin->name].push_back(at);
    }
    const auto place = m_byName.find(name);
    if (place == m_byName.end()) return kAbsent;
    std::vector<std::uint32_t>& positions = place->second;
    while (!positions.empty() && !m_entries[positions.back()].open) positions.pop_back();
    return positions.empty() ? kAbsent : positions.back();
  }

  std::size_t bottom() {
    while (!m_entries[m_bottom].open) ++m_bottom;
    return m_bottom;
  }

  void pop() {
    if (m_indexed) {
      std::vector<std::uint32_t>& positions = m_byName[m_entries.back().begin->name];
      if (!positions.empty() && positions.back() == m_entries.size() - 1) positions.pop_back();
    }
    m_entries.pop_back();
    m_bottom = std::min(m_bottom, m_entries.size());
  }

  std::vector<Entry> m_entries;
  std::size_t m_bottom = 0;  // nothing below it is open
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> m_byName;
  bool m_indexed = false;
  std::vector<PairedEvents>& m_pairs;
};

}  // namespace

StrayEnds pairEvents(std::vector<const RawPoint*>& points, const std::function<bool(const RawPoint&)>& isBegin,
                     std::vector<PairedEvents>& pairs) {
  const auto before = [](const RawPoint* a, const RawPoint* b) {
    return a->atNs != b->atNs ? a->atNs < b->atNs : a->order < b->order;
  };
  if (!std::is_sorted(points.begin(), points.end(), before)) std::sort(points.begin(), points.end(), before);

  StrayEnds strays;
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
    for (const RawPoint* end : waiting) {
      if (stack.close(end)) continue;
      ++strays.count;
      strays.firstOrder = std::min<std::uint64_t>(strays.firstOrder, end->order);
    }
  }
  stack.finish();
  return strays;
}

}  // namespace attnscope
