// SPDX-License-Identifier: Apache-2.0
#pragma once

// One call of an implementation as a problem asks for it: attention alone or in a transformer block, forward or with
// backward; and what it should give, by the reference. One thread at a time.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/engine/Implementation.h"
#include "core/engine/Inputs.h"
#include "core/engine/Reference.h"
#include "core/engine/TransformerBlock.h"

namespace attnscope::engine {

// Made once for a problem and shared by all implementations. What the workload does not need is undefined.
struct SharedInputs {
  Inputs attention;
  at::Tensor blockInput;
  BlockWeights blockWeights;
  at::Tensor outputGradient;  // with backward
};
[[nodiscard]] SharedInputs makeSharedInputs(const Problem& problem);

// The output, then the gradients: of queries, keys and values, or of the block's input and weights.
using CallResult = std::vector<at::Tensor>;

class Work {
 public:
  Work(const Problem& problem, const SharedInputs& inputs, std::unique_ptr<Implementation> implementation);
  [[nodiscard]] CallResult call() const;
  [[nodiscard]] Inside* inside() const { return m_inside; }  // of its attention; null: none

 private:
  [[nodiscard]] at::Tensor forward() const;

  Problem m_problem;
  SharedInputs m_inputs;  // shares the tensors
  Inside* m_inside = nullptr;
  std::unique_ptr<Implementation> m_attention;
  std::unique_ptr<TransformerBlock> m_block;
};

// What call() should give, in float64 from the same rounded inputs. In a block with backward only the gradient of
// the input follows the output: it comes through all layers and stands for those of the weights. None when stopped.
[[nodiscard]] std::optional<CallResult> expectedResult(const Problem& problem, const SharedInputs& inputs,
                                                       Definition definition, const KeepGoing& keepGoing);

// The worse of the output's and the gradients'. Those are taken together, where both have them: one of them alone may
// be 0 but for rounding (of queries that see one key each).
[[nodiscard]] Distance distanceOf(const CallResult& actual, const CallResult& expected);

}  // namespace attnscope::engine
