// SPDX-License-Identifier: Apache-2.0
#pragma once

// 8 x 8 floats, rows to columns, for AVX and later.

#include <immintrin.h>

#include "core/engine/kernels/KernelTypes.h"

namespace attnscope::kernels {
namespace {

// rows[i] becomes column i. The halves of rows i and i + 4 come together already; two rounds of shuffles do the rest.
KERNEL_INLINE void transpose8(__m256 (&rows)[8]) {
  __m256 pairs[8];
  KERNEL_UNROLL
  for (int i = 0; i < 4; ++i) {
    pairs[i] = _mm256_permute2f128_ps(rows[i], rows[i + 4], 0x20);
    pairs[i + 4] = _mm256_permute2f128_ps(rows[i], rows[i + 4], 0x31);
  }
  KERNEL_UNROLL
  for (int half = 0; half < 8; half += 4) {
    const __m256 low01 = _mm256_unpacklo_ps(pairs[half], pairs[half + 1]);
    const __m256 high01 = _mm256_unpackhi_ps(pairs[half], pairs[half + 1]);
    const __m256 low23 = _mm256_unpacklo_ps(pairs[half + 2], pairs[half + 3]);
    const __m256 high23 = _mm256_unpackhi_ps(pairs[half + 2], pairs[half + 3]);
    rows[half] = _mm256_shuffle_ps(low01, low23, 0x44);
    rows[half + 1] = _mm256_shuffle_ps(low01, low23, 0xee);
    rows[half + 2] = _mm256_shuffle_ps(high01, high23, 0x44);
    rows[half + 3] = _mm256_shuffle_ps(high01, high23, 0xee);
  }
}

// Reads 8 rows, writes `columns` columns of them as rows of 8.
KERNEL_INLINE void transpose8To(const float* in, Index inStride, float* out, Index outStride, Index columns) {
  __m256 rows[8];
  KERNEL_UNROLL
  for (int i = 0; i < 8; ++i) rows[i] = _mm256_loadu_ps(in + i * inStride);
  transpose8(rows);
  if (columns >= 8) {
    KERNEL_UNROLL
    for (int i = 0; i < 8; ++i) _mm256_storeu_ps(out + i * outStride, rows[i]);
    return;
  }
  for (Index i = 0; i < columns; ++i) _mm256_storeu_ps(out + i * outStride, rows[i]);
}

// Reads `count` rows, the others are 0; writes 8 rows of 8.
KERNEL_INLINE void transpose8From(const float* in, Index inStride, Index count, float* out, Index outStride) {
  __m256 rows[8];
  KERNEL_UNROLL
  for (int i = 0; i < 8; ++i) rows[i] = i < count ? _mm256_loadu_ps(in + i * inStride) : _mm256_setzero_ps();
  transpose8(rows);
  KERNEL_UNROLL
  for (int i = 0; i < 8; ++i) _mm256_storeu_ps(out + i * outStride, rows[i]);
}

// Sums of eight vectors, sum i in lane i.
KERNEL_INLINE __m256 sumsOf8(const __m256 (&v)[8]) {
  const __m256 low = _mm256_hadd_ps(_mm256_hadd_ps(v[0], v[1]), _mm256_hadd_ps(v[2], v[3]));
  const __m256 high = _mm256_hadd_ps(_mm256_hadd_ps(v[4], v[5]), _mm256_hadd_ps(v[6], v[7]));
  return _mm256_add_ps(_mm256_permute2f128_ps(low, high, 0x20), _mm256_permute2f128_ps(low, high, 0x31));
}

KERNEL_INLINE float sumOf8(__m256 v) {
  __m128 four = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
  four = _mm_add_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_add_ss(four, _mm_movehdup_ps(four)));
}
KERNEL_INLINE float largestOf8(__m256 v) {
  __m128 four = _mm_max_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
  four = _mm_max_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_max_ss(four, _mm_movehdup_ps(four)));
}

// Nearest even, as narrow(); NaN stays NaN.
KERNEL_INLINE __m128i toBFloat16(__m256 value) {
  const __m256i bits = _mm256_castps_si256(value);
  const __m256i odd = _mm256_and_si256(_mm256_srli_epi32(bits, 16), _mm256_set1_epi32(1));
  const __m256i rounded = _mm256_add_epi32(_mm256_add_epi32(bits, _mm256_set1_epi32(0x7fff)), odd);
  const __m256i quiet = _mm256_or_si256(bits, _mm256_set1_epi32(0x400000));
  const __m256i isNan = _mm256_castps_si256(_mm256_cmp_ps(value, value, _CMP_UNORD_Q));
  const __m256i upper = _mm256_srli_epi32(_mm256_blendv_epi8(rounded, quiet, isNan), 16);
  return _mm_packus_epi32(_mm256_castsi256_si128(upper), _mm256_extracti128_si256(upper, 1));
}

}  // namespace
}  // namespace attnscope::kernels
