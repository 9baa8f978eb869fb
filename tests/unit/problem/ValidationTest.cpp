// SPDX-License-Identifier: Apache-2.0
#include "core/problem/Validation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "core/problem/MaskTable.h"
#include "core/problem/Presets.h"

namespace attnscope {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

std::string messageFor(const std::function<void(Problem&)>& change, ProblemField field,
                       RemarkSeverity severity = RemarkSeverity::kError) {
  Problem problem;
  change(problem);
  const std::vector<Remark> remarks = validate(problem);
  EXPECT_EQ(remarks.size(), 1u);
  if (remarks.empty()) return {};
  EXPECT_EQ(remarks[0].field, field);
  EXPECT_EQ(remarks[0].severity, severity);
  return remarks[0].message;
}

TEST(ValidationTest, PresetsAreValid) {
  for (const Preset& preset : presets()) EXPECT_FALSE(hasError(validate(preset.problem))) << preset.id;
  EXPECT_EQ(presets()[0].id, "quick-look");
  EXPECT_EQ(presets()[0].problem, Problem{});
  EXPECT_EQ(findPreset("llama3-8b")->problem.keyValueHeads, 8);
  EXPECT_EQ(findPreset("none"), nullptr);
}

TEST(ValidationTest, MessagesSayWhatToChange) {
  EXPECT_THAT(validate(Problem{}), IsEmpty());
  EXPECT_EQ(messageFor(
                [](Problem& problem) {
                  problem.heads = 16;
                  problem.keyValueHeads = 12;
                },
                ProblemField::kKeyValueHeads),
            "12 does not divide 16 heads. Use 1, 2, 4, 8 or 16.");
  EXPECT_EQ(messageFor(
                [](Problem& problem) {
                  problem.heads = 1;
                  problem.keyValueHeads = 0;
                },
                ProblemField::kKeyValueHeads),
            "0 does not divide 1 head. Use 1.");
  EXPECT_EQ(messageFor([](Problem& problem) { problem.batch = 0; }, ProblemField::kBatch),
            "The batch cannot be 0. Use 1 to 65536.");
  EXPECT_EQ(messageFor([](Problem& problem) { problem.heads = -2; }, ProblemField::kHeads),
            "The number of heads cannot be -2. Use 1 to 4096.");
  EXPECT_EQ(messageFor([](Problem& problem) { problem.queryLength = 1 << 25; }, ProblemField::kQueryLength),
            "The length cannot be 33554432. Use 1 to 16777216.");
  EXPECT_THAT(messageFor([](Problem& problem) { problem.headSize = 0; }, ProblemField::kHeadSize),
              HasSubstr("Use 1 to 4096."));
  EXPECT_THAT(messageFor([](Problem& problem) { problem.valueHeadSize = 0; }, ProblemField::kValueHeadSize),
              HasSubstr("The value head size cannot be 0."));
  EXPECT_THAT(messageFor([](Problem& problem) { problem.dropout = 1; }, ProblemField::kDropout),
              HasSubstr("Use 0 to below 1."));
  EXPECT_THAT(messageFor([](Problem& problem) { problem.softcap = -1; }, ProblemField::kSoftcap),
              HasSubstr("Use 0 for none"));
  EXPECT_THAT(messageFor([](Problem& problem) { problem.scale = 1.0 / 0.0; }, ProblemField::kScale),
              HasSubstr("not a finite number"));
}

TEST(ValidationTest, Masks) {
  EXPECT_THAT(messageFor(
                  [](Problem& problem) {
                    problem.mask = WindowMask{0, {}};
                  },
                  ProblemField::kMask),
              HasSubstr("Use 1 or more."));
  EXPECT_EQ(messageFor(
                [](Problem& problem) {
                  problem.mask = WindowMask{1024, {}};
                },
                ProblemField::kMask, RemarkSeverity::kWarning),
            "A window of 1024 is as causal: there are 1024 keys.");
  EXPECT_EQ(messageFor([](Problem& problem) { problem.mask = PrefixMask{1025}; }, ProblemField::kMask),
            "A prefix of 1025 does not fit 1024 keys. Use 0 to 1024.");
  EXPECT_EQ(messageFor(
                [](Problem& problem) {
                  problem.mask = DocumentsMask{{1000, 23}, {}};
                },
                ProblemField::kMask),
            "The documents have 1023 tokens together and the sequence 1024. Make them equal.");
  EXPECT_THAT(messageFor(
                  [](Problem& problem) {
                    problem.mask = DocumentsMask{{1024, 0}, {}};
                  },
                  ProblemField::kMask),
              HasSubstr("A document of 0 tokens"));
  EXPECT_EQ(messageFor([](Problem& problem) { problem.mask = FileMask{"mask.npy"}; }, ProblemField::kMask),
            "The mask mask.npy was not read. Choose the file again.");
  EXPECT_EQ(messageFor(
                [](Problem& problem) {
                  auto table = std::make_shared<MaskTable>();
                  table->queries = 2;
                  table->keys = 3;
                  problem.mask = FileMask{"mask.npy", table};
                },
                ProblemField::kMask),
            "The mask is of 2 queries and 3 keys, not 1024 and 1024. Make them equal.");
  EXPECT_EQ(messageFor(
                [](Problem& problem) {
                  problem.keyValueLength = 1000;
                  problem.mask = CausalMask{CausalAlignment::kBottomRight};
                },
                ProblemField::kMask, RemarkSeverity::kWarning),
            "The first 24 queries see no key: their output is 0.");
  EXPECT_THAT(
      messageFor([](Problem& problem) { problem.queryLength = 1; }, ProblemField::kMask, RemarkSeverity::kWarning),
      HasSubstr("the last 1023 keys are seen by no query"));
}

TEST(ValidationTest, LatentsAreRunForwardAndAlone) {
  const auto message = [](const std::function<void(Problem&)>& change) {
    return messageFor(
        [&](Problem& problem) {
          problem.latentSize = 512;
          problem.ropeSize = 16;
          change(problem);
        },
        ProblemField::kLatent);
  };
  EXPECT_THAT(message([](Problem& problem) { problem.latentSize = 0; }), HasSubstr("A latent size of 0"));
  EXPECT_THAT(message([](Problem& problem) { problem.ropeSize = 64; }), HasSubstr("Use 0 to 63."));
  EXPECT_THAT(message([](Problem& problem) { problem.keyValueHeads = 2; }), HasSubstr("as many key/value heads"));
  EXPECT_THAT(message([](Problem& problem) { problem.pass = Pass::kForwardBackward; }), HasSubstr("forward and alone"));
}

TEST(ValidationTest, ABlockAttendsToItself) {
  EXPECT_EQ(
      messageFor(
          [](Problem& problem) {
            problem.workload = Workload::kBlock;
            problem.mask = NoMask{};
            problem.keyValueLength = 7;
          },
          ProblemField::kWorkload),
      "A block attends to itself: it needs as many keys as queries, not 7 and 1024. Use attention alone for these.");
}

TEST(ValidationTest, TheFirstErrorNamesItsOption) {
  Problem problem;
  problem.keyValueHeads = 3;
  const Result<Problem> result = validated(problem);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, ErrorKind::kUsage);
  EXPECT_EQ(result.error().message(), "--kv-heads: 3 does not divide 8 heads. Use 1, 2, 4 or 8.");
  EXPECT_TRUE(validated(Problem{}));
}

}  // namespace
}  // namespace attnscope
