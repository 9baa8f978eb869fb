// SPDX-License-Identifier: Apache-2.0
#pragma once

// The program without main(): arguments in, exit code out.

#include <chrono>
#include <stop_token>
#include <string>
#include <vector>

namespace attnscope::cli {

// How long the program may take to end by itself after it was asked to stop.
[[nodiscard]] std::chrono::seconds graceAfterInterrupt(const std::vector<std::string>& arguments);
[[nodiscard]] int runProgram(const std::vector<std::string>& arguments, std::stop_token stop);

}  // namespace attnscope::cli
