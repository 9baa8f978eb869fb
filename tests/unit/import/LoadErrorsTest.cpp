// SPDX-License-Identifier: Apache-2.0
// A file that is no trace is refused with one line that says what it is and what to do.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <random>
#include <stop_token>
#include <thread>

#include "core/import/TextSource.h"
#include "tests/unit/import/Files.h"

namespace attnscope {
namespace {

using ::testing::HasSubstr;

struct Refused {
  const char* title;
  std::string bytes;
  const char* says;
};

class NotATrace : public ::testing::TestWithParam<Refused> {};

TEST_P(NotATrace, IsNamed) {
  const testing::TemporaryFolder folder;
  for (const bool gzip : {false, true}) {
    if (gzip && GetParam().bytes.rfind("\x1f\x8b", 0) == 0) continue;
    const std::string path =
        gzip ? folder.writeGzip("x.json.gz", GetParam().bytes) : folder.write("x.json", GetParam().bytes);
    const auto trace = testing::load(path);
    ASSERT_FALSE(trace) << (gzip ? "gzip" : "plain");
    EXPECT_EQ(trace.error().kind, ErrorKind::kInput);
    EXPECT_THAT(trace.error().message(), HasSubstr(GetParam().says));
    EXPECT_EQ(trace.error().message().find('\n'), std::string::npos);
    EXPECT_FALSE(trace.error().remedy.empty());
  }
}

using namespace std::string_literals;

INSTANTIATE_TEST_SUITE_P(
    Kinds, NotATrace,
    ::testing::Values(Refused{"html", "<!DOCTYPE html><html><body>404</body></html>", "HTML"},
                      Refused{"pickle", "\x80\x04\x95\x00\x00"s, "pickle"},
                      Refused{"numbers", "[[1, 2, 3], [4, 5, 6]]", "array of numbers"},
                      Refused{"flatNumbers", "[1, 2, 3]", "array of numbers"},
                      Refused{"emptyArray", "[]", "no trace events"},
                      Refused{"executionTrace", R"({"schema": "1.0.1", "pid": 1, "nodes": []})", "execution trace"},
                      Refused{"chakra", R"({"workload_graph": []})", "Chakra"},
                      Refused{"speedscope", R"({"$schema": "x", "profiles": [], "shared": {}})", "speedscope"},
                      Refused{"cpuprofile", R"({"nodes": [], "samples": [], "timeDeltas": []})", "CPU profile"},
                      Refused{"rocprofv3", R"({"rocprofiler-sdk-tool": []})", "rocprofv3"},
                      Refused{"object", R"({"a": 1, "b": {"traceEvents": []}})", "traceEvents"},
                      Refused{"gitLfs", "version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "Git LFS"},
                      Refused{"arraysOfEvents", R"([[{"ph":"X","ts":1,"dur":1}]])", "holds arrays"},
                      Refused{"utf16", "\xff\xfe{\0\"\0"s, "UTF-16"}, Refused{"utf16bare", "{\0\"\0t\0"s, "UTF-16"},
                      Refused{"perfetto", "\x0a\x8f\x01\x12\x34"s, "Perfetto"}, Refused{"zip", "PK\x03\x04zzzz", "zip"},
                      Refused{"zstd", "\x28\xb5\x2f\xfdzzz", "zstd"},
                      Refused{"nsightCompute", "NVR\0\x10\0"s, "Nsight Compute"},
                      Refused{"xplane", "\x0a\x8f\x02\x08\x01\x12\x09/host:CPU"s, "xplane.pb"},
                      Refused{"oldPickle", "(dp0\nS'segments'\n", "pickle"},
                      Refused{"rocpd", "SQLite format 3\0 CREATE TABLE rocpd_api"s, "rocpd"},
                      Refused{"xz",
                              "\xfd"
                              "7zXZ\0"s,
                              "xz -d"},
                      Refused{"lz4", "\x04\x22\x4d\x18"s, "lz4 -d"},
                      Refused{"log", "[2026-01-01 10:00:00,123] INFO {\"ph\": 1}\n", "log"},
                      Refused{"glog", "[I1204 10:00:00.1 main.cpp:7] loaded\n", "log"},
                      Refused{"rankLog", "[rank0]: Traceback (most recent call last):\n", "log"},
                      Refused{"sqlite", "SQLite format 3\0zz"s, "SQLite"},
                      Refused{"ftrace", "# tracer: nop\n", "ftrace"}, Refused{"space", "  \n \n", "nothing but space"},
                      Refused{"words", "hello world", "begins with \"hello world\""},
                      Refused{"cutAtOnce", "{\"traceEv", "ends before any event"},
                      Refused{"gzipOfNothingUseful", "\x1f\x8b\x08"s, "cut or damaged"}),
    [](const auto& kind) { return kind.param.title; });

// Its first bytes are nowhere documented, so the name decides; but text is text whatever its name.
TEST(LoadErrors, ReportsOfNsightSystemsGoByTheirName) {
  const testing::TemporaryFolder folder;
  const auto report = testing::load(folder.write("x.nsys-rep", "\x01\x02\x03\x04"s));
  ASSERT_FALSE(report);
  EXPECT_THAT(report.error().message(), HasSubstr("nsys export --type sqlite"));
  EXPECT_TRUE(testing::load(folder.write("y.nsys-rep", R"([{"ph":"X","name":"a","ts":1,"dur":1}])")));
}

TEST(LoadErrors, FilesThatCannotBeRead) {
  const testing::TemporaryFolder folder;
  EXPECT_THAT(testing::load(folder.path("missing.json")).error().message(), HasSubstr("no such file"));
  EXPECT_THAT(testing::load(folder.path("")).error().message(), HasSubstr("directory"));
  EXPECT_THAT(testing::load(folder.write("empty.json", "")).error().message(), HasSubstr("empty"));
  if (::geteuid() != 0) {
    const std::string path = folder.write("secret.json", "[]");
    std::filesystem::permissions(path, std::filesystem::perms::none);
    EXPECT_THAT(testing::load(path).error().message(), HasSubstr("permission"));
  }
}

// Its writer began anew while it was read: the pages that are gone would end the program.
TEST(LoadErrors, AFileThatBecomesShorterWhileItIsRead) {
  const testing::TemporaryFolder folder;
  const std::string path = folder.write("shrinks.json", std::string(64 << 10, ' '));
  Progress progress;
  const auto file = FileHandle::open(path);
  ASSERT_TRUE(file);
  const auto source = openText(*file, {}, progress, {});
  ASSERT_TRUE(source);
  EXPECT_EQ((*source)->data()[100], ' ');
  EXPECT_TRUE((*source)->intact());
  ASSERT_EQ(::truncate(path.c_str(), 5000), 0);
  EXPECT_EQ((*source)->data()[60000], '\0');
  ASSERT_FALSE((*source)->intact());
  EXPECT_THAT((*source)->intact().error().message(), HasSubstr("became shorter"));
}

TEST(LoadErrors, ACompressedFileThatBecomesShorterWhileItIsRead) {
  const testing::TemporaryFolder folder;
  std::mt19937 random(3);
  std::string text;
  for (int i = 0; i < 1 << 20; ++i) text += static_cast<char>(' ' + random() % 64);
  const std::string member = testing::contentsOf(folder.writeGzip("one.gz", text));
  std::string members;
  for (int i = 0; i < 100; ++i) members += member;
  const std::string path = folder.write("shrinks.json.gz", members);
  Progress progress;
  const auto file = FileHandle::open(path);
  ASSERT_TRUE(file);
  const auto source = openText(*file, {}, progress, {});
  ASSERT_TRUE(source);
  EXPECT_FALSE((*source)->waitFor(1 << 20).final) << "not all is unpacked ahead";
  ASSERT_EQ(::truncate(path.c_str(), 5000), 0);
  EXPECT_TRUE((*source)->waitFor(UINT64_MAX).final);
  ASSERT_FALSE((*source)->intact());
  EXPECT_THAT((*source)->intact().error().message(), HasSubstr("changed after it was opened"));
}

TEST(LoadErrors, ACompressedFileThatIsCutBeforeItsText) {
  const testing::TemporaryFolder folder;
  const std::string whole = testing::contentsOf(folder.writeGzip("whole.json.gz", R"([{"ph":"X","ts":1,"dur":1}])"));
  for (const std::size_t bytes : {3u, 5u, 10u}) {
    const auto trace = testing::load(folder.write("cut.json.gz", whole.substr(0, bytes)));
    ASSERT_FALSE(trace) << bytes;
    EXPECT_THAT(trace.error().message(), HasSubstr("is cut or damaged before any text")) << bytes;
  }
}

TEST(LoadErrors, StopLeavesNothing) {
  const testing::TemporaryFolder folder;
  std::string text = "[";
  for (int i = 0; i < 200000; ++i)
    text += (i ? "," : "") + std::string(R"({"ph":"X","name":"a","pid":1,"tid":1,"ts":)") + std::to_string(i) +
            ",\"dur\":1}";
  for (const std::string& path : {folder.write("a.json", text), folder.writeGzip("a.json.gz", text)}) {
    std::stop_source source;
    source.request_stop();
    Progress progress;
    const auto trace = loadTrace(path, {}, progress, source.get_token());
    ASSERT_FALSE(trace);
    EXPECT_EQ(trace.error().kind, ErrorKind::kCancelled);
    // Stopped half way.
    std::stop_source later;
    Progress again;
    std::thread stopper([&] {
      while (again.events() == 0 && !later.stop_requested()) std::this_thread::yield();
      later.request_stop();
    });
    const auto second = loadTrace(path, {}, again, later.get_token());
    later.request_stop();
    stopper.join();
    if (!second) {
      EXPECT_EQ(second.error().kind, ErrorKind::kCancelled);
    }
  }
}

}  // namespace
}  // namespace attnscope
