// SPDX-License-Identifier: Apache-2.0
// The watched build of the kernels: the same results, and as many steps as the masks say, none twice, none missing.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <tuple>

#include "RandomAttention.h"

namespace attnscope::kernels {
namespace {

constexpr std::int64_t kAllStates = std::numeric_limits<std::int64_t>::max();

struct Watched {
  TestResult result;
  WatchedCall call;
  StepCount count;
};

Watched watchedResult(const TestProblem& problem, std::int64_t mostStates = kAllStates) {
  Watched watched;
  watched.result = kernelResult(problem, [&](AttentionKernel& kernel, const AttentionTensors& tensors) {
    watched.count = kernel.count();
    watched.call = kernel.roomToWatch(mostStates);
    kernel.watch(tensors, watched.call);
  });
  return watched;
}

class WatchedKernels : public testing::TestWithParam<Isa> {};

TEST_P(WatchedKernels, GiveTheSameAndRecordAsManyStepsAsTheFormulaSays) {
  constexpr std::uint64_t kProblems = 300;
  std::map<TileStep, std::int64_t> seen;
  for (std::uint64_t seed = 0; seed < kProblems; ++seed) {
    const TestProblem problem = drawnProblem(seed, GetParam());
    const Watched watched = watchedResult(problem);
    const TestResult ordinary = kernelResult(problem);
    ASSERT_EQ(distance(watched.result.output, ordinary.output), 0) << problem.words;
    ASSERT_EQ(watched.call.dropped, 0) << problem.words;
    ASSERT_EQ(static_cast<std::int64_t>(watched.call.records.size()), watched.count.steps) << problem.words;
    ASSERT_EQ(static_cast<std::int64_t>(watched.call.states.size()), watched.count.states) << problem.words;
    for (const TileRecord& record : watched.call.records) {
      ASSERT_GE(record.startNs, watched.call.startNs) << "a step that was never made: " << problem.words;
      ASSERT_LE(record.startNs, record.endNs);
      ASSERT_LE(record.endNs, watched.call.endNs);
      ASSERT_LT(record.worker, problem.options.workers);
      ASSERT_LT(record.firstQuery, record.endQuery);
      ASSERT_LE(record.endQuery, problem.shape.queryLength);
      ASSERT_LE(record.endKey, problem.shape.keyLength);
      ASSERT_EQ(record.states >= 0, record.step == TileStep::kSoftmax);
      ++seen[record.step];
    }
  }
  EXPECT_EQ(seen.size(), static_cast<std::size_t>(kTileSteps) - 1) << "each step but merges: their keys are too few";
}

// A row of a key head and a key.
using Pair = std::tuple<std::int32_t, std::int32_t, std::int64_t, std::int64_t>;

TEST_P(WatchedKernels, TilesHoldEachPairThatIsSeenOnce) {
  for (std::uint64_t seed = 1000; seed < 1040; ++seed) {
    const TestProblem problem = drawnProblem(seed, GetParam());
    const Watched watched = watchedResult(problem);
    std::map<TileStep, std::map<Pair, int>> held;
    for (const TileRecord& record : watched.call.records) {
      if (record.step != TileStep::kScores && record.step != TileStep::kWeightedSum) continue;
      for (std::int64_t row = record.firstRow; row < record.firstRow + record.rows; ++row) {
        for (std::int64_t key = record.firstKey; key < record.endKey; ++key) {
          ++held[record.step][{record.batch, record.keyValueHead, row, key}];
        }
      }
    }
    const AttentionShape& shape = problem.shape;
    for (const auto& [pair, times] : held[TileStep::kScores]) ASSERT_EQ(times, 1) << problem.words;
    ASSERT_EQ(held[TileStep::kScores], held[TileStep::kWeightedSum]) << problem.words;
    const std::int64_t group = shape.heads / shape.keyValueHeads;
    for (std::int64_t query = 0; query < shape.queryLength && !shape.blocks; ++query) {
      const KeyRange range = shape.ranges.empty() ? KeyRange{0, static_cast<std::int32_t>(shape.keyLength)}
                                                  : shape.ranges[static_cast<std::size_t>(query)];
      for (std::int64_t key = range.from; key < range.to; ++key) {
        ASSERT_TRUE(held[TileStep::kScores].contains({0, 0, query * group, key})) << problem.words;
      }
    }
  }
}

TEST_P(WatchedKernels, TheLastStateOfARowIsItsLogSumExp) {
  int compared = 0;
  for (std::uint64_t seed = 2000; seed < 2100; ++seed) {
    TestProblem problem = drawnProblem(seed, GetParam());
    problem.shape.sinks.clear();
    problem.options.workers = 1;  // the keys are not split
    const Watched watched = watchedResult(problem);
    const std::int64_t group = problem.shape.heads / problem.shape.keyValueHeads;
    std::map<std::int64_t, RowState> last;
    for (const TileRecord& record : watched.call.records) {
      for (std::int32_t i = 0; record.states >= 0 && i < record.rows; ++i) {
        const std::int64_t row = record.firstRow + i;
        const std::int64_t head = record.keyValueHead * group + row % group;
        const std::int64_t at = (record.batch * problem.shape.heads + head) * problem.shape.queryLength + row / group;
        last[at] = watched.call.states[static_cast<std::size_t>(record.states + i)];
      }
    }
    for (const auto& [at, state] : last) {
      const double expected = watched.result.logSumExp[static_cast<std::size_t>(at)];
      if (std::isinf(expected)) continue;  // a row that sees nothing in its tiles
      ASSERT_NEAR(state.largest + std::log(state.sum), expected, 1e-4 * std::max(1.0, std::abs(expected)))
          << problem.words;
      ++compared;
    }
  }
  EXPECT_GT(compared, 1000);
}

TEST_P(WatchedKernels, FullAttentionHasTheStepsOfItsFormula) {
  AttentionShape shape;
  shape.batch = 2;
  shape.heads = shape.keyValueHeads = 3;
  shape.queryLength = 960;
  shape.keyLength = 1024;
  const auto kernel = *AttentionKernel::make(
      shape, {.isa = GetParam(), .workers = 1, .method = Method::kTiles, .sizes = {.keyBlock = 256, .rowChunk = 480}});
  const TileLayout& layout = kernelTable(GetParam())->layouts[0];
  const std::int64_t panel = layout.lanes * layout.panelVectors;
  const std::int64_t panels = 480 / panel;
  EXPECT_EQ(kernel->count().steps, 2 * 3 * 2 * (2 + 4 * (1 + 3 * panels)));
  EXPECT_EQ(kernel->count().pairs, 2 * 3 * 960 * 1024);
}

// Keys that are split among workers: a merge for each row, after all parts.
TEST_P(WatchedKernels, RowsOfSplitKeysAreMergedOnceEach) {
  AttentionShape shape;
  shape.heads = 4;
  shape.queryLength = 2;
  shape.keyLength = 3000;
  shape.headSize = shape.valueHeadSize = 8;
  const std::vector<float> values(3000 * 8, 0.5F);
  std::vector<float> output(4 * 2 * 8);
  AttentionTensors tensors;
  tensors.query = {values.data(), 0, 16, 8};
  tensors.key = tensors.value = {values.data(), 0, 0, 8};
  tensors.output = {output.data(), 0, 16, 8};
  for (const Method method : {Method::kTiles, Method::kDots}) {
    const auto kernel = *AttentionKernel::make(shape, {.isa = GetParam(), .workers = 3, .method = method, .sizes = {}});
    WatchedCall call = kernel->roomToWatch(kAllStates);
    kernel->watch(tensors, call);
    ASSERT_EQ(static_cast<std::int64_t>(call.records.size()), kernel->count().steps);
    std::map<std::int32_t, int> merged;
    std::int64_t lastPart = 0;
    std::int64_t firstMerge = std::numeric_limits<std::int64_t>::max();
    for (const TileRecord& record : call.records) {
      if (record.step != TileStep::kMerge) {
        lastPart = std::max(lastPart, record.endNs);
        continue;
      }
      firstMerge = std::min(firstMerge, record.startNs);
      ++merged[record.firstRow];
      EXPECT_EQ(record.endKey, 3000);
    }
    EXPECT_EQ(merged.size(), 8u);
    for (const auto& [row, times] : merged) EXPECT_EQ(times, 1) << row;
    EXPECT_GE(firstMerge, lastPart);
    for (const float value : output) EXPECT_NEAR(value, 0.5, 1e-5);
  }
}

TEST_P(WatchedKernels, StatesAreKeptForAsManyItemsAsFit) {
  AttentionShape shape;
  shape.heads = shape.keyValueHeads = 4;
  shape.queryLength = shape.keyLength = 96;
  shape.headSize = shape.valueHeadSize = 8;
  const std::vector<float> values(4 * 96 * 8, 0.5F);
  std::vector<float> output(values.size());
  const TensorView view{values.data(), 0, 96 * 8, 8};
  AttentionTensors tensors;
  tensors.query = tensors.key = tensors.value = view;
  tensors.output = {output.data(), 0, 96 * 8, 8};
  const auto kernel =
      *AttentionKernel::make(shape, {.isa = GetParam(), .workers = 1, .method = Method::kTiles, .sizes = {}});
  WatchedCall call = kernel->roomToWatch(200);  // of two heads
  kernel->watch(tensors, call);
  EXPECT_EQ(call.states.size(), 192u);
  for (const TileRecord& record : call.records) {
    if (record.step != TileStep::kSoftmax) continue;
    EXPECT_EQ(record.states >= 0, record.keyValueHead < 2);
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, WatchedKernels, testing::ValuesIn(testedIsas()),
                         [](const auto& isa) { return testNameOf(isa.param); });

}  // namespace
}  // namespace attnscope::kernels
