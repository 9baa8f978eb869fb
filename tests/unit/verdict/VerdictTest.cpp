// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/compare/Verdict.h"

#include <QStringList>

#include <gtest/gtest.h>

namespace attnscope::ui {
namespace {

Comparison comparisonOf(const std::vector<std::int64_t>& kernelNs, std::uint64_t steps) {
  Comparison made;
  made.byDevice = true;
  for (const std::int64_t ns : kernelNs) {
    RunTotals totals;
    totals.kernelNs = ns;
    totals.deviceNs = ns;
    totals.hostSelfNs = ns / 2;
    made.totals.push_back(totals);
    made.titles.emplace_back("run");
    made.steps.push_back(steps);
  }
  return made;
}

CompareInput inputOf(const Comparison& comparison, VerdictScope scope = VerdictScope::kStep) {
  CompareInput input;
  input.scope = scope;
  for (std::size_t i = 0; i < comparison.totals.size(); ++i) {
    VerdictRun run;
    run.runNumber = static_cast<int>(i);
    run.letter = QChar(u'A' + static_cast<char16_t>(i));
    run.durationNs = 1'184'000;
    run.workNs = comparison.byDevice ? comparison.totals[i].kernelNs : comparison.totals[i].hostSelfNs;
    run.workCount = 20 - 10 * (i % 2);
    run.peakBytes = 601LL << 20;
    input.runs.push_back(run);
  }
  return input;
}

TEST(CompareVerdict, OneStepEachSaysLessAndThatThereIsNoInterval) {
  const Comparison comparison = comparisonOf({1'129'000, 487'600}, 1);
  const Verdict verdict = compareVerdict(inputOf(comparison), comparison);
  EXPECT_EQ(verdict.sentenceText(), QStringLiteral("B took 56.8 % less kernel time in one step"));
  EXPECT_EQ(verdict.note, QStringLiteral("One step each: no interval"));
  EXPECT_EQ(verdict.noteSign, VerdictSign::kInfo);
  // The figure alone is coloured.
  ASSERT_EQ(verdict.sentence.size(), 3u);
  EXPECT_EQ(verdict.sentence[1].text, QStringLiteral("56.8 % less"));
  EXPECT_EQ(verdict.sentence[1].tone, VerdictTone::kFaster);
  EXPECT_EQ(verdict.sentence[0].tone, VerdictTone::kPlain);
  EXPECT_EQ(verdict.badge, VerdictSign::kOk);
  EXPECT_EQ(verdict.badgeText, QStringLiteral("Comparable"));
}

TEST(CompareVerdict, SeveralStepsMakeAVerdict) {
  Comparison comparison = comparisonOf({1'000'000, 900'000}, 6);
  comparison.stepNs = {{100, 101, 99, 100, 102, 98}, {90, 91, 89, 90, 92, 88}};
  const Verdict verdict = compareVerdict(inputOf(comparison), comparison);
  EXPECT_EQ(verdict.sentenceText(), QStringLiteral("B took 10.0 % less kernel time a step"));
  EXPECT_TRUE(verdict.note.contains(QStringLiteral("6 and 6 steps, not in turns"))) << verdict.note.toStdString();
  comparison.stepNs = {{100, 101, 99, 100, 102, 98}, {100, 101, 99, 100, 102, 98}};
  EXPECT_EQ(compareVerdict(inputOf(comparison), comparison).sentenceText().left(4), QStringLiteral("The "))
      << "wider than 2 %: open";
}

// Runs of the lab that were measured each on its own: what was timed says more than one profiled step.
TEST(CompareVerdict, TimedCallsAreTheSamplesWhereAllWereMeasured) {
  Comparison comparison = comparisonOf({1'000'000, 100'000}, 1);
  comparison.callNs = {{400, 404, 396, 400, 408, 392}, {160, 161, 159, 160, 162, 158}};
  const Verdict verdict = compareVerdict(inputOf(comparison), comparison);
  EXPECT_EQ(verdict.sentenceText(), QStringLiteral("B took 60.0 % less time a call"));
  EXPECT_TRUE(verdict.note.contains(QStringLiteral("6 and 6 timed calls, not in turns"))) << verdict.note.toStdString();
  EXPECT_EQ(verdict.figures.front().title, QStringLiteral("Call, median"));
  EXPECT_EQ(verdict.figures.front().change, QStringLiteral("−60.0 %"));
  comparison.callNs[1] = {1600, 1610, 1590, 1600, 1620, 1580};
  EXPECT_EQ(compareVerdict(inputOf(comparison), comparison).sentenceText(),
            QStringLiteral("B took 4.00× the time of A a call"));
}

// The word for the figure and the sentence are of the same clock.
TEST(CompareVerdict, TheHeadlineNamesWhatItsSentenceIsOf) {
  Comparison comparison = comparisonOf({1'000'000, 100'000}, 1);
  Headline headline = headlineOf(comparison);
  EXPECT_EQ(headline.runs[1].figure, headline.figure);
  EXPECT_NE(headline.runs[1].sentence.find(headline.figure), std::string::npos);
  comparison.callNs = {{400, 404, 396, 400, 408, 392}, {160, 161, 159, 160, 162, 158}};
  headline = headlineOf(comparison);
  EXPECT_EQ(headline.runs[1].figure, "time of a call");
  EXPECT_EQ(headline.runs[1].sentence.find(headline.figure), std::string::npos);
  EXPECT_NE(headline.runs[1].sentence.find("time a call"), std::string::npos);
}

TEST(CompareVerdict, MoreSlowerAndRatios) {
  Comparison comparison = comparisonOf({1'000'000, 1'180'000}, 1);
  Verdict verdict = compareVerdict(inputOf(comparison), comparison);
  EXPECT_EQ(verdict.sentenceText(), QStringLiteral("B took 18.0 % more kernel time in one step"));
  EXPECT_EQ(verdict.sentence[1].tone, VerdictTone::kSlower);
  comparison = comparisonOf({1'000'000, 3'200'000}, 5);
  verdict = compareVerdict(inputOf(comparison), comparison);
  EXPECT_EQ(verdict.sentenceText(), QStringLiteral("B took 3.20× the kernel time of A in 5 steps"));
  EXPECT_EQ(verdict.note, QStringLiteral("5 profiled steps a side: no interval"));
}

TEST(CompareVerdict, TheSameIsNoDifference) {
  const Comparison comparison = comparisonOf({1'000'000, 1'000'100}, 0);
  const Verdict verdict = compareVerdict(inputOf(comparison, VerdictScope::kTrace), comparison);
  EXPECT_EQ(verdict.sentenceText(), QStringLiteral("B took the same kernel time as A in the whole trace"));
  EXPECT_EQ(verdict.note, QStringLiteral("One profiled trace each: no interval"));
}

TEST(CompareVerdict, WithoutDeviceWorkItIsHostTime) {
  Comparison comparison = comparisonOf({1'000'000, 500'000}, 0);
  comparison.byDevice = false;
  const Verdict verdict = compareVerdict(inputOf(comparison, VerdictScope::kRange), comparison);
  EXPECT_EQ(verdict.sentenceText(), QStringLiteral("B took 50.0 % less host time of operators in this range"));
  EXPECT_EQ(verdict.figures.front().title, QStringLiteral("Host self time"));
}

TEST(CompareVerdict, FiguresHoldBothValuesAndTheChange) {
  const Comparison comparison = comparisonOf({1'129'000, 487'600}, 1);
  CompareInput input = inputOf(comparison);
  input.runs[1].peakBytes = 185LL << 20;
  const Verdict verdict = compareVerdict(input, comparison);
  ASSERT_EQ(verdict.figures.size(), 4u);
  EXPECT_EQ(verdict.figures[0].values[1].text, QStringLiteral("487.6 µs"));
  EXPECT_EQ(verdict.figures[1].title, QStringLiteral("Peak memory"));
  EXPECT_EQ(verdict.figures[1].values[0].text, QStringLiteral("601 MiB"));
  EXPECT_EQ(verdict.figures[1].change, QStringLiteral("−69.2 %"));
  EXPECT_EQ(verdict.figures[3].change, QStringLiteral("−10"));
}

TEST(CompareVerdict, AnUnknownPeakIsADash) {
  const Comparison comparison = comparisonOf({1'000, 500}, 1);
  CompareInput input = inputOf(comparison);
  input.runs[1].peakBytes.reset();
  EXPECT_EQ(compareVerdict(input, comparison).figures[1].values[1].text, QStringLiteral("–"));
  input.runs[0].peakBytes.reset();
  EXPECT_EQ(compareVerdict(input, comparison).figures.size(), 3u);
}

TEST(CompareVerdict, DifferencesThatAreAllowedAreCounted) {
  Comparison comparison = comparisonOf({1'000'000, 500'000}, 1);
  comparison.comparable = Comparable::kReservations;
  comparison.reasons = {{"type", "float32", "bfloat16", "B moves half the bytes", 1, false}};
  EXPECT_EQ(compareVerdict(inputOf(comparison), comparison).badgeText, QStringLiteral("1 difference"));
  comparison.reasons.push_back({"device", "H100", "H200", "another device", 1, false});
  const Verdict verdict = compareVerdict(inputOf(comparison), comparison);
  EXPECT_EQ(verdict.badge, VerdictSign::kWarning);
  EXPECT_EQ(verdict.badgeText, QStringLiteral("2 differences"));
  EXPECT_EQ(verdict.badgeDetail, QStringLiteral("type, device"));
}

TEST(CompareVerdict, ARefusalHasNoFigureAnywhere) {
  Comparison comparison = comparisonOf({1'000'000, 500'000}, 1);
  comparison.comparable = Comparable::kNo;
  comparison.reasons = {{"mask", "causal", "none", "B computes twice the pairs", 1, true}};
  const Verdict verdict = compareVerdict(inputOf(comparison), comparison);
  EXPECT_EQ(verdict.sentenceText(), QStringLiteral("No verdict: A and B do different work"));
  EXPECT_EQ(verdict.badge, VerdictSign::kRefused);
  EXPECT_TRUE(verdict.figures.empty());
  for (const QChar character : verdict.sentenceText() + verdict.note + verdict.badgeText + verdict.badgeDetail) {
    EXPECT_FALSE(character.isDigit());
  }
}

TEST(CompareVerdict, OfThreeRunsTheBestIsNamed) {
  Comparison comparison = comparisonOf({1'129'000, 487'600, 800'700}, 1);
  Verdict verdict = compareVerdict(inputOf(comparison), comparison);
  EXPECT_EQ(verdict.sentenceText(), QStringLiteral("B took the least kernel time in one step, 56.8 % less than A"));
  EXPECT_EQ(verdict.figures[1].values[0].letter, QStringLiteral("C"));
  EXPECT_EQ(verdict.figures[1].change, QStringLiteral("−29.1 %"));
  comparison = comparisonOf({400'000, 487'600, 800'700}, 1);
  verdict = compareVerdict(inputOf(comparison), comparison);
  EXPECT_EQ(verdict.sentenceText(), QStringLiteral("A took the least kernel time in one step"));
}

TEST(SummaryVerdict, SaysHowBusyTheDeviceWas) {
  SummaryInput input;
  input.run.durationNs = 47'150'000;
  input.run.workNs = 31'910'000;
  input.run.workCount = 1'198;
  input.run.peakBytes = 2'093'796'557;
  input.scope = VerdictScope::kStep;
  input.scopeWords = QStringLiteral("step 6");
  input.hasDeviceWork = true;
  input.devices = 1;
  input.busyShare = 0.918;
  input.attentionNs = 2'720'000;
  input.notes = 5;
  const Verdict verdict = summaryVerdict(input);
  EXPECT_EQ(verdict.sentenceText(), QStringLiteral("GPU busy 91.8 % of step 6"));
  QStringList figures;
  for (const VerdictFigure& figure : verdict.figures)
    figures << figure.title + QLatin1Char(' ') + figure.values[0].text;
  EXPECT_EQ(figures, (QStringList{QStringLiteral("Step 47.15 ms"), QStringLiteral("Kernel time 31.91 ms"),
                                  QStringLiteral("Kernels 1\u202F198"), QStringLiteral("Fused attention 8.5 %"),
                                  QStringLiteral("Peak memory 1.95 GiB")}));
  EXPECT_EQ(verdict.badge, VerdictSign::kOk);
  EXPECT_EQ(verdict.badgeText, QStringLiteral("Nothing lost"));
  EXPECT_EQ(verdict.badgeDetail, QStringLiteral("5 notes"));
}

TEST(SummaryVerdict, OfACpuTraceAndOfWhatWasLost) {
  SummaryInput input;
  input.run.workNs = 21'200'000;
  input.operators = 135;
  input.lost = 12;
  input.repaired = 3;
  input.notes = 1;
  const Verdict verdict = summaryVerdict(input);
  EXPECT_EQ(verdict.sentenceText(), QStringLiteral("CPU trace: 21.20 ms in 135 operators"));
  EXPECT_EQ(verdict.badge, VerdictSign::kWarning);
  EXPECT_EQ(verdict.badgeText, QStringLiteral("12 lost, 3 repaired"));
  EXPECT_EQ(verdict.badgeDetail, QStringLiteral("1 note"));
}

}  // namespace
}  // namespace attnscope::ui
