// SPDX-License-Identifier: Apache-2.0

// Traces of the repository, small enough that every figure was worked out by hand.

#include "core/analysis/Kernels.h"
#include "core/analysis/Memory.h"
#include "core/analysis/Operators.h"
#include "tests/golden/Corpus.h"

namespace attnscope::golden {
namespace {

class SmallTraces : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    m_trace = load(dataFolder() + GetParam() + ".json");
    ASSERT_TRUE(m_trace);
    m_expected = Json::parse(readText(dataFolder() + GetParam() + ".expected.json"));
  }
  std::shared_ptr<const Trace> m_trace;
  Json m_expected;
};

TEST_P(SmallTraces, Operators) {
  const OperatorTree tree = buildOperatorTree(*m_trace);
  const OperatorTable table = operatorTable(*m_trace, tree, OperatorGrouping::kByName);
  Json rows = Json::object();
  for (const OperatorRow& row : table.rows) {
    rows[row.nameText + (row.isUserAnnotation ? "|annotation" : "")] = {
        row.calls,          row.cpuTotalNs,         row.cpuSelfNs,         row.deviceTotalNs,        row.deviceSelfNs,
        row.cpuMemoryBytes, row.cpuMemorySelfBytes, row.deviceMemoryBytes, row.deviceMemorySelfBytes};
  }
  EXPECT_EQ(rows, m_expected["operators"]);
  EXPECT_EQ(table.totals.cpuSelfNs, m_expected["totals"]["cpu_self_ns"].get<std::int64_t>());
  EXPECT_EQ(table.totals.deviceSelfNs, m_expected["totals"]["device_self_ns"].get<std::int64_t>());
  EXPECT_EQ(table.totals.deviceEventsNs, m_expected["totals"]["device_events_ns"].get<std::int64_t>());
  const OperatorTable byShape = operatorTable(*m_trace, tree, OperatorGrouping::kByShape);
  for (const auto& [name, shapes] : m_expected["shapes"].items()) {
    bool found = false;
    for (const OperatorRow& row : byShape.rows) found = found || (row.nameText == name && row.shapesText == shapes);
    EXPECT_TRUE(found) << name << " " << shapes;
  }
  EXPECT_EQ(m_trace->steps.size(), m_expected["steps"].get<std::size_t>());
}

TEST_P(SmallTraces, Kernels) {
  Json kernels = Json::object();
  for (const KernelRow& row : kernelTable(*m_trace).rows) {
    Json launcher;
    if (!row.operators.empty()) launcher = m_trace->strings.view(row.operators.front().name);
    kernels[row.shortName] = {row.calls, row.totalNs, row.family, launcher};
  }
  EXPECT_EQ(kernels, m_expected["kernels"]);
  Json busy = Json::array();
  for (const DeviceBusy& device : deviceBusy(*m_trace)) busy.push_back({device.device, device.busyNs, device.spanNs});
  EXPECT_EQ(busy, m_expected["busy"]);
}

TEST_P(SmallTraces, Memory) {
  Json memory = Json::object();
  for (const MemorySeries& series : memorySeries(*m_trace)) {
    const auto level = [&](std::int64_t bytes) { return series.hasTotals ? Json(bytes) : Json(); };
    Json holder;
    Json held;
    if (!series.holdersAtPeak.empty()) {
      holder = m_trace->strings.view(series.holdersAtPeak.front().operatorName);
      held = series.holdersAtPeak.front().bytes;
    }
    memory[series.device] = {{"start", level(series.startBytes)},
                             {"peak", level(series.peakBytes)},
                             {"end", level(series.endBytes)},
                             {"allocations", series.allocations},
                             {"frees", series.frees},
                             {"holder", holder},
                             {"held", held}};
  }
  EXPECT_EQ(memory, m_expected["memory"]);
}

INSTANTIATE_TEST_SUITE_P(Data, SmallTraces, testing::Values("cpu_small", "cuda_small", "rocm_small", "old_spellings"),
                         testName);

}  // namespace
}  // namespace attnscope::golden
