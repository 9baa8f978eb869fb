// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/compare/TimedVerdict.h"

#include <gtest/gtest.h>

namespace attnscope::ui {
namespace {

// `perCallUs` of each implementation, with a spread of 0.2 % from round to round.
RunResult resultOf(const std::vector<double>& perCallUs, int rounds) {
  RunPlan plan;
  for (std::size_t i = 0; i < perCallUs.size(); ++i) {
    plan.implementations.push_back(i == 0 ? "naive.plain" : i == 1 ? "sdpa.flash" : "sdpa.math");
  }
  RunResult result = startedResult(plan);
  for (std::size_t i = 0; i < perCallUs.size(); ++i) {
    result.implementations[i].error = ErrorCheck{1e-7, 1e-6, 1e-5, "float64 reference", {}};
    result.implementations[i].peakBytes = static_cast<std::int64_t>(1 << 20) << (perCallUs.size() - i);
    for (int round = 0; round < rounds; ++round) {
      const double ns = perCallUs[i] * 1000 * (1 + 0.001 * ((round * 7) % 5 - 2));
      const auto whole = static_cast<std::int64_t>(ns * 10);
      result.implementations[i].samples.push_back({round, whole, whole, 10});
    }
  }
  result.completeRounds = rounds;
  return result;
}

std::string sentence(const Verdict& verdict) { return verdict.sentenceText().toStdString(); }

TEST(TimedVerdict, ClearCase) {
  const RunResult result = resultOf({2310, 1000}, 40);
  const Verdict verdict = timedVerdict(result, {{0, "A", 0}, {1, "B", 1}});
  EXPECT_EQ(sentence(verdict), "B is 2.31× faster than A");
  EXPECT_EQ(verdict.sentence[1].tone, VerdictTone::kFaster);
  EXPECT_TRUE(verdict.note.startsWith("95 % interval 2.")) << verdict.note.toStdString();
  EXPECT_TRUE(verdict.note.contains("40 pairs"));
  EXPECT_EQ(verdict.badge, VerdictSign::kOk);
  EXPECT_EQ(verdict.figures[0].change.toStdString(), "−56.7 %");
}

TEST(TimedVerdict, TheOtherWayRoundTellsTheSame) {
  const RunResult result = resultOf({2310, 1000}, 40);
  const Verdict verdict = timedVerdict(result, {{1, "B", 1}, {0, "A", 0}});
  EXPECT_EQ(sentence(verdict), "A is 2.31× slower than B");
  EXPECT_EQ(verdict.sentence[1].tone, VerdictTone::kSlower);
}

TEST(TimedVerdict, WithinNoiseAndTooFewRounds) {
  const Verdict same = timedVerdict(resultOf({1000, 1000}, 40), {{0, "A", 0}, {1, "B", 1}});
  EXPECT_EQ(sentence(same), "No difference seen between A and B");
  const Verdict few = timedVerdict(resultOf({2000, 1000}, 5), {{0, "A", 0}, {1, "B", 1}});
  EXPECT_EQ(sentence(few), "No verdict yet between A and B");
  EXPECT_TRUE(few.note.startsWith("Under 6 rounds: no interval"));
  const Verdict none = timedVerdict(resultOf({2000, 1000}, 0), {{0, "A", 0}, {1, "B", 1}});
  EXPECT_EQ(sentence(none), "No verdict: A and B were not both timed");
}

TEST(TimedVerdict, AnOpenVerdictOffersThePairsThatWouldSettleIt) {
  RunResult result = resultOf({1000, 1010}, 40);
  for (std::size_t i = 0; i < 40; ++i) {  // ratios between 0.9 and 1.12
    Sample& sample = result.implementations[1].samples[i];
    sample.threadCpuNs = sample.wallNs = sample.wallNs * static_cast<std::int64_t>(90 + 2 * ((i * 7) % 12)) / 100;
  }
  const Verdict verdict = timedVerdict(result, {{0, "A", 0}, {1, "B", 1}});
  EXPECT_TRUE(sentence(verdict).find("may be") != std::string::npos) << sentence(verdict);
  EXPECT_GT(verdict.morePairs, 40);
  EXPECT_EQ(timedVerdict(resultOf({2000, 1000}, 40), {{0, "A", 0}, {1, "B", 1}}).morePairs, 0);
}

TEST(TimedVerdict, DisturbedSamplesAreToldBesideTheVerdict) {
  RunResult result = resultOf({2000, 1000}, 40);
  for (std::size_t i = 25; i < 40; ++i) {
    for (ImplementationResult& each : result.implementations) {
      each.samples[i].threadCpuNs = each.samples[i].wallNs = each.samples[i].wallNs * 13 / 10;
    }
  }
  const Verdict verdict = timedVerdict(result, {{0, "A", 0}, {1, "B", 1}});
  EXPECT_EQ(sentence(verdict), "B is 2.00× faster than A") << "in turns, both slow down alike";
  EXPECT_EQ(verdict.badge, VerdictSign::kWarning);
  EXPECT_EQ(verdict.badgeText, QStringLiteral("Disturbed samples"));
  EXPECT_EQ(verdict.badgeDetail, QStringLiteral("A: slow-down; B: slow-down"));
}

TEST(TimedVerdict, ManyRunsNameTheFastest) {
  const RunResult result = resultOf({3000, 1000, 2000}, 40);
  const std::vector<TimedRun> runs{{0, "A", 0}, {1, "B", 1}, {2, "C", 2}};
  EXPECT_EQ(sentence(timedVerdict(result, runs)), "B is the fastest, 3.00× faster than A");
  const auto everyPair = timedVerdict(result, runs).everyPair;
  ASSERT_EQ(everyPair.size(), 3u);
  EXPECT_EQ(everyPair[0][1].text.toStdString(), "−66.7 %");
  EXPECT_EQ(everyPair[1][0].text.toStdString(), "3.00×");
  EXPECT_EQ(everyPair[1][0].tone, VerdictTone::kSlower);
  EXPECT_EQ(everyPair[2][2].text.toStdString(), "–");
  const std::vector<TimedRun> fastestFirst{{1, "B", 1}, {0, "A", 0}, {2, "C", 2}};
  EXPECT_EQ(sentence(timedVerdict(result, fastestFirst)), "No run is faster than B");
}

TEST(TimedVerdict, AWrongResultIsNotComparableInSilence) {
  RunResult result = resultOf({2000, 1000}, 40);
  result.implementations[1].error->relativeL2 = 0.5;
  EXPECT_EQ(timedVerdict(result, {{0, "A", 0}, {1, "B", 1}}).badge, VerdictSign::kWarning);
}

}  // namespace
}  // namespace attnscope::ui
