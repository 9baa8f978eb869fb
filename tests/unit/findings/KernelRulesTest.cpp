// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/findings/Recording.h"

namespace attnscope {
namespace {

using testing::HasSubstr;

// One kernel with its launch facts and another that takes the rest of 1000 ns.
struct Launched {
  std::string name = "k";
  std::int64_t ns = 100;
  std::array<std::int32_t, 3> grid = {1320, 1, 1};
  std::array<std::int32_t, 3> block = {256, 1, 1};
  std::int32_t registers = 32;
  std::int64_t shared = 0;
};

Trace launched(const Launched& kernel) {
  Recording recording;
  recording.op("aten::mm", 0, 10);
  recording.kernel(kernel.name, 0, kernel.ns, "aten::mm").kernel("rest", kernel.ns, 1000 - kernel.ns, "aten::mm");
  Trace trace = recording.build();
  DeviceWorkTable& work = trace.deviceWork;
  work.grid = {kernel.grid, {132 * 1600, 1, 1}};
  work.block = {kernel.block, {128, 1, 1}};
  work.registersPerThread = {kernel.registers, 32};
  work.sharedMemoryBytes = {kernel.shared, 0};
  return trace;
}

TEST(KernelLowOccupancy, FiresBelowItsThresholdForKernelsThatMatter) {
  // 128 registers of 256 threads: 2 blocks, 25 %. One more and it is one block.
  EXPECT_TRUE(fired(launched({.registers = 128}), "kernel.low-occupancy").empty());
  const auto findings = fired(launched({.registers = 129}), "kernel.low-occupancy");
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_THAT(findings[0].headline, HasSubstr("limited by registers"));
  EXPECT_TRUE(fired(launched({.ns = 49, .registers = 200}), "kernel.low-occupancy").empty());
  EXPECT_TRUE(fired(launched({.name = "flash_fwd_kernel", .registers = 255}), "kernel.low-occupancy").empty());
}

TEST(AttentionLowOccupancy, SaysThatItIsNormal) {
  const auto findings =
      fired(launched({.name = "flash_fwd_kernel", .block = {128, 1, 1}, .registers = 255, .shared = 96 * 1024}),
            "attn.low-occupancy");
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].severity, FindingSeverity::kInfo);
  EXPECT_THAT(findings[0].headline, HasSubstr("12.5 %"));
  EXPECT_TRUE(fired(launched({.name = "flash_fwd_kernel", .registers = 128}), "attn.low-occupancy").empty());
  EXPECT_FALSE(reasonOf(launched({}), "attn.low-occupancy").empty());
}

TEST(AttentionOccupancyUnknown, FiresWhereZeroIsReportedForWhatFits) {
  Trace trace = launched({.name = "flash_fwd_kernel", .block = {128, 1, 1}, .registers = 255, .shared = 96 * 1024});
  EXPECT_TRUE(fired(trace, "attn.occupancy-unknown").empty());
  trace.deviceWork.occupancyReported[0] = 0;
  const auto findings = fired(trace, "attn.occupancy-unknown");
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_THAT(findings[0].headline, HasSubstr("12.5 %"));
  EXPECT_THAT(findings[0].why, HasSubstr("96.0 KiB"));
  trace.deviceWork.occupancyReported = {-1, -1};
  EXPECT_EQ(reasonOf(trace, "attn.occupancy-unknown"), "no occupancy recorded");
}

TEST(KernelTail, FiresBelowHalfALastWave) {
  // 8 blocks an SM: 1056 at once.
  EXPECT_TRUE(fired(launched({.grid = {1056 + 528, 1, 1}}), "kernel.tail").empty());
  const auto findings = fired(launched({.grid = {1056 + 264, 1, 1}}), "kernel.tail");
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].savingNs, 37);  // 100 ns over 2 waves, three quarters of one
  EXPECT_TRUE(fired(launched({.grid = {264, 1, 1}}), "kernel.tail").empty());             // less than one wave
  EXPECT_TRUE(fired(launched({.grid = {1056 * 20 + 10, 1, 1}}), "kernel.tail").empty());  // one of many
  EXPECT_TRUE(fired(launched({.ns = 49, .grid = {1100, 1, 1}}), "kernel.tail").empty());
}

TEST(KernelSmallGrid, FiresBelowABlockAMultiprocessor) {
  EXPECT_TRUE(fired(launched({.grid = {132, 1, 1}}), "kernel.small-grid").empty());
  const auto findings = fired(launched({.grid = {33, 1, 1}}), "kernel.small-grid");
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].savingNs, 75);
  EXPECT_THAT(findings[0].headline, HasSubstr("33 blocks for 132"));
  EXPECT_TRUE(fired(launched({.ns = 49, .grid = {1, 1, 1}}), "kernel.small-grid").empty());
  EXPECT_TRUE(fired(launched({.name = "ncclDevKernel_AllReduce", .grid = {16, 1, 1}}), "kernel.small-grid").empty());
}

TEST(KernelDominant, FiresFromItsShareOn) {
  const auto findings = fired(launched({}), "kernel.dominant");
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_THAT(findings[0].headline, HasSubstr("90.0 %"));
  EXPECT_THAT(findings[0].change, HasSubstr("aten::mm"));
  Recording even;
  for (int i = 0; i < 4; ++i) even.kernel("k" + std::to_string(i), i * 10, 10);
  EXPECT_TRUE(fired(even.build(), "kernel.dominant").empty());
  EXPECT_EQ(fired(even.build(), "kernel.dominant", {{"kernel.dominant", 0.25}}).size(), 1u);
}

TEST(GemmNoTensorCore, FiresForHalfPrecisionOnOrdinaryCores) {
  const auto of = [](std::string name, std::int64_t ns) { return launched({.name = std::move(name), .ns = ns}); };
  const std::string simt = "cutlass_80_simt_hgemm_256x128_8x4_nn_align1";
  EXPECT_EQ(fired(of(simt, 10), "gemm.no-tensor-core").size(), 1u);
  EXPECT_TRUE(fired(of(simt, 9), "gemm.no-tensor-core").empty());
  EXPECT_TRUE(fired(of("ampere_fp16_s16816gemm_fp16_128x128_ldg8", 500), "gemm.no-tensor-core").empty());
  EXPECT_TRUE(fired(of("ampere_sgemm_128x64_tn", 500), "gemm.no-tensor-core").empty());
  EXPECT_EQ(reasonOf(launched({}), "gemm.no-tensor-core"), "no matmul kernels");
}

Trace matmulOf(const char* dims, std::int64_t ns, const char* type = "c10::Half") {
  Recording recording;
  recording.op("aten::mm", 0, 100, dims, std::string(R"({"Input type": [")") + type + R"(", ")" + type + R"("]})");
  recording.kernel("ampere_fp16_s16816gemm_fp16_128x64_tn", 500, ns, "aten::mm").kernel("k", 2000, 1000 - ns);
  return recording.build();
}

TEST(GemmShape, FiresForHalfPrecisionOffItsMultiple) {
  const auto findings = fired(matmulOf("[[512, 768], [768, 30522]]", 10), "gemm.shape");
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].severity, FindingSeverity::kInfo);
  EXPECT_THAT(findings[0].headline, HasSubstr("no multiple of 8"));
  EXPECT_THAT(findings[0].headline, HasSubstr("512 x 768 by 768 x 30522"));
  EXPECT_EQ(findings[0].savingNs, 10);
  EXPECT_EQ(findings[0].evidence[0].slices.size(), 1u);
  EXPECT_TRUE(fired(matmulOf("[[512, 768], [768, 30522]]", 9), "gemm.shape").empty());
  EXPECT_EQ(fired(matmulOf("[[512, 768], [768, 30522]]", 50), "gemm.shape")[0].severity, FindingSeverity::kWarning);
  EXPECT_EQ(fired(matmulOf("[[512, 100], [100, 768]]", 50), "gemm.shape").size(), 1u);
}

TEST(GemmShape, SizesThatFitAndRowsDoNotMatter) {
  EXPECT_TRUE(fired(matmulOf("[[512, 768], [768, 30528]]", 500), "gemm.shape").empty());
  EXPECT_TRUE(fired(matmulOf("[[13, 768], [768, 768]]", 500), "gemm.shape").empty());
}

TEST(GemmShape, OtherTypesVectorsAndUnknownSizesDoNotApply) {
  EXPECT_FALSE(reasonOf(matmulOf("[[512, 100], [100, 77]]", 500, "float"), "gemm.shape").empty());
  EXPECT_FALSE(reasonOf(matmulOf("[[1, 100], [100, 77]]", 500), "gemm.shape").empty());
  EXPECT_FALSE(reasonOf(matmulOf("", 500), "gemm.shape").empty());
  EXPECT_EQ(reasonOf(Recording().op("aten::mm", 0, 10).build(), "gemm.shape"), "no device work in this trace");
}

TEST(GemmLayout, CountsTheLayoutsThatNamesTell) {
  Recording recording;
  recording.kernel("volta_sgemm_128x64_tn", 0, 30)
      .kernel("volta_sgemm_128x64_nn", 100, 10)
      .kernel("volta_sgemm_64x64_tn", 200, 10)
      .kernel("k", 300, 950);
  const auto findings = fired(recording.build(), "gemm.layout");
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].headline, "Matmul kernels take their inputs as tn 80.0 %, nn 20.0 %");
  EXPECT_EQ(findings[0].evidence[0].slices.size(), 2u);
  recording.kernel("k", 2000, 1);
  EXPECT_TRUE(fired(recording.build(), "gemm.layout").empty());
  EXPECT_EQ(reasonOf(Recording().kernel("k", 0, 10).build(), "gemm.layout"), "no matmul kernels");
  EXPECT_THAT(reasonOf(Recording().kernel("sgemm", 0, 10).build(), "gemm.layout"), HasSubstr("says its layout"));
}

}  // namespace
}  // namespace attnscope
