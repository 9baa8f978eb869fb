// SPDX-License-Identifier: Apache-2.0
#pragma once

// One runner process with its three pipes: for RunController.cpp alone. It leads a process group of its own, which is
// killed with this object; it dies with the thread that started it; its own oom_score_adj makes the kernel choose it
// before the window; it writes no core file. Used by one thread.

#include <sys/types.h>

#include <optional>
#include <string>

#include "core/base/Result.h"
#include "core/session/RunController.h"

namespace attnscope {

// Takes bytes, gives whole lines.
class LineBuffer {
 public:
  explicit LineBuffer(std::size_t longest) : m_longest(longest) {}
  void append(const char* bytes, std::size_t count) { m_text.append(bytes, count); }
  [[nodiscard]] std::optional<std::string> takeLine();
  [[nodiscard]] std::string takeRest();  // what came after the last line break
  [[nodiscard]] bool tooLong() const { return m_text.size() - m_begin > m_longest; }

 private:
  std::string m_text;
  std::size_t m_begin = 0;     // of the next line
  std::size_t m_searched = 0;  // no line break lies between the two
  std::size_t m_longest;
};

enum class ReadEnd : std::uint8_t { kOpen, kClosed };

class RunnerProcess {
 public:
  struct Ending {
    std::optional<int> exitCode;
    std::optional<int> signal;
  };

  [[nodiscard]] static Result<RunnerProcess> start(const RunnerCommand& command);
  RunnerProcess(RunnerProcess&& other) noexcept;
  RunnerProcess& operator=(RunnerProcess&& other) noexcept;
  RunnerProcess(const RunnerProcess&) = delete;
  RunnerProcess& operator=(const RunnerProcess&) = delete;
  ~RunnerProcess();  // kills the group and waits for it

  [[nodiscard]] int outputFd() const { return m_output; }  // -1 once closed
  [[nodiscard]] int errorFd() const { return m_error; }
  [[nodiscard]] int exitFd() const { return m_exit; }  // readable when it has ended; -1 where the kernel has none

  // A line for its standard input; nothing happens where it no longer reads.
  void send(const std::string& line);
  [[nodiscard]] ReadEnd readOutput(LineBuffer& lines);
  [[nodiscard]] ReadEnd readError(LineBuffer& lines);
  void signalGroup(int signal);
  [[nodiscard]] std::optional<Ending> ended();  // does not wait

 private:
  RunnerProcess() = default;
  void closeAll();
  void stopAndWait();

  pid_t m_pid = -1;
  int m_input = -1;
  int m_output = -1;
  int m_error = -1;
  int m_exit = -1;
  std::optional<Ending> m_ending;
};

}  // namespace attnscope
