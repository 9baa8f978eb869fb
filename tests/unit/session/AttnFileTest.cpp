// SPDX-License-Identifier: Apache-2.0
#include "core/session/AttnFile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <random>
#include <sstream>

#include "core/session/ZipArchive.h"

namespace attnscope {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string textOf(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

void put(const fs::path& file, const std::string& text) {
  std::ofstream(file, std::ios::binary | std::ios::trunc) << text;
}

class AttnFileTest : public testing::Test {
 protected:
  AttnFileTest() {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    m_folder = fs::current_path() / (std::string("attn-") + test->name());
    fs::remove_all(m_folder);
    fs::create_directory(m_folder);
    m_file = m_folder / "run.attn";
  }
  ~AttnFileTest() override { fs::remove_all(m_folder); }

  // A result with all that a result can have. Traces do not pack well, so that damage hits them.
  RunResult someResult() {
    RunPlan plan;
    plan.implementations = {"naive.plain", "sdpa.flash", "sdpa.cudnn"};
    plan.problem.mask = DocumentsMask{{1000, 24}, InsideDocument::kCausal};
    plan.traceFolder = m_folder.string();
    RunResult result = startedResult(plan);
    std::mt19937_64 random(5);
    for (std::size_t i = 0; i < 2; ++i) {
      ImplementationResult& implementation = result.implementations[i];
      for (int round = 0; round < 40; ++round) {
        implementation.samples.push_back({round, static_cast<std::int64_t>(random() % 100'000'000), 7, 3});
      }
      implementation.error = ErrorCheck{1.9e-7, 3e-6, 1e-5, "float64 reference", {}};
      implementation.peakBytes = 12'345'678'901;
      implementation.profiledNs = 99;
      implementation.traceFile = (m_folder / (implementation.id + ".json")).string();
      std::string trace = R"({"traceEvents": [)";
      for (int event = 0; event < 5000; ++event) trace += std::to_string(random()) + ",";
      put(implementation.traceFile, trace + "0]}");
    }
    result.implementations[1].failure = RunFailure{RunPhase::kProfile, "the runner ended with signal 11"};
    result.noise.push_back({0, {0, 1, 2, 3}, {0, 4, 5, 6}});
    result.warnings = {"a warning with \"quotes\" and µ"};
    result.environment.cpu = "A CPU";
    result.environment.roofFlopsPerSecond = 9.1e10;
    result.completeRounds = 40;
    result.ending = RunEnding::kCancelled;
    return result;
  }

  fs::path m_folder;
  fs::path m_file;
};

TEST_F(AttnFileTest, OpensToTheSameResult) {
  const RunResult result = someResult();
  const Result<void> written = writeAttn(m_file, result);
  ASSERT_TRUE(written) << written.error().message();
  EXPECT_TRUE(looksLikeAttn(m_file));
  const Result<Session> session = readAttn(m_file);
  ASSERT_TRUE(session) << session.error().message();
  EXPECT_THAT(session->remarks, IsEmpty());
  RunResult expected = result;
  expected.plan.traceFolder.clear();
  expected.implementations[0].traceFile = "traces/A-naive.plain.json";
  expected.implementations[1].traceFile = "traces/B-sdpa.flash.json";
  EXPECT_EQ(session->result, expected);
  ASSERT_EQ(session->traces.size(), 2u);
  EXPECT_EQ(session->traces[1].position, 1u);
  EXPECT_EQ(session->traces[1].entry, "traces/B-sdpa.flash.json");
  for (const SessionTrace& trace : session->traces) {
    const fs::path target = m_folder / "unpacked.json";
    ASSERT_TRUE(extractTrace(m_file, trace.entry, target));
    EXPECT_EQ(textOf(target), textOf(result.implementations[trace.position].traceFile));
    EXPECT_EQ(trace.bytes, fs::file_size(target));
  }
  EXPECT_EQ(std::distance(fs::directory_iterator(m_folder), {}), 4) << "no temporary file is left";
}

TEST_F(AttnFileTest, ASavedSessionIsReplacedWhole) {
  RunResult result = someResult();
  ASSERT_TRUE(writeAttn(m_file, result));
  result.warnings = {"the second"};
  ASSERT_TRUE(writeAttn(m_file, result));
  EXPECT_THAT(readAttn(m_file)->result.warnings, ElementsAre("the second"));
  // The folder cannot be written to: the old file stays.
  const fs::path nowhere = m_folder / "none" / "run.attn";
  EXPECT_THAT(writeAttn(nowhere, result).error().what, HasSubstr("it cannot be written"));
}

TEST_F(AttnFileTest, ATraceThatIsGoneIsSaid) {
  const RunResult result = someResult();
  fs::remove(result.implementations[0].traceFile);
  ASSERT_TRUE(writeAttn(m_file, result));
  const Result<Session> session = readAttn(m_file);
  ASSERT_TRUE(session);
  EXPECT_EQ(session->traces.size(), 1u);
  EXPECT_THAT(session->result.warnings.back(), HasSubstr("naive.plain: its trace was gone"));
}

TEST_F(AttnFileTest, PairsMadeByHandAreKeptAndExchanged) {
  const RunResult result = someResult();
  const std::vector<PairRule> pairs = {{PairRuleKind::kPair, "before (only-base)", "after \"µ\" (only-other)"},
                                       {PairRuleKind::kCut, "aten::mm", {}}};
  ASSERT_TRUE(writeAttn(m_file, result, pairs));
  EXPECT_EQ(readAttn(m_file)->pairs, pairs);
  const Result<void> rewritten = rewritePairs(m_file, {pairs.back()});
  ASSERT_TRUE(rewritten) << rewritten.error().message();
  const Result<Session> session = readAttn(m_file);
  ASSERT_TRUE(session);
  EXPECT_EQ(session->pairs, (std::vector<PairRule>{pairs.back()}));
  EXPECT_THAT(session->remarks, IsEmpty());
  ASSERT_EQ(session->traces.size(), 2u);
  for (const SessionTrace& trace : session->traces) {
    const fs::path target = m_folder / "unpacked.json";
    ASSERT_TRUE(extractTrace(m_file, trace.entry, target));
    EXPECT_EQ(textOf(target), textOf(result.implementations[trace.position].traceFile));
  }
  ASSERT_TRUE(rewritePairs(m_file, {}));
  EXPECT_THAT(readAttn(m_file)->pairs, IsEmpty());
  EXPECT_FALSE(rewritePairs(m_folder / "none.attn", pairs));
}

// A file of a newer version of the same schema: what it adds is neither lost nor in the way.
TEST_F(AttnFileTest, WhatANewerVersionAddsStaysWhenPairsAreExchanged) {
  std::string text = sessionJsonOf(someResult(), {{PairRuleKind::kCut, "aten::mm", {}}});
  text.insert(text.find("\"pairs\": [") + 10, R"({"kind": "thrice", "base": "x"}, 7, )");
  text.insert(1, R"("added_later": {"a": 1},)");
  const Result<SessionText> read = sessionFromJson(text);
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(read->pairs.size(), 1u);
  EXPECT_EQ(read->unreadPairs, 2u);
  const Result<std::string> rewritten = sessionJsonWithPairs(text, {});
  ASSERT_TRUE(rewritten);
  EXPECT_THAT(*rewritten, HasSubstr("added_later"));
  EXPECT_THAT(*rewritten, HasSubstr("thrice"));
  EXPECT_THAT(*rewritten, testing::Not(HasSubstr("aten::mm")));
  EXPECT_FALSE(sessionJsonWithPairs("{", {}));
}

// --- Damaged
// ------------------------------------------------------------------------------------------------------------

TEST_F(AttnFileTest, ADamagedTraceOpensWithARemark) {
  ASSERT_TRUE(writeAttn(m_file, someResult()));
  std::string bytes = textOf(m_file);
  const std::size_t at = bytes.find("traces/B-sdpa.flash.json") + 2000;
  bytes[at] = static_cast<char>(bytes[at] ^ 0x55);
  put(m_file, bytes);
  const Result<Session> session = readAttn(m_file);
  ASSERT_TRUE(session) << session.error().message();
  ASSERT_EQ(session->traces.size(), 1u);
  EXPECT_THAT(session->remarks, ElementsAre(HasSubstr("traces/B-sdpa.flash.json is damaged")));
  EXPECT_EQ(session->result.implementations[1].traceFile, "");
  EXPECT_EQ(session->result.implementations[1].samples.size(), 40u);
  EXPECT_FALSE(extractTrace(m_file, "traces/B-sdpa.flash.json", m_folder / "x.json"));
  EXPECT_FALSE(fs::exists(m_folder / "x.json"));
}

TEST_F(AttnFileTest, ADamagedSessionSaysWhatIsWhole) {
  ASSERT_TRUE(writeAttn(m_file, someResult()));
  std::string bytes = textOf(m_file);
  const std::size_t at = bytes.find("session.json") + 500;
  bytes[at] = static_cast<char>(bytes[at] ^ 0x55);
  put(m_file, bytes);
  const Result<Session> session = readAttn(m_file);
  ASSERT_FALSE(session);
  EXPECT_THAT(session.error().what, HasSubstr("session.json is damaged"));
  EXPECT_THAT(session.error().what, HasSubstr("2 of 2 traces in it are whole"));
}

TEST_F(AttnFileTest, EveryCutIsRefusedInWords) {
  ASSERT_TRUE(writeAttn(m_file, someResult()));
  const std::string bytes = textOf(m_file);
  for (const std::size_t length :
       {std::size_t{0}, std::size_t{1}, std::size_t{30}, bytes.size() / 2, bytes.size() - 1}) {
    put(m_file, bytes.substr(0, length));
    const Result<Session> session = readAttn(m_file);
    ASSERT_FALSE(session) << length;
    EXPECT_THAT(session.error().what, testing::AnyOf(HasSubstr("it is damaged"), HasSubstr("it is not a session")));
    EXPECT_FALSE(looksLikeAttn(m_file));
  }
}

TEST_F(AttnFileTest, FlippedBytesNeverGiveAnotherResult) {
  const RunResult result = someResult();
  ASSERT_TRUE(writeAttn(m_file, result));
  const RunResult whole = readAttn(m_file)->result;
  const std::string bytes = textOf(m_file);
  std::mt19937 random(9);
  for (int trial = 0; trial < 200; ++trial) {
    std::string damaged = bytes;
    damaged[random() % damaged.size()] ^= static_cast<char>(1u << random() % 8);
    put(m_file, damaged);
    const Result<Session> session = readAttn(m_file);
    if (!session) continue;
    // What opens has the numbers that were saved: each entry has its checksum.
    EXPECT_EQ(session->result.implementations[0].samples, whole.implementations[0].samples);
    EXPECT_EQ(session->result.environment, whole.environment);
  }
}

// --- Other files
// --------------------------------------------------------------------------------------------------------

TEST_F(AttnFileTest, OtherFilesAreRefusedInWords) {
  put(m_file, R"({"traceEvents": []})");
  EXPECT_THAT(readAttn(m_file).error().what, HasSubstr("sessions are zip files, and this is none"));
  EXPECT_THAT(readAttn(m_folder / "none.attn").error().what, HasSubstr("no such file"));
  EXPECT_THAT(readAttn(m_folder).error().what, testing::Not(testing::IsEmpty()));
  ZipWriter zip;
  zip.addText("readme.txt", "hello");
  ASSERT_TRUE(zip.write(m_file));
  EXPECT_THAT(readAttn(m_file).error().what, HasSubstr("a zip without session.json"));
}

TEST_F(AttnFileTest, ANewerSchemaIsRefusedWithWhatCouldBeRead) {
  ZipWriter zip;
  zip.addText("session.json", R"({"schema": "attnscope-session/2", "implementations": [1, 2, 3]})");
  zip.addText("traces/A-x.json", "{}");
  ASSERT_TRUE(zip.write(m_file));
  const Result<Session> session = readAttn(m_file);
  ASSERT_FALSE(session);
  EXPECT_EQ(
      session.error().what,
      "the session is of the newer schema attnscope-session/2; this version reads attnscope-session/1. It holds 3 "
      "implementations; 1 of 1 traces in it are whole");
}

TEST_F(AttnFileTest, SessionsThatSayNonsenseAreRefused) {
  const std::vector<std::pair<std::string, std::string>> texts = {
      {"", "session.json is damaged"},
      {"[]", "has no schema"},
      {R"({"schema": 1})", "has no schema"},
      {R"({"schema": "attnscope-session/1"})", "cannot be read"},
      {R"({"schema": "attnscope-session/1", "plan": {"problem": {"dtype": "float3"}}})", "\"float3\" is not known"},
      {R"({"schema": "attnscope-session/1", "plan": {"problem": {}, "implementations": ["a"]}, "implementations": []})",
       "results of 0 implementations and a plan of 1"},
  };
  for (const auto& [text, says] : texts) {
    const Result<SessionText> result = sessionFromJson(text);
    ASSERT_FALSE(result) << text;
    EXPECT_THAT(result.error().what, HasSubstr(says));
  }
}

TEST_F(AttnFileTest, LimitsHoldAgainstFilesMadeToFillTheMemory) {
  ZipWriter zip;
  zip.addText("session.json", std::string(4u << 20, ' '));
  ASSERT_TRUE(zip.write(m_file));
  EXPECT_LT(fs::file_size(m_file), 100'000u);
  AttnLimits limits;
  limits.sessionJsonBytes = 1u << 20;
  EXPECT_THAT(readAttn(m_file, limits).error().what, HasSubstr("is larger than 1048576 bytes"));
  limits = {};
  limits.entries = 0;
  EXPECT_THAT(readAttn(m_file, limits).error().what, HasSubstr("1 entries"));

  ASSERT_TRUE(writeAttn(m_file, someResult()));
  limits = {};
  limits.traceBytes = 1000;
  EXPECT_THAT(readAttn(m_file, limits)->remarks, testing::SizeIs(2));
  EXPECT_FALSE(extractTrace(m_file, "traces/A-naive.plain.json", m_folder / "x.json", limits));
  EXPECT_FALSE(extractTrace(m_file, "traces/../../x", m_folder / "x.json"));
}

TEST_F(AttnFileTest, APipeIsNeitherReadNorReplaced) {
  const fs::path pipe = m_folder / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_FALSE(looksLikeAttn(pipe));
  EXPECT_FALSE(canWriteAttn(pipe).has_value());
  EXPECT_FALSE(writeAttn(pipe, someResult()).has_value());
  EXPECT_TRUE(fs::is_fifo(pipe));
}

TEST_F(AttnFileTest, SaysBeforehandWhetherItCanBeWritten) {
  EXPECT_TRUE(canWriteAttn(m_file).has_value());
  EXPECT_TRUE(fs::is_empty(m_folder));
  put(m_file, "an older one");
  EXPECT_TRUE(canWriteAttn(m_file).has_value());
  EXPECT_EQ(textOf(m_file), "an older one");
  EXPECT_FALSE(canWriteAttn(m_folder).has_value());
  EXPECT_FALSE(canWriteAttn(m_folder / "absent" / "run.attn").has_value());
  EXPECT_FALSE(canWriteAttn("/proc/run.attn").has_value());  // no file can be made there, not even by root
}

TEST_F(AttnFileTest, AProblemThatIsNoneIsRefused) {
  RunResult result = someResult();
  result.plan.problem.keyValueHeads = 0;
  const Result<SessionText> read = sessionFromJson(sessionJsonOf(result));
  ASSERT_FALSE(read.has_value());
  EXPECT_THAT(read.error().what, HasSubstr("0 does not divide 8 heads"));
}

}  // namespace
}  // namespace attnscope
