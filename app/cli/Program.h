// SPDX-License-Identifier: Apache-2.0
#pragma once

// The program without main(): arguments in, exit code out.

#include <stop_token>
#include <string>
#include <vector>

namespace attnscope::cli {

[[nodiscard]] int runProgram(const std::vector<std::string>& arguments, std::stop_token stop);

}  // namespace attnscope::cli
