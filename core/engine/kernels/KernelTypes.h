// SPDX-License-Identifier: Apache-2.0
#pragma once

// Shared by the kernels of all instruction sets. Everything here and in the kernels' templates lies in an unnamed
// namespace: each translation unit has its own copy, compiled with its own instructions (see KernelTable.h).

#include <math.h>  // NOLINT: exp2f and log2f of the library, not the inline functions of <cmath>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "core/engine/kernels/KernelTable.h"

#define KERNEL_INLINE inline __attribute__((always_inline))
#if defined(__clang__)
#define KERNEL_UNROLL _Pragma("clang loop unroll(full)")
#define KERNEL_UNROLL_2 _Pragma("clang loop unroll_count(2)")
#else
#define KERNEL_UNROLL _Pragma("GCC unroll 16")
#define KERNEL_UNROLL_2 _Pragma("GCC unroll 2")
#endif

namespace attnscope::kernels {
namespace {

using Index = std::ptrdiff_t;

struct BFloat16 {
  std::uint16_t bits;
};
struct Float16 {
  std::uint16_t bits;
};

constexpr float kLog2E = 1.44269504088896341F;
constexpr float kLn2 = 0.693147180559945309F;
constexpr float kInfinity = __builtin_inff();
constexpr float kLowest = -3.40282346638528859812e38F;

KERNEL_INLINE Index smaller(Index a, Index b) { return a < b ? a : b; }
KERNEL_INLINE Index larger(Index a, Index b) { return a > b ? a : b; }
KERNEL_INLINE Index roundedUp(Index value, Index step) { return (value + step - 1) / step * step; }

KERNEL_INLINE float floatOf(std::uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}
KERNEL_INLINE std::uint32_t bitsOf(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

KERNEL_INLINE float widened(float value) { return value; }
KERNEL_INLINE float widened(BFloat16 value) { return floatOf(static_cast<std::uint32_t>(value.bits) << 16); }
// Also denormals, infinities and NaN: the exponent is moved by a multiplication.
KERNEL_INLINE float widened(Float16 value) {
  const std::uint32_t sign = static_cast<std::uint32_t>(value.bits & 0x8000U) << 16;
  const std::uint32_t rest = static_cast<std::uint32_t>(value.bits & 0x7fffU) << 13;
  if (rest >= 0x0f800000U) return floatOf(sign | 0x7f800000U | (rest & 0x007fffffU));
  return floatOf(sign | bitsOf(floatOf(rest) * 0x1p112F));
}

// To the nearest, ties to even.
KERNEL_INLINE void narrow(float value, float* out) { *out = value; }
KERNEL_INLINE void narrow(float value, BFloat16* out) {
  const std::uint32_t bits = bitsOf(value);
  const bool isNan = (bits & 0x7fffffffU) > 0x7f800000U;
  out->bits = static_cast<std::uint16_t>(isNan ? (bits >> 16) | 0x40U : (bits + 0x7fffU + ((bits >> 16) & 1U)) >> 16);
}
KERNEL_INLINE void narrow(float value, Float16* out) {
  const std::uint32_t bits = bitsOf(value);
  const std::uint32_t sign = (bits >> 16) & 0x8000U;
  const std::uint32_t magnitude = bits & 0x7fffffffU;
  if (magnitude > 0x7f800000U) {
    out->bits = static_cast<std::uint16_t>(sign | 0x7e00U);
  } else if (magnitude >= 0x477ff000U) {  // 65520 and more round to infinity
    out->bits = static_cast<std::uint16_t>(sign | 0x7c00U);
  } else if (magnitude < 0x38800000U) {  // denormal: adding 0.5 puts its bits at the end of the mantissa
    out->bits = static_cast<std::uint16_t>(sign | (bitsOf(floatOf(magnitude) + 0.5F) - 0x3f000000U));
  } else {
    out->bits =
        static_cast<std::uint16_t>(sign | ((magnitude - 0x38000000U + 0xfffU + ((magnitude >> 13) & 1U)) >> 13));
  }
}

template <class T>
KERNEL_INLINE const T* at(const void* data, Index offset) {
  return static_cast<const T*>(data) + offset;
}

// Where key `key` of a sequence and a head lies.
template <class T>
KERNEL_INLINE const T* keyRow(const KernelArguments& arguments, const TensorView& view, Index batch, Index head,
                              Index key) {
  if (arguments.pageLength == 0) {
    return at<T>(view.data, batch * view.batchStride + head * view.headStride + key * view.rowStride);
  }
  const PagedCache& cache = arguments.tensors.cache;
  const Index page = cache.pages[batch * cache.tableStride + key / arguments.pageLength];
  return at<T>(view.data,
               page * view.batchStride + head * view.headStride + key % arguments.pageLength * view.rowStride);
}

struct RowPlace {
  Index query;
  Index head;  // among all query heads
};
KERNEL_INLINE RowPlace placeOf(const KernelArguments& arguments, const ItemTask& task, Index row) {
  const Index all = task.firstRow + row;
  return {all / arguments.group, task.keyValueHead * arguments.group + all % arguments.group};
}

// Keys of the item that a query's range holds; {0, 0} where it holds none.
KERNEL_INLINE KeyRange keysOf(const KernelArguments& arguments, const ItemTask& task, Index query) {
  KeyRange range = arguments.ranges == nullptr ? task.keys : arguments.ranges[query];
  if (range.from < task.keys.from) range.from = task.keys.from;
  if (range.to > task.keys.to) range.to = task.keys.to;
  return range.to > range.from ? range : KeyRange{0, 0};
}

// Calls visit(from, to) for the intervals of [from, to) that a block mask shows to this query, each at most `most`
// keys.
template <class Visit>
KERNEL_INLINE void visitKeys(const KernelArguments& arguments, Index query, Index from, Index to, Index most,
                             Visit visit) {
  while (from < to) {
    Index end = to;
    if (arguments.blocks != nullptr) {
      const std::uint8_t* row = arguments.blocks + query / arguments.queryBlock * arguments.blockColumns;
      while (from < to && row[from / arguments.keyBlock] == 0)
        from = (from / arguments.keyBlock + 1) * arguments.keyBlock;
      end = from;
      while (end < to && row[end / arguments.keyBlock] != 0) end = (end / arguments.keyBlock + 1) * arguments.keyBlock;
      end = smaller(end, to);
    }
    for (; from < end; from += most) visit(from, smaller(from + most, end));
    from = end;
  }
}

KERNEL_INLINE bool changesScores(const KernelArguments& arguments) {
  return arguments.softcap > 0 || arguments.slopes != nullptr || arguments.hasBias;
}

// How scores become powers of two: weight = 2^((score - largest) * factor). Where the factor would be too small for its
// arithmetic (or is 0) it is put into the queries; where it is negative the queries change their sign.
struct ScoreScale {
  float query;   // queries are multiplied by it
  float factor;  // above 0
  float floor;   // score - largest under which a weight is 0
};
KERNEL_INLINE ScoreScale scaleOf(const KernelArguments& arguments, bool changesScores) {
  constexpr float kLeastFactor = 0x1p-60F;
  const float wanted = arguments.scale * kLog2E;
  ScoreScale scale{.query = 1, .factor = 1, .floor = -127};
  if (changesScores) return scale;  // they are in powers of two by then
  const float size = wanted < 0 ? -wanted : wanted;
  if (size < kLeastFactor) {
    scale.query = wanted;
  } else {
    scale.query = wanted < 0 ? -1.0F : 1.0F;
    scale.factor = size;
    scale.floor = -127 / size;
  }
  return scale;
}

KERNEL_INLINE float biasAt(const void* data, BiasType type, Index offset) {
  switch (type) {
    case BiasType::kFloat32:
      return *at<float>(data, offset);
    case BiasType::kBFloat16:
      return widened(*at<BFloat16>(data, offset));
    case BiasType::kFloat16:
      return widened(*at<Float16>(data, offset));
    case BiasType::kBoolean:
      return *at<std::uint8_t>(data, offset) != 0 ? 0 : -kInfinity;
  }
  return 0;
}

// --- Functions on vectors -------------------------------------------------------------------------------------------

// 2^(difference * factor) for difference <= 0; 0 at the floor and under it, NaN for NaN. The integer part comes from
// adding 1.5 * 2^23, which leaves it in the last bits; there 127 more make it an exponent. The polynomial is the
// minimax of 2^f on [-1/2, 1/2] by Remez' exchange, relative error 7.5e-8.
template <class V>
struct Exponential {
  using Float = typename V::Float;
  explicit KERNEL_INLINE Exponential(const ScoreScale& scale)
      : factor(V::all(scale.factor)), floor(V::all(scale.floor)) {}
  KERNEL_INLINE Float operator()(Float difference) const {
    const Float magic = V::all(0x1.8p23F + 127);
    const Float bounded = V::max(floor, difference);
    const Float shifted = V::multiplyAdd(bounded, factor, magic);
    const Float fraction = V::multiplySubtract(bounded, factor, V::subtract(shifted, magic));
    Float power = V::all(1.32764725e-3F);
    power = V::multiplyAdd(power, fraction, V::all(9.67554096e-3F));
    power = V::multiplyAdd(power, fraction, V::all(5.55071309e-2F));
    power = V::multiplyAdd(power, fraction, V::all(2.40221202e-1F));
    power = V::multiplyAdd(power, fraction, V::all(6.93146944e-1F));
    power = V::multiplyAdd(power, fraction, V::all(1.00000012F));
    return V::multiply(power, V::exponentOf(shifted));
  }
  Float factor, floor;
};

// Near 0 a minimax polynomial (relative error 1.8e-7 up to 0.65), else 1 - 2 / (e^2x + 1).
template <class V>
KERNEL_INLINE typename V::Float tanhOf(typename V::Float x) {
  using Float = typename V::Float;
  const Float square = V::multiply(x, x);
  Float odd = V::all(0.0147764822F);
  odd = V::multiplyAdd(odd, square, V::all(-0.0516608432F));
  odd = V::multiplyAdd(odd, square, V::all(0.1330235F));
  odd = V::multiplyAdd(odd, square, V::all(-0.333320141F));
  odd = V::multiplyAdd(V::multiply(odd, square), x, x);
  const Exponential<V> power(ScoreScale{.query = 1, .factor = 2 * kLog2E, .floor = -40});
  const Float magnitude = V::magnitude(x);
  const Float small = power(V::subtract(V::all(0), magnitude));  // e^-2|x|
  const Float one = V::all(1);
  const Float far = V::withSignOf(V::divide(V::subtract(one, small), V::add(one, small)), x);
  return V::whereLess(magnitude, V::all(0.65F), odd, far);
}

template <class V, class T>
KERNEL_INLINE void widenRow(const T* in, Index count, float* out) {
  Index i = 0;
  for (; i + V::kLanes <= count; i += V::kLanes) V::store(out + i, V::load(in + i));
  for (; i < count; ++i) out[i] = widened(in[i]);
}
template <class V, class T>
KERNEL_INLINE void narrowRow(const float* in, Index count, T* out) {
  Index i = 0;
  for (; i + V::kLanes <= count; i += V::kLanes) V::storeAs(out + i, V::load(in + i));
  for (; i < count; ++i) narrow(in[i], out + i);
}

// A score, q.k so far, with everything that changes it but what hides it; in powers of two.
template <class V>
struct ScoreChange {
  using Float = typename V::Float;
  KERNEL_INLINE explicit ScoreChange(const KernelArguments& arguments)
      : scale(V::all(arguments.scale)),
        cap(V::all(arguments.softcap)),
        perCap(V::all(arguments.softcap > 0 ? arguments.scale / arguments.softcap : 0)),
        caps(arguments.softcap > 0) {}
  // slope 0: no distance.
  KERNEL_INLINE Float operator()(Float score, Float bias, Float slope, Float distance) const {
    const Float scaled = caps ? V::multiply(cap, tanhOf<V>(V::multiply(score, perCap))) : V::multiply(score, scale);
    const Float near = V::subtract(V::add(scaled, bias), V::multiply(slope, V::magnitude(distance)));
    return V::multiply(near, V::all(kLog2E));
  }
  Float scale, cap, perCap;
  bool caps;
};

}  // namespace
}  // namespace attnscope::kernels
