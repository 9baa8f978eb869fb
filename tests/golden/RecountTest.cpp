// SPDX-License-Identifier: Apache-2.0

// Public CUDA and ROCm traces: kernels, busy time, memory, device time of operators and comparisons against a recount.

#include "tests/golden/Recount.h"

#include <map>
#include <set>

#include "core/analysis/Kernels.h"
#include "core/analysis/Memory.h"
#include "core/analysis/Operators.h"
#include "core/compare/Comparison.h"
#include "tests/golden/Corpus.h"

namespace attnscope::golden {
namespace {

const std::vector<std::string>& publicTraces() {
  static const std::vector<std::string> kNames = {"b200_vllm_eager.json.gz",
                                                  "cuda_event_sync_multi_stream.json.gz",
                                                  "cupti_profiler_range.json.gz",
                                                  "diff_control.json.gz",
                                                  "diff_test.json.gz",
                                                  "gpu_user_annotation_steps.json.gz",
                                                  "h100_bert_small.json.gz",
                                                  "h100_qwen1.5_0.5b.json.gz",
                                                  "kineto_2020_array_resnet50.json.gz",
                                                  "kineto_2021_resnet50.json.gz",
                                                  "kineto_stream_sync.json",
                                                  "memory_nccl_216k.json.gz",
                                                  "mi210_gpu_only.json.gz",
                                                  "mi300_vit.json.gz",
                                                  "ns_resolution.json.gz",
                                                  "particle_transformer_gpu.json.gz",
                                                  "sampled_rank0.json.gz",
                                                  "sglang_qwen3_8b_prefill_decode.json.gz",
                                                  "torch_compile_triton.json.gz",
                                                  "vllm_decode_cuda_graph.json.gz"};
  return kNames;
}

class PublicTraces : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    const std::string path = corpusFolder() + GetParam();
    if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not there";
    m_trace = load(path);
    ASSERT_TRUE(m_trace);
    static std::map<std::string, Recount> done;  // slow, and wanted by each test of a trace
    if (done.count(path) == 0) done[path] = recount(unpackedText(path));
    m_recount = done[path];
    ASSERT_TRUE(m_recount.valid) << path;
  }
  std::shared_ptr<const Trace> m_trace;
  Recount m_recount;
};

TEST_P(PublicTraces, Kernels) {
  std::map<std::string, std::pair<std::uint64_t, std::int64_t>> kernels;
  std::int64_t total = 0;
  const KernelTable table = kernelTable(*m_trace);
  for (const KernelRow& row : table.rows) {
    kernels[std::string(m_trace->strings.view(row.name))] = {row.calls, row.totalNs};
    total += row.totalNs;
    EXPECT_LE(row.minNs, row.medianNs);
    EXPECT_LE(row.medianNs, row.p95Ns);
    EXPECT_LE(row.p95Ns, row.maxNs);
    EXPECT_LE(row.shortName.size(), 80u);
  }
  EXPECT_EQ(kernels, m_recount.kernels);
  EXPECT_EQ(total, table.totalNs);
}

TEST_P(PublicTraces, BusyTime) {
  std::map<std::int64_t, std::int64_t> busy;
  for (const DeviceBusy& device : deviceBusy(*m_trace)) busy[device.device] = device.busyNs;
  EXPECT_EQ(busy, m_recount.busyNs);
}

TEST_P(PublicTraces, Memory) {
  const auto series = memorySeries(*m_trace);
  EXPECT_EQ(series.size(), m_recount.memory.size());
  for (const MemorySeries& device : series) {
    const auto found = m_recount.memory.find({device.deviceType, device.deviceId});
    ASSERT_NE(found, m_recount.memory.end()) << device.device;
    EXPECT_EQ(device.allocations, found->second.allocations) << device.device;
    EXPECT_EQ(device.frees, found->second.frees) << device.device;
    EXPECT_EQ(device.hasTotals, found->second.peakBytes != INT64_MIN) << device.device;
    if (device.hasTotals) {
      EXPECT_EQ(device.peakBytes, found->second.peakBytes) << device.device;
    }
  }
}

TEST_P(PublicTraces, DeviceTimeOfOperators) {
  const OperatorTree tree = buildOperatorTree(*m_trace);
  const OperatorTable table = operatorTable(*m_trace, tree, OperatorGrouping::kByName);
  EXPECT_EQ(table.totals.deviceEventsNs, m_recount.deviceNs);
  std::map<std::string, std::int64_t> counted;
  for (const OperatorRow& row : table.rows) {
    if (row.deviceSelfNs != 0) counted[std::string(m_trace->strings.view(row.name))] += row.deviceSelfNs;
  }
  std::map<std::string, std::int64_t> expected;
  for (const auto& [name, ns] : m_recount.deviceNsOfOperator) {
    if (ns != 0) expected[name] = ns;
  }
  EXPECT_EQ(counted, expected);
}

TEST_P(PublicTraces, OperatorsSumToTheirTotals) {
  const OperatorTree tree = buildOperatorTree(*m_trace);
  std::int64_t top = 0;
  for (const OperatorNode& node : tree.nodes) {
    if (node.parent == OperatorNode::kNone) top += node.cpuTotalNs;
  }
  for (const auto grouping : {OperatorGrouping::kByName, OperatorGrouping::kByShape}) {
    const OperatorTable table = operatorTable(*m_trace, tree, grouping);
    std::int64_t self = 0;
    std::uint64_t calls = 0;
    for (const OperatorRow& row : table.rows) {
      self += row.cpuSelfNs;
      if (!row.isMemoryRow) calls += row.calls;
    }
    EXPECT_EQ(self, top);
    EXPECT_EQ(table.totals.cpuSelfNs, top);
    EXPECT_EQ(calls, tree.nodes.size());
  }
}

INSTANTIATE_TEST_SUITE_P(Corpus, PublicTraces, testing::ValuesIn(publicTraces()), testName);

// Each trace with the next one, whatever they are: groups and totals must agree for any two.
TEST(Comparisons, GroupsSumToTheTotals) {
  std::vector<std::shared_ptr<const Trace>> traces;
  std::vector<OperatorTree> trees;
  for (const std::string& name : publicTraces()) {
    if (!std::filesystem::exists(corpusFolder() + name)) continue;
    traces.push_back(load(corpusFolder() + name));
    ASSERT_TRUE(traces.back());
    trees.push_back(buildOperatorTree(*traces.back()));
  }
  if (traces.empty()) GTEST_SKIP() << corpusFolder() << " is not there";
  for (std::size_t i = 0; i < traces.size(); ++i) {
    const std::size_t next = (i + 1) % traces.size();
    std::vector<ComparedRun> runs = {{traces[i].get(), &trees[i], "a"}, {traces[next].get(), &trees[next], "b"}};
    if (i % 3 == 0) {  // a part of the first one
      const TimeRange whole = traces[i]->range;
      runs[0].scope = {whole.startNs + whole.durationNs() / 3, whole.startNs + whole.durationNs() / 2};
    }
    const Comparison comparison = compareRuns(runs);
    std::set<std::string> keys;
    for (std::size_t run = 0; run < 2; ++run) {
      std::int64_t host = 0;
      std::int64_t device = 0;
      for (const ComparisonGroup& group : comparison.groups) {
        host += group.runs[run].hostSelfNs;
        device += group.runs[run].deviceNs;
      }
      const OperatorTable table = operatorTable(*runs[run].trace, *runs[run].tree, OperatorGrouping::kByName,
                                                OperatorFilter::kAll, runs[run].scope);
      EXPECT_EQ(host, table.totals.cpuSelfNs) << traces[i]->path;
      EXPECT_EQ(device, table.totals.deviceEventsNs) << traces[i]->path;
      EXPECT_EQ(comparison.totals[run].hostSelfNs, host);
      EXPECT_EQ(comparison.totals[run].deviceNs, device);
      std::int64_t kernels = 0;
      for (const KernelGroup& group : comparison.kernels) kernels += group.runs[run].totalNs;
      EXPECT_EQ(comparison.totals[run].kernelNs, kernels);
    }
    for (const ComparisonGroup& group : comparison.groups) EXPECT_TRUE(keys.insert(group.key).second) << group.key;
  }
}

}  // namespace
}  // namespace attnscope::golden
