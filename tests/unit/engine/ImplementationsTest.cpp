// SPDX-License-Identifier: Apache-2.0
#include <ATen/ops/allclose.h>
#include <ATen/ops/equal.h>
#include <c10/core/InferenceMode.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "core/engine/TransformerBlock.h"
#include "core/engine/implementations/Registry.h"

namespace attnscope::engine {
namespace {

// Attention by its definition, in double and one number at a time; batch 1.
at::Tensor byDefinition(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value, bool causal) {
  at::Tensor output = value.clone();
  const auto q = query.accessor<float, 4>();
  const auto k = key.accessor<float, 4>();
  const auto v = value.accessor<float, 4>();
  auto o = output.accessor<float, 4>();
  const std::int64_t length = query.size(2);
  const std::int64_t dimension = query.size(3);
  for (std::int64_t head = 0; head < query.size(1); ++head) {
    for (std::int64_t row = 0; row < length; ++row) {
      const std::int64_t visible = causal ? row + 1 : length;
      std::vector<double> weight(static_cast<std::size_t>(visible));
      double sum = 0;
      for (std::int64_t column = 0; column < visible; ++column) {
        double score = 0;
        for (std::int64_t d = 0; d < dimension; ++d) score += double{q[0][head][row][d]} * k[0][head][column][d];
        weight[static_cast<std::size_t>(column)] = std::exp(score / std::sqrt(static_cast<double>(dimension)));
        sum += weight[static_cast<std::size_t>(column)];
      }
      for (std::int64_t d = 0; d < dimension; ++d) {
        double total = 0;
        for (std::int64_t column = 0; column < visible; ++column) {
          total += weight[static_cast<std::size_t>(column)] / sum * v[0][head][column][d];
        }
        o[0][head][row][d] = static_cast<float>(total);
      }
    }
  }
  return output;
}

TEST(Implementations, EachGivesAttentionByItsDefinition) {
  const c10::InferenceMode noGradients;
  for (const bool causal : {true, false}) {
    const AttentionProblem problem{.batch = 1, .heads = 2, .sequence = 33, .headDimension = 16, .causal = causal};
    const at::Tensor query = randomNormal({1, 2, 33, 16}, 1.0, 1);
    const at::Tensor key = randomNormal({1, 2, 33, 16}, 1.0, 2);
    const at::Tensor value = randomNormal({1, 2, 33, 16}, 1.0, 3);
    const at::Tensor expected = byDefinition(query, key, value, causal);
    for (const ImplementationEntry& entry : implementations()) {
      const at::Tensor output = entry.make(problem)->forward(query, key, value);
      EXPECT_TRUE(at::allclose(output, expected, 1e-4, 1e-5)) << entry.id << (causal ? " causal" : "");
    }
  }
}

TEST(Implementations, IdsAreDistinct) {
  std::set<std::string> ids;
  for (const ImplementationEntry& entry : implementations()) EXPECT_TRUE(ids.insert(entry.id).second) << entry.id;
}

TEST(TransformerBlock, OneSeedGivesOneBlock) {
  const c10::InferenceMode noGradients;
  const AttentionProblem problem{.batch = 1, .heads = 2, .sequence = 8, .headDimension = 4, .causal = true};
  const at::Tensor input = randomNormal({1, 8, 8}, 1.0, 5);
  const auto outputOf = [&](std::uint64_t seed) {
    return TransformerBlock(problem, implementations().front().make(problem), seed).forward(input);
  };
  EXPECT_TRUE(at::equal(outputOf(1), outputOf(1)));
  EXPECT_FALSE(at::equal(outputOf(1), outputOf(2)));
}

}  // namespace
}  // namespace attnscope::engine
