// SPDX-License-Identifier: Apache-2.0
// What is written and read again is the same trace.
#include "core/export/ChromeTraceWriter.h"

#include <gtest/gtest.h>

#include <cmath>

#include <nlohmann/json.hpp>

#include "tests/unit/import/Files.h"

namespace attnscope {
namespace {

using testing::find;

const WriteOptions kAll{.range = {}, .keepsPersonal = true};

std::vector<std::string> stackNames(const Trace& trace, std::size_t row) {
  std::vector<std::string> names;
  for (const std::uint32_t frame : {trace.stacks.atBegin[row], trace.stacks.atEnd[row]})
    for (const StringId name : trace.stacks.names(frame)) names.emplace_back(trace.strings.view(name));
  return names;
}

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
  for (std::size_t i = 0; i < a.counters.size(); ++i) {
    for (std::size_t k = 0; k < a.counters[i].value.size(); ++k) {
      const double value = a.counters[i].value[k];
      if (std::isfinite(value)) {
        EXPECT_EQ(value, b.counters[i].value[k]);
      } else {
        EXPECT_FALSE(std::isfinite(b.counters[i].value[k]));
      }
    }
  }
  EXPECT_EQ(a.stacks.slice, b.stacks.slice);
  for (std::size_t i = 0; i < std::min(a.stacks.size(), b.stacks.size()); ++i)
    EXPECT_EQ(stackNames(a, i), stackNames(b, i));
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
    const auto written = writeChromeTrace(**first, out, kAll, progress, {});
    ASSERT_TRUE(written) << written.error().message();
    const auto second = testing::load(out);
    ASSERT_TRUE(second) << second.error().message();
    expectEqual(**first, **second);
    EXPECT_EQ((*second)->health.count(Severity::kLost), 0u);
    for (std::uint32_t i = 0; i < (*first)->slices.size(); i += 37)
      if (nlohmann::json::accept(argsOf(**first, SliceId{i}))) {
        EXPECT_EQ(nlohmann::ordered_json::parse(argsOf(**first, SliceId{i})),
                  nlohmann::ordered_json::parse(argsOf(**second, SliceId{i})));
      }
  }
  EXPECT_TRUE(nlohmann::json::accept(testing::contentsOf(folder.path("out.json")))) << "valid JSON";
}

TEST(ChromeTraceWriter, HandMade) {
  const testing::TemporaryFolder folder;
  roundTrip(folder.write("in.json",
                         R"json({"schemaVersion": 1, "traceName": "C:\work", "baseTimeNanoseconds": 1767189312000000000,
    "stackFrames": {"1": {"name": "main", "category": "py"}, "2": {"name": "f", "parent": 1}},
    "traceEvents": [
    {"ph":"X","cat":"cpu_op","name":"a \"q\"","pid":5,"tid":5,"ts":10.001,"dur":5.5,"args":{"x":inf,"y":[1,]}},
    {"ph":"X","name":"stacked","pid":5,"tid":5,"ts":12,"dur":1,"stack":["leaf","root"],"sf":"1"},
    {"ph":"B","name":"stacked","pid":5,"tid":5,"ts":14,"sf":"1"},{"ph":"E","pid":5,"tid":5,"ts":15,"sf":2},
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
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    const bool isTrace = name.find(".json") != std::string::npos && name.rfind("execution_trace", 0) != 0 &&
                         name.rfind("memory_timeline", 0) != 0;
    // Hundreds of thousands of events, all of kinds that the others have.
    const bool isLarge = entry.is_regular_file() && entry.file_size() > 900'000;
    if (isTrace && !isLarge) roundTrip(entry.path().string());
  }
}

// Two launches with their kernels; the range holds the second kernel alone.
const char* const kTwoLaunches =
    R"json({"schemaVersion": 1, "baseTimeNanoseconds": 1000000, "traceName": "/home/alice/t.json",
    "stackFrames": {"1": {"name": "main"}, "2": {"name": "forward", "parent": "1"}, "3": {"name": "unused"}},
    "traceEvents": [
    {"ph":"X","cat":"user_annotation","name":"ProfilerStep#1","pid":5,"tid":5,"ts":0,"dur":60},
    {"ph":"X","cat":"cpu_op","name":"outer","pid":5,"tid":5,"ts":1,"dur":9,"args":{"External id":1}},
    {"ph":"X","cat":"cpu_op","name":"first","pid":5,"tid":5,"ts":2,"dur":2,"args":{"External id":2}},
    {"ph":"X","cat":"cuda_runtime","name":"launch1","pid":5,"tid":5,"ts":3,"dur":1,"args":{"correlation":1,"External id":2}},
    {"ph":"X","cat":"cpu_op","name":"second","pid":5,"tid":5,"ts":5,"dur":4,"sf":2,"args":{"External id":3}},
    {"ph":"X","cat":"cuda_runtime","name":"launch2","pid":5,"tid":5,"ts":6,"dur":1,"args":{"correlation":2,"External id":3}},
    {"ph":"s","id":2,"cat":"ac2g","name":"ac2g","pid":5,"tid":5,"ts":6},
    {"ph":"X","cat":"kernel","name":"k1","pid":0,"tid":7,"ts":20,"dur":5,"args":{"correlation":1,"External id":2}},
    {"ph":"X","cat":"kernel","name":"k2","pid":0,"tid":7,"ts":30,"dur":5,"args":{"correlation":2,"External id":3}},
    {"ph":"f","bp":"e","id":2,"cat":"ac2g","name":"ac2g","pid":0,"tid":7,"ts":30},
    {"ph":"X","cat":"cpu_op","name":"other","pid":5,"tid":6,"ts":50,"dur":5},
    {"ph":"C","name":"mem","pid":5,"ts":1,"args":{"u":1}},{"ph":"C","name":"mem","pid":5,"ts":10,"args":{"u":2}},
    {"ph":"C","name":"mem","pid":5,"ts":32,"args":{"u":3}},{"ph":"C","name":"mem","pid":5,"ts":50,"args":{"u":4}},
    {"ph":"i","s":"t","name":"in","pid":5,"tid":5,"ts":31},{"ph":"i","s":"t","name":"out","pid":5,"tid":5,"ts":55},
    {"ph":"M","name":"process_name","pid":5,"args":{"name":"python3"}}]})json";

TEST(ChromeTraceWriter, ARangeBringsWhatItNeeds) {
  const testing::TemporaryFolder folder;
  const auto whole = testing::load(folder.write("in.json", kTwoLaunches));
  ASSERT_TRUE(whole);
  Progress progress;
  const auto written =
      writeChromeTrace(**whole, folder.path("out.json"), {.range = TimeRange{30000, 35000}}, progress, {});
  ASSERT_TRUE(written) << written.error().message();
  const auto part = testing::load(folder.path("out.json"));
  ASSERT_TRUE(part) << part.error().message();
  std::vector<std::string> names;
  for (std::uint32_t i = 0; i < (*part)->slices.size(); ++i) names.emplace_back((*part)->name(SliceId{i}));
  EXPECT_EQ(names, (std::vector<std::string>{"ProfilerStep#1", "outer", "second", "launch2", "k2"}));
  EXPECT_EQ((*part)->tracks.size(), 3u) << "the rows of what is there, and the counter";
  EXPECT_EQ((*part)->deviceWork.launch[0], find(**part, "launch2"));
  EXPECT_EQ((*part)->deviceWork.launchOperator[0], find(**part, "second"));
  EXPECT_EQ((*part)->flows.size(), 1u);
  EXPECT_EQ((*part)->steps.size(), 1u);
  EXPECT_EQ((*part)->base, (*whole)->base) << "times are those of the whole";
  EXPECT_EQ((*part)->slices.startNs[index(find(**part, "k2"))], 30000);
  ASSERT_EQ((*part)->counters.size(), 1u);
  EXPECT_EQ((*part)->counters[0].value, (std::vector<double>{2, 3}));
  ASSERT_EQ((*part)->instants.size(), 1u);
  EXPECT_EQ((*part)->strings.view((*part)->instants.name[0]), "in");
  ASSERT_EQ((*part)->stacks.size(), 1u);
  EXPECT_EQ((*part)->stacks.frameName.size(), 2u);
  EXPECT_EQ((*part)->health.count(Severity::kLost), 0u);
  const auto json = nlohmann::json::parse(testing::contentsOf(folder.path("out.json")));
  EXPECT_EQ(json["attnscopeRange"]["start_us"], 30);
  EXPECT_EQ(json["attnscopeRange"]["end_us"], 35);
}

TEST(ChromeTraceWriter, WhatIsPersonalStaysOutUnlessAskedFor) {
  const testing::TemporaryFolder folder;
  const std::string text =
      R"json({"traceName": "/home/alice/run/t.json", "host_name": "gpu7.example.org", "username": "alice",
    "HF_TOKEN": "abcdefgh12345678", "metadata": {"env": {"HOSTNAME": "gpu7", "API_KEY": "zzzzzzzzzz", "MODEL": "/data/alice/m"}},
    "traceEvents": [
    {"ph":"X","name":"/home/alice/a.py(3): f","pid":1,"tid":1,"ts":1,"dur":1,
     "args":{"file":"C:\\Users\\alice\\b.py","num_tokens":512,"auth_token":"secretsecret","note":"on gpu7, ghp_0123456789abcdefghij"}}]})json";
  const auto trace = testing::load(folder.write("in.json", text));
  ASSERT_TRUE(trace);
  Progress progress;
  ASSERT_TRUE(writeChromeTrace(**trace, folder.path("clean.json"), {}, progress, {}));
  const std::string clean = testing::contentsOf(folder.path("clean.json"));
  for (const char* personal : {"alice", "gpu7", "example.org", "abcdefgh", "zzzzz", "secretsecret", "ghp_"})
    EXPECT_EQ(clean.find(personal), std::string::npos) << personal << " in " << clean;
  ASSERT_TRUE(nlohmann::json::accept(clean)) << clean;
  const auto json = nlohmann::json::parse(clean);
  EXPECT_EQ(json["traceName"], "~/run/t.json");
  EXPECT_EQ(json["metadata"]["env"]["MODEL"], "/data/user/m");
  const auto again = testing::load(folder.path("clean.json"));
  ASSERT_TRUE(again);
  EXPECT_EQ((*again)->name(SliceId{0}), "~/a.py(3): f");
  EXPECT_NE(argsOf(**again, SliceId{0}).find(R"("num_tokens":512)"), std::string::npos);
  ASSERT_TRUE(writeChromeTrace(**trace, folder.path("all.json"), kAll, progress, {}));
  EXPECT_NE(testing::contentsOf(folder.path("all.json")).find("gpu7.example.org"), std::string::npos);
}

TEST(ChromeTraceWriter, NothingIsLeftOfAFailure) {
  const testing::TemporaryFolder folder;
  const auto trace = testing::load(folder.write("in.json", R"([{"ph":"X","name":"a","ts":1,"dur":1}])"));
  ASSERT_TRUE(trace);
  Progress progress;
  const auto missing = writeChromeTrace(**trace, folder.path("no/such/out.json"), {}, progress, {});
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().message().find("out.json"), std::string::npos);
  std::stop_source stop;
  stop.request_stop();
  const auto stopped = writeChromeTrace(**trace, folder.path("out.json"), {}, progress, stop.get_token());
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().kind, ErrorKind::kCancelled);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path("")), {}), 1) << "only the input";
}

}  // namespace
}  // namespace attnscope
