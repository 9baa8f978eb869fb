// SPDX-License-Identifier: Apache-2.0
// What a file is, its content says: zstd, zip, pipes, in and around one another, whole and damaged.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zip.h>
#include <zstd.h>

#include <stop_token>
#include <thread>
#include <vector>

#include "tests/unit/import/Files.h"

namespace attnscope {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string trace(const std::string& name, int events = 1) {
  std::string text = R"({"traceEvents": [)";
  for (int i = 0; i < events; ++i)
    text += (i == 0 ? "" : ",\n") + std::string(R"({"ph":"X","name":")") + name + R"(","pid":1,"tid":1,"ts":)" +
            std::to_string(i * 10) + R"(,"dur":5,"args":{"i":)" + std::to_string(i) + "}}";
  return text + "]}";
}

std::string zstd(const std::string& text) {
  std::string packed(ZSTD_compressBound(text.size()), '\0');
  packed.resize(ZSTD_compress(packed.data(), packed.size(), text.data(), text.size(), 3));
  return packed;
}

struct Part {
  std::string name;
  std::string bytes;
};

std::string zipOf(const testing::TemporaryFolder& folder, const std::vector<Part>& parts) {
  const std::string path = folder.path("made.zip");
  int code = 0;
  zip_t* archive = zip_open(path.c_str(), ZIP_CREATE | ZIP_TRUNCATE, &code);
  for (const Part& part : parts)
    zip_file_add(archive, part.name.c_str(), zip_source_buffer(archive, part.bytes.data(), part.bytes.size(), 0),
                 ZIP_FL_ENC_UTF_8);
  EXPECT_EQ(zip_close(archive), 0);
  return testing::contentsOf(path);
}

std::string nameOfFirst(const Trace& trace) { return std::string(trace.name(SliceId{0})); }

std::string argsOf(const Trace& trace, std::uint32_t slice) {
  const auto text = trace.argsSource->read(trace.slices.args(SliceId{slice}));
  return text ? *text : text.error().message();
}

TEST(Containers, ZstdOfAnyNumberOfFrames) {
  const testing::TemporaryFolder folder;
  const std::string text = trace("z", 5000);
  const std::string half = zstd(text.substr(0, text.size() / 2)) + zstd(text.substr(text.size() / 2));
  for (const std::string& bytes : {zstd(text), half}) {
    const std::string path = folder.write("x.json", bytes);
    const auto loaded = testing::load(path);
    ASSERT_TRUE(loaded) << loaded.error().message();
    EXPECT_EQ((*loaded)->slices.size(), 5000u);
    EXPECT_EQ((*loaded)->fileBytes, bytes.size());
    EXPECT_EQ((*loaded)->path, path);
    EXPECT_TRUE((*loaded)->health.entries().empty());
    EXPECT_EQ(argsOf(**loaded, 4999), R"({"i":4999})");
  }
}

TEST(Containers, DamagedZstdIsReadUpToThere) {
  const testing::TemporaryFolder folder;
  const std::string whole = zstd(trace("z", 50000));
  const auto cut = testing::load(folder.write("cut.zst", whole.substr(0, whole.size() / 2)));
  ASSERT_TRUE(cut) << cut.error().message();
  EXPECT_GT((*cut)->slices.size(), 1000u);
  EXPECT_LT((*cut)->slices.size(), 50000u);
  EXPECT_NE(testing::healthOf(**cut, "zstd.cut"), nullptr);
  std::string bytes = whole;
  for (std::size_t i = bytes.size() / 2; i < bytes.size() / 2 + 40; ++i) bytes[i] = static_cast<char>(bytes[i] ^ 0x5A);
  const auto damaged = testing::load(folder.write("damaged.zst", bytes));
  ASSERT_TRUE(damaged) << damaged.error().message();
  EXPECT_NE(testing::healthOf(**damaged, "zstd.damaged"), nullptr);
}

TEST(Containers, ZipOfOneTraceIsThatTrace) {
  const testing::TemporaryFolder folder;
  const std::string gz = testing::contentsOf(folder.writeGzip("t.json.gz", trace("inner")));
  for (const std::string& member : {trace("inner"), gz, zstd(trace("inner"))}) {
    const std::string bytes =
        zipOf(folder, {{"run/rank-3.json", member}, {"run/notes.txt", "hello"}, {"__MACOSX/run/rank-3.json", "{"}});
    const std::string path = folder.write("x.json", bytes);
    const auto loaded = testing::load(path);
    ASSERT_TRUE(loaded) << loaded.error().message();
    EXPECT_EQ(nameOfFirst(**loaded), "inner");
    EXPECT_EQ(argsOf(**loaded, 0), R"({"i":0})");
  }
}

TEST(Containers, ZipOfSeveralTracesNamesThem) {
  const testing::TemporaryFolder folder;
  const std::string path = folder.write(
      "two#1.zip", zipOf(folder, {{"a/rank-0.json", trace("zero")}, {"b#x.json", trace("one")}, {"c.png", "\x89PNG"}}));
  const auto names = tracesInside(path);
  ASSERT_TRUE(names);
  EXPECT_THAT(*names, ElementsAre(path + "#a/rank-0.json", path + "#b#x.json"));
  const auto alone = testing::load(path);
  ASSERT_FALSE(alone);
  EXPECT_EQ(alone.error().kind, ErrorKind::kUsage);
  EXPECT_THAT(alone.error().message(), HasSubstr(path + "#a/rank-0.json, " + path + "#b#x.json"));
  const auto zero = testing::load(names->front());
  ASSERT_TRUE(zero) << zero.error().message();
  EXPECT_EQ(nameOfFirst(**zero), "zero");
  EXPECT_EQ((*zero)->rank.index, 0);
  EXPECT_EQ((*zero)->path, path + "#a/rank-0.json");
  const auto one = testing::load(names->back());
  ASSERT_TRUE(one) << one.error().message();
  EXPECT_EQ(nameOfFirst(**one), "one");
  const auto none = testing::load(path + "#../../etc/passwd");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().kind, ErrorKind::kUsage);
  EXPECT_THAT(none.error().message(), HasSubstr("b#x.json"));
  EXPECT_EQ(testing::load(folder.write("plain.json", trace("p")) + "#a").error().kind, ErrorKind::kUsage);
}

TEST(Containers, ZipWithoutATrace) {
  const testing::TemporaryFolder folder;
  const auto says = [&](const std::vector<Part>& parts) {
    const auto loaded = testing::load(folder.write("x.zip", zipOf(folder, parts)));
    return loaded ? std::string("loaded") : loaded.error().message();
  };
  EXPECT_THAT(says({{"a.txt", "hello"}, {"b.txt", "world"}}), HasSubstr("holds no trace"));
  EXPECT_THAT(says({{"a.html", "<html>"}}), HasSubstr("HTML"));
  EXPECT_THAT(says({{"inner.zip", zipOf(folder, {{"a.json", trace("a")}})}}), HasSubstr("inside another archive"));
  const std::string whole = zipOf(folder, {{"a.json", trace("a", 1000)}});
  const auto cut = testing::load(folder.write("cut.zip", whole.substr(0, whole.size() - 30)));
  ASSERT_FALSE(cut);
  EXPECT_THAT(cut.error().message(), HasSubstr("zip archive that is cut or damaged"));
}

TEST(Containers, WhatUnpacksTooLargeIsLeftOut) {
  const testing::TemporaryFolder folder;
  const std::string text = trace("a", 100000);
  LoadOptions options;
  options.limits = {2, 1 << 16};
  std::vector<std::string> paths = {folder.write("x.zst", zstd(text)),
                                    folder.write("x.zip", zipOf(folder, {{"a.json", text}})),
                                    folder.writeGzip("x.json.gz", text)};
  for (const std::string& path : paths) {
    const auto bounded = testing::load(path, options);
    ASSERT_TRUE(bounded) << bounded.error().message();
    EXPECT_NE(testing::healthOf(**bounded, "unpack.limit"), nullptr) << path;
    EXPECT_LT((*bounded)->slices.size(), 100000u);
    EXPECT_GT((*bounded)->slices.size(), 0u);
    const auto whole = testing::load(path);
    ASSERT_TRUE(whole);
    EXPECT_EQ((*whole)->slices.size(), 100000u);
    EXPECT_TRUE((*whole)->health.entries().empty());
  }
}

TEST(Containers, SymbolicLinksAreFollowed) {
  const testing::TemporaryFolder folder;
  std::filesystem::create_symlink(folder.write("x.json", trace("a")), folder.path("link.json"));
  ASSERT_TRUE(testing::load(folder.path("link.json")));
}

// Both ends of a pipe: what its writer sends is what is read, plain or packed.
TEST(Containers, PipesAreReadToTheirEnd) {
  const testing::TemporaryFolder folder;
  const std::string pipe = folder.path("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const std::string gz = testing::contentsOf(folder.writeGzip("t.json.gz", trace("a", 3000)));
  for (const std::string& bytes : {trace("a", 3000), gz, zstd(trace("a", 3000))}) {
    std::thread writer([&] { std::ofstream(pipe, std::ios::binary) << bytes; });
    const auto loaded = testing::load(pipe);
    writer.join();
    ASSERT_TRUE(loaded) << loaded.error().message();
    EXPECT_EQ((*loaded)->slices.size(), 3000u);
    EXPECT_EQ((*loaded)->fileBytes, bytes.size());
    EXPECT_EQ(argsOf(**loaded, 2999), R"({"i":2999})");
  }
  EXPECT_THAT(testing::load("/dev/null").error().message(), HasSubstr("empty"));
  EXPECT_THAT(testing::load("/dev/zero").error().message(), HasSubstr("nothing but space"));
}

TEST(Containers, AStopEndsTheWaitForAPipe) {
  const testing::TemporaryFolder folder;
  const std::string pipe = folder.path("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);  // nobody writes to it
  std::stop_source stop;
  Progress progress;
  std::thread stopper([&] {
    while (std::string_view(progress.stage()) != "Receive") std::this_thread::yield();
    stop.request_stop();
  });
  const auto loaded = loadTrace(pipe, {}, progress, stop.get_token());
  stopper.join();
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().kind, ErrorKind::kCancelled);
}

}  // namespace
}  // namespace attnscope
