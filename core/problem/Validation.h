// SPDX-License-Identifier: Apache-2.0
#pragma once

// What is wrong with a problem, in words that say what to change. Pure; any thread.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/Result.h"
#include "core/problem/Problem.h"

namespace attnscope {

enum class ProblemField : std::uint8_t {
  kBatch,
  kHeads,
  kKeyValueHeads,
  kQueryLength,
  kKeyValueLength,
  kHeadSize,
  kValueHeadSize,
  kDtype,
  kMask,
  kScale,
  kSoftcap,
  kDropout,
  kLatent,
  kWorkload,
  kLayout,
};
// The command line's option: "--kv-heads". Empty for the scale, which has none.
[[nodiscard]] std::string_view optionOf(ProblemField field);

enum class RemarkSeverity : std::uint8_t { kWarning, kError };  // a warning does not block the run

struct Remark {
  ProblemField field = ProblemField::kBatch;
  RemarkSeverity severity = RemarkSeverity::kError;
  std::string message;  // "12 does not divide 16 heads. Use 1, 2, 4, 8 or 16."
};

// In order of the form's fields; empty where all is well.
[[nodiscard]] std::vector<Remark> validate(const Problem& problem);
[[nodiscard]] bool hasError(const std::vector<Remark>& remarks);
// The first error as an Error (kUsage), else the problem itself.
[[nodiscard]] Result<Problem> validated(Problem problem);

}  // namespace attnscope
