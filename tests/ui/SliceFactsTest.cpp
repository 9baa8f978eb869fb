// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/SliceFacts.h"

#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>

#include <gtest/gtest.h>

#include "TestWindow.h"
#include "core/analysis/Kernels.h"
#include "ui/bridge/Format.h"
#include "ui/bridge/RunFacts.h"

namespace attnscope::ui {
namespace {

class SliceFactsOfCuda : public testing::Test {
 protected:
  void SetUp() override {
    session.openFiles({test::cudaTrace()});
    ASSERT_TRUE(QTest::qWaitFor([this] { return session.readyRuns().size() == 1 && !session.isBusy(); }, 20000));
    facts = session.run(0)->facts();
    ASSERT_GT(facts->trace->deviceWork.size(), 0U);
  }
  Session session;
  std::shared_ptr<const RunFacts> facts;
};

TEST_F(SliceFactsOfCuda, CallsAgreeWithTheKernelTable) {
  const Trace& trace = *facts->trace;
  const KernelTable table = kernelTable(trace);
  ASSERT_FALSE(table.rows.empty());
  for (const KernelRow& row : table.rows) {
    const SliceId first = row.slices.front();
    const CallStatistics calls =
        callsOf(trace, trace.strings.view(row.name), CategoryClass::kKernel, TimeRange::all(), first);
    EXPECT_EQ(calls.calls, row.calls);
    EXPECT_EQ(calls.minNs, row.minNs);
    EXPECT_EQ(calls.medianNs, row.medianNs);
    EXPECT_EQ(calls.p95Ns, row.p95Ns);
    EXPECT_EQ(calls.maxNs, row.maxNs);
    EXPECT_EQ(calls.ordinal, 1U);
    EXPECT_EQ(nthCall(trace, trace.strings.view(row.name), CategoryClass::kKernel, TimeRange::all(), row.calls),
              row.slices.back());
  }
}

TEST_F(SliceFactsOfCuda, TheLaunchChainBeginsAtTheRuntimeCall) {
  const Trace& trace = *facts->trace;
  bool anyLaunched = false;
  for (std::size_t row = 0; row < trace.deviceWork.size(); ++row) {
    if (trace.deviceWork.launch[row] == kNoSlice) continue;
    const std::vector<SliceId> chain = launchChain(trace, trace.deviceWork.slice[row]);
    ASSERT_FALSE(chain.empty());
    EXPECT_EQ(chain.front(), trace.deviceWork.launch[row]);
    anyLaunched = true;
  }
  EXPECT_TRUE(anyLaunched);
}

TEST(SliceFacts, StacksOfBothEndsInnermostFirst) {
  QTemporaryDir folder;
  const QString path = test::writeFile(folder.filePath(QStringLiteral("stacks.json")),
                                       R"({"stackFrames":{"1":{"name":"main"},"2":{"name":"forward","parent":"1"}},
    "traceEvents":[{"ph":"X","name":"moves","pid":1,"tid":1,"ts":1,"dur":5,"sf":2,"esf":1},
    {"ph":"X","name":"stays","pid":1,"tid":1,"ts":10,"dur":5,"sf":1,"esf":1},
    {"ph":"X","name":"none","pid":1,"tid":1,"ts":20,"dur":5}]})");
  Progress progress;
  const auto read = readRun(path.toStdString(), {}, progress, {});
  ASSERT_TRUE(read);
  const auto stackOf = [&](std::uint32_t slice) {
    QStringList words;
    for (const Fact& fact : sliceFacts(**read, SliceId{slice}, 0).stack) words << fact.label + u' ' + fact.value;
    return words;
  };
  EXPECT_EQ(stackOf(0), (QStringList{QStringLiteral("#0 forward"), QStringLiteral("#1 main"),
                                     QStringLiteral("At the end #0 main")}));
  EXPECT_EQ(stackOf(1), QStringList{QStringLiteral("#0 main")});
  EXPECT_TRUE(stackOf(2).isEmpty());
}

// Its arguments' text is what the slice's range holds.
class TextOfArguments : public ArgsSource {
 public:
  explicit TextOfArguments(std::string text) : m_text(std::move(text)) {}
  [[nodiscard]] Result<std::string> read(TextRange range) const override {
    return m_text.substr(static_cast<std::size_t>(range.begin), range.length);
  }

 private:
  std::string m_text;
};

TEST_F(SliceFactsOfCuda, DelaysSumToTheTimeFromLaunchToStart) {
  const Trace& trace = *facts->trace;
  int looked = 0;
  for (std::size_t row = 0; row < trace.deviceWork.size(); ++row) {
    const SliceId slice = trace.deviceWork.slice[row];
    const SliceId launch = trace.deviceWork.launch[row];
    if (launch == kNoSlice || trace.slices.startNs[index(slice)] <= trace.slices.endNs(launch)) continue;
    const std::int64_t queued = trace.slices.startNs[index(slice)] - trace.slices.endNs(launch);
    bool isTold = false;
    for (const Fact& fact : sliceFacts(*facts, slice, 0).more) {
      isTold = isTold || fact.value == format::time(static_cast<double>(queued));
    }
    EXPECT_TRUE(isTold);
    ++looked;
  }
  EXPECT_GT(looked, 0);
}

TEST(SliceFactsOfArguments, NestedOnesAreATree) {
  const std::string text =
      R"({"Input Dims": [[8, 64], []], "grid": [1, 2, 3], "more": {"a": 9007199254740993}, "x": "y"})";
  Trace trace;
  trace.slices.argsBegin.push_back(0);
  trace.slices.argsLength.push_back(static_cast<std::uint32_t>(text.size()));
  trace.argsSource = std::make_shared<TextOfArguments>(text);
  const Arguments arguments = readArguments(trace, SliceId{0});
  QStringList lines;
  for (const Fact& fact : arguments.entries) {
    lines << QString(fact.depth, u'-') + fact.label + QStringLiteral("=") + fact.value;
  }
  EXPECT_EQ(
      lines.join(u'|'),
      QStringLiteral("Input Dims=2 entries|-[0]=[8,64]|-[1]=[]|grid=[1,2,3]|more=1 entries|-a=9007199254740993|x=y"));
}

TEST_F(SliceFactsOfCuda, ArgumentsAreReadFromTheFile) {
  const SliceId kernel = facts->trace->deviceWork.slice[0];
  const Arguments arguments = readArguments(*facts->trace, kernel);
  EXPECT_TRUE(arguments.failure.isEmpty()) << arguments.failure.toStdString();
  EXPECT_FALSE(arguments.entries.empty());
}

TEST_F(SliceFactsOfCuda, JsonHoldsTheSameFacts) {
  const Trace& trace = *facts->trace;
  const SliceId kernel = trace.deviceWork.slice[0];
  const QByteArray text = factsAsJson(trace, kernel, QStringLiteral("run"), {}, readArguments(trace, kernel));
  const QJsonObject object = QJsonDocument::fromJson(text).object();
  EXPECT_EQ(object.value(QStringLiteral("duration_ns")).toInteger(), trace.slices.durationNs[index(kernel)]);
  EXPECT_EQ(object.value(QStringLiteral("name")).toString().toStdString(), trace.name(kernel));
}

}  // namespace
}  // namespace attnscope::ui
