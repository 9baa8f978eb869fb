// SPDX-License-Identifier: Apache-2.0
#pragma once

// The runner's two pipes. Lines go out whole and at once, from the working thread. Lines come in by readLine() until
// watch() hands the input to a thread that waits for a cancel or for the end of the input, which is a cancel too.

#include <atomic>
#include <optional>
#include <string>
#include <thread>

#include "core/session/Protocol.h"

namespace attnscope::engine {

class ProtocolChannel {
 public:
  ProtocolChannel(int input, int output);
  ProtocolChannel(const ProtocolChannel&) = delete;
  ProtocolChannel& operator=(const ProtocolChannel&) = delete;
  ~ProtocolChannel();  // ends the watching thread

  // The next line without its line break; none at the end of the input or where a line is longer than
  // kLongestLineBytes. Not after watch().
  [[nodiscard]] std::optional<std::string> readLine();
  void watch();
  [[nodiscard]] bool cancelled() const { return m_cancelled.load(std::memory_order_relaxed); }

  // A reader that is gone counts as a cancel.
  void send(const RunnerMessage& message);

 private:
  [[nodiscard]] bool fill();  // false at the end
  [[nodiscard]] std::optional<std::string> takeLine();
  void watchForCancel();

  int m_input;
  int m_output;
  int m_stopRead = -1, m_stopWrite = -1;  // a pipe that wakes the watching thread
  std::string m_buffer;
  std::atomic<bool> m_cancelled{false};
  std::thread m_watcher;
};

}  // namespace attnscope::engine
