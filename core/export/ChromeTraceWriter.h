// SPDX-License-Identifier: Apache-2.0
#pragma once

// Writes a trace, or a range of it, as a Chrome trace that this and other viewers open: valid JSON in UTF-8, slices as
// X events, exact times with decimals, args as they stand in the file. A whole trace read back gives the same slices,
// instants, counters, arrows, stacks and names; what stays out is listed in core/export/README.md. Synchronous, any
// thread.

#include <optional>
#include <stop_token>
#include <string>

#include "core/base/Progress.h"
#include "core/base/Result.h"
#include "core/trace/Trace.h"

namespace attnscope {

struct WriteOptions {
  // Of the trace's own time. Slices that overlap it are written whole, so that those that enclose the rest are there;
  // with them the calls that launched device work inside it, the operators of both, arrows between what is written,
  // instants inside, and counters from their last value before it.
  std::optional<TimeRange> range;
  bool keepsPersonal = false;  // else without home folders, names of users and machines, tokens (Redaction.h)
};

// gzip where `path` ends in ".gz". The file appears whole or not at all: it is written beside `path` and renamed.
[[nodiscard]] Result<void> writeChromeTrace(const Trace& trace, const std::string& path, const WriteOptions& options,
                                            Progress& progress, std::stop_token stop);

}  // namespace attnscope
