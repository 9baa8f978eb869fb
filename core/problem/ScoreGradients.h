// SPDX-License-Identifier: Apache-2.0
#pragma once

// What autograd allocates and frees for the gradients of scores that are computed by ATen operators: shared by the
// cards of all implementations that write attention out, whole (CardsNaive.cpp) or in blocks (BlockPeaks.cpp). Each
// operator of the forward has one in the backward, in the order turned round; it takes a matrix and frees the one that
// came, and then what it had saved. O(1). Source: LibTorch 2.11.0, each allocation recorded.

#include <cstdint>

#include "core/problem/Ledger.h"

namespace attnscope {

// Where the sums of rows that a sink needs were computed, which is where their gradient does not come from.
enum class SinkSums : std::uint8_t { kNone, kBeforeSoftmax, kAfterSoftmax };

struct ScoreMatrix {
  std::int64_t one = 0;          // bytes of a matrix of scores
  std::int64_t hiddenBytes = 0;  // of its mask, where it was made for it
  SinkSums sums = SinkSums::kNone;
  bool masked = false;
  bool softcap = false;
};

// From the gradient of the probabilities, which is there and one matrix large, to that of the product of queries and
// keys, which takes its place. The probabilities, the mask, and with a softcap what tanh gave are freed on the way.
// Sums before the softmax: the scores that they saved too. Sums after it: writeSumsBack() came before.
void writeScoresBack(Ledger& ledger, const ScoreMatrix& scores);
// The gradient of the sums of rows to that of the scores: one matrix is there afterwards, to which the softmax's is
// added; the scores are freed.
void writeSumsBack(Ledger& ledger, const ScoreMatrix& scores);

}  // namespace attnscope
