// SPDX-License-Identifier: Apache-2.0
// What the engine promises to those who know no LibTorch: this file includes none.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>

#include "core/engine/Environment.h"
#include "core/engine/Failure.h"
#include "core/engine/SampleRecording.h"
#include "core/engine/Stage.h"
#include "core/engine/recorders/KinetoRecorder.h"
#include "core/problem/Cards.h"

namespace attnscope::engine {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

class Folder {
 public:
  explicit Folder(const std::string& name) : m_path(fs::current_path() / ("engine-" + name)) {
    fs::remove_all(m_path);
    fs::create_directory(m_path);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { fs::remove_all(m_path); }
  [[nodiscard]] const fs::path& path() const { return m_path; }

 private:
  fs::path m_path;
};

std::string textOf(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

TEST(Failure, WhatIsThrownBecomesAnErrorOfOneLine) {
  const Result<int> result =
      guarded("multiplying", []() -> Result<int> { throw std::runtime_error("shapes differ\nback-trace\n"); });
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().kind, ErrorKind::kInternal);
  EXPECT_EQ(result.error().message(), "multiplying failed: shapes differ");
}

TEST(Environment, IsFoundByTrying) {
  const Result<Environment> environment = describeEnvironment();
  ASSERT_TRUE(environment.has_value()) << environment.error().message();
  EXPECT_EQ(environment->libtorch, "2.11.0");
  EXPECT_FALSE(environment->cpuCapability.empty());
  EXPECT_GE(environment->threads, 1);
  EXPECT_TRUE(environment->kineto);
  ASSERT_EQ(environment->devices.size(), 2u);
  EXPECT_EQ(environment->devices[0].id, "cpu");
  EXPECT_TRUE(environment->devices[0].reason.empty());
  EXPECT_FALSE(environment->devices[1].reason.empty());
  EXPECT_FALSE(environment->choice.has_value());
  EXPECT_EQ(environment->implementations.size(), cards().size());
  int available = 0;
  for (const Availability& implementation : environment->implementations) {
    available += implementation.reason.empty() ? 1 : 0;
    EXPECT_FALSE(implementation.title.empty());
  }
  EXPECT_GE(available, 9);
}

TEST(Environment, SaysWhatRunsAProblem) {
  Problem problem;
  problem.mask = NoMask{};
  const Result<Environment> environment = describeEnvironment(problem);
  ASSERT_TRUE(environment.has_value());
  for (const Availability& implementation : environment->implementations) {
    if (implementation.id == "window.blocks") {
      EXPECT_NE(implementation.reason.find("window"), std::string::npos);
    }
    if (implementation.id == "naive.plain") {
      EXPECT_TRUE(implementation.reason.empty());
    }
  }
  ASSERT_TRUE(environment->choice.has_value());
  EXPECT_EQ(environment->choice->backend, "flash");
}

TEST(KinetoRecorder, SavesWithoutTheFolderAndWithWhatItWasTold) {
  const Folder folder("recorder");
  KinetoRecorder recorder;
  ASSERT_TRUE(recorder.start().has_value());
  recorder.describe("attnscope", R"({"title": "A stage"})");
  { const Stage stage("a stage"); }
  ASSERT_TRUE(recorder.stop().has_value());
  ASSERT_TRUE(recorder.save(folder.path() / "stage.json").has_value());

  const std::string text = textOf(folder.path() / "stage.json");
  EXPECT_EQ(text.find(folder.path().string()), std::string::npos);
  const json trace = json::parse(text);
  EXPECT_EQ(trace["traceName"], "stage.json");
  EXPECT_EQ(trace["attnscope"]["title"], "A stage");
  EXPECT_FALSE(trace.contains("ERROR"));
  int stages = 0;
  for (const json& event : trace["traceEvents"]) {
    if (event["name"] == "a stage" && event["cat"] == "user_annotation") ++stages;
  }
  EXPECT_EQ(stages, 1);
}

TEST(KinetoRecorder, SaysWhatCouldNotBeSaved) {
  KinetoRecorder recorder;
  EXPECT_EQ(recorder.save("unused.json").error().what, "nothing was recorded");
  ASSERT_TRUE(recorder.start().has_value());
  ASSERT_TRUE(recorder.stop().has_value());
  const Result<void> saved = recorder.save("absent-folder/trace.json");
  ASSERT_FALSE(saved.has_value());
  EXPECT_EQ(saved.error().kind, ErrorKind::kInput);
  EXPECT_EQ(saved.error().what, "absent-folder/trace.json could not be written");
}

TEST(KinetoRecorder, LeavesNothingWhereItCouldNotWrite) {
  const Folder folder("unwritten");
  fs::create_directory(folder.path() / "trace.json");
  KinetoRecorder recorder;
  ASSERT_TRUE(recorder.start().has_value());
  ASSERT_TRUE(recorder.stop().has_value());
  EXPECT_FALSE(recorder.save(folder.path() / "trace.json").has_value());
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()), 1);
}

TEST(KinetoRecorder, ADestroyedRecorderEndsItsRecording) {
  {
    KinetoRecorder recorder;
    ASSERT_TRUE(recorder.start().has_value());
  }
  KinetoRecorder next;
  EXPECT_TRUE(next.start().has_value());
}

// Events of a trace by name, those of one category, with their times in us.
std::multimap<std::string, json> slicesOf(const json& trace, const std::string& category) {
  std::multimap<std::string, json> slices;
  for (const json& event : trace["traceEvents"]) {
    if (event["ph"] == "X" && event["cat"] == category) slices.emplace(event["name"], event);
  }
  return slices;
}

void expectSample(const json& trace, const std::string& title, const std::set<std::string>& stages) {
  EXPECT_EQ(trace["attnscope"]["title"], title);
  EXPECT_EQ(trace["attnscope"]["threads"], 1);
  const auto annotations = slicesOf(trace, "user_annotation");
  std::set<std::string> found;
  for (const auto& [name, slice] : annotations) {
    if (name.starts_with("ProfilerStep#")) continue;
    EXPECT_EQ(annotations.count(name), 5u) << name;
    found.insert(name);
  }
  EXPECT_EQ(found, stages);
  for (int step = 0; step < 5; ++step) EXPECT_EQ(annotations.count("ProfilerStep#" + std::to_string(step)), 1u);
  bool shapes = false;
  bool memory = false;
  std::set<std::int64_t> threads;
  for (const json& event : trace["traceEvents"]) {
    if (event.value("cat", "") == "cpu_op") {
      threads.insert(event["tid"].get<std::int64_t>());
      shapes = shapes || event["args"].contains("Input Dims");
    }
    memory = memory || event["name"] == "[memory]";
  }
  EXPECT_TRUE(shapes);
  EXPECT_TRUE(memory);
  EXPECT_EQ(threads.size(), 1u);
}

TEST(SampleRecording, RecordsTwoTracesThatDifferInTheirAttention) {
  const Folder folder("sample");
  const auto samples = recordSample(folder.path());
  ASSERT_TRUE(samples.has_value()) << samples.error().message();
  ASSERT_EQ(samples->size(), 2u);
  const json naive = json::parse(textOf(folder.path() / "naive.json"));
  const json flash = json::parse(textOf(folder.path() / "flash.json"));
  expectSample(naive, "Naive attention",
               {"qkv_projection", "rope", "attention", "scores", "scale", "mask", "softmax", "weighted_sum",
                "output_projection", "mlp"});
  expectSample(flash, "SDPA flash", {"qkv_projection", "rope", "attention", "fused", "output_projection", "mlp"});
  EXPECT_EQ(slicesOf(naive, "cpu_op").count("aten::_scaled_dot_product_flash_attention_for_cpu"), 0u);
  EXPECT_EQ(slicesOf(flash, "cpu_op").count("aten::_scaled_dot_product_flash_attention_for_cpu"), 5u);
  EXPECT_EQ(slicesOf(flash, "cpu_op").count("aten::_softmax"), 0u);
}

}  // namespace
}  // namespace attnscope::engine
