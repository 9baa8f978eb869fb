// SPDX-License-Identifier: Apache-2.0

// Recordings with PyTorch's own figures beside them: every row and every column, to the nanosecond and byte.

#include <map>

#include "core/analysis/Memory.h"
#include "core/analysis/Operators.h"
#include "tests/golden/Corpus.h"

namespace attnscope::golden {
namespace {

std::string recordings() { return corpusFolder() + "torch-2.11-cpu/"; }

struct Row {
  std::uint64_t calls = 0;
  std::int64_t cpuTotalNs = 0;
  std::int64_t cpuSelfNs = 0;
  std::int64_t memoryBytes = 0;
  std::int64_t memorySelfBytes = 0;
  bool operator==(const Row&) const = default;
};

void PrintTo(const Row& row, std::ostream* out) {
  *out << row.calls << " calls, " << row.cpuTotalNs << " / " << row.cpuSelfNs << " ns, " << row.memoryBytes << " / "
       << row.memorySelfBytes << " bytes";
}

using Rows = std::map<std::string, Row>;

std::string keyOf(const std::string& name, bool annotation, const std::string& shapes) {
  return name + (annotation ? " (annotation) " : " ") + shapes;
}

Rows expectedRows(const Json& list, bool byShape) {
  Rows rows;
  for (const Json& row : list) {
    const std::string shapes = byShape ? row["input_shapes"].dump() : "";
    rows[keyOf(row["name"], row["is_user_annotation"], shapes)] = {
        row["calls"], row["cpu_total_ns"], row["cpu_self_ns"], row["cpu_memory_bytes"], row["self_cpu_memory_bytes"]};
  }
  return rows;
}

Rows countedRows(const Trace& trace, bool byShape) {
  const OperatorTree tree = buildOperatorTree(trace);
  const OperatorTable table =
      operatorTable(trace, tree, byShape ? OperatorGrouping::kByShape : OperatorGrouping::kByName);
  Rows rows;
  for (const OperatorRow& row : table.rows) {
    const std::string shapes = byShape ? Json::parse(row.shapesText).dump() : "";
    const std::string key = keyOf(row.nameText, row.isUserAnnotation, shapes);
    EXPECT_EQ(rows.count(key), 0u) << key << " has two rows";
    rows[key] = {row.calls, row.cpuTotalNs, row.cpuSelfNs, row.cpuMemoryBytes, row.cpuMemorySelfBytes};
  }
  return rows;
}

void expectEqual(const Rows& counted, const Rows& expected) {
  for (const auto& [key, row] : expected) {
    const auto found = counted.find(key);
    if (found == counted.end()) {
      ADD_FAILURE() << key << " is missing";
    } else {
      EXPECT_EQ(found->second, row) << key;
    }
  }
  EXPECT_EQ(counted.size(), expected.size());
}

class KeyAverages : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    m_expected = Json::parse(readText(recordings() + GetParam() + ".expected.json"));
    m_trace = load(recordings() + GetParam() + ".json.gz");
    ASSERT_TRUE(m_trace);
  }
  [[nodiscard]] const Json& answer(const std::string& list) const {
    return m_expected.contains(list + "_as_exported") ? m_expected[list + "_as_exported"] : m_expected[list];
  }
  // ns in the file's own clock.
  [[nodiscard]] std::int64_t inFile(std::int64_t ns) const {
    std::int64_t base = 0;
    for (const auto& [key, value] : m_trace->metadata) {
      if (key == "baseTimeNanoseconds") base = std::stoll(value);
    }
    return std::stoll(m_trace->base) - base + ns;
  }
  std::shared_ptr<const Trace> m_trace;
  Json m_expected;
};

TEST_P(KeyAverages, OperatorsByName) {
  expectEqual(countedRows(*m_trace, false), expectedRows(answer("operators"), false));
}

TEST_P(KeyAverages, OperatorsByShape) {
  expectEqual(countedRows(*m_trace, true), expectedRows(answer("operators_by_shape"), true));
}

TEST_P(KeyAverages, TotalsEventsAndSteps) {
  const OperatorTable table = operatorTable(*m_trace, buildOperatorTree(*m_trace), OperatorGrouping::kByName);
  std::int64_t sum = 0;
  for (const Json& row : answer("operators")) sum += row["cpu_self_ns"].get<std::int64_t>();
  EXPECT_EQ(table.totals.cpuSelfNs, sum);
  if (m_expected["checks"]["async_events"] == 0) {  // the file does not say which operators were async
    EXPECT_EQ(table.totals.cpuSelfNs, m_expected["totals"]["cpu_self_ns"].get<std::int64_t>());
  }
  EXPECT_EQ(m_trace->events, m_expected["events"]["total"].get<std::uint64_t>());
  const Json& steps = m_expected["steps"];
  ASSERT_EQ(m_trace->steps.size(), steps.size());
  for (std::size_t i = 0; i < steps.size(); ++i) {
    EXPECT_EQ(m_trace->strings.view(m_trace->steps[i].name), steps[i]["name"].get<std::string>());
    EXPECT_EQ(inFile(m_trace->steps[i].startNs), steps[i]["start_ns"].get<std::int64_t>());
    EXPECT_EQ(m_trace->steps[i].durationNs, steps[i]["duration_ns"].get<std::int64_t>());
  }
}

TEST_P(KeyAverages, Memory) {
  const Json& expected = m_expected["memory"];
  const auto series = memorySeries(*m_trace);
  if (expected.is_null()) {
    EXPECT_TRUE(series.empty());
    return;
  }
  ASSERT_EQ(series.size(), 1u);
  EXPECT_EQ(m_trace->memory.size(), expected["events"].get<std::size_t>());
  EXPECT_EQ(series[0].allocations, expected["allocations"].get<std::uint64_t>());
  EXPECT_EQ(series[0].frees, expected["frees"].get<std::uint64_t>());
  EXPECT_EQ(series[0].startBytes, expected["start_bytes"].get<std::int64_t>());
  EXPECT_EQ(series[0].peakBytes, expected["peak_bytes"].get<std::int64_t>());
  EXPECT_EQ(inFile(series[0].peakAtNs), expected["peak_at_ns"].get<std::int64_t>());
  EXPECT_EQ(series[0].endBytes, expected["end_bytes"].get<std::int64_t>());
}

INSTANTIATE_TEST_SUITE_P(Recordings, KeyAverages, testing::ValuesIn(namesIn(recordings(), ".expected.json")), testName);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(KeyAverages);

TEST(KeyAveragesCorpus, IsThere) {
  if (namesIn(recordings(), ".expected.json").empty()) GTEST_SKIP() << recordings() << " is not there";
}

}  // namespace
}  // namespace attnscope::golden
