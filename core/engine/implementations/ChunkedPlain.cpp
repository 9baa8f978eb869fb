// SPDX-License-Identifier: Apache-2.0
#include "core/engine/implementations/ChunkedPlain.h"

#include <ATen/ops/empty.h>

#include <limits>

#include "core/engine/Extras.h"
#include "core/engine/Masks.h"
#include "core/engine/Stage.h"
#include "core/engine/implementations/Stages.h"

namespace attnscope::engine {
namespace {

class ChunkedPlain final : public Implementation {
 public:
  explicit ChunkedPlain(const Problem& problem)
      : m_problem(problem), m_chunk(chunkOf(problem).lengths.front()), m_sinks(sinkLogits(problem)) {
    // Distances within a chunk are the same in each.
    if (hasBias(problem)) m_bias = biasOf(problem, 0, m_chunk, {{0, m_chunk}}).unsqueeze(1);
    if (chunkOf(problem).inside == InsideDocument::kCausal) {
      m_hidden = hiddenKeys(problem, {.first = 0, .count = m_chunk}).narrow(1, 0, m_chunk).contiguous();
    }
  }

  at::Tensor call(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value) const override {
    at::Tensor output = at::empty({query.size(0), query.size(1), query.size(2), value.size(3)}, query.options());
    const std::int64_t whole = query.size(2) / m_chunk * m_chunk;
    if (whole > 0) putChunks(output, query, key, value, {.from = 0, .to = whole});
    if (whole < query.size(2)) putChunks(output, query, key, value, {.from = whole, .to = query.size(2)});
    return output;
  }

 private:
  static const DocumentsMask& chunkOf(const Problem& problem) { return std::get<DocumentsMask>(problem.mask); }

  // [B, H, n C, .] as [B, H, n, C, .], heads repeated: what lies in `range` is whole chunks, or one that is shorter.
  [[nodiscard]] at::Tensor inChunks(const at::Tensor& tensor, std::int64_t heads, KeyRange range) const {
    const std::int64_t length = std::min(m_chunk, range.size());
    return repeatedHeads(tensor.narrow(2, range.from, range.size()), heads)
        .unflatten(2, {range.size() / length, length});
  }

  void putChunks(at::Tensor& output, const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                 KeyRange range) const {
    const std::int64_t heads = query.size(1);
    const std::int64_t length = std::min(m_chunk, range.size());
    const at::Tensor keys = inChunks(key, heads, range);
    const at::Tensor values = inChunks(value, heads, range);
    at::Tensor scores = scoresOf(inChunks(query, heads, range), keys);
    {
      const Stage stage("scale");
      scores.mul_(m_problem.effectiveScale());
    }
    // Out of place: backward needs what tanh gave.
    if (m_problem.softcap > 0) scores = softcapped(scores, m_problem.softcap);
    if (m_bias.defined()) scores = withBias(scores, m_bias.narrow(-2, 0, length).narrow(-1, 0, length));
    if (m_hidden.defined()) {
      const Stage stage("mask");
      scores.masked_fill_(m_hidden.narrow(0, 0, length).narrow(1, 0, length), -std::numeric_limits<double>::infinity());
    }
    const at::Tensor probabilities = probabilitiesOf(scores);
    const at::Tensor sums = weightedSum(probabilities, values);
    at::Tensor target = output.narrow(2, range.from, range.size());
    target.copy_(
        (m_sinks.defined() ? sums.mul(shareBesideSink(rowSums(scores), m_sinks.unsqueeze(1))) : sums).flatten(2, 3));
  }

  Problem m_problem;
  std::int64_t m_chunk;
  at::Tensor m_sinks;
  at::Tensor m_bias;    // [1 or Hq, 1, C, C]
  at::Tensor m_hidden;  // [C, C]
};

}  // namespace

ImplementationEntry chunkedPlain() {
  return {.id = "chunked.plain", .make = [](const Problem& problem) -> std::unique_ptr<Implementation> {
            return std::make_unique<ChunkedPlain>(problem);
          }};
}

}  // namespace attnscope::engine
