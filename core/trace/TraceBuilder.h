// SPDX-License-Identifier: Apache-2.0
#pragma once

// Turns events in any order into an immutable Trace: sorts, nests, links, names tracks, summarises.
// For one thread (it may use workers of its own). The nesting rules stand in core/trace/README.md.

#include <cstdint>
#include <memory>
#include <stop_token>

#include "core/base/Progress.h"
#include "core/base/Result.h"
#include "core/trace/Trace.h"

namespace attnscope {}  // the declaration is the import engineer's to shape
