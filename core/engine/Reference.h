// SPDX-License-Identifier: Apache-2.0
#pragma once

// Attention by its definition in float64, on inputs that are rounded to the problem's type already: what every
// implementation is checked against. Computed in blocks of rows, so that no matrix of all scores is made: beside the
// results it needs some 64 MiB. Shares no code with the implementations but the masks.

#include <functional>
#include <optional>
#include <span>
#include <string_view>

#include "core/engine/Inputs.h"

namespace attnscope::engine {

enum class Definition : std::uint8_t {
  kSoftmax,    // softmax(Q K^T scale + mask) V
  kHashed,     // softmax over what hashes alike, times how often the two meet (CardsHashed.cpp)
  kLinearElu,  // phi(Q) (phi(K)^T V) / (phi(Q) phi(K)^T 1), phi(x) = elu(x) + 1, over the keys that the mask shows
};

// What an implementation computes.
[[nodiscard]] Definition definitionOf(std::string_view id);

// All float64; the gradients are undefined without an output gradient.
struct ReferenceResult {
  at::Tensor output;         // [B, Hq, N, V]
  at::Tensor queryGradient;  // [B, Hq, N, D]
  at::Tensor keyGradient;    // [B, Hk, M, D]
  at::Tensor valueGradient;  // [B, Hk, M, V]
};

// Called between blocks with the share that is done; false stops.
using KeepGoing = std::function<bool(double done)>;

// None when it was stopped. `outputGradient` may be undefined; gradients are those of kSoftmax alone. Throws
// c10::Error as ATen does.
[[nodiscard]] std::optional<ReferenceResult> referenceAttention(const Problem& problem, const Inputs& inputs,
                                                                Definition definition,
                                                                const at::Tensor& outputGradient = {},
                                                                const KeepGoing& keepGoing = {});

// What it needs beside the inputs. Saturates at the largest int64.
struct ReferenceMemory {
  std::int64_t resultBytes = 0;  // of one definition; kept until all are checked
  std::int64_t workBytes = 0;    // only while it is computed
};
[[nodiscard]] ReferenceMemory referenceMemory(const Problem& problem);

// How far `actual` is from `expected` (float64), over all values of all tensors together: |a - e| / |e| in L2, and the
// largest |a - e|. `finite` is false where `actual` holds NaN or infinity; the distances are then of no use.
struct Distance {
  double relativeL2 = 0;
  double maxAbs = 0;
  bool finite = true;
};
[[nodiscard]] Distance distanceOf(std::span<const at::Tensor> actual, std::span<const at::Tensor> expected);

}  // namespace attnscope::engine
