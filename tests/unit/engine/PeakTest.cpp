// SPDX-License-Identifier: Apache-2.0
// What the cards predict that one call allocates, against what it does.

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "ProblemMatrix.h"
#include "core/engine/CountingAllocator.h"
#include "core/engine/Threads.h"
#include "core/engine/Work.h"
#include "core/engine/implementations/Registry.h"
#include "core/problem/Cards.h"

namespace attnscope::engine {
namespace {

Problem with(Shape shape, const Mask& mask, DataType type, Layout layout = Layout::kBhnd) {
  Problem problem = problemOf(shape);
  problem.mask = mask;
  problem.dtype = type;
  problem.layout = layout;
  return problem;
}

// Of each implementation that can run them.
std::vector<Problem> measuredProblems() {
  const CausalMask causal{};
  const CausalMask bottomRight{CausalAlignment::kBottomRight};
  const WindowMask window{64, CausalAlignment::kTopLeft};
  return {
      with({1, 4, 4, 512, 512, 64, 64}, NoMask{}, DataType::kFloat32),
      with({1, 4, 4, 512, 512, 64, 64}, causal, DataType::kFloat32),
      with({1, 8, 2, 384, 384, 64, 64}, causal, DataType::kFloat32),
      with({2, 4, 4, 300, 300, 32, 32}, causal, DataType::kBFloat16),
      with({1, 4, 2, 256, 777, 64, 64}, bottomRight, DataType::kFloat32),
      with({1, 4, 4, 333, 1000, 48, 48}, NoMask{}, DataType::kFloat16),
      with({2, 4, 1, 512, 512, 64, 64}, causal, DataType::kFloat32, Layout::kBnhd),
      with({2, 4, 4, 512, 512, 64, 64}, causal, DataType::kFloat32, Layout::kBnhd),
      with({1, 2, 2, 401, 401, 64, 64}, causal, DataType::kFloat64),
      with({1, 6, 3, 1024, 1024, 64, 64}, causal, DataType::kBFloat16),
      with({1, 8, 4, 512, 512, 64, 64}, NoMask{}, DataType::kFloat32),
      with({2, 4, 2, 300, 300, 64, 64}, causal, DataType::kFloat16),
      with({1, 4, 4, 900, 900, 64, 64}, NoMask{}, DataType::kFloat32, Layout::kBnhd),
      with({1, 4, 4, 640, 640, 64, 32}, causal, DataType::kFloat32),
      with({1, 4, 4, 1024, 1024, 64, 64}, window, DataType::kFloat32),
      with({1, 4, 2, 1024, 1024, 64, 64}, window, DataType::kFloat32),
      with({2, 4, 4, 1000, 1000, 32, 32}, window, DataType::kBFloat16),
      with({2, 4, 4, 512, 512, 64, 64}, window, DataType::kFloat32, Layout::kBnhd),
      with({1, 2, 2, 300, 300, 64, 64}, WindowMask{300, CausalAlignment::kTopLeft}, DataType::kFloat64),
      with({1, 4, 4, 512, 900, 64, 32}, WindowMask{100, CausalAlignment::kBottomRight}, DataType::kFloat32),
      with({1, 8, 1, 2000, 2000, 32, 32}, WindowMask{32, CausalAlignment::kTopLeft}, DataType::kFloat16),
      with({1, 4, 4, 777, 777, 64, 64}, WindowMask{17, CausalAlignment::kTopLeft}, DataType::kFloat32, Layout::kBnhd),
  };
}

std::int64_t measuredPeak(const Problem& problem, const ImplementationEntry& entry) {
  const SharedInputs inputs = makeSharedInputs(problem);
  const Work work(problem, inputs, entry.make(problem));
  CountingAllocator counting;
  counting.restart();
  static_cast<void>(work.call());
  const std::int64_t peak = counting.peakBytes();
  EXPECT_EQ(counting.aliveBytes(), 0) << entry.id;
  return peak;
}

class Peak : public testing::TestWithParam<const char*> {};

TEST_P(Peak, IsWithinTwoPercentOfTheFormula) {
  ASSERT_TRUE(useThreads(1).has_value());
  const ImplementationEntry entry = *findImplementation(GetParam());
  int measured = 0;
  double worst = 0;
  for (const Problem& problem : measuredProblems()) {
    if (refusalHere(entry.id, problem, "cpu")) continue;
    const auto predicted = figuresOf(*findCard(entry.id), problem, conditionsHere(1)).predictedPeakBytes;
    ASSERT_TRUE(predicted.has_value());
    const std::int64_t peak = measuredPeak(problem, entry);
    const double ratio = static_cast<double>(peak) / static_cast<double>(*predicted);
    EXPECT_NEAR(ratio, 1.0, 0.02) << describe(problem) << " " << toString(problem.layout) << ": measured "
                                  << static_cast<double>(peak) / 1024 << " KiB, predicted "
                                  << static_cast<double>(*predicted) / 1024 << " KiB";
    worst = std::max(worst, std::abs(ratio - 1));
    ++measured;
  }
  std::printf("%s: %d shapes, worst %.2f %% off\n", entry.id, measured, worst * 100);
  EXPECT_GE(measured, 8);
}

INSTANTIATE_TEST_SUITE_P(Implementations, Peak,
                         testing::Values("naive.plain", "naive.inplace", "naive.fp32", "sdpa.math", "sdpa.flash",
                                         "blockwise.aten", "window.blocks", "linear.elu", "gqa.repeat"),
                         [](const auto& test) {
                           std::string name = test.param;
                           for (char& letter : name) letter = letter == '.' ? '_' : letter;
                           return name;
                         });

}  // namespace
}  // namespace attnscope::engine
