// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/TurnWatch.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <ctime>

#include <execinfo.h>

#include <QAbstractEventDispatcher>

namespace attnscope::ui::test {

namespace {

constexpr int kSignal = SIGUSR2;
constexpr std::size_t kMostFrames = 64;

// Written by the signal's handler, read by the thread that it interrupted.
std::array<void*, kMostFrames> g_frames;
volatile std::sig_atomic_t g_frameCount = 0;

void recordStack(int) { g_frameCount = backtrace(g_frames.data(), static_cast<int>(g_frames.size())); }

std::int64_t timeOn(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

std::string stackText() {
  const int count = g_frameCount;
  if (count == 0) return {};
  char** symbols = backtrace_symbols(g_frames.data(), count);
  std::string text;
  for (int at = 0; symbols && at < count; ++at) text += std::string(symbols[at]) + "\n";
  std::free(symbols);
  return text;
}

}  // namespace

TurnWatch::TurnWatch(int interruptMs, QObject* parent) : QObject(parent), m_gui(pthread_self()) {
  void* first = nullptr;
  backtrace(&first, 1);  // loads what it needs now, for a handler must not
  struct sigaction action = {};
  action.sa_handler = recordStack;
  action.sa_flags = SA_RESTART;
  sigaction(kSignal, &action, nullptr);
  pthread_getcpuclockid(m_gui, &m_guiClock);
  // Dispatchers differ in when they say that they are awake, but all say when they are about to wait.
  connect(QAbstractEventDispatcher::instance(), &QAbstractEventDispatcher::aboutToBlock, this, &TurnWatch::turn);
  m_beganNs = timeOn(m_guiClock);
  m_watcher = std::thread([this, interruptMs] { watch(interruptMs); });
}

TurnWatch::~TurnWatch() {
  m_isOver = true;
  m_watcher.join();
  std::signal(kSignal, SIG_IGN);
}

void TurnWatch::turn() {
  const std::int64_t now = timeOn(m_guiClock);
  const double ms = static_cast<double>(now - m_beganNs) / 1e6;
  (m_what.starts_with('(') ? m_apart : m_turns).push_back({ms, m_what, stackText()});
  g_frameCount = 0;
  m_beganNs = timeOn(m_guiClock);
}

// Each turn is interrupted once: the stack in its middle tells more than many.
void TurnWatch::watch(int interruptMs) {
  std::int64_t interrupted = 0;
  while (!m_isOver) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    const std::int64_t began = m_beganNs;
    if (began == interrupted || timeOn(m_guiClock) - began < std::int64_t{interruptMs} * 1'000'000) continue;
    interrupted = began;
    pthread_kill(m_gui, kSignal);
  }
}

TurnReport TurnWatch::reportOf(std::vector<Turn> turns) {
  TurnReport report;
  if (turns.empty()) return report;
  std::sort(turns.begin(), turns.end(), [](const Turn& a, const Turn& b) { return a.ms < b.ms; });
  report.turns = turns.size();
  report.medianMs = turns[turns.size() / 2].ms;
  report.p999Ms = turns[turns.size() * 999 / 1000].ms;
  report.longestMs = turns.back().ms;
  report.longestWhat = turns.back().what;
  report.longestStack = turns.back().stack;
  for (auto turn = turns.rbegin(); turn != turns.rend(); ++turn) {
    const auto known = std::find_if(report.byWords.begin(), report.byWords.end(),
                                    [&](const TurnsOf& each) { return each.what == turn->what; });
    if (known == report.byWords.end()) {
      report.byWords.push_back({turn->what, 1, turn->ms, turn->stack});
    } else {
      ++known->turns;
    }
  }
  return report;
}

TurnReport TurnWatch::report() const { return reportOf(m_turns); }
TurnReport TurnWatch::reportApart() const { return reportOf(m_apart); }

}  // namespace attnscope::ui::test
