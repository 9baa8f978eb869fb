// SPDX-License-Identifier: Apache-2.0
#include "core/session/RunnerProcess.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>
#include <vector>

// NOLINTNEXTLINE(readability-redundant-declaration): POSIX leaves it to the program.
extern char** environ;

namespace attnscope {
namespace {

void closeFd(int& fd) {
  if (fd >= 0) ::close(fd);
  fd = -1;
}

// Above the three standard ones, which a program that was started without them has free: a pipe there would be in the
// way of those that the runner gets.
int aboveStandard(int fd) {
  if (fd > STDERR_FILENO) return fd;
  const int moved = ::fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  ::close(fd);
  return moved;
}

struct Pipe {
  int read = -1;
  int write = -1;
  bool open() {
    std::array<int, 2> fds{};
    if (::pipe2(fds.data(), O_CLOEXEC) != 0) return false;
    read = aboveStandard(fds[0]);
    write = aboveStandard(fds[1]);
    return read >= 0 && write >= 0;
  }
  ~Pipe() {
    closeFd(read);
    closeFd(write);
  }
};

// Kept alive while the pointers into it are used.
struct Words {
  std::vector<std::string> texts;
  std::vector<char*> pointers;
  void finish() {
    for (std::string& text : texts) pointers.push_back(text.data());
    pointers.push_back(nullptr);
  }
};

Words environmentOf(const RunnerCommand& command) {
  Words words;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    bool replaced = false;
    for (const auto& [name, value] : command.environment) {
      replaced = replaced || text.substr(0, text.find('=')) == name;
    }
    if (!replaced) words.texts.emplace_back(text);
  }
  for (const auto& [name, value] : command.environment) words.texts.push_back(name + "=" + value);
  words.finish();
  return words;
}

// In the child, after fork in a program of several threads: async-signal-safe functions only.
[[noreturn]] void becomeRunner(const Words& arguments, const Words& environment, const std::array<int, 3>& standard,
                               int failure, pid_t parent) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(127);  // it died before the line above
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  const rlimit noCore{0, 0};
  ::setrlimit(RLIMIT_CORE, &noCore);
  const int adjust = ::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (adjust >= 0) {
    const ssize_t written = ::write(adjust, "1000", 4);
    static_cast<void>(written);  // without it the kernel chooses as it likes
    ::close(adjust);
  }
  for (int fd = 0; fd < 3; ++fd) ::dup2(standard[static_cast<std::size_t>(fd)], fd);
  ::execve(arguments.pointers.front(), arguments.pointers.data(), environment.pointers.data());
  const int why = errno;
  const ssize_t written = ::write(failure, &why, sizeof why);
  static_cast<void>(written);
  ::_exit(127);
}

tl::unexpected<Error> notStarted(const std::string& program, const char* why) {
  Error error;
  error.kind = ErrorKind::kInternal;
  error.what = fmt::format("the runner {} could not be started ({})", program, why);
  error.remedy = "build it, or install the program whole";
  return fail(std::move(error));
}

ReadEnd readInto(int& fd, LineBuffer& lines) {
  std::array<char, 65536> bytes{};
  const ssize_t count = ::read(fd, bytes.data(), bytes.size());
  if (count > 0) {
    lines.append(bytes.data(), static_cast<std::size_t>(count));
    return ReadEnd::kOpen;
  }
  if (count < 0 && (errno == EINTR || errno == EAGAIN)) return ReadEnd::kOpen;
  closeFd(fd);
  return ReadEnd::kClosed;
}

}  // namespace

std::optional<std::string> LineBuffer::takeLine() {
  const std::size_t end = m_text.find('\n', m_searched);
  if (end == std::string::npos) {
    m_text.erase(0, m_begin);
    m_begin = 0;
    m_searched = m_text.size();
    return std::nullopt;
  }
  std::string line = m_text.substr(m_begin, end - m_begin);
  m_begin = m_searched = end + 1;
  return line;
}

std::string LineBuffer::takeRest() {
  std::string rest = m_text.substr(m_begin);
  m_text.clear();
  m_begin = m_searched = 0;
  return rest;
}

Result<RunnerProcess> RunnerProcess::start(const RunnerCommand& command) {
  if (command.arguments.empty()) return notStarted("", "no program was named");
  const std::string& program = command.arguments.front();
  Pipe input;
  Pipe output;
  Pipe error;
  Pipe failure;
  if (!input.open() || !output.open() || !error.open() || !failure.open()) {
    return notStarted(program, std::strerror(errno));
  }
  Words arguments;
  arguments.texts = command.arguments;
  arguments.finish();
  const Words environment = environmentOf(command);
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0) return notStarted(program, std::strerror(errno));
  if (pid == 0) becomeRunner(arguments, environment, {input.read, output.write, error.write}, failure.write, parent);

  ::setpgid(pid, pid);
  closeFd(failure.write);
  int why = 0;
  ssize_t told = 0;
  do {
    told = ::read(failure.read, &why, sizeof why);
  } while (told < 0 && errno == EINTR);
  if (told == static_cast<ssize_t>(sizeof why)) {
    ::waitpid(pid, nullptr, 0);
    return notStarted(program, std::strerror(why));
  }
  RunnerProcess process;
  process.m_pid = pid;
  process.m_input = std::exchange(input.write, -1);
  process.m_output = std::exchange(output.read, -1);
  process.m_error = std::exchange(error.read, -1);
  // So that a runner that does not read cannot stop this thread.
  ::fcntl(process.m_input, F_SETFL, O_NONBLOCK);
#ifdef SYS_pidfd_open
  process.m_exit = static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
#endif
  return process;
}

RunnerProcess::RunnerProcess(RunnerProcess&& other) noexcept
    : m_pid(std::exchange(other.m_pid, -1)),
      m_input(std::exchange(other.m_input, -1)),
      m_output(std::exchange(other.m_output, -1)),
      m_error(std::exchange(other.m_error, -1)),
      m_exit(std::exchange(other.m_exit, -1)),
      m_ending(std::exchange(other.m_ending, std::nullopt)) {}

RunnerProcess& RunnerProcess::operator=(RunnerProcess&& other) noexcept {
  if (this == &other) return *this;
  stopAndWait();
  m_pid = std::exchange(other.m_pid, -1);
  m_input = std::exchange(other.m_input, -1);
  m_output = std::exchange(other.m_output, -1);
  m_error = std::exchange(other.m_error, -1);
  m_exit = std::exchange(other.m_exit, -1);
  m_ending = std::exchange(other.m_ending, std::nullopt);
  return *this;
}

RunnerProcess::~RunnerProcess() { stopAndWait(); }

void RunnerProcess::closeAll() {
  closeFd(m_input);
  closeFd(m_output);
  closeFd(m_error);
  closeFd(m_exit);
}

void RunnerProcess::stopAndWait() {
  if (m_pid > 0 && !m_ending) {
    ::kill(-m_pid, SIGKILL);
    while (::waitpid(m_pid, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  m_pid = -1;
  closeAll();
}

void RunnerProcess::send(const std::string& line) {
  if (m_input < 0) return;
  const std::string text = line + '\n';
  std::size_t sent = 0;
  while (sent < text.size()) {
    const ssize_t count = ::write(m_input, text.data() + sent, text.size() - sent);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      closeFd(m_input);  // its end shows on the other pipes
      return;
    }
    sent += static_cast<std::size_t>(count);
  }
}

ReadEnd RunnerProcess::readOutput(LineBuffer& lines) { return readInto(m_output, lines); }
ReadEnd RunnerProcess::readError(LineBuffer& lines) { return readInto(m_error, lines); }

void RunnerProcess::signalGroup(int signal) {
  if (m_pid > 0 && !m_ending) ::kill(-m_pid, signal);
}

std::optional<RunnerProcess::Ending> RunnerProcess::ended() {
  if (m_ending || m_pid <= 0) return m_ending;
  int status = 0;
  if (::waitpid(m_pid, &status, WNOHANG) != m_pid) return std::nullopt;
  // Children of its own must not outlive it; the group still has its number while one of them lives.
  ::kill(-m_pid, SIGKILL);
  Ending ending;
  if (WIFSIGNALED(status)) {
    ending.signal = WTERMSIG(status);
  } else {
    ending.exitCode = WEXITSTATUS(status);
  }
  m_ending = ending;
  return m_ending;
}

}  // namespace attnscope
