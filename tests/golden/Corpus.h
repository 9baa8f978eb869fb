// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the golden tests share: files of the repository and of the corpus, loading, JSON with exact numbers.

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/Progress.h"
#include "core/import/TraceLoader.h"

namespace attnscope::golden {

using Json = nlohmann::json;

inline std::string dataFolder() { return ATTNSCOPE_SOURCE_DIR "/tests/golden/data/"; }
inline std::string corpusFolder() { return ATTNSCOPE_CORPUS_DIR "/traces/"; }

inline std::string readText(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// Packed files through gzip(1): another inflater than the loader's.
inline std::string unpackedText(const std::string& path) {
  if (!path.ends_with(".gz")) return readText(path);
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(popen(("gzip -dc '" + path + "'").c_str(), "r"), &pclose);
  std::string text;
  std::vector<char> buffer(1 << 20);
  while (pipe) {
    const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), pipe.get());
    if (count == 0) break;
    text.append(buffer.data(), count);
  }
  return text;
}

inline std::shared_ptr<const Trace> load(const std::string& path) {
  Progress progress;
  auto loaded = loadTrace(path, {}, progress, {});
  if (!loaded) {
    ADD_FAILURE() << path << ": " << loaded.error().message();
    return nullptr;
  }
  return *loaded;
}

inline std::vector<std::string> namesIn(const std::string& folder, const std::string& ending) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(ending)) names.push_back(name.substr(0, name.size() - ending.size()));
  }
  std::sort(names.begin(), names.end());
  return names;
}

// A test name of GoogleTest from a file's name.
inline std::string testName(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return name;
}

}  // namespace attnscope::golden
