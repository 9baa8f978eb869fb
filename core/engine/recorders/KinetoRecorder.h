// SPDX-License-Identifier: Apache-2.0
#pragma once

// Records this thread's operators, their shapes and the memory with PyTorch's own profiler (Kineto), as Python's
// torch.profiler does, and saves its Chrome trace. start(), the work and stop() on one thread; one recorder at a time
// in a process. A profiled run is slower: never take a benchmark's figures from it.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "core/base/Result.h"

namespace torch::autograd::profiler {
struct ProfilerResult;
}

namespace attnscope::engine {

// Events to stand before the recorded ones, each with a comma behind it; their times are counted from `baseNs`, of
// CLOCK_REALTIME.
using MoreEvents = std::function<std::string(std::int64_t baseNs)>;

class KinetoRecorder {
 public:
  KinetoRecorder();
  KinetoRecorder(const KinetoRecorder&) = delete;
  KinetoRecorder& operator=(const KinetoRecorder&) = delete;
  ~KinetoRecorder();  // ends a recording that was not stopped

  [[nodiscard]] Result<void> start();
  // A top-level member of the trace; `json` is its value. While recording.
  void describe(const std::string& key, const std::string& json);
  [[nodiscard]] Result<void> stop();
  // After stop(), once. The trace carries the file's name without its folder, and appears whole or not at all.
  [[nodiscard]] Result<void> save(const std::filesystem::path& file, const MoreEvents& more = {});

 private:
  [[nodiscard]] Result<void> writeThrough(const std::filesystem::path& part, const std::filesystem::path& file,
                                          const MoreEvents& more);

  bool m_recording = false;
  std::unique_ptr<torch::autograd::profiler::ProfilerResult> m_result;
};

}  // namespace attnscope::engine
