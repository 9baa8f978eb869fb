// SPDX-License-Identifier: Apache-2.0
#pragma once

// 64 bytes at once, in the widest registers that a translation unit is compiled for: comparisons give a mask, bit i for
// byte i. One type for each instruction set, so that code made for one is never taken for another; all agree bit by
// bit.

#include <immintrin.h>

#include <cstdint>

namespace attnscope {

struct SseBytes;
struct Avx2Bytes;
struct Avx512Bytes;

struct SseBytes {
  __m128i v[4];

  [[nodiscard]] static SseBytes load(const char* p) {
    const auto at = [p](int i) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p) + i); };
    return {{at(0), at(1), at(2), at(3)}};
  }
  template <class Compare>
  [[nodiscard]] std::uint64_t mask(const Compare& compare) const {
    const auto part = [&](int i) {
      return static_cast<std::uint64_t>(static_cast<std::uint32_t>(_mm_movemask_epi8(compare(v[i])))) << (16 * i);
    };
    return part(0) | part(1) | part(2) | part(3);
  }
  [[nodiscard]] std::uint64_t equal(char c) const {
    const __m128i wanted = _mm_set1_epi8(c);
    return mask([wanted](__m128i part) { return _mm_cmpeq_epi8(part, wanted); });
  }
  // Bytes that are `c` once bit 0x20 is set: { and [, } and ].
  [[nodiscard]] std::uint64_t equalFolded(char c) const {
    const __m128i wanted = _mm_set1_epi8(c);
    const __m128i fold = _mm_set1_epi8(0x20);
    return mask([wanted, fold](__m128i part) { return _mm_cmpeq_epi8(_mm_or_si128(part, fold), wanted); });
  }
  [[nodiscard]] std::uint64_t atMost(char c) const {  // unsigned
    const __m128i limit = _mm_set1_epi8(c);
    return mask([limit](__m128i part) { return _mm_cmpeq_epi8(_mm_min_epu8(part, limit), part); });
  }
  [[nodiscard]] static std::uint64_t differing(const char* a, const char* b) {
    const SseBytes left = load(a);
    const SseBytes right = load(b);
    std::uint64_t same = 0;
    for (int i = 0; i < 4; ++i)
      same |= static_cast<std::uint64_t>(
                  static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(left.v[i], right.v[i]))))
              << (16 * i);
    return ~same;
  }
  // Bit i: an odd number of bits of `mask` up to and with i.
  [[nodiscard]] static std::uint64_t parity(std::uint64_t mask) {
    for (int shift = 1; shift < 64; shift *= 2) mask ^= mask << shift;
    return mask;
  }
};

#ifdef __AVX2__
struct Avx2Bytes {
  __m256i low;
  __m256i high;

  [[nodiscard]] static Avx2Bytes load(const char* p) {
    return {_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)),
            _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p + 32))};
  }
  [[nodiscard]] static std::uint64_t join(__m256i lower, __m256i upper) {
    return static_cast<std::uint32_t>(_mm256_movemask_epi8(lower)) |
           static_cast<std::uint64_t>(static_cast<std::uint32_t>(_mm256_movemask_epi8(upper))) << 32;
  }
  [[nodiscard]] std::uint64_t equal(char c) const {
    const __m256i wanted = _mm256_set1_epi8(c);
    return join(_mm256_cmpeq_epi8(low, wanted), _mm256_cmpeq_epi8(high, wanted));
  }
  [[nodiscard]] std::uint64_t equalFolded(char c) const {
    const __m256i fold = _mm256_set1_epi8(0x20);
    return Avx2Bytes{_mm256_or_si256(low, fold), _mm256_or_si256(high, fold)}.equal(c);
  }
  [[nodiscard]] std::uint64_t atMost(char c) const {
    const __m256i limit = _mm256_set1_epi8(c);
    return join(_mm256_cmpeq_epi8(_mm256_min_epu8(low, limit), low),
                _mm256_cmpeq_epi8(_mm256_min_epu8(high, limit), high));
  }
  [[nodiscard]] static std::uint64_t differing(const char* a, const char* b) {
    const Avx2Bytes left = load(a);
    const Avx2Bytes right = load(b);
    return ~join(_mm256_cmpeq_epi8(left.low, right.low), _mm256_cmpeq_epi8(left.high, right.high));
  }
  [[nodiscard]] static std::uint64_t parity(std::uint64_t mask) {
    const __m128i bits = _mm_cvtsi64_si128(static_cast<long long>(mask));
    return static_cast<std::uint64_t>(_mm_cvtsi128_si64(_mm_clmulepi64_si128(bits, _mm_set1_epi8(-1), 0)));
  }
};
#endif

#ifdef __AVX512BW__
struct Avx512Bytes {
  __m512i v;

  [[nodiscard]] static Avx512Bytes load(const char* p) { return {_mm512_loadu_si512(p)}; }
  [[nodiscard]] std::uint64_t equal(char c) const { return _mm512_cmpeq_epi8_mask(v, _mm512_set1_epi8(c)); }
  [[nodiscard]] std::uint64_t equalFolded(char c) const {
    return _mm512_cmpeq_epi8_mask(_mm512_or_si512(v, _mm512_set1_epi8(0x20)), _mm512_set1_epi8(c));
  }
  [[nodiscard]] std::uint64_t atMost(char c) const { return _mm512_cmple_epu8_mask(v, _mm512_set1_epi8(c)); }
  [[nodiscard]] static std::uint64_t differing(const char* a, const char* b) {
    return _mm512_cmpneq_epi8_mask(load(a).v, load(b).v);
  }
  [[nodiscard]] static std::uint64_t parity(std::uint64_t mask) { return Avx2Bytes::parity(mask); }
};
#endif

}  // namespace attnscope
