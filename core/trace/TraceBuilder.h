// SPDX-License-Identifier: Apache-2.0
#pragma once

// Turns events in any order into an immutable Trace: sorts, nests, links, names tracks, summarises.
// Called from one thread, may use workers of its own. The nesting rules stand in core/trace/README.md.
// O(n log n) in events; events that come sorted by time, as recorders write them, cost O(n).

#include <memory>
#include <stop_token>
#include <string>

#include "core/base/Progress.h"
#include "core/base/Result.h"
#include "core/trace/RawEvents.h"
#include "core/trace/Trace.h"

namespace attnscope {

struct BuiltTrace {
  std::shared_ptr<Trace> trace;  // complete but for argsSource and load
  std::string appendedText;      // args that were merged; they lie at RawTrace::textBytes and on
};

// `raw` is used up. Fails only with kCancelled or a limit of ours (2^32 - 2 slices or events).
[[nodiscard]] Result<BuiltTrace> buildTrace(RawTrace raw, Progress& progress, std::stop_token stop,
                                            unsigned threads = 0);

}  // namespace attnscope
