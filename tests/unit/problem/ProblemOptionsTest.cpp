// SPDX-License-Identifier: Apache-2.0
#include "core/problem/ProblemOptions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "core/problem/Presets.h"
#include "tests/unit/problem/RandomProblem.h"

namespace attnscope {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> wordsOf(const std::string& line) {
  std::istringstream stream(line);
  return {std::istream_iterator<std::string>(stream), {}};
}

Problem parsed(const std::string& line) {
  const Result<ParsedOptions> options = parseProblemOptions(wordsOf(line));
  EXPECT_TRUE(options) << line << ": " << options.error().message();
  return options ? options->problem : Problem{};
}

std::string errorOf(const std::string& line) {
  const Result<ParsedOptions> options = parseProblemOptions(wordsOf(line));
  EXPECT_FALSE(options) << line;
  if (options) return {};
  EXPECT_EQ(options.error().kind, ErrorKind::kUsage);
  return options.error().message();
}

TEST(ProblemOptionsTest, WhatIsNotSaidFollows) {
  const Problem problem = parsed("--heads 16 --seq 100 --head-dim 32");
  EXPECT_EQ(problem.keyValueHeads, 16);
  EXPECT_EQ(problem.keyValueLength, 100);
  EXPECT_EQ(problem.valueHeadSize, 32);
  EXPECT_EQ(problem.mask, Mask(NoMask{}));
  EXPECT_EQ(parsed("").mask, Mask(NoMask{})) << "the command line has no mask unless it is said";
}

TEST(ProblemOptionsTest, EveryOption) {
  const Problem problem = parsed(
      "--batch=2 --heads 8 --kv-heads 2 --seq 64 --kv-seq 128 --head-dim 64 --value-head-dim 32 --dtype bfloat16 "
      "--causal=bottom-right --softcap 30.5 --sink --alibi --dropout 0.1 --backward --layout bnhd --seed 7");
  EXPECT_EQ(problem.batch, 2);
  EXPECT_EQ(problem.keyValueHeads, 2);
  EXPECT_EQ(problem.keyValueLength, 128);
  EXPECT_EQ(problem.valueHeadSize, 32);
  EXPECT_EQ(problem.dtype, DataType::kBFloat16);
  EXPECT_EQ(problem.mask, Mask(CausalMask{CausalAlignment::kBottomRight}));
  EXPECT_EQ(problem.softcap, 30.5);
  EXPECT_TRUE(problem.sink);
  EXPECT_TRUE(problem.alibi);
  EXPECT_EQ(problem.dropout, 0.1);
  EXPECT_EQ(problem.pass, Pass::kForwardBackward);
  EXPECT_EQ(problem.layout, Layout::kBnhd);
  EXPECT_EQ(problem.seed, 7u);
  EXPECT_EQ(parsed("--block").workload, Workload::kBlock);
  EXPECT_EQ(parsed("--mask prefix:5").mask, Mask(PrefixMask{5}));
  EXPECT_EQ(parsed("--mask none").mask, Mask(NoMask{}));
  EXPECT_EQ(parsed("--window 9").mask, Mask(WindowMask{9, CausalAlignment::kTopLeft}));
  EXPECT_EQ(parsed("--seq 8 --mask documents:3,5 --causal").mask, Mask(DocumentsMask{{3, 5}, InsideDocument::kCausal}));
}

TEST(ProblemOptionsTest, CausalAsksWhichWhereItMatters) {
  EXPECT_EQ(parsed("--causal").mask, Mask(CausalMask{CausalAlignment::kTopLeft}));
  EXPECT_EQ(parsed("--causal --seq 7 --kv-seq 7").mask, Mask(CausalMask{CausalAlignment::kTopLeft}));
  EXPECT_EQ(errorOf("--causal --seq 1 --kv-seq 4096"),
            "--causal is ambiguous for 1 queries and 4096 keys: say which: --causal=top-left lines up the first query "
            "with the first key, --causal=bottom-right the last with the last");
  EXPECT_THAT(errorOf("--window 5 --kv-seq 7"), HasSubstr("--window is ambiguous"));
  EXPECT_EQ(parsed("--window 5 --causal=bottom-right --kv-seq 7").mask,
            Mask(WindowMask{5, CausalAlignment::kBottomRight}));
}

TEST(ProblemOptionsTest, APresetCountsFirstWhereverItStands) {
  EXPECT_EQ(parsed("--preset llama3-8b"), findPreset("llama3-8b")->problem);
  const Problem shorter = parsed("--seq 512 --preset llama3-8b");
  EXPECT_EQ(shorter.queryLength, 512);
  EXPECT_EQ(shorter.keyValueLength, 512);
  EXPECT_EQ(shorter.keyValueHeads, 8) << "the preset has its own";
  EXPECT_EQ(parsed("--preset llama3-8b-decode --kv-seq 100").keyValueLength, 100);
  EXPECT_THAT(errorOf("--preset gpt9"), HasSubstr("use one of quick-look, gpt2-medium"));
}

TEST(ProblemOptionsTest, OtherWordsAreLeft) {
  const Result<ParsedOptions> options =
      parseProblemOptions(wordsOf("--impl naive.plain --heads 4 -o out.attn --threads=2 --seq 8"));
  ASSERT_TRUE(options);
  EXPECT_THAT(options->rest, ElementsAre("--impl", "naive.plain", "-o", "out.attn", "--threads=2"));
}

TEST(ProblemOptionsTest, WrongValuesAreRefusedInWords) {
  EXPECT_EQ(errorOf("--heads many"), "--heads cannot be \"many\": use a whole number");
  EXPECT_EQ(errorOf("--heads 4.5"), "--heads cannot be \"4.5\": use a whole number");
  EXPECT_EQ(errorOf("--heads"), "--heads needs a value: use a whole number");
  EXPECT_EQ(errorOf("--heads="), "--heads cannot be \"\": use a whole number");
  EXPECT_EQ(errorOf("--dtype fp8"), "--dtype cannot be \"fp8\": use float32, bfloat16, float16 or float64");
  EXPECT_EQ(errorOf("--causal=middle"), "--causal cannot be \"middle\": use top-left or bottom-right");
  EXPECT_EQ(errorOf("--sink=1"), "--sink takes no value: leave out what follows it");
  EXPECT_THAT(errorOf("--window 5 --mask none"), HasSubstr("contradict"));
  EXPECT_THAT(errorOf("--causal --mask none"), HasSubstr("contradict"));
  EXPECT_THAT(errorOf("--mask prefix:x"), HasSubstr("use prefix:N"));
  EXPECT_THAT(errorOf("--mask documents:3,,5"), HasSubstr("use documents:N,N"));
  EXPECT_THAT(errorOf("--mask some.file"), HasSubstr("some.file: the mask could not be opened"));
  EXPECT_EQ(errorOf("--heads 16 --kv-heads 12"), "--kv-heads: 12 does not divide 16 heads. Use 1, 2, 4, 8 or 16.");
}

TEST(ProblemOptionsTest, ThereAndBack) {
  RandomProblems problems(3);
  for (int trial = 0; trial < 1000; ++trial) {
    Problem problem = problems.next();
    if (trial % 5 == 0) problem.softcap = 0.1;
    if (trial % 7 == 0) problem.dropout = 1.0 / 3;
    const Result<ParsedOptions> options = parseProblemOptions(optionsOf(problem));
    ASSERT_TRUE(options) << joinForShell(optionsOf(problem)) << options.error().message();
    ASSERT_EQ(options->problem, problem) << joinForShell(optionsOf(problem));
    ASSERT_TRUE(options->rest.empty());
  }
  for (const Preset& preset : presets())
    EXPECT_EQ(parseProblemOptions(optionsOf(preset.problem))->problem, preset.problem);
}

TEST(ProblemOptionsTest, ShellWordsAreQuoted) {
  EXPECT_EQ(joinForShell(optionsOf(Problem{})), "--heads 8 --seq 1024 --head-dim 64 --causal");
  EXPECT_EQ(joinForShell(std::vector<std::string>{"a b", "it's", "", "$HOME", "x=1,2"}),
            R"('a b' 'it'\''s' '' '$HOME' x=1,2)");
}

}  // namespace
}  // namespace attnscope
