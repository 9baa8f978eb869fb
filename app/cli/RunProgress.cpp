// SPDX-License-Identifier: Apache-2.0
#include "app/cli/RunProgress.h"

#include <cstdio>

#include <fmt/format.h>

namespace attnscope::cli {

namespace {
constexpr int kRoundsForEstimate = 3;
}

std::string RunProgress::words(const RunState& state) {
  if (state.cancelling()) return "stopping: complete rounds are kept";
  if (state.stage() != RunStage::kTiming) {
    std::string line(toString(state.stage()));
    if (const auto current = state.current()) {
      line += fmt::format(" {} ({} of {})", state.plan().implementations[*current], *current + 1,
                          state.implementationCount());
    }
    return line;
  }
  const int round = state.round();
  const int rounds = state.plan().rounds;
  std::string line = fmt::format("round {} of {}", round + 1, rounds);
  const auto now = std::chrono::steady_clock::now();
  if (m_firstRound < 0) {
    m_firstRound = round;
    m_timingSince = now;
  }
  const int done = round - m_firstRound;
  if (done >= kRoundsForEstimate) {
    const double seconds = std::chrono::duration<double>(now - m_timingSince).count();
    line += fmt::format(", about {:.0f} s left", seconds / done * (rounds - round));
  }
  return line;
}

void RunProgress::show(const RunState& state) {
  m_shown = true;
  std::fprintf(stderr, "\r\x1b[K%s", words(state).c_str());
  std::fflush(stderr);
}

void RunProgress::clear() {
  if (!m_shown) return;
  std::fputs("\r\x1b[K", stderr);
  std::fflush(stderr);
  m_shown = false;
}

}  // namespace attnscope::cli
