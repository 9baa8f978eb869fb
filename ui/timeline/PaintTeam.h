// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The rows of a frame, drawn by the GUI thread and by a few threads of its own beside it: rows write into lines of
// pixels of their own and read what does not change during a frame. The GUI thread never waits for a thread that has
// not begun: what nobody took it draws itself, so a machine without an idle core loses nothing. Used by one thread.

#include <cstddef>
#include <functional>

#include <QThreadPool>

namespace attnscope::ui {

class PaintTeam {
 public:
  PaintTeam();
  explicit PaintTeam(int hands);  // the caller is one of them

  [[nodiscard]] int hands() const { return m_hands; }
  // Calls draw(piece, hand) once for each piece of [0, count), from several threads at once, each with a number of its
  // own in [0, hands()); returns when all are done. `draw` does not throw.
  void share(std::size_t count, const std::function<void(std::size_t piece, int hand)>& draw);

 private:
  int m_hands;
  QThreadPool m_pool;
};

}  // namespace attnscope::ui
