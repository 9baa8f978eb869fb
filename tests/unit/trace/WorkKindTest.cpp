// SPDX-License-Identifier: Apache-2.0
#include "core/trace/WorkKind.h"

#include <gtest/gtest.h>

namespace attnscope {
namespace {

TEST(WorkKind, CategoriesInAnySpelling) {
  EXPECT_EQ(classifyCategory("kernel"), CategoryClass::kKernel);
  EXPECT_EQ(classifyCategory("Kernel"), CategoryClass::kKernel);
  EXPECT_EQ(classifyCategory("Operator"), CategoryClass::kCpuOperator);
  EXPECT_EQ(classifyCategory("Runtime"), CategoryClass::kRuntime);
  EXPECT_EQ(classifyCategory("Memcpy"), CategoryClass::kGpuMemcpy);
  EXPECT_EQ(classifyCategory("gpu_memset"), CategoryClass::kGpuMemset);
  EXPECT_EQ(classifyCategory("cuda_driver"), CategoryClass::kDriver);
  EXPECT_EQ(classifyCategory("cuda_sync"), CategoryClass::kSynchronisation);
  EXPECT_EQ(classifyCategory("Trace"), CategoryClass::kTrace);
  EXPECT_EQ(classifyCategory("devtools.timeline,v8"), CategoryClass::kOther);
  EXPECT_EQ(classifyCategory(""), CategoryClass::kOther);
}

TEST(WorkKind, StepsOfTiles) {
  EXPECT_EQ(classifyCategory("tile"), CategoryClass::kTile);
  EXPECT_EQ(classifyWork(CategoryClass::kTile, "scores"), WorkKind::kGemm);
  EXPECT_EQ(classifyWork(CategoryClass::kTile, "weighted_sum"), WorkKind::kGemm);
  EXPECT_EQ(classifyWork(CategoryClass::kTile, "softmax"), WorkKind::kSoftmax);
  EXPECT_EQ(classifyWork(CategoryClass::kTile, "pack"), WorkKind::kCopy);
  EXPECT_EQ(classifyWork(CategoryClass::kTile, "write"), WorkKind::kCopy);
  EXPECT_EQ(classifyWork(CategoryClass::kTile, "merge"), WorkKind::kElementwise);
  EXPECT_EQ(classifyWork(CategoryClass::kTile, "inside view"), WorkKind::kAnnotation);
}

TEST(WorkKind, AttentionKernels) {
  for (const char* name : {"void pytorch_flash::flash_fwd_kernel<pytorch_flash::Flash_fwd_kernel_traits<64, 128>>(x)",
                           "void flash::compute_attn_ws<Flash_fwd_kernel_traits<192, 128>>",
                           "void cutlass::device_kernel<flash::FlashAttnBwd<...>>",
                           "FlashAttnBwdPreprocess",
                           "fmhaSm100aKernel_QkvE4m3OBfloat16H64PagedKvCausalP16VarSeqQ128Kv128PersistentContext",
                           "attn_fwd",
                           "attn_fwd.kd",
                           "aiter::fmha_fwd_hd128_bf16_rtz",
                           "_ZN7ck_tile6kentryILi2ENS_39FmhaBatchPrefillWithPagedKVCacheKernelIN",
                           "paged_attention_ll4mi_QKV_mfma16_kernel",
                           "paged_attention_ll4mi_reduce_kernel",
                           "kernel_unified_attention_2d",
                           "kernel_unified_attention_3d",
                           "sage_fwd",
                           "flash_fwd_splitkv_kernel",
                           "flash_bwd_dq_dk_dv_loop_seqk_parallel_kernel",
                           "fmha_cutlassF_f16_aligned_64x64_rf_sm80",
                           "cudnn_generated_fort_native_sdpa_sm90",
                           "BatchDecodeWithPagedKVCacheKernel",
                           "triton_tem_fused_flex_attention_0"})
    EXPECT_EQ(classifyKernel(name), WorkKind::kAttention) << name;
}

TEST(WorkKind, NamesThatOnlySoundLikeAttention) {
  for (const char* name :
       {"void vllm::reshape_and_cache_flash_kernel<__nv_bfloat16>", "create_flashinfer_kv_indices_triton",
        "triton_poi_fused__scaled_dot_product_flash_attention_cat_3", "triton_red_fused_add_fmha_v3_fwd_1",
        "ncclDevKernel_SendRecvMessage", "sage_quant_kernel", "MessageKernel"})
    EXPECT_NE(classifyKernel(name), WorkKind::kAttention) << name;
}

TEST(WorkKind, OtherKernels) {
  EXPECT_EQ(classifyKernel("ampere_fp16_s16816gemm_fp16_128x128_ldg8_f2f_stages_32x5_tn"), WorkKind::kGemm);
  EXPECT_EQ(classifyKernel("Cijk_Ailk_Bljk_HHS_BH"), WorkKind::kGemm);
  // Policies of elementwise kernels speak of casts without being one.
  EXPECT_EQ(classifyKernel("elementwise_kernel<gpu_kernel_impl_nocast<MulFunctor<float>>>"), WorkKind::kElementwise);
  EXPECT_EQ(classifyKernel("unrolled_elementwise_kernel<Mul, LoadWithoutCast, StoreWithCast<1>>"),
            WorkKind::kElementwise);
  EXPECT_EQ(classifyKernel("cast_bf16_kernel"), WorkKind::kCopy);
  EXPECT_EQ(classifyKernel("nvjet_hsh_128x256_64x4_1x2_h_bz_coopA_NTN"), WorkKind::kGemm);
  EXPECT_EQ(classifyKernel("void at::native::(anonymous namespace)::cunn_SoftMaxForward<4, float>"),
            WorkKind::kSoftmax);
  EXPECT_EQ(classifyKernel("void at::native::vectorized_layer_norm_kernel<c10::Half>"), WorkKind::kNormalisation);
  EXPECT_EQ(classifyKernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL"), WorkKind::kCommunication);
  EXPECT_EQ(classifyKernel("void at::native::vectorized_elementwise_kernel<4, at::native::AddFunctor>"),
            WorkKind::kElementwise);
  EXPECT_EQ(classifyKernel("something_else"), WorkKind::kUnknown);
}

TEST(WorkKind, Operators) {
  for (const char* name : {"aten::bmm", "aten::mm", "aten::addmm", "aten::linear", "aten::matmul"})
    EXPECT_EQ(classifyOperator(name), WorkKind::kGemm) << name;
  EXPECT_EQ(classifyOperator("aten::_softmax"), WorkKind::kSoftmax);
  EXPECT_EQ(classifyOperator("aten::_scaled_dot_product_flash_attention"), WorkKind::kAttention);
  EXPECT_EQ(classifyOperator("aten::native_layer_norm"), WorkKind::kNormalisation);
  EXPECT_EQ(classifyOperator("aten::add_"), WorkKind::kElementwise);
  EXPECT_EQ(classifyOperator("aten::masked_fill_"), WorkKind::kCopy);
  EXPECT_EQ(classifyOperator("aten::_to_copy"), WorkKind::kCopy);
  EXPECT_EQ(classifyOperator("c10d::allreduce_"), WorkKind::kCommunication);
  EXPECT_EQ(classifyOperator("aten::view"), WorkKind::kCpuOperator);
}

TEST(WorkKind, SlicesByCategory) {
  EXPECT_EQ(classifyWork(CategoryClass::kCpuOperator, "aten::mm"), WorkKind::kCpuOperator);
  EXPECT_EQ(classifyWork(CategoryClass::kRuntime, "cudaLaunchKernel"), WorkKind::kLaunch);
  EXPECT_EQ(classifyWork(CategoryClass::kRuntime, "cudaDeviceSynchronize"), WorkKind::kSynchronisation);
  EXPECT_EQ(classifyWork(CategoryClass::kGpuMemset, "Memset (Device)"), WorkKind::kCopy);
  EXPECT_EQ(classifyWork(CategoryClass::kUserAnnotation, "nccl:all_reduce"), WorkKind::kCommunication);
  EXPECT_EQ(classifyWork(CategoryClass::kPythonFunction, "f"), WorkKind::kPython);
  EXPECT_EQ(classifyWork(CategoryClass::kOther, "f"), WorkKind::kUnknown);
}

}  // namespace
}  // namespace attnscope
