// SPDX-License-Identifier: Apache-2.0
#pragma once

// The end of a row, shared by both kernels: divided and written, or left as a part for the merge.

#include "core/engine/kernels/KernelTypes.h"

namespace attnscope::kernels {
namespace {

// values: V sums of weight * value, changed here; `largest` is kLowest where the row has seen nothing.
template <class V, class T>
KERNEL_INLINE void finishRow(const KernelArguments& arguments, const ItemTask& task, Index row, float* values,
                             float largest, float sum, float factor) {
  const Index size = arguments.valueHeadSize;
  const bool nothing = largest == kLowest && !(sum > 0 || sum < 0 || sum != sum);
  const float power = largest * factor;
  if (task.partial != nullptr) {
    float* part = task.partial + row * (size + 2);
    std::memcpy(part, values, sizeof(float) * static_cast<std::size_t>(size));
    part[size] = nothing ? -kInfinity : power;
    part[size + 1] = sum;
    return;
  }
  const RowPlace place = placeOf(arguments, task, row);
  const float sink = arguments.sinks == nullptr ? -kInfinity : arguments.sinks[place.head] * kLog2E;
  const float all = nothing || arguments.sinks == nullptr ? sum : sum + exp2f(sink - power);
  const typename V::Float inverse = V::all(nothing ? 0 : 1 / all);
  Index d = 0;
  for (; d + V::kLanes <= size; d += V::kLanes) V::store(values + d, V::multiply(V::load(values + d), inverse));
  for (; d < size; ++d) values[d] *= nothing ? 0 : 1 / all;
  const MutableTensorView& view = arguments.tensors.output;
  narrowRow<V>(values, size,
               static_cast<T*>(view.data) + task.batch * view.batchStride + place.head * view.headStride +
                   place.query * view.rowStride);
  if (arguments.tensors.logSumExp == nullptr) return;
  const Index at = (task.batch * arguments.heads + place.head) * arguments.queryLength + place.query;
  arguments.tensors.logSumExp[at] = nothing ? sink * kLn2 : (power + log2f(all)) * kLn2;
}

}  // namespace
}  // namespace attnscope::kernels
