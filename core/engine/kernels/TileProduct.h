// SPDX-License-Identifier: Apache-2.0
#pragma once

// What both matrix products of TileKernel.h are made of: the product of a tile as wide as a panel is here.

#include "core/engine/kernels/KernelTypes.h"

namespace attnscope::kernels {
namespace {

// sums[r][w] += a(r, k) * b[k][w] over the depth; a(r, k) lies at a + r * aRow + k * aDepth.
template <class V, int kRows, int kWide>
KERNEL_INLINE void multiplyTile(const float* a, Index aRow, Index aDepth, const float* b, Index bRow, Index depth,
                                typename V::Float (&sums)[kRows][kWide]) {
  using Float = typename V::Float;
  KERNEL_UNROLL
  for (int r = 0; r < kRows; ++r) {
    KERNEL_UNROLL
    for (int w = 0; w < kWide; ++w) sums[r][w] = V::all(0);
  }
  KERNEL_UNROLL_2
  for (Index k = 0; k < depth; ++k) {
    Float right[kWide];
    KERNEL_UNROLL
    for (int w = 0; w < kWide; ++w) right[w] = V::load(b + k * bRow + w * V::kLanes);
    KERNEL_UNROLL
    for (int r = 0; r < kRows; ++r) {
      const Float left = V::all(a[r * aRow + k * aDepth]);
      KERNEL_UNROLL
      for (int w = 0; w < kWide; ++w) sums[r][w] = V::accumulate(left, right[w], sums[r][w]);
    }
  }
}

// A number of vectors that is known at compile time.
template <int kWide>
struct Vectors {
  static constexpr int value = kWide;
};
// Calls work(Vectors<vectors>), 1 to kMost.
template <int kMost, class Work>
KERNEL_INLINE void withVectors(int vectors, Work work) {
  static_assert(kMost <= 4);
  if (vectors == 1) work(Vectors<1>());
  if constexpr (kMost >= 2) {
    if (vectors == 2) work(Vectors<2>());
  }
  if constexpr (kMost >= 3) {
    if (vectors == 3) work(Vectors<3>());
  }
  if constexpr (kMost >= 4) {
    if (vectors == 4) work(Vectors<4>());
  }
}

}  // namespace
}  // namespace attnscope::kernels
