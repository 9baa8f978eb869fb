// SPDX-License-Identifier: Apache-2.0
#pragma once

// Runs the program as a person would.

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <sys/wait.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

namespace attnscope {

struct CliRun {
  int code = -1;
  std::string out;
  std::string error;
};

inline std::string textOf(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// A folder of this test process that is gone with it.
class ScratchFolder {
 public:
  ScratchFolder() : m_path(std::filesystem::temp_directory_path() / ("attnscope-cli-" + std::to_string(getpid()))) {
    std::filesystem::create_directories(m_path);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder() {
    std::error_code error;
    std::filesystem::remove_all(m_path, error);
  }
  [[nodiscard]] std::string file(const std::string& name) const { return (m_path / name).string(); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(m_path / name, std::ios::binary) << text;
    return file(name);
  }

 private:
  std::filesystem::path m_path;
};

inline const ScratchFolder& scratch() {
  static const ScratchFolder folder;
  return folder;
}

// `arguments` as a shell reads them. `input` is read from; empty: what `before` pipes.
inline CliRun runCli(const std::string& arguments, const std::string& before = "",
                     const std::string& input = "/dev/null") {
  const std::string out = scratch().file("out");
  const std::string error = scratch().file("error");
  const std::string line = before + "'" ATTNSCOPE_BIN_DIR "/attnscope-cli' " + arguments + " >'" + out + "' 2>'" +
                           error + "'" + (input.empty() ? std::string() : " <'" + input + "'");
  const int status = std::system(line.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, textOf(out), textOf(error)};
}

inline std::string data(const std::string& name) { return ATTNSCOPE_SOURCE_DIR "/tests/golden/data/" + name; }

// Parsed; a document that is no JSON is null.
inline nlohmann::ordered_json jsonOf(const CliRun& run) {
  return nlohmann::ordered_json::parse(run.out, nullptr, false);
}

}  // namespace attnscope
