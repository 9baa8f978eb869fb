// SPDX-License-Identifier: Apache-2.0
#pragma once

// Starts a runner in a process of its own, follows its lines, deadlines and end, and starts another without the
// offender after a crash. The process is in a group of its own, and is killed with it when this object goes away or
// when this program dies. Cancel: asks at once, terminates after 1 s, kills after 3.
//
// Threads: start(), cancel(), wait() from one thread; the observer is called on the controller's own thread, must not
// block it for long, and must not call the controller. No Qt: a window posts from the observer to its own thread.

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/base/Result.h"
#include "core/session/RunResult.h"
#include "core/session/RunState.h"

namespace attnscope {

struct RunnerCommand {
  std::vector<std::string> arguments;  // the program's path first: {"/.../attnscope-runner", "run"}
  std::vector<std::pair<std::string, std::string>> environment;  // set beside what this program has
};

struct RunTimeouts {
  std::chrono::milliseconds hello{20'000};         // from the start to the first line
  std::chrono::milliseconds betweenLines{60'000};  // where no heartbeat gave a deadline
  std::chrono::milliseconds terminateAfter{1'000};
  std::chrono::milliseconds killAfter{3'000};        // from the cancel, too
  std::chrono::milliseconds endAfterDone{5'000};     // from the last line to the process's end
  std::chrono::milliseconds endAfterClosing{1'000};  // from the end of its output to the process's end
};

struct RunObserver {
  std::function<void(const RunState&)> changed;       // after every message but samples and heartbeats
  std::function<void(const SampleMessage&)> sampled;  // of each sample, at once
  std::function<void(const std::string&)> logged;     // a line of the runner's standard error
  std::function<void(const RunResult&)> finished;     // once, last
};

class RunController {
 public:
  RunController(RunnerCommand command, RunTimeouts timeouts, RunObserver observer);
  RunController(const RunController&) = delete;
  RunController& operator=(const RunController&) = delete;
  ~RunController();  // kills what runs; `finished` is called before it returns where a run was on

  // An error where a run is on. That the runner cannot be started is told through `finished`.
  Result<void> start(RunPlan plan);
  void cancel();  // nothing where nothing runs
  [[nodiscard]] bool running() const;
  void wait();  // until `finished` was called; at once where nothing runs

 private:
  class Loop;
  RunnerCommand m_command;
  RunTimeouts m_timeouts;
  RunObserver m_observer;
  std::unique_ptr<Loop> m_loop;
};

}  // namespace attnscope
