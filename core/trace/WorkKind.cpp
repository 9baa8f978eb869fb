// SPDX-License-Identifier: Apache-2.0
#include "core/trace/WorkKind.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string>

namespace attnscope {

namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// Names of kernels reach thousands of characters, but what they are stands near the front.
std::string lowered(std::string_view text) {
  std::string result(text.substr(0, 4096));
  std::transform(result.begin(), result.end(), result.begin(), lower);
  return result;
}

bool hasAny(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return text.find(word) != std::string_view::npos; });
}

bool isAny(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

bool isWordCharacter(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

// `word` with no letter or digit on either side: "ln" in "fused_ln_fwd", not in "vulnerable".
bool hasWord(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const bool before = at == 0 || !isWordCharacter(text[at - 1]);
    const std::size_t end = at + word.size();
    if (before && (end == text.size() || !isWordCharacter(text[end]))) return true;
  }
  return false;
}

// Inductor and Triton name pointwise and reduction kernels after all the operators that were fused into them,
// so the words of a matrix product or of attention say nothing about the kernel itself.
bool isInductorPointwise(std::string_view name) {
  return name.rfind("triton_poi_", 0) == 0 || name.rfind("triton_red_", 0) == 0 || name.rfind("triton_per_", 0) == 0 ||
         name.rfind("triton_for_", 0) == 0;
}

bool isCacheOrIndexKernel(std::string_view name) {
  return hasAny(name, {"reshape_and_cache", "kv_indices", "kv_cache", "page_indices", "copy_blocks", "swap_blocks"});
}

bool isAttentionName(std::string_view name) {
  if (isInductorPointwise(name) || isCacheOrIndexKernel(name)) return false;
  return hasAny(name, {"flash_fwd",
                       "flash_bwd",
                       "flashattn",
                       "flash_attn",
                       "flash_attention",
                       "flash::",
                       "fmha",
                       "compute_attn",
                       "attn_fwd",
                       "attn_bwd",
                       "paged_attention",
                       "unified_attention",
                       "sage_fwd",
                       "sage_bwd",
                       "sdpa",
                       "flex_attention",
                       "batchprefillwith",
                       "batchdecodewith",
                       "singleprefillwith",
                       "singledecodewith",
                       "attention_kernel",
                       "attentionkernel",
                       "attn_kernel",
                       "scaled_dot_product",
                       "multi_head_attention",
                       "multihead_attention",
                       "mha_fwd",
                       "mha_bwd",
                       "mla_decode",
                       "mla_fwd",
                       "flash_mla",
                       "flashmla",
                       "decode_attention",
                       "prefill_attention",
                       "context_attention",
                       "extend_attention",
                       "efficient_attention",
                       "_fwd_grouped_kernel_stage"});
}

std::string_view withoutNamespace(std::string_view name) {
  const std::size_t at = name.rfind("::");
  return at == std::string_view::npos ? name : name.substr(at + 2);
}

// A cast is a copy. The policies of elementwise kernels ("nocast", "LoadWithoutCast", "StoreWithCast") and broadcasts
// are none.
bool isCastKernel(std::string_view name) {
  for (std::size_t at = name.find("cast"); at != std::string_view::npos; at = name.find("cast", at + 1)) {
    const std::string_view before = name.substr(0, at);
    const auto follows = [before](std::string_view word) {
      return before.size() >= word.size() && before.substr(before.size() - word.size()) == word;
    };
    if (!follows("no") && !follows("with") && !follows("without") && !follows("broad")) return true;
  }
  return false;
}

// The two products of attention, its softmax, and what brings values to their places.
WorkKind classifyTile(std::string_view name) {
  if (isAny(name, {"scores", "weighted_sum"})) return WorkKind::kGemm;
  if (name == "softmax") return WorkKind::kSoftmax;
  if (isAny(name, {"pack", "write"})) return WorkKind::kCopy;
  return name == "merge" ? WorkKind::kElementwise : WorkKind::kAnnotation;
}

}  // namespace

std::string_view toString(WorkKind kind) {
  switch (kind) {
    case WorkKind::kGemm:
      return "gemm";
    case WorkKind::kAttention:
      return "attention";
    case WorkKind::kSoftmax:
      return "softmax";
    case WorkKind::kElementwise:
      return "elementwise";
    case WorkKind::kNormalisation:
      return "normalisation";
    case WorkKind::kCopy:
      return "copy";
    case WorkKind::kCommunication:
      return "communication";
    case WorkKind::kSynchronisation:
      return "synchronisation";
    case WorkKind::kLaunch:
      return "launch";
    case WorkKind::kCpuOperator:
      return "cpu_operator";
    case WorkKind::kPython:
      return "python";
    case WorkKind::kAnnotation:
      return "annotation";
    case WorkKind::kIdle:
      return "idle";
    case WorkKind::kUnknown:
      return "unknown";
  }
  return "unknown";
}

CategoryClass classifyCategory(std::string_view category) {
  if (category.empty() || category.size() > 32) return CategoryClass::kOther;
  const std::string text = lowered(category);
  if (isAny(text, {"cpu_op", "operator", "hpu_op"})) return CategoryClass::kCpuOperator;
  if (isAny(text, {"user_annotation", "nvtx"})) return CategoryClass::kUserAnnotation;
  if (isAny(text, {"gpu_user_annotation", "nvtx-kernel"})) return CategoryClass::kGpuUserAnnotation;
  if (isAny(text, {"kernel", "concurrent_kernel"})) return CategoryClass::kKernel;
  if (isAny(text, {"gpu_memcpy", "memcpy"})) return CategoryClass::kGpuMemcpy;
  if (isAny(text, {"gpu_memset", "memset"})) return CategoryClass::kGpuMemset;
  if (isAny(text, {"cuda_runtime", "runtime", "cuda_api", "hip_runtime", "xpu_runtime", "mtia_runtime", "glow_runtime",
                   "privateuse1_runtime"}))
    return CategoryClass::kRuntime;
  if (isAny(text, {"cuda_driver", "xpu_driver", "privateuse1_driver"})) return CategoryClass::kDriver;
  if (isAny(text, {"cuda_sync", "xpu_sync"})) return CategoryClass::kSynchronisation;
  if (text == "python_function") return CategoryClass::kPythonFunction;
  if (text == "overhead") return CategoryClass::kOverhead;
  if (text == "cpu_instant_event") return CategoryClass::kInstant;
  if (text == "tile") return CategoryClass::kTile;
  if (text == "trace") return CategoryClass::kTrace;
  return CategoryClass::kOther;
}

WorkKind classifyOperator(std::string_view name) {
  const std::string text = lowered(name);
  if (hasAny(text, {"nccl", "c10d", "all_reduce", "allreduce", "all_gather", "allgather", "reduce_scatter",
                    "record_param_comms", "all_to_all", "broadcast_coalesced"}) ||
      text.rfind("gloo:", 0) == 0)
    return WorkKind::kCommunication;
  if (hasAny(text, {"scaled_dot_product", "flash_attention", "efficient_attention", "flash_attn", "fmha", "_attention",
                    "multi_head_attention", "flex_attention", "paged_attention", "attnscope::attention"}) &&
      !hasAny(text, {"reshape_and_cache", "attention_mask"}))
    return WorkKind::kAttention;
  std::string_view word = withoutNamespace(text);
  while (!word.empty() && word.front() == '_') word.remove_prefix(1);
  if (word.size() > 1 && word.back() == '_') word.remove_suffix(1);
  if (isAny(word, {"bmm",
                   "mm",
                   "addmm",
                   "addbmm",
                   "baddbmm",
                   "linear",
                   "matmul",
                   "einsum",
                   "mv",
                   "addmv",
                   "dot",
                   "ger",
                   "addmm_activation",
                   "mkl_linear",
                   "mkldnn_linear",
                   "scaled_mm",
                   "int_mm",
                   "grouped_mm",
                   "linear_pointwise",
                   "linear_backward"}) ||
      hasAny(word, {"gemm", "conv2d", "conv1d", "conv3d", "convolution"}))
    return WorkKind::kGemm;
  if (hasAny(word, {"softmax"})) return WorkKind::kSoftmax;
  if (hasAny(word, {"layer_norm", "rms_norm", "batch_norm", "group_norm", "instance_norm", "rmsnorm", "layernorm"}))
    return WorkKind::kNormalisation;
  if (isAny(word, {"copy",
                   "to",
                   "to_copy",
                   "clone",
                   "contiguous",
                   "cat",
                   "fill",
                   "zero",
                   "zeros",
                   "ones",
                   "full",
                   "zeros_like",
                   "ones_like",
                   "stack",
                   "index_copy",
                   "index_put",
                   "index_put_impl",
                   "masked_fill",
                   "scatter",
                   "gather",
                   "index_select",
                   "index",
                   "repeat",
                   "repeat_interleave",
                   "pad",
                   "constant_pad_nd",
                   "slice_backward",
                   "local_scalar_dense",
                   "pin_memory"}))
    return WorkKind::kCopy;
  if (isAny(word, {"add",
                   "sub",
                   "rsub",
                   "mul",
                   "div",
                   "gelu",
                   "relu",
                   "silu",
                   "sigmoid",
                   "tanh",
                   "exp",
                   "exp2",
                   "log",
                   "pow",
                   "sqrt",
                   "rsqrt",
                   "neg",
                   "abs",
                   "where",
                   "dropout",
                   "native_dropout",
                   "fused_dropout",
                   "bernoulli",
                   "maximum",
                   "minimum",
                   "clamp",
                   "clamp_min",
                   "clamp_max",
                   "addcmul",
                   "addcdiv",
                   "lerp",
                   "eq",
                   "ne",
                   "lt",
                   "le",
                   "gt",
                   "ge",
                   "logical_and",
                   "logical_or",
                   "logical_not",
                   "bitwise_and",
                   "bitwise_or",
                   "bitwise_not",
                   "tril",
                   "triu",
                   "sin",
                   "cos",
                   "erf",
                   "reciprocal",
                   "sign",
                   "floor",
                   "leaky_relu",
                   "hardtanh",
                   "elu",
                   "softplus",
                   "mish",
                   "threshold",
                   "gelu_backward",
                   "silu_backward",
                   "threshold_backward",
                   "tanh_backward",
                   "sigmoid_backward",
                   "native_dropout_backward",
                   "masked_scale",
                   "isnan",
                   "isinf",
                   "isfinite",
                   "nan_to_num"}) ||
      word.rfind("foreach_", 0) == 0 || word.rfind("fused_adam", 0) == 0)
    return WorkKind::kElementwise;
  return WorkKind::kCpuOperator;
}

WorkKind classifyKernel(std::string_view name) {
  const std::string text = lowered(name);
  if (hasAny(text, {"nccl", "rccl", "allreduce", "all_reduce", "allgather", "all_gather", "reducescatter",
                    "reduce_scatter", "cross_device_reduce", "nvshmem"}))
    return WorkKind::kCommunication;
  if (text.rfind("memcpy", 0) == 0 || text.rfind("memset", 0) == 0 || isCacheOrIndexKernel(text))
    return WorkKind::kCopy;
  if (isInductorPointwise(text)) {
    if (hasAny(text, {"softmax"}) && !hasAny(text, {"triton_poi_"})) return WorkKind::kSoftmax;
    if (hasAny(text, {"native_layer_norm", "rms_norm", "native_batch_norm", "group_norm"}) &&
        !hasAny(text, {"triton_poi_"}))
      return WorkKind::kNormalisation;
    return WorkKind::kElementwise;
  }
  if (isAttentionName(text)) return WorkKind::kAttention;
  if (hasAny(text, {"softmax"}) || hasWord(text, "smax")) return WorkKind::kSoftmax;
  if (hasAny(text, {"layer_norm", "layernorm", "rms_norm", "rmsnorm", "batch_norm", "batchnorm", "bn_fw", "bn_bw",
                    "group_norm", "groupnorm", "gammabeta", "rowwisemoments", "ln_fwd", "ln_bwd"}))
    return WorkKind::kNormalisation;
  if (hasAny(
          text,
          {"gemm",       "gemv",     "splitk",   "cijk_",   "xmma",        "wgrad",      "dgrad",  "implicit_convolve",
           "convolve",   "winograd", "cutlass_", "nvjet",   "triton_tem_", "_mm_kernel", "matmul", "conv2d",
           "dot_kernel", "fprop",    "marlin",   "wvsplit", "llgemm"}))
    return WorkKind::kGemm;
  if (isCastKernel(text) ||
      hasAny(text, {"copy", "catarray", "fill", "transpose", "permute", "gather", "scatter", "index_kernel",
                    "indexselect", "nchwtonhwc", "nhwctonchw", "tensortransform", "concat", "pad_kernel", "direct_copy",
                    "index_put", "indexing_backward", "quant"}) ||
      hasWord(text, "cat"))
    return WorkKind::kCopy;
  if (hasAny(text, {"elementwise", "pointwise", "multi_tensor_apply", "act_and_mul", "dropout", "rotary", "gelu",
                    "silu", "relu", "distribution_", "triu_tril", "reduce_kernel", "adam", "masked"}))
    return WorkKind::kElementwise;
  return WorkKind::kUnknown;
}

WorkKind classifyWork(CategoryClass category, std::string_view name) {
  switch (category) {
    case CategoryClass::kCpuOperator:
      return WorkKind::kCpuOperator;
    case CategoryClass::kUserAnnotation:
    case CategoryClass::kGpuUserAnnotation: {
      const bool collective = name.rfind("nccl:", 0) == 0 || name.rfind("gloo:", 0) == 0;
      return collective ? WorkKind::kCommunication : WorkKind::kAnnotation;
    }
    case CategoryClass::kTrace:
    case CategoryClass::kInstant:
      return WorkKind::kAnnotation;
    case CategoryClass::kKernel:
      return classifyKernel(name);
    case CategoryClass::kGpuMemcpy:
    case CategoryClass::kGpuMemset:
      return WorkKind::kCopy;
    case CategoryClass::kRuntime:
    case CategoryClass::kDriver:
      return name.find("Synchronize") != std::string_view::npos ? WorkKind::kSynchronisation : WorkKind::kLaunch;
    case CategoryClass::kSynchronisation:
      return WorkKind::kSynchronisation;
    case CategoryClass::kPythonFunction:
      return WorkKind::kPython;
    case CategoryClass::kOverhead:
      return WorkKind::kIdle;
    case CategoryClass::kTile:
      return classifyTile(name);
    case CategoryClass::kOther:
      return WorkKind::kUnknown;
  }
  return WorkKind::kUnknown;
}

}  // namespace attnscope
