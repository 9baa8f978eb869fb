// SPDX-License-Identifier: Apache-2.0
#pragma once

// Writes a trace as a Chrome trace that this and other viewers open: valid JSON in UTF-8, slices as X events, exact
// times with decimals, args as they stand in the file. Read back it gives the same slices, instants, counters, arrows
// and names; what stays out is listed in core/export/README.md. Synchronous, any thread.

#include <stop_token>
#include <string>

#include "core/base/Progress.h"
#include "core/base/Result.h"
#include "core/trace/Trace.h"

namespace attnscope {

// gzip where `path` ends in ".gz". The file appears whole or not at all: it is written beside `path` and renamed.
[[nodiscard]] Result<void> writeChromeTrace(const Trace& trace, const std::string& path, Progress& progress,
                                            std::stop_token stop);

}  // namespace attnscope
