// SPDX-License-Identifier: Apache-2.0

// Reading a file for a command, with progress on a terminal.

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include <unistd.h>

#include "app/cli/Commands.h"
#include "app/cli/SessionMembers.h"
#include "core/base/Progress.h"
#include "core/import/TraceLoader.h"

namespace attnscope::cli {

namespace {

constexpr auto kFirstAfter = std::chrono::milliseconds(300);  // shorter loads show nothing
constexpr auto kEvery = std::chrono::milliseconds(100);

// One line on standard error that is rewritten while it lives.
class ProgressLine {
 public:
  explicit ProgressLine(const Progress& progress)
      : m_progress(progress), m_thread([this](std::stop_token stop) { show(stop); }) {}
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  ~ProgressLine() {
    m_thread.request_stop();
    m_thread.join();
    if (m_shown) std::fputs("\r\x1b[K", stderr);
  }

 private:
  void show(std::stop_token stop) {
    std::mutex mutex;
    std::condition_variable_any ended;
    std::unique_lock lock(mutex);
    auto wait = kFirstAfter;
    while (!ended.wait_for(lock, stop, wait, [&] { return stop.stop_requested(); })) {
      wait = kEvery;
      m_shown = true;
      const std::uint64_t total = m_progress.total();
      const auto events = static_cast<unsigned long long>(m_progress.events());
      if (total != 0) {
        const std::uint64_t done = std::min(m_progress.done(), total);
        std::fprintf(stderr, "\r\x1b[K%s %.0f %% (%llu events)", m_progress.stage(),
                     100.0 * static_cast<double>(done) / static_cast<double>(total), events);
      } else {
        std::fprintf(stderr, "\r\x1b[K%s (%llu events)", m_progress.stage(), events);
      }
      std::fflush(stderr);
    }
  }

  const Progress& m_progress;
  bool m_shown = false;
  std::jthread m_thread;
};

}  // namespace

tl::unexpected<Failure> failure(const std::string& file, Error error) {
  return tl::unexpected<Failure>(Failure{file, std::move(error)});
}

tl::expected<std::shared_ptr<const Trace>, Failure> loadFileFor(const Context& context, const std::string& file,
                                                                const std::string& name) {
  Progress progress;
  auto loaded = [&] {
    std::optional<ProgressLine> line;
    if (!context.options.quiet && isatty(STDERR_FILENO) != 0) line.emplace(progress);
    LoadOptions options;
    options.limits = context.options.unpack;
    return loadTrace(file, options, progress, context.stop);
  }();
  if (!loaded) return failure(name, loaded.error());
  // Nobody else has it yet: it was made for this call, and not as a constant.
  if (file != name) std::const_pointer_cast<Trace>(*loaded)->path = name;
  return std::move(*loaded);
}

tl::expected<std::shared_ptr<const Trace>, Failure> loadFor(const Context& context, const std::string& file) {
  const auto session = sessionInput(file);
  if (!session) return tl::unexpected(session.error());
  if (!*session) return loadFileFor(context, file, file);
  const SessionInput& input = **session;
  const auto& traces = input.session.traces;
  if (input.member) return loadMember(context, input, traces[*input.member]);
  if (traces.size() == 1) return loadMember(context, input, traces.front());
  Error error;
  error.kind = ErrorKind::kUsage;
  error.what = traces.empty() ? "it is a session without traces" : "it is a session of several traces";
  error.remedy = traces.empty() ? "attnscope-cli info shows its times"
                                : "name one of " + membersInWords(input.file, input.session);
  return failure(input.file, std::move(error));
}

}  // namespace attnscope::cli
