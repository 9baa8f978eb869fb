// SPDX-License-Identifier: Apache-2.0
#include "core/session/Statistics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "core/session/RunResult.h"

namespace attnscope {
namespace {

using testing::HasSubstr;

// Times with bursts of noise, as a loaded machine gives: no distribution that a test could assume.
class Times {
 public:
  explicit Times(unsigned seed) : m_random(seed) {}
  std::vector<double> draw(std::size_t count, double median, double spread) {
    std::vector<double> times;
    for (std::size_t i = 0; i < count; ++i) {
      const double burst = m_uniform(m_random) < 0.1 ? 1 + 3 * m_uniform(m_random) : 1;
      times.push_back(median * std::exp(spread * m_normal(m_random)) * burst);
    }
    return times;
  }

 private:
  std::mt19937 m_random;
  std::normal_distribution<double> m_normal;
  std::uniform_real_distribution<double> m_uniform{0, 1};
};

TEST(StatisticsTest, RanksAreThoseOfTheBinomialDistribution) {
  EXPECT_FALSE(intervalRank(0));
  EXPECT_FALSE(intervalRank(5));
  EXPECT_EQ(intervalRank(6), 1u);
  EXPECT_EQ(intervalRank(40), 13u);
  EXPECT_NEAR(coverageOf(40, 13), 0.983, 0.0005);
  EXPECT_NEAR(coverageOf(40, 14), 0.962, 0.0005);
  EXPECT_NEAR(coverageOf(6, 1), 0.96875, 1e-9);
  for (std::size_t n = 8; n <= 2000; n += 37) {
    const std::size_t rank = intervalRank(n).value();
    EXPECT_GE(coverageOf(n, rank), 0.98) << n;
    EXPECT_LT(coverageOf(n, rank + 1), 0.98) << n;
    EXPECT_LE(2 * rank, n);
  }
}

TEST(StatisticsTest, MediansAndQuartiles) {
  EXPECT_EQ(medianOf({}), 0);
  EXPECT_EQ(medianOf({3}), 3);
  EXPECT_EQ(medianOf({4, 1}), 2.5);
  EXPECT_EQ(medianOf({9, 1, 4}), 4);
  EXPECT_EQ(quantileOf({1, 2, 3, 4, 5}, 0.25), 2);
  EXPECT_EQ(quantileOf({1, 2}, 0.75), 1.75);
  const TimeStatistics few = statisticsOf(std::vector<double>{5, 1, 3});
  EXPECT_EQ(few.n, 3u);
  EXPECT_EQ(few.medianNs, 3);
  EXPECT_EQ(few.leastNs, 1);
  EXPECT_FALSE(few.lowNs) << "under 6 there is no interval";
  EXPECT_EQ(statisticsOf({}).n, 0u);
}

TEST(StatisticsTest, TheIntervalHoldsTheMedianAsOftenAsItSays) {
  Times times(11);
  int held = 0;
  constexpr int kTrials = 4000;
  // The median of the drawn distribution, from many draws.
  const double truth = medianOf(times.draw(400'000, 100, 0.1));
  for (int trial = 0; trial < kTrials; ++trial) {
    const TimeStatistics statistics = statisticsOf(times.draw(40, 100, 0.1));
    held += *statistics.lowNs <= truth && truth <= *statistics.highNs ? 1 : 0;
  }
  EXPECT_NEAR(static_cast<double>(held) / kTrials, 0.983, 0.008);
}

TEST(StatisticsTest, EqualOnesAreRarelyCalledDifferent) {
  Times times(12);
  int called = 0;
  constexpr int kTrials = 2000;
  for (int trial = 0; trial < kTrials; ++trial) {
    const PairedComparison comparison = comparePairs(times.draw(40, 100, 0.02), times.draw(40, 100, 0.02), {});
    called += comparison.verdict == TimingVerdict::kFaster || comparison.verdict == TimingVerdict::kSlower ? 1 : 0;
  }
  EXPECT_LT(static_cast<double>(called) / kTrials, 0.03);
}

TEST(StatisticsTest, DifferentOnesAreFound) {
  Times times(13);
  int found = 0;
  for (int trial = 0; trial < 500; ++trial) {
    const PairedComparison comparison = comparePairs(times.draw(40, 100, 0.02), times.draw(40, 95, 0.02), 0.006);
    found += comparison.verdict == TimingVerdict::kFaster ? 1 : 0;
    ASSERT_NE(comparison.verdict, TimingVerdict::kSlower);
  }
  EXPECT_GT(found, 450);
}

TEST(StatisticsTest, VerdictsAndTheirWords) {
  const std::vector<double> base(40, 100.0);
  const PairedComparison half = comparePairs(base, std::vector<double>(40, 50.0), 0.006);
  EXPECT_EQ(half.verdict, TimingVerdict::kFaster);
  EXPECT_NEAR(*half.ratio, 0.5, 1e-12);
  EXPECT_FALSE(half.pairsNeeded);
  EXPECT_EQ(half.method,
            "median of 40 paired log ratios, ranks 13 and 28 of 40 (98.3 %, held to be 95 %), noise floor 0.6 %, "
            "threshold 2 %");
  EXPECT_EQ(comparePairs(base, std::vector<double>(40, 200.0), {}).verdict, TimingVerdict::kSlower);

  // Inside the threshold it does not matter, however sure it is.
  EXPECT_EQ(comparePairs(base, std::vector<double>(40, 101.0), {}).verdict, TimingVerdict::kWithinNoise);
  EXPECT_EQ(comparePairs(base, std::vector<double>(40, 101.0), {}, 0.005).verdict, TimingVerdict::kSlower);
  // A difference that equal ones show as well says nothing.
  const PairedComparison noisy = comparePairs(base, std::vector<double>(40, 103.0), 0.05);
  EXPECT_EQ(noisy.verdict, TimingVerdict::kInconclusive);
  EXPECT_THAT(noisy.lowered, HasSubstr("noise floor is 5.0 %"));
  EXPECT_GT(*noisy.pairsNeeded, 40u);

  const PairedComparison none = comparePairs(std::vector<double>(5, 1.0), std::vector<double>(5, 2.0), {});
  EXPECT_EQ(none.verdict, TimingVerdict::kNone);
  EXPECT_EQ(none.pairsNeeded, 6u);
  EXPECT_EQ(none.method, "5 pairs: an interval needs 6");
  EXPECT_EQ(comparePairs({}, {}, {}).verdict, TimingVerdict::kNone);
}

TEST(StatisticsTest, AWideIntervalSaysHowManyPairsWouldSettleIt) {
  Times times(14);
  const PairedComparison wide = comparePairs(times.draw(40, 100, 0.1), times.draw(40, 100, 0.1), 0.0, 0.01);
  ASSERT_EQ(wide.verdict, TimingVerdict::kInconclusive);
  ASSERT_TRUE(wide.pairsNeeded);
  // Settled when the interval excludes 1 or lies between the thresholds, whichever is nearer.
  const double median = std::log(*wide.ratio);
  const double half = std::max(median - std::log(*wide.lowRatio), std::log(*wide.highRatio) - median);
  const double wanted = std::max(std::abs(median), std::log(1.01) - std::abs(median));
  EXPECT_NEAR(static_cast<double>(*wide.pairsNeeded), std::max(41.0, 40 * std::pow(half / wanted, 2)), 1.5);
  // With a threshold as wide as the interval it is within noise.
  EXPECT_EQ(comparePairs(times.draw(40, 100, 0.001), times.draw(40, 100, 0.001), 0.0, 0.2).verdict,
            TimingVerdict::kWithinNoise);
}

TEST(StatisticsTest, NeighboursThatAgreeWidenTheInterval) {
  std::vector<double> base(40, 100.0);
  std::vector<double> apart;
  std::vector<double> together;
  for (int i = 0; i < 40; ++i) {
    const double off = 1 + i / 4;  // the same forty ratios in two orders
    apart.push_back(100 + (i % 2 == 0 ? off : -off));
    together.push_back(100 + ((i / 10) % 2 == 0 ? off : -off));
  }
  EXPECT_EQ(comparePairs(base, apart, {}).neighbours, 0);
  const PairedComparison bursts = comparePairs(base, together, {});
  EXPECT_GT(bursts.neighbours, 0.7);
  EXPECT_LT(*bursts.lowRatio, *comparePairs(base, apart, {}).lowRatio);
  EXPECT_THAT(bursts.method, HasSubstr("neighbours correlate"));
}

TEST(StatisticsTest, DisturbedSamplesLowerAVerdictThatHalvesDoNotShare) {
  // Throttled half-way, and only the second half differs.
  std::vector<double> base;
  std::vector<double> other;
  for (int i = 0; i < 40; ++i) {
    const bool slow = i >= 18;
    base.push_back((slow ? 130 : 100) + 0.1 * (i % 7));
    other.push_back(base.back() * (slow ? 1.06 : 1.004));
  }
  const PairedComparison lowered = comparePairs(base, other, 0.01);
  EXPECT_EQ(lowered.verdict, TimingVerdict::kInconclusive);
  EXPECT_THAT(lowered.lowered, HasSubstr("halves"));
  ASSERT_FALSE(lowered.ofBase.empty());
  EXPECT_EQ(lowered.ofBase.front().kind, DisturbanceKind::kThrottling);
  // Where both halves agree it stands, and the disturbance is still told.
  for (int i = 0; i < 40; ++i) other[static_cast<std::size_t>(i)] = base[static_cast<std::size_t>(i)] * 1.06;
  const PairedComparison kept = comparePairs(base, other, 0.001);
  EXPECT_EQ(kept.verdict, TimingVerdict::kSlower);
  EXPECT_TRUE(kept.isDisturbed());
}

TEST(StatisticsTest, TimesApartAreComparedEachWithEach) {
  Times times(15);
  int held = 0;
  int called = 0;
  constexpr int kTrials = 1000;
  for (int trial = 0; trial < kTrials; ++trial) {
    const PairedComparison comparison = compareApart(times.draw(9, 100, 0.03), times.draw(7, 100, 0.03));
    held += *comparison.lowRatio <= 1 && *comparison.highRatio >= 1 ? 1 : 0;
    called += comparison.verdict == TimingVerdict::kFaster || comparison.verdict == TimingVerdict::kSlower ? 1 : 0;
  }
  EXPECT_GE(held, kTrials * 96 / 100);
  EXPECT_LE(called, kTrials * 4 / 100);
  EXPECT_EQ(compareApart(times.draw(9, 100, 0.02), times.draw(9, 90, 0.02)).verdict, TimingVerdict::kFaster);
  const PairedComparison few = compareApart(times.draw(4, 100, 0.02), times.draw(9, 90, 0.02));
  EXPECT_EQ(few.verdict, TimingVerdict::kNone);
  EXPECT_EQ(few.method, "4 and 9 times: an interval needs 5 of each");
  EXPECT_EQ(compareApart({}, {}).verdict, TimingVerdict::kNone);
}

TEST(StatisticsTest, TheNoiseFloorIsTheWorstBlock) {
  std::vector<double> first(30, 100.0);
  std::vector<double> second(30, 100.0);
  for (std::size_t i = 10; i < 20; ++i) second[i] = 98;  // one block is off by 2 %
  EXPECT_NEAR(*noiseFloorOf(first, second, 10), 100.0 / 98 - 1, 1e-9);
  EXPECT_FALSE(noiseFloorOf(first, second, 31)) << "no whole block";
  EXPECT_FALSE(noiseFloorOf({}, {}, 0));
}

TEST(RunResultTest, PairsAreOfTheSameRound) {
  RunPlan plan;
  plan.implementations = {"naive.plain", "sdpa.flash"};
  plan.rounds = 10;
  RunResult result = startedResult(plan);
  for (int round = 0; round < 10; ++round) {
    const std::int64_t drift = 1000 * (round + 1);
    result.implementations[0].samples.push_back({round, 2 * drift, 2 * drift, 1});
    if (round != 4) result.implementations[1].samples.push_back({round, 2 * drift, 2 * drift, 2});
  }
  const PairedComparison comparison = comparedWithBaseline(result, 1);
  EXPECT_EQ(comparison.pairs, 9u);
  EXPECT_NEAR(*comparison.lowRatio, 0.5, 1e-12);
  EXPECT_NEAR(*comparison.highRatio, 0.5, 1e-12);
  EXPECT_EQ(comparison.verdict, TimingVerdict::kFaster);
}

TEST(RunResultTest, SharesOfTheRoofAreOfTheLowerOne) {
  RunPlan plan;
  plan.implementations = {"sdpa.flash"};
  plan.problem.mask = NoMask{};
  RunResult result = startedResult(plan);
  ImplementationResult& flash = result.implementations[0];
  EXPECT_FALSE(flopsPerSecond(flash, plan.metric())) << "no samples";
  EXPECT_EQ(flash.usefulFlops, 4ll * 8 * 1024 * 1024 * 64);
  flash.samples.push_back({0, flash.usefulFlops, flash.usefulFlops, 1});  // 1 FLOP a ns
  EXPECT_NEAR(*flopsPerSecond(flash, plan.metric()), 1e9, 1);
  EXPECT_FALSE(roofShare(result, flash)) << "no roof";
  result.environment.roofFlopsPerSecond = 4e9;
  EXPECT_NEAR(*roofShare(result, flash), 0.25, 1e-9);
  result.environment.roofBytesPerSecond = 1e6;  // so slow that it is the roof
  EXPECT_GT(*roofShare(result, flash), 1);
}

TEST(RunResultTest, CardsFillInWhatIsKnownBefore) {
  RunPlan plan;
  plan.implementations = {"naive.plain", "sdpa.cudnn", "no.such"};
  const RunResult result = startedResult(plan);
  EXPECT_TRUE(result.implementations[0].available);
  EXPECT_TRUE(result.implementations[0].predictedPeakBytes);
  EXPECT_FALSE(result.implementations[1].available);
  EXPECT_THAT(result.implementations[1].reason, HasSubstr("CUDA"));
  EXPECT_FALSE(result.implementations[2].available);
}

}  // namespace
}  // namespace attnscope
