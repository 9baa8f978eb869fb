// SPDX-License-Identifier: Apache-2.0
#pragma once

// Values of a file as JSON: in the order and with the digits in which they were written. What JSON or 64 bits cannot
// hold (inf, N/A, 1e400, integers beyond 64 bits) becomes a string; a text that cannot be taken for a value, or that
// nests deeper than 64 brackets, becomes one string as a whole.

#include <string>
#include <string_view>

namespace attnscope::cli {

void appendJsonValue(std::string& out, std::string_view text);

}  // namespace attnscope::cli
