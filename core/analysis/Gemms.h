// SPDX-License-Identifier: Apache-2.0
#pragma once

// Matmuls on a device by their sizes, and what the names of their kernels say of layouts. Pure functions, any thread.

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/base/TimeRange.h"
#include "core/trace/Trace.h"

namespace attnscope {

// [batch, rows, inner] by [batch, inner, columns].
struct GemmSizes {
  std::int64_t batch = 0;  // 1 of mm, addmm and linear
  std::int64_t rows = 0;
  std::int64_t inner = 0;
  std::int64_t columns = 0;
  [[nodiscard]] bool isKnown() const { return batch > 0 && rows > 0 && inner > 0 && columns > 0; }
  bool operator==(const GemmSizes&) const = default;
};
// Of aten::mm, addmm, bmm, baddbmm and linear, from their recorded "Input Dims"; else not known.
[[nodiscard]] GemmSizes gemmSizes(std::string_view operatorName, std::string_view inputDims);

// Calls of one operator with the same sizes.
struct GemmGroup {
  StringId name = kNoString;
  GemmSizes sizes;
  std::int64_t deviceNs = 0;       // of the matmul kernels that they launched
  std::vector<SliceId> operators;  // each once
  std::vector<SliceId> kernels;    // in order of the device's work
};
// Those whose kernels start in the scope and whose sizes are known; by device time downwards. O(n log n) in the device
// work.
[[nodiscard]] std::vector<GemmGroup> gemmGroups(const Trace& trace, TimeRange scope = TimeRange::all());

// "nn", "nt", "tn", "tt" as BLAS has them (column by column; n: as it is stored, t: transposed), from the names of
// cuBLAS, CUTLASS, nvjet and rocBLAS; empty where the name does not say.
[[nodiscard]] std::string_view gemmLayout(std::string_view kernelName);

}  // namespace attnscope
