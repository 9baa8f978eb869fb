// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/KeptPairs.h"

#include <chrono>
#include <thread>

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QFile>
#include <QTemporaryDir>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/session/AttnFile.h"
#include "tests/support/Pages.h"
#include "ui/bridge/Notes.h"

namespace attnscope::ui {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const PairRule kCut{PairRuleKind::kCut, "aten::mm", {}};
const PairRule kPair{PairRuleKind::kPair, "aten::bmm (only-base)", "aten::sdpa \"µ\" (only-other)"};

// A window's worth of what keeps pairs.
struct Open {
  Session session;
  Notes notes{session};
  KeptPairs pairs{session};
  QString message;

  explicit Open(const QStringList& files) {
    QObject::connect(&pairs, &KeptPairs::failed, &pairs, [this](const QString& words) { message = words; });
    notes.keepInFiles();
    pairs.keepInFiles();
    open(files);
  }
  void open(const QStringList& files) {
    session.openFiles(files);
    settle();
  }
  void settle() {
    QElapsedTimer timer;
    timer.start();
    while ((session.isBusy() || !pairs.isSettled()) && timer.elapsed() < 20'000) {
      QCoreApplication::processEvents(QEventLoop::AllEvents, 10);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    ASSERT_FALSE(session.isBusy() || !pairs.isSettled());
  }
  void set(std::vector<PairRule> rules) {
    session.setPairRules(std::move(rules));
    settle();
  }
};

class KeptPairsTest : public testing::Test {
 protected:
  QString writeTrace(const QString& name) {
    return test::writeText(
        m_folder.filePath(name),
        R"({"traceEvents": [{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":5,"tid":5,"ts":10,"dur":90}]})");
  }
  std::shared_ptr<const RunResult> measured() {
    RunPlan plan;
    plan.implementations = {"naive.plain", "sdpa.flash"};
    RunResult result = startedResult(plan);
    for (ImplementationResult& each : result.implementations) {
      each.traceFile = writeTrace(QString::fromStdString(each.id + ".json")).toStdString();
    }
    return std::make_shared<const RunResult>(std::move(result));
  }
  QString writeSession(const QString& name) {
    const QString path = m_folder.filePath(name);
    EXPECT_TRUE(writeAttn(path.toStdString(), *measured()));
    return path;
  }
  static QByteArray bytesOf(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
  }

  QTemporaryDir m_folder;
};

TEST_F(KeptPairsTest, OfTracesStandBesideTheBaseline) {
  const QString a = writeTrace(QStringLiteral("a.json"));
  const QString b = writeTrace(QStringLiteral("b.json"));
  const QString c = writeTrace(QStringLiteral("c.json"));
  {
    Open window({a, b});
    window.notes.add(window.session.run(0), {1, 1}, QStringLiteral("a note"));
    window.set({kCut, kPair});
  }
  EXPECT_FALSE(QFile::exists(b + QStringLiteral(".notes.json")));
  {
    Open again({a, b});
    EXPECT_THAT(again.session.pairRules(), ElementsAre(kCut, kPair));
    EXPECT_TRUE(again.session.comparison()->groups.front().isMadeByHand);
    EXPECT_EQ(again.notes.all().size(), 1u);
    again.notes.setText(0, QStringLiteral("other words"));
    again.set({kPair});
  }
  {
    Open other({a, c});
    EXPECT_THAT(other.session.pairRules(), IsEmpty()) << "made against another run";
    other.open({b});
    EXPECT_THAT(other.session.pairRules(), ElementsAre(kPair));
    other.session.closeRun(2);
    EXPECT_THAT(other.session.pairRules(), IsEmpty());
  }
  Open last({a, b});
  EXPECT_THAT(last.session.pairRules(), ElementsAre(kPair));
  last.set({});
  EXPECT_EQ(last.notes.all().size(), 1u);
  EXPECT_FALSE(bytesOf(a + QStringLiteral(".notes.json")).contains("pairs"));
  last.notes.remove(0);
  EXPECT_FALSE(QFile::exists(a + QStringLiteral(".notes.json")));
}

TEST_F(KeptPairsTest, OfOneMeasurementStandInItsSession) {
  const QString file = writeSession(QStringLiteral("x.attn"));
  const QByteArray before = bytesOf(file);
  {
    Open window({file});
    EXPECT_EQ(bytesOf(file), before) << "opening writes nothing";
    window.set({kCut});
    window.set({kCut, kPair});
  }
  EXPECT_THAT(readAttn(file.toStdString())->pairs, ElementsAre(kCut, kPair));
  EXPECT_FALSE(QFile::exists(file + QStringLiteral(".notes.json")));
  const QByteArray kept = bytesOf(file);
  Open again({file});
  EXPECT_EQ(bytesOf(file), kept) << "opening writes nothing";
  EXPECT_THAT(again.session.pairRules(), ElementsAre(kCut, kPair));
  EXPECT_TRUE(again.session.comparison()->groups.front().isMadeByHand);
  again.session.closeAll();
  EXPECT_THAT(again.session.pairRules(), IsEmpty());
  again.open({file});
  again.set({});
  EXPECT_THAT(readAttn(file.toStdString())->pairs, IsEmpty());
}

TEST_F(KeptPairsTest, ThatAreMadeInARowAllArrive) {
  const QString file = writeSession(QStringLiteral("x.attn"));
  {
    Open window({file});
    std::vector<PairRule> rules;
    for (int i = 0; i < 20; ++i) {
      rules.push_back({PairRuleKind::kCut, std::to_string(i), {}});
      window.session.setPairRules(rules);
    }
  }
  EXPECT_EQ(readAttn(file.toStdString())->pairs.size(), 20u);
}

TEST_F(KeptPairsTest, OfWhatIsNotSavedAreWrittenWithIt) {
  const auto result = measured();
  const QString file = m_folder.filePath(QStringLiteral("saved.attn"));
  Open window({});
  QStringList traces;
  for (const ImplementationResult& each : result->implementations) traces << QString::fromStdString(each.traceFile);
  window.session.addMeasurement(result, {}, traces);
  window.settle();
  window.set({kPair});
  ASSERT_TRUE(writeAttn(file.toStdString(), *result));
  window.session.setSaved(result, file);
  window.settle();
  EXPECT_THAT(readAttn(file.toStdString())->pairs, ElementsAre(kPair));
}

TEST_F(KeptPairsTest, ThatCannotBeWrittenStayAndAreSpokenOf) {
  const QString file = writeSession(QStringLiteral("x.attn"));
  Open window({file});
  QFile::remove(file);
  window.set({kCut});
  EXPECT_TRUE(window.message.contains(QStringLiteral("x.attn"))) << window.message.toStdString();
  EXPECT_THAT(window.session.pairRules(), ElementsAre(kCut));
  // Another's file beside a trace is left as it is.
  const QString a = writeTrace(QStringLiteral("a.json"));
  QFile foreign(a + QStringLiteral(".notes.json"));
  ASSERT_TRUE(foreign.open(QIODevice::WriteOnly));
  foreign.write("[]");
  foreign.close();
  Open second({a, writeTrace(QStringLiteral("b.json"))});
  second.set({kCut});
  EXPECT_EQ(bytesOf(foreign.fileName()), "[]");
}

}  // namespace
}  // namespace attnscope::ui
