// SPDX-License-Identifier: Apache-2.0
#pragma once

// A vector of one float: the same templates as the others, for any CPU, and what the others are tested against.

#include "core/engine/kernels/KernelTypes.h"

namespace attnscope::kernels {
namespace {

struct Scalar {
  using Float = float;
  static constexpr Index kLanes = 1;
  static constexpr int kVectors = 4;
  static constexpr int kStrip = 4;
  static constexpr int kTileRows[kVectors] = {4, 4, 4, 4};

  KERNEL_INLINE static float all(float value) { return value; }
  template <class T>
  KERNEL_INLINE static float load(const T* from) {
    return widened(*from);
  }
  KERNEL_INLINE static void store(float* to, float value) { *to = value; }
  template <class T>
  KERNEL_INLINE static void storeAs(T* to, float value) {
    narrow(value, to);
  }
  template <class T>
  KERNEL_INLINE static void loadPair(const T* from, float& first, float& second) {
    first = widened(from[0]);
    second = widened(from[1]);
  }
  template <class T>
  KERNEL_INLINE static Index slot(Index element) {
    return element;
  }

  KERNEL_INLINE static float add(float a, float b) { return a + b; }
  KERNEL_INLINE static float subtract(float a, float b) { return a - b; }
  KERNEL_INLINE static float multiply(float a, float b) { return a * b; }
  KERNEL_INLINE static float divide(float a, float b) { return a / b; }
  KERNEL_INLINE static float multiplyAdd(float a, float b, float c) { return a * b + c; }
  KERNEL_INLINE static float accumulate(float a, float b, float sum) { return a * b + sum; }
  KERNEL_INLINE static float multiplySubtract(float a, float b, float c) { return a * b - c; }
  KERNEL_INLINE static float max(float a, float b) { return a > b ? a : b; }  // b where one is NaN
  KERNEL_INLINE static float magnitude(float a) { return floatOf(bitsOf(a) & 0x7fffffffU); }
  KERNEL_INLINE static float withSignOf(float size, float sign) {
    return floatOf((bitsOf(size) & 0x7fffffffU) | (bitsOf(sign) & 0x80000000U));
  }
  KERNEL_INLINE static float whereLess(float a, float b, float then, float otherwise) {
    return a < b ? then : otherwise;
  }
  KERNEL_INLINE static float exponentOf(float shifted) { return floatOf(bitsOf(shifted) << 23); }
  KERNEL_INLINE static float hide(float score, std::int32_t key, const std::int32_t* from, const std::int32_t* to) {
    return key < *from || key >= *to ? -kInfinity : score;
  }
  KERNEL_INLINE static float largest(float a) { return a; }
  KERNEL_INLINE static float sum(float a) { return a; }
  KERNEL_INLINE static float first(float a) { return a; }
  KERNEL_INLINE static void sumEight(const float* sums, float* out) { std::memcpy(out, sums, 8 * sizeof(float)); }
  KERNEL_INLINE static void transpose(const float* in, Index, float* out, Index, Index) { *out = *in; }
  KERNEL_INLINE static void transposeRows(const float* in, Index, Index, float* out, Index) { *out = *in; }
};

}  // namespace
}  // namespace attnscope::kernels
