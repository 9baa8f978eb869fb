// SPDX-License-Identifier: Apache-2.0
#pragma once

// The arithmetic of AMX in plain C++: the Units of PairTileKernel.h for any CPU. As the instruction TDPBF16PS is
// defined (Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2): even and odd elements are summed
// apart and rounded after each product and sum at once, denormals count as 0 wherever they are read or written.

#include "core/engine/kernels/PairTileKernel.h"
#include "core/engine/kernels/ScalarVector.h"

namespace attnscope::kernels {
namespace {

struct EmulatedUnits {
  struct Session {
    KERNEL_INLINE Session() {}
  };

  static float flushed(float value) {
    const std::uint32_t bits = bitsOf(value);
    return (bits & 0x7f800000U) == 0 ? floatOf(bits & 0x80000000U) : value;
  }
  static float elementAt(const char* at) {
    BFloat16 element;
    std::memcpy(&element, at, sizeof element);
    return flushed(widened(element));
  }
  static float flushedProductSum(float a, float b, float sum) { return flushed(fmaf(a, b, sum)); }

  // One sum of a tile's product, with 16 pairs.
  static float sumOf(const char* row, const char* column, float sum) {
    float even = 0;
    float odd = 0;
    for (Index pair = 0; pair < kUnitRows; ++pair) {
      const char* left = row + pair * 4;
      const char* right = column + pair * kUnitRows * 4;
      even = flushedProductSum(elementAt(left), elementAt(right), even);
      odd = flushedProductSum(elementAt(left + 2), elementAt(right + 2), odd);
    }
    return flushed(flushed(sum) + flushed(even + odd));
  }

  template <int kColumns>
  static void multiply(const LeftTiles& left, const RightTiles& right, Index depth, float* out, Index outStride) {
    for (Index row = 0; row < kSquare; ++row) {
      for (Index column = 0; column < kColumns * kUnitRows; ++column) {
        const char* a =
            static_cast<const char*>(left.first) + row / kUnitRows * left.nextTile + row % kUnitRows * left.rowStride;
        const char* b =
            static_cast<const char*>(right.first) + column / kUnitRows * right.nextTile + column % kUnitRows * 4;
        float sum = 0;
        for (Index step = 0; step < depth; ++step)
          sum = sumOf(a + step * left.nextDepth, b + step * right.nextDepth, sum);
        out[row * outStride + column] = sum;
      }
    }
  }

  static void zip(const BFloat16* first, const BFloat16* second, Index count, std::uint32_t* words) {
    for (Index i = 0; i < count; ++i) words[i] = first[i].bits | static_cast<std::uint32_t>(second[i].bits) << 16;
  }
  static void putPairs(float first, float second, std::uint32_t* words) {
    BFloat16 halves[2];
    narrow(flushed(first), &halves[0]);
    narrow(flushed(second), &halves[1]);
    std::memcpy(words, halves, sizeof *words);
  }
  static bool holdsTiny(const std::uint32_t* words, Index count) {
    for (Index i = 0; i < count; ++i) {
      for (const std::uint32_t bits : {words[i] & 0x7fffU, words[i] >> 16 & 0x7fffU}) {
        if (bits != 0 && bits < kTinyBits) return true;
      }
    }
    return false;
  }
};

// As many vectors of one lane as a panel of units has rows.
struct ScalarPairs : Scalar {
  static constexpr int kVectors = kSquare;
};

}  // namespace
}  // namespace attnscope::kernels
