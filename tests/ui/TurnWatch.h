// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Watches the turns of the GUI thread's event loop: how much CPU time each takes, and where the longest one was. A turn
// is what happens between two waits for events. A second thread looks at the clock, and interrupts a turn that takes
// too long to record its stack. For tests and benchmarks; one at a time; Linux.

#include <atomic>
#include <cstdint>
#include <ctime>
#include <string>
#include <thread>
#include <vector>

#include <pthread.h>

#include <QMetaObject>
#include <QObject>

namespace attnscope::ui::test {

struct TurnsOf {
  std::string what;
  std::size_t turns = 0;
  double longestMs = 0;
  std::string longestStack;
};
struct TurnReport {
  std::size_t turns = 0;
  double medianMs = 0;
  double p999Ms = 0;
  double longestMs = 0;
  std::string longestWhat;       // the words that were set while it ran
  std::string longestStack;      // a line a frame; empty where it was shorter than what is interrupted
  std::vector<TurnsOf> byWords;  // the longest first
};

class TurnWatch : public QObject {
  Q_OBJECT

 public:
  // Turns of more CPU time than `interruptMs` have their stack recorded. On the GUI thread, in or before its loop.
  explicit TurnWatch(int interruptMs, QObject* parent = nullptr);
  ~TurnWatch() override;

  // What is being done: turns are told under these words. Those of words that begin with '(' are counted apart.
  void setWhat(const std::string& what) { m_what = what; }
  [[nodiscard]] TurnReport report() const;  // of all but those apart
  [[nodiscard]] TurnReport reportApart() const;

 private:
  struct Turn {
    double ms;
    std::string what;
    std::string stack;
  };
  void turn();  // one ends, the next begins
  void watch(int interruptMs);
  [[nodiscard]] static TurnReport reportOf(std::vector<Turn> turns);

  std::vector<Turn> m_turns;
  std::vector<Turn> m_apart;
  std::string m_what = "start";
  clockid_t m_guiClock{};  // CPU time of the GUI thread, which stands while it waits
  pthread_t m_gui;
  std::atomic<std::int64_t> m_beganNs{0};  // on that clock
  std::atomic<bool> m_isOver{false};
  std::thread m_watcher;
};

}  // namespace attnscope::ui::test
