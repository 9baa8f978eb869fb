// SPDX-License-Identifier: Apache-2.0
// Args are read back from where they lie: from the file, from a gzip stream unpacked again, from text that was merged.
#include <gtest/gtest.h>

#include "tests/unit/import/Files.h"

namespace attnscope {
namespace {

std::string argsOf(const Trace& trace, std::uint32_t slice) {
  const auto text = trace.argsSource->read(trace.slices.args(SliceId{slice}));
  return text ? *text : "error: " + text.error().message();
}

// Large enough for several saved states of the inflater.
std::string largeTrace(int events) {
  std::string text = "{\"traceEvents\": [\n";
  for (int i = 0; i < events; ++i) {
    const std::string n = std::to_string(i);
    text += (i ? ",\n" : "") + std::string(R"({"ph": "X", "name": "op)") + std::to_string(i % 50) +
            R"(", "pid": 1, "tid": 1, "ts": )" + n + R"(, "dur": 1, "args": {"number": )" + n + R"(, "text": ")" +
            std::string(200, static_cast<char>('a' + i % 26)) + n + "\"}}";
  }
  return text + "\n]}";
}

TEST(ArgsSource, PlainAndGzipGiveTheSame) {
  const testing::TemporaryFolder folder;
  const std::string text = largeTrace(100000);
  const auto plain = testing::load(folder.write("a.json", text));
  const auto packed = testing::load(folder.writeGzip("a.json.gz", text));
  ASSERT_TRUE(plain && packed);
  ASSERT_EQ((*plain)->slices.size(), 100000u);
  for (std::uint32_t i = 0; i < 100000; i += 997) {
    // Back and forth over the file.
    const std::uint32_t slice = i % 2 == 0 ? i : 99999 - i;
    EXPECT_EQ(argsOf(**plain, slice), argsOf(**packed, slice));
    EXPECT_NE(argsOf(**packed, slice).find("\"number\": " + std::to_string(slice) + ","), std::string::npos);
  }
}

TEST(ArgsSource, SeveralMembers) {
  const testing::TemporaryFolder folder;
  const std::string text = largeTrace(60000);
  std::string packed;
  for (std::size_t at = 0; at < text.size(); at += text.size() / 3 + 1)
    packed += testing::contentsOf(folder.writeGzip("part.gz", text.substr(at, text.size() / 3 + 1)));
  const auto trace = testing::load(folder.write("a.json", packed));  // gzip by content, not by name
  ASSERT_TRUE(trace) << trace.error().message();
  ASSERT_EQ((*trace)->slices.size(), 60000u);
  for (const std::uint32_t slice : {59999u, 0u, 20000u, 40000u, 19999u, 39999u})
    EXPECT_NE(argsOf(**trace, slice).find("\"number\": " + std::to_string(slice) + ","), std::string::npos);
}

TEST(ArgsSource, BeginsAndEndsAreMerged) {
  const testing::TemporaryFolder folder;
  const std::string text = R"([{"ph":"B","name":"f","ts":0,"args":{"a":1,"k":"begin"}},
    {"ph":"E","ts":9,"args":{"k":"end","b":[2]}},
    {"ph":"B","name":"g","ts":10},{"ph":"E","ts":11,"args":{"only":"end"}}])";
  for (const std::string& path : {folder.write("a.json", text), folder.writeGzip("a.json.gz", text)}) {
    const auto trace = testing::load(path);
    ASSERT_TRUE(trace);
    EXPECT_EQ(argsOf(**trace, 0), R"({"a": 1, "k": "end", "b": [2]})");
    EXPECT_EQ(argsOf(**trace, 1), R"({"only":"end"})");
  }
}

TEST(ArgsSource, AChangedFileIsSaid) {
  const testing::TemporaryFolder folder;
  const std::string path = folder.write("a.json", R"([{"ph":"X","name":"f","ts":0,"dur":1,"args":{"a":1}}])");
  const auto trace = testing::load(path);
  ASSERT_TRUE(trace);
  std::ofstream(path, std::ios::app) << "   ";
  EXPECT_TRUE((*trace)->argsSource->read((*trace)->slices.args(SliceId{0}))) << "it only grew";
  std::ofstream(path) << R"([{"ph":"X","name":"other","ts":0,"dur":1,"args":{"b":22222222222222222}},{},{},{}])";
  const auto text = (*trace)->argsSource->read((*trace)->slices.args(SliceId{0}));
  ASSERT_FALSE(text);
  EXPECT_NE(text.error().message().find("changed"), std::string::npos);
}

}  // namespace
}  // namespace attnscope
