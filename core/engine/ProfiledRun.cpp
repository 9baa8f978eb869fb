// SPDX-License-Identifier: Apache-2.0
#include "core/engine/ProfiledRun.h"

#include <algorithm>

#include "core/engine/Benchmark.h"
#include "core/engine/Stage.h"
#include "core/engine/recorders/KinetoRecorder.h"

namespace attnscope::engine {

Result<ProfiledRun> recordProfiledRun(const std::function<void()>& call, int steps, const std::string& description,
                                      const std::filesystem::path& file) {
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
  if (Result<void> saved = recorder.save(file); !saved) return fail(saved.error());
  return run;
}

}  // namespace attnscope::engine
