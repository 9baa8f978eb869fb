// SPDX-License-Identifier: Apache-2.0
#pragma once

// What is known about each implementation without running it: name, family, what it supports and why not, how much
// it computes, moves and allocates. Immutable tables of static storage; pure functions; any thread.
//
// **Peak bytes** are what one call allocates beyond what lay there before it: inputs, weights and everything that is
// made once for a problem (a boolean mask: `heldBytes`) are not in them, the output is, and with backward what autograd
// keeps and the gradients of all inputs. They are the allocations of tensors as a counting allocator sees them; packing
// buffers inside a product are not. Where an implementation is written by us, its card's file states the operators and
// their order, and the engine does exactly that.
// The formula of each family stands in its file (CardsNaive.cpp...) and in words in `CardFigures::peakWords`.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/problem/Problem.h"

namespace attnscope {

enum class DeviceKind : std::uint8_t { kCpu, kCuda };
[[nodiscard]] std::string_view toString(DeviceKind kind);                       // "cpu", "cuda"
[[nodiscard]] std::optional<DeviceKind> deviceKindOf(std::string_view device);  // of "cpu", "cuda:0"

// How the picker groups them; the word before the dot of an id is `familyOf(id)`.
enum class CardGroup : std::uint8_t {
  kWrittenOut,   // "Written out, exact": memory grows with N²
  kFused,        // "Fused, exact": memory grows with N
  kSparse,       // "Sparse": skip what the mask hides
  kApproximate,  // "Approximate": compared with their own definition
  kShared,       // "Shared keys and values"
  kDecode,       // "Decode": one query a sequence
  kDistributed,  // "Several hosts"
  kYours,        // "Your own"
};
struct GroupText {
  std::string_view title;
  std::string_view note;  // "memory grows with N²"
};
[[nodiscard]] GroupText textOf(CardGroup group);
[[nodiscard]] std::string_view familyOf(std::string_view id);  // "naive" of "naive.plain"

// An approximation, or another function than softmax attention, is checked against its own definition.
enum class Exactness : std::uint8_t { kExact, kApproximate };

// What the figures depend on besides the problem.
struct CardConditions {
  std::int64_t threads = 1;
  // Whether LibTorch's flash kernel packs keys and values of bfloat16 for this CPU's matrix units (AMX), which the own
  // kernels use too.
  bool packsBFloat16 = false;
  // Rows of a vector of the own kernels: 16 with AVX-512, 8 with AVX2.
  std::int64_t vectorRows = 1;
};
// Of this machine, from the flags in /proc/cpuinfo.
[[nodiscard]] CardConditions conditionsHere(std::int64_t threads);

struct CardFigures {
  std::int64_t usefulFlops = 0;               // Formulas.h
  std::optional<std::int64_t> executedFlops;  // with what is computed and thrown away
  std::int64_t minimumBytes = 0;              // Formulas.h
  // Q, K, V, or a block's input and weights, and with backward the gradient of the output: beside the peak.
  std::int64_t inputBytes = 0;
  std::int64_t heldBytes = 0;                      // made once for the problem and kept: a mask, a cache
  std::optional<std::int64_t> predictedPeakBytes;  // of one call; none: not predicted
  // What one call takes at least: the predicted peak, and where there is none the tensors that it returns, or in a
  // block with backward what its layers keep or have beside attention.
  std::int64_t leastPeakBytes = 0;
  std::string peakWords;  // "3 score matrices of 4.0 MiB + output of 0.5 MiB"
};

// Why this problem cannot be run, and what to change; none: it can.
using CardRefusal = std::optional<std::string> (*)(const Problem& problem);
// What the caller may do so that it is faster for this problem; none: nothing is known.
using CardAdvice = std::optional<std::string> (*)(const Problem& problem);
using CardFiguresOf = CardFigures (*)(const Problem& problem, const CardConditions& conditions);

struct Card {
  std::string_view id;     // "naive.plain"
  std::string_view title;  // "Naive"
  CardGroup group = CardGroup::kWrittenOut;
  Exactness exactness = Exactness::kExact;
  std::string_view complexity;  // "time N², memory N²"
  bool onCpu = true;
  bool onCuda = false;
  std::string_view notBuilt;        // why it cannot run in this version; empty: it can
  CardRefusal refusal = nullptr;    // nullptr: refuses none
  CardFiguresOf figures = nullptr;  // nullptr: what is known of every card
  CardAdvice advice = nullptr;      // nullptr: none for any
};

// All, in the order of the command line's contract.
[[nodiscard]] std::span<const Card> cards();
[[nodiscard]] const Card* findCard(std::string_view id);
[[nodiscard]] bool runsOn(const Card& card, DeviceKind device);
// The first reason of: not built, not for this device, not for this problem. The problem must be valid.
[[nodiscard]] std::optional<std::string> refusalOf(const Card& card, const Problem& problem, DeviceKind device);
// The problem must be valid.
[[nodiscard]] std::optional<std::string> adviceOf(const Card& card, const Problem& problem);
[[nodiscard]] CardFigures figuresOf(const Card& card, const Problem& problem, const CardConditions& conditions);

// Relative L2 error that still counts as right, against float64 on inputs rounded to the type: float64 1e-12, float32
// 1e-5, float16 2e-3, bfloat16 1e-2.
[[nodiscard]] double errorLimit(DataType type);

// Block sizes that the engine and the formulas share.
inline constexpr std::int64_t kBlockwiseQueryBlock = 256;
inline constexpr std::int64_t kBlockwiseKeyBlock = 256;
inline constexpr std::int64_t kSparseBlock = 64;  // queries and keys of sparse.blocks
inline constexpr std::int64_t kLinearChunk = 128;
inline constexpr std::int64_t kOwnHeadSize = 256;      // the largest of the own kernels
inline constexpr std::int64_t kOwnDecodeQueries = 16;  // the most of own.decode
inline constexpr std::int64_t kOwnDotRows = 6;         // of a key head, which own.decode computes one by one
inline constexpr std::int64_t kOwnKeyBlock = 512;      // the largest tiles that their search takes
inline constexpr std::int64_t kOwnRowChunk = 768;
inline constexpr std::int64_t kHashedChunk = 64;  // sorted keys that a sorted chunk of queries meets, twice
inline constexpr std::int64_t kHashedRounds = 2;
inline constexpr std::int64_t kPageTokens = 64;    // of decode.paged
inline constexpr std::int64_t kPagesOfSplit = 16;  // gathered and attended to at once
inline constexpr std::int64_t kRingHosts = 4;
// Queries that window.blocks takes at once: a tenth of the window, in sixteens, 128 at most. A block meets the keys of
// all its queries, so that this keeps what is computed in vain at a tenth of what is useful.
[[nodiscard]] std::int64_t windowQueryBlock(const Problem& problem);

}  // namespace attnscope
