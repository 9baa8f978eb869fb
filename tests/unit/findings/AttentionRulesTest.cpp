// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/findings/Recording.h"

namespace attnscope {
namespace {

using testing::HasSubstr;

constexpr const char* kScores = "[[8, 128, 64], [8, 64, 128]]";
constexpr const char* kWeights = "[[8, 128, 128], [8, 128, 64]]";

// bmm, what stands between, softmax, bmm; 100 ns each.
Recording& chain(Recording& recording, std::int64_t at, const char* scores = kScores, const char* weights = kWeights) {
  return recording.op("aten::bmm", at, 100, scores)
      .op("aten::mul", at + 100, 100, "[[8, 128, 128], []]")
      .op("aten::_softmax", at + 200, 100, "[[8, 128, 128], [], []]", R"({"Input type": ["float"]})")
      .op("aten::bmm", at + 300, 100, weights);
}

TEST(AttentionUnfused, FindsTheChainByOrderAndShape) {
  Recording recording;
  chain(chain(recording, 0), 1000);
  const auto findings = fired(recording.build(), "attn.unfused");
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].severity, FindingSeverity::kProblem);
  EXPECT_EQ(findings[0].savingNs, 400);  // mul and softmax, twice
  EXPECT_THAT(findings[0].why, HasSubstr("512 KiB"));
  EXPECT_EQ(findings[0].evidence[0].slices.size(), 2u);
  EXPECT_EQ(findings[0].evidence[1].slices.size(), 4u);
  EXPECT_EQ(fired(recording.build(), "attn.unfused", {{"attn.unfused", 3}}).size(), 0u);
}

TEST(AttentionUnfused, MatmulsOfOtherShapesAreNoAttention) {
  Recording recording;
  chain(recording, 0, "[[8, 128, 64], [8, 64, 500]]");
  EXPECT_TRUE(fired(recording.build(), "attn.unfused").empty());
}

TEST(AttentionUnfused, WithoutShapesTheOrderDecides) {
  Recording recording;
  recording.op("aten::bmm", 0, 100).op("aten::_softmax", 100, 100).op("aten::bmm", 200, 100);
  const auto findings = fired(recording.build(), "attn.unfused");
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].confidence, Confidence::kInferred);
  EXPECT_THAT(findings[0].caveats, testing::Contains(HasSubstr("No shapes")));
}

TEST(AttentionUnfused, AClassifiersSoftmaxIsNone) {
  Recording recording;
  recording.op("aten::mm", 0, 100).op("aten::_softmax", 100, 100);
  EXPECT_TRUE(fired(recording.build(), "attn.unfused").empty());
  EXPECT_FALSE(reasonOf(Recording().op("aten::mm", 0, 10).build(), "attn.unfused").empty());
}

Trace mathBackend(const char* dims) {
  Recording recording;
  recording.op("aten::scaled_dot_product_attention", 0, 1000, dims)
      .op("aten::_scaled_dot_product_attention_math", 10, 900, dims)
      .op("aten::tril", 20, 50)
      .op("aten::bmm", 100, 100, kScores)
      .op("aten::_safe_softmax", 300, 300)
      .op("aten::_softmax", 350, 100, "[[8, 128, 128], [], []]")
      .op("aten::bmm", 700, 100, kWeights);
  return recording.build();
}

TEST(AttentionMathBackend, SaysWhatTheInputsRuleOut) {
  const auto findings =
      fired(mathBackend("[[1, 8, 128, 512], [1, 8, 128, 512], [1, 8, 128, 512], [128, 128]]"), "attn.math-backend");
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].savingNs, 700);
  EXPECT_THAT(findings[0].why, HasSubstr("head size of 512"));
  EXPECT_THAT(findings[0].why, HasSubstr("a mask is given"));
  // Its chain of matmul and softmax is not told a second time.
  EXPECT_TRUE(fired(mathBackend(""), "attn.unfused").empty());
  Recording fused;
  fused.op("aten::scaled_dot_product_attention", 0, 100).op("aten::_scaled_dot_product_flash_attention", 10, 80);
  EXPECT_TRUE(fired(fused.build(), "attn.math-backend").empty());
  EXPECT_FALSE(reasonOf(Recording().op("aten::mm", 0, 10).build(), "attn.math-backend").empty());
}

TEST(AttentionBackend, CountsTheCallsOfEach) {
  Recording recording;
  for (int i = 0; i < 3; ++i) {
    recording.op("aten::scaled_dot_product_attention", i * 100, 90)
        .op(i < 2 ? "aten::_scaled_dot_product_flash_attention_for_cpu" : "aten::_scaled_dot_product_attention_math",
            i * 100 + 5, 80);
  }
  recording.op("aten::_scaled_dot_product_flash_attention_for_cpu_backward", 900, 50);
  const auto findings = fired(recording.build(), "attn.backend");
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_THAT(findings[0].headline, HasSubstr("flash for CPU in 2 calls, math in 1 call"));
  EXPECT_EQ(fired(recording.build(), "attn.backend", {{"attn.backend", 4}}).size(), 0u);
  EXPECT_FALSE(reasonOf(Recording().op("aten::mm", 0, 10).build(), "attn.backend").empty());
}

TEST(AttentionMaskRebuilt, FiresFromTheSecondOn) {
  Recording once;
  once.op("aten::tril", 0, 10);
  EXPECT_TRUE(fired(once.build(), "attn.mask-rebuilt").empty());
  Recording twice;
  twice.op("aten::tril", 0, 10).op("aten::triu", 20, 15);
  const auto findings = fired(twice.build(), "attn.mask-rebuilt");
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].savingNs, 25);
  EXPECT_FALSE(reasonOf(Recording().op("aten::mm", 0, 10).build(), "attn.mask-rebuilt").empty());
}

TEST(AttentionSafeSoftmax, CostsWhatIsAboveTheSoftmaxInIt) {
  const auto findings = fired(mathBackend(""), "attn.safe-softmax");
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].savingNs, 200);
  EXPECT_FALSE(reasonOf(Recording().op("aten::_softmax", 0, 10).build(), "attn.safe-softmax").empty());
}

TEST(AttentionKvRepeat, FiresFromItsShareOn) {
  const auto of = [](std::int64_t ns) {
    Recording recording;
    recording.op("aten::repeat_interleave", 0, ns).op("aten::mm", 100, 1000 - ns);
    return recording.build();
  };
  EXPECT_EQ(fired(of(10), "attn.kv-repeat").size(), 1u);
  EXPECT_TRUE(fired(of(9), "attn.kv-repeat").empty());
  EXPECT_FALSE(reasonOf(Recording().op("aten::mm", 0, 10).build(), "attn.kv-repeat").empty());
}

Trace besideAttention(std::int64_t copyNs, int between) {
  Recording recording;
  recording.op("aten::copy_", 0, 10);
  std::int64_t at = 0;
  recording.kernel("elementwise_kernel<direct_copy_kernel_cuda>", at, copyNs, "aten::copy_");
  at += copyNs;
  for (int i = 0; i < between; ++i, at += 10) recording.kernel("k", at, 10);
  recording.kernel("flash_fwd_kernel", at, 1000 - copyNs - between * 10);
  return recording.build();
}

TEST(AttentionLayoutCopy, FiresForCopiesBesideTheKernel) {
  const auto findings = fired(besideAttention(50, 0), "attn.layout-copy");
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].savingNs, 50);
  EXPECT_TRUE(fired(besideAttention(49, 0), "attn.layout-copy").empty());
  EXPECT_EQ(fired(besideAttention(50, 3), "attn.layout-copy").size(), 1u);
  EXPECT_TRUE(fired(besideAttention(50, 4), "attn.layout-copy").empty());  // too far to be its input
  Recording without;
  without.kernel("k", 0, 10);
  EXPECT_FALSE(reasonOf(without.build(), "attn.layout-copy").empty());
}

TEST(AttentionCpuCost, FiresFromTheDevicesTimeOn) {
  const auto of = [](std::int64_t hostNs) {
    Recording recording;
    recording.op("aten::scaled_dot_product_attention", 0, hostNs).op("aten::_flash_attention_forward", 10, hostNs - 20);
    recording.kernel("flash_fwd_kernel", 5000, 1000, "aten::_flash_attention_forward");
    return recording.build();
  };
  const auto findings = fired(of(1000), "attn.cpu-cost");
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].savingNs, 0);
  EXPECT_EQ(fired(of(3000), "attn.cpu-cost")[0].savingNs, 2000);
  EXPECT_TRUE(fired(of(999), "attn.cpu-cost").empty());
}

TEST(AttentionShare, SaysWhatEachStageTakes) {
  Recording recording;
  chain(chain(recording, 0), 1000);
  const auto findings = fired(recording.build(), "attn.share");
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].severity, FindingSeverity::kInfo);
  EXPECT_THAT(findings[0].headline, HasSubstr("800 ns in 2 calls"));
  EXPECT_THAT(findings[0].headline, HasSubstr("softmax 25.0 %"));
  EXPECT_EQ(findings[0].evidence.size(), 4u);  // scores, scale, softmax, weighted sum
  EXPECT_EQ(fired(recording.build(), "attn.share", {{"attn.share", 2}}).size(), 1u);
  EXPECT_TRUE(fired(recording.build(), "attn.share", {{"attn.share", 3}}).empty());
  EXPECT_FALSE(reasonOf(Recording().op("aten::mm", 0, 10).build(), "attn.share").empty());
}

TEST(AttentionShare, IsOfTheDeviceWhereThereIsOne) {
  Recording recording;
  recording.op("aten::scaled_dot_product_attention", 0, 100).op("aten::_flash_attention_forward", 10, 80);
  EXPECT_THAT(fired(recording.build(), "attn.share")[0].headline, HasSubstr("100 ns in 1 call"));
  recording.kernel("k", 500, 60);
  EXPECT_THAT(reasonOf(recording.build(), "attn.share"), HasSubstr("no device work is linked"));
  recording.kernel("flash_fwd_kernel", 300, 40, "aten::_flash_attention_forward");
  const auto findings = fired(recording.build(), "attn.share");
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_THAT(findings[0].headline, HasSubstr("40 ns in 1 call, 40.0 % of the device's work: fused 100.0 %"));
  EXPECT_THAT(findings[0].caveats, testing::Contains(HasSubstr("cannot be told apart")));
}

TEST(AttentionUnfused, FindsTheChainWithAMaskOfManyViews) {
  Recording recording;
  recording.op("aten::bmm", 0, 100, kScores);
  for (int i = 0; i < 20; ++i) recording.op(i % 2 == 0 ? "aten::as_strided" : "aten::empty", 100 + i, 1);
  recording.op("aten::masked_fill_", 150, 20)
      .op("aten::_softmax", 200, 100, "[[8, 128, 128], [], []]")
      .op("aten::bmm", 300, 100, kWeights);
  EXPECT_EQ(fired(recording.build(), "attn.unfused").size(), 1u);
}

}  // namespace
}  // namespace attnscope
