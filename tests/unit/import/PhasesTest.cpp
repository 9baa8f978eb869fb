// SPDX-License-Identifier: Apache-2.0
// Every kind of event is read, or counted under a code of its own; numbers, ids, stacks and dialects.
#include <gtest/gtest.h>

#include <set>

#include "tests/unit/import/Files.h"

namespace attnscope {
namespace {

using testing::find;
using testing::healthOf;
using testing::loadText;

TEST(Phases, WhatHasNoViewIsCountedByItsKind) {
  const auto trace = loadText(R"json([{"ph":"X","name":"x","ts":1,"dur":1},
    {"ph":"P","name":"Profile","ts":1},{"ph":"N","id":1,"ts":1},{"ph":"O","id":1,"ts":2},{"ph":"D","id":1,"ts":3},
    {"ph":"V","ts":1},{"ph":"v","ts":1},{"ph":"c","ts":1},{"ph":"(","ts":1},{"ph":")","ts":2},{"ph":"=","ts":1},
    {"ph":"M","name":"num_cpus","args":{"number":4}},{"ph":"?","ts":1},{"ph":"XX","ts":1},{"ph":7,"ts":1}])json");
  const auto count = [&](std::string_view code) {
    const HealthEntry* entry = healthOf(*trace, code);
    return entry ? entry->count : 0;
  };
  EXPECT_EQ(count("phase.sample"), 1u);
  EXPECT_EQ(count("phase.object"), 3u);
  EXPECT_EQ(count("phase.memory-dump"), 2u);
  EXPECT_EQ(count("phase.clock-sync"), 1u);
  EXPECT_EQ(count("phase.context"), 2u);
  EXPECT_EQ(count("phase.linked-ids"), 1u);
  EXPECT_EQ(count("metadata.other"), 1u);
  EXPECT_EQ(count("phase.unknown"), 3u);
  EXPECT_EQ(healthOf(*trace, "phase.object")->firstEvent, 2u);
  EXPECT_EQ(trace->slices.size(), 1u);
}

TEST(Phases, AStepWithALengthIsAThreadState) {
  const auto trace = loadText(R"([{"ph":"T","name":"Running","pid":1,"tid":1,"ts":1,"dur":4,"args":{"cpu":2}},
    {"ph":"S","cat":"c","name":"s","id":1,"ts":1},{"ph":"T","cat":"c","name":"s","id":1,"ts":2,"dur":1},
    {"ph":"F","cat":"c","name":"s","id":1,"ts":3}])");
  EXPECT_EQ(trace->slices.size(), 2u);
  EXPECT_EQ(trace->slices.durationNs[index(find(*trace, "Running"))], 4000);
  EXPECT_EQ(trace->instants.size(), 1u);
}

std::vector<std::string> stackOf(const Trace& trace, std::string_view slice, bool atEnd = false) {
  std::vector<std::string> names;
  const auto row = trace.stacks.find(find(trace, slice));
  if (!row) return names;
  for (const StringId name : trace.stacks.names(atEnd ? trace.stacks.atEnd[*row] : trace.stacks.atBegin[*row]))
    names.emplace_back(trace.strings.view(name));
  return names;
}

using Names = std::vector<std::string>;

TEST(Stacks, FramesByIdBeforeAndBehindTheEvents) {
  const std::string frames =
      R"("stackFrames": {"5": {"category": "c", "name": "main"}, "7": {"name": "run", "parent": "5"}, "8": {"name": "step", "parent": 7}})";
  const std::string events = R"("traceEvents": [
    {"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":3,"sf":8,"esf":"5"},
    {"ph":"B","name":"b","pid":1,"tid":1,"ts":5,"sf":"7"},{"ph":"E","name":"b","pid":1,"tid":1,"ts":6,"sf":8},
    {"ph":"X","name":"none","pid":1,"tid":1,"ts":8,"dur":1,"sf":0},
    {"ph":"i","name":"mark","pid":1,"tid":1,"ts":8,"sf":7}])";
  for (const std::string& text : {"{" + frames + ", " + events + "}", "{" + events + ", " + frames + "}"}) {
    const auto trace = loadText(text);
    EXPECT_EQ(stackOf(*trace, "a"), (Names{"step", "run", "main"}));
    EXPECT_EQ(stackOf(*trace, "a", true), (Names{"main"}));
    EXPECT_EQ(stackOf(*trace, "b"), (Names{"run", "main"}));
    EXPECT_EQ(stackOf(*trace, "b", true), (Names{"step", "run", "main"}));
    EXPECT_FALSE(trace->stacks.find(find(*trace, "none")));
    EXPECT_TRUE(trace->health.entries().empty());
  }
}

TEST(Stacks, CirclesAreCutAndUnknownFramesCounted) {
  const auto trace =
      loadText(R"({"stackFrames": {"1": {"name": "one", "parent": "2"}, "2": {"name": "two", "parent": "3"},
    "3": {"name": "three", "parent": "1"}, "4": {"name": "self", "parent": "4"}, "5": {"name": "five", "parent": "99"}},
    "traceEvents": [{"ph":"X","name":"a","ts":1,"dur":1,"sf":"1"},{"ph":"X","name":"b","ts":3,"dur":1,"sf":"4"},
    {"ph":"X","name":"c","ts":5,"dur":1,"sf":"5"},{"ph":"X","name":"d","ts":7,"dur":1,"sf":"nope"}]})");
  const Names circle = stackOf(*trace, "a");
  EXPECT_EQ(std::set<std::string>(circle.begin(), circle.end()).size(), circle.size());
  EXPECT_EQ(stackOf(*trace, "b"), (Names{"self"}));
  EXPECT_EQ(stackOf(*trace, "c"), (Names{"five"}));
  EXPECT_EQ(stackOf(*trace, "d"), Names{});
  ASSERT_NE(healthOf(*trace, "stack.cycle"), nullptr);
  EXPECT_EQ(healthOf(*trace, "stack.cycle")->count, 2u);
  ASSERT_NE(healthOf(*trace, "stack.unknown-frame"), nullptr);
  EXPECT_EQ(healthOf(*trace, "stack.unknown-frame")->count, 2u);
}

TEST(Stacks, ListsAreFrames) {
  const auto trace = loadText(R"([{"ph":"X","name":"a","ts":1,"dur":1,"stack":["leaf \"q\"", "root"]},
    {"ph":"X","name":"b","ts":3,"dur":1,"stack":["other","root"],"estack":[]},
    {"ph":"X","name":"c","ts":5,"dur":1,"stack":"0x1"}])");
  EXPECT_EQ(stackOf(*trace, "a"), (Names{"leaf \"q\"", "root"}));
  EXPECT_EQ(stackOf(*trace, "b"), (Names{"other", "root"}));
  EXPECT_EQ(stackOf(*trace, "c"), Names{});
  EXPECT_EQ(trace->stacks.frameName.size(), 3u) << "root is one frame";
}

TEST(Numbers, WhatDoesNotFitIsKeptAsTextAndCounted) {
  const auto trace = loadText(R"json([
    {"ph":"X","cat":"kernel","name":"k","pid":0,"tid":18446744073709551615,"ts":1,"dur":1,
     "args":{"correlation":18446744073709551615,"grid":[4294967296,1,1],"block":[2147483647,1,1]}},
    {"ph":"X","name":"exp","pid":1e3,"tid":"1.0","ts":1,"dur":1},
    {"ph":"i","name":"[memory]","pid":9,"tid":9,"ts":3,"args":{"Bytes":64,"Addr":18446744073709551600}},
    {"ph":"C","name":"c","pid":9,"ts":1,"args":{"v":9007199254740993,"w":9007199254740992}}])json");
  const Track& stream = trace->tracks[index(trace->slices.track[index(find(*trace, "k"))])];
  EXPECT_EQ(trace->identityText(stream.tid), "18446744073709551615");
  EXPECT_EQ(trace->slices.correlation[index(find(*trace, "k"))], kNoNumber);
  EXPECT_EQ(trace->deviceWork.grid[0][0], 0) << "not a number with digits cut off";
  EXPECT_EQ(trace->deviceWork.block[0][0], 2147483647);
  const Track& thread = trace->tracks[index(trace->slices.track[index(find(*trace, "exp"))])];
  EXPECT_EQ(trace->processes[index(thread.process)].pid.number, 1000);
  EXPECT_EQ(thread.tid.number, 1);
  EXPECT_EQ(trace->memory.address[0], 18446744073709551600ull);
  ASSERT_NE(healthOf(*trace, "number.out-of-range"), nullptr);
  EXPECT_EQ(healthOf(*trace, "number.out-of-range")->count, 2u);
  ASSERT_NE(healthOf(*trace, "counter.rounded"), nullptr);
  EXPECT_EQ(healthOf(*trace, "counter.rounded")->count, 1u);
}

TEST(Numbers, IdsMatchAsTheyAreWritten) {
  const auto trace = loadText(R"([{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":1},
    {"ph":"X","name":"b","pid":1,"tid":1,"ts":5,"dur":1},
    {"ph":"s","cat":"c","name":"n","id":7.0,"pid":1,"tid":1,"ts":1},{"ph":"f","bp":"e","cat":"c","name":"n","id":"7","pid":1,"tid":1,"ts":5},
    {"ph":"s","cat":"c","name":"n","id":"0x10","pid":1,"tid":1,"ts":1},{"ph":"f","bp":"e","cat":"c","name":"n","id":16,"pid":1,"tid":1,"ts":5},
    {"ph":"s","cat":"c","name":"n","id":18446744073709551614,"pid":1,"tid":1,"ts":1},
    {"ph":"f","bp":"e","cat":"c","name":"n","id":18446744073709551615,"pid":1,"tid":1,"ts":5}])");
  EXPECT_EQ(trace->flows.size(), 1u);
  EXPECT_EQ(trace->flows.unbound, 4u);
}

TEST(Numbers, EpochTimesOfNineteenDigitsAreExact) {
  const auto trace = loadText(R"([{"ph":"X","name":"a","ts":1712345678901234.567,"dur":1.001},
    {"ph":"X","name":"b","ts":1712345678901235.568,"dur":1},{"ph":"X","name":"c","ts":4611686018427387.903,"dur":0}])");
  EXPECT_EQ(trace->base, "1712345678901234567");
  EXPECT_EQ(trace->slices.startNs[index(find(*trace, "b"))], 1001);
  EXPECT_EQ(trace->slices.startNs[index(find(*trace, "c"))], 4611686018427387903 - 1712345678901234567);
}

TEST(Dialects, AreNamed) {
  const auto producer = [](const std::string& text) { return loadText(text)->producer; };
  EXPECT_EQ(producer(R"([{"ph":"X","name":"aten::mm","pid":"CPU functions","tid":1,"ts":1,"dur":1}])"), "autograd");
  EXPECT_EQ(producer(R"({"displayTimeUnit":"ns","metadata":{"highres-ticks":true},"traceEvents":[
    {"ph":"M","pid":1,"name":"process_name","args":{"name":"/device:GPU:0"}},{"ph":"X","pid":1,"tid":2,"ts":1,"dur":1,"name":"fusion"},{}]})"),
            "xprof");
  EXPECT_EQ(producer(R"([{"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":"1.5","dur":1},
    {"ph":"s","bp":"e","cat":"async_npu","name":"torch_to_npu","id":170000000000000000,"pid":1,"tid":1,"ts":"1.5"}])"),
            "ascend");
  EXPECT_EQ(
      producer(
          R"([{"ph":"X","cat":"xpu_runtime","name":"zeCommandListAppendLaunchKernel","pid":1,"tid":1,"ts":1,"dur":1},
    {"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":0,"dur":5}])"),
      "kineto-xpu");
  EXPECT_EQ(producer(R"([{"ph":"X","cat":"x","name":"a","pid":1,"tid":1,"ts":1,"dur":1}])"), "unknown");
}

TEST(Dialects, ConvertersAndOldProfilersMeanTheSameThings) {
  const auto trace = loadText(R"([
    {"ph":"X","cat":"cuda","name":"gemm","pid":"Device 0","tid":"Stream 7","ts":5,"dur":2,"cname":"good"},
    {"ph":"X","cat":"cuda_api","name":"cudaLaunchKernel","pid":"Device 0","tid":"CUDA API Thread 1","ts":1,"dur":1},
    {"ph":"X","cat":"nvtx","name":"step","pid":"Device 0","tid":"NVTX Thread 1","ts":0,"dur":9},
    {"ph":"X","cat":"cuda","name":"host","pid":"Device 0","tid":"main","ts":0,"dur":9},
    {"ph":"X","name":"aten::mm","pid":"CPU functions","tid":1,"ts":1,"dur":1},
    {"ph":"X","name":"plain","pid":2,"tid":1,"ts":1,"dur":1}])");
  const auto classOf = [&](std::string_view name) { return trace->slices.categoryClass[index(find(*trace, name))]; };
  EXPECT_EQ(classOf("gemm"), CategoryClass::kKernel);
  EXPECT_EQ(classOf("cudaLaunchKernel"), CategoryClass::kRuntime);
  EXPECT_EQ(classOf("step"), CategoryClass::kUserAnnotation);
  EXPECT_EQ(classOf("host"), CategoryClass::kOther);
  EXPECT_EQ(classOf("aten::mm"), CategoryClass::kCpuOperator);
  EXPECT_EQ(classOf("plain"), CategoryClass::kOther);
  EXPECT_TRUE(trace->category(find(*trace, "aten::mm")).empty()) << "as it is written";
  EXPECT_EQ(trace->kernels, 1u);
  const Track& stream = trace->tracks[index(trace->slices.track[index(find(*trace, "gemm"))])];
  EXPECT_EQ(stream.kind, TrackKind::kStream);
}

}  // namespace
}  // namespace attnscope
