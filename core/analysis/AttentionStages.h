// SPDX-License-Identifier: Apache-2.0
#pragma once

// Calls of attention on the host, and which stage of attention each piece of their time belongs to.
//
// A call is forward work of one thread: an operator of fused attention (found by its name), or a chain of matmul,
// softmax and matmul (AttentionChains.h), with the operator of attention around it if there is one. The projections
// belong to it where shapes prove them: the matmuls before it whose results together have the elements of queries, keys
// and values (keys and values also by a whole factor fewer, which grouped queries repeat), all of them or none; and the
// next matmul after it, if it takes as many elements as attention returns. Matmuls of other sizes, another call and
// 40 operators that move anything end the search.
//
// Its time on the host is from the start of its first operator to the end of its last, its device time what the
// operators between launched. The outermost operator with a stage gives that stage to all below it; only copies under a
// matmul, a projection or a fused operator are `copy` (the bias that addmm copies is not). What has no stage (views,
// rotary embeddings, time of the program between operators) is `unattributed`. So stages add up to the call, exactly.
// The parts of a fused kernel cannot be told apart in a trace: all of it is `fused`.
//
// Pure functions, any thread. O(n) in the nodes and the device work.

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/analysis/Operators.h"
#include "core/base/TimeRange.h"

namespace attnscope {

enum class AttentionStage : std::uint8_t {
  kQkvProjection,
  kScores,
  kScale,
  kMask,
  kSoftmax,
  kDropout,
  kWeightedSum,
  kOutputProjection,
  kCopy,
  kFused,
  kUnattributed,
};
inline constexpr std::size_t kAttentionStageCount = 11;
[[nodiscard]] std::string_view toString(AttentionStage stage);  // "qkv_projection", "scores"...

// What tells that a call is attention.
enum class AttentionEvidence : std::uint8_t {
  kName,    // the name of a fused operator
  kShapes,  // a chain whose shapes fit
  kOrder,   // a chain without recorded shapes
};
[[nodiscard]] std::string_view toString(AttentionEvidence evidence);  // "name", "shapes", "order"

struct StageTime {
  std::int64_t hostNs = 0;
  std::int64_t deviceNs = 0;
  std::vector<SliceId> slices;  // operators that gave the stage, in order of start; none of `unattributed`
};

struct AttentionCall {
  // The operator of attention; of a chain that none encloses, its softmax.
  SliceId slice = kNoSlice;
  // "flash", "efficient", "cudnn", "flash-cpu", "overrideable", "math", "unfused"; "other": an operator of a library.
  std::string_view backend;
  AttentionEvidence evidence = AttentionEvidence::kName;
  StringId inputDims = kNoString;  // of that operator, or of the matmul of queries and keys; kNoString: not recorded
  TimeRange host;
  std::int64_t deviceNs = 0;
  std::uint64_t kernels = 0;
  std::array<StageTime, kAttentionStageCount> stages;  // sum up to `host` and `deviceNs`

  [[nodiscard]] const StageTime& stage(AttentionStage which) const { return stages[static_cast<std::size_t>(which)]; }
};

// Those that start in the scope, by thread and start.
[[nodiscard]] std::vector<AttentionCall> attentionCalls(const Trace& trace, const OperatorTree& tree,
                                                        TimeRange scope = TimeRange::all());

// Sums over calls; `slices` of all.
[[nodiscard]] std::array<StageTime, kAttentionStageCount> attentionTotals(const std::vector<AttentionCall>& calls);

}  // namespace attnscope
