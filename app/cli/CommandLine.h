// SPDX-License-Identifier: Apache-2.0
#pragma once

// Arguments to Options. Text that answers by itself (help, version) and faults of usage end the program.

#include <string>
#include <variant>
#include <vector>

#include "app/cli/Options.h"

namespace attnscope::cli {

struct Ending {
  int code = kDone;
  std::string out;    // for standard output
  std::string error;  // one line for standard error, without the program's name
};

// `arguments` without the program's name.
[[nodiscard]] std::variant<Options, Ending> parseCommandLine(const std::vector<std::string>& arguments);
// The word of `words` with the fewest edits to `text`, or empty where none is near.
[[nodiscard]] std::string nearestWord(const std::string& text, const std::vector<std::string>& words);

}  // namespace attnscope::cli
