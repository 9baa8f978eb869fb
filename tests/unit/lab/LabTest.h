// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// What the lab's tests share.

#include <functional>

#include <QElapsedTimer>

#include "ui/theme/Theme.h"

namespace attnscope::ui {

[[nodiscard]] Theme& labTheme();
// Runs the event loop until it is so; false after that long.
[[nodiscard]] bool waitUntil(const std::function<bool()>& done, int atMostMs = 20'000);

}  // namespace attnscope::ui
