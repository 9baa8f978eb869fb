// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a program prints, from its start to its end.

#include <stop_token>
#include <string>

#include "core/base/Result.h"
#include "core/session/RunController.h"

namespace attnscope::cli {

struct ProcessOutput {
  std::string output;
  std::string log;    // of its standard error
  int exitCode = -1;  // -1: a signal ended it
};
// Waits 60 s at most; it is killed where it takes longer, says more than `atMostBytes`, or a stop is asked for.
[[nodiscard]] Result<ProcessOutput> outputOf(const RunnerCommand& command, std::size_t atMostBytes,
                                             std::stop_token stop);

}  // namespace attnscope::cli
