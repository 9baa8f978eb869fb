// SPDX-License-Identifier: Apache-2.0
// What is written and read again is the same trace.
#include "core/export/ChromeTraceWriter.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/unit/import/Files.h"

namespace attnscope {
namespace {

std::string argsOf(const Trace& trace, SliceId slice) {
  const auto text = trace.argsSource->read(trace.slices.args(slice));
  return text ? *text : "error";
}

void expectEqual(const Trace& a, const Trace& b) {
  EXPECT_EQ(a.base, b.base);
  EXPECT_EQ(a.range, b.range);
  ASSERT_EQ(a.slices.size(), b.slices.size());
  ASSERT_EQ(a.tracks.size(), b.tracks.size());
  for (std::size_t i = 0; i < a.tracks.size(); ++i) {
    EXPECT_EQ(a.tracks[i].name, b.tracks[i].name);
    EXPECT_EQ(a.tracks[i].kind, b.tracks[i].kind);
    EXPECT_EQ(a.tracks[i].sliceCount, b.tracks[i].sliceCount);
  }
  ASSERT_EQ(a.processes.size(), b.processes.size());
  for (std::size_t i = 0; i < a.processes.size(); ++i) {
    EXPECT_EQ(a.processes[i].name, b.processes[i].name);
    EXPECT_EQ(a.processes[i].kind, b.processes[i].kind);
  }
  EXPECT_EQ(a.slices.startNs, b.slices.startNs);
  EXPECT_EQ(a.slices.durationNs, b.slices.durationNs);
  EXPECT_EQ(a.slices.depth, b.slices.depth);
  EXPECT_EQ(a.slices.parent, b.slices.parent);
  EXPECT_EQ(a.slices.finished, b.slices.finished);
  EXPECT_EQ(a.slices.correlation, b.slices.correlation);
  for (std::uint32_t i = 0; i < a.slices.size(); ++i) {
    ASSERT_EQ(a.name(SliceId{i}), b.name(SliceId{i}));
    ASSERT_EQ(a.category(SliceId{i}), b.category(SliceId{i}));
  }
  EXPECT_EQ(a.deviceWork.launch, b.deviceWork.launch);
  EXPECT_EQ(a.deviceWork.launchOperator, b.deviceWork.launchOperator);
  EXPECT_EQ(a.instants.atNs, b.instants.atNs);
  EXPECT_EQ(a.instants.track, b.instants.track);
  EXPECT_EQ(a.memory.bytes, b.memory.bytes);
  EXPECT_EQ(a.flows.from, b.flows.from);
  EXPECT_EQ(a.flows.to, b.flows.to);
  ASSERT_EQ(a.counters.size(), b.counters.size());
  for (std::size_t i = 0; i < a.counters.size(); ++i) EXPECT_EQ(a.counters[i].atNs, b.counters[i].atNs);
  EXPECT_EQ(a.steps.size(), b.steps.size());
  EXPECT_EQ(a.kernels, b.kernels);
}

void roundTrip(const std::string& path) {
  SCOPED_TRACE(path);
  const testing::TemporaryFolder folder;
  const auto first = testing::load(path);
  ASSERT_TRUE(first) << first.error().message();
  for (const std::string& out : {folder.path("out.json"), folder.path("out.json.gz")}) {
    Progress progress;
    const auto written = writeChromeTrace(**first, out, progress, {});
    ASSERT_TRUE(written) << written.error().message();
    const auto second = testing::load(out);
    ASSERT_TRUE(second) << second.error().message();
    expectEqual(**first, **second);
    EXPECT_EQ((*second)->health.count(Severity::kLost), 0u);
    for (std::uint32_t i = 0; i < (*first)->slices.size(); i += 37)
      if (nlohmann::json::accept(argsOf(**first, SliceId{i}))) {
        EXPECT_EQ(argsOf(**first, SliceId{i}), argsOf(**second, SliceId{i}));
      }
  }
  EXPECT_TRUE(nlohmann::json::accept(testing::contentsOf(folder.path("out.json")))) << "valid JSON";
}

TEST(ChromeTraceWriter, HandMade) {
  const testing::TemporaryFolder folder;
  roundTrip(folder.write("in.json",
                         R"json({"schemaVersion": 1, "traceName": "C:\work", "baseTimeNanoseconds": 1767189312000000000,
    "traceEvents": [
    {"ph":"X","cat":"cpu_op","name":"a \"q\"","pid":5,"tid":5,"ts":10.001,"dur":5.5,"args":{"x":inf,"y":[1,]}},
    {"ph":"X","name":"zero","pid":5,"tid":5,"ts":11,"dur":0},
    {"ph":"B","name":"open","pid":5,"tid":"word","ts":3,"args":{"n":1}},
    {"ph":"b","name":"span","cat":"c","id":"0x1","pid":5,"tid":5,"ts":1},{"ph":"b","name":"in","cat":"c","id":"0x1","pid":5,"tid":5,"ts":2},
    {"ph":"e","name":"in","cat":"c","id":"0x1","pid":5,"tid":5,"ts":3},{"ph":"e","name":"span","cat":"c","id":"0x1","pid":5,"tid":5,"ts":4},
    {"ph":"X","cat":"cuda_runtime","name":"launch","pid":5,"tid":5,"ts":20,"dur":2,"args":{"correlation":3}},
    {"ph":"s","id":3,"cat":"ac2g","name":"ac2g","pid":5,"tid":5,"ts":20},
    {"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":30,"dur":2,"args":{"correlation":3}},
    {"ph":"X","cat":"kernel","name":"pdl","pid":0,"tid":7,"ts":31.5,"dur":2},
    {"ph":"f","bp":"e","id":3,"cat":"ac2g","name":"ac2g","pid":0,"tid":7,"ts":30},
    {"ph":"C","name":"mem","pid":5,"ts":1,"args":{"u":1.5,"v":nan}},{"ph":"C","name":"mem","id":"g","pid":5,"ts":2,"args":{"u":"7"}},
    {"ph":"i","s":"g","name":"end","pid":"","tid":"","ts":40},{"ph":"i","s":"t","name":"[memory]","pid":5,"tid":5,"ts":12,"args":{"Bytes":4}},
    {"ph":"M","name":"process_name","pid":5,"args":{"name":"python3"}},{"ph":"M","name":"thread_name","pid":5,"tid":5,"args":{"name":"thread 5 (python3)"}}]})json"));
}

TEST(ChromeTraceWriter, TheBaseOfTheClockInAnySpelling) {
  const testing::TemporaryFolder folder;
  for (const std::string base : {"\"1767189312000000000\"", "1.767189312e18", "1e40", "null"})
    roundTrip(folder.write("in.json", R"json({"baseTimeNanoseconds": )json" + base + R"json(, "traceEvents": [
      {"ph":"X","name":"a","pid":5,"tid":5,"ts":10.001,"dur":5.5}]})json"));
}

TEST(ChromeTraceWriter, PublicFiles) {
  const std::string folder = std::string(ATTNSCOPE_CORPUS_DIR) + "/traces/";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no folder " << folder;
  for (const char* name :
       {"b200_vllm_eager.json.gz", "mi300_vit.json.gz", "particle_transformer_gpu.json.gz", "h100_bert_small.json.gz",
        "kineto_stream_sync.json", "clang_time_trace.json", "flow_simple.json", "viztracer_multithread.json",
        "rpd_all_strings.json", "instance_counters.json", "vllm_decode_cuda_graph.json.gz"})
    if (std::filesystem::exists(folder + name)) roundTrip(folder + name);
}

TEST(ChromeTraceWriter, NothingIsLeftOfAFailure) {
  const testing::TemporaryFolder folder;
  const auto trace = testing::load(folder.write("in.json", R"([{"ph":"X","name":"a","ts":1,"dur":1}])"));
  ASSERT_TRUE(trace);
  Progress progress;
  const auto missing = writeChromeTrace(**trace, folder.path("no/such/out.json"), progress, {});
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().message().find("out.json"), std::string::npos);
  std::stop_source stop;
  stop.request_stop();
  const auto stopped = writeChromeTrace(**trace, folder.path("out.json"), progress, stop.get_token());
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().kind, ErrorKind::kCancelled);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path("")), {}), 1) << "only the input";
}

}  // namespace
}  // namespace attnscope
