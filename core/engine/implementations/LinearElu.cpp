// SPDX-License-Identifier: Apache-2.0
#include "core/engine/implementations/LinearElu.h"

#include <ATen/ops/elu.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/zeros.h>

#include <algorithm>

#include "core/engine/Inputs.h"
#include "core/engine/Masks.h"
#include "core/engine/Stage.h"
#include "core/engine/implementations/Stages.h"
#include "core/problem/Cards.h"

namespace attnscope::engine {
namespace {

// What all keys so far leave behind.
struct State {
  at::Tensor products;  // [B, Hk, D, V]: sum of f(k)^T v
  at::Tensor features;  // [B, Hk, 1, D]: sum of f(k)
};

class LinearElu final : public Implementation {
 public:
  explicit LinearElu(const Problem& problem)
      : m_causal(isMasked(problem)), m_accumulator(accumulatorTypeOf(problem.dtype)) {}

  at::Tensor call(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value) const override {
    const at::Tensor queryFeatures = featuresOf(query);
    const at::Tensor keyFeatures = featuresOf(key);
    const at::Tensor values = value.to(m_accumulator);
    return m_causal ? inChunks(queryFeatures, keyFeatures, values, value.scalar_type())
                    : atOnce(queryFeatures, keyFeatures, values).to(value.scalar_type());
  }

 private:
  // elu(x) + 1, in the accumulator's type.
  [[nodiscard]] at::Tensor featuresOf(const at::Tensor& tensor) const {
    const Stage stage("features");
    // Contiguous whatever the layout, so that products of its chunks copy nothing.
    if (tensor.scalar_type() == m_accumulator) {
      at::Tensor features = at::empty(tensor.sizes(), tensor.options());
      return at::elu_out(features, tensor).add_(1);
    }
    at::Tensor features = tensor.to(m_accumulator, /*non_blocking=*/false, /*copy=*/true, at::MemoryFormat::Contiguous);
    return at::elu_(features).add_(1);
  }

  [[nodiscard]] static at::Tensor atOnce(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value) {
    State state;
    {
      const Stage stage("state");
      state.products = at::matmul(key.transpose(-2, -1), value);
      state.features = key.sum(-2, /*keepdim=*/true);
    }
    const at::Tensor products = repeatedHeads(state.products, query.size(1));
    const at::Tensor features = repeatedHeads(state.features, query.size(1));
    const Stage stage("weighted_sum");
    at::Tensor output = at::matmul(query, products);
    const at::Tensor sum = at::matmul(query, features.transpose(-2, -1));
    return output.div_(sum);
  }

  [[nodiscard]] static at::Tensor inChunks(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                                           at::ScalarType type) {
    at::Tensor output =
        at::empty({query.size(0), query.size(1), query.size(2), value.size(3)}, query.options().dtype(type));
    State state{.products = at::zeros({key.size(0), key.size(1), key.size(3), value.size(3)}, key.options()),
                .features = at::zeros({key.size(0), key.size(1), 1, key.size(3)}, key.options())};
    for (std::int64_t first = 0; first < query.size(2); first += kLinearChunk) {
      const std::int64_t length = std::min(kLinearChunk, query.size(2) - first);
      const at::Tensor keys = key.narrow(2, first, length);
      const at::Tensor values = value.narrow(2, first, length);
      at::Tensor target = output.narrow(2, first, length);
      putChunk(target, query.narrow(2, first, length), keys, values, state);
      const Stage stage("state");
      state.products.add_(at::matmul(keys.transpose(-2, -1), values));
      state.features.add_(keys.sum(-2, /*keepdim=*/true));
    }
    return output;
  }

  static void putChunk(at::Tensor& target, const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                       const State& state) {
    const std::int64_t heads = query.size(1);
    const at::Tensor keys = repeatedHeads(key, heads);
    const at::Tensor values = repeatedHeads(value, heads);
    const at::Tensor products = repeatedHeads(state.products, heads);
    const at::Tensor features = repeatedHeads(state.features, heads);
    at::Tensor scores = scoresOf(query, keys);
    {
      const Stage stage("mask");
      scores.tril_();
    }
    const Stage stage("weighted_sum");
    at::Tensor sums = at::matmul(query, products);
    sums.add_(at::matmul(scores, values));
    at::Tensor weights = at::matmul(query, features.transpose(-2, -1));
    weights.add_(scores.sum(-1, /*keepdim=*/true));
    target.copy_(sums.div_(weights));
  }

  bool m_causal;
  at::ScalarType m_accumulator;
};

}  // namespace

ImplementationEntry linearElu() {
  return {.id = "linear.elu", .make = [](const Problem& problem) -> std::unique_ptr<Implementation> {
            return std::make_unique<LinearElu>(problem);
          }};
}

}  // namespace attnscope::engine
