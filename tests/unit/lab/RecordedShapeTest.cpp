// SPDX-License-Identifier: GPL-3.0-or-later
// The shape of a recorded call, from traces written by hand.

#include <map>

#include <gtest/gtest.h>

#include "ui/lab/RecordedShape.h"

namespace attnscope::ui {
namespace {

class TextArgs : public ArgsSource {
 public:
  explicit TextArgs(std::string text) : m_text(std::move(text)) {}
  [[nodiscard]] Result<std::string> read(TextRange range) const override {
    return m_text.substr(range.begin, range.length);
  }

 private:
  std::string m_text;
};

// One slice of this name with these args.
Trace traceOf(std::string_view name, const std::string& args) {
  Trace trace;
  SliceTable& slices = trace.slices;
  slices.startNs = {0};
  slices.durationNs = {1000};
  slices.name = {trace.strings.intern(name)};
  slices.inputDims = {kNoString};
  slices.argsBegin = {0};
  slices.argsLength = {static_cast<std::uint32_t>(args.size())};
  trace.argsSource = std::make_shared<TextArgs>(args);
  return trace;
}

TEST(RecordedShape, OfScaledDotProductAttention) {
  const Trace trace = traceOf("aten::scaled_dot_product_attention", R"({"External id": 7,
    "Input Dims": [[2, 16, 512, 64], [2, 4, 1024, 64], [2, 4, 1024, 128], [], [], [], [], []],
    "Input type": ["c10::BFloat16", "c10::BFloat16", "c10::BFloat16", "", "Scalar", "Scalar", "", "Scalar"],
    "Concrete Inputs": ["", "", "", "", "0.", "True", "", "True"]})");
  ASSERT_TRUE(isAttentionCall(trace, SliceId{0}));
  const auto problem = problemOf(trace, SliceId{0});
  ASSERT_TRUE(problem);
  EXPECT_EQ(problem->batch, 2);
  EXPECT_EQ(problem->heads, 16);
  EXPECT_EQ(problem->keyValueHeads, 4);
  EXPECT_EQ(problem->queryLength, 512);
  EXPECT_EQ(problem->keyValueLength, 1024);
  EXPECT_EQ(problem->headSize, 64);
  EXPECT_EQ(problem->valueHeadSize, 128);
  EXPECT_EQ(problem->dtype, DataType::kBFloat16);
  EXPECT_TRUE(problem->mask == Mask(CausalMask{}));
  EXPECT_FALSE(problem->scale);
}

TEST(RecordedShape, OwnScaleIsKeptAndTheUsualIsNot) {
  const std::string dims = R"("Input Dims": [[1, 8, 64, 64], [1, 8, 64, 64], [1, 8, 64, 64], [], [], [], []],
                              "Input type": ["float", "float", "float", "", "", "", ""])";
  const auto own = problemOf(traceOf("aten::_scaled_dot_product_flash_attention_for_cpu",
                                     "{" + dims + R"(, "Concrete Inputs": ["", "", "", "0.", "False", "", "0.5"]})"),
                             SliceId{0});
  ASSERT_TRUE(own);
  EXPECT_EQ(own->scale, 0.5);
  EXPECT_TRUE(own->mask == Mask(NoMask{}));
  EXPECT_EQ(own->dtype, DataType::kFloat32);
  const auto usual =
      problemOf(traceOf("aten::_scaled_dot_product_flash_attention_for_cpu",
                        "{" + dims + R"(, "Concrete Inputs": ["", "", "", "0.", "False", "", "0.125"]})"),
                SliceId{0});
  ASSERT_TRUE(usual);
  EXPECT_FALSE(usual->scale);
}

TEST(RecordedShape, FlashForwardHasTokensBeforeHeads) {
  const auto problem = problemOf(traceOf("aten::_flash_attention_forward",
                                         R"({"Input Dims": [[1, 2048, 32, 128], [1, 2048, 8, 128], [1, 2048, 8, 128]],
                  "Input type": ["c10::Half", "c10::Half", "c10::Half"],
                  "Concrete Inputs": ["", "", "", "", "", "2048", "2048", "0.", "True", "False", ""]})"),
                                 SliceId{0});
  ASSERT_TRUE(problem);
  EXPECT_EQ(problem->heads, 32);
  EXPECT_EQ(problem->keyValueHeads, 8);
  EXPECT_EQ(problem->queryLength, 2048);
  EXPECT_EQ(problem->dtype, DataType::kFloat16);
  EXPECT_TRUE(problem->mask == Mask(CausalMask{}));
}

TEST(RecordedShape, NoneWithoutShapes) {
  EXPECT_FALSE(problemOf(traceOf("aten::scaled_dot_product_attention", R"({"External id": 7})"), SliceId{0}));
  EXPECT_FALSE(problemOf(traceOf("aten::scaled_dot_product_attention", ""), SliceId{0}));
  EXPECT_FALSE(problemOf(traceOf("aten::scaled_dot_product_attention", "{ broken"), SliceId{0}));
  EXPECT_FALSE(problemOf(traceOf("aten::bmm", R"({"Input Dims": [[8, 4, 4], [8, 4, 4]]})"), SliceId{0}));
}

TEST(RecordedShape, NoneForSizesThatDoNotAgree) {
  EXPECT_FALSE(problemOf(traceOf("aten::scaled_dot_product_attention",
                                 R"({"Input Dims": [[1, 8, 64, 64], [1, 3, 64, 64], [1, 3, 64, 64]]})"),
                         SliceId{0}));
  EXPECT_FALSE(problemOf(
      traceOf("aten::scaled_dot_product_attention", R"({"Input Dims": [[8, 64, 64], [8, 64, 64], [8, 64, 64]]})"),
      SliceId{0}));
  EXPECT_FALSE(problemOf(traceOf("aten::scaled_dot_product_attention",
                                 R"({"Input Dims": [[1, 8, 64, 64], [1, 8, 64, 64], [1, 8, 64, 64]],
                                     "Input type": ["int", "int", "int"]})"),
                         SliceId{0}));
}

TEST(RecordedShape, SizesOfTheTraceWhereTheArgsAreGone) {
  Trace trace = traceOf("aten::scaled_dot_product_attention", "");
  trace.slices.inputDims = {trace.strings.intern("[[1, 8, 64, 32], [1, 8, 64, 32], [1, 8, 64, 32], []]")};
  const auto problem = problemOf(trace, SliceId{0});
  ASSERT_TRUE(problem);
  EXPECT_EQ(problem->headSize, 32);
}

}  // namespace
}  // namespace attnscope::ui
