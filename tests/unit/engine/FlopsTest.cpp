// SPDX-License-Identifier: Apache-2.0
// What the cards say is executed, against the products that an implementation really makes: each operator that
// multiplies is counted by the sizes of its operands, the fused one by the blocks that its source goes over.

#include <ATen/record_function.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <set>
#include <string>
#include <string_view>

#include "ProblemMatrix.h"
#include "core/engine/Threads.h"
#include "core/engine/Work.h"
#include "core/engine/implementations/Registry.h"
#include "core/problem/Cards.h"

namespace attnscope::engine {
namespace {

std::atomic<std::int64_t> executed{0};

std::int64_t fusedPairs(std::int64_t queries, std::int64_t keys, bool causal) {
  if (!causal) return queries * keys;
  const std::int64_t block = std::min<std::int64_t>(queries >= 768 ? 256 : queries >= 192 ? 64 : 32, queries);
  std::int64_t pairs = 0;
  for (std::int64_t first = 0; first < queries; first += block) {
    const std::int64_t seen = std::min(first + block, keys);
    pairs += std::min(block, queries - first) * std::min((seen + 511) / 512 * 512, keys);
  }
  return pairs;
}

std::unique_ptr<at::ObserverContext> count(const at::RecordFunction& function) {
  const std::string_view name = function.name();
  const auto inputs = function.inputs();
  const auto sizes = [&](std::size_t i) { return inputs[i].toTensor().sizes(); };
  if (name == "aten::mm") executed += 2 * sizes(0)[0] * sizes(0)[1] * sizes(1)[1];
  if (name == "aten::bmm") executed += 2 * sizes(0)[0] * sizes(0)[1] * sizes(0)[2] * sizes(1)[2];
  if (name == "aten::baddbmm_") executed += 2 * sizes(1)[0] * sizes(1)[1] * sizes(1)[2] * sizes(2)[2];
  if (name == "aten::_scaled_dot_product_flash_attention_for_cpu") {
    const auto q = sizes(0);
    const std::int64_t pairs = fusedPairs(q[2], sizes(1)[2], inputs[4].toBool());
    executed += 2 * q[0] * q[1] * pairs * (q[3] + sizes(2)[3]);
  }
  if (name == "aten::_scaled_dot_product_flash_attention_for_cpu_backward") {  // of O, Q, K, V...: the first again
    const auto q = sizes(1);
    const std::int64_t pairs = fusedPairs(q[2], sizes(2)[2], inputs[7].toBool());
    executed += 2 * q[0] * q[1] * pairs * (3 * q[3] + 2 * sizes(3)[3]);
  }
  return nullptr;
}

std::int64_t executedBy(const Problem& problem, const ImplementationEntry& entry) {
  const SharedInputs inputs = makeSharedInputs(problem);
  const Work work(problem, inputs, entry.make(problem));
  executed = 0;
  const auto handle = at::addThreadLocalCallback(
      at::RecordFunctionCallback(count).needsInputs(true).scopes({at::RecordScope::FUNCTION}));
  static_cast<void>(work.call());
  at::removeCallback(handle);
  return executed;
}

std::vector<Problem> countedProblems() {
  const auto documents = [](std::int64_t length, std::int64_t chunk) {
    DocumentsMask mask;
    mask.inside = InsideDocument::kCausal;
    for (std::int64_t left = length; left > 0; left -= mask.lengths.back()) {
      mask.lengths.push_back(std::min(chunk, left));
    }
    return mask;
  };
  const Shape square{1, 4, 2, 1100, 1100, 32, 32};
  Problem latent = maskedProblem({2, 4, 4, 3, 500, 48, 32}, CausalMask{CausalAlignment::kBottomRight});
  latent.latentSize = 64;
  latent.ropeSize = 16;
  return {maskedProblem(square, NoMask{}),
          maskedProblem(square, CausalMask{}),
          maskedProblem(square, WindowMask{256, CausalAlignment::kTopLeft}),
          maskedProblem(square, documents(1100, 200)),
          maskedProblem(square, tableMask(square, TableKind::kBoolean)),
          maskedProblem({2, 2, 2, 300, 700, 16, 16}, CausalMask{CausalAlignment::kBottomRight}),
          maskedProblem({1, 4, 2, 5, 2000, 32, 32}, CausalMask{CausalAlignment::kBottomRight}),
          latent};
}

TEST(Flops, AreThoseOfTheCards) {
  ASSERT_TRUE(useThreads(1).has_value());
  std::set<std::string> counted;
  for (const Problem& problem : countedProblems()) {
    for (const ImplementationEntry& entry : implementations()) {
      if (familyOf(entry.id) == "own") continue;  // no operators: what they compute is their kernels' to count
      if (refusalHere(entry.id, problem, "cpu")) continue;
      const auto told = figuresOf(*findCard(entry.id), problem, conditionsHere(1)).executedFlops;
      ASSERT_TRUE(told.has_value()) << entry.id;
      const double ratio = static_cast<double>(executedBy(problem, entry)) / static_cast<double>(*told);
      EXPECT_GE(ratio, 0.9) << entry.id << ": " << describe(problem);
      EXPECT_LE(ratio, 1.1) << entry.id << ": " << describe(problem);
      counted.insert(entry.id);
    }
  }
  EXPECT_EQ(counted.size(), implementations().size() - 4) << "all but the own kernels and the person's code";
}

// Where the probabilities are stored, backward makes four products; a fused kernel makes the first once more.
TEST(Flops, OfABackwardAreThoseOfTheCards) {
  std::set<std::string> counted;
  for (Problem problem : countedProblems()) {
    if (problem.latentSize > 0) continue;
    problem.pass = Pass::kForwardBackward;
    for (const ImplementationEntry& entry : implementations()) {
      if (refusalHere(entry.id, problem, "cpu")) continue;
      const auto told = figuresOf(*findCard(entry.id), problem, conditionsHere(1)).executedFlops;
      ASSERT_TRUE(told.has_value()) << entry.id;
      const double ratio = static_cast<double>(executedBy(problem, entry)) / static_cast<double>(*told);
      EXPECT_GE(ratio, 0.99) << entry.id << ": " << describe(problem);
      EXPECT_LE(ratio, 1.01) << entry.id << ": " << describe(problem);
      counted.insert(entry.id);
    }
  }
  EXPECT_EQ(counted, (std::set<std::string>{"chunked.plain", "gqa.repeat", "naive.fp32", "naive.plain", "sdpa.flash",
                                            "sdpa.math", "sparse.blocks", "window.blocks"}));
}

TEST(Flops, OfAWindowAreThoseOfItsPairs) {
  const Problem problem = maskedProblem({1, 1, 1, 4096, 4096, 16, 16}, WindowMask{256, CausalAlignment::kTopLeft});
  const CardFigures window = figuresOf(*findCard("window.blocks"), problem, conditionsHere(1));
  EXPECT_LE(static_cast<double>(executedBy(problem, *findImplementation("window.blocks"))),
            1.1 * static_cast<double>(window.usefulFlops));
}

}  // namespace
}  // namespace attnscope::engine
