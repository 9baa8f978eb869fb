// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// A slice in words: its tooltip, and what assistive tools read. GUI thread.

#include <QString>

#include "ui/timeline/SliceTip.h"
#include "ui/timeline/TimelineControl.h"

namespace attnscope::ui {

[[nodiscard]] TipText tipTextOf(TimelineControl& control, int run, SliceId slice, const Partner& partner);
[[nodiscard]] TipText tipTextOf(TimelineControl& control, int run, const IdleGap& gap);
// "Timeline, B, stream 7: flash_fwd_kernel, 47.6 µs, starts 132.8 µs after step start, 3 of 10".
[[nodiscard]] QString accessibleWords(TimelineControl& control);

}  // namespace attnscope::ui
