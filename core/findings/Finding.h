// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a rule found: the headline with its numbers, why it matters, what to change, what that saves at most, and the
// slices that prove it. Values; English, as every message of core.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/Ids.h"
#include "core/base/TimeRange.h"

namespace attnscope {

enum class FindingSeverity : std::uint8_t { kInfo, kWarning, kProblem };
[[nodiscard]] std::string_view toString(FindingSeverity severity);  // "info", "warning", "problem"

// How sure it is that the finding is what it says.
enum class Confidence : std::uint8_t {
  kMeasured,  // read off recorded times, bytes and links
  kInferred,  // from the order and the shapes of recorded work
  kNamed,     // from names alone
};
[[nodiscard]] std::string_view toString(Confidence confidence);  // "measured", "inferred", "named"

// What leads to the proof. One of: slices, a stretch of time, a kernel with its slices.
struct Evidence {
  std::string title;            // "96 copies", "longest gap"
  std::vector<SliceId> slices;  // in order of start
  std::optional<TimeRange> range;
  StringId kernel = kNoString;
};

struct Finding {
  std::string_view rule;
  FindingSeverity severity = FindingSeverity::kInfo;
  Confidence confidence = Confidence::kMeasured;
  std::string headline;
  std::string why;
  std::string change;
  std::optional<std::int64_t> savingNs;  // an upper bound
  std::string savingFormula;             // in words; empty without a saving
  std::vector<Evidence> evidence;
  std::vector<std::string> caveats;  // what would make it wrong
};

}  // namespace attnscope
