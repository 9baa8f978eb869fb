// SPDX-License-Identifier: Apache-2.0
#pragma once

// Finds the ends of JSON strings and values in text that at least kScanPadding readable bytes follow. Lenient: control
// characters, unknown escapes and bare words are no fault here. All functions return nullptr where the text ends first.

#include <emmintrin.h>

#include <cstdint>

namespace attnscope::scan {

inline constexpr std::size_t kScanPadding = 64;

[[nodiscard]] inline bool isSpace(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

// First byte at or behind `p` that is no space (nor another control character); `end` where there is none.
[[nodiscard]] inline const char* skipSpace(const char* p, const char* end) {
  if (p<end&& static_cast<unsigned char>(*p)> ' ') return p;
  const __m128i space = _mm_set1_epi8(' ');
  while (p < end) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    const unsigned spaces = static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_min_epu8(bytes, space), bytes)));
    if (spaces != 0xFFFF) {
      p += __builtin_ctz(~spaces);
      return p < end ? p : end;
    }
    p += 16;
  }
  return end;
}

// `p` behind the opening quote; result at the closing one. Sets `escaped` where a backslash is met.
[[nodiscard]] inline const char* closingQuote(const char* p, const char* end, bool& escaped) {
  const __m128i quote = _mm_set1_epi8('"');
  const __m128i backslash = _mm_set1_epi8('\\');
  while (p < end) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    const int mask = _mm_movemask_epi8(_mm_or_si128(_mm_cmpeq_epi8(bytes, quote), _mm_cmpeq_epi8(bytes, backslash)));
    if (mask == 0) {
      p += 16;
      continue;
    }
    p += __builtin_ctz(static_cast<unsigned>(mask));
    if (p >= end) return nullptr;
    if (*p == '"') return p;
    escaped = true;
    p += 2;
  }
  return nullptr;
}

// `p` at an opening bracket; result behind the closing one. Brackets are counted, not matched in kind: `mixed` is set
// where one closes another kind's, unless that one lies outside of 64 others.
[[nodiscard]] inline const char* containerEnd(const char* p, const char* end, bool& mixed) {
  const __m128i quote = _mm_set1_epi8('"');
  const __m128i open = _mm_set1_epi8('{');
  const __m128i close = _mm_set1_epi8('}');
  const __m128i fold = _mm_set1_epi8(0x20);  // turns [ and ] into { and }
  std::int64_t depth = 0;
  std::uint64_t kinds = 0;     // of those that are open, the innermost lowest: whether it is a brace
  std::int64_t forgotten = 0;  // depth from which on outwards they have left `kinds`
  while (p < end) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    const __m128i folded = _mm_or_si128(bytes, fold);
    unsigned mask = static_cast<unsigned>(_mm_movemask_epi8(_mm_or_si128(
        _mm_cmpeq_epi8(bytes, quote), _mm_or_si128(_mm_cmpeq_epi8(folded, open), _mm_cmpeq_epi8(folded, close)))));
    const char* next = p + 16;
    while (mask != 0) {
      const char* at = p + __builtin_ctz(mask);
      if (at >= end) return nullptr;
      if (*at == '"') {
        bool escaped = false;
        const char* close_ = closingQuote(at + 1, end, escaped);
        if (close_ == nullptr) return nullptr;
        next = close_ + 1;
        break;
      }
      const std::uint64_t brace = (*at & 0x20) != 0 ? 1 : 0;
      if ((*at & 7) == 3) {  // { and [ end in 011, } and ] in 101
        kinds = kinds << 1 | brace;
        if (++depth - forgotten > 64) ++forgotten;
      } else {
        mixed = mixed || (depth > forgotten && (kinds & 1) != brace);
        kinds >>= 1;
        if (--depth == 0) return at + 1;
      }
      mask &= mask - 1;
    }
    p = next;
  }
  return nullptr;
}

[[nodiscard]] inline const char* containerEnd(const char* p, const char* end) {
  bool mixed = false;
  return containerEnd(p, end, mixed);
}

// Bytes that end a number or word. Behind the text there are zeros or more text, so the search ends by itself.
struct ScalarEnds {
  bool ends[256] = {};
  constexpr ScalarEnds() {
    for (const unsigned char c : {',', '}', ']', ' ', '\n', '\r', '\t', '\0'}) ends[c] = true;
  }
};
inline constexpr ScalarEnds kScalarEnds;

// `p` at the first character of a number or word; result behind the last.
[[nodiscard]] inline const char* scalarEnd(const char* p, const char* end) {
  while (!kScalarEnds.ends[static_cast<unsigned char>(*p)]) ++p;
  return p < end ? p : nullptr;
}

[[nodiscard]] inline const char* valueEnd(const char* p, const char* end) {
  if (p >= end) return nullptr;
  if (*p == '"') {
    bool escaped = false;
    const char* quote = closingQuote(p + 1, end, escaped);
    return quote == nullptr ? nullptr : quote + 1;
  }
  if (*p == '{' || *p == '[') return containerEnd(p, end);
  return scalarEnd(p, end);
}

}  // namespace attnscope::scan
