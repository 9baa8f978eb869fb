// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/SliceFacts.h"

#include <QJsonDocument>
#include <QJsonObject>

#include <gtest/gtest.h>

#include "TestWindow.h"
#include "core/analysis/Kernels.h"

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
