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

Problem inBlock(Problem problem) {
  problem.workload = Workload::kBlock;
  return problem;
}

Mask chunks(std::int64_t length, std::int64_t size) {
  DocumentsMask mask;
  mask.inside = InsideDocument::kCausal;
  for (std::int64_t left = length; left > 0; left -= mask.lengths.back()) mask.lengths.push_back(std::min(size, left));
  return mask;
}

Problem latent(Shape shape, const Mask& mask, DataType type, std::int64_t size, std::int64_t rope) {
  Problem problem = with(shape, mask, type);
  problem.latentSize = size;
  problem.ropeSize = rope;
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
      with({1, 4, 4, 640, 640, 64, 64}, chunks(640, 64), DataType::kFloat32),
      with({1, 4, 2, 700, 700, 64, 64}, chunks(700, 128), DataType::kFloat32),
      with({2, 4, 4, 600, 600, 32, 32}, chunks(600, 100), DataType::kBFloat16),
      with({1, 2, 2, 512, 512, 64, 64}, chunks(512, 256), DataType::kFloat64),
      with({2, 4, 4, 512, 512, 64, 64}, chunks(512, 64), DataType::kFloat32, Layout::kBnhd),
      with({1, 4, 4, 512, 512, 64, 64}, chunks(512, 64), DataType::kFloat32, Layout::kBnhd),
      with({1, 4, 4, 900, 900, 64, 32}, chunks(900, 300), DataType::kFloat32),
      with({1, 4, 1, 900, 900, 32, 32}, chunks(900, 90), DataType::kFloat16),
      with({1, 4, 4, 1000, 1000, 64, 64}, tableMask({1, 4, 4, 1000, 1000, 64, 64}, TableKind::kBoolean),
           DataType::kFloat32),
      with({1, 4, 4, 1, 4000, 64, 64}, NoMask{}, DataType::kFloat32),
      with({1, 8, 2, 1, 3000, 64, 64}, NoMask{}, DataType::kFloat32),
      with({2, 8, 2, 1, 2000, 64, 64}, bottomRight, DataType::kFloat32),
      with({1, 8, 2, 4, 1500, 64, 64}, bottomRight, DataType::kFloat32),
      with({1, 4, 4, 3, 2000, 128, 128}, bottomRight, DataType::kFloat32),
      with({3, 4, 1, 2, 1000, 64, 64}, bottomRight, DataType::kFloat32),
      with({1, 4, 4, 5, 1100, 64, 64}, bottomRight, DataType::kFloat64),
      with({1, 4, 4, 2, 5000, 64, 64}, WindowMask{1500, CausalAlignment::kBottomRight}, DataType::kFloat32),
      latent({1, 16, 16, 1, 2000, 96, 64}, NoMask{}, DataType::kFloat32, 128, 32),
      latent({1, 8, 8, 64, 500, 96, 64}, bottomRight, DataType::kFloat32, 128, 32),
      latent({2, 8, 8, 1, 700, 96, 64}, NoMask{}, DataType::kBFloat16, 256, 32),
      latent({1, 8, 8, 200, 200, 64, 64}, causal, DataType::kFloat32, 64, 16),
      latent({2, 4, 4, 100, 300, 64, 32}, bottomRight, DataType::kFloat64, 64, 16),
      latent({1, 8, 8, 16, 1000, 64, 64}, NoMask{}, DataType::kFloat16, 64, 0),
      latent({1, 4, 4, 300, 300, 64, 64}, causal, DataType::kFloat32, 32, 16),
      latent({3, 4, 4, 8, 900, 64, 64}, NoMask{}, DataType::kFloat32, 96, 16),
      inBlock(with({1, 4, 4, 512, 512, 64, 64}, causal, DataType::kFloat32)),
      inBlock(with({2, 8, 2, 300, 300, 32, 32}, causal, DataType::kFloat32)),
      inBlock(with({1, 4, 4, 256, 256, 64, 64}, NoMask{}, DataType::kBFloat16)),
      inBlock(with({1, 16, 16, 128, 128, 64, 64}, causal, DataType::kFloat32)),
      inBlock(with({1, 4, 4, 512, 512, 64, 64}, window, DataType::kFloat32)),
      inBlock(with({1, 4, 2, 256, 256, 64, 32}, NoMask{}, DataType::kFloat64)),
      inBlock(with({1, 4, 4, 512, 512, 64, 64}, causal, DataType::kFloat32, Layout::kBnhd)),
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
                                         "blockwise.aten", "own.fused", "own.decode", "window.blocks", "sparse.blocks",
                                         "chunked.plain", "linear.elu", "gqa.repeat", "mla.absorbed", "mla.plain",
                                         "decode.cat", "decode.preallocated", "decode.paged"),
                         [](const auto& test) {
                           std::string name = test.param;
                           for (char& letter : name) letter = letter == '.' ? '_' : letter;
                           return name;
                         });

}  // namespace
}  // namespace attnscope::engine
