// SPDX-License-Identifier: Apache-2.0
// A file that is no trace is refused with one line that says what it is and what to do.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

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
                      Refused{"utf16", "\xff\xfe{\0\"\0"s, "UTF-16"}, Refused{"utf16bare", "{\0\"\0t\0"s, "UTF-16"},
                      Refused{"perfetto", "\x0a\x8f\x01\x12\x34"s, "Perfetto"}, Refused{"zip", "PK\x03\x04zzzz", "zip"},
                      Refused{"zstd", "\x28\xb5\x2f\xfdzzz", "zstd"},
                      Refused{"sqlite", "SQLite format 3\0zz"s, "SQLite"},
                      Refused{"ftrace", "# tracer: nop\n", "ftrace"}, Refused{"space", "  \n \n", "nothing but space"},
                      Refused{"words", "hello world", "begins with \"hello world\""},
                      Refused{"cutAtOnce", "{\"traceEv", "ends before any event"},
                      Refused{"gzipOfNothingUseful", "\x1f\x8b\x08"s, "space"}),
    [](const auto& kind) { return kind.param.title; });

TEST(LoadErrors, FilesThatCannotBeRead) {
  const testing::TemporaryFolder folder;
  EXPECT_THAT(testing::load(folder.path("missing.json")).error().message(), HasSubstr("no such file"));
  EXPECT_THAT(testing::load(folder.path("")).error().message(), HasSubstr("directory"));
  EXPECT_THAT(testing::load(folder.write("empty.json", "")).error().message(), HasSubstr("empty"));
  EXPECT_THAT(testing::load("/dev/null").error().message(), HasSubstr("no regular file"));
  ASSERT_EQ(::mkfifo(folder.path("pipe").c_str(), 0600), 0);  // nobody writes to it: opening would wait
  EXPECT_THAT(testing::load(folder.path("pipe")).error().message(), HasSubstr("no regular file"));
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
  const auto source = openText(path, progress, {});
  ASSERT_TRUE(source);
  EXPECT_EQ((*source)->data()[100], ' ');
  EXPECT_TRUE((*source)->intact());
  ASSERT_EQ(::truncate(path.c_str(), 5000), 0);
  EXPECT_EQ((*source)->data()[60000], '\0');
  ASSERT_FALSE((*source)->intact());
  EXPECT_THAT((*source)->intact().error().message(), HasSubstr("became shorter"));
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
