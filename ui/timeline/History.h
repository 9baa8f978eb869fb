// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Where one was, to go back and forward through it: a step from the middle forgets what came after. The newest
// `kMost` are kept. A value.

#include <cstddef>
#include <utility>
#include <vector>

namespace attnscope::ui {

template <class Place>
class History {
 public:
  static constexpr std::size_t kMost = 100;

  // The place where one is now; nothing where it is the current one.
  void arriveAt(Place place) {
    if (!m_places.empty() && m_places[m_at] == place) return;
    if (!m_places.empty()) m_places.resize(m_at + 1);
    if (m_places.size() == kMost) m_places.erase(m_places.begin());
    m_places.push_back(std::move(place));
    m_at = m_places.size() - 1;
  }
  // nullptr: there is none.
  [[nodiscard]] const Place* back() { return canGoBack() ? &m_places[--m_at] : nullptr; }
  [[nodiscard]] const Place* forward() { return canGoForward() ? &m_places[++m_at] : nullptr; }
  [[nodiscard]] bool canGoBack() const { return m_at > 0; }
  [[nodiscard]] bool canGoForward() const { return m_at + 1 < m_places.size(); }
  void clear() {
    m_places.clear();
    m_at = 0;
  }

 private:
  std::vector<Place> m_places;
  std::size_t m_at = 0;
};

}  // namespace attnscope::ui
