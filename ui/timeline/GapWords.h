// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Idle time of a stream in words.

#include <QString>

#include "core/analysis/DeviceTimeline.h"

namespace attnscope::ui {

[[nodiscard]] QString causeWords(IdleCause cause);   // "no launch"
[[nodiscard]] QString gapWords(const IdleGap& gap);  // "idle 12.3 µs, no launch"

}  // namespace attnscope::ui
