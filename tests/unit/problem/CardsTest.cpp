// SPDX-License-Identifier: Apache-2.0
#include "core/problem/Cards.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "core/problem/Formulas.h"
#include "core/problem/Validation.h"
#include "tests/unit/problem/RandomProblem.h"

namespace attnscope {
namespace {

using testing::HasSubstr;

constexpr std::int64_t kKiB = 1024;

// The shape of the measured peaks.
Problem measured() {
  Problem problem;
  problem.heads = 4;
  problem.keyValueHeads = 4;
  problem.queryLength = 512;
  problem.keyValueLength = 512;
  problem.mask = NoMask{};
  return problem;
}

CardFigures figures(std::string_view id, const Problem& problem, CardConditions conditions = {}) {
  return figuresOf(*findCard(id), problem, conditions);
}

std::int64_t peak(std::string_view id, const Problem& problem, CardConditions conditions = {}) {
  return figures(id, problem, conditions).predictedPeakBytes.value_or(-1);
}

std::string refused(std::string_view id, const Problem& problem) {
  return refusalOf(*findCard(id), problem, DeviceKind::kCpu).value_or("");
}

TEST(CardsTest, AreThoseOfTheContractInItsOrder) {
  std::vector<std::string> ids;
  for (const Card& card : cards()) ids.emplace_back(card.id);
  EXPECT_THAT(ids, testing::ElementsAre("naive.plain", "naive.inplace", "naive.fp32", "sdpa.math", "sdpa.flash",
                                        "sdpa.efficient", "sdpa.cudnn", "blockwise.aten", "own.fused", "own.decode",
                                        "window.blocks", "sparse.blocks", "chunked.plain", "linear.elu", "lsh.reformer",
                                        "mla.absorbed", "mla.plain", "gqa.repeat", "decode.cat", "decode.preallocated",
                                        "decode.paged", "ring.threads", "byo.script", "byo.package"));
  EXPECT_EQ(std::set<std::string>(ids.begin(), ids.end()).size(), ids.size());
  EXPECT_EQ(findCard("none"), nullptr);
  EXPECT_EQ(familyOf("naive.plain"), "naive");
}

TEST(CardsTest, WhatRunsNowIsBuiltAndTheRestSaysWhyNot) {
  const std::set<std::string_view> planned = {"sdpa.efficient", "sdpa.cudnn"};
  for (const Card& card : cards()) {
    EXPECT_EQ(card.notBuilt.empty(), planned.count(card.id) == 0) << card.id;
    EXPECT_FALSE(card.title.empty());
    EXPECT_FALSE(card.complexity.empty());
    EXPECT_FALSE(textOf(card.group).title.empty());
    if (!card.notBuilt.empty()) {
      EXPECT_FALSE(refused(card.id, Problem{}).empty());
    }
  }
  EXPECT_EQ(refused("sdpa.cudnn", Problem{}), "Needs CUDA; this version runs on the CPU only.");
  EXPECT_EQ(refusalOf(*findCard("naive.plain"), Problem{}, DeviceKind::kCuda),
            "Runs on the CPU only in this version. Choose the device cpu.");
  EXPECT_EQ(deviceKindOf("cuda:1"), DeviceKind::kCuda);
  EXPECT_FALSE(deviceKindOf("tpu"));
  EXPECT_FALSE(deviceKindOf("cuda:"));
  EXPECT_FALSE(deviceKindOf("cuda:first"));
}

TEST(CardsTest, RefusalsSayWhatToChange) {
  Problem problem;
  EXPECT_EQ(refused("naive.plain", problem), "");
  EXPECT_EQ(refused("window.blocks", problem), "Needs a window, not this mask. Use the mask window.");
  EXPECT_EQ(refused("gqa.repeat", problem),
            "Needs fewer key/value heads than the 8 heads: there is nothing to repeat.");
  problem.valueHeadSize = 32;
  EXPECT_EQ(refused("sdpa.flash", problem), "Needs value heads as large as key heads: 32 is not 64. Use sdpa.math.");
  EXPECT_EQ(refused("sdpa.math", problem), "");
  problem = {};
  problem.dtype = DataType::kFloat64;
  EXPECT_THAT(refused("naive.fp32", problem), HasSubstr("Use naive.plain."));
  problem = {};
  problem.keyValueLength = 7;
  EXPECT_THAT(refused("linear.elu", problem), HasSubstr("as many queries as keys, not 1024 and 7"));
  problem = {};
  problem.pass = Pass::kForwardBackward;
  EXPECT_THAT(refused("naive.inplace", problem), HasSubstr("Run it forward only."));
  EXPECT_EQ(refused("naive.plain", problem), "");
  problem = {};
  problem.dropout = 0.1;
  EXPECT_EQ(refused("sdpa.math", problem), "");
  EXPECT_EQ(refused("sdpa.flash", problem),
            "LibTorch's fused operator drops no probabilities. Use naive.plain or sdpa.math, or a dropout of 0.");
  problem = {};
  problem.softcap = 30;
  EXPECT_EQ(refused("blockwise.aten", problem), "");
  EXPECT_EQ(refused("sdpa.math", problem), "LibTorch's operator has no softcap. Use naive.plain, or a softcap of 0.");
  problem = {};
  problem.sink = true;
  EXPECT_THAT(refused("sdpa.math", problem), HasSubstr("leave the sink out"));
  EXPECT_EQ(refused("sdpa.flash", problem), "") << "it gives the sums of its rows";
  EXPECT_THAT(refused("mla.absorbed", {}), HasSubstr("--latent"));
  EXPECT_THAT(refused("chunked.plain", {}), HasSubstr("--mask chunks:N"));
}

TEST(CardsTest, OwnKernelsComputeWhatTheVectorsOfRowsSee) {
  Problem problem;
  problem.queryLength = problem.keyValueLength = 64;
  const std::int64_t perPair = 2 * problem.heads * (problem.headSize + problem.valueHeadSize);
  // Eight rows a vector: the last of them sees 8, 16, 24... keys, and so all eight are computed for as many.
  CardConditions conditions;
  conditions.vectorRows = 8;
  EXPECT_EQ(figures("own.fused", problem, conditions).executedFlops, perPair * 8 * (8 * 8 * 9 / 2));
  // With matrix units 32 rows and 32 keys; the last panel has 16 rows where it needs no more.
  conditions.packsBFloat16 = true;
  EXPECT_EQ(figures("own.fused", problem, conditions).executedFlops, perPair * 8 * (8 * 8 * 9 / 2)) << "float32";
  problem.dtype = DataType::kBFloat16;
  EXPECT_EQ(figures("own.fused", problem, conditions).executedFlops, perPair * 32 * (32 + 64));
  problem.queryLength = problem.keyValueLength = 40;
  EXPECT_EQ(figures("own.fused", problem, conditions).executedFlops, perPair * (32 * 32 + 16 * 40));
  problem.queryLength = problem.keyValueLength = 64;
  problem.dtype = DataType::kFloat32;
  conditions.vectorRows = 1;
  EXPECT_EQ(figures("own.fused", problem, conditions).executedFlops, usefulFlops(problem));
  EXPECT_EQ(peak("own.fused", problem, conditions), outputBytes(problem));
  // One query of four heads that share a key head: computed row by row, and each key once for all.
  problem.queryLength = 1;
  problem.keyValueHeads = 2;
  problem.mask = NoMask{};
  conditions.vectorRows = 16;
  EXPECT_EQ(figures("own.decode", problem, conditions).executedFlops, usefulFlops(problem));
  EXPECT_GT(figures("own.fused", problem, conditions).executedFlops, usefulFlops(problem));
}

TEST(CardsTest, FlashSaysHowToReadSharedKeysOnce) {
  const auto advice = [](const Problem& problem) {
    return adviceOf(*findCard("sdpa.flash"), problem).value_or(std::string());
  };
  Problem problem;
  problem.batch = 3;
  problem.heads = 32;
  problem.keyValueHeads = 8;
  problem.queryLength = 1;
  problem.mask = CausalMask{CausalAlignment::kBottomRight};
  EXPECT_THAT(advice(problem), HasSubstr("q.view(3, 8, 4, 64)"));
  EXPECT_FALSE(adviceOf(*findCard("naive.plain"), problem));
  problem.mask = CausalMask{};
  EXPECT_EQ(advice(problem), "") << "its query sees one key: without a mask it would see all";
  problem.mask = NoMask{};
  EXPECT_NE(advice(problem), "");
  problem.alibi = true;
  EXPECT_EQ(advice(problem), "") << "a bias that each head has of its own";
  problem.alibi = false;
  problem.queryLength = 2;
  EXPECT_EQ(advice(problem), "");
  problem.queryLength = 1;
  problem.keyValueHeads = 32;
  EXPECT_EQ(advice(problem), "");
}

TEST(CardsTest, OwnKernelsSayWhatTheyDoNotCompute) {
  Problem problem;
  EXPECT_EQ(refused("own.fused", problem), "");
  EXPECT_EQ(refused("own.decode", problem), "Is for 1 to 16 queries, not 1024. Use own.fused.");
  problem.queryLength = 16;
  EXPECT_EQ(refused("own.decode", problem), "");
  problem.headSize = 512;
  EXPECT_THAT(refused("own.fused", problem), HasSubstr("at most 256 values, not 512"));
  problem = {};
  problem.dtype = DataType::kFloat64;
  EXPECT_THAT(refused("own.fused", problem), HasSubstr("not float64"));
  problem = {};
  problem.pass = Pass::kForwardBackward;
  EXPECT_THAT(refused("own.fused", problem), HasSubstr("Run it forward only."));
  problem = {};
  problem.dropout = 0.5;
  EXPECT_THAT(refused("own.fused", problem), HasSubstr("drops no probabilities"));
  problem.dropout = 0;
  problem.softcap = 20;
  problem.sink = problem.alibi = true;
  EXPECT_EQ(refused("own.fused", problem), "");
  EXPECT_EQ(peak("own.fused", problem), outputBytes(problem)) << "all of it inside the kernel";
}

// --- Peaks: figures measured with LibTorch 2.11.0 and a counting allocator ------------------------------------------

TEST(CardsTest, PeaksOfNaiveAreThoseMeasured) {
  Problem problem = measured();
  EXPECT_EQ(peak("naive.plain", problem), 12'800 * kKiB);
  EXPECT_EQ(peak("naive.inplace", problem), (4'096 + 512) * kKiB);
  EXPECT_EQ(peak("naive.fp32", problem), peak("naive.plain", problem)) << "in float32 they are the same";
  EXPECT_EQ(figures("naive.plain", problem).peakWords, "3 score matrices of 4.0 MiB + output of 512.0 KiB");
  EXPECT_EQ(figures("naive.plain", problem).heldBytes, 0);
  problem.mask = CausalMask{};
  EXPECT_EQ(peak("naive.plain", problem), (4 * 4'096 + 512) * kKiB);
  EXPECT_EQ(peak("naive.inplace", problem), (4'096 + 512) * kKiB) << "a mask in place costs nothing";
  EXPECT_EQ(figures("naive.plain", problem).heldBytes, 512 * 512);
  problem.keyValueHeads = 2;
  EXPECT_EQ(peak("naive.plain", problem), (4 * 4'096 + 512 + 1'024) * kKiB) << "keys and values repeated";
}

TEST(CardsTest, PeaksOfSdpaMathAreThoseMeasured) {
  Problem problem = measured();
  const auto inKiB = [](std::int64_t bytes) { return bytes / kKiB; };
  EXPECT_EQ(inKiB(peak("sdpa.math", problem)), 9'730);
  problem.keyValueHeads = 2;
  EXPECT_EQ(inKiB(peak("sdpa.math", problem)), 10'754);
  problem.mask = CausalMask{};
  EXPECT_EQ(inKiB(peak("sdpa.math", problem)), 11'778);
  problem.keyValueHeads = 4;
  EXPECT_EQ(inKiB(peak("sdpa.math", problem)), 10'754);
  problem.dtype = DataType::kBFloat16;
  EXPECT_EQ(inKiB(peak("sdpa.math", problem)), 12'290);
  problem.mask = NoMask{};
  EXPECT_EQ(inKiB(peak("sdpa.math", problem)), 11'266);
  problem.keyValueHeads = 2;
  EXPECT_EQ(inKiB(peak("sdpa.math", problem)), 11'778);
}

TEST(CardsTest, PeaksOfSdpaFlashAreThoseMeasured) {
  Problem problem = measured();
  EXPECT_EQ(peak("sdpa.flash", problem), 680'448);  // 664.5 KiB
  EXPECT_EQ(peak("sdpa.flash", problem, {2, false}), 680'448 + 147'968);
  problem.mask = CausalMask{};
  EXPECT_EQ(peak("sdpa.flash", problem), 680'448);
  problem.dtype = DataType::kBFloat16;
  EXPECT_EQ(peak("sdpa.flash", problem, {1, true}), 1'073'664);
  problem.keyValueHeads = 2;
  EXPECT_EQ(peak("sdpa.flash", problem, {1, true}), 811'520);
  EXPECT_EQ(peak("gqa.repeat", problem, {1, true}), 1'073'664 + 2 * 4 * 512 * 128);
  problem = measured();
  problem.heads = 8;
  problem.keyValueHeads = 8;
  problem.queryLength = 1000;
  problem.keyValueLength = 1000;
  problem.dtype = DataType::kFloat16;
  problem.mask = CausalMask{};
  EXPECT_EQ(peak("sdpa.flash", problem, {1, true}), 1'910'016);
}

TEST(CardsTest, PeaksGrowAsTheyShould) {
  Problem problem = measured();
  Problem longer = problem;
  longer.queryLength = longer.keyValueLength = 4096;
  const auto growth = [&](std::string_view id) {
    return static_cast<double>(peak(id, longer)) / static_cast<double>(peak(id, problem));
  };
  for (const auto* id : {"naive.plain", "naive.inplace", "sdpa.math"}) EXPECT_GT(growth(id), 50) << id;
  for (const auto* id : {"sdpa.flash", "blockwise.aten", "linear.elu"}) EXPECT_LT(growth(id), 9) << id;
  problem.mask = longer.mask = WindowMask{128, CausalAlignment::kTopLeft};
  EXPECT_LT(growth("window.blocks"), 9);
}

TEST(CardsTest, PeaksWithBackwardAreThoseMeasured) {
  Problem problem = measured();
  problem.pass = Pass::kForwardBackward;
  const auto inKiB = [&](std::string_view id) { return static_cast<double>(peak(id, problem)) / kKiB; };
  EXPECT_EQ(inKiB("naive.plain"), 13'312) << "where the softmax has the probabilities and two gradients of them";
  EXPECT_EQ(inKiB("naive.fp32"), 13'312);
  EXPECT_EQ(inKiB("sdpa.flash"), 2'824.25);
  problem.mask = CausalMask{};
  EXPECT_EQ(inKiB("naive.plain"), 16'896) << "of the forward, which a mask makes larger";
  EXPECT_EQ(inKiB("sdpa.math"), 14'336);
  problem.keyValueHeads = 2;
  problem.dtype = DataType::kBFloat16;
  EXPECT_EQ(inKiB("naive.fp32"), 20'224);
  EXPECT_EQ(inKiB("sdpa.math"), 14'080);
  EXPECT_EQ(inKiB("sdpa.flash"), 1'416.25);
  EXPECT_EQ(inKiB("gqa.repeat"), 2'184.25);
  problem.dtype = DataType::kFloat32;
  problem.mask = DocumentsMask{{200, 200, 112}, InsideDocument::kCausal};
  EXPECT_EQ(inKiB("chunked.plain"), 6'486);
  EXPECT_EQ(inKiB("sparse.blocks"), 6'412);
  EXPECT_GT(figures("sdpa.flash", problem).inputBytes, inputBytes(problem)) << "the gradient from above";
}

TEST(CardsTest, PeaksAreLeftOutWhereNobodyKnowsThemAndALeastIsGiven) {
  Problem problem;
  problem.pass = Pass::kForwardBackward;
  EXPECT_FALSE(figures("byo.script", problem).predictedPeakBytes);
  EXPECT_EQ(figures("byo.script", problem).leastPeakBytes, outputBytes(problem) + inputBytes(problem));
  EXPECT_EQ(figures("naive.plain", problem).leastPeakBytes, figures("naive.plain", problem).predictedPeakBytes);
  EXPECT_EQ(figures("naive.inplace", problem).peakWords, "not predicted with backward");
  problem = {};
  problem.softcap = 10;
  EXPECT_FALSE(figures("linear.elu", problem).predictedPeakBytes);
  EXPECT_TRUE(figures("naive.plain", problem).predictedPeakBytes);
  EXPECT_FALSE(figures("sdpa.cudnn", Problem{}).predictedPeakBytes);
}

// Entries saturate.
TEST(CardsTest, PeaksOfAnyLengthAreFinite) {
  Problem problem;
  problem.pass = Pass::kForwardBackward;
  problem.batch = 4096;
  problem.heads = problem.keyValueHeads = 128;
  problem.queryLength = problem.keyValueLength = 1 << 17;
  for (const Mask& mask : std::vector<Mask>{NoMask{}, CausalMask{}, WindowMask{4096, CausalAlignment::kTopLeft}}) {
    problem.mask = mask;
    for (const Card& card : cards()) {
      const CardFigures known = figuresOf(card, problem, {});
      if (known.predictedPeakBytes) {
        EXPECT_GE(*known.predictedPeakBytes, outputBytes(problem)) << card.id;
      }
    }
  }
}

// --- Work
// ----------------------------------------------------------------------------------------------------------------

TEST(CardsTest, NobodyExecutesLessThanIsUseful) {
  RandomProblems problems(5);
  for (int trial = 0; trial < 2000; ++trial) {
    Problem problem = problems.next();
    problem.pass = Pass::kForward;
    problem.queryLength += 300;  // several blocks
    if (std::holds_alternative<DocumentsMask>(problem.mask)) problem.mask = NoMask{};
    ASSERT_FALSE(hasError(validate(problem)));
    for (const Card& card : cards()) {
      const CardFigures known = figuresOf(card, problem, {});
      EXPECT_GT(known.minimumBytes, 0);
      if (known.executedFlops) {
        EXPECT_GE(*known.executedFlops, known.usefulFlops) << card.id << describe(problem);
      }
      if (!known.predictedPeakBytes) continue;
      EXPECT_GE(*known.predictedPeakBytes, outputBytes(problem)) << card.id;
    }
  }
}

TEST(CardsTest, FlashSkipsTheBlocksThatCausalHides) {
  Problem problem;  // 1024 queries in blocks of 256, keys in blocks of 512
  const std::int64_t pairs = 256ll * (512 + 512 + 1024 + 1024);
  EXPECT_EQ(figures("sdpa.flash", problem).executedFlops, 2 * 8 * pairs * 128);
  problem.mask = WindowMask{64, CausalAlignment::kTopLeft};
  EXPECT_EQ(figures("sdpa.flash", problem).executedFlops, 2ll * 8 * 1024 * 1024 * 128) << "other masks skip nothing";
  EXPECT_EQ(figures("sdpa.flash", problem).heldBytes, 4ll * 1024 * 1024) << "and are a matrix";
}

TEST(CardsTest, BlocksSkipWhatIsHidden) {
  Problem problem;
  const std::int64_t causal = 256ll * 256 * (1 + 2 + 3 + 4);
  EXPECT_EQ(figures("blockwise.aten", problem).executedFlops, 2 * 8 * causal * 128);
  problem.mask = WindowMask{128, CausalAlignment::kTopLeft};
  EXPECT_EQ(windowQueryBlock(problem), 16) << "a tenth of the window, in sixteens";
  std::int64_t window = 0;
  for (std::int64_t last = 15; last < 1024; last += 16) window += 16 * std::min<std::int64_t>(last + 1, 128 + 15);
  EXPECT_EQ(figures("window.blocks", problem).executedFlops, 2 * 8 * window * 128);
}

TEST(CardsTest, LinearCountsItsOwnFunction) {
  Problem problem;
  problem.mask = NoMask{};
  EXPECT_EQ(figures("linear.elu", problem).usefulFlops, 4ll * 8 * 1024 * 64 * 64);
  EXPECT_EQ(findCard("linear.elu")->exactness, Exactness::kApproximate);
  EXPECT_EQ(errorLimit(DataType::kBFloat16), 1e-2);
}

}  // namespace
}  // namespace attnscope
