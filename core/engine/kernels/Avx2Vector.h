// SPDX-License-Identifier: Apache-2.0
#pragma once

// Vectors of AVX2 with FMA and F16C: 16 registers of 8 floats.

#include <immintrin.h>

#include "core/engine/kernels/KernelTypes.h"
#include "core/engine/kernels/Transpose8.h"

namespace attnscope::kernels {
namespace {

struct Avx2 {
  using Float = __m256;
  static constexpr Index kLanes = 8;
  static constexpr int kVectors = 3;
  static constexpr int kStrip = 4;
  // 4 x 3 sums, 3 vectors of the right side, one broadcast: all 16 registers.
  static constexpr int kTileRows[kVectors] = {8, 6, 4};

  KERNEL_INLINE static Float all(float value) { return _mm256_set1_ps(value); }
  KERNEL_INLINE static Float load(const float* from) { return _mm256_loadu_ps(from); }
  KERNEL_INLINE static Float load(const BFloat16* from) {
    const __m128i half = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
    return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(half), 16));
  }
  KERNEL_INLINE static Float load(const Float16* from) {
    return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
  }
  KERNEL_INLINE static void store(float* to, Float value) { _mm256_storeu_ps(to, value); }
  KERNEL_INLINE static void storeAs(float* to, Float value) { store(to, value); }
  KERNEL_INLINE static void storeAs(BFloat16* to, Float value) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), toBFloat16(value));
  }
  KERNEL_INLINE static void storeAs(Float16* to, Float value) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm256_cvtps_ph(value, _MM_FROUND_TO_NEAREST_INT));
  }
  KERNEL_INLINE static void loadPair(const float* from, Float& first, Float& second) {
    first = load(from);
    second = load(from + kLanes);
  }
  // Even elements, then odd ones: no shuffle.
  KERNEL_INLINE static void loadPair(const BFloat16* from, Float& first, Float& second) {
    const __m256i both = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
    first = _mm256_castsi256_ps(_mm256_slli_epi32(both, 16));
    second = _mm256_castsi256_ps(_mm256_and_si256(both, _mm256_set1_epi32(static_cast<int>(0xffff0000U))));
  }
  KERNEL_INLINE static void loadPair(const Float16* from, Float& first, Float& second) {
    first = load(from);
    second = load(from + kLanes);
  }
  template <class T>
  KERNEL_INLINE static Index slot(Index element) {
    if constexpr (__is_same(T, BFloat16)) return element % 2 * kLanes + element / 2;
    return element;
  }

  KERNEL_INLINE static Float add(Float a, Float b) { return _mm256_add_ps(a, b); }
  KERNEL_INLINE static Float subtract(Float a, Float b) { return _mm256_sub_ps(a, b); }
  KERNEL_INLINE static Float multiply(Float a, Float b) { return _mm256_mul_ps(a, b); }
  KERNEL_INLINE static Float divide(Float a, Float b) { return _mm256_div_ps(a, b); }
  KERNEL_INLINE static Float multiplyAdd(Float a, Float b, Float c) { return _mm256_fmadd_ps(a, b, c); }
  // a * b + sum. Written down so that the sum stays where it is: left to choose, GCC 12 writes the product over a
  // factor, has a register too few for the tile and spills two sums in the innermost loop (10 % of a prefill).
  KERNEL_INLINE static Float accumulate(Float a, Float b, Float sum) {
    asm("vfmadd231ps %2, %1, %0" : "+x"(sum) : "x"(a), "x"(b));
    return sum;
  }
  KERNEL_INLINE static Float multiplySubtract(Float a, Float b, Float c) { return _mm256_fmsub_ps(a, b, c); }
  KERNEL_INLINE static Float max(Float a, Float b) { return _mm256_max_ps(a, b); }  // b where one is NaN
  KERNEL_INLINE static Float magnitude(Float a) { return _mm256_andnot_ps(all(-0.0F), a); }
  KERNEL_INLINE static Float withSignOf(Float size, Float sign) {
    return _mm256_or_ps(magnitude(size), _mm256_and_ps(all(-0.0F), sign));
  }
  KERNEL_INLINE static Float whereLess(Float a, Float b, Float then, Float otherwise) {
    return _mm256_blendv_ps(otherwise, then, _mm256_cmp_ps(a, b, _CMP_LT_OQ));
  }
  KERNEL_INLINE static Float exponentOf(Float shifted) {
    return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_castps_si256(shifted), 23));
  }
  KERNEL_INLINE static Float hide(Float score, std::int32_t key, const std::int32_t* from, const std::int32_t* to) {
    const __m256i keys = _mm256_set1_epi32(key);
    const __m256i before = _mm256_cmpgt_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)), keys);
    const __m256i inside = _mm256_cmpgt_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(to)), keys);
    const __m256i seen = _mm256_andnot_si256(before, inside);
    return _mm256_blendv_ps(all(-kInfinity), score, _mm256_castsi256_ps(seen));
  }
  KERNEL_INLINE static float largest(Float a) { return largestOf8(a); }
  KERNEL_INLINE static float sum(Float a) { return sumOf8(a); }
  KERNEL_INLINE static float first(Float a) { return _mm256_cvtss_f32(a); }
  KERNEL_INLINE static void sumEight(const Float (&sums)[8], float* out) { store(out, sumsOf8(sums)); }
  KERNEL_INLINE static void transpose(const float* in, Index inStride, float* out, Index outStride, Index columns) {
    transpose8To(in, inStride, out, outStride, columns);
  }
  KERNEL_INLINE static void transposeRows(const float* in, Index inStride, Index rows, float* out, Index outStride) {
    transpose8From(in, inStride, rows, out, outStride);
  }
};

}  // namespace
}  // namespace attnscope::kernels
