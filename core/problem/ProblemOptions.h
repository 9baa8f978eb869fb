// SPDX-License-Identifier: Apache-2.0
#pragma once

// A problem as options of the command line and back: `--batch 2 --heads 16 --causal=bottom-right`. Pure; any thread.

#include <span>
#include <string>
#include <vector>

#include "core/base/Result.h"
#include "core/problem/Problem.h"

namespace attnscope {

struct ParsedOptions {
  Problem problem;
  std::vector<std::string> rest;  // what is no problem option, in its order
};

// Takes the problem options out of `arguments` (both `--heads 8` and `--heads=8`). A preset counts first, wherever it
// stands; what is not said follows: key/value heads the heads, keys the queries, value heads the head size.
// `--causal` and `--window` without an alignment are top-left where there are as many queries as keys and an error
// that asks which where not. The problem is checked by validate(). Errors are kUsage.
[[nodiscard]] Result<ParsedOptions> parseProblemOptions(std::span<const std::string> arguments);

// The options that give this problem, shortest first form: only what differs from the defaults of the command line,
// but always lengths, heads and head size. parseProblemOptions(optionsOf(p)) gives p.
[[nodiscard]] std::vector<std::string> optionsOf(const Problem& problem);
// Joined for a shell, with quotes where a word needs them.
[[nodiscard]] std::string joinForShell(std::span<const std::string> words);

}  // namespace attnscope
