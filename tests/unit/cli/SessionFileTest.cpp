// SPDX-License-Identifier: Apache-2.0

// Session files as inputs: members, info, and compare with verdicts from timed pairs.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "core/session/AttnFile.h"
#include "tests/unit/cli/RunCli.h"

namespace attnscope {
namespace {

using Json = nlohmann::ordered_json;
using testing::HasSubstr;

// Three implementations of 20 rounds: A takes 1 ms, B 0.5 ms and C, which has no trace, 1 ms.
std::string sessionFile() {
  RunPlan plan;
  plan.implementations = {"naive.plain", "sdpa.flash", "linear.elu"};
  plan.rounds = 20;
  RunResult result = startedResult(plan);
  result.completeRounds = plan.rounds;
  const std::vector<std::int64_t> perCall = {1'000'000, 500'000, 1'000'000};
  for (std::size_t i = 0; i < perCall.size(); ++i) {
    for (int round = 0; round < plan.rounds; ++round) {
      const std::int64_t ns = perCall[i] + (round * 7 % 5) * 1000;
      result.implementations[i].samples.push_back({round, ns, ns, 1});
    }
    result.implementations[i].peakBytes = 4096 * static_cast<std::int64_t>(i + 1);
  }
  result.implementations[0].traceFile = data("cpu_small.json");
  result.implementations[1].traceFile = data("cuda_small.json");
  const std::string file = scratch().file("three.attn");
  EXPECT_TRUE(writeAttn(file, result));
  return file;
}

TEST(SessionFile, InfoListsItsMembersAndItsTimes) {
  const std::string file = sessionFile();
  const Json info = jsonOf(runCli("info --json '" + file + "'"));
  EXPECT_EQ(info["schema"], "attnscope/1");
  EXPECT_EQ(info["format"], "session");
  EXPECT_EQ(info["file"], file);
  ASSERT_EQ(info["members"].size(), 2u);
  EXPECT_EQ(info["members"][1]["member"], file + "#B-sdpa.flash.json");
  EXPECT_EQ(info["members"][1]["implementation"], "sdpa.flash");
  ASSERT_EQ(info["implementations"].size(), 3u);
  EXPECT_EQ(info["implementations"][1]["time"]["n"], 20);
  EXPECT_EQ(info["comparable"]["verdict"], "reservations");  // linear.elu is an approximation
  EXPECT_EQ(info["comparable"]["reasons"][0]["run"], "C");
  const CliRun text = runCli("info '" + file + "'");
  EXPECT_EQ(text.code, 0);
  EXPECT_THAT(text.out, HasSubstr(file + "#A-naive.plain.json"));
}

TEST(SessionFile, OneMemberIsATrace) {
  const std::string file = sessionFile();
  const CliRun alone = runCli("operators '" + file + "'");
  EXPECT_EQ(alone.code, 2);
  EXPECT_TRUE(alone.out.empty());
  EXPECT_THAT(alone.error, HasSubstr(file + "#A-naive.plain.json, " + file + "#B-sdpa.flash.json"));
  EXPECT_EQ(std::count(alone.error.begin(), alone.error.end(), '\n'), 1);

  const Json whole = jsonOf(runCli("operators --json '" + data("cuda_small.json") + "'"));
  for (const char* member : {"B-sdpa.flash.json", "traces/B-sdpa.flash.json", "sdpa.flash", "B"}) {
    const CliRun run = runCli("operators --json '" + file + "#" + member + "'");
    ASSERT_EQ(run.code, 0) << run.error;
    const Json document = jsonOf(run);
    EXPECT_EQ(document["operators"], whole["operators"]);
    EXPECT_EQ(document["file"], file + "#B-sdpa.flash.json");
  }
  const Json slices = jsonOf(runCli("slices --json '" + file + "#B'"));  // args are read from the unpacked file
  EXPECT_EQ(slices["slices"], jsonOf(runCli("slices --json '" + data("cuda_small.json") + "'"))["slices"]);
  const CliRun wrong = runCli("operators '" + file + "#Z'");
  EXPECT_EQ(wrong.code, 2);
  EXPECT_THAT(wrong.error, HasSubstr("it has no trace \"Z\": use one of "));
}

TEST(SessionFile, CompareSpeaksFromTheTimedPairs) {
  const std::string file = sessionFile();
  const CliRun run = runCli("compare --json '" + file + "'");
  ASSERT_EQ(run.code, 0) << run.error;
  const Json document = jsonOf(run);
  ASSERT_EQ(document["runs"].size(), 2u);
  EXPECT_EQ(document["runs"][0]["title"], "Naive");
  EXPECT_EQ(document["runs"][1]["file"], file + "#B-sdpa.flash.json");
  ASSERT_EQ(document["verdicts"].size(), 1u);
  const Json& verdict = document["verdicts"][0];
  EXPECT_EQ(verdict["verdict"], "faster");
  EXPECT_EQ(verdict["pairs"], 20);
  EXPECT_NEAR(verdict["change_ratio"].get<double>(), -0.5, 0.01);
  EXPECT_LE(verdict["low_ratio"].get<double>(), verdict["change_ratio"].get<double>());
  EXPECT_GE(verdict["high_ratio"].get<double>(), verdict["change_ratio"].get<double>());
  EXPECT_THAT(verdict["method"].get<std::string>(), HasSubstr("20 paired log ratios"));
  EXPECT_NE(document["comparable"]["verdict"], "no");  // one measurement: one problem
  for (const Json& memory : document["memory"]) {
    if (memory["device"] != "cpu") continue;
    EXPECT_EQ(memory["measured_peak_bytes"], Json::array({4096, 8192}));
    EXPECT_TRUE(memory["predicted_peak_bytes"][0].is_number());
  }
  const CliRun text = runCli("compare '" + file + "'");
  EXPECT_THAT(text.out, HasSubstr("B took 49.9 % "));
  EXPECT_THAT(text.out, HasSubstr("less thread CPU time per call than A"));
  EXPECT_THAT(text.out, HasSubstr("peak memory of one call: A 4.00 KiB (predicted "));
}

TEST(SessionFile, MembersAndTracesAreMixed) {
  const std::string file = sessionFile();
  const Json turned = jsonOf(runCli("compare --json '" + file + "#B' '" + file + "#A'"));
  EXPECT_EQ(turned["verdicts"][0]["verdict"], "slower");
  EXPECT_NEAR(turned["verdicts"][0]["change_ratio"].get<double>(), 1.0, 0.02);
  const Json mixed = jsonOf(runCli("compare --json '" + file + "' '" + data("rocm_small.json") + "'"));
  ASSERT_EQ(mixed["runs"].size(), 3u);
  EXPECT_EQ(mixed["verdicts"][0]["verdict"], "faster");
  EXPECT_EQ(mixed["verdicts"][1]["verdict"], "none");  // a trace beside it is one profiled run
  EXPECT_TRUE(mixed["verdicts"][1]["pairs"].is_null());
  EXPECT_TRUE(mixed["memory"][0]["predicted_peak_bytes"][2].is_null());
  const CliRun one = runCli("compare '" + file + "#A'");
  EXPECT_EQ(one.code, 2);
}

TEST(SessionFile, PairsMadeByHandHoldInTheComparison) {
  const std::string file = sessionFile();
  const auto groups = [&file] { return jsonOf(runCli("compare --json '" + file + "'"))["groups"]; };
  const auto madeByHand = [](const Json& rows) {
    return std::count_if(rows.begin(), rows.end(),
                         [](const Json& group) { return group["is_made_by_hand"].get<bool>(); });
  };
  const Json before = groups();
  EXPECT_EQ(madeByHand(before), 0);
  std::string matched;
  for (const Json& group : before) {
    const bool isPlain = !group["is_unlinked"].get<bool>() && !group["is_profiler"].get<bool>();
    if (isPlain && group["match"].get<std::string>().rfind("only", 0) != 0) matched = group["key"];
  }
  ASSERT_FALSE(matched.empty());
  ASSERT_TRUE(rewritePairs(file, {{PairRuleKind::kCut, matched, {}}}));
  EXPECT_EQ(madeByHand(groups()), 2) << "either side stands alone";
  EXPECT_THAT(runCli("compare '" + file + "'").out, HasSubstr("2 rows are paired or cut by hand"));
}

TEST(SessionFile, OneImplementationMeasuredTwiceIsToldApartByItsFile) {
  const std::string file = sessionFile();
  const Json runs = jsonOf(runCli("compare --json '" + file + "#A' '" + file + "#A'"))["runs"];
  EXPECT_THAT(runs[0]["title"].get<std::string>(), HasSubstr("three.attn#A-naive.plain.json"));
  EXPECT_EQ(jsonOf(runCli("compare --json '" + file + "'"))["runs"][0]["title"], "Naive");
}

TEST(SessionFile, DamagedOnesAreRefusedInWords) {
  const std::string whole = textOf(sessionFile());
  const std::string cut = scratch().write("cut.attn", whole.substr(0, whole.size() / 2));
  for (const char* command : {"info", "operators"}) {
    const CliRun run = runCli(std::string(command) + " '" + cut + "'");
    EXPECT_EQ(run.code, 3) << command;
    EXPECT_EQ(std::count(run.error.begin(), run.error.end(), '\n'), 1) << run.error;
  }
}

}  // namespace
}  // namespace attnscope
