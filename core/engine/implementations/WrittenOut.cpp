// SPDX-License-Identifier: Apache-2.0
#include "core/engine/implementations/WrittenOut.h"

#include "core/engine/Extras.h"
#include "core/engine/Stage.h"

namespace attnscope::engine {

WrittenOut::WrittenOut(const Problem& problem)
    : m_problem(problem), m_mask(storedMask(problem)), m_bias(storedBias(problem)), m_sinks(sinkLogits(problem)) {}

at::Tensor WrittenOut::dropped(const at::Tensor& probabilities, const at::Tensor& kept) const {
  const Stage stage("dropout");
  return probabilities.mul(kept).mul_(1.0 / (1.0 - m_problem.dropout));
}

at::Tensor WrittenOut::attend(const at::Tensor& query, const at::Tensor& keys, const at::Tensor& values) const {
  const at::Tensor raw = scoresOf(query, keys);
  const at::Tensor scores = scaled(raw, m_problem.effectiveScale());
  at::Tensor capped = scores;
  if (m_problem.softcap > 0) capped = softcapped(scores, m_problem.softcap);
  at::Tensor biased = capped;
  if (m_bias.defined()) biased = withBias(capped, m_bias);
  at::Tensor visible = biased;
  if (m_mask.hidden.defined()) visible = masked(biased, m_mask.hidden);
  at::Tensor share;
  if (m_sinks.defined()) share = shareBesideSink(rowSums(visible), m_sinks);
  const at::Tensor probabilities = probabilitiesOf(visible);
  at::Tensor kept;
  at::Tensor weights = probabilities;
  if (m_problem.dropout > 0) {
    kept = keptByDropout(m_problem);
    weights = dropped(probabilities, kept);
  }
  const at::Tensor rounded = converted(weights, values.scalar_type());
  at::Tensor output = weightedSum(rounded, values);
  if (share.defined()) output = output.mul(share.to(output.scalar_type()));
  clearRows(output, m_mask.emptyRows);
  return output;
}

}  // namespace attnscope::engine
