// SPDX-License-Identifier: Apache-2.0
#include "core/session/RunController.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "core/session/RunnerProcess.h"

namespace attnscope {
namespace {

using Clock = std::chrono::steady_clock;
using Milliseconds = std::chrono::milliseconds;

constexpr std::int64_t kLongestDeadlineNs = 24ll * 3600 * 1'000'000'000;
constexpr std::size_t kLongestLogLine = 64u << 10;
// How often the process is asked for where the kernel does not tell of its end.
constexpr Milliseconds kAskAgain{50};
// Between the end of the process and the end of reading, where a child of it still holds the pipe.
constexpr Milliseconds kDrainAfterEnd{200};

}  // namespace

// The thread of one run. Everything but the flags and what wakes it belongs to that thread.
class RunController::Loop {
 public:
  Loop(RunnerCommand command, RunTimeouts timeouts, RunObserver observer, RunPlan plan)
      : m_command(std::move(command)), m_timeouts(timeouts), m_observer(std::move(observer)) {
    std::array<int, 2> fds{-1, -1};
    if (::pipe2(fds.data(), O_CLOEXEC | O_NONBLOCK) == 0) {
      m_wakeRead = fds[0];
      m_wakeWrite = fds[1];
    }
    m_thread = std::jthread([this, startedPlan = std::move(plan)]() mutable { run(std::move(startedPlan)); });
  }
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;
  ~Loop() {
    m_abandoned = true;
    wake();
    m_thread.join();
    if (m_wakeRead >= 0) ::close(m_wakeRead);
    if (m_wakeWrite >= 0) ::close(m_wakeWrite);
  }

  void cancel() {
    m_cancelAsked = true;
    wake();
  }
  [[nodiscard]] bool finished() const { return m_finished; }
  void wait() {
    std::unique_lock lock(m_mutex);
    m_ended.wait(lock, [this] { return m_finished.load(); });
  }

 private:
  void wake() {
    const char byte = 0;
    const ssize_t written = ::write(m_wakeWrite, &byte, 1);
    static_cast<void>(written);  // a full pipe wakes as well
  }

  void run(RunPlan plan) {
    // A runner that is gone must end its pipe with an error and not this program with a signal.
    sigset_t pipe;
    ::sigemptyset(&pipe);
    ::sigaddset(&pipe, SIGPIPE);
    ::pthread_sigmask(SIG_BLOCK, &pipe, nullptr);

    apply(RunStarted{std::move(plan)});
    while (!isFinal(m_state.stage())) step();
    m_process.reset();
    if (m_observer.finished) m_observer.finished(m_state.result());
    {
      const std::scoped_lock lock(m_mutex);
      m_finished = true;
    }
    m_ended.notify_all();
  }

  void apply(const RunEvent& event) {
    const RunStage before = m_state.stage();
    for (const RunAction action : m_state.apply(event)) perform(action);
    const auto* received = std::get_if<MessageReceived>(&event);
    const bool quiet = received != nullptr && (std::holds_alternative<SampleMessage>(received->message) ||
                                               std::holds_alternative<HeartbeatMessage>(received->message));
    if (m_observer.changed && (!quiet || before != m_state.stage())) m_observer.changed(m_state);
    if (quiet && m_observer.sampled) {
      if (const auto* sample = std::get_if<SampleMessage>(&received->message)) m_observer.sampled(*sample);
    }
  }

  void perform(RunAction action) {
    switch (action) {
      case RunAction::kSpawn:
        spawn();
        break;
      case RunAction::kSendCancel:
        m_cancelledAt = Clock::now();
        if (m_process) m_process->send(lineOf(ControllerMessage(CancelMessage{})));
        break;
      case RunAction::kKill:
        if (m_process) m_process->signalGroup(SIGKILL);
        m_deadline.reset();
        break;
    }
  }

  void spawn() {
    m_process.reset();
    m_output = LineBuffer(kLongestLineBytes);
    m_error = LineBuffer(kLongestLogLine);
    m_lastLogLine.clear();
    m_helloSeen = false;
    m_closedAt.reset();
    m_endedAt.reset();
    Result<RunnerProcess> process = RunnerProcess::start(m_command);
    if (!process) {
      apply(StartFailed{process.error().message()});
      return;
    }
    m_process.emplace(std::move(*process));
    m_process->send(lineOf(ControllerMessage(m_state.messageForRunner())));
    m_waitingSince = Clock::now();
    m_deadline = m_waitingSince + m_timeouts.hello;
  }

  // One wait and what came of it.
  void step() {
    std::array<pollfd, 4> fds = {{{m_wakeRead, POLLIN, 0},
                                  {m_process->outputFd(), POLLIN, 0},
                                  {m_process->errorFd(), POLLIN, 0},
                                  {m_endedAt ? -1 : m_process->exitFd(), POLLIN, 0}}};
    ::poll(fds.data(), fds.size(), waitMilliseconds());
    if (fds[0].revents != 0) takeWake();
    if (m_process->errorFd() >= 0 && fds[2].revents != 0) readError();
    if (m_process->outputFd() >= 0 && fds[1].revents != 0) readOutput();
    if (m_process) checkEnd();
    if (m_process && !isFinal(m_state.stage())) checkClock();
  }

  [[nodiscard]] std::optional<Clock::time_point> nextTime() const {
    std::optional<Clock::time_point> next;
    const auto sooner = [&next](std::optional<Clock::time_point> time) {
      if (time && (!next || *time < *next)) next = time;
    };
    sooner(m_deadline);
    if (m_endedAt) sooner(*m_endedAt + kDrainAfterEnd);
    if (m_closedAt) sooner(*m_closedAt + closingTime());
    if (m_cancelledAt && !m_terminated) sooner(*m_cancelledAt + m_timeouts.terminateAfter);
    if (m_cancelledAt && !m_killed) sooner(*m_cancelledAt + m_timeouts.killAfter);
    if (m_process->exitFd() < 0 && !m_endedAt) sooner(Clock::now() + kAskAgain);
    return next;
  }

  [[nodiscard]] int waitMilliseconds() const {
    const std::optional<Clock::time_point> next = nextTime();
    if (!next) return -1;
    const auto left = std::chrono::ceil<Milliseconds>(*next - Clock::now()).count();
    return static_cast<int>(std::clamp<std::int64_t>(left, 0, 60'000));
  }

  [[nodiscard]] Milliseconds closingTime() const {
    return m_state.expectsEnd() ? m_timeouts.endAfterDone : m_timeouts.endAfterClosing;
  }

  void takeWake() {
    std::array<char, 64> bytes{};
    while (::read(m_wakeRead, bytes.data(), bytes.size()) > 0) {
    }
    if (m_abandoned) {
      apply(CancelRequested{});
      if (m_process) m_process->signalGroup(SIGKILL);
    } else if (m_cancelAsked.exchange(false)) {
      apply(CancelRequested{});
    }
  }

  void readError() {
    const ReadEnd end = m_process->readError(m_error);
    while (const std::optional<std::string> line = m_error.takeLine()) log(*line);
    if (m_error.tooLong() || end == ReadEnd::kClosed) log(m_error.takeRest());
  }

  void log(const std::string& line) {
    if (line.empty()) return;
    m_lastLogLine = line.substr(0, 300);
    if (m_observer.logged) m_observer.logged(line);
  }

  void readOutput() {
    const ReadEnd end = m_process->readOutput(m_output);
    while (const std::optional<std::string> line = m_output.takeLine()) {
      if (!line->empty()) receive(*line);
      if (isFinal(m_state.stage())) return;
    }
    if (m_output.tooLong()) {
      apply(ProtocolBroken{"the runner wrote a line without end"});
      static_cast<void>(m_output.takeRest());
    }
    if (end == ReadEnd::kClosed) {
      m_closedAt = Clock::now();
      m_deadline.reset();
    }
  }

  void receive(const std::string& line) {
    if (m_state.expectsEnd()) return;
    Result<RunnerMessage> message = runnerMessageOf(line);
    if (!message) {
      apply(ProtocolBroken{"the runner said what is not understood: " + message.error().what});
      return;
    }
    if (!m_helloSeen && !std::holds_alternative<HelloMessage>(*message)) {
      apply(ProtocolBroken{"the runner did not say hello first: is it attnscope-runner?"});
      return;
    }
    m_helloSeen = true;
    m_waitingSince = Clock::now();
    m_deadline = m_waitingSince + m_timeouts.betweenLines;
    if (const auto* heartbeat = std::get_if<HeartbeatMessage>(&*message)) {
      m_deadline = m_waitingSince +
                   std::chrono::nanoseconds(std::clamp<std::int64_t>(heartbeat->deadlineNs, 0, kLongestDeadlineNs));
    }
    apply(MessageReceived{std::move(*message)});
    if (m_state.expectsEnd()) m_deadline = Clock::now() + m_timeouts.endAfterDone;
  }

  // The process has ended and everything it wrote was read: only then is it known why.
  void checkEnd() {
    const std::optional<RunnerProcess::Ending> ending = m_process->ended();
    if (!ending) return;
    if (!m_endedAt) m_endedAt = Clock::now();
    const bool drained = m_process->outputFd() < 0 && m_process->errorFd() < 0;
    if (!drained && Clock::now() < *m_endedAt + kDrainAfterEnd) return;
    const std::string lastLogLine = m_lastLogLine;
    m_deadline.reset();
    m_process.reset();
    apply(RunnerEnded{ending->exitCode, ending->signal, lastLogLine});
  }

  void checkClock() {
    const Clock::time_point now = Clock::now();
    if (m_cancelledAt && !m_terminated && now >= *m_cancelledAt + m_timeouts.terminateAfter) {
      m_terminated = true;
      m_process->signalGroup(SIGTERM);
    }
    if (m_cancelledAt && !m_killed && now >= *m_cancelledAt + m_timeouts.killAfter) {
      m_killed = true;
      m_process->signalGroup(SIGKILL);
    }
    if (m_closedAt && now >= *m_closedAt + closingTime()) {
      const auto waited = std::chrono::duration_cast<std::chrono::nanoseconds>(now - *m_closedAt).count();
      m_closedAt.reset();
      if (m_state.expectsEnd()) {
        m_process->signalGroup(SIGKILL);
      } else {
        apply(RunnerSilent{SilenceKind::kOutputClosed, waited});
      }
    }
    if (!m_deadline || now < *m_deadline || m_endedAt) return;
    m_deadline.reset();
    if (m_state.expectsEnd()) {
      m_process->signalGroup(SIGKILL);
      return;
    }
    const auto waited = std::chrono::duration_cast<std::chrono::nanoseconds>(now - m_waitingSince).count();
    apply(RunnerSilent{m_helloSeen ? SilenceKind::kDeadlineMissed : SilenceKind::kNoHello, waited});
  }

  RunnerCommand m_command;
  RunTimeouts m_timeouts;
  RunObserver m_observer;
  RunState m_state;
  std::optional<RunnerProcess> m_process;
  LineBuffer m_output{kLongestLineBytes};
  LineBuffer m_error{kLongestLogLine};
  std::string m_lastLogLine;
  bool m_helloSeen = false;
  bool m_terminated = false;
  bool m_killed = false;
  Clock::time_point m_waitingSince;
  std::optional<Clock::time_point> m_deadline;
  std::optional<Clock::time_point> m_cancelledAt;
  std::optional<Clock::time_point> m_closedAt;  // its output
  std::optional<Clock::time_point> m_endedAt;   // the process

  std::atomic<bool> m_cancelAsked{false};
  std::atomic<bool> m_abandoned{false};
  std::atomic<bool> m_finished{false};
  int m_wakeRead = -1;
  int m_wakeWrite = -1;
  std::mutex m_mutex;
  std::condition_variable m_ended;
  std::jthread m_thread;
};

RunController::RunController(RunnerCommand command, RunTimeouts timeouts, RunObserver observer)
    : m_command(std::move(command)), m_timeouts(timeouts), m_observer(std::move(observer)) {}

RunController::~RunController() = default;

Result<void> RunController::start(RunPlan plan) {
  if (running()) {
    Error error;
    error.kind = ErrorKind::kUsage;
    error.what = "a run is on";
    error.remedy = "stop it first";
    return fail(std::move(error));
  }
  m_loop = std::make_unique<Loop>(m_command, m_timeouts, m_observer, std::move(plan));
  return {};
}

void RunController::cancel() {
  if (running()) m_loop->cancel();
}

bool RunController::running() const { return m_loop != nullptr && !m_loop->finished(); }

void RunController::wait() {
  if (m_loop != nullptr) m_loop->wait();
}

}  // namespace attnscope
