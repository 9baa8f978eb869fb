// SPDX-License-Identifier: Apache-2.0
#pragma once

// One shape of attention that implementations are run on and compared by: softmax(Q K^T * scale + mask) V for
// `batch` sequences. Plain values without LibTorch; any thread. A Problem may be invalid while a person types it:
// validate() (Validation.h) says what to change. Formulas (Formulas.h, Cards.h) need a valid one.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace attnscope {

enum class DataType : std::uint8_t { kFloat32, kBFloat16, kFloat16, kFloat64 };
[[nodiscard]] std::string_view toString(DataType type);  // "float32", "bfloat16"...
[[nodiscard]] std::optional<DataType> dataTypeOf(std::string_view text);
[[nodiscard]] std::int64_t bytesOf(DataType type);  // of one value
// Of the type in which sums of this type are kept: 8 for float64, else 4.
[[nodiscard]] std::int64_t accumulatorBytesOf(DataType type);

// Where the diagonal lies when there are not as many queries as keys: query i sees key j when
// j <= i (top-left; PyTorch's is_causal) or j <= i + keyValueLength - queryLength (bottom-right; flash-attn >= 2.1).
enum class CausalAlignment : std::uint8_t { kTopLeft, kBottomRight };
[[nodiscard]] std::string_view toString(CausalAlignment alignment);  // "top-left", "bottom-right"

struct NoMask {
  bool operator==(const NoMask&) const = default;
};
struct CausalMask {
  CausalAlignment alignment = CausalAlignment::kTopLeft;
  bool operator==(const CausalMask&) const = default;
};
// Causal, and no further back than `width` keys, the diagonal's one included.
struct WindowMask {
  std::int64_t width = 256;
  CausalAlignment alignment = CausalAlignment::kTopLeft;
  bool operator==(const WindowMask&) const = default;
};
// Every query sees the first `length` keys; after them it is causal, top-left.
struct PrefixMask {
  std::int64_t length = 0;
  bool operator==(const PrefixMask&) const = default;
};
enum class InsideDocument : std::uint8_t { kFull, kCausal };
// Several documents packed into one sequence: a query sees the keys of its own document only.
struct DocumentsMask {
  std::vector<std::int64_t> lengths;
  InsideDocument inside = InsideDocument::kFull;
  bool operator==(const DocumentsMask&) const = default;
};
// `queryLength` tokens in documents of `size`, causal inside, the last with what is left. `size` over 0.
[[nodiscard]] DocumentsMask chunksOf(std::int64_t size, std::int64_t queryLength);
struct MaskTable;  // MaskTable.h
// Any pairs, or any bias on the scores, from a file. Two are the same where their files have the same name.
struct FileMask {
  std::string path;
  std::shared_ptr<const MaskTable> table = nullptr;  // none until readMaskOf() has read it
  bool operator==(const FileMask& other) const { return path == other.path; }
};
using Mask = std::variant<NoMask, CausalMask, WindowMask, PrefixMask, DocumentsMask, FileMask>;
// "none", "causal, top left", "window 256, top left", "prefix 16", "3 documents"...
[[nodiscard]] std::string describe(const Mask& mask);

enum class Pass : std::uint8_t { kForward, kForwardBackward };
enum class Workload : std::uint8_t { kAttention, kBlock };   // attention alone, or in a transformer block
enum class Layout : std::uint8_t { kBhnd, kBnhd };           // of the memory under Q, K, V and O
[[nodiscard]] std::string_view toString(Pass pass);          // "forward", "forward-backward"
[[nodiscard]] std::string_view toString(Workload workload);  // "attention", "block"
[[nodiscard]] std::string_view toString(Layout layout);      // "bhnd", "bnhd"

// Defaults are the preset "quick-look" (Presets.h).
struct Problem {
  std::int64_t batch = 1;              // B
  std::int64_t heads = 8;              // Hq
  std::int64_t keyValueHeads = 8;      // Hk, divides heads; query head h reads key head h / (heads / keyValueHeads)
  std::int64_t queryLength = 1024;     // N
  std::int64_t keyValueLength = 1024;  // M
  std::int64_t headSize = 64;          // D, of queries and keys
  std::int64_t valueHeadSize = 64;     // V, of values and the output
  DataType dtype = DataType::kFloat32;
  Mask mask = CausalMask{};
  std::optional<double> scale;  // of the scores; none: 1 / sqrt(headSize)
  double softcap = 0;           // c of c * tanh(score / c), before the mask; 0: none
  bool sink = false;            // an extra logit for each head in the denominator
  bool alibi = false;           // a bias that falls with distance: alibiSlope(), positionOf()
  double dropout = 0;           // share of probabilities that are dropped, 0 to below 1; drawn from the seed
  // Latent attention: keys and values are linear in a vector of this size a token (r), and in `ropeSize` (dr) values
  // that all heads share and that are the last of each key. 0: keys and values are given as they are.
  std::int64_t latentSize = 0;
  std::int64_t ropeSize = 0;
  Pass pass = Pass::kForward;
  Workload workload = Workload::kAttention;
  Layout layout = Layout::kBhnd;
  std::uint64_t seed = 0;  // of the inputs and weights

  bool operator==(const Problem&) const = default;

  [[nodiscard]] double effectiveScale() const;
  [[nodiscard]] std::int64_t groupSize() const { return heads / keyValueHeads; }  // g, query heads a key head
  [[nodiscard]] std::int64_t modelSize() const { return heads * headSize; }       // of the block
};

// Keys [from, to) that a query sees. Every mask but a file's is one range a query.
struct KeyRange {
  std::int64_t from = 0;
  std::int64_t to = 0;  // equal to `from` where the query sees nothing: its output is 0
  [[nodiscard]] std::int64_t size() const { return to - from; }
  bool operator==(const KeyRange&) const = default;
};
// O(1), for documents O(documents), for a table O(keys). Of a FileMask it is the smallest range that holds all; without
// its table that counts as no mask.
[[nodiscard]] KeyRange keysSeenBy(const Problem& problem, std::int64_t query);
// The table of a FileMask that was read; null for every other mask.
[[nodiscard]] const MaskTable* tableOf(const Mask& mask);
// Whether a bias is added to the scores: of ALiBi, or of a file.
[[nodiscard]] bool hasBias(const Problem& problem);
// The key that stands where this query does: for distances. Top-left masks count from the first, all others so that
// the last query stands at the last key, as where a cache holds what came before.
[[nodiscard]] std::int64_t positionOf(const Problem& problem, std::int64_t query);
// 2^(-8 (head + 1) / heads) (arXiv 2108.12409): slope times distance is taken from the score.
[[nodiscard]] double alibiSlope(const Problem& problem, std::int64_t head);

// "B1 H8 N1024 D64 float32, causal, top left": for titles.
[[nodiscard]] std::string describe(const Problem& problem);

}  // namespace attnscope
