// SPDX-License-Identifier: Apache-2.0
#pragma once

// Vectors of AVX-512 (F, BW, DQ, VL): 32 registers of 16 floats.

#include <immintrin.h>

#include "core/engine/kernels/KernelTypes.h"
#include "core/engine/kernels/Transpose8.h"

namespace attnscope::kernels {
namespace {

struct Avx512 {
  using Float = __m512;
  static constexpr Index kLanes = 16;
  static constexpr int kVectors = 3;
  static constexpr int kStrip = 8;
  // 8 x 3 sums, 3 vectors of the right side, one broadcast: 28 of 32 registers.
  static constexpr int kTileRows[kVectors] = {16, 12, 8};

  KERNEL_INLINE static Float all(float value) { return _mm512_set1_ps(value); }
  KERNEL_INLINE static Float load(const float* from) { return _mm512_loadu_ps(from); }
  KERNEL_INLINE static Float load(const BFloat16* from) {
    const __m256i half = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
    return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(half), 16));
  }
  KERNEL_INLINE static Float load(const Float16* from) {
    return _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)));
  }
  KERNEL_INLINE static void store(float* to, Float value) { _mm512_storeu_ps(to, value); }
  KERNEL_INLINE static void storeAs(float* to, Float value) { store(to, value); }
  KERNEL_INLINE static void storeAs(BFloat16* to, Float value) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), toBFloat16(_mm512_castps512_ps256(value)));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to + 8), toBFloat16(_mm512_extractf32x8_ps(value, 1)));
  }
  KERNEL_INLINE static void storeAs(Float16* to, Float value) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm512_cvtps_ph(value, _MM_FROUND_TO_NEAREST_INT));
  }
  KERNEL_INLINE static void loadPair(const float* from, Float& first, Float& second) {
    first = load(from);
    second = load(from + kLanes);
  }
  // Even elements, then odd ones: no shuffle.
  KERNEL_INLINE static void loadPair(const BFloat16* from, Float& first, Float& second) {
    const __m512i both = _mm512_loadu_si512(from);
    first = _mm512_castsi512_ps(_mm512_slli_epi32(both, 16));
    second = _mm512_castsi512_ps(_mm512_and_si512(both, _mm512_set1_epi32(static_cast<int>(0xffff0000U))));
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

  KERNEL_INLINE static Float add(Float a, Float b) { return _mm512_add_ps(a, b); }
  KERNEL_INLINE static Float subtract(Float a, Float b) { return _mm512_sub_ps(a, b); }
  KERNEL_INLINE static Float multiply(Float a, Float b) { return _mm512_mul_ps(a, b); }
  KERNEL_INLINE static Float divide(Float a, Float b) { return _mm512_div_ps(a, b); }
  KERNEL_INLINE static Float multiplyAdd(Float a, Float b, Float c) { return _mm512_fmadd_ps(a, b, c); }
  KERNEL_INLINE static Float accumulate(Float a, Float b, Float sum) { return _mm512_fmadd_ps(a, b, sum); }
  KERNEL_INLINE static Float multiplySubtract(Float a, Float b, Float c) { return _mm512_fmsub_ps(a, b, c); }
  KERNEL_INLINE static Float max(Float a, Float b) { return _mm512_max_ps(a, b); }  // b where one is NaN
  KERNEL_INLINE static Float magnitude(Float a) { return _mm512_andnot_ps(all(-0.0F), a); }
  KERNEL_INLINE static Float withSignOf(Float size, Float sign) {
    return _mm512_or_ps(magnitude(size), _mm512_and_ps(all(-0.0F), sign));
  }
  KERNEL_INLINE static Float whereLess(Float a, Float b, Float then, Float otherwise) {
    return _mm512_mask_blend_ps(_mm512_cmp_ps_mask(a, b, _CMP_LT_OQ), otherwise, then);
  }
  KERNEL_INLINE static Float exponentOf(Float shifted) {
    return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_castps_si512(shifted), 23));
  }
  KERNEL_INLINE static Float hide(Float score, std::int32_t key, const std::int32_t* from, const std::int32_t* to) {
    const __m512i keys = _mm512_set1_epi32(key);
    const __mmask16 reached = _mm512_cmple_epi32_mask(_mm512_loadu_si512(from), keys);
    const __mmask16 seen = _mm512_mask_cmpgt_epi32_mask(reached, _mm512_loadu_si512(to), keys);
    return _mm512_mask_blend_ps(seen, all(-kInfinity), score);
  }
  KERNEL_INLINE static float largest(Float a) {
    return largestOf8(_mm256_max_ps(_mm512_castps512_ps256(a), _mm512_extractf32x8_ps(a, 1)));
  }
  KERNEL_INLINE static __m256 halvesOf(Float a) {
    return _mm256_add_ps(_mm512_castps512_ps256(a), _mm512_extractf32x8_ps(a, 1));
  }
  KERNEL_INLINE static float sum(Float a) { return sumOf8(halvesOf(a)); }
  KERNEL_INLINE static float first(Float a) { return _mm512_cvtss_f32(a); }
  KERNEL_INLINE static void sumEight(const Float (&sums)[8], float* out) {
    __m256 halves[8];
    KERNEL_UNROLL
    for (int i = 0; i < 8; ++i) halves[i] = halvesOf(sums[i]);
    _mm256_storeu_ps(out, sumsOf8(halves));
  }
  KERNEL_INLINE static void transpose(const float* in, Index inStride, float* out, Index outStride, Index columns) {
    transpose8To(in, inStride, out, outStride, columns);
    transpose8To(in + 8 * inStride, inStride, out + 8, outStride, columns);
    if (columns <= 8) return;
    transpose8To(in + 8, inStride, out + 8 * outStride, outStride, columns - 8);
    transpose8To(in + 8 * inStride + 8, inStride, out + 8 * outStride + 8, outStride, columns - 8);
  }
  KERNEL_INLINE static void transposeRows(const float* in, Index inStride, Index rows, float* out, Index outStride) {
    transpose8From(in, inStride, rows, out, outStride);
    transpose8From(in + 8, inStride, rows, out + 8 * outStride, outStride);
    if (rows <= 8) return;
    transpose8From(in + 8 * inStride, inStride, rows - 8, out + 8, outStride);
    transpose8From(in + 8 * inStride + 8, inStride, rows - 8, out + 8 * outStride + 8, outStride);
  }
};

}  // namespace
}  // namespace attnscope::kernels
