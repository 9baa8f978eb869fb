// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the kernels compute: softmax(Q K^T * scale) V with everything that may change a score, as plain values and
// pointers. No LibTorch. Symbols: B sequences, Hq/Hk heads of queries/keys, N queries, M keys, D/V size of a head of
// keys/values, g = Hq / Hk query heads that share a key head.
//
// A score becomes, in this order: q.k * scale; softcap * tanh(score / softcap); + bias; - slope |position - key|;
// minus infinity where the query does not see the key. A query that sees nothing gives 0 and a log-sum-exp of minus
// infinity. A sink is one more logit of a head, in the denominator alone.

#include <cstdint>
#include <optional>
#include <vector>

namespace attnscope::kernels {

enum class ElementType : std::uint8_t { kFloat32, kBFloat16, kFloat16 };
[[nodiscard]] constexpr std::int64_t bytesOf(ElementType type) { return type == ElementType::kFloat32 ? 4 : 2; }

// Keys [from, to) that a query may see; none where to <= from.
struct KeyRange {
  std::int32_t from = 0;
  std::int32_t to = 0;
  bool operator==(const KeyRange&) const = default;
};

// Which blocks of queryBlock x keyBlock pairs are seen, shared by all sequences and heads: row-major
// [ceil(N / queryBlock), ceil(M / keyBlock)], 0 where hidden. Hidden blocks are never read.
struct BlockMask {
  std::int64_t queryBlock = 0;
  std::int64_t keyBlock = 0;
  std::vector<std::uint8_t> visible;
};

// Keys and values in pages: page t of sequence b is pages[b * tableStride + t] in the tensors of keys and values, whose
// first dimension then counts pages and whose rows are pageLength.
struct PagedCache {
  std::int64_t pageLength = 0;
  const std::int32_t* pages = nullptr;
  std::int64_t tableStride = 0;
};

enum class BiasType : std::uint8_t { kFloat32, kBFloat16, kFloat16, kBoolean };  // a boolean: not 0 where seen

// Of a call; none of it depends on where the tensors lie.
struct AttentionShape {
  std::int64_t batch = 1;
  std::int64_t heads = 1;
  std::int64_t keyValueHeads = 1;  // divides heads
  std::int64_t queryLength = 1;
  std::int64_t keyLength = 1;
  std::int64_t headSize = 64;       // 1 to kMostHeadSize
  std::int64_t valueHeadSize = 64;  // 1 to kMostHeadSize
  ElementType type = ElementType::kFloat32;
  float scale = 1;
  float softcap = 0;                       // 0: none
  std::vector<KeyRange> ranges;            // one a query; empty: every query sees every key
  std::optional<BlockMask> blocks;         // as well as the ranges
  std::vector<float> slopes;               // of ALiBi, one a head; empty: none
  std::int64_t firstPosition = 0;          // of query 0 among the keys, for ALiBi
  std::vector<float> sinks;                // one a head; empty: none
  std::optional<BiasType> bias;            // what Tensors::bias holds
  std::optional<std::int64_t> pageLength;  // keys and values come in pages
};
inline constexpr std::int64_t kMostHeadSize = 256;

// Strides in elements; the last dimension lies without gaps. No alignment is asked for but the element's.
struct TensorView {
  const void* data = nullptr;
  std::int64_t batchStride = 0;
  std::int64_t headStride = 0;
  std::int64_t rowStride = 0;
};
struct MutableTensorView {
  void* data = nullptr;
  std::int64_t batchStride = 0;
  std::int64_t headStride = 0;
  std::int64_t rowStride = 0;
};

struct AttentionTensors {
  TensorView query;            // [B, Hq, N, D]
  TensorView key;              // [B, Hk, M, D], or [pages, Hk, pageLength, D]
  TensorView value;            // [B, Hk, M, V], or [pages, Hk, pageLength, V]
  MutableTensorView output;    // [B, Hq, N, V]
  float* logSumExp = nullptr;  // [B, Hq, N] without gaps; natural logarithm, a sink included; null: not wanted
  TensorView bias;             // [B, Hq, N, M], rows of M without gaps; a stride of 0 repeats
  PagedCache cache;
};

// Every query up to and with its diagonal: key i, or i + keyLength - queryLength where the last ones are aligned.
enum class Diagonal : std::uint8_t { kFromFirst, kFromLast };
// `window` keys at most, the diagonal's included; 0: all before it.
[[nodiscard]] std::vector<KeyRange> causalRanges(std::int64_t queryLength, std::int64_t keyLength, Diagonal diagonal,
                                                 std::int64_t window = 0);

}  // namespace attnscope::kernels
