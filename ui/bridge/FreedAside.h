// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// What is large is freed by a worker: taking a trace of a million slices apart, or unmapping its file, takes longer
// than a frame, and whoever lets go of it last is often the GUI thread. Any thread.

#include <functional>
#include <memory>
#include <utility>

namespace attnscope::ui {

// Runs `free` on another thread if this is the GUI thread, else at once.
void runAside(std::function<void()> free);

// As std::make_shared(), but what is made is freed aside, wherever the last reference goes.
template <class T, class... Arguments>
[[nodiscard]] std::shared_ptr<T> makeFreedAside(Arguments&&... arguments) {
  return std::shared_ptr<T>(new T(std::forward<Arguments>(arguments)...),
                            [](T* made) { runAside([made] { delete made; }); });
}

}  // namespace attnscope::ui
