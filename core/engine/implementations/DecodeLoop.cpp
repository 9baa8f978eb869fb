// SPDX-License-Identifier: Apache-2.0
#include "core/engine/implementations/DecodeLoop.h"

#include <ATen/ops/empty.h>

#include "core/engine/Extras.h"
#include "core/engine/Stage.h"

namespace attnscope::engine {

DecodeLoop::DecodeLoop(const Problem& problem) : m_problem(problem), m_sinks(sinkLogits(problem)) {}

at::Tensor DecodeLoop::biasOfStep(std::int64_t step, KeyRange tokens) const {
  if (!hasBias(m_problem)) return {};
  const at::Tensor bias = biasOf(m_problem, step, 1, {tokens});
  return bias.size(0) == 1 ? bias.unsqueeze(0)
                           : bias.view({1, m_problem.keyValueHeads, m_problem.groupSize(), tokens.size()});
}

at::Tensor DecodeLoop::call(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value) const {
  at::Tensor output = at::empty({query.size(0), query.size(1), query.size(2), value.size(3)}, query.options());
  const std::unique_ptr<Cache> cache = cacheOf(key, value);
  for (std::int64_t step = 0; step < m_problem.queryLength; ++step) {
    const std::int64_t token = prompt() + step;
    {
      const Stage stage("cache");
      cache->append(token, key.narrow(2, token, 1), value.narrow(2, token, 1));
    }
    const KeyRange tokens = keysSeenBy(m_problem, step);
    // The heads of a group side by side: one read of their keys serves them all.
    const at::Tensor heads = query.select(2, step).unflatten(1, {m_problem.keyValueHeads, m_problem.groupSize()});
    const FusedResult result = cache->attend(heads, tokens, biasOfStep(step, tokens));
    at::Tensor row = result.output.flatten(1, 2);
    if (m_sinks.defined()) {
      row = row.mul(shareBesideSink(result.rowSums.flatten(1, 2), m_sinks.squeeze(-1)).to(row.scalar_type()));
    }
    output.select(2, step).copy_(row);
  }
  return output;
}

}  // namespace attnscope::engine
