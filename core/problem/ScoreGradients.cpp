// SPDX-License-Identifier: Apache-2.0
#include "core/problem/ScoreGradients.h"

namespace attnscope {

void writeSumsBack(Ledger& ledger, const ScoreMatrix& scores) {
  ledger.take(saturatingProduct({3, scores.one}));  // score - sum, its exp, times the gradient
  ledger.free(saturatingProduct({2, scores.one}));
  ledger.free(scores.one);  // the scores that were saved
}

void writeScoresBack(Ledger& ledger, const ScoreMatrix& scores) {
  ledger.use(scores.one);   // softmax
  ledger.free(scores.one);  // the probabilities
  if (scores.sums == SinkSums::kBeforeSoftmax) writeSumsBack(ledger, scores);
  if (scores.sums != SinkSums::kNone) ledger.free(scores.one);  // both ways end in one sum
  if (scores.masked) {
    ledger.use(scores.one);
    ledger.free(scores.hiddenBytes);
  }
  if (scores.softcap) {
    ledger.use(scores.one);   // times the cap
    ledger.use(scores.one);   // tanh
    ledger.free(scores.one);  // what it gave
    ledger.use(scores.one);   // divided by the cap
  }
  ledger.use(scores.one);  // scale
}

}  // namespace attnscope
