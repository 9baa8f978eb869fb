// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a person paired or cut by hand in a comparison. It names groups by what they hold (names, shapes, match), so
// that it holds for every scope and for other recordings of the same programs. A value; core/compare applies it.

#include <cstdint>
#include <string>

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

}  // namespace attnscope
