// SPDX-License-Identifier: Apache-2.0
#pragma once

// What must be equal for two runs to be compared, and what a difference means. Pure functions; the type of attention
// inputs is read from the trace's args (a few slices). Any thread.

#include <vector>

#include "core/compare/Comparison.h"

namespace attnscope {

// Everything that differs between the base and run number `run`, refusals first.
[[nodiscard]] std::vector<Condition> conditionsBetween(const ComparedRun& base, const ComparedRun& other,
                                                       std::size_t run);
[[nodiscard]] std::uint64_t stepsIn(const Trace& trace, TimeRange scope);
[[nodiscard]] bool hasShapes(const Trace& trace);
[[nodiscard]] bool hasDeviceTime(const Trace& trace);

}  // namespace attnscope
