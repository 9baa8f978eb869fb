// SPDX-License-Identifier: Apache-2.0
#pragma once

// Products of pairs by AMX, and what prepares them by AVX-512 (BF16, BW): the Units of PairTileKernel.h.

#include <immintrin.h>

#include "core/engine/kernels/Avx512Vector.h"
#include "core/engine/kernels/PairTileKernel.h"

namespace attnscope::kernels {
namespace {

struct AmxUnits {
  // Eight registers of 16 rows of 64 bytes: four products, two left tiles, two right ones.
  class Session {
   public:
    KERNEL_INLINE Session() {
      struct alignas(64) Layout {
        std::uint8_t palette, startRow, reserved[14];
        std::uint16_t rowBytes[16];
        std::uint8_t rows[16];
      };
      Layout layout{};
      layout.palette = 1;
      for (int tile = 0; tile < 8; ++tile) {
        layout.rowBytes[tile] = 64;
        layout.rows[tile] = kUnitRows;
      }
      _tile_loadconfig(&layout);
    }
    KERNEL_INLINE ~Session() { _tile_release(); }
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;
  };

  template <int kColumns>
  KERNEL_INLINE static void multiply(const LeftTiles& left, const RightTiles& right, Index depth, float* out,
                                     Index outStride) {
    constexpr Index kRightStride = 64;
    // What is loaded was stored before: g++'s loads of tiles do not say that they read memory.
    __asm__ volatile("" ::: "memory");
    _tile_zero(0);
    _tile_zero(1);
    if constexpr (kColumns == 2) {
      _tile_zero(2);
      _tile_zero(3);
    }
    const char* upper = static_cast<const char*>(left.first);
    const char* columns = static_cast<const char*>(right.first);
    for (Index step = 0; step < depth; ++step) {
      _tile_loadd(6, columns, kRightStride);
      _tile_loadd(4, upper, left.rowStride);
      _tile_dpbf16ps(0, 4, 6);
      _tile_loadd(5, upper + left.nextTile, left.rowStride);
      _tile_dpbf16ps(1, 5, 6);
      if constexpr (kColumns == 2) {
        _tile_loadd(7, columns + right.nextTile, kRightStride);
        _tile_dpbf16ps(2, 4, 7);
        _tile_dpbf16ps(3, 5, 7);
      }
      upper += left.nextDepth;
      columns += right.nextDepth;
    }
    const Index stride = outStride * Index{sizeof(float)};
    _tile_stored(0, out, stride);
    _tile_stored(1, out + kUnitRows * outStride, stride);
    if constexpr (kColumns == 2) {
      _tile_stored(2, out + kUnitRows, stride);
      _tile_stored(3, out + kUnitRows * outStride + kUnitRows, stride);
    }
  }

  KERNEL_INLINE static void zip(const BFloat16* first, const BFloat16* second, Index count, std::uint32_t* words) {
    for (Index i = 0; i < count; i += 16) {
      const auto some = static_cast<__mmask16>(count - i >= 16 ? 0xffff : (1U << (count - i)) - 1);
      const __m512i low = _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(some, first + i));
      const __m512i high = _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(some, second + i));
      _mm512_mask_storeu_epi32(words + i, some, _mm512_or_si512(low, _mm512_slli_epi32(high, 16)));
    }
  }

  KERNEL_INLINE static void putPairs(__m512 first, __m512 second, std::uint32_t* words) {
    const auto halves = reinterpret_cast<__m512i>(_mm512_cvtne2ps_pbh(second, first));
    const __m512i places = _mm512_or_si512(
        _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0),
        _mm512_slli_epi32(_mm512_set_epi32(31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16), 16));
    _mm512_storeu_si512(words, _mm512_permutexvar_epi16(places, halves));
  }

  // Sizes without their sign, less 1: 0 becomes the largest.
  KERNEL_INLINE static bool holdsTiny(const std::uint32_t* words, Index count) {
    const __m512i one = _mm512_set1_epi16(1);
    const __m512i limit = _mm512_set1_epi16(kTinyBits - 1);
    __mmask32 found = 0;
    for (Index i = 0; i < count; i += 16) {
      const __m512i sizes = _mm512_and_si512(_mm512_loadu_si512(words + i), _mm512_set1_epi16(0x7fff));
      found = _kor_mask32(found, _mm512_cmplt_epu16_mask(_mm512_sub_epi16(sizes, one), limit));
    }
    return found != 0;
  }
};

// Two vectors a panel: the columns of two tiles.
struct Avx512Pairs : Avx512 {
  static constexpr int kVectors = 2;
};

}  // namespace
}  // namespace attnscope::kernels
