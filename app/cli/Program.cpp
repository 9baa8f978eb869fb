// SPDX-License-Identifier: Apache-2.0
#include "app/cli/Program.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <new>
#include <utility>

#include "app/cli/CommandLine.h"
#include "app/cli/Commands.h"
#include "app/cli/Table.h"

namespace attnscope::cli {

namespace {

constexpr std::array<std::pair<const char*, Outcome (*)(const Context&)>, 13> kCommands = {
    {{"info", runInfo},
     {"slices", runSlices},
     {"instants", runInstants},
     {"counters", runCounters},
     {"operators", runOperators},
     {"kernels", runKernels},
     {"memory", runMemory},
     {"attention", runAttention},
     {"findings", runFindings},
     {"compare", runCompare},
     {"convert", runConvert},
     {"implementations", runImplementations},
     {"run", runRun}}};

void printError(const std::string& line) { std::fprintf(stderr, "attnscope-cli: %s\n", oneLine(line).c_str()); }

int exitCode(const Error& error) {
  switch (error.kind) {
    case ErrorKind::kUsage:
      return kWrongUsage;
    case ErrorKind::kCancelled:
      return kInterrupted;
    case ErrorKind::kInput:
    case ErrorKind::kInternal:
      return kUnreadable;
  }
  return kUnreadable;
}

int runCommand(const Options& options, Output& output, std::stop_token stop) {
  for (const auto& [name, command] : kCommands) {
    if (options.command != name) continue;
    ScratchFolder scratch;
    const Outcome outcome = command({options, output, stop, scratch});
    output.flush();
    if (!outcome) {
      const Failure& failed = outcome.error();
      printError(failed.file.empty() ? failed.error.message() : failed.file + ": " + failed.error.message());
      return failed.code.value_or(exitCode(failed.error));
    }
    return stop.stop_requested() ? kInterrupted : kDone;
  }
  return kWrongUsage;
}

}  // namespace

std::chrono::seconds graceAfterInterrupt(const std::vector<std::string>& arguments) {
  // A run ends its runner, which may take seconds, and writes the rounds that are complete.
  const bool isRun = std::find(arguments.begin(), arguments.end(), "run") != arguments.end();
  return std::chrono::seconds(isRun ? 20 : 2);
}

int runProgram(const std::vector<std::string>& arguments, std::stop_token stop) {
  Output output(stdout);
  try {
    const auto parsed = parseCommandLine(arguments);
    if (const Ending* ending = std::get_if<Ending>(&parsed)) {
      output.write(ending->out);
      if (!ending->error.empty()) printError(ending->error);
      return ending->code;
    }
    return runCommand(std::get<Options>(parsed), output, std::move(stop));
  } catch (const std::bad_alloc&) {
    printError("memory ran out: close other programs or use a machine with more");
  } catch (const std::exception& error) {
    printError(std::string("a fault of ours: ") + error.what() + ": report it with the file");
  }
  return kUnreadable;
}

}  // namespace attnscope::cli
