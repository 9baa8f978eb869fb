// SPDX-License-Identifier: Apache-2.0
#include "core/engine/PeakLoop.h"

#include <immintrin.h>

#include <cstddef>

namespace attnscope::engine {
namespace {

// Enough sums that none waits for the one before: latency 4 times 2 units, with some to spare.
constexpr std::size_t kSums = 12;

__attribute__((target("avx2,fma"))) void loopOfAvx2(std::int64_t rounds) {
  __m256 sums[kSums];  // no std::array: it drops the type's alignment
  for (__m256& sum : sums) sum = _mm256_set1_ps(1.0f);
  const __m256 factor = _mm256_set1_ps(0.999f);
  for (std::int64_t round = 0; round < rounds; ++round) {
    for (__m256& sum : sums) sum = _mm256_fmadd_ps(sum, factor, factor);
  }
  for (__m256& sum : sums) asm volatile("" : : "x"(sum));  // the compiler may not leave it out
}

__attribute__((target("avx512f"))) void loopOfAvx512(std::int64_t rounds) {
  __m512 sums[kSums];
  for (__m512& sum : sums) sum = _mm512_set1_ps(1.0f);
  const __m512 factor = _mm512_set1_ps(0.999f);
  for (std::int64_t round = 0; round < rounds; ++round) {
    for (__m512& sum : sums) sum = _mm512_fmadd_ps(sum, factor, factor);
  }
  for (__m512& sum : sums) asm volatile("" : : "v"(sum));
}

std::int64_t lanes() {
  if (__builtin_cpu_supports("avx512f") != 0) return 16;
  return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0 ? 8 : 0;
}

}  // namespace

std::int64_t multiplyAddFlops(std::int64_t rounds) { return 2 * rounds * static_cast<std::int64_t>(kSums) * lanes(); }

std::int64_t multiplyAdd(std::int64_t rounds) {
  if (lanes() == 16) loopOfAvx512(rounds);
  if (lanes() == 8) loopOfAvx2(rounds);
  return multiplyAddFlops(rounds);
}

}  // namespace attnscope::engine
