// SPDX-License-Identifier: Apache-2.0
#pragma once

// How much of two runs stands for one another, and what that means for their comparison: of programs that have nothing
// in common one is not faster than the other. Pure functions, any thread; O(groups).

#include <cstddef>

#include "core/compare/Comparison.h"

namespace attnscope {

struct MatchedShares {  // of the time that calls took; 1 where they took none
  double base = 1;
  double other = 1;
};
// Device time where every run has it, else host self time. Work linked to no operator is of no call.
[[nodiscard]] MatchedShares matchedShares(const Comparison& comparison, std::size_t run);

// Puts in place what the shares say as a condition of each run, and with it whether the runs are comparable. Again
// after groups were paired or cut by hand.
void judgeMatchedWork(Comparison& comparison);

}  // namespace attnscope
