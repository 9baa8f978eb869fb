// SPDX-License-Identifier: Apache-2.0

// Exit codes, messages and help.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/cli/RunCli.h"

namespace attnscope {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

void expectUsageError(const std::string& arguments, const std::string& part) {
  const CliRun run = runCli(arguments);
  EXPECT_EQ(run.code, 2) << arguments;
  EXPECT_TRUE(run.out.empty()) << arguments << ": " << run.out;
  EXPECT_THAT(run.error, StartsWith("attnscope-cli: ")) << arguments;
  EXPECT_THAT(run.error, HasSubstr(part)) << arguments;
  EXPECT_EQ(std::count(run.error.begin(), run.error.end(), '\n'), 1) << run.error;
}

TEST(Usage, NoCommandAndUnknownCommands) {
  expectUsageError("", "no command");
  expectUsageError("operator x.json", "did you mean operators?");
  expectUsageError("kernals x.json", "did you mean kernels?");
  expectUsageError("inof x.json", "did you mean info?");
  expectUsageError("zzzzzzzzz", "is no command");
  expectUsageError("'" + data("cpu_small.json") + "'", "write attnscope-cli info");
}

TEST(Usage, CommandsToComeSaySo) {
  for (const char* name : {"sweep", "report", "check"}) {
    expectUsageError(std::string(name) + " x.json", "not there yet");
    EXPECT_THAT(runCli("--help").out, HasSubstr(name));
  }
}

TEST(Usage, OptionsThatAreWrong) {
  const std::string file = " '" + data("cpu_small.json") + "'";
  expectUsageError("info", "FILE");
  expectUsageError("info --jsn" + file, "--jsn");
  expectUsageError("slices --limit many" + file, "--limit");
  expectUsageError("slices --limit -1" + file, "--limit");
  expectUsageError("slices --name '('" + file, "no regular expression");
  expectUsageError("operators --sort speed" + file, "use one of name, is_user_annotation");
  expectUsageError("operators --json --csv" + file, "--csv");
  expectUsageError("compare" + file, "give BASE and at least one OTHER");
  expectUsageError("compare --align moon" + file + file, "use step, annotation:NAME");
  expectUsageError("compare --threshold 200" + file + file, "--threshold");
  expectUsageError("compare --align first-kernel" + file + file, "has no kernels to align by");
  expectUsageError("convert" + file, "--output");
}

TEST(Usage, UnreadableFilesAreOneLineAndExit3) {
  const CliRun absent = runCli("info /nowhere/absent.json");
  EXPECT_EQ(absent.code, 3);
  EXPECT_THAT(absent.error, StartsWith("attnscope-cli: /nowhere/absent.json: "));
  const std::string text = scratch().write("notes.txt", "these are notes\nand no trace\n");
  const CliRun wrong = runCli("kernels '" + text + "' --json");
  EXPECT_EQ(wrong.code, 3);
  EXPECT_TRUE(wrong.out.empty());
  EXPECT_THAT(wrong.error, StartsWith("attnscope-cli: " + text + ": "));
  EXPECT_EQ(std::count(wrong.error.begin(), wrong.error.end(), '\n'), 1);
}

TEST(Usage, DamagedFilesAreAnsweredWithTheirRepairs) {
  const std::string whole = textOf(data("cpu_small.json"));
  const std::string cut = scratch().write("cut.json", whole.substr(0, whole.size() - 700));
  const CliRun run = runCli("info --json '" + cut + "'");
  EXPECT_EQ(run.code, 0);
  EXPECT_FALSE(jsonOf(run)["health"].empty());
  EXPECT_TRUE(run.error.empty());
}

TEST(Usage, HelpHasExamplesAndVersionIsOneLine) {
  const CliRun help = runCli("--help");
  EXPECT_EQ(help.code, 0);
  EXPECT_THAT(help.out, HasSubstr("Examples:"));
  EXPECT_TRUE(help.error.empty());
  for (const char* name : {"info", "slices", "instants", "counters", "operators", "kernels", "memory", "compare",
                           "convert", "implementations", "run"}) {
    EXPECT_THAT(help.out, HasSubstr(name));
    const CliRun command = runCli(std::string(name) + " --help");
    EXPECT_EQ(command.code, 0) << name;
    EXPECT_THAT(command.out, HasSubstr("Examples:")) << name;
    EXPECT_THAT(command.out, HasSubstr(std::string("attnscope-cli ") + name)) << name;
  }
  EXPECT_THAT(runCli("--version").out, testing::MatchesRegex("attnscope-cli [0-9]+\\.[0-9]+\\.[0-9]+\n"));
}

TEST(Usage, AClosedPipeIsNoCrash) {
  EXPECT_EQ(
      std::system(("'" ATTNSCOPE_BIN_DIR "/attnscope-cli' slices '" + data("cpu_small.json") + "' | head -1 >/dev/null")
                      .c_str()),
      0);
}

TEST(Usage, AnInterruptEndsWith130) {
  // A pipe that never ends: the program waits until the signal comes.
  const std::string fifo = scratch().file("fifo");
  ASSERT_EQ(std::system(("mkfifo '" + fifo + "'").c_str()), 0);
  const CliRun run = runCli("info '" + fifo + "'", "timeout -k 20 --preserve-status -s TERM 0.5 ");
  EXPECT_THAT(run.code, testing::AnyOf(130, 3));  // 3 where pipes are refused at once
}

}  // namespace
}  // namespace attnscope
