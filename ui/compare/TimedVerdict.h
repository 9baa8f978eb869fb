// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The strip's words for runs of one measurement of the lab: a verdict from pairs that were timed in turns, with its
// interval and noise floor. Profiled times are nowhere in it. Pure; any thread.

#include <vector>

#include <QString>

#include "core/session/RunResult.h"
#include "ui/compare/Verdict.h"

namespace attnscope::ui {

struct TimedRun {
  int runNumber = 0;
  QString letter;
  std::size_t position = 0;  // in the measurement's plan
};

// `runs`: baseline first, two or more, all of `result`.
[[nodiscard]] Verdict timedVerdict(const RunResult& result, const std::vector<TimedRun>& runs);

}  // namespace attnscope::ui
