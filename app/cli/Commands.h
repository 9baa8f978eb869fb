// SPDX-License-Identifier: Apache-2.0
#pragma once

// The commands. Each writes its answer to `output`; an error is about a file or about usage and is printed by Program.

#include <memory>
#include <stop_token>
#include <string>

#include "app/cli/Options.h"
#include "app/cli/Output.h"
#include "core/base/Result.h"
#include "core/trace/Trace.h"

namespace attnscope::cli {

// What ended a command early; `file` stands before the message where it is about one.
struct Failure {
  std::string file;
  Error error;
};
using Outcome = tl::expected<void, Failure>;

struct Context {
  const Options& options;
  Output& output;
  std::stop_token stop;
};

// Reads a trace, with progress on standard error where that is a terminal.
[[nodiscard]] tl::expected<std::shared_ptr<const Trace>, Failure> loadFor(const Context& context,
                                                                          const std::string& file);
[[nodiscard]] tl::unexpected<Failure> failure(const std::string& file, Error error);

[[nodiscard]] Outcome runInfo(const Context& context);
[[nodiscard]] Outcome runSlices(const Context& context);
[[nodiscard]] Outcome runInstants(const Context& context);
[[nodiscard]] Outcome runCounters(const Context& context);
[[nodiscard]] Outcome runOperators(const Context& context);
[[nodiscard]] Outcome runKernels(const Context& context);
[[nodiscard]] Outcome runMemory(const Context& context);
[[nodiscard]] Outcome runCompare(const Context& context);
[[nodiscard]] Outcome runConvert(const Context& context);

}  // namespace attnscope::cli
