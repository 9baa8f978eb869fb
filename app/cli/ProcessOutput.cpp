// SPDX-License-Identifier: Apache-2.0
#include "app/cli/ProcessOutput.h"

#include <poll.h>

#include <array>
#include <chrono>
#include <thread>
#include <utility>

#include "core/session/RunnerProcess.h"

namespace attnscope::cli {

namespace {

constexpr auto kLongest = std::chrono::seconds(60);
constexpr int kPollMilliseconds = 100;

tl::unexpected<Error> failed(std::string what, std::string remedy) {
  Error error;
  error.kind = ErrorKind::kInternal;
  error.what = std::move(what);
  error.remedy = std::move(remedy);
  return fail(std::move(error));
}

}  // namespace

Result<ProcessOutput> outputOf(const RunnerCommand& command, std::size_t atMostBytes, std::stop_token stop) {
  Result<RunnerProcess> process = RunnerProcess::start(command);
  if (!process) return tl::unexpected<Error>(process.error());
  const auto end = std::chrono::steady_clock::now() + kLongest;
  LineBuffer output(atMostBytes);
  LineBuffer log(atMostBytes);
  while (process->outputFd() >= 0 || process->errorFd() >= 0) {
    if (stop.stop_requested()) return cancelled();
    if (std::chrono::steady_clock::now() > end) return failed("the runner did not answer", "try again");
    if (output.tooLong() || log.tooLong()) return failed("the runner's answer has no end", "build it again");
    std::array<pollfd, 2> ready{{{process->outputFd(), POLLIN, 0}, {process->errorFd(), POLLIN, 0}}};
    if (::poll(ready.data(), ready.size(), kPollMilliseconds) <= 0) continue;
    if (ready[0].revents != 0) static_cast<void>(process->readOutput(output));
    if (ready[1].revents != 0) static_cast<void>(process->readError(log));
  }
  std::optional<RunnerProcess::Ending> ending;
  while (!(ending = process->ended())) {
    if (stop.stop_requested()) return cancelled();
    if (std::chrono::steady_clock::now() > end) return failed("the runner did not end", "try again");
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return ProcessOutput{output.takeRest(), log.takeRest(), ending->exitCode.value_or(-1)};
}

}  // namespace attnscope::cli
