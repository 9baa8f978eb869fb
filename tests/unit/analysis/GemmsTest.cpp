// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/Gemms.h"

#include <gtest/gtest.h>

#include "TraceMaker.h"

namespace attnscope {
namespace {

TEST(GemmSizesOf, EachOperatorHasItsOwnInputs) {
  EXPECT_EQ(gemmSizes("aten::mm", "[[8, 16], [16, 32]]"), (GemmSizes{1, 8, 16, 32}));
  EXPECT_EQ(gemmSizes("aten::addmm", "[[32], [8, 16], [16, 32], [], []]"), (GemmSizes{1, 8, 16, 32}));
  EXPECT_EQ(gemmSizes("aten::bmm", "[[4, 8, 16], [4, 16, 32]]"), (GemmSizes{4, 8, 16, 32}));
  EXPECT_EQ(gemmSizes("aten::baddbmm", "[[4, 8, 32], [4, 8, 16], [4, 16, 32]]"), (GemmSizes{4, 8, 16, 32}));
  EXPECT_EQ(gemmSizes("aten::linear", "[[2, 4, 16], [32, 16], [32]]"), (GemmSizes{1, 8, 16, 32}));
}

TEST(GemmSizesOf, WhatDoesNotFitIsNotKnown) {
  EXPECT_FALSE(gemmSizes("aten::mm", "[[8, 16], [17, 32]]").isKnown());
  EXPECT_FALSE(gemmSizes("aten::mm", "[[8, 16]]").isKnown());
  EXPECT_FALSE(gemmSizes("aten::mm", "").isKnown());
  EXPECT_FALSE(gemmSizes("aten::linear", "[[0], [32, 0]]").isKnown());
  EXPECT_FALSE(gemmSizes("aten::mm", "[[-8, 16], [16, 32]]").isKnown());
  EXPECT_FALSE(gemmSizes("aten::conv2d", "[[8, 16], [16, 32]]").isKnown());
}

TEST(GemmGroups, CallsOfOneSizeAreOneGroup) {
  TraceMaker maker;
  const TrackId host = maker.thread(1, 1);
  const TrackId stream = maker.thread(0, 7, TrackKind::kStream);
  const auto op = [&](const char* name, std::int64_t at, const char* dims) {
    maker.add({.track = host, .category = "cpu_op", .name = name, .startNs = at, .durationNs = 10, .inputDims = dims});
  };
  const auto kernel = [&](const char* name, std::int64_t at, std::int64_t ns, const char* by) {
    maker.add({.track = stream, .category = "kernel", .name = name, .startNs = at, .durationNs = ns, .launchedBy = by});
  };
  op("aten::mm", 0, "[[8, 16], [16, 32]]");
  op("aten::bmm", 20, "[[4, 8, 16], [4, 16, 32]]");
  kernel("ampere_sgemm_128x64_tn", 100, 5, "aten::mm");
  kernel("ampere_sgemm_128x64_tn", 110, 7, "aten::mm");
  kernel("elementwise_kernel", 120, 90, "aten::mm");
  kernel("ampere_sgemm_128x64_nn", 300, 40, "aten::bmm");
  const Trace trace = maker.build();
  const auto groups = gemmGroups(trace);
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].deviceNs, 40);
  EXPECT_EQ(groups[0].sizes, (GemmSizes{4, 8, 16, 32}));
  EXPECT_EQ(groups[1].deviceNs, 12);
  EXPECT_EQ(groups[1].operators.size(), 1u);
  EXPECT_EQ(groups[1].kernels.size(), 2u);
  EXPECT_EQ(gemmGroups(trace, {300, 400}).size(), 1u);
}

TEST(GemmLayoutOf, NamesOfFourLibraries) {
  EXPECT_EQ(gemmLayout("volta_sgemm_128x32_nt"), "nt");
  EXPECT_EQ(gemmLayout("ampere_fp16_s1688gemm_fp16_128x128_ldg8_f2f_stages_32x1_tn"), "tn");
  EXPECT_EQ(gemmLayout("sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize64x64x64_kernel__5x_cublas"), "tn");
  EXPECT_EQ(gemmLayout("void cutlass::Kernel2<cutlass_80_simt_sgemm_128x32_8x5_nn_align1>(Params)"), "nn");
  EXPECT_EQ(gemmLayout("nvjet_tst_128x256_64x4_1x2_h_bz_coopA_TNT"), "tn");
  EXPECT_EQ(gemmLayout("nvjet_hsh_64x8_64x16_4x1_v_bz_NNT"), "nn");
  EXPECT_EQ(gemmLayout("Cijk_Alik_Bljk_B_BS_BH_Bias_HA_S_SAV_UserArgs_MT64x32x128"), "tn");
  EXPECT_EQ(gemmLayout("Cijk_Ailk_Bjlk_SB_MT128x64x16"), "nt");
  EXPECT_EQ(gemmLayout("void gemmSN_NN_kernel<float, 128, 2>(Params)"), "nn");
  EXPECT_EQ(gemmLayout("splitKreduce_kernel<float, int>"), "");
  EXPECT_EQ(gemmLayout("implicit_convolve_sgemm"), "");
  EXPECT_EQ(gemmLayout("volta_scudnn_128x64_relu_interior_nn_v1"), "");
}

}  // namespace
}  // namespace attnscope
