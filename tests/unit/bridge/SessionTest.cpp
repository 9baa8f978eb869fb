// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/Session.h"

#include <chrono>
#include <functional>
#include <thread>

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QFile>
#include <QTemporaryDir>

#include <gtest/gtest.h>

#include "core/session/AttnFile.h"
#include "core/session/ZipArchive.h"
#include "ui/bridge/FileWatch.h"

namespace attnscope::ui {
namespace {

class SessionTest : public testing::Test {
 protected:
  // One thread; steps of 1000 us from `startUs`, each with an operator of `opUs`.
  QString writeTrace(const QString& name, int steps, int startUs, int opUs, const char* mark = "ProfilerStep#") {
    QByteArray text = "{\"schemaVersion\": 1, \"traceEvents\": [\n";
    for (int i = 0; i < steps; ++i) {
      const int at = startUs + i * 1000;
      text += QStringLiteral(
                  "{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"%1\",\"pid\":5,\"tid\":5,"
                  "\"ts\":%2.000,\"dur\":900.000,\"args\":{\"External id\":%3}},\n"
                  "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::mm\",\"pid\":5,\"tid\":5,\"ts\":%4.000,"
                  "\"dur\":%5.000,\"args\":{\"External id\":%6}},\n")
                  .arg(QLatin1String(mark) + QString::number(i + 1))
                  .arg(at)
                  .arg(2 * i + 1)
                  .arg(at + 10)
                  .arg(opUs)
                  .arg(2 * i + 2)
                  .toUtf8();
    }
    text += "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":5,\"tid\":0,\"args\":{\"name\":\"python\"}}]}\n";
    const QString path = m_folder.filePath(name);
    QFile file(path);
    EXPECT_TRUE(file.open(QIODevice::WriteOnly));
    file.write(text);
    return path;
  }

  void settle() {
    QElapsedTimer timer;
    timer.start();
    while (m_session.isBusy() && timer.elapsed() < 20'000) {
      QCoreApplication::processEvents(QEventLoop::AllEvents, 10);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    ASSERT_FALSE(m_session.isBusy());
  }

  bool waitFor(const std::function<bool()>& isThere, int mostMs = 20'000) {
    QElapsedTimer timer;
    timer.start();
    while (!isThere() && timer.elapsed() < mostMs) {
      QCoreApplication::processEvents(QEventLoop::AllEvents, 10);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return isThere();
  }

  QTemporaryDir m_folder;
  Session m_session;
};

TEST_F(SessionTest, TwoTracesAreReadAndCompared) {
  m_session.openFiles({writeTrace("a.json", 3, 1000, 400), writeTrace("b.json", 3, 7000, 100)});
  EXPECT_EQ(m_session.run(0)->state(), RunState::kLoading);
  settle();
  ASSERT_EQ(m_session.readyRuns(), (std::vector<int>{0, 1}));
  ASSERT_TRUE(m_session.run(1)->tables());
  ASSERT_TRUE(m_session.comparison());
  EXPECT_EQ(m_session.comparedRuns(), (std::vector<int>{0, 1}));
  EXPECT_EQ(m_session.stepCount(), 3);
  // Every run has steps: they are what is aligned until somebody chooses.
  EXPECT_EQ(m_session.alignment(), Alignment::kStep);
  EXPECT_EQ(m_session.anchorNs(0), m_session.run(0)->trace()->steps[0].startNs);
}

TEST_F(SessionTest, AStepIsTheScopeOfTablesAndComparison) {
  m_session.openFiles({writeTrace("a.json", 3, 1000, 400), writeTrace("b.json", 3, 7000, 100)});
  settle();
  m_session.setScope({ScopeKind::kStep, 1, {}});
  settle();
  EXPECT_EQ(m_session.scopeWords(), QStringLiteral("Step 2"));
  const Trace& trace = *m_session.run(0)->trace();
  EXPECT_EQ(m_session.scopeRange(0).startNs, trace.steps[1].startNs);
  std::uint64_t calls = 0;
  for (const OperatorRow& row : m_session.run(0)->tables()->operators.rows) {
    if (trace.strings.view(row.name) == "aten::mm") calls += row.calls;
  }
  EXPECT_EQ(calls, 1u);
  EXPECT_EQ(m_session.anchorNs(0), trace.steps[1].startNs);
}

TEST_F(SessionTest, AFailureStandsInItsRunAndHarmsNoOther) {
  m_session.openFiles({writeTrace("a.json", 1, 0, 10), m_folder.filePath("missing.json")});
  settle();
  EXPECT_EQ(m_session.run(0)->state(), RunState::kReady);
  EXPECT_EQ(m_session.run(1)->state(), RunState::kFailed);
  EXPECT_FALSE(m_session.run(1)->error().what.empty());
  EXPECT_EQ(m_session.readyRuns(), std::vector<int>{0});
  EXPECT_FALSE(m_session.comparison());
}

TEST_F(SessionTest, LettersAreReusedAndBaselineFollows) {
  m_session.openFiles({writeTrace("a.json", 1, 0, 10), writeTrace("b.json", 1, 0, 20), writeTrace("c.json", 1, 0, 30)});
  settle();
  EXPECT_EQ(m_session.run(2)->letter(), QStringLiteral("C"));
  EXPECT_EQ(m_session.baseline(), 0);
  m_session.setBaseline(1);
  settle();
  EXPECT_EQ(m_session.comparedRuns(), (std::vector<int>{1, 0, 2}));
  m_session.closeRun(1);
  settle();
  EXPECT_EQ(m_session.baseline(), 0);
  EXPECT_EQ(m_session.run(1)->letter(), QStringLiteral("C"));
  m_session.openFiles({writeTrace("d.json", 1, 0, 40)});
  settle();
  EXPECT_EQ(m_session.run(2)->letter(), QStringLiteral("B"));
}

TEST_F(SessionTest, ANumberRestsWhileResultsThatNameItAreMade) {
  const QString path = writeTrace("a.json", 1, 0, 10);
  m_session.openFiles({path, path, path});
  settle();
  m_session.closeRun(1);
  m_session.openFiles({path});
  EXPECT_EQ(m_session.run(2)->letter(), QStringLiteral("D"));
  settle();
  m_session.openFiles({path});
  EXPECT_EQ(m_session.run(3)->letter(), QStringLiteral("B"));
  settle();
}

TEST_F(SessionTest, ARunWithoutStepsIsBoundedByItsEvents) {
  m_session.openFiles({writeTrace("a.json", 3, 1000, 400), writeTrace("b.json", 1, 7000, 100, "region")});
  settle();
  m_session.setScope({ScopeKind::kStep, 1, {}});
  settle();
  EXPECT_EQ(m_session.boundedScope(0), m_session.scopeRange(0));
  EXPECT_EQ(m_session.scopeRange(1), TimeRange::all());
  EXPECT_EQ(m_session.boundedScope(1), m_session.run(1)->trace()->dense);
}

// A view that hears of a scope asks for runs: it must know them by then.
TEST_F(SessionTest, RunsAreToldBeforeScopeAndAlignment) {
  m_session.openFiles({writeTrace("a.json", 3, 1000, 400), writeTrace("b.json", 1, 1000, 400)});
  settle();
  m_session.setScope({ScopeKind::kStep, 2, {}});
  settle();
  QStringList told;
  QObject::connect(&m_session, &Session::runsChanged, &m_session, [&told] { told << QStringLiteral("runs"); });
  QObject::connect(&m_session, &Session::scopeChanged, &m_session, [&told] { told << QStringLiteral("scope"); });
  QObject::connect(&m_session, &Session::alignmentChanged, &m_session,
                   [&told] { told << QStringLiteral("alignment"); });
  m_session.closeRun(0);
  EXPECT_EQ(told, (QStringList{QStringLiteral("runs"), QStringLiteral("scope"), QStringLiteral("alignment")}));
  settle();
}

TEST_F(SessionTest, RunsAreAlignedByWhatIsChosenAndByHand) {
  m_session.openFiles({writeTrace("a.json", 2, 1000, 400), writeTrace("b.json", 2, 7000, 100)});
  settle();
  const std::int64_t step = m_session.anchorNs(1);
  m_session.moveRunBy(1, 250);
  EXPECT_EQ(m_session.anchorNs(1), step - 250) << "later on the shared ruler";
  m_session.resetMoves();
  EXPECT_EQ(m_session.anchorNs(1), step);
  m_session.setAlignment(Alignment::kFirstKernel);
  EXPECT_EQ(m_session.anchorNs(1), m_session.run(1)->trace()->dense.startNs) << "no kernels: as trace start";
  EXPECT_EQ(m_session.zeroWords(), QStringLiteral("first kernel"));
  m_session.selectSlice(0, SliceId{3}, SelectionOrigin::kTimeline);
  EXPECT_FALSE(m_session.alignBySelection()) << "one run alone";
  m_session.selectSlice(1, SliceId{2}, SelectionOrigin::kTimeline);
  EXPECT_TRUE(m_session.alignBySelection());
  EXPECT_EQ(m_session.anchorNs(0), m_session.run(0)->trace()->slices.startNs[3]);
  EXPECT_EQ(m_session.anchorNs(1), m_session.run(1)->trace()->slices.startNs[2]);
  EXPECT_TRUE(m_session.sharedAnnotations().isEmpty()) << "steps are none";
}

TEST_F(SessionTest, ChangesAreWalkedLargestFirst) {
  m_session.openFiles({writeTrace("a.json", 2, 1000, 400), writeTrace("b.json", 2, 1000, 100)});
  settle();
  ASSERT_TRUE(m_session.selectChange(1));
  const Comparison& comparison = *m_session.comparison();
  EXPECT_EQ(m_session.selection().words, QString::fromStdString(comparison.groups.front().operatorName));
  EXPECT_EQ(m_session.selection().parts.size(), 2u) << "in both runs";
  EXPECT_FALSE(m_session.selectChange(-1)) << "nothing is larger";
  int walked = 1;
  while (m_session.selectChange(1)) ++walked;
  EXPECT_LE(walked, static_cast<int>(comparison.groups.size()));
}

TEST_F(SessionTest, PairRulesOutliveTheRuns) {
  const QStringList files{writeTrace("a.json", 2, 1000, 400), writeTrace("b.json", 2, 1000, 100)};
  m_session.openFiles(files);
  settle();
  m_session.setPairRules({{PairRuleKind::kCut, "aten::mm", {}}});
  settle();
  const auto isCut = [this] {
    return std::any_of(m_session.comparison()->groups.begin(), m_session.comparison()->groups.end(),
                       [](const ComparisonGroup& group) { return group.isMadeByHand; });
  };
  EXPECT_TRUE(isCut());
  m_session.closeAll();
  m_session.openFiles(files);
  settle();
  EXPECT_TRUE(isCut());
}

TEST_F(SessionTest, OneImplementationMeasuredTwiceIsToldApartByItsProblem) {
  QStringList files;
  for (const DataType type : {DataType::kFloat32, DataType::kBFloat16}) {
    RunPlan plan;
    plan.implementations = {"sdpa.flash"};
    plan.problem.dtype = type;
    RunResult result = startedResult(plan);
    const QString name = QString::fromStdString(std::string(toString(type)));
    result.implementations[0].traceFile = writeTrace(name + QStringLiteral(".json"), 3, 1000, 400).toStdString();
    files << m_folder.filePath(name + QStringLiteral(".attn"));
    ASSERT_TRUE(writeAttn(files.back().toStdString(), result));
  }
  m_session.openFiles(files);
  settle();
  QStringList shown;
  for (int i = 0; i < m_session.runCount(); ++i) {
    shown << m_session.run(i)->letter() + u' ' + m_session.run(i)->title();
  }
  shown.sort();  // whichever of them was read first
  EXPECT_EQ(shown, (QStringList{QStringLiteral("A SDPA flash, float32"), QStringLiteral("B SDPA flash, bfloat16")}));
}

TEST_F(SessionTest, AMeasurementKeepsItsLettersAndStartsAtItsFirstCall) {
  RunPlan plan;
  plan.implementations = {"naive.plain", "sdpa.flash", "sdpa.math"};
  auto result = std::make_shared<RunResult>(startedResult(plan));
  QStringList files{writeTrace("a.json", 3, 1000, 400), QString(), writeTrace("c.json", 3, 7000, 100)};
  result->implementations[0].traceFile = files[0].toStdString();
  result->implementations[1].failure = RunFailure{RunPhase::kTime, "it ended by signal 11"};
  result->implementations[2].traceFile = files[2].toStdString();
  int ready = 0;
  QObject::connect(&m_session, &Session::measurementReady, &m_session, [&ready] { ++ready; });
  m_session.setAlignment(Alignment::kStart);  // of an earlier comparison
  m_session.addMeasurement(result, {}, files);
  settle();
  ASSERT_EQ(m_session.runCount(), 2);
  EXPECT_EQ(m_session.run(1)->letter(), QStringLiteral("C"));
  ASSERT_EQ(m_session.withoutTrace().size(), 1U);
  EXPECT_EQ(m_session.withoutTrace().front().number, 1);
  EXPECT_EQ(ready, 1);
  EXPECT_EQ(m_session.scope(), (Scope{ScopeKind::kStep, 1, {}})) << "the first call carries what is done once";
  EXPECT_EQ(m_session.alignment(), Alignment::kStep);
  // B stays the letter of the one that failed.
  m_session.openFiles({files[0]});
  EXPECT_EQ(m_session.run(2)->letter(), QStringLiteral("D"));
  m_session.setSaved(result, QStringLiteral("/tmp/x.attn"));
  EXPECT_EQ(m_session.run(0)->origin(), QStringLiteral("/tmp/x.attn"));
  EXPECT_TRUE(m_session.run(2)->origin().isEmpty());
  m_session.closeMeasurement(result);
  settle();
  ASSERT_EQ(m_session.runCount(), 1);
  EXPECT_EQ(m_session.run(0)->letter(), QStringLiteral("D"));
}

TEST_F(SessionTest, ClosingWhileReadingLeavesNothing) {
  const QString path = writeTrace("a.json", 2000, 0, 10);
  for (int i = 0; i < 20; ++i) {
    m_session.openFiles({path, path});
    m_session.cancel(0);
    m_session.closeAll();
  }
  settle();
  EXPECT_EQ(m_session.runCount(), 0);
}

TEST_F(SessionTest, OfALargeTraceTheBeginningIsShownWhileTheRestIsRead) {
  std::string text = "[";
  for (int i = 0; text.size() < 70'000'000; ++i) {
    text += R"({"ph":"X","cat":"cpu_op","name":"aten::mm","pid":5,"tid":5,"ts":)" + std::to_string(100 + i) +
            R"(,"dur":0.5,"args":{"Concrete Inputs":"                                                      "}},)";
  }
  const QString path = m_folder.filePath(QStringLiteral("large.json"));
  QFile file(path);
  ASSERT_TRUE(file.open(QIODevice::WriteOnly));
  file.write(text.data(), static_cast<qint64>(text.size()));
  file.close();
  int seen = 0;
  std::size_t slices = 0;
  TimeRange extent;
  QObject::connect(&m_session, &Session::runChanged, [&](int position) {
    const auto facts = m_session.run(position)->beginning();
    if (!facts) return;
    ++seen;
    EXPECT_EQ(m_session.run(position)->state(), RunState::kLoading);
    EXPECT_EQ(m_session.run(position)->trace(), nullptr) << "nothing is computed from it";
    EXPECT_TRUE(facts->trace->partial);
    EXPECT_TRUE(m_session.anyShown());
    slices = facts->trace->slices.size();
    extent = m_session.alignedExtent();
  });
  double moved = -1;
  QObject::connect(&m_session, &Session::clockMoved, [&](double byNs) { moved = byNs; });
  m_session.openFiles({path});
  settle();
  ASSERT_EQ(seen, 1);
  ASSERT_TRUE(m_session.run(0)->trace());
  EXPECT_FALSE(m_session.run(0)->beginning());
  EXPECT_GT(slices, 10000u);
  EXPECT_LT(slices, m_session.run(0)->trace()->slices.size());
  EXPECT_GT(extent.durationNs(), 0);
  EXPECT_LT(extent.durationNs(), m_session.alignedExtent().durationNs());
  EXPECT_EQ(moved, 0);
}

TEST_F(SessionTest, ReadingAgainForgetsWhatWasRead) {
  const QString path = writeTrace("a.json", 3, 1000, 400);
  m_session.openFiles({path, writeTrace("b.json", 3, 7000, 100)});
  settle();
  m_session.selectSlice(0, SliceId{4}, SelectionOrigin::kTable);
  writeTrace("a.json", 1, 1000, 400);
  m_session.reload(0);
  EXPECT_TRUE(m_session.selection().isEmpty());
  EXPECT_FALSE(m_session.run(0)->tables());
  EXPECT_FALSE(m_session.comparison());
  settle();
  ASSERT_TRUE(m_session.run(0)->tables());
  EXPECT_EQ(m_session.run(0)->trace()->steps.size(), 1u);
  EXPECT_TRUE(m_session.comparison());
}

TEST_F(SessionTest, ReadingAgainSelectsTheSameSlice) {
  const QString path = writeTrace("a.json", 3, 1000, 400);
  m_session.openFiles({path});
  settle();
  const Trace& before = *m_session.run(0)->trace();
  const SliceId second = before.steps[1].slice;
  const std::int64_t atNs = before.slices.startNs[index(second)];
  m_session.selectSlice(0, second, SelectionOrigin::kTimeline);
  writeTrace("a.json", 5, 1000, 400);
  m_session.reload(0);
  settle();
  ASSERT_EQ(m_session.selection().leadRun, 0);
  const Trace& after = *m_session.run(0)->trace();
  const SliceId selected = m_session.selection().leadSlice;
  EXPECT_EQ(after.name(selected), "ProfilerStep#2");
  EXPECT_EQ(after.slices.startNs[index(selected)], atNs);
  // It is not there any more.
  writeTrace("a.json", 1, 1000, 400);
  m_session.reload(0);
  settle();
  EXPECT_TRUE(m_session.selection().isEmpty());
}

TEST_F(SessionTest, ReadingOneAgainLeavesTheSelectionInTheOther) {
  m_session.openFiles({writeTrace("a.json", 3, 1000, 400), writeTrace("b.json", 3, 7000, 100)});
  settle();
  m_session.selectSlice(1, SliceId{2}, SelectionOrigin::kTable);
  m_session.reload(0);
  settle();
  EXPECT_EQ(m_session.selection().leadRun, 1);
  EXPECT_EQ(m_session.selection().leadSlice, SliceId{2});
}

TEST_F(SessionTest, AFollowedFileIsReadAsItGrows) {
  QFile file(m_folder.filePath(QStringLiteral("grows.json")));
  ASSERT_TRUE(file.open(QIODevice::WriteOnly | QIODevice::Unbuffered));
  const auto event = [](const char* name, int at) {
    return QStringLiteral(R"({"ph":"X","name":"%1","pid":5,"tid":5,"ts":%2,"dur":5,"args":{"n":%2}},)")
        .arg(QLatin1String(name))
        .arg(at)
        .toUtf8();
  };
  file.write("[" + event("first", 10) + event("second", 20) + "{\"ph\":\"X\",\"name\":\"cu");
  m_session.openFiles({file.fileName()});
  m_session.setFollowing(true);
  settle();
  ASSERT_EQ(m_session.run(0)->trace()->slices.size(), 2u);
  m_session.selectSlice(0, SliceId{1}, SelectionOrigin::kTimeline);
  bool wasAlwaysReady = true;
  QObject::connect(m_session.run(0), &Run::changed, m_session.run(0),
                   [&] { wasAlwaysReady = wasAlwaysReady && m_session.run(0)->state() == RunState::kReady; });
  file.write("t\",\"pid\":5,\"tid\":5,\"ts\":30,\"dur\":5}," + event("earlier", 1));
  // What was read goes on being there, and its arguments can be read.
  const auto old = m_session.run(0)->facts();
  EXPECT_TRUE(old->trace->argsSource->read(old->trace->slices.args(SliceId{1})));
  ASSERT_TRUE(waitFor([&] { return m_session.run(0)->trace()->slices.size() == 4u && !m_session.isBusy(); }));
  EXPECT_TRUE(wasAlwaysReady);
  EXPECT_TRUE(m_session.run(0)->tables());
  ASSERT_EQ(m_session.selection().leadRun, 0);
  EXPECT_EQ(m_session.run(0)->trace()->name(m_session.selection().leadSlice), "second");

  m_session.setFollowing(false);
  file.write(event("late", 40));
  waitFor([] { return false; }, 3 * FileWatch::kSettleMs);
  EXPECT_EQ(m_session.run(0)->trace()->slices.size(), 4u);
}

TEST_F(SessionTest, AnArchiveOfSeveralTracesIsARunForEach) {
  QFile first(writeTrace("a.json", 2, 1000, 400));
  QFile second(writeTrace("b.json", 3, 1000, 400));
  ASSERT_TRUE(first.open(QIODevice::ReadOnly) && second.open(QIODevice::ReadOnly));
  ZipWriter both;
  both.addText("rank-0.json", first.readAll().toStdString());
  both.addText("deep/rank-1.json", second.readAll().toStdString());
  both.addText("notes.txt", "no trace");
  const QString path = m_folder.filePath(QStringLiteral("ranks.zip"));
  ASSERT_TRUE(both.write(path.toStdString()));
  QStringList opened;
  QObject::connect(&m_session, &Session::fileOpened, &m_session, [&](const QString& file) { opened << file; });
  m_session.openFiles({path});
  settle();
  ASSERT_EQ(m_session.runCount(), 2);
  EXPECT_EQ(m_session.run(0)->letter(), QStringLiteral("A"));
  EXPECT_EQ(m_session.run(0)->trace()->steps.size(), 2u);
  EXPECT_EQ(m_session.run(1)->trace()->steps.size(), 3u);
  EXPECT_EQ(m_session.run(1)->trace()->rank.index, 1);
  EXPECT_EQ(opened, (QStringList{path, path})) << "what can be opened again";

  ZipWriter one;
  one.addText("rank-0.json", "[]");
  const QString bad = m_folder.filePath(QStringLiteral("bad.zip"));
  ASSERT_TRUE(one.write(bad.toStdString()));
  m_session.openFiles({bad});
  settle();
  EXPECT_EQ(m_session.run(2)->state(), RunState::kFailed);
}

TEST_F(SessionTest, HiddenRunsAreNotCompared) {
  m_session.openFiles({writeTrace("a.json", 1, 0, 10), writeTrace("b.json", 1, 0, 20)});
  settle();
  m_session.setHidden(1, true);
  settle();
  EXPECT_EQ(m_session.readyRuns(), std::vector<int>{0});
  EXPECT_FALSE(m_session.comparison());
}

}  // namespace
}  // namespace attnscope::ui
