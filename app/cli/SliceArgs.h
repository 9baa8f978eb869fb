// SPDX-License-Identifier: Apache-2.0
#pragma once

// Args of many rows, read in few pieces: rows come in order of time, texts lie in order of writing.

#include <optional>
#include <string>
#include <vector>

#include "core/trace/Trace.h"

namespace attnscope::cli {

inline constexpr std::size_t kArgsBatch = 16384;  // rows whose args are held at a time

// The text of each range, or nullopt where there is none or it cannot be read.
[[nodiscard]] std::vector<std::optional<std::string>> readArgs(const Trace& trace,
                                                               const std::vector<TextRange>& ranges);

}  // namespace attnscope::cli
