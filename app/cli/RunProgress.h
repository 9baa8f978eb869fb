// SPDX-License-Identifier: Apache-2.0
#pragma once

// One line on standard error that says what a run is doing, rewritten as it goes on.

#include <chrono>
#include <string>

#include "core/session/RunState.h"

namespace attnscope::cli {

// "check sdpa.flash (2 of 5)", "round 13 of 40, about 12 s left".
class RunProgress {
 public:
  void show(const RunState& state);
  void clear();

 private:
  [[nodiscard]] std::string words(const RunState& state);

  std::chrono::steady_clock::time_point m_timingSince;
  int m_firstRound = -1;
  bool m_shown = false;
};

}  // namespace attnscope::cli
