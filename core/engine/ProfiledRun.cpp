// SPDX-License-Identifier: Apache-2.0
#include "core/engine/ProfiledRun.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>

#include "core/engine/Benchmark.h"
#include "core/engine/InsideView.h"
#include "core/engine/Stage.h"
#include "core/engine/recorders/KinetoRecorder.h"

namespace attnscope::engine {
namespace {

// As many pairs of calls as take a quarter of a second, 16 at most.
int pairsFor(std::int64_t perCallNs) {
  return static_cast<int>(std::clamp<std::int64_t>(125'000'000 / std::max<std::int64_t>(1, perCallNs), 1, 16));
}

MoreEvents insideEvents(const std::function<void()>& call, std::int64_t perCallNs, Inside* inside) {
  if (inside == nullptr) return {};
  const int pid = getpid();
  if (const auto refusal = inside->refusal()) {
    const auto time = std::chrono::system_clock::now().time_since_epoch();
    const std::int64_t timeNs = std::chrono::duration_cast<std::chrono::nanoseconds>(time).count();
    return [=](std::int64_t baseNs) { return traceEventsOf(*refusal, timeNs, baseNs, pid); };
  }
  const InsideView view = lookInside(call, *inside, pairsFor(perCallNs));
  return [=](std::int64_t baseNs) { return traceEventsOf(view, baseNs, pid); };
}

}  // namespace

Result<ProfiledRun> recordProfiledRun(const std::function<void()>& call, int steps, const std::string& description,
                                      const std::filesystem::path& file, Inside* inside) {
  KinetoRecorder recorder;
  if (Result<void> started = recorder.start(); !started) return fail(started.error());
  recorder.describe("attnscope", description);
  ProfiledRun run;
  for (int step = 0; step < steps; ++step) {
    const std::int64_t start = now().wallNs;
    {
      const Stage stage("ProfilerStep#" + std::to_string(step));
      call();
    }
    const std::int64_t taken = now().wallNs - start;
    run.perCallNs = step == 0 ? taken : std::min(run.perCallNs, taken);
  }
  if (Result<void> stopped = recorder.stop(); !stopped) return fail(stopped.error());
  if (Result<void> saved = recorder.save(file, insideEvents(call, run.perCallNs, inside)); !saved)
    return fail(saved.error());
  return run;
}

}  // namespace attnscope::engine
