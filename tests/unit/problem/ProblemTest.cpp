// SPDX-License-Identifier: Apache-2.0
#include "core/problem/Problem.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/problem/ProblemJson.h"
#include "tests/unit/problem/RandomProblem.h"

namespace attnscope {
namespace {

using testing::HasSubstr;
using Json = nlohmann::ordered_json;

TEST(ProblemTest, IsDescribedInOneLine) {
  Problem problem;
  EXPECT_EQ(describe(problem), "B1 H8 N1024 D64 float32, causal, top left");
  problem.keyValueHeads = 2;
  problem.keyValueLength = 4096;
  problem.valueHeadSize = 32;
  problem.mask = WindowMask{256, CausalAlignment::kBottomRight};
  problem.pass = Pass::kForwardBackward;
  EXPECT_EQ(describe(problem), "B1 H8/2 N1024 M4096 D64 V32 float32, window 256, bottom right, with backward");
  EXPECT_EQ(describe(Mask(DocumentsMask{{1, 2, 3}, InsideDocument::kCausal})), "3 documents, causal");
  EXPECT_DOUBLE_EQ(problem.effectiveScale(), 0.125);
  problem.scale = 3.0;
  EXPECT_EQ(problem.effectiveScale(), 3.0);
  EXPECT_EQ(problem.groupSize(), 4);
}

TEST(ProblemTest, NamesOfTypes) {
  for (const DataType type : {DataType::kFloat32, DataType::kBFloat16, DataType::kFloat16, DataType::kFloat64}) {
    EXPECT_EQ(dataTypeOf(toString(type)), type);
  }
  EXPECT_FALSE(dataTypeOf("fp32"));
  EXPECT_EQ(bytesOf(DataType::kBFloat16), 2);
  EXPECT_EQ(accumulatorBytesOf(DataType::kBFloat16), 4);
  EXPECT_EQ(accumulatorBytesOf(DataType::kFloat64), 8);
}

TEST(ProblemJsonTest, ThereAndBack) {
  RandomProblems problems(4);
  for (int trial = 0; trial < 1000; ++trial) {
    Problem problem = problems.next();
    if (trial % 3 == 0) problem.scale = 1.0 / 3;
    if (trial % 4 == 0) problem.workload = Workload::kBlock;
    if (trial % 50 == 0) problem.mask = FileMask{"mask.bin"};
    const Result<Problem> back = problemFromJson(Json::parse(toJson(problem).dump()));
    ASSERT_TRUE(back) << back.error().message();
    ASSERT_EQ(*back, problem);
  }
}

TEST(ProblemJsonTest, MissingKeysHaveDefaultsAndWrongOnesAreRefused) {
  const Result<Problem> bare = problemFromJson(Json::parse(R"({"heads": 4, "seq": 16})"));
  ASSERT_TRUE(bare);
  EXPECT_EQ(bare->keyValueHeads, 4);
  EXPECT_EQ(bare->keyValueLength, 16);
  for (const auto& [text, says] : std::vector<std::pair<std::string, std::string>>{
           {"[]", "not an object"},
           {R"({"heads": "many"})", "the problem cannot be read"},
           {R"({"dtype": "fp8"})", "the dtype \"fp8\" is not known"},
           {R"({"mask": {"kind": "spiral"}})", "the mask \"spiral\" is not known"},
           {R"({"mask": {"kind": "causal", "alignment": "centre"}})", "the alignment \"centre\" is not known"},
       }) {
    const Result<Problem> problem = problemFromJson(Json::parse(text));
    ASSERT_FALSE(problem) << text;
    EXPECT_THAT(problem.error().what, HasSubstr(says));
  }
}

}  // namespace
}  // namespace attnscope
