// SPDX-License-Identifier: Apache-2.0
#pragma once

// Groups that a person paired or cut. A rule names groups by what they hold (names, shapes, match), so that it holds
// for every scope and for other recordings of the same programs. Values; any thread.

#include <string>
#include <vector>

#include "core/compare/Comparison.h"

namespace attnscope {

enum class PairRuleKind : std::uint8_t {
  kPair,  // a group of the base alone and one of the others alone stand for each other
  kCut,   // a matched group is none: either side stands alone
};

struct PairRule {
  PairRuleKind kind = PairRuleKind::kPair;
  std::string base;   // ComparisonGroup::key
  std::string other;  // likewise; empty for kCut
  bool operator==(const PairRule&) const = default;
};

// Whether a person may pair the two, and cut the one.
[[nodiscard]] bool canPair(const ComparisonGroup& base, const ComparisonGroup& other);
[[nodiscard]] bool canCut(const ComparisonGroup& group);

// Rules that name what is not there change nothing. Sums stay what they were. O(rules * groups + calls).
void applyPairRules(Comparison& comparison, const std::vector<PairRule>& rules);

}  // namespace attnscope
