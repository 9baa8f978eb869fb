// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/Kernels.h"

#include <gtest/gtest.h>

#include "tests/unit/analysis/TraceMaker.h"

namespace attnscope {
namespace {

TEST(KernelNames, TemplatesReturnTypesAndParametersGo) {
  EXPECT_EQ(
      shortKernelName("void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctorOnSelf_add<long>, "
                      "at::detail::Array<char*, 2> >(int, at::native::CUDAFunctorOnSelf_add<long>, "
                      "at::detail::Array<char*, 2>)"),
      "vectorized_elementwise_kernel<4, CUDAFunctorOnSelf_add<long>>");
  EXPECT_EQ(shortKernelName("void cutlass::Kernel<cutlass_80_tensorop_s1688gemm_64x64_32x6_nt_align1>("
                            "cutlass_80_tensorop_s1688gemm_64x64_32x6_nt_align1::Params)"),
            "cutlass_80_tensorop_s1688gemm_64x64_32x6_nt_align1");
  EXPECT_EQ(
      shortKernelName("void at::native::elementwise_kernel<128, 2, at::native::gpu_kernel_impl_nocast<at::native::"
                      "direct_copy_kernel_cuda(at::TensorIteratorBase&)::{lambda()#3}::operator()() const::"
                      "{lambda(float)#1}>(at::TensorIteratorBase&)::{lambda(int)#1}>(int)"),
      "elementwise_kernel<128, 2, direct_copy_kernel_cuda>");
  EXPECT_EQ(shortKernelName("cask_cudnn::computeBOffsetsKernel(cask_cudnn::ComputeBOffsetsParams)"),
            "computeBOffsetsKernel");
  EXPECT_EQ(shortKernelName("void at::native::(anonymous namespace)::softmax_warp_forward<float, float, 8>(float*)"),
            "softmax_warp_forward<float, float, 8>");
}

TEST(KernelNames, PlainNamesStay) {
  EXPECT_EQ(shortKernelName("triton_red_fused_add_mean_0"), "triton_red_fused_add_mean_0");
  EXPECT_EQ(shortKernelName("attn_fwd.kd"), "attn_fwd");
  EXPECT_EQ(shortKernelName("Memcpy HtoD (Pageable -> Device)"), "Memcpy HtoD (Pageable -> Device)");
  EXPECT_EQ(shortKernelName(""), "");
}

TEST(KernelNames, LongNamesAreCut) {
  const std::string name = shortKernelName("Cijk_" + std::string(900, 'x'));
  EXPECT_EQ(name.size(), 80u);
  EXPECT_TRUE(name.ends_with("..."));
}

TEST(KernelNames, MangledNamesAreRead) {
  EXPECT_EQ(demangledName("_ZN2at6native3fooEi"), "at::native::foo(int)");
  EXPECT_EQ(demangledName("_ZN2at6native3fooEi.kd"), "at::native::foo(int)");
  EXPECT_EQ(demangledName("_Znonsense"), "_Znonsense");
  EXPECT_EQ(shortKernelName("_ZN2at6native3fooEi"), "foo");
}

TEST(KernelNames, AnyNumberOfWrappersDoesNoHarm) {
  std::string name;
  for (int i = 0; i < 50'000; ++i) name += "Kernel<";
  name += "inner";
  name.append(50'000, '>');
  EXPECT_EQ(shortKernelName(name).substr(0, 7), "Kernel<");
  EXPECT_EQ(shortKernelName("Kernel<Kernel2<inner>>"), "inner");
}

TEST(KernelNames, UnbalancedNamesDoNoHarm) {
  for (const char* name : {"<", ">", "void ", "a<b", "a>b(", "::", "(", ")", "void f(", "<<>>::a<", "f()::", "(x)"}) {
    EXPECT_LE(shortKernelName(name).size(), 80u) << name;
  }
}

TEST(KernelNames, Families) {
  EXPECT_EQ(kernelFamily("volta_sgemm_32x32_sliced1x4_nt"), "gemm");
  EXPECT_EQ(kernelFamily("pytorch_flash::flash_fwd_kernel<...>"), "attention");
  EXPECT_EQ(kernelFamily("ncclDevKernel_AllReduce_Sum_f32_RING_LL"), "communication");
  EXPECT_EQ(kernelFamily("void at::native::reduce_kernel<512, 1>(int)"), "reduce");
  EXPECT_EQ(kernelFamily("triton_poi_fused_add_0"), "triton");
  EXPECT_EQ(kernelFamily("my_kernel"), "other");
}

TEST(KernelNames, TensorCores) {
  EXPECT_EQ(usesTensorCores("ampere_fp16_s1688gemm_fp16_128x128_ldg8"), TensorCores::kYes);
  EXPECT_EQ(usesTensorCores("volta_sgemm_32x32_sliced1x4_nt"), TensorCores::kNo);
  EXPECT_EQ(usesTensorCores("void at::native::vectorized_elementwise_kernel<4>(int)"), TensorCores::kNo);
  EXPECT_EQ(usesTensorCores("my_kernel"), TensorCores::kUnknown);
}

class KernelTables : public testing::Test {
 protected:
  void SetUp() override {
    m_main = m_maker.thread(10, 10);
    m_stream = m_maker.thread(0, 7, TrackKind::kStream);
    m_other = m_maker.thread(0, 8, TrackKind::kStream);
    m_maker.add({m_main, "cpu_op", "aten::mm", 0, 10});
  }
  void kernel(std::int64_t start, std::int64_t duration, const char* name, std::int32_t gridX = 1,
              const char* launchedBy = "aten::mm") {
    MadeSlice slice{m_stream, "kernel", name, start, duration};
    slice.launchedBy = launchedBy;
    slice.grid = {gridX, 1, 1};
    m_maker.add(slice);
  }
  TraceMaker m_maker;
  TrackId m_main = kNoTrack;
  TrackId m_stream = kNoTrack;
  TrackId m_other = kNoTrack;
};

TEST_F(KernelTables, FiguresOfANameAreExact) {
  kernel(100, 10, "k");
  kernel(200, 21, "k");
  kernel(300, 30, "k");
  kernel(400, 42, "k", 1, "");
  kernel(500, 400, "other");
  m_maker.add({m_stream, "gpu_memcpy", "Memcpy HtoD", 1000, 7});
  const KernelTable table = kernelTable(m_maker.build());
  ASSERT_EQ(table.rows.size(), 2u);
  ASSERT_EQ(table.copies.size(), 1u);
  EXPECT_EQ(table.totalNs, 503);
  const KernelRow& row = table.rows[1];
  EXPECT_EQ(row.calls, 4u);
  EXPECT_EQ(row.totalNs, 103);
  EXPECT_EQ(row.minNs, 10);
  EXPECT_EQ(row.meanNs, 26);    // 25.75
  EXPECT_EQ(row.medianNs, 26);  // 25.5, half up
  EXPECT_EQ(row.p95Ns, 42);
  EXPECT_EQ(row.maxNs, 42);
  EXPECT_DOUBLE_EQ(row.totalShare, 103.0 / 503.0);
  ASSERT_EQ(row.operators.size(), 1u);
  EXPECT_EQ(row.operators.front().calls, 3u);
  EXPECT_EQ(row.grid[0], 1);
  EXPECT_EQ(row.slices.size(), 4u);
}

TEST_F(KernelTables, P95IsTheNearestRank) {
  for (int i = 1; i <= 40; ++i) kernel(i * 1000, i, "k");
  EXPECT_EQ(kernelTable(m_maker.build()).rows.front().p95Ns, 38);
}

TEST_F(KernelTables, ByLaunchSplitsShapes) {
  kernel(100, 10, "k", 1);
  kernel(200, 10, "k", 2);
  const Trace trace = m_maker.build();
  EXPECT_EQ(kernelTable(trace, KernelGrouping::kByLaunch).rows.size(), 2u);
  const KernelTable byName = kernelTable(trace);
  ASSERT_EQ(byName.rows.size(), 1u);
  EXPECT_EQ(byName.rows.front().grid[0], 0);  // the calls do not agree
  EXPECT_EQ(byName.rows.front().block[0], 128);
}

TEST_F(KernelTables, ScopeTakesWhatStartsInside) {
  kernel(100, 10, "k");
  kernel(200, 10, "k");
  EXPECT_EQ(kernelTable(m_maker.build(), KernelGrouping::kByName, {100, 200}).rows.front().calls, 1u);
}

TEST_F(KernelTables, BusyIsTheUnionOverStreams) {
  kernel(100, 50, "k");
  m_maker.add({m_other, "kernel", "k2", 120, 100}).add({m_other, "gpu_memset", "Memset (Device)", 300, 10});
  m_maker.add({m_other, "cuda_sync", "Stream Sync", 305, 1000}).add({m_other, "gpu_user_annotation", "a", 0, 1000});
  const Trace trace = m_maker.build();
  const auto busy = deviceBusy(trace);
  ASSERT_EQ(busy.size(), 1u);
  EXPECT_EQ(busy.front().busyNs, 130);
  EXPECT_EQ(busy.front().spanNs, 210);
  const auto clipped = deviceBusy(trace, {110, 200});
  ASSERT_EQ(clipped.size(), 1u);
  EXPECT_EQ(clipped.front().busyNs, 90);
}

TEST_F(KernelTables, NoDeviceWorkGivesNothing) {
  const Trace trace = m_maker.build();
  EXPECT_TRUE(kernelTable(trace).rows.empty());
  EXPECT_TRUE(deviceBusy(trace).empty());
}

}  // namespace
}  // namespace attnscope
