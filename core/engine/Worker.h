// SPDX-License-Identifier: Apache-2.0
#pragma once

// The runner's side of the protocol (core/session/README.md): reads a plan, runs it, tells what happens. All work is
// done on the calling thread; a second one waits for a cancel. No LibTorch in this header.

#include <cstdint>
#include <string>

namespace attnscope::engine {

enum class TestHookUse : std::uint8_t { kIgnore, kObey };

struct WorkerOptions {
  std::string runnerVersion;
  TestHookUse testHooks = TestHookUse::kIgnore;
  int input = 0;  // file descriptors
  int output = 1;
};

// The process's exit code (kRunnerExit... of Protocol.h). Once in a process, before anything else uses LibTorch.
[[nodiscard]] int runWorker(const WorkerOptions& options);

}  // namespace attnscope::engine
