// SPDX-License-Identifier: Apache-2.0
#pragma once

// attnscope-runner, the program beside this one that runs implementations: where it is and what it can run.

#include <map>
#include <stop_token>
#include <string>

#include "app/cli/ScratchFolder.h"
#include "core/base/Result.h"
#include "core/problem/Problem.h"

namespace attnscope::cli {

// ATTNSCOPE_RUNNER, else attnscope-runner in this program's folder.
[[nodiscard]] std::string runnerPath();

struct RunnerDescription {
  std::string version;
  std::string libtorch;
  std::string cpuCapability;
  std::map<std::string, std::string> devices;          // by id ("cpu", "cuda"): why not, empty where it is there
  std::map<std::string, std::string> implementations;  // by id: why not, empty where it can run
};
// What the runner says that it can run of this problem. Waits for it, 60 s at most.
[[nodiscard]] Result<RunnerDescription> describeRunner(const Problem& problem, ScratchFolder& scratch,
                                                       std::stop_token stop);

}  // namespace attnscope::cli
