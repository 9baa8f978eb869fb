// SPDX-License-Identifier: Apache-2.0
#pragma once

// Groups that a person paired or cut: the rules, applied. Values; any thread.

#include <vector>

#include "core/compare/Comparison.h"
#include "core/session/PairRule.h"

namespace attnscope {

// Whether a person may pair the two, and cut the one.
[[nodiscard]] bool canPair(const ComparisonGroup& base, const ComparisonGroup& other);
[[nodiscard]] bool canCut(const ComparisonGroup& group);

// Rules that name what is not there change nothing. Sums stay what they were. O(rules * groups + calls).
void applyPairRules(Comparison& comparison, const std::vector<PairRule>& rules);

}  // namespace attnscope
