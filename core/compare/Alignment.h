// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which part of each run is compared and where its zero is put. Pure functions, any thread, O(n) in slices.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/Result.h"
#include "core/base/TimeRange.h"
#include "core/trace/Trace.h"

namespace attnscope {

enum class AlignmentKind : std::uint8_t {
  kStart,        // whole trace, zero at its first event
  kStep,         // from the first ProfilerStep that is compared to the end of the last, zero at the first of them
  kAnnotation,   // from the first annotation of a name to the end of the last, zero at the first
  kFirstKernel,  // whole trace, zero at the first kernel
  kWallClock,    // whole trace, zero of the base; the other runs lie where the clock says
};

// The first recorded step carries what is done once: where there are three or more it is left out unless it is wanted.
enum class FirstStep : std::uint8_t { kLeaveOut, kKeep };
inline constexpr std::size_t kFewestToLeaveOut = 3;

struct Alignment {
  AlignmentKind kind = AlignmentKind::kStart;
  std::string annotation;
  FirstStep firstStep = FirstStep::kLeaveOut;  // of kStep
};

struct AlignedScope {
  TimeRange scope = TimeRange::all();
  std::int64_t zeroNs = 0;       // of the trace's time: what is drawn and reported as 0
  std::size_t stepsLeftOut = 0;  // at the beginning
};

// "step", "annotation:NAME", "start", "first-kernel", "wall-clock".
[[nodiscard]] std::optional<Alignment> parseAlignment(std::string_view text);
[[nodiscard]] std::string toString(const Alignment& alignment);
// Fails with kUsage when the run has nothing to align by.
[[nodiscard]] Result<AlignedScope> alignedScope(const Trace& trace, const Alignment& alignment, const Trace& base);

// Where something begins that a run moved by hand may be put to: steps, annotations, and the first kernel.
struct Landmark {
  std::int64_t startNs = 0;   // own time
  StringId name = kNoString;  // none: the first kernel
};
[[nodiscard]] std::vector<Landmark> landmarks(const Trace& trace);  // in order of time

}  // namespace attnscope
