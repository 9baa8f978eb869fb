// SPDX-License-Identifier: Apache-2.0
// Every way of reading events (by the grammar alone, by layouts in registers of each width) against each other: whole
// text, damaged text, text that ends anywhere.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "core/import/EventParser.h"
#include "core/import/JsonScan.h"

namespace attnscope {
namespace {

std::vector<ReadWith> waysHere() {
  std::vector<ReadWith> ways;
  for (const ReadWith way : {ReadWith::kSse, ReadWith::kAvx2, ReadWith::kAvx512})
    if (supported(way)) ways.push_back(way);
  return ways;
}

// Rows as text, with names in the place of their numbers.
class Described {
 public:
  std::string text;
  explicit Described(const RawBlock& block) : m_block(block) {
    put("events", block.events, block.repairedBytes, block.counterSamples);
    for (const RawSlice& s : block.slices) {
      put("slice", s.startNs, s.durationNs, s.argsBegin, s.argsLength, s.correlation, s.externalId, s.order, +s.flags);
      names(s.name, s.inputDims);
      row(s.thread, s.category);
    }
    for (const RawPoint& p : block.points) {
      put("point", p.atNs, p.argsBegin, p.argsLength, p.keptArgs, p.order, p.id, +p.phase, +p.scope, +p.flags);
      names(p.name);
      row(p.thread, p.category);
    }
    for (const RawBind& b : block.binds) put("bind", b.order, b.id, +b.flags);
    for (const RawStack& s : block.stacks) put("stack", s.order, s.begin, s.end, s.beginIsList, s.endIsList);
    for (const RawDeviceFacts& f : block.deviceFacts)
      put("device", f.order, f.device, f.stream, f.grid[0], f.grid[1], f.grid[2], f.block[0], f.block[1], f.block[2],
          f.registersPerThread, f.sharedMemoryBytes, f.occupancy, f.bytes);
    for (const RawMemory& m : block.memory)
      put("memory", m.atNs, m.bytes, m.address, m.totalAllocated, m.totalReserved, m.eventIndex, m.deviceType,
          m.deviceId, m.thread, m.order);
    for (const RawSample& s : block.samples) {
      put("sample", s.atNs, s.thread, s.order, s.value);
      names(s.name, s.id, s.series);
    }
    for (const RawMetadata& m : block.metadata) put("metadata", m.thread, m.order, m.number), text += m.text;
    for (const RawThread& t : block.threads)
      put("thread", t.pid.number, t.tid.number, t.pid.missing, t.tid.missing), text += t.pid.word + '/' + t.tid.word;
    for (const HealthEntry& entry : block.health.sorted()) {
      text += '\n' + entry.code;
      put("note", entry.count, entry.firstByte, entry.firstEvent);
    }
    text += block.kept;
  }

 private:
  template <class... Values>
  void put(const char* what, const Values&... values) {
    text += '\n';
    text += what;
    ((text += ' ' + std::to_string(values)), ...);
  }
  template <class... Ids>
  void names(Ids... ids) {
    ((text += " '" + (ids == kNone ? std::string("none") : std::string(m_block.strings.view(StringId{ids}))) + "'"),
     ...);
  }
  void row(std::uint32_t thread, std::uint16_t category) {
    const RawCategory& c = m_block.categories[category];
    text += ' ' + std::to_string(thread) + ' ' + std::to_string(static_cast<int>(c.kind));
    names(c.name);
  }
  const RawBlock& m_block;
};

std::string readAll(const std::string& events, ReadWith way, EventShapes& shapes) {
  const std::string padded = events + std::string(scan::kScanPadding, '\0');
  RawBlock block;
  EventParser parser(block, shapes, 0, way);
  const ParseResult result = parser.parse({padded.data(), events.size()}, 0, UINT64_MAX, {});
  return Described(block).text + "\nends " + std::to_string(static_cast<int>(result.end)) + ' ' +
         std::to_string(result.at) + ' ' + std::to_string(result.insideElement);
}

using Random = std::mt19937_64;

template <class Choice>
const Choice& anyOf(Random& random, const std::vector<Choice>& choices) {
  return choices[random() % choices.size()];
}

std::string anyText(Random& random, std::size_t most) {
  static const std::vector<std::string> kPieces = {
      "aten::", "mm", "\\\"", "\\\\", "[", "]", "{", "}", ",", ":", " ", "\\n", "\xC3\xA4", "x", "longer piece of text",
      "\\u0041"};
  std::string text = "\"";
  for (std::size_t length = random() % most; text.size() < length;) text += anyOf(random, kPieces);
  return text + '"';
}

std::string anyNumber(Random& random) {
  switch (random() % 8) {
    case 0:
      return std::to_string(random());
    case 1:
      return '-' + std::to_string(random() % 100000);
    case 2:
      return std::to_string(random() % 100000) + '.' + std::to_string(random() % 10000);
    case 3:
      return "1.5e" + std::to_string(random() % 20);
    default:
      return std::to_string(random() % 1000000);
  }
}

std::string anyValue(Random& random, int depth = 0) {
  static const std::vector<std::string> kWords = {"true", "false", "null", "NaN", "-Infinity", "word"};
  switch (random() % (depth < 3 ? 6 : 3)) {
    case 0:
      return anyNumber(random);
    case 1:
      return anyText(random, 20 + random() % 150);
    case 2:
      return random() % 4 == 0 ? anyOf(random, kWords) : anyNumber(random);
    default:
      break;
  }
  std::string list = "[";
  for (std::size_t count = random() % 8; count > 0; --count)
    list += anyValue(random, depth + 1) + (count > 1 ? ", " : "");
  return list + ']';
}

// A recorder with a few layouts of its own, as recorders have.
class Recorder {
 public:
  explicit Recorder(Random& random) : m_random(random), m_space(anyOf(random, kSpaces)) {
    for (std::size_t count = 1 + random() % 8; count > 0; --count) m_layouts.push_back(layout());
  }

  std::string event() {
    const Layout& layout = anyOf(m_random, m_layouts);
    std::string text = '{' + m_space;
    for (const std::string& key : layout.keys) text += pair(key, value(key, layout)) + ',' + m_space;
    if (layout.args.empty()) {
      text += "\"last\": 1";
    } else {
      text += "\"args\": {" + m_space;
      for (std::size_t i = 0; i < layout.args.size(); ++i)
        text += (i > 0 ? "," + m_space : "") + pair(layout.args[i], argument(layout.args[i]));
      text += m_space + '}';
    }
    return text + m_space + '}';
  }

 private:
  struct Layout {
    std::vector<std::string> keys;
    std::vector<std::string> args;
    std::string phase;
    std::string category;
  };

  Layout layout() {
    Layout result;
    result.keys = {"ph", "cat", "name", "pid", "tid", "ts", "dur", "id", "s", "bp"};
    std::shuffle(result.keys.begin(), result.keys.end(), m_random);
    if (m_random() % 3 == 0) result.keys.resize(6);
    if (m_random() % 6 == 0) result.keys.push_back(anyOf(m_random, result.keys));
    if (m_random() % 6 == 0) result.keys.emplace_back("sf");
    for (std::size_t count = m_random() % 10; count > 0; --count) result.args.push_back(anyOf(m_random, kArgs));
    result.phase = anyOf<std::string>(m_random, {"X", "X", "X", "i", "s", "f", "B", "E", "b", "e", "C", "M", "?"});
    result.category = anyText(m_random, 20);
    return result;
  }

  std::string pair(const std::string& key, const std::string& value) const { return '"' + key + "\": " + value; }

  std::string value(const std::string& key, const Layout& layout) {
    if (m_random() % 100 == 0) return anyValue(m_random);
    if (key == "ph") return '"' + layout.phase + '"';
    if (key == "cat") return layout.category;
    if (key == "name") return m_random() % 8 == 0 ? "\"[memory]\"" : anyText(m_random, 90);
    if (key == "ts" || key == "dur")
      return std::to_string(m_random() % 1000000) + '.' + std::to_string(100 + m_random() % 900);
    if (key == "pid" || key == "tid") return std::to_string(m_random() % 3);
    if (key == "s" || key == "bp") return anyOf<std::string>(m_random, {"\"t\"", "\"e\"", "\"g\""});
    return anyNumber(m_random);
  }

  std::string argument(const std::string& key) {
    if (m_random() % 20 == 0) return anyValue(m_random);
    if (key == "Input Dims" || key == "Concrete Inputs") return anyValue(m_random);
    if (key == "grid" || key == "block") return "[1, " + std::to_string(m_random() % 4096) + ", 1]";
    return anyNumber(m_random);
  }

  inline static const std::vector<std::string> kSpaces = {"", " ", "\n    ", "\t", "                          "};
  inline static const std::vector<std::string> kArgs = {"External id",
                                                        "correlation",
                                                        "Input Dims",
                                                        "Concrete Inputs",
                                                        "stream",
                                                        "device",
                                                        "grid",
                                                        "block",
                                                        "Bytes",
                                                        "Addr",
                                                        "Ev Idx",
                                                        "bytes",
                                                        "other",
                                                        "finished",
                                                        "est. achieved occupancy %",
                                                        "registers per thread",
                                                        "a key that is longer than a step could ever be, by far"};
  Random& m_random;
  std::string m_space;
  std::vector<Layout> m_layouts;
};

std::string trace(Random& random) {
  Recorder recorder(random);
  std::string text;
  for (std::size_t count = 1 + random() % 60; count > 0; --count)
    text += recorder.event() + (random() % 50 == 0 ? " , ," : ",\n  ");
  return text + ']';
}

void damage(std::string& text, Random& random) {
  static const std::string kMarks = "\"\\{}[],: \n0a\x01";
  for (std::size_t count = random() % 6; count > 0 && !text.empty(); --count) {
    const std::size_t at = random() % text.size();
    if (random() % 3 == 0) {
      text.erase(at, 1 + random() % 40);
    } else if (random() % 2 == 0) {
      text.insert(at, 1, kMarks[random() % kMarks.size()]);
    } else {
      text[at] = kMarks[random() % kMarks.size()];
    }
  }
  if (random() % 4 == 0) text.resize(random() % (text.size() + 1));
}

void expectAllAgree(const std::string& text, std::uint64_t seed) {
  EventShapes none;
  const std::string expected = readAll(text, ReadWith::kGrammar, none);
  for (const ReadWith way : waysHere()) {
    EventShapes shapes;
    // Twice: with nothing learned, and with all.
    for (int times = 0; times < 2; ++times)
      ASSERT_EQ(readAll(text, way, shapes), expected) << "seed " << seed << " way " << static_cast<int>(way);
  }
}

TEST(ReadWith, WholeTextIsReadAlike) {
  for (std::uint64_t seed = 0; seed < 1500; ++seed) {
    Random random(seed);
    ASSERT_NO_FATAL_FAILURE(expectAllAgree(trace(random), seed));
  }
}

TEST(ReadWith, DamagedTextIsReadAlike) {
  for (std::uint64_t seed = 0; seed < 4000; ++seed) {
    Random random(seed);
    std::string text = trace(random);
    damage(text, random);
    ASSERT_NO_FATAL_FAILURE(expectAllAgree(text, seed));
  }
}

TEST(ReadWith, RandomBytesAreReadAlike) {
  static const std::string kBytes = "{{}}[[]],,::\"\"\"\\\\ \n\t1234567890.-eE+tfnulx\x01\x7F\xFF";
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    Random random(seed);
    std::string text;
    for (std::size_t i = 0; i < 400; ++i) text += kBytes[random() % kBytes.size()];
    // Layouts of real events with noise for values.
    for (std::size_t i = 0; i < 12; ++i) {
      std::string noise;
      for (std::size_t length = random() % 100; noise.size() < length;) noise += kBytes[random() % kBytes.size()];
      text += "{\"ph\":\"X\",\"name\":\"n\",\"ts\":1,\"dur\":2,\"args\":{\"a\":" + (i < 4 ? "[1]" : noise) + "}},";
    }
    ASSERT_NO_FATAL_FAILURE(expectAllAgree(text, seed));
  }
}

TEST(ReadWith, LayoutsBeyondNumberAreReadAlike) {
  Random random(7);
  std::string text;
  for (int i = 0; i < 20000; ++i)
    text += "{\"ph\":\"X\",\"cat\":\"c\",\"name\":\"n\",\"pid\":" + std::to_string(random() % 500) +
            ",\"tid\":" + std::to_string(random() % 500) + ",\"ts\":" + std::to_string(i) + ",\"dur\":1,\"args\":{\"k" +
            std::to_string(random() % 900) + "\":" + std::to_string(i) + "}},";
  expectAllAgree(text + ']', 7);
}

}  // namespace
}  // namespace attnscope
