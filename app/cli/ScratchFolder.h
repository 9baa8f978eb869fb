// SPDX-License-Identifier: Apache-2.0
#pragma once

// A folder for temporary files, made when it is first asked for and removed with this object.

#include <filesystem>
#include <string>

#include "core/base/Result.h"

namespace attnscope::cli {

class ScratchFolder {
 public:
  ScratchFolder() = default;
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder();

  [[nodiscard]] Result<std::filesystem::path> path();
  // A folder of its own inside: files of the same name do not meet.
  [[nodiscard]] Result<std::filesystem::path> newFolder();

 private:
  std::filesystem::path m_path;
  int m_folders = 0;
};

}  // namespace attnscope::cli
