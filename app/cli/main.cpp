// SPDX-License-Identifier: Apache-2.0

// Interrupts become a stop request; everything else is Program's.

#include <csignal>
#include <cstdio>
#include <ctime>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include <unistd.h>

#include "app/cli/Options.h"
#include "app/cli/Program.h"

namespace {
constexpr long kTogetherNanoseconds = 300'000'000;
}

int main(int count, char** values) {
  // All threads block the signals and one waits for them: a handler could not request a stop safely.
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::signal(SIGPIPE, SIG_IGN);

  const std::vector<std::string> arguments(values + (count > 0 ? 1 : 0), values + count);
  const timespec grace{static_cast<std::time_t>(attnscope::cli::graceAfterInterrupt(arguments).count()), 0};
  static std::stop_source stop;  // outlives the thread that waits
  std::thread([signals, grace] {
    int number = 0;
    if (sigwait(&signals, &number) != 0) return;
    stop.request_stop();
    // One interrupt may come twice at once, as from timeout(1), which signals the process and its group.
    const timespec together{0, kTogetherNanoseconds};
    nanosleep(&together, nullptr);
    const timespec none{0, 0};
    while (sigtimedwait(&signals, nullptr, &none) > 0) {
    }
    // Asked twice, or held up where no stop is seen, as by a pipe that nobody writes to.
    sigtimedwait(&signals, nullptr, &grace);
    _exit(attnscope::cli::kInterrupted);
  }).detach();

  const int code = attnscope::cli::runProgram(arguments, stop.get_token());
  // The waiting thread still uses `stop`: no destructors of statics.
  std::fflush(nullptr);
  _exit(code);
}
