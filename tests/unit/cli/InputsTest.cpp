// SPDX-License-Identifier: Apache-2.0
// What the commands read besides plain files, and ranges that are saved.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/session/ZipArchive.h"
#include "tests/unit/cli/RunCli.h"

namespace attnscope {
namespace {

using ::testing::HasSubstr;

constexpr const char* kTrace = R"({"username": "alice", "traceEvents": [
  {"ph":"X","name":"/home/alice/a.py(1): f","pid":1,"tid":1,"ts":0,"dur":100},
  {"ph":"X","name":"first","pid":1,"tid":1,"ts":1,"dur":9,"sf":1},
  {"ph":"X","name":"second","pid":1,"tid":1,"ts":50,"dur":9}],
  "stackFrames": {"1": {"name": "main"}}})";

TEST(Inputs, StandardInputAsAFileAndAsAPipe) {
  const std::string path = scratch().write("in.json", kTrace);
  for (const CliRun& run : {runCli("slices - --json", "", path), runCli("slices - --json", "cat '" + path + "' | ", ""),
                            runCli("slices - --json", "gzip -c '" + path + "' | ", "")}) {
    EXPECT_EQ(run.code, 0) << run.error;
    const auto document = jsonOf(run);
    ASSERT_TRUE(document.is_object());
    EXPECT_EQ(document["slices"].size(), 3u);
    EXPECT_EQ(document["slices"][1]["stack"], nlohmann::ordered_json::array({"main"}));
    EXPECT_TRUE(document["slices"][2]["stack"].is_null());
  }
  const CliRun nothing = runCli("info -");
  EXPECT_EQ(nothing.code, 3);
  EXPECT_THAT(nothing.error, HasSubstr("attnscope-cli: -: the file is empty"));
}

TEST(Inputs, AnArchiveOfSeveralTracesIsWrongUsageThatNamesThem) {
  ZipWriter archive;
  archive.addText("a.json", kTrace);
  archive.addText("b.json", kTrace);
  const std::string path = scratch().file("two.zip");
  ASSERT_TRUE(archive.write(path));
  const CliRun all = runCli("info '" + path + "'");
  EXPECT_EQ(all.code, 2);
  EXPECT_TRUE(all.out.empty());
  EXPECT_THAT(all.error, HasSubstr(path + "#a.json, " + path + "#b.json"));
  const CliRun one = runCli("info '" + path + "#b.json' --json");
  EXPECT_EQ(one.code, 0) << one.error;
  EXPECT_EQ(jsonOf(one)["file"], path + "#b.json");
  EXPECT_EQ(jsonOf(one)["slices"], 3);
  EXPECT_EQ(runCli("compare '" + path + "#a.json' '" + path + "#b.json' --json").code, 0);
}

TEST(Inputs, TheLimitOfUnpackingIsAnOption) {
  const std::string path = scratch().write("in.json", kTrace);
  EXPECT_EQ(runCli("info '" + path + "' --unpack-ratio 1000").code, 0);
  EXPECT_EQ(runCli("info '" + path + "' --unpack-ratio -1").code, 2);
}

TEST(Convert, ARangeWithoutWhatIsPersonal) {
  const std::string path = scratch().write("in.json", kTrace);
  const std::string out = scratch().file("part.json");
  const CliRun part = runCli("convert '" + path + "' --from 45000 --to 55000 -o '" + out + "'");
  ASSERT_EQ(part.code, 0) << part.error;
  const auto slices = jsonOf(runCli("slices '" + out + "' --json"))["slices"];
  ASSERT_EQ(slices.size(), 2u);
  EXPECT_EQ(slices[0]["name"], "~/a.py(1): f");
  EXPECT_EQ(slices[1]["name"], "second");
  EXPECT_EQ(textOf(out).find("alice"), std::string::npos);

  ASSERT_EQ(runCli("convert '" + path + "' --keep-personal -o '" + out + "'").code, 0);
  EXPECT_NE(textOf(out).find("/home/alice/a.py"), std::string::npos);
  EXPECT_EQ(jsonOf(runCli("slices '" + out + "' --json"))["slices"].size(), 3u);
}

TEST(Convert, ARangeWithNothingInItIsWrongUsage) {
  const std::string path = scratch().write("in.json", kTrace);
  const std::string out = scratch().file("none.json");
  for (const char* range : {"--from 200000", "--from 10 --to 5", "--to -1"}) {
    const CliRun run = runCli("convert '" + path + "' " + range + " -o '" + out + "'");
    EXPECT_EQ(run.code, 2) << range;
    EXPECT_THAT(run.error, HasSubstr("the trace goes from 0 to 100000 ns")) << range;
    EXPECT_FALSE(std::filesystem::exists(out));
  }
}

}  // namespace
}  // namespace attnscope
