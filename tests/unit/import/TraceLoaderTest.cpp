// SPDX-License-Identifier: Apache-2.0
#include "core/import/TraceLoader.h"

#include <gtest/gtest.h>
#include <malloc.h>

#include <atomic>
#include <thread>

#include "tests/unit/import/Files.h"

namespace attnscope {
namespace {

using testing::find;
using testing::healthOf;
using testing::loadText;

TEST(TraceLoader, KinetoLinksLaunchesAndOperators) {
  const auto trace = loadText(R"json({"schemaVersion": 1, "baseTimeNanoseconds": 1767189312000000000,
    "deviceProperties": [{"id": 0, "name": "A", "numSms": 80, "computeMajor": 7, "computeMinor": 0}],
    "distributedInfo": {"backend": "nccl", "rank": 3},
    "traceEvents": [
    {"ph":"X","cat":"user_annotation","name":"ProfilerStep#2","pid":9,"tid":9,"ts":0,"dur":90.5,"args":{"External id":1}},
    {"ph":"X","cat":"cpu_op","name":"aten::mm","pid":9,"tid":9,"ts":1.001,"dur":50,
     "args":{"External id":5,"Input Dims":[[8,  64],[ ],
       [64, 8]]}},
    {"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":9,"tid":9,"ts":2,"dur":3,"args":{"correlation":77,"External id":5}},
    {"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":20,"dur":5,"args":{"device":0,"stream":7,"correlation":77,
     "External id":5,"grid":[4,2,1],"block":[128,1,1],"registers per thread":64,"shared memory":1024,"est. achieved occupancy %":50}},
    {"ph":"X","cat":"gpu_memcpy","name":"Memcpy HtoD","pid":0,"tid":7,"ts":30,"dur":1,"args":{"bytes":4096,"correlation":0}},
    {"ph":"i","s":"t","name":"[memory]","cat":"cpu_instant_event","pid":9,"tid":9,"ts":3,"args":{"Bytes":-64,"Addr":4096,
     "Total Allocated":128,"Device Type":1,"Device Id":0,"Ev Idx":4}},
    {"ph":"M","name":"thread_name","pid":9,"tid":9,"args":{"name":"thread 9 (python3)"}},
    {"ph":"M","name":"process_labels","pid":0,"args":{"labels":"GPU 0"}},
    {"ph":"M","name":"process_name","pid":1,"args":{"name":"python3"}}]})json");
  ASSERT_EQ(trace->slices.size(), 5u);
  EXPECT_EQ(trace->base, "1767189312000000000");
  EXPECT_EQ(trace->producer, "kineto");
  EXPECT_EQ(trace->rank.index, 3);
  EXPECT_EQ(trace->rank.source, "distributedInfo");
  EXPECT_EQ(trace->kernels, 1u);
  ASSERT_EQ(trace->devices.size(), 1u);
  EXPECT_EQ(trace->devices[0].smCount, 80);
  ASSERT_EQ(trace->processes.size(), 2u) << "a process without events is hidden";
  EXPECT_EQ(trace->processes[0].kind, ProcessKind::kHost);
  EXPECT_EQ(trace->processes[1].kind, ProcessKind::kDevice);
  EXPECT_EQ(trace->processes[1].labels, "GPU 0");
  EXPECT_EQ(trace->tracks[0].name, "python3 9, main thread");
  EXPECT_EQ(trace->tracks[1].name, "stream 7");
  EXPECT_EQ(trace->tracks[1].kind, TrackKind::kStream);
  ASSERT_EQ(trace->steps.size(), 1u);
  EXPECT_EQ(trace->steps[0].durationNs, 90500);
  const SliceId mm = find(*trace, "aten::mm");
  EXPECT_EQ(trace->strings.view(trace->slices.inputDims[index(mm)]), "[[8, 64], [], [64, 8]]");
  EXPECT_EQ(trace->slices.startNs[index(mm)], 1001);
  ASSERT_EQ(trace->deviceWork.size(), 2u);
  EXPECT_EQ(trace->deviceWork.launch[0], find(*trace, "cudaLaunchKernel"));
  EXPECT_EQ(trace->deviceWork.launchOperator[0], mm);
  EXPECT_EQ(trace->deviceWork.grid[0], (std::array<std::int32_t, 3>{4, 2, 1}));
  EXPECT_EQ(trace->deviceWork.registersPerThread[0], 64);
  EXPECT_FLOAT_EQ(trace->deviceWork.occupancyReported[0], 0.5f);
  EXPECT_EQ(trace->deviceWork.bytes[1], 4096);
  EXPECT_EQ(trace->deviceWork.launch[1], kNoSlice) << "correlation 0 is none";
  ASSERT_EQ(trace->memory.size(), 1u);
  EXPECT_EQ(trace->memory.bytes[0], -64);
  EXPECT_EQ(trace->memory.totalAllocated[0], 128);
  EXPECT_EQ(trace->memory.totalReserved[0], kNoNumber);
  EXPECT_EQ(trace->instants.size(), 1u);
}

// External id as the event's own correlation (2021 to 2024): the operator is the innermost open one at the launch.
TEST(TraceLoader, NumbersBeyondTheirColumnAreNotRecorded) {
  const auto trace = loadText(R"json([
    {"ph":"X","cat":"kernel","name":"k","pid":"gpu","tid":7,"ts":1,"dur":1,
     "args":{"device":4294967296,"registers per thread":8589934656,"shared memory":8589934656}},
    {"ph":"i","name":"[memory]","pid":9,"tid":9,"ts":3,"args":{"Bytes":64,"Device Type":65536,"Device Id":65536}}])json");
  ASSERT_EQ(trace->deviceWork.size(), 1u);
  EXPECT_EQ(trace->deviceWork.device[0], -1);
  EXPECT_EQ(trace->deviceWork.registersPerThread[0], -1);
  EXPECT_EQ(trace->deviceWork.sharedMemoryBytes[0], 8589934656);
  ASSERT_EQ(trace->memory.size(), 1u);
  EXPECT_EQ(trace->memory.deviceId[0], -1);
}

TEST(TraceLoader, OwnCorrelationAsExternalId) {
  const auto trace = loadText(R"({"traceEvents": [
    {"ph":"X","cat":"cpu_op","name":"outer","pid":9,"tid":9,"ts":1,"dur":50,"args":{"External id":100}},
    {"ph":"X","cat":"cpu_op","name":"inner","pid":9,"tid":9,"ts":2,"dur":30,"args":{"External id":101}},
    {"ph":"X","cat":"user_annotation","name":"note","pid":9,"tid":9,"ts":3,"dur":20,"args":{"External id":102}},
    {"ph":"X","cat":"cuda_runtime","name":"launch","pid":9,"tid":9,"ts":4,"dur":3,"args":{"correlation":7,"External id":7}},
    {"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":20,"dur":5,"args":{"correlation":7,"External id":7}}]})");
  ASSERT_EQ(trace->deviceWork.size(), 1u);
  EXPECT_EQ(trace->deviceWork.launchOperator[0], find(*trace, "inner"));
}

TEST(TraceLoader, HostAndDeviceShareAProcessNumber) {
  const auto trace = loadText(R"([{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":1,"dur":1},
    {"ph":"X","cat":"python_function","name":"f","pid":0,"tid":0,"ts":1,"dur":1},
    {"ph":"X","cat":"strange","name":"s","pid":0,"tid":7,"ts":3,"dur":1}])");
  ASSERT_EQ(trace->processes.size(), 2u);
  ASSERT_EQ(trace->tracks.size(), 2u);
  EXPECT_EQ(trace->tracks[0].kind, TrackKind::kThread);
  EXPECT_EQ(trace->tracks[1].kind, TrackKind::kStream);
  EXPECT_EQ(trace->tracks[1].sliceCount, 2u) << "a category that says nothing stays with its thread";
}

TEST(TraceLoader, TimesBeyond64Bits) {
  const auto trace = loadText(R"([{"ph":"M","name":"x","ts":0},
    {"ph":"X","name":"a","ts":13984392629999074,"dur":2},{"ph":"X","name":"b","ts":13984392629999075.5,"dur":0.25}])");
  EXPECT_EQ(trace->base, "13984392629999074000");
  EXPECT_EQ(trace->slices.startNs[index(find(*trace, "b"))], 1500);
  EXPECT_EQ(trace->slices.durationNs[index(find(*trace, "b"))], 250);
  EXPECT_EQ(healthOf(*trace, "time.out-of-range"), nullptr);
}

TEST(TraceLoader, DamageIsLeftOutAndCounted) {
  const auto trace = loadText(R"({"traceEvents": [
    {"ph":"X","name":"a","ts":1,"dur":1},
    {"ph":"X","name":"bro"ken","ts":2,"dur":1},
    {"ph":"X","name":"b","ts":3,"dur":inf,"args":{"x":N/A,"y":[1,]}},
    {"ph":"X","name":"c","ts":4,"dur":1},,
    {"ph":"X","name":"d","ts":5,"du)");
  EXPECT_EQ(trace->slices.size(), 3u);
  ASSERT_NE(healthOf(*trace, "json.broken-event"), nullptr);
  EXPECT_EQ(healthOf(*trace, "json.broken-event")->firstEvent, 1u);
  EXPECT_NE(healthOf(*trace, "json.bare-word"), nullptr);
  EXPECT_NE(healthOf(*trace, "json.comma"), nullptr);
  EXPECT_NE(healthOf(*trace, "json.cut"), nullptr);
  EXPECT_NE(healthOf(*trace, "slice.no-duration"), nullptr);
}

TEST(TraceLoader, RankFromTheName) {
  for (const auto& [name, rank] :
       std::vector<std::pair<std::string, std::int64_t>>{{"rank-3.json", 3},
                                                         {"trace_rank_4.json", 4},
                                                         {"rank15_trace.json", 15},
                                                         {"worker6.1623143566756.pt.trace.json", 6},
                                                         {"frank5.json", -1},
                                                         {"trace.json", -1}}) {
    EXPECT_EQ(loadText(R"([{"ph":"X","name":"a","ts":1,"dur":1}])", name)->rank.index, rank) << name;
  }
}

TEST(TraceLoader, AFewFarEventsDoNotSetTheFirstView) {
  std::string text = R"([{"ph":"X","name":"far","pid":1,"tid":1,"ts":1,"dur":1})";
  for (int i = 0; i < 200; ++i)
    text += R"(,{"ph":"X","name":"a","pid":1,"tid":1,"ts":)" + std::to_string(1000000000 + i * 10) + R"(,"dur":5})";
  const auto trace = loadText(text + "]");
  EXPECT_EQ(trace->range.startNs, 0);
  EXPECT_EQ(trace->dense.startNs, 999999999000);
  EXPECT_EQ(trace->dense.endNs, trace->range.endNs);
}

TEST(TraceLoader, AFewFarEventsAmongManyDoNotSetTheFirstView) {
  std::string text = R"([{"ph":"X","name":"far","pid":1,"tid":1,"ts":1,"dur":1})";
  for (int i = 0; i < 20000; ++i)
    text += R"(,{"ph":"X","name":"a","pid":1,"tid":1,"ts":)" + std::to_string(100000000 + i * 10) + R"(,"dur":5})";
  text += R"(,{"ph":"X","name":"late","pid":1,"tid":1,"ts":900000000,"dur":5})";
  const auto trace = loadText(text + "]");
  ASSERT_EQ(trace->tracks[0].rows.size(), 1u);
  EXPECT_EQ(trace->dense.startNs, 99999999000);
  EXPECT_EQ(trace->dense.endNs, 100000000000 + 19999 * 10000 + 5000 - 1000);
}

TEST(TraceLoader, DeepArgsDoNotOverflow) {
  const std::string deep = std::string(200000, '[') + std::string(200000, ']');
  const auto trace = loadText(R"([{"ph":"X","name":"a","ts":1,"dur":1,"args":{"x":)" + deep +
                              R"(}},{"ph":"X","name":"b","ts":3,"dur":1}])");
  EXPECT_EQ(trace->slices.size(), 2u);
}

TEST(TraceLoader, BordersInsideStringsAndArgsAreSeenThrough) {
  // Text that looks like the beginning of an event stands in names and args; blocks are tiny.
  std::string text = "[";
  for (int i = 0; i < 300; ++i)
    text += std::string(i ? "," : "") +
            R"({"name":"x},{\"ph\":\"X\",\"ts\":1}","args":{"l":[{"a":1},{"ph":"X","ts":7,"dur":1}]},"ts":)" +
            std::to_string(i) + R"(,"dur":1,"ph":"X"})";
  text += "]";
  const testing::TemporaryFolder folder;
  const std::string path = folder.write("x.json", text);
  for (const std::uint64_t block : {1u, 64u, 100u, 333u, 1000u, 100000u}) {
    LoadOptions options;
    options.blockBytes = block;
    const auto trace = testing::load(path, options);
    ASSERT_TRUE(trace);
    EXPECT_EQ((*trace)->events, 300u);
    EXPECT_EQ((*trace)->slices.size(), 300u);
    EXPECT_EQ((*trace)->health.entries().size(), 0u);
  }
}

// Two writers overran each other: brackets that nothing closes must not swallow what follows.
TEST(TraceLoader, BracketsThatAreNeverClosedLoseTheirOwnEventAlone) {
  const auto trace = loadText(R"({"traceEvents": [
    {"ph":"X","name":"a","ts":1,"dur":1},
    {"ph":"X","name":"bad","ts":2,"dur":1,"args":{"d":{"x":1,
    {"ph":"X","name":"b","ts":3,"dur":1},
    {"ph":"X","name":"bad","ts":4,"dur":1,"args":{"Input Dims":[[1,2],[3,
    {"ph":"X","name":"c","ts":5,"dur":1}], "distributedInfo": {"rank": 4}})");
  EXPECT_EQ(trace->slices.size(), 3u);
  EXPECT_EQ(trace->rank.index, 4);
  ASSERT_NE(healthOf(*trace, "json.broken-event"), nullptr);
  EXPECT_EQ(healthOf(*trace, "json.broken-event")->count, 2u);
}

TEST(TraceLoader, BracketsWithoutEndTakeNoTimeSquared) {
  for (const char* part : {R"(,{"ph":{"a)", R"([{"ph":"B","a":[{},)", R"(,{"ph":"X")", R"(,{"ph":"X","args":[{"a":)"}) {
    std::string text = R"([{"ph":"X","name":"a","ts":1,"dur":1})";
    while (text.size() < 1'000'000) text += part;
    EXPECT_EQ(loadText(text)->slices.size(), 1u) << part;
  }
}

TEST(TraceLoader, DamageBesideTheEventsCostsItsOwnKeyAlone) {
  const std::string events = R"("traceEvents": [{"ph":"X","name":"a","ts":1,"dur":1}])";
  const std::string rank = R"("distributedInfo": {"rank": 4})";
  for (const char* damage : {R"("traceName": "a"b"c")", R"(traceName: 3)", R"("traceName" "no colon")",
                             R"("traceName": "never closed)", R"(], nonsense)"}) {
    const auto behind = loadText("{" + events + ", " + damage + ", " + rank + "}");
    EXPECT_EQ(behind->slices.size(), 1u) << damage;
    EXPECT_EQ(behind->rank.index, 4) << damage;
    EXPECT_NE(healthOf(*behind, "json.broken-key"), nullptr) << damage;
    const auto before = loadText("{" + std::string(damage) + ", " + events + ", " + rank + "}");
    EXPECT_EQ(before->slices.size(), 1u) << damage;
    EXPECT_EQ(before->rank.index, 4) << damage;
  }
  EXPECT_EQ(loadText(R"({"deviceProperties": [[[{"id": 0}], )" + events + "}")->slices.size(), 1u);
}

TEST(TraceLoader, OneCorrelationForEverythingTakesNoTimeSquared) {
  constexpr int kMany = 20000;
  std::string text = "[";
  for (int i = 0; i < kMany; ++i) {
    const std::string at = std::to_string(10 * i);
    text += R"({"ph":"X","cat":"cuda_runtime","name":"launch","pid":1,"tid":1,"ts":)" + at +
            R"(,"dur":1,"args":{"correlation":7}},)" + R"({"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":)" +
            at + R"(.5,"dur":1,"args":{"correlation":7}},)";
  }
  const auto trace = loadText(text);
  ASSERT_EQ(trace->deviceWork.size(), static_cast<std::size_t>(kMany));
  for (std::size_t i = 0; i < trace->deviceWork.size(); i += 997) {
    const std::size_t kernel = index(trace->deviceWork.slice[i]);
    ASSERT_NE(trace->deviceWork.launch[i], kNoSlice);
    EXPECT_EQ(trace->slices.startNs[index(trace->deviceWork.launch[i])] + 500, trace->slices.startNs[kernel]);
  }
}

TEST(TraceLoader, WhateverSpaceStandsBefore) {
  const std::string trace = R"([{"ph":"X","name":"a","ts":1,"dur":1}])";
  EXPECT_EQ(loadText(std::string(100000, ' ') + trace)->slices.size(), 1u);
  EXPECT_EQ(loadText("\xEF\xBB\xBF" + std::string(100000, '\n') + trace)->slices.size(), 1u);
  const testing::TemporaryFolder folder;
  EXPECT_EQ((*testing::load(folder.writeGzip("a.gz", std::string(20'000'000, ' ') + trace)))->slices.size(), 1u);
  const auto page = testing::load(folder.write("b.json", std::string(100000, ' ') + "<html>"));
  ASSERT_FALSE(page);
  EXPECT_NE(page.error().message().find("HTML"), std::string::npos);
}

TEST(TraceLoader, ManyTopLevelKeysTakeNoTimeSquared) {
  constexpr int kMany = 100000;
  std::string text = "{";
  for (int i = 0; i < kMany; ++i) text += "\"key" + std::to_string(i) + "\": 1, ";
  const auto trace = loadText(text + R"("key0": 2, "traceEvents": [{"ph":"X","name":"a","ts":1,"dur":1}]})");
  ASSERT_EQ(trace->metadata.size(), static_cast<std::size_t>(kMany));
  EXPECT_EQ(trace->metadata[0].second, "2");
}

TEST(TraceLoader, PackedCounters) {
  const auto trace =
      loadText(R"([{"ph":"C","name":"c","pid":1,"event_stats":"hits","entries":[[1,5],["2","6"],[3],[[4,7]],[x,8]]}])");
  ASSERT_EQ(trace->counters.size(), 1u);
  EXPECT_EQ(trace->counters[0].value, (std::vector<double>{5, 6, 7}));
  const std::string brackets(1'000'000, '[');
  EXPECT_EQ(loadText(R"([{"ph":"C","name":"c","pid":1,"entries":)" + brackets + std::string(1'000'000, ']') + "}]")
                ->counterSamples,
            0u);
}

// Each end of an arrow once looked at every row of its track, and at every start of its id.
TEST(TraceLoader, ArrowsOnAThousandRows) {
  constexpr int kMany = 20000;
  std::string text = "[";
  for (int i = 0; i < kMany; ++i) {
    const std::string at = std::to_string(10 * i);
    text += R"({"ph":"X","name":"a","pid":1,"tid":1,"ts":)" + at + R"(,"dur":1000000},)";
    text += R"({"ph":"s","name":"f","id":1,"pid":1,"tid":1,"ts":)" + at + R"(.5},)";
    text += R"({"ph":"f","bp":"e","name":"f","id":1,"pid":1,"tid":1,"ts":)" + at + R"(.7},)";
  }
  const auto trace = loadText(text);
  ASSERT_EQ(trace->flows.size(), static_cast<std::size_t>(kMany));
  for (std::size_t i = 0; i < trace->flows.size(); ++i) ASSERT_EQ(trace->flows.from[i], trace->flows.to[i]);
  EXPECT_EQ(trace->tracks[0].rows.size(), static_cast<std::size_t>(kMany));
}

TEST(TraceLoader, SumsOfAbsurdLengthsFitIntoTheirNumbers) {
  std::string text = R"([{"ph":"X","name":"short","pid":1,"tid":1,"ts":0,"dur":7})";
  for (int i = 0; i < 9; ++i)
    text += R"(,{"ph":"X","name":"long","pid":1,"tid":)" + std::to_string(i) + R"(,"ts":5,"dur":4e15})";
  const auto trace = loadText(text + "]");
  std::uint64_t sum = 0;
  for (const std::int64_t duration : trace->slices.durationNs) sum += static_cast<std::uint64_t>(duration);
  EXPECT_LE(sum, std::uint64_t{1} << 62);
  EXPECT_GT(sum, std::uint64_t{1} << 61);
  EXPECT_EQ(trace->slices.durationNs[index(find(*trace, "short"))], 7000);
  ASSERT_NE(healthOf(*trace, "time.sum-out-of-range"), nullptr);
  EXPECT_EQ(healthOf(*trace, "time.sum-out-of-range")->count, 9u);
}

std::string manySlices(int count) {
  std::string text = R"({"schemaVersion": 1, "traceEvents": [)";
  for (int i = 0; i < count; ++i)
    text += R"({"ph":"X","cat":"cpu_op","name":"op)" + std::to_string(i % 7) + R"(","pid":1,"tid":)" +
            std::to_string(i % 3) + R"(,"ts":)" + std::to_string(i) + R"(.5,"dur":2,"args":{"External id":)" +
            std::to_string(i) + "}},";
  return text + "]}";
}

TEST(TraceLoader, ItsBeginningIsShownWhileTheRestIsRead) {
  const testing::TemporaryFolder folder;
  const std::string path = folder.write("x.json", manySlices(20000));
  std::vector<std::shared_ptr<const Trace>> beginnings;
  LoadOptions options;
  options.blockBytes = 4096;
  options.beginningBytes = 100'000;
  options.onBeginning = [&](std::shared_ptr<const Trace> trace) { beginnings.push_back(std::move(trace)); };
  const auto whole = testing::load(path, options);
  ASSERT_TRUE(whole);
  EXPECT_FALSE((*whole)->partial);
  EXPECT_EQ((*whole)->slices.size(), 20000u);
  ASSERT_EQ(beginnings.size(), 1u);
  const Trace& first = *beginnings.front();
  EXPECT_TRUE(first.partial);
  EXPECT_EQ(first.producer, (*whole)->producer);
  EXPECT_GT(first.slices.size(), 500u);
  EXPECT_LT(first.slices.size(), 5000u);
  EXPECT_EQ(first.tracks.size(), 3u);
  EXPECT_EQ(zeroDistanceNs(first, **whole), 0);
  EXPECT_FALSE(first.argsSource->read(first.slices.args(SliceId{0})));
  beginnings.clear();
  options.beginningBytes = (*whole)->fileBytes * 3 / 4;
  ASSERT_TRUE(testing::load(path, options));
  EXPECT_TRUE(beginnings.empty()) << "most of the file is there by then";
}

// What the kernel and the allocator hold for this process.
struct Held {
  std::size_t heapBytes = 0;
  std::size_t mappings = 0;  // of files that are open or gone: an allocator's own, as the sanitizer's, come and go
  std::size_t files = 0;
};

Held held() {
  Held result;
  result.heapBytes = ::mallinfo2().uordblks;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    if (line.find(std::filesystem::temp_directory_path().string() + "/") != std::string::npos) ++result.mappings;
  }
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) ++result.files;
  return result;
}

void expectLevel(const Held& before, const Held& after) {
  EXPECT_LE(after.heapBytes, before.heapBytes + 100'000);
  EXPECT_EQ(after.mappings, before.mappings);
  EXPECT_EQ(after.files, before.files);
}

TEST(TraceLoader, OpenedAndClosedAHundredTimesNothingStays) {
  const testing::TemporaryFolder folder;
  const std::string text = manySlices(2000);
  const std::vector<std::string> paths = {folder.write("a.json", text), folder.writeGzip("a.json.gz", text),
                                          folder.write("b.json", text.substr(0, text.size() / 2)),
                                          folder.write("c.json", "no trace")};
  LoadOptions options;
  options.blockBytes = 16384;
  const auto openAll = [&](int times) {
    for (int i = 0; i < times; ++i)
      for (const std::string& path : paths) (void)testing::load(path, options);
  };
  openAll(5);
  const Held before = held();
  openAll(100);
  expectLevel(before, held());
}

TEST(TraceLoader, CancelledAtEachStageNothingStays) {
  const testing::TemporaryFolder folder;
  const std::string text = manySlices(100000);
  for (const std::string& path : {folder.write("a.json", text), folder.writeGzip("a.json.gz", text)}) {
    ASSERT_TRUE(testing::load(path));
    const Held before = held();
    int cancelled = 0;
    for (const std::string_view stage : {"Open", "Parse", "Sort", "Nest", "Link", "Summarise"}) {
      for (int round = 0; round < 3; ++round) {
        std::stop_source source;
        Progress progress;
        std::atomic<bool> done{false};
        std::thread watcher([&] {
          while (!done && progress.stage() != stage) std::this_thread::yield();
          source.request_stop();
        });
        const auto trace = loadTrace(path, {}, progress, source.get_token());
        done = true;
        watcher.join();
        if (trace) continue;  // it was through the last stage before the watcher was awake
        EXPECT_EQ(trace.error().kind, ErrorKind::kCancelled) << stage;
        ++cancelled;
      }
    }
    EXPECT_GT(cancelled, 3);
    expectLevel(before, held());
  }
}

TEST(TraceLoader, TwoLoadsAtOnceDoNotDisturbEachOther) {
  const testing::TemporaryFolder folder;
  const std::string text = manySlices(20000);
  const std::string plain = folder.write("a.json", text);
  const std::string packed = folder.writeGzip("a.json.gz", text);
  LoadOptions options;
  options.threads = 2;
  options.blockBytes = 65536;
  const auto readMany = [&](const std::string& path) {
    for (int i = 0; i < 4; ++i) {
      const auto trace = testing::load(path, options);
      ASSERT_TRUE(trace);
      EXPECT_EQ((*trace)->slices.size(), 20000u);
      EXPECT_EQ(*(*trace)->argsSource->read((*trace)->slices.args(SliceId{0})), R"({"External id":0})");
    }
  };
  std::thread other([&] { readMany(packed); });
  readMany(plain);
  other.join();
}

TEST(TraceLoader, WhatDamageCostsIsCounted) {
  std::string text = "[";
  std::size_t damaged = 0;
  for (int i = 0; i < 1000; ++i) {
    const std::string event = R"({"ph":"X","name":"a","pid":1,"tid":1,"ts":)" + std::to_string(i) +
                              (i % 100 == 50 ? R"(,"dur":"1"2},)" : R"(,"dur":1},)");
    if (i % 100 == 50) damaged += event.size();
    text += event + "\n";
  }
  const auto trace = loadText(text + "]");
  EXPECT_EQ(trace->slices.size(), 990u);
  EXPECT_GE(trace->load.repairedBytes, damaged);
  EXPECT_LE(trace->load.repairedBytes, damaged + 20);
}

}  // namespace
}  // namespace attnscope
