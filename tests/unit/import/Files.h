// SPDX-License-Identifier: Apache-2.0
#pragma once

// Files of a test, in a folder that goes with it.

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

#include "core/export/OutputFile.h"
#include "core/import/TraceLoader.h"

namespace attnscope::testing {

class TemporaryFolder {
 public:
  TemporaryFolder() {
    static int count = 0;
    m_path = std::filesystem::temp_directory_path() /
             ("attnscope-test-" + std::to_string(::getpid()) + "-" + std::to_string(count++));
    std::filesystem::create_directories(m_path);
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(m_path, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  [[nodiscard]] std::string path(const std::string& name) const { return (m_path / name).string(); }

  std::string write(const std::string& name, const std::string& bytes) const {
    std::ofstream(path(name), std::ios::binary) << bytes;
    return path(name);
  }

  std::string writeGzip(const std::string& name, const std::string& text) const {
    auto file = OutputFile::create(path(name), true);
    if (file && (*file)->write(text)) (void)(*file)->commit();
    return path(name);
  }

 private:
  std::filesystem::path m_path;
};

inline std::string contentsOf(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

inline Result<std::shared_ptr<const Trace>> load(const std::string& path, LoadOptions options = {}) {
  Progress progress;
  return loadTrace(path, options, progress, {});
}

inline std::shared_ptr<const Trace> loadText(const std::string& text, const std::string& name = "x.json") {
  const TemporaryFolder folder;
  const auto trace = load(folder.write(name, text));
  EXPECT_TRUE(trace) << trace.error().message();
  return trace ? *trace : std::make_shared<const Trace>();
}

inline const HealthEntry* healthOf(const Trace& trace, std::string_view code) {
  for (const HealthEntry& entry : trace.health.entries())
    if (entry.code == code) return &entry;
  return nullptr;
}

inline SliceId find(const Trace& trace, std::string_view name) {
  for (std::uint32_t i = 0; i < trace.slices.size(); ++i)
    if (trace.name(SliceId{i}) == name) return SliceId{i};
  ADD_FAILURE() << "no slice " << name;
  return kNoSlice;
}

}  // namespace attnscope::testing
