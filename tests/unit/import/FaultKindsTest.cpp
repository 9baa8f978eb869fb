// SPDX-License-Identifier: Apache-2.0
// Kinds of input that broke other viewers, each with an input of its own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/import/Files.h"

namespace attnscope {
namespace {

using ::testing::ElementsAre;
using testing::find;
using testing::healthOf;
using testing::loadText;
using ::testing::UnorderedElementsAre;

std::vector<std::string> namesOf(const Trace& trace) {
  std::vector<std::string> names;
  for (std::uint32_t i = 0; i < trace.slices.size(); ++i) names.emplace_back(trace.name(SliceId{i}));
  return names;
}

std::int64_t startOf(const Trace& trace, std::string_view name) {
  return trace.slices.startNs[index(find(trace, name))];
}
std::int64_t lengthOf(const Trace& trace, std::string_view name) {
  return trace.slices.durationNs[index(find(trace, name))];
}
unsigned depthOf(const Trace& trace, std::string_view name) { return trace.slices.depth[index(find(trace, name))]; }
std::string parentOf(const Trace& trace, std::string_view name) {
  const SliceId parent = trace.slices.parent[index(find(trace, name))];
  return parent == kNoSlice ? "" : std::string(trace.name(parent));
}
std::uint64_t countOf(const Trace& trace, std::string_view code) {
  const HealthEntry* entry = healthOf(trace, code);
  return entry == nullptr ? 0 : entry->count;
}

// --- bytes that are not JSON

TEST(FaultKinds, NumbersThatAreNone) {
  const auto trace = loadText(R"([{"ph":"X","name":"a","ts":1,"dur":1,"args":{"x":inf,"y":-Infinity,"z":NaN,"w":N/A}},
    {"ph":"C","name":"c","ts":"2","args":{"v":nan}},{"ph":"C","name":"c","ts":"3.5","args":{"v":1}}])");
  EXPECT_EQ(trace->slices.size(), 1u);
  ASSERT_EQ(trace->counters.size(), 1u);
  EXPECT_NE(trace->counters[0].value[0], trace->counters[0].value[0]) << "a gap";
  EXPECT_EQ(trace->counters[0].value[1], 1);
  EXPECT_EQ(countOf(*trace, "json.non-finite"), 4u);
  EXPECT_EQ(countOf(*trace, "json.bare-word"), 1u);
}

TEST(FaultKinds, BackslashesThatBeginNoEscape) {
  const auto trace = loadText(R"({"traceEvents": [{"ph":"X","name":"C:\work\_x \'q\'","ts":1,"dur":1}],
    "traceName": "D:\logs\w"})");
  EXPECT_THAT(namesOf(*trace), ElementsAre(R"(C:\work\_x 'q')"));
  EXPECT_GE(countOf(*trace, "json.backslash"), 1u);
}

TEST(FaultKinds, EventsInsideAnotherObject) {
  const std::string event = R"({"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":1})";
  const auto trace = loadText(R"({"status": "ok", "data": {"trace": {"deviceProperties": [{"id": 0, "name": "H100"}],
    "traceEvents": [)" + event +
                              R"(], "traceName": "t"}, "more": {}}})");
  EXPECT_THAT(namesOf(*trace), ElementsAre("a"));
  ASSERT_EQ(trace->devices.size(), 1u);
  EXPECT_EQ(trace->devices[0].name, "H100");
  EXPECT_EQ(countOf(*trace, "json.nested-events"), 1u);
}

TEST(FaultKinds, OneObjectHoldsATraceOfEachRank) {
  const auto rank = [](int n) {
    const std::string number = std::to_string(n);
    return "\"rank" + number + R"(": {"traceEvents": [{"ph":"X","name":"r)" + number + R"(","pid":)" + number +
           R"(,"tid":1,"ts":1,"dur":1}]})";
  };
  const testing::TemporaryFolder folder;
  const std::string text = "{" + rank(0) + ", " + rank(1) + ", " + rank(2) + "}";
  for (const std::string& path : {folder.write("x.json", text), folder.writeGzip("x.json.gz", text)}) {
    const auto trace = testing::load(path);
    ASSERT_TRUE(trace) << trace.error().message();
    EXPECT_THAT(namesOf(**trace), UnorderedElementsAre("r0", "r1", "r2"));
    EXPECT_EQ((*trace)->processes.size(), 3u);
  }
}

TEST(FaultKinds, WordsOfATraceInsideMetadataAreNone) {
  const auto trace = loadText(R"({"otherData": {"note": "\"traceEvents\": ["}, "inner": {"traceEvents": []},
    "traceEvents": [{"ph":"X","name":"a","ts":1,"dur":1}], "late": {"traceEvents": [{"ph":"X","name":"b","ts":1}]}})");
  EXPECT_THAT(namesOf(*trace), ElementsAre("a"));
  EXPECT_EQ(countOf(*trace, "json.nested-events"), 0u);
}

TEST(FaultKinds, EventsWithoutBracketsAroundThem) {
  std::string lines;
  for (int i = 0; i < 3; ++i)
    lines += R"({"ph":"X","name":"n)" + std::to_string(i) + R"(","pid":1,"tid":1,"ts":)" + std::to_string(10 * i) +
             R"(,"dur":1})" + (i == 1 ? ",\n" : "\n");
  const auto trace = loadText(lines);
  EXPECT_THAT(namesOf(*trace), ElementsAre("n0", "n1", "n2"));
  EXPECT_EQ(countOf(*trace, "json.open-array"), 1u);
}

TEST(FaultKinds, TimesWithASignBehindThePoint) {
  const auto trace = loadText(R"([{"ph":"X","name":"a","ts":-5.-123,"dur":1},{"ph":"X","name":"b","ts":0.-050,"dur":1},
    {"ph":"X","name":"c","ts":2.500,"dur":1}])");
  EXPECT_THAT(namesOf(*trace), ElementsAre("a", "b", "c"));
  EXPECT_EQ(startOf(*trace, "b") - startOf(*trace, "a"), 5123 - 50);
  EXPECT_EQ(startOf(*trace, "c") - startOf(*trace, "b"), 2500 + 50);
  EXPECT_EQ(countOf(*trace, "time.split-sign"), 2u);
}

TEST(FaultKinds, BracketsOfTwoKinds) {
  const auto trace = loadText(R"json([{"ph":"X","name":"a","ts":1,"dur":1,"args":{"x":[1,2],"y":[{"b":[]},"[}"]}},
    {"ph":"X","name":"b","ts":2,"dur":1,"args":{"x":[1,2},"y":[]}},
    {"ph":"X","name":"c","ts":3,"dur":1,"args":{"x":[1,2],"y":[{"b":[]],"[}"}}},
    {"ph":"X","name":"d","ts":4,"dur":1,"args":{"x":[1,2],"y":{"z":[}]}}])json");
  EXPECT_THAT(namesOf(*trace), ElementsAre("a", "b", "c", "d"));
  const HealthEntry* const entry = healthOf(*trace, "json.bracket");
  ASSERT_NE(entry, nullptr);
  EXPECT_EQ(entry->count, 3u);
  EXPECT_EQ(entry->firstEvent, 1u);
  EXPECT_EQ(entry->severity, Severity::kRepaired);
}

TEST(FaultKinds, DeepBracketsAreNoMixedOnes) {
  std::string deep = "0";
  for (int i = 0; i < 100; ++i) deep = i % 3 == 0 ? '[' + deep + ']' : R"({"k":)" + deep + '}';
  const auto trace = loadText(R"([{"ph":"X","name":"a","ts":1,"dur":1,"args":{"x":[)" + deep + "]}}]");
  EXPECT_EQ(countOf(*trace, "json.bracket"), 0u);
  EXPECT_THAT(namesOf(*trace), ElementsAre("a"));
}

TEST(FaultKinds, AnEndBehindTheParentsIsFound) {
  const auto trace = loadText(R"([{"ph":"M","name":"process_name","pid":1,"args":{"name":"p"}},
    {"ph":"X","name":"outer","pid":1,"tid":1,"ts":10,"dur":20},
    {"ph":"X","name":"inner","pid":1,"tid":1,"ts":12,"dur":19}])");
  const HealthEntry* const entry = healthOf(*trace, "slice.ends-after-parent");
  ASSERT_NE(entry, nullptr);
  EXPECT_EQ(entry->count, 1u);
  EXPECT_EQ(entry->firstEvent, 2u);
}

TEST(FaultKinds, QuotesInsideNames) {
  const auto trace = loadText(R"json([{"ph":"X","name":"ok1","ts":1,"dur":1},
    {"ph":"X","name":"f({"device": "cpu"})","ts":2,"dur":1},{"ph":"X","name":"ok2","ts":3,"dur":1},
    {"ph":"M","name":"thread_name","pid":1,"tid":2,"args":{"name":"a "b" c"}},
    {"ph":"X","name":"ok3","pid":1,"tid":2,"ts":4,"dur":1}])json");
  EXPECT_THAT(namesOf(*trace), ::testing::IsSupersetOf({"ok1", "ok2", "ok3"}));
  ASSERT_NE(healthOf(*trace, "json.broken-event"), nullptr);
  EXPECT_EQ(healthOf(*trace, "json.broken-event")->firstEvent, 1u);
}

TEST(FaultKinds, ControlCharactersAndBytesThatAreNoText) {
  std::string text =
      "[{\"ph\":\"X\",\"name\":\"a\x01\nb?c\",\"ts\":1,\"dur\":1},{\"ph\":\"X\",\"name\":\"\xff\xc0\xaf\",\"ts\":3,"
      "\"dur\":1}]";
  text[text.find('?')] = '\0';
  const auto trace = loadText(text);
  EXPECT_THAT(namesOf(*trace), ElementsAre(std::string("a\x01\nb\0c", 6), ::testing::HasSubstr("\xEF\xBF\xBD")));
  EXPECT_EQ(countOf(*trace, "text.not-utf8"), 1u);
}

TEST(FaultKinds, FilesThatEndEarly) {
  for (const char* text : {R"([{"ph":"X","name":"a","ts":1,"dur":1},)", R"([{"ph":"X","name":"a","ts":1,"dur":1})",
                           R"({"traceEvents":[{"ph":"X","name":"a","ts":1,"dur":1},{"ph":"X","na)",
                           R"({"traceEvents":[{"ph":"X","name":"a","ts":1,"dur":1}],"x":{"y)"})
    EXPECT_THAT(namesOf(*loadText(text)), ElementsAre("a")) << text;
}

TEST(FaultKinds, CommasInWrongPlaces) {
  const auto trace =
      loadText(R"({"traceEvents":[,{"ph":"X","name":"a","ts":1,"dur":1,},,{"ph":"X","name":"b","ts":3,"dur":1},],})");
  EXPECT_THAT(namesOf(*trace), ElementsAre("a", "b"));
  EXPECT_GE(countOf(*trace, "json.comma"), 1u);
}

TEST(FaultKinds, SeveralWritersOfOneFile) {
  const auto trace = loadText(R"({"traceEvents": [
    {"ph":"X","name":"r0","pid":0,"tid":1,"ts":1,"dur":1},
    {"ph":"X","name":"cut by anoth{"traceEvents": [
    {"ph":"X","name":"r1","pid":1,"tid":1,"ts":1,"dur":1},
    {"ph":"X","name":"r1b","pid":1,"tid":1,"ts":3,"dur":1}
    ]})");
  EXPECT_THAT(namesOf(*trace), ::testing::IsSupersetOf({"r0", "r1", "r1b"}));
  EXPECT_GE(trace->health.count(Severity::kLost), 1u);
}

TEST(FaultKinds, MarksOfTheEncodingAndPaddingBehindTheEnd) {
  const auto trace =
      loadText("\xEF\xBB\xBF[\r\n{\"ph\":\"X\",\"name\":\"a\",\"ts\":1,\"dur\":1}\r\n]" + std::string(64, '\0'));
  EXPECT_EQ(trace->slices.size(), 1u);
  EXPECT_TRUE(trace->health.entries().empty());
}

TEST(FaultKinds, DamageInsideGzip) {
  const testing::TemporaryFolder folder;
  std::string text = "[";
  for (int i = 0; i < 20000; ++i)
    text += R"({"ph":"X","name":"e)" + std::to_string(i * 7919 % 20011) + R"(","ts":)" + std::to_string(i) + "},";
  std::string bytes = testing::contentsOf(folder.writeGzip("a.gz", text + "]"));
  const auto checksum = [&] {
    std::string wrong = bytes;
    wrong[wrong.size() - 6] = static_cast<char>(wrong[wrong.size() - 6] ^ 1);
    return testing::load(folder.write("sum.gz", wrong));
  }();
  ASSERT_TRUE(checksum);
  EXPECT_EQ((*checksum)->slices.size(), 20000u);
  EXPECT_NE(healthOf(**checksum, "gzip.checksum"), nullptr);
  const auto cut = testing::load(folder.write("cut.gz", bytes.substr(0, bytes.size() / 2)));
  ASSERT_TRUE(cut);
  EXPECT_GT((*cut)->slices.size(), 5000u);
  EXPECT_NE(healthOf(**cut, "gzip.cut"), nullptr);
  bytes += "tail";
  EXPECT_NE(healthOf(**testing::load(folder.write("tail.gz", bytes)), "gzip.trailing"), nullptr);
}

// --- time

TEST(FaultKinds, TimesAreExact) {
  const auto trace = loadText(R"({"displayTimeUnit": "ns", "traceEvents": [
    {"ph":"X","cat":"kernel","name":"k1","pid":0,"tid":7,"ts":1724743122000001.234,"dur":1.766},
    {"ph":"X","cat":"kernel","name":"k2","pid":0,"tid":7,"ts":1724743122000003.000,"dur":"0.5"},
    {"ph":"X","cat":"kernel","name":"k3","pid":0,"tid":7,"ts":1724743122000003.500,"dur":1e3}]})");
  EXPECT_EQ(startOf(*trace, "k2"), 1766);
  EXPECT_EQ(startOf(*trace, "k3"), 2266);
  EXPECT_EQ(lengthOf(*trace, "k2"), 500);
  EXPECT_EQ(lengthOf(*trace, "k3"), 1000000);
  EXPECT_EQ(trace->tracks[0].rows.size(), 1u) << "no overlap";
}

TEST(FaultKinds, LostTimesStayOutOfTheFirstView) {
  std::string text = R"([{"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":1000000000,"dur":10})";
  for (int i = 0; i < 50; ++i) text += R"(,{"ph":"X","cat":"kernel","name":"lost","pid":0,"tid":7,"ts":0,"dur":0})";
  const auto trace = loadText(text + "]");
  EXPECT_EQ(trace->slices.size(), 51u);
  EXPECT_EQ(trace->dense.startNs, 1000000000000);
  EXPECT_EQ(trace->dense.endNs, 1000000010000);
  EXPECT_EQ(countOf(*trace, "time.zero"), 50u);
}

TEST(FaultKinds, LengthsThatCannotBe) {
  const auto trace = loadText(R"([{"ph":"X","name":"negative","ts":5,"dur":-2},{"ph":"X","name":"none","tid":2,"ts":5},
    {"ph":"X","name":"null","tid":3,"ts":5,"dur":null},{"ph":"X","name":"huge","tid":4,"ts":5,"dur":9e14},
    {"ph":"X","name":"half","tid":5,"ts":5.5,"dur":1.25}])");
  EXPECT_EQ(lengthOf(*trace, "negative"), 0);
  EXPECT_FALSE(trace->slices.finished[index(find(*trace, "none"))]);
  EXPECT_FALSE(trace->slices.finished[index(find(*trace, "null"))]);
  EXPECT_EQ(lengthOf(*trace, "huge"), 900000000000000000);
  EXPECT_EQ(lengthOf(*trace, "half"), 1250);
  EXPECT_EQ(countOf(*trace, "slice.negative-duration"), 1u);
  EXPECT_EQ(countOf(*trace, "slice.no-duration"), 2u);
}

TEST(FaultKinds, ChildrenThatEndAMicrosecondLate) {
  const auto trace =
      loadText(R"([{"ph":"X","name":"grand","ts":10,"dur":20},{"ph":"X","name":"parent","ts":12,"dur":18},
    {"ph":"X","name":"child","ts":14,"dur":17}])");
  EXPECT_EQ(parentOf(*trace, "child"), "parent");
  EXPECT_EQ(parentOf(*trace, "parent"), "grand");
}

TEST(FaultKinds, RanksWithBasesOfTheirOwn) {
  const auto base = [](const char* text) { return loadText(text)->base; };
  EXPECT_EQ(
      base(R"({"baseTimeNanoseconds":1000000000000000000,"traceEvents":[{"ph":"X","name":"a","ts":1.5,"dur":1}]})"),
      "1000000000000001500");
  EXPECT_EQ(
      base(R"({"traceEvents":[{"ph":"X","name":"a","ts":2.5,"dur":1}],"baseTimeNanoseconds":"1000000000000000000"})"),
      "1000000000000002500");
}

// --- phases and nesting

TEST(FaultKinds, KernelsThatOverlapOnOneStream) {
  const auto trace = loadText(R"([{"ph":"X","cat":"kernel","name":"a","pid":0,"tid":7,"ts":1,"dur":10},
    {"ph":"X","cat":"kernel","name":"b","pid":0,"tid":7,"ts":9,"dur":10},{"ph":"X","cat":"kernel","name":"c","pid":0,"tid":7,"ts":19,"dur":1}])");
  EXPECT_EQ(lengthOf(*trace, "b"), 10000);
  EXPECT_NE(depthOf(*trace, "a"), depthOf(*trace, "b"));
  EXPECT_EQ(parentOf(*trace, "b"), "");
  EXPECT_EQ(countOf(*trace, "slice.overlap"), 1u);
}

TEST(FaultKinds, BeginsAndEndsInAnyState) {
  const auto trace = loadText(R"([{"ph":"B","name":"outer","ts":0},{"ph":"B","name":"inner","ts":1},
    {"ph":"E","name":"outer","ts":5},{"ph":"E","name":"inner","ts":7},
    {"ph":"B","name":"unnamed end","tid":2,"ts":0},{"ph":"E","tid":2,"ts":3},{"ph":"E","tid":2,"ts":4},
    {"ph":"B","name":"open","tid":3,"ts":6},{"ph":"X","name":"last","tid":4,"ts":8,"dur":2}])");
  EXPECT_EQ(lengthOf(*trace, "outer"), 5000);
  EXPECT_EQ(lengthOf(*trace, "inner"), 6000);
  EXPECT_EQ(lengthOf(*trace, "unnamed end"), 3000);
  EXPECT_EQ(lengthOf(*trace, "open"), 4000);
  EXPECT_FALSE(trace->slices.finished[index(find(*trace, "open"))]);
  EXPECT_EQ(countOf(*trace, "slice.stray-end"), 1u);
  EXPECT_EQ(countOf(*trace, "slice.not-finished"), 1u);
}

TEST(FaultKinds, AsyncSpansOfOneIdNestAndThoseOfOthersStayApart) {
  const auto trace = loadText(R"([
    {"ph":"b","cat":"s","name":"a.h","id":0,"pid":1,"tid":1,"ts":10},{"ph":"b","cat":"s","name":"b.h","id":0,"pid":1,"tid":1,"ts":20},
    {"ph":"e","cat":"s","name":"b.h","id":0,"pid":1,"tid":1,"ts":30},{"ph":"e","cat":"s","name":"a.h","id":0,"pid":1,"tid":1,"ts":60},
    {"ph":"b","cat":"net","name":"x","id":0,"pid":1,"tid":1,"ts":1},{"ph":"e","cat":"net","name":"x","id":0,"pid":1,"tid":1,"ts":3},
    {"ph":"b","cat":"l","name":"p1","id2":{"local":5},"pid":1,"tid":1,"ts":11},{"ph":"b","cat":"l","name":"p2","id2":{"local":5},"pid":2,"tid":1,"ts":12},
    {"ph":"e","cat":"l","name":"p1","id2":{"local":5},"pid":1,"tid":1,"ts":13},{"ph":"e","cat":"l","name":"p2","id2":{"local":5},"pid":2,"tid":1,"ts":14},
    {"ph":"e","cat":"l","name":"p3","id":77,"pid":2,"tid":1,"ts":15}])");
  EXPECT_EQ(parentOf(*trace, "b.h"), "a.h");
  EXPECT_EQ(lengthOf(*trace, "x"), 2000);
  EXPECT_EQ(lengthOf(*trace, "p1"), 2000);
  EXPECT_EQ(lengthOf(*trace, "p2"), 2000);
  EXPECT_EQ(countOf(*trace, "async.stray-end"), 1u);
  for (const Track& track : trace->tracks) EXPECT_EQ(track.kind, TrackKind::kAsync);
}

TEST(FaultKinds, OrderOfRowsFromSortIndexes) {
  std::string text = "[";
  for (int tid = 1; tid <= 5; ++tid)
    text += R"({"ph":"X","name":"x","pid":1,"ts":1,"dur":1,"tid":)" + std::to_string(tid) + "},";
  const auto index = [](int tid, const char* value) {
    return R"({"ph":"M","name":"thread_sort_index","pid":1,"tid":)" + std::to_string(tid) +
           R"(,"args":{"sort_index":)" + value + "}},";
  };
  text += index(1, "\"30\"") + index(2, "-1") + index(3, "0.5") + index(4, "\"junk\"") + index(5, "null");
  const auto trace = loadText(text);
  std::vector<std::int64_t> tids;
  for (const Track& track : trace->tracks) tids.push_back(track.tid.number);
  EXPECT_THAT(tids, ElementsAre(2, 3, 1, 4, 5));
}

TEST(FaultKinds, CountersOfEveryShape) {
  const auto trace = loadText(R"([{"ph":"C","name":"m","pid":1,"ts":1,"args":{"used":1,"free":"9"}},
    {"ph":"C","name":"m","id":"gpu0","pid":1,"ts":2,"args":{"used":3,"note":"words","deep":{"x":1}}},
    {"ph":"C","name":"m","pid":1,"ts":3},{"ph":"C","name":"m","pid":1,"ts":4,"args":{}},
    {"ph":"C","name":"GPU 0","pid":"GPU 0 Counters","ts":5,"args":{"":7}},
    {"ph":"C","name":"packed","pid":1,"event_stats":"s","entries":[[6,1.5],["7","2"]]}])");
  std::vector<std::string> series;
  for (const CounterSeries& each : trace->counters)
    series.push_back(std::string(trace->strings.view(each.name)) + "/" + std::string(trace->strings.view(each.id)) +
                     "/" + std::string(trace->strings.view(each.series)) + "/" + std::to_string(each.value.size()));
  EXPECT_THAT(series, UnorderedElementsAre("m//used/1", "m//free/1", "m/gpu0/used/1", "GPU 0///1", "packed//s/2"));
  EXPECT_EQ(trace->counterSamples, 5u);
  EXPECT_EQ(countOf(*trace, "counter.no-number"), 2u);
}

TEST(FaultKinds, OddElementsCostThemselvesAlone) {
  const auto trace = loadText(
      R"([{},null,7,"word",[1],{"ph":"X","name":"a","ts":1,"dur":1},{"ph":"Z","ts":1},{"ph":"","ts":1},{"ts":2},{"ph":"X","name":"no time"}])");
  EXPECT_EQ(trace->slices.size(), 1u);
  EXPECT_EQ(countOf(*trace, "event.not-an-object"), 4u);
  EXPECT_EQ(countOf(*trace, "phase.unknown"), 3u);
  EXPECT_EQ(countOf(*trace, "time.missing"), 1u);
}

TEST(FaultKinds, MetadataAlone) {
  const auto trace = loadText(
      R"({"traceEvents":[{"ph":"M","name":"process_name","pid":3,"args":{"name":"lonely"}}],"traceName":"t"})");
  EXPECT_FALSE(trace->timed);
  ASSERT_EQ(trace->processes.size(), 1u);
  EXPECT_EQ(trace->processes[0].name, "lonely");
  EXPECT_EQ(countOf(*trace, "trace.no-timed-events"), 1u);
}

// --- identity, arrows, versions

TEST(FaultKinds, RowsByNumbersWordsAndAnythingElse) {
  const auto trace = loadText(
      R"([{"ph":"X","name":"a","pid":"4100","tid":"0","ts":1,"dur":1},{"ph":"X","name":"b","pid":4100,"tid":0,"ts":3,"dur":1},
    {"ph":"X","name":"c","pid":4100,"tid":1,"ts":1,"dur":1},{"ph":"X","name":"d","pid":"worker_A","tid":"Device 0","ts":1,"dur":1},
    {"ph":"X","name":"e","pid":-1,"tid":-1,"ts":1,"dur":1},{"ph":"X","name":"f","pid":4100,"tid":139872443377408,"ts":1,"dur":1},
    {"ph":"X","name":"g","ts":1,"dur":1},{"ph":"X","pid":null,"tid":null,"ts":5,"dur":1},
    {"ph":"i","name":"end","s":"g","pid":"","tid":"","ts":9}])");
  EXPECT_EQ(trace->tracks.size(), 6u) << "a with b, g with the nameless one, and none for the empty pid";
  EXPECT_EQ(trace->slices.track[index(find(*trace, "a"))], trace->slices.track[index(find(*trace, "b"))]);
  EXPECT_EQ(trace->instants.track[0], kNoTrack);
}

TEST(FaultKinds, AProcessThatIsRenamed) {
  const auto trace = loadText(
      R"([{"ph":"M","name":"process_name","pid":1,"args":{"name":"bash"}},{"ph":"X","name":"a","pid":1,"ts":1,"dur":1},
    {"ph":"M","name":"process_name","pid":1,"args":{"name":"python3"}}])");
  EXPECT_EQ(trace->processes[0].name, "python3");
  EXPECT_THAT(trace->processes[0].earlierNames, ElementsAre("bash"));
}

TEST(FaultKinds, TwoRanksMergedWithEqualIds) {
  std::string text = "[";
  for (const char* rank : {"1", "2"}) {
    const std::string host = std::string(R"(,"pid":10)") + rank + R"(,"tid":1,"ts":)";
    const std::string device = std::string(R"(,"pid":)") + rank + R"(,"tid":7,"ts":)";
    text += std::string(R"({"ph":"X","cat":"cuda_runtime","name":"launch)") + rank + '"' + host +
            R"(5,"dur":1,"args":{"correlation":9}},)" + R"({"ph":"s","cat":"ac2g","name":"ac2g","id":9)" + host +
            "5}," + R"({"ph":"X","cat":"kernel","name":"k)" + rank + '"' + device +
            R"(8,"dur":1,"args":{"correlation":9}},)" + R"({"ph":"f","bp":"e","cat":"ac2g","name":"ac2g","id":9)" +
            device + "8},";
  }
  const auto trace = loadText(text);
  ASSERT_EQ(trace->flows.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(trace->name(trace->flows.from[i]).back(), trace->name(trace->flows.to[i]).back());
    EXPECT_EQ(trace->name(trace->deviceWork.launch[i]).back(), trace->name(trace->deviceWork.slice[i]).back());
  }
  EXPECT_GE(countOf(*trace, "flow.ambiguous-id"), 1u);
  EXPECT_GE(countOf(*trace, "correlation.ambiguous-id"), 1u);
}

TEST(FaultKinds, ArrowsOfEveryKind) {
  const auto trace = loadText(R"([{"ph":"X","cat":"cpu_op","name":"fwd","pid":1,"tid":1,"ts":1,"dur":9},
    {"ph":"X","cat":"cuda_runtime","name":"launch","pid":1,"tid":1,"ts":2,"dur":1,"args":{"correlation":4294967295}},
    {"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":20,"dur":5,"args":{"correlation":0}},
    {"ph":"X","cat":"cpu_op","name":"bwd","pid":1,"tid":2,"ts":30,"dur":5},{"ph":"X","name":"late","pid":1,"tid":3,"ts":50,"dur":5},
    {"ph":"s","cat":"ac2g","name":"ac2g","id":1,"pid":1,"tid":1,"ts":2},{"ph":"f","bp":"e","cat":"ac2g","name":"ac2g","id":1,"pid":0,"tid":7,"ts":20},
    {"ph":"s","cat":"fwdbwd","name":"fwdbwd","id":1,"pid":1,"tid":1,"ts":1},{"ph":"f","bp":"e","cat":"fwdbwd","name":"fwdbwd","id":1,"pid":1,"tid":2,"ts":30},
    {"ph":"f","bp":"e","cat":"ac2g","name":"ac2g","id":99,"pid":1,"tid":1,"ts":2},
    {"ph":"s","cat":"c","name":"n","id":5,"pid":1,"tid":1,"ts":5},{"ph":"f","cat":"c","name":"n","id":5,"pid":1,"tid":3,"ts":45},
    {"ph":"s","cat":"c","name":"n","id":6,"pid":1,"tid":9,"ts":5},
    {"ph":"X","name":"prod","pid":3,"tid":1,"ts":1,"dur":1,"bind_id":"0xa","flow_out":true},
    {"ph":"X","name":"mid","pid":3,"tid":2,"ts":3,"dur":1,"bind_id":"0xa","flow_in":true,"flow_out":true},
    {"ph":"X","name":"cons","pid":3,"tid":3,"ts":5,"dur":1,"bind_id":"0xa","flow_in":true},
    {"ph":"X","name":"nodir","pid":3,"tid":4,"ts":7,"dur":1,"bind_id":"0xa"}])");
  std::vector<std::string> arrows;
  for (std::size_t i = 0; i < trace->flows.size(); ++i)
    arrows.push_back(std::string(trace->name(trace->flows.from[i])) + ">" +
                     std::string(trace->name(trace->flows.to[i])));
  EXPECT_THAT(arrows, UnorderedElementsAre("launch>k", "fwd>bwd", "fwd>late", "prod>mid", "mid>cons"));
  EXPECT_EQ(trace->flows.unbound, 3u);
  EXPECT_EQ(trace->deviceWork.launch[0], find(*trace, "launch")) << "by the arrow, since 0 and -1 are no correlation";
}

TEST(FaultKinds, SpellingsOf2020) {
  const auto trace = loadText(R"({"computeProperties":[{"id":0,"name":"V","multiProcessorCount":80}],"traceEvents":[
    {"ph":"X","cat":"Operator","name":"o","pid":9,"tid":9,"ts":1,"dur":5,"args":{"external id":3}},
    {"ph":"X","cat":"Runtime","name":"r","pid":9,"tid":9,"ts":2,"dur":1,"args":{"correlation":5,"external id":3}},
    {"ph":"X","cat":"Kernel","name":"k","pid":0,"tid":"stream 7","ts":9,"dur":1,"args":{"correlation":5,"external id":3}},
    {"ph":"X","cat":"Memcpy","name":"c","pid":0,"tid":"stream 7","ts":11,"dur":1},{"ph":"X","cat":"Memset","name":"m","pid":0,"tid":"stream 7","ts":13,"dur":1}]})");
  EXPECT_EQ(trace->kernels, 1u);
  EXPECT_EQ(trace->deviceWork.size(), 3u);
  EXPECT_EQ(trace->devices[0].smCount, 80);
  EXPECT_EQ(trace->deviceWork.launch[0], find(*trace, "r"));
  EXPECT_EQ(trace->deviceWork.launchOperator[0], find(*trace, "o"));
  EXPECT_EQ(trace->deviceWork.stream[0], 7);
}

TEST(FaultKinds, MemoryRecordsOfOneTime) {
  const auto record = [](int at, int index, int bytes, int device) {
    return R"({"ph":"i","s":"t","name":"[memory]","pid":1,"tid":1,"ts":)" + std::to_string(at) +
           R"(,"args":{"Bytes":)" + std::to_string(bytes) + R"(,"Ev Idx":)" + std::to_string(index) +
           R"(,"Device Type":)" + std::to_string(device) + R"(,"Device Id":)" + std::to_string(device - 1) + "}},";
  };
  const auto trace =
      loadText("[" + record(5, 3, 30, 1) + record(5, 2, 20, 1) + record(4, 4, 40, 0) + record(5, 1, 10, 0));
  EXPECT_THAT(trace->memory.bytes, ElementsAre(40, 10, 20, 30));
  EXPECT_THAT(trace->memory.deviceType, ElementsAre(0, 0, 1, 1));
}

TEST(FaultKinds, NullsAndWrongTypesEverywhere) {
  const auto trace =
      loadText(R"({"traceEvents":[{"ph":"X","name":null,"cat":null,"pid":null,"tid":null,"ts":1,"dur":1,"args":null},
    {"ph":"X","name":7,"cat":["a"],"pid":{"x":1},"tid":[2],"ts":"3","dur":"1","args":"text"},
    {"ph":"X","pid":true,"ts":5,"dur":1,"args":[1,2]}],"systemTraceEvents":{"type":"x"},"distributedInfo":7,"deviceProperties":{}})");
  EXPECT_EQ(trace->slices.size(), 3u);
  EXPECT_EQ(trace->slices.name[0], kNoString);
}

}  // namespace
}  // namespace attnscope
