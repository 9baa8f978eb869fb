// SPDX-License-Identifier: GPL-3.0-or-later
// What the lab says of a run, from runs made by hand.

#include <cmath>

#include <gtest/gtest.h>
#include <QLocale>

#include "ui/lab/LabFigures.h"

namespace attnscope::ui {
namespace {

RunPlan planOf(std::vector<std::string> ids, int rounds = 40) {
  RunPlan plan;
  plan.implementations = std::move(ids);
  plan.rounds = rounds;
  plan.noiseBlocks = 0;
  return plan;
}

class HandMadeRun {
 public:
  explicit HandMadeRun(RunPlan plan) { state.apply(RunStarted{std::move(plan)}); }
  void say(RunnerMessage message) { state.apply(MessageReceived{std::move(message)}); }
  void time(int from, int to) {
    for (int round = from; round < to; ++round) {
      say(PhaseMessage{RunPhase::kTime, {}, round});
      for (std::size_t i = 0; i < state.implementationCount(); ++i) {
        if (isOut(state.implementation(i).stage)) continue;
        // A takes 2 ms, B half of it, both with a little that differs by round.
        const std::int64_t ns = (i == 0 ? 2'000'000 : 1'000'000) + round % 5 * 1'000;
        say(SampleMessage{state.plan().implementations[i], {round, ns, ns, 1}});
      }
    }
  }
  [[nodiscard]] Matrix matrix() const {
    std::vector<ImplementationStage> stages;
    for (std::size_t i = 0; i < state.implementationCount(); ++i) stages.push_back(state.implementation(i).stage);
    return matrixOf(state.result(), stages, state.current());
  }
  RunState state;
};

ErrorCheck right() { return {2.1e-7, 1e-6, 1e-5, "float64 reference", {}}; }

TEST(Matrix, FillsAllRowsTogether) {
  HandMadeRun run(planOf({"naive.plain", "sdpa.flash"}));
  run.say(CheckedMessage{"naive.plain", right()});
  run.say(PeakMessage{"naive.plain", 101 << 20});
  EXPECT_EQ(run.matrix().rows[0].cells[kTime].text, QStringLiteral("–"));
  run.time(0, 22);
  const Matrix matrix = run.matrix();
  EXPECT_EQ(matrix.heads[kTime], QStringLiteral("Time µs"));
  EXPECT_EQ(matrix.note, QStringLiteral("median of 22 rounds, 95 % interval"));
  const MatrixRow& a = matrix.rows[0];
  EXPECT_EQ(a.letter, QStringLiteral("A"));
  EXPECT_EQ(a.title, QStringLiteral("Naive"));
  EXPECT_EQ(a.state, QStringLiteral("timing"));
  EXPECT_EQ(a.cells[kTime].text, QStringLiteral("2 002.0").replace(u' ', QChar(0x202F)));
  EXPECT_EQ(a.cells[kVersus].text, QStringLiteral("1.00×"));
  EXPECT_EQ(a.cells[kPeak].text, QStringLiteral("101"));
  EXPECT_EQ(a.cells[kError].text, QStringLiteral("2.1e-7"));
  const MatrixRow& b = matrix.rows[1];
  EXPECT_EQ(b.cells[kVersus].text, QStringLiteral("2.00×"));
  EXPECT_EQ(b.cells[kVersus].tone, RowTone::kFaster);
  EXPECT_EQ(b.cells[kPeak].text, QStringLiteral("–"));
  EXPECT_NE(b.cells[kPredicted].text, QStringLiteral("–"));
}

TEST(Matrix, IntervalsNarrow) {
  HandMadeRun run(planOf({"naive.plain", "sdpa.flash"}));
  run.time(0, 6);
  const double early = run.matrix().rows[0].cells[kPlusMinus].text.toDouble();
  run.time(6, 40);
  EXPECT_LT(run.matrix().rows[0].cells[kPlusMinus].text.toDouble(), early);
}

TEST(Matrix, TooFewRoundsHaveNoInterval) {
  HandMadeRun run(planOf({"naive.plain"}));
  run.time(0, 3);
  EXPECT_EQ(run.matrix().rows[0].cells[kPlusMinus].text, QStringLiteral("–"));
  EXPECT_EQ(run.matrix().note, QStringLiteral("median of 3 rounds, too few for an interval"));
}

TEST(Matrix, AWrongResultHasNoTime) {
  HandMadeRun run(planOf({"naive.plain", "sdpa.flash"}));
  run.say(CheckedMessage{"sdpa.flash", {0.71, 3, 1e-5, "float64 reference", {}}});
  run.time(0, 10);
  const MatrixRow row = run.matrix().rows[1];
  EXPECT_EQ(row.state, QStringLiteral("wrong"));
  EXPECT_EQ(row.cells[kError].tone, RowTone::kWrong);
  EXPECT_EQ(row.cells[kTime].text, QStringLiteral("–"));
  EXPECT_TRUE(row.sentence.startsWith(QStringLiteral("While checking: ")));
}

TEST(Matrix, RefusedAndFailedSayWhy) {
  HandMadeRun run(planOf({"naive.plain", "sdpa.cudnn", "sdpa.flash"}));
  run.say(FailureMessage{"sdpa.flash", RunPhase::kWarmUp, "ran out of memory: asked for 64.0 GiB"});
  const Matrix matrix = run.matrix();
  EXPECT_EQ(matrix.rows[1].state, QStringLiteral("refused"));
  EXPECT_EQ(matrix.rows[1].stateIcon, QStringLiteral("refused"));
  EXPECT_TRUE(matrix.rows[1].sentence.startsWith(QStringLiteral("Refused: ")));
  EXPECT_EQ(matrix.rows[2].state, QStringLiteral("failed"));
  EXPECT_EQ(matrix.rows[2].sentence,
            QStringLiteral("While warming up: ran out of memory: asked for 64.0 GiB. The others "
                           "are not affected."));
}

TEST(Matrix, ColumnsThatNobodyMeasuredAreLeftOut) {
  HandMadeRun run(planOf({"naive.plain", "sdpa.flash"}));
  run.time(0, 10);
  for (const MatrixColumn column : {kResident, kAtBest, kEnergy, kProfiled}) {
    EXPECT_TRUE(run.matrix().heads[column].isEmpty()) << column;
  }
  EXPECT_FALSE(tabSeparated(run.matrix()).contains(QLatin1String("Resident")));
  run.say(ResidentMessage{"sdpa.flash", 12 << 20});
  run.say(EnergyMessage{"naive.plain", 0.125});
  run.say(TraceMessage{"naive.plain", "/nowhere/a.json", 4'004'000});
  const Matrix matrix = run.matrix();
  EXPECT_EQ(matrix.rows[1].cells[kResident].text, QStringLiteral("12.0"));
  EXPECT_EQ(matrix.rows[0].cells[kResident].text, QStringLiteral("–"));
  EXPECT_EQ(matrix.rows[0].cells[kEnergy].text, QStringLiteral("125.00"));
  EXPECT_EQ(matrix.rows[0].cells[kProfiled].text.right(1), QStringLiteral("×"));
  EXPECT_TRUE(matrix.heads[kAtBest].isEmpty());  // no roof was measured
  EXPECT_TRUE(tabSeparated(matrix).contains(QLatin1String("\tResident\t")));
}

TEST(Matrix, CopiesWithPlainSigns) {
  HandMadeRun run(planOf({"naive.plain", "sdpa.flash"}));
  run.time(0, 10);
  const QString text = tabSeparated(run.matrix());
  EXPECT_TRUE(text.startsWith(QStringLiteral("Letter\tImplementation\tState\tTime µs\t+-\tvs A\t")))
      << text.toStdString();
  EXPECT_TRUE(text.contains(QStringLiteral("\t2.00x\t")));
  EXPECT_EQ(text.count(u'\n'), 3);
}

TEST(Headline, NamesPhaseAndImplementation) {
  HandMadeRun run(planOf({"naive.plain", "sdpa.flash"}));
  EXPECT_EQ(headlineOf(run.state).title, QStringLiteral("Starting the runner"));
  run.say(PhaseMessage{RunPhase::kAllocate, "naive.plain", -1});
  run.say(PhaseMessage{RunPhase::kCheck, "naive.plain", -1});
  EXPECT_EQ(headlineOf(run.state).title, QStringLiteral("Checking 1 of 2"));
  EXPECT_EQ(headlineOf(run.state).position, 0u);
  run.time(0, 22);
  EXPECT_EQ(headlineOf(run.state).title, QStringLiteral("Timing round 22 of 40"));
  EXPECT_FALSE(headlineOf(run.state).position);
  EXPECT_NEAR(timedShare(run.state), 22.0 / 40, 1e-9);
}

TEST(Headline, SaysWhatTheWarmOnesWaitFor) {
  HandMadeRun run(planOf({"naive.plain", "sdpa.flash"}));
  for (const char* id : {"naive.plain", "sdpa.flash"}) run.say(PhaseMessage{RunPhase::kAllocate, id, -1});
  for (const char* id : {"naive.plain", "sdpa.flash"}) {
    run.say(PhaseMessage{RunPhase::kCheck, id, -1});
    run.say(CheckedMessage{id, right()});
  }
  run.say(PhaseMessage{RunPhase::kWarmUp, "naive.plain", -1});
  run.say(WarmedMessage{"naive.plain", 2'000'000, 10, 14});
  run.say(PhaseMessage{RunPhase::kWarmUp, "sdpa.flash", -1});
  EXPECT_EQ(headlineOf(run.state).title, QStringLiteral("Warming up 2 of 2"));
  run.say(WarmedMessage{"sdpa.flash", 1'000'000, 10, 14});
  EXPECT_EQ(headlineOf(run.state).title, QStringLiteral("Measuring the limits of this machine"));
  EXPECT_FALSE(headlineOf(run.state).position);
}

TEST(Phases, AreOfTheWholeRun) {
  HandMadeRun run(planOf({"naive.plain", "sdpa.flash"}));
  for (const char* id : {"naive.plain", "sdpa.flash"}) {
    run.say(PhaseMessage{RunPhase::kAllocate, id, -1});
    run.say(PhaseMessage{RunPhase::kCheck, id, -1});
    run.say(CheckedMessage{id, right()});
  }
  run.say(PhaseMessage{RunPhase::kWarmUp, "naive.plain", -1});
  run.say(WarmedMessage{"naive.plain", 2'000'000, 10, 14});
  run.say(PhaseMessage{RunPhase::kWarmUp, "sdpa.flash", -1});
  const PhaseFigures phases = phasesOf(run.state, {0.2, 0, 0, 0, 0, 0});
  EXPECT_EQ(phases[0].mark, PhaseMark::kDone);
  EXPECT_EQ(phases[0].figure, QStringLiteral("0.2 s"));
  EXPECT_EQ(phases[1].figure, QStringLiteral("error 2.1e-7"));
  EXPECT_EQ(phases[2].mark, PhaseMark::kNow);
  EXPECT_DOUBLE_EQ(phases[2].share, 0.5);
  EXPECT_EQ(phases[2].figure, QStringLiteral("steady after 14"));
  EXPECT_EQ(phases[3].mark, PhaseMark::kAhead);
  EXPECT_TRUE(phases[3].figure.isEmpty());
}

TEST(Estimate, NamesTheLargestNeed) {
  const QStringList ids{QStringLiteral("sdpa.flash"), QStringLiteral("naive.plain")};
  const Estimate estimate = estimateOf(ids, Problem{}, 1, false, std::int64_t{23} << 30);
  EXPECT_TRUE(estimate.words.startsWith(QStringLiteral("B will hold "))) << estimate.words.toStdString();
  EXPECT_TRUE(estimate.words.contains(QStringLiteral("of 23.0 GiB free")));
  EXPECT_TRUE(estimate.warning.isEmpty());
  const Estimate tight = estimateOf(ids, Problem{}, 1, false, 1 << 20);
  EXPECT_TRUE(tight.warning.startsWith(QStringLiteral("B needs about ")));
  EXPECT_FALSE(estimateOf({}, Problem{}, 1, false, 0).words.isEmpty());
}

TEST(Estimate, CountsABackwardAndSaysWhereItKnowsOnlyALeast) {
  Problem problem;
  problem.pass = Pass::kForwardBackward;
  problem.queryLength = problem.keyValueLength = 32'768;
  const Estimate naive = estimateOf({QStringLiteral("naive.plain")}, problem, 1, false, std::int64_t{23} << 30);
  EXPECT_TRUE(naive.warning.startsWith(QStringLiteral("A needs about "))) << naive.warning.toStdString();
  const Estimate unknown = estimateOf({QStringLiteral("byo.script")}, problem, 1, false, std::int64_t{1} << 20);
  EXPECT_TRUE(unknown.words.startsWith(QStringLiteral("The peak of A is not predicted.")))
      << unknown.words.toStdString();
  EXPECT_TRUE(unknown.warning.startsWith(QStringLiteral("A needs at least "))) << unknown.warning.toStdString();
}

TEST(Texts, RemarksNameImplementationsAsTheRowsDo) {
  EXPECT_EQ(spokenRemark("sdpa.flash: its times still varied by 3 %"),
            QStringLiteral("SDPA flash: its times still varied by 3 %."));
  EXPECT_EQ(spokenRemark("the run stopped: the runner ended with signal 9"),
            QStringLiteral("The run stopped: the runner ended with signal 9."));
  EXPECT_EQ(spokenRemark(""), QString());
}

TEST(Texts, ClockAndCommand) {
  EXPECT_EQ(clockText(38.4), QStringLiteral("0:38"));
  EXPECT_EQ(clockText(3723), QStringLiteral("1:02:03"));
  const QString command = commandLineOf(planOf({"naive.plain", "sdpa.flash"}));
  EXPECT_TRUE(command.startsWith(QStringLiteral("attnscope-cli run --impl naive.plain,sdpa.flash ")));
  EXPECT_TRUE(command.endsWith(QStringLiteral(" -o run.attn")));
}

}  // namespace
}  // namespace attnscope::ui
