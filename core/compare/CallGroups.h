// SPDX-License-Identifier: Apache-2.0
#pragma once

// From matched calls to the rows of a comparison. Calls that any run links become one unit; units of the same calls
// matched in the same way become one group. Pure, any thread, near-linear in the calls of all runs.

#include <stop_token>
#include <vector>

#include "core/compare/Comparison.h"

namespace attnscope {

// Fills `groups`, `totals` and `groupOfNode`; `byDevice` and `byShape` are already known.
void addCallGroups(const std::vector<ComparedRun>& runs, Comparison& comparison, const std::stop_token& stop);

// By amount of the largest difference downwards; the profiler's own work last. `groupOfNode` follows.
void sortGroups(Comparison& comparison);

}  // namespace attnscope
