// SPDX-License-Identifier: Apache-2.0
// Random small traces: the loader must agree with the slow reader, whatever the order and the spelling.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "tests/support/ReferenceReader.h"
#include "tests/unit/import/Files.h"

namespace attnscope {
namespace {

class Generator {
 public:
  explicit Generator(unsigned seed) : m_random(seed) {}

  std::string trace() {
    std::vector<std::string> events;
    const int count = pick(1, 60);
    for (int i = 0; i < count; ++i) {
      events.push_back(event());
      if (chance(4)) events.push_back(flow());
      if (chance(30)) events.push_back(chance(2) ? "{}" : "null");
    }
    if (chance(2)) std::shuffle(events.begin(), events.end(), m_random);
    std::string list;
    for (const std::string& event : events) list += (list.empty() ? "" : ",") + space() + event;
    list = "[" + list + space() + "]";
    if (chance(2)) return list;
    const bool first = chance(2);
    const std::string other = R"("schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "a \"b\" {"}])";
    return "{" + (first ? other + ", " : "") + "\"traceEvents\": " + list + (first ? "" : ", " + other) + "}";
  }

 private:
  int pick(int low, int high) { return std::uniform_int_distribution<int>(low, high)(m_random); }
  bool chance(int one_in) { return pick(1, one_in) == 1; }
  std::string space() { return chance(3) ? (chance(2) ? "\n  " : "\r\n\t") : ""; }

  std::string number(int ns) {
    const std::string digits = std::to_string(ns / 1000);
    const std::string decimals = std::to_string(1000 + ns % 1000).substr(1);
    std::string text = ns % 1000 == 0 ? digits : digits + "." + decimals;
    switch (pick(0, 9)) {
      case 0:
        return '"' + text + '"';
      case 1:
        return ns % 1000 == 0 ? digits + ".0" : text;
      case 2:
        return std::to_string(ns) + "e-3";
      default:
        return text;
    }
  }

  std::string time() { return number(chance(2) ? pick(0, 30) * 1000 : pick(0, 60) * 500); }

  std::string identity(int value) { return chance(6) ? '"' + std::to_string(value) + '"' : std::to_string(value); }

  std::string members(std::vector<std::string> list) {
    if (chance(2)) std::shuffle(list.begin(), list.end(), m_random);
    std::string text;
    for (const std::string& member : list) text += (text.empty() ? "" : ",") + space() + member;
    return "{" + text + space() + "}";
  }

  std::string name() {
    static const char* names[] = {"\"a\"", "\"b\"", "\"c \\\"x\\\" }\"", "\"aten::mm\"", "\"\\u00e9\""};
    return names[pick(0, 4)];
  }

  std::vector<std::string> thread(bool device) {
    return {"\"pid\":" + identity(device ? 7 : pick(1, 2)), "\"tid\": " + identity(pick(1, 2))};
  }

  std::string event() {
    const bool device = chance(4);
    std::vector<std::string> list = thread(device);
    if (device) {
      list.push_back(chance(3) ? "\"cat\": \"gpu_memcpy\"" : "\"cat\":\"kernel\"");
    } else if (chance(2)) {
      list.push_back(chance(2) ? "\"cat\": \"cpu_op\"" : "\"cat\": \"cuda_runtime\"");
    }
    list.push_back("\"ts\": " + time());
    if (chance(8)) {  // of version 2, on what may be no slice as well
      list.push_back("\"bind_id\": " + id());
      if (chance(2)) list.push_back(chance(5) ? "\"flow_in\": false" : "\"flow_in\": true");
      if (chance(2)) list.push_back("\"flow_out\": true");
    }
    const int kind = device ? 0 : pick(0, 13);
    if (kind != 6 || chance(2)) list.push_back("\"name\": " + name());
    if (chance(3)) list.push_back(R"("args": {"x": [1, {"y": "}]"}], "ph": "M", "s": "\\"})");
    if (kind <= 4) {
      list.push_back("\"ph\": \"X\"");
      if (!chance(15)) list.push_back("\"dur\": " + (chance(10) ? "-1" : number(chance(3) ? 0 : pick(0, 40) * 250)));
    } else if (kind == 5) {
      list.push_back("\"ph\": \"B\"");
    } else if (kind == 6) {
      list.push_back("\"ph\": \"E\"");
    } else if (kind <= 8) {
      list.push_back(kind == 7 ? "\"ph\": \"b\"" : "\"ph\": \"e\"");
      addAsyncId(list);
    } else if (kind == 12) {
      list.push_back(chance(2) ? "\"ph\": \"S\"" : "\"ph\": \"F\"");
      addAsyncId(list);
    } else if (kind == 13) {
      list.push_back(chance(2) ? "\"ph\": \"T\"" : "\"ph\": \"p\"");
      addAsyncId(list);
    } else if (kind == 9) {
      list.push_back(chance(2) ? "\"ph\": \"i\"" : "\"ph\": \"I\"");
      if (chance(2)) list.push_back("\"s\": \"p\"");
    } else if (kind == 10) {
      list.push_back("\"ph\": \"n\"");
      list.push_back("\"id\": \"0x1\"");
    } else {
      list.erase(
          std::remove_if(list.begin(), list.end(), [](const std::string& m) { return m.rfind("\"args\"", 0) == 0; }),
          list.end());
      list.push_back("\"ph\": \"C\"");
      if (chance(3)) list.push_back("\"id\": " + id());
      static const char* values[] = {"\"2.5\"", "\"nan\"", "\"-Infinity\"", "1e3", "\"\"", "[1]"};
      list.push_back("\"args\": {\"u\": " + std::to_string(pick(0, 9)) +
                     (chance(2) ? std::string(", \"v\": ") + values[pick(0, 5)] : "") + "}");
    }
    return members(list);
  }

  // Numbers, and strings that are the same or other ids.
  std::string id() {
    static const char* ids[] = {"1", "\"1\"", "2", "\"0x2\"", "18446744073709551615", "\"word\""};
    return ids[pick(0, 5)];
  }

  void addAsyncId(std::vector<std::string>& list) {
    if (chance(4)) {
      list.push_back(std::string("\"id2\": {") + (chance(2) ? "\"local\": " : "\"global\": ") + id() + "}");
    } else {
      list.push_back("\"id\": " + id());
    }
    if (chance(4)) list.push_back(chance(2) ? "\"scope\": \"x\"" : "\"scope\": \"y\"");
  }

  std::string flow() {
    const bool device = chance(3);
    std::vector<std::string> list = thread(device);
    static const char* phases[] = {"\"s\"", "\"s\"", "\"t\"", "\"f\"", "\"f\""};
    const std::string phase = phases[pick(0, 4)];
    list.push_back("\"ph\": " + phase);
    static const char* categories[] = {"\"ac2g\"", "\"fwdbwd\"", "\"flow\""};
    list.push_back(std::string("\"cat\": ") + categories[pick(0, 2)]);
    list.push_back("\"name\": \"n\"");
    list.push_back("\"id\": " + (chance(3) ? id() : std::to_string(pick(1, 4))));
    list.push_back("\"ts\": " + time());
    if (phase == "\"f\"" && !chance(3)) list.push_back("\"bp\": \"e\"");
    return members(list);
  }

  std::mt19937 m_random;
};

std::string trackText(const Trace& trace, SliceId id) {
  const Track& track = trace.tracks[index(trace.slices.track[index(id)])];
  const std::string pid = trace.identityText(trace.processes[index(track.process)].pid);
  if (track.kind != TrackKind::kAsync) return pid + "|" + trace.identityText(track.tid);
  // Roots have the name of their row; an async row may hold several.
  return "async|" + pid;
}

void compare(const Trace& trace, const reference::Reading& wanted, const std::string& text) {
  SCOPED_TRACE(text);
  const std::int64_t zero = std::stoll(trace.base);
  ASSERT_EQ(trace.events, wanted.events);
  ASSERT_EQ(trace.slices.size(), wanted.slices.size());
  std::map<std::size_t, SliceId> byOrder;
  for (std::uint32_t i = 0; i < trace.slices.size(); ++i) byOrder[trace.slices.order[i]] = SliceId{i};
  for (const reference::Slice& slice : wanted.slices) {
    SCOPED_TRACE("element " + std::to_string(slice.order));
    ASSERT_TRUE(byOrder.count(slice.order));
    const SliceId id = byOrder[slice.order];
    const std::size_t i = index(id);
    EXPECT_EQ(trace.name(id), slice.name.value_or(""));
    EXPECT_EQ(trace.slices.name[i] == kNoString, !slice.name.has_value());
    EXPECT_EQ(trace.slices.startNs[i] + zero, slice.start);
    EXPECT_EQ(trace.slices.durationNs[i], slice.duration);
    EXPECT_EQ(trace.slices.finished[i], slice.finished);
    EXPECT_EQ(trackText(trace, id),
              slice.track.rfind("async|", 0) == 0 ? slice.track.substr(0, slice.track.find('|', 6)) : slice.track);
    EXPECT_EQ(trace.slices.depth[i], slice.depth);
    const SliceId parent = trace.slices.parent[i];
    EXPECT_EQ(parent != kNoSlice, slice.parent.has_value());
    if (parent != kNoSlice && slice.parent) {
      EXPECT_EQ(trace.slices.order[index(parent)], *slice.parent);
    }
  }
  std::vector<reference::Instant> instants;
  for (std::size_t i = 0; i < trace.instants.size(); ++i)
    instants.push_back({trace.instants.atNs[i] + zero, std::string(trace.strings.view(trace.instants.name[i])),
                        trace.instants.order[i]});
  std::sort(instants.begin(), instants.end(), [](const auto& a, const auto& b) { return a.order < b.order; });
  EXPECT_EQ(instants, wanted.instants);
  std::map<std::tuple<std::string, std::string, std::string>, std::vector<std::pair<std::int64_t, double>>> counters;
  for (const CounterSeries& series : trace.counters) {
    auto& samples =
        counters[{trace.identityText(trace.processes[index(series.process)].pid) + "|" +
                      std::string(trace.strings.view(series.name)),
                  std::string(trace.strings.view(series.id)), std::string(trace.strings.view(series.series))}];
    for (std::size_t i = 0; i < series.atNs.size(); ++i)
      samples.emplace_back(series.atNs[i] + zero, std::isnan(series.value[i]) ? reference::kGap : series.value[i]);
  }
  EXPECT_EQ(counters, wanted.counters);
  std::vector<std::pair<std::size_t, std::size_t>> arrows;
  for (std::size_t i = 0; i < trace.flows.size(); ++i)
    arrows.emplace_back(trace.slices.order[index(trace.flows.from[i])], trace.slices.order[index(trace.flows.to[i])]);
  std::sort(arrows.begin(), arrows.end());
  EXPECT_EQ(arrows, wanted.arrows);
  EXPECT_EQ(trace.flows.unbound, wanted.unbound);
}

// What Trace.h promises of every trace.
void checkInvariants(const Trace& trace) {
  const SliceTable& t = trace.slices;
  for (const Track& track : trace.tracks) {
    std::uint32_t at = track.firstSlice;
    for (std::size_t depth = 0; depth < track.rows.size(); ++depth) {
      const RowSpan row = track.rows[depth];
      EXPECT_EQ(row.first, at);
      EXPECT_GT(row.count, 0u);
      at += row.count;
      for (std::uint32_t i = row.first; i < at; ++i) {
        EXPECT_EQ(t.depth[i], depth);
        EXPECT_GE(t.durationNs[i], 0);
        if (i > row.first) {
          EXPECT_GE(t.startNs[i], t.startNs[i - 1] + t.durationNs[i - 1]) << "overlap in a row";
        }
      }
    }
    EXPECT_EQ(at, track.firstSlice + track.sliceCount);
  }
  EXPECT_TRUE(std::is_sorted(trace.flows.from.begin(), trace.flows.from.end()));
  EXPECT_TRUE(std::is_sorted(trace.instants.atNs.begin(), trace.instants.atNs.end()));
}

TEST(RandomTrace, AgreesWithTheReferenceReader) {
  const testing::TemporaryFolder folder;
  for (unsigned seed = 1; seed <= 600 && !::testing::Test::HasFailure(); ++seed) {
    const std::string text = Generator(seed).trace();
    SCOPED_TRACE("seed " + std::to_string(seed));
    const reference::Reading wanted = reference::read(text);
    const std::string path = seed % 3 == 0 ? folder.writeGzip("trace.json.gz", text) : folder.write("trace.json", text);
    LoadOptions options;
    options.blockBytes = seed % 2 == 0 ? 64 : 4 << 20;  // many borders, or one block
    options.threads = 1 + seed % 3;
    const auto trace = testing::load(path, options);
    ASSERT_TRUE(trace) << trace.error().message() << "\n" << text;
    compare(**trace, wanted, text);
    checkInvariants(**trace);
  }
}

// What stands between two events that nobody touched.
class Damage {
 public:
  explicit Damage(unsigned seed) : m_random(seed) {}

  std::string broken() {
    static const char* events[] = {R"({"ph":"X","name":"bro"ken","pid":1,"tid":1,"ts":3,"dur":1})",
                                   R"({"ph":"X","name":"n","pid":1,"tid":1,"ts":3 "dur":1})",
                                   R"({"ph":"X","name":"n","pid":1,"tid":1,"ts":3,"dur":1,"args":{"d":{"x":1,)",
                                   R"({"ph":"X","name" "n","pid":1,"tid":1,"ts":3,"dur":1})",
                                   R"({"ph":"X",name:"n","ts":3})",
                                   R"(}})"};
    return events[std::uniform_int_distribution<int>(0, 5)(m_random)];
  }
  int pick(int low, int high) { return std::uniform_int_distribution<int>(low, high)(m_random); }

 private:
  std::mt19937 m_random;
};

// One bad event costs one event: what a damaged file has besides is what the same file without the damage has.
TEST(RandomTrace, DamageCostsNothingBeside) {
  const testing::TemporaryFolder folder;
  for (unsigned seed = 1; seed <= 200 && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Damage damage(seed);
    std::vector<std::string> whole;
    for (int i = 0; i < damage.pick(2, 40); ++i)
      whole.push_back(R"({"ph":"X","name":"e)" + std::to_string(i) + R"(","pid":1,"tid":1,"ts":)" +
                      std::to_string(i * 10) + R"(,"dur":5,"args":{"i":[)" + std::to_string(i) + "]}}");
    std::string text = "[" + whole.front();
    std::size_t broken = 0;
    for (std::size_t i = 1; i < whole.size(); ++i) {
      if (damage.pick(1, 4) == 1) {
        text += ",\n" + damage.broken();
        ++broken;
      }
      text += ",\n" + whole[i];
    }
    text += "]";
    LoadOptions options;
    options.blockBytes = seed % 2 == 0 ? 64 : 4 << 20;
    const auto trace = testing::load(folder.write("trace.json", text), options);
    ASSERT_TRUE(trace) << trace.error().message() << "\n" << text;
    EXPECT_EQ((*trace)->slices.size(), whole.size()) << text;
    std::uint64_t lost = 0;
    for (const HealthEntry& entry : (*trace)->health.entries())
      if (entry.severity == Severity::kLost) lost += entry.count;
    EXPECT_EQ(lost, broken) << text;
    checkInvariants(**trace);
  }
}

// Any bytes at all: no crash, and what opens keeps its promises.
TEST(RandomTrace, BytesTurnedAtRandom) {
  const testing::TemporaryFolder folder;
  for (unsigned seed = 1; seed <= 300 && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Damage damage(seed);
    std::string text = Generator(seed).trace();
    for (int i = damage.pick(1, 8); i > 0; --i) {
      const auto at = static_cast<std::size_t>(damage.pick(0, static_cast<int>(text.size()) - 1));
      switch (damage.pick(0, 2)) {
        case 0:
          text[at] = static_cast<char>(damage.pick(0, 255));
          break;
        case 1:
          text.erase(at, static_cast<std::size_t>(damage.pick(1, 20)));
          break;
        default:
          text.insert(at, text.substr(text.size() / 2, static_cast<std::size_t>(damage.pick(1, 20))));
      }
      if (text.empty()) text = "[";
    }
    LoadOptions options;
    options.blockBytes = seed % 2 == 0 ? 64 : 4 << 20;
    const auto trace = testing::load(folder.write("trace.json", text), options);
    if (trace) checkInvariants(**trace);
  }
}

// Keys and events in any order are the same trace.
TEST(RandomTrace, TheOrderOfTheFileChangesNothing) {
  const testing::TemporaryFolder folder;
  const auto signature = [](const Trace& trace) {
    std::vector<std::string> lines;
    for (std::uint32_t i = 0; i < trace.slices.size(); ++i) {
      const SliceId parent = trace.slices.parent[i];
      lines.push_back(std::string(trace.name(SliceId{i})) + "|" + trackText(trace, SliceId{i}) + "|" +
                      std::to_string(trace.slices.startNs[i]) + "|" + std::to_string(trace.slices.durationNs[i]) + "|" +
                      std::to_string(trace.slices.depth[i]) + "|" +
                      (parent == kNoSlice ? std::string() : std::string(trace.name(parent))));
    }
    std::sort(lines.begin(), lines.end());
    return lines;
  };
  std::mt19937 random(7);
  std::vector<std::string> events;
  for (int i = 0; i < 400; ++i) {
    const int depth = i % 4;  // four levels, of which each ends before the one outside
    events.push_back(R"({"ph":"X","name":"e)" + std::to_string(i) + R"(","pid":1,"tid":)" + std::to_string(i % 8 / 4) +
                     R"(,"ts":)" + std::to_string(i / 8 * 100 + depth) + R"(,"dur":)" +
                     std::to_string(90 - 10 * depth) + "}");
  }
  std::vector<std::string> first;
  for (int round = 0; round < 5; ++round) {
    std::string text;
    for (const std::string& event : events) text += (text.empty() ? "[" : ",") + event;
    const auto trace = testing::load(folder.write("trace.json", text + "]"));
    ASSERT_TRUE(trace);
    if (round == 0) first = signature(**trace);
    EXPECT_EQ(signature(**trace), first);
    std::shuffle(events.begin(), events.end(), random);
  }
}

}  // namespace
}  // namespace attnscope
