// SPDX-License-Identifier: Apache-2.0
#include "core/engine/ProtocolChannel.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <variant>

namespace attnscope::engine {

ProtocolChannel::ProtocolChannel(int input, int output) : m_input(input), m_output(output) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) == 0) {
    m_stopRead = ends[0];
    m_stopWrite = ends[1];
  }
}

ProtocolChannel::~ProtocolChannel() {
  if (m_stopWrite >= 0) close(m_stopWrite);
  if (m_watcher.joinable()) m_watcher.join();
  if (m_stopRead >= 0) close(m_stopRead);
}

// Waits for the input or for the end of this object.
bool ProtocolChannel::fill() {
  std::array<pollfd, 2> waiting{{{m_input, POLLIN, 0}, {m_stopRead, POLLIN, 0}}};
  while (poll(waiting.data(), waiting.size(), -1) < 0) {
    if (errno != EINTR) return false;
  }
  if (waiting[1].revents != 0) return false;
  std::array<char, 65536> part{};
  ssize_t got = 0;
  do {
    got = read(m_input, part.data(), part.size());
  } while (got < 0 && errno == EINTR);
  if (got <= 0) return false;
  m_buffer.append(part.data(), static_cast<std::size_t>(got));
  return true;
}

std::optional<std::string> ProtocolChannel::takeLine() {
  const std::size_t end = m_buffer.find('\n');
  if (end == std::string::npos) return std::nullopt;
  std::string line = m_buffer.substr(0, end);
  m_buffer.erase(0, end + 1);
  return line;
}

std::optional<std::string> ProtocolChannel::readLine() {
  while (true) {
    if (auto line = takeLine()) return line;
    if (m_buffer.size() > kLongestLineBytes || !fill()) return std::nullopt;
  }
}

void ProtocolChannel::watch() {
  m_watcher = std::thread([this] { watchForCancel(); });
}

void ProtocolChannel::watchForCancel() {
  while (const std::optional<std::string> line = readLine()) {
    const Result<ControllerMessage> message = controllerMessageOf(*line);
    if (message && std::holds_alternative<CancelMessage>(*message)) break;
  }
  m_cancelled.store(true);
}

void ProtocolChannel::send(const RunnerMessage& message) {
  const std::string line = lineOf(message) + "\n";
  std::size_t sent = 0;
  while (sent < line.size()) {
    const ssize_t written = write(m_output, line.data() + sent, line.size() - sent);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      m_cancelled.store(true);
      return;
    }
    sent += static_cast<std::size_t>(written);
  }
}

}  // namespace attnscope::engine
