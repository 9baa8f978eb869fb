// SPDX-License-Identifier: Apache-2.0
#pragma once

// The commands. Each writes its answer to `output`; an error is about a file or about usage and is printed by Program.

#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "app/cli/Options.h"
#include "app/cli/Output.h"
#include "app/cli/ScratchFolder.h"
#include "core/base/Result.h"
#include "core/trace/Trace.h"

namespace attnscope::cli {

// What ended a command early; `file` stands before the message where it is about one.
struct Failure {
  std::string file;
  Error error;
  std::optional<int> code = {};  // of the program's exit; none: as the error's kind says
};
using Outcome = tl::expected<void, Failure>;

struct Context {
  const Options& options;
  Output& output;
  std::stop_token stop;
  ScratchFolder& scratch;
};

// Reads a trace, with progress on standard error where that is a terminal. `FILE#member` names a trace of a session
// file; a session file of several alone is a failure that lists them.
[[nodiscard]] tl::expected<std::shared_ptr<const Trace>, Failure> loadFor(const Context& context,
                                                                          const std::string& file);
// A file that is one trace, which is spoken of as `name`.
[[nodiscard]] tl::expected<std::shared_ptr<const Trace>, Failure> loadFileFor(const Context& context,
                                                                              const std::string& file,
                                                                              const std::string& name);
[[nodiscard]] tl::unexpected<Failure> failure(const std::string& file, Error error);

[[nodiscard]] Outcome runInfo(const Context& context);
[[nodiscard]] Outcome runSlices(const Context& context);
[[nodiscard]] Outcome runInstants(const Context& context);
[[nodiscard]] Outcome runCounters(const Context& context);
[[nodiscard]] Outcome runOperators(const Context& context);
[[nodiscard]] Outcome runKernels(const Context& context);
[[nodiscard]] Outcome runMemory(const Context& context);
[[nodiscard]] Outcome runAttention(const Context& context);
[[nodiscard]] Outcome runFindings(const Context& context);
[[nodiscard]] Outcome runCompare(const Context& context);
[[nodiscard]] Outcome runConvert(const Context& context);
[[nodiscard]] Outcome runImplementations(const Context& context);
[[nodiscard]] Outcome runRun(const Context& context);

}  // namespace attnscope::cli
