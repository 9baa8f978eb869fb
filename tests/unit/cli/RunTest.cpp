// SPDX-License-Identifier: Apache-2.0

// `run` and `implementations` against a runner without LibTorch: keys, files, failures, interrupts, usage.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "tests/unit/cli/RunCli.h"

namespace attnscope {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using testing::HasSubstr;
using testing::StartsWith;

// A runner that describes itself, and runs as tests/unit/session/FakeRunner.cpp does with `options`. What stands before
// the program's name for it.
std::string withRunner(const std::string& options = "") {
  static int count = 0;
  const std::string description = scratch().write("describe.json", R"({"runner_version": "0.1.0", "libtorch": "fake",
    "devices": [{"id": "cpu", "available": true, "reason": null},
                {"id": "cuda", "available": false, "reason": "no CUDA here"}],
    "implementations": [{"id": "naive.plain", "available": true, "reason": null},
                        {"id": "sdpa.flash", "available": false, "reason": "not on this CPU"}]})");
  const std::string script = scratch().write("runner-" + std::to_string(count++),
                                             "#!/bin/sh\nif [ \"$1\" = describe ]; then exec cat '" + description +
                                                 "'; fi\nexec '" ATTNSCOPE_FAKE_RUNNER "' " + options + "\n");
  fs::permissions(script, fs::perms::owner_all);
  return "ATTNSCOPE_RUNNER='" + script + "' ";
}

void expectKeys(const Json& object, const std::vector<std::string>& keys) {
  for (const std::string& key : keys) EXPECT_TRUE(object.contains(key)) << key << " is missing in " << object.dump();
}

Json entryOf(const Json& document, const std::string& id) {
  for (const Json& entry : document["implementations"]) {
    if (entry["id"] == id) return entry;
  }
  return {};
}

TEST(Implementations, EveryCardHasEveryKey) {
  const CliRun run = runCli("implementations --seq 256 --json", withRunner());
  ASSERT_EQ(run.code, 0) << run.error;
  const Json document = jsonOf(run);
  EXPECT_EQ(document["implementations"].size(), 24u);
  for (const Json& entry : document["implementations"]) {
    expectKeys(entry, {"id", "title", "family", "exact", "devices", "available", "reason", "useful_flops",
                       "executed_flops", "minimum_bytes", "predicted_peak_bytes", "complexity", "advice"});
    EXPECT_NE(entry["available"].get<bool>(), entry["reason"].is_string()) << entry.dump();
  }
  // Q, K, V and O of 8 heads, 256 x 64 float32, and the row sums of 8 x 256 floats.
  EXPECT_EQ(entryOf(document, "naive.plain")["minimum_bytes"], 4 * 8 * 256 * 64 * 4 + 4 * 8 * 256);
  EXPECT_EQ(entryOf(document, "naive.plain")["available"], true);
}

TEST(Implementations, TheCardSpeaksFirstThenTheRunner) {
  const Json document = jsonOf(runCli("implementations --json", withRunner()));
  EXPECT_EQ(entryOf(document, "sdpa.flash")["reason"], "not on this CPU");
  EXPECT_EQ(entryOf(document, "sdpa.math")["reason"], "This runner does not have it.");
  EXPECT_THAT(entryOf(document, "window.blocks")["reason"].get<std::string>(), HasSubstr("Needs a window"));
  const Json cuda = jsonOf(runCli("implementations --device cuda:0 --json", withRunner()));
  EXPECT_THAT(entryOf(cuda, "naive.plain")["reason"].get<std::string>(), HasSubstr("CPU only"));
}

TEST(Implementations, WithoutARunnerNothingIsAvailableAndAllElseIsKnown) {
  const CliRun run = runCli("implementations --json", "ATTNSCOPE_RUNNER=/nowhere/attnscope-runner ");
  EXPECT_EQ(run.code, 0);
  const Json document = jsonOf(run);
  EXPECT_TRUE(document["runner"].is_null());
  const Json naive = entryOf(document, "naive.plain");
  EXPECT_EQ(naive["available"], false);
  EXPECT_THAT(naive["reason"].get<std::string>(), HasSubstr("there is no runner at /nowhere/attnscope-runner"));
  EXPECT_TRUE(naive["predicted_peak_bytes"].is_number());
  const CliRun text = runCli("implementations", withRunner());
  EXPECT_THAT(text.out, HasSubstr("predicted peak MiB"));
  EXPECT_THAT(text.out, HasSubstr("sdpa.flash: not on this CPU"));
}

TEST(Run, WritesTheSessionAndEveryKey) {
  const std::string file = scratch().file("run.attn");
  const CliRun run =
      runCli("run --impl naive.plain,sdpa.flash,sdpa.cudnn --seq 64 --pairs 8 --json -o '" + file + "'", withRunner());
  ASSERT_EQ(run.code, 0) << run.error;
  EXPECT_TRUE(run.error.empty()) << run.error;
  const Json document = jsonOf(run);
  expectKeys(document, {"problem", "environment", "implementations", "file", "comparable", "verdicts"});
  EXPECT_EQ(document["file"], file);
  EXPECT_EQ(document["problem"]["seq"], 64);
  EXPECT_EQ(document["environment"]["libtorch"], "fake");
  for (const Json& entry : document["implementations"]) {
    expectKeys(entry, {"id", "available", "reason", "error", "time", "useful_flops", "executed_flops",
                       "flops_per_second", "roof_share", "peak_bytes", "predicted_peak_bytes", "trace", "failure"});
  }
  const Json naive = entryOf(document, "naive.plain");
  expectKeys(naive["error"], {"relative_l2", "max_abs", "limit", "against"});
  expectKeys(naive["time"], {"median_ns", "low_ns", "high_ns", "q1_ns", "q3_ns", "n", "samples_ns"});
  EXPECT_EQ(naive["time"]["n"], 8);
  EXPECT_EQ(naive["time"]["samples_ns"].size(), 8u);
  EXPECT_EQ(naive["time"]["median_ns"], 966'668);  // samples of 2,900,000 to 2,900,007 ns for 3 calls
  EXPECT_EQ(naive["peak_bytes"], 1000);
  EXPECT_EQ(naive["trace"], "A-naive.plain.json");
  EXPECT_EQ(naive["failure"], Json());
  const Json own = entryOf(document, "sdpa.cudnn");
  EXPECT_EQ(own["available"], false);
  EXPECT_EQ(own["time"], Json());
  ASSERT_EQ(document["verdicts"].size(), 2u);
  expectKeys(document["verdicts"][0], {"run", "verdict", "change_ratio", "low_ratio", "high_ratio", "pairs",
                                       "pairs_needed", "noise_floor_ratio", "method"});
  EXPECT_EQ(document["verdicts"][0]["verdict"], "within-noise");
  EXPECT_EQ(document["verdicts"][1]["verdict"], "none");
  EXPECT_EQ(jsonOf(runCli("info '" + file + "' --json"))["members"].size(), 2u);
}

TEST(Run, TracesStayNowhereElse) {
  const std::string temporary = scratch().file("tmp");
  fs::create_directories(temporary);
  const std::string before = "TMPDIR='" + temporary + "' " + withRunner();
  EXPECT_EQ(runCli("run --impl naive.plain --quick -o '" + scratch().file("t.attn") + "'", before).code, 0);
  EXPECT_TRUE(fs::is_empty(temporary));
}

TEST(Run, WithoutProfilingThereAreNoTraces) {
  const std::string file = scratch().file("plain.attn");
  const CliRun run = runCli("run --impl naive.plain,sdpa.flash --no-profile --quick -o '" + file + "'", withRunner());
  EXPECT_EQ(run.code, 0) << run.error;
  EXPECT_THAT(run.out, HasSubstr("written to " + file));
  EXPECT_THAT(runCli("info '" + file + "'").out, HasSubstr("no traces"));
  const CliRun compared = runCli("compare '" + file + "'");
  EXPECT_EQ(compared.code, 2);
  EXPECT_THAT(compared.error, HasSubstr("without --no-profile"));
}

TEST(Run, OneThatFailsIsSaidAndTheOthersAreTimed) {
  const std::string file = scratch().file("failed.attn");
  const CliRun run = runCli("run --impl naive.plain,sdpa.flash --quick -o '" + file + "'",
                            withRunner("--do crash --at check --implementation sdpa.flash"));
  EXPECT_EQ(run.code, 0) << run.error;
  EXPECT_THAT(run.out, HasSubstr("B sdpa.flash failed (check): "));
  const CliRun json = runCli("run --impl naive.plain,sdpa.flash --quick --json -o '" + file + "'",
                             withRunner("--do wrong-result --at check --implementation sdpa.flash"));
  EXPECT_EQ(json.code, 0) << json.error;
  const Json failure = entryOf(jsonOf(json), "sdpa.flash")["failure"];
  EXPECT_EQ(failure["phase"], "check");
  EXPECT_TRUE(failure["reason"].is_string());
}

TEST(Run, ARunThatFailsEntirelyIs4) {
  const std::string file = scratch().file("nothing.attn");
  for (const std::string& before :
       {withRunner("--do crash --at check"), std::string("ATTNSCOPE_RUNNER=/nowhere/attnscope-runner ")}) {
    const CliRun run = runCli("run --impl naive.plain --quick --json -o '" + file + "'", before);
    EXPECT_EQ(run.code, 4);
    EXPECT_THAT(run.error, StartsWith("attnscope-cli: the run failed: "));
    EXPECT_EQ(std::count(run.error.begin(), run.error.end(), '\n'), 1) << run.error;
    EXPECT_TRUE(jsonOf(run)["file"].is_null());
    EXPECT_FALSE(fs::exists(file));
  }
  EXPECT_EQ(runCli("run --impl sdpa.cudnn -o '" + file + "'", withRunner()).code, 4);
}

TEST(Run, AnInterruptKeepsCompleteRounds) {
  const std::string file = scratch().file("interrupted.attn");
  const CliRun run = runCli("run --impl naive.plain,sdpa.flash --pairs 100000 --json -o '" + file + "'",
                            withRunner("--sample-ms 20") + "timeout --preserve-status -k 60 -s INT 3 ");
  EXPECT_EQ(run.code, 130) << run.error;
  const Json document = jsonOf(run);
  EXPECT_EQ(document["ending"], "cancelled");
  EXPECT_GT(document["complete_rounds"].get<int>(), 0);
  EXPECT_EQ(entryOf(document, "naive.plain")["time"]["n"], document["complete_rounds"]);
  EXPECT_EQ(jsonOf(runCli("info --json '" + file + "'"))["complete_rounds"], document["complete_rounds"]);
}

// Where LibTorch is built: from the shape to the comparison of what was really run.
TEST(Run, TheRunnerBesideTheProgramIsTaken) {
  if (!fs::exists(ATTNSCOPE_BIN_DIR "/attnscope-runner")) GTEST_SKIP() << "built without LibTorch";
  const std::string file = scratch().file("real.attn");
  const CliRun run =
      runCli("run --impl naive.plain,sdpa.flash --heads 2 --seq 128 --causal --quick --json -o '" + file + "'");
  ASSERT_EQ(run.code, 0) << run.error;
  const Json document = jsonOf(run);
  EXPECT_EQ(document["ending"], "complete");
  for (const char* id : {"naive.plain", "sdpa.flash"}) {
    const Json entry = entryOf(document, id);
    EXPECT_EQ(entry["time"]["n"], 12) << entry.dump();
    EXPECT_LE(entry["error"]["relative_l2"].get<double>(), 1e-5);
    EXPECT_EQ(entry["peak_bytes"], entry["predicted_peak_bytes"]);
  }
  EXPECT_TRUE(document["environment"]["roof_flops_per_second"].is_number());
  const Json compared = jsonOf(runCli("compare --json '" + file + "'"));
  EXPECT_EQ(compared["verdicts"][0]["change_ratio"], document["verdicts"][0]["change_ratio"]);
  EXPECT_EQ(compared["verdicts"][0]["pairs"], 12);
}

void expectUsageError(const std::string& arguments, const std::string& part) {
  const CliRun run = runCli(arguments, withRunner());
  EXPECT_EQ(run.code, 2) << arguments;
  EXPECT_TRUE(run.out.empty()) << arguments << ": " << run.out;
  EXPECT_THAT(run.error, StartsWith("attnscope-cli: ")) << arguments;
  EXPECT_THAT(run.error, HasSubstr(part)) << arguments;
  EXPECT_EQ(std::count(run.error.begin(), run.error.end(), '\n'), 1) << run.error;
}

TEST(Run, WrongUsageIsOneLineAnd2) {
  const std::string out = " -o '" + scratch().file("usage.attn") + "'";
  expectUsageError("run --impl naive.plian" + out, "did you mean naive.plain?");
  expectUsageError("run --impl sdpa.flahs,naive.plain" + out, "did you mean sdpa.flash?");
  expectUsageError("run --impl naive.plain,naive.plain" + out, "twice");
  expectUsageError("run --impl naive.plain," + out, "an empty place");
  expectUsageError("run --impl naive.plain", "--output");
  expectUsageError("run" + out, "--impl");
  expectUsageError("run --impl naive.plain -o /nowhere/x.attn", "cannot be written");
  expectUsageError("run --impl naive.plain -o /dev/null", "no file but a device or a pipe");
  expectUsageError("run --impl naive.plain --heads 8 --kv-heads 3" + out,
                   "3 does not divide 8 heads. Use 1, 2, 4 or 8.");
  expectUsageError("run --impl naive.plain --seq 8 --kv-seq 16 --causal" + out, "say which: --causal=top-left");
  expectUsageError("run --impl naive.plain --seq many" + out, "--seq cannot be \"many\": use a whole number");
  expectUsageError("run --impl naive.plain --preset gpt9" + out, "use one of quick-look");
  expectUsageError("run --impl naive.plain --device moon" + out, "use cpu or cuda:N");
  expectUsageError("run --impl naive.plain --cache warm" + out, "use hot or cold");
  expectUsageError("run --impl naive.plain --pairs 0" + out, "--pairs");
  expectUsageError("run trace.json --impl naive.plain" + out, "trace.json");
  expectUsageError("implementations --dtype float8", "use float32, bfloat16, float16 or float64");
}

TEST(Run, HelpListsProblemOptionsAndIsNotHeldUpByThem) {
  const CliRun help = runCli("run --heads 8 --kv-heads 3 --help");
  EXPECT_EQ(help.code, 0) << help.error;
  EXPECT_THAT(help.out, HasSubstr("--kv-heads H"));
  EXPECT_THAT(help.out, HasSubstr("--quick"));
}

// --- Another machine: ssh is a script that runs the command here ----------------------------------------------------

std::string withSsh(const std::string& line) {
  const std::string script = scratch().write("ssh", "#!/bin/sh\n# -T -o BatchMode=yes NAME COMMAND\n" + line + "\n");
  fs::permissions(script, fs::perms::owner_all);
  return "ATTNSCOPE_SSH='" + script + "' ";
}

TEST(RemoteRun, SpeaksTheSameProtocolAndFetchesTheTraces) {
  const std::string file = scratch().file("remote.attn");
  const CliRun run = runCli("run --host 'ssh:box:" ATTNSCOPE_FAKE_RUNNER
                            "' --impl naive.plain,sdpa.flash --seq 64 "
                            "--pairs 8 --json -o '" +
                                file + "'",
                            withSsh("[ \"$4\" = box ] && exec sh -c \"$5\""));
  ASSERT_EQ(run.code, 0) << run.error;
  EXPECT_EQ(entryOf(jsonOf(run), "naive.plain")["time"]["n"], 8);
  EXPECT_EQ(jsonOf(runCli("info '" + file + "' --json"))["members"].size(), 2u) << "both traces came";
}

TEST(RemoteRun, SaysWhatIsWrongWithTheMachine) {
  const std::string words = "run --impl naive.plain --seq 64 --pairs 8 -o '" + scratch().file("x.attn") + "' ";
  const CliRun nowhere = runCli(words + "--host ssh:nowhere", withSsh("echo 'nowhere: name not known' >&2; exit 255"));
  EXPECT_NE(nowhere.code, 0);
  EXPECT_THAT(nowhere.error, HasSubstr("nowhere: name not known"));
  EXPECT_EQ(runCli(words + "--host box", withSsh("exit 0")).code, 2);
  EXPECT_EQ(runCli(words + "--host ssh:-oProxyCommand=x", withSsh("exit 0")).code, 2);
  // A runner of another protocol.
  const CliRun older = runCli(
      words + "--host ssh:box",
      withSsh("case \"$5\" in *run) echo '{\"type\": \"hello\", \"protocol\": 99, \"runner_version\": \"9.9\"}'; "
              "cat >/dev/null;; *) exec sh -c \"$5\";; esac"));
  EXPECT_EQ(older.code, 4);
  EXPECT_THAT(older.error, HasSubstr("the runner 9.9 speaks protocol 99 and this program 1"));
}

TEST(Run, OwnCodeIsReadFromItsFile) {
  const std::string out = " -o '" + scratch().file("y.attn") + "'";
  const CliRun missing = runCli("run --impl byo.script --script /nowhere/a.py --seq 64" + out, withRunner());
  EXPECT_EQ(missing.code, 2);
  EXPECT_THAT(missing.error, HasSubstr("could not be read"));
  const std::string source = scratch().write("mine.py", "def attention(q, k, v):\n    return q\n");
  EXPECT_EQ(
      runCli("run --impl byo.script --allow-code --script '" + source + "' --seq 64 --pairs 8" + out, withRunner())
          .code,
      0);
}

}  // namespace
}  // namespace attnscope
