// SPDX-License-Identifier: Apache-2.0
#pragma once

// What kind of work a slice is: the meaning behind its colour. Decided from category and name alone,
// so that every view, table and export agrees. Pure functions, any thread, O(length of the name).

#include <cstdint>
#include <string_view>

namespace attnscope {

enum class WorkKind : std::uint8_t {
  kGemm,
  kAttention,  // fused attention
  kSoftmax,
  kElementwise,
  kNormalisation,
  kCopy,  // copy, cast, memset
  kCommunication,
  kSynchronisation,
  kLaunch,       // runtime and driver calls other than synchronisation
  kCpuOperator,  // an operator on the host, whatever it computes
  kPython,
  kAnnotation,
  kIdle,
  kUnknown,
};
inline constexpr int kWorkKindCount = 14;

// Stable spelling for the command line: "gemm", "cpu_operator"...
[[nodiscard]] std::string_view toString(WorkKind kind);

// What a category stands for, in any spelling since 2020 ("Kernel", "kernel"...).
enum class CategoryClass : std::uint8_t {
  kOther,
  kCpuOperator,
  kUserAnnotation,
  kGpuUserAnnotation,
  kKernel,
  kGpuMemcpy,
  kGpuMemset,
  kRuntime,  // cuda_runtime, hip, xpu, mtia, privateuse1 runtimes
  kDriver,
  kSynchronisation,  // cuda_sync
  kPythonFunction,
  kOverhead,
  kInstant,  // cpu_instant_event
  kTile,     // "tile": a step of an own kernel's tile, on a worker's track
  kTrace,    // the recorder's own span
};
[[nodiscard]] CategoryClass classifyCategory(std::string_view category);

// The kind of a slice. Host operators are kCpuOperator here.
[[nodiscard]] WorkKind classifyWork(CategoryClass category, std::string_view name);
// What an operator computes ("aten::bmm" is kGemm): the colour of leaf operators of a trace without device work.
[[nodiscard]] WorkKind classifyOperator(std::string_view name);
// What a kernel computes, by the words of its name.
[[nodiscard]] WorkKind classifyKernel(std::string_view name);

}  // namespace attnscope
