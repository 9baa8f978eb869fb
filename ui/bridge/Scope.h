// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The one scope that every table and chart obeys, and how runs are laid over one another. Values.

#include <cstdint>

#include "core/base/TimeRange.h"

namespace attnscope::ui {

enum class ScopeKind : std::uint8_t { kWhole, kStep, kRange };

struct Scope {
  ScopeKind kind = ScopeKind::kWhole;
  int step = 0;     // position in each trace's steps, where kind is kStep
  TimeRange range;  // aligned time, where kind is kRange
  bool operator==(const Scope&) const = default;
};

// Aligned time of a run = its own time less its anchor. The anchor is zero on the shared ruler.
enum class Alignment : std::uint8_t {
  kStart,        // anchor: start of the trace's dense range
  kStep,         // start of the step in view (the scope's, else the first); runs without steps as kStart
  kFirstKernel,  // start of the first kernel in scope; runs without kernels as kStart
  kAnnotation,   // start of the first annotation of the chosen name in scope; runs without it as kStart
  kWallClock,    // the same moment of the clock for all, the baseline's start; runs without a clock as kStart
  kSlices,       // start of the slice that was picked in each run; runs where none was picked as kStart
};

enum class SliceColour : std::uint8_t { kKind, kChange };

}  // namespace attnscope::ui
