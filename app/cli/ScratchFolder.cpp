// SPDX-License-Identifier: Apache-2.0
#include "app/cli/ScratchFolder.h"

#include <cstdlib>
#include <system_error>

namespace attnscope::cli {

namespace fs = std::filesystem;

namespace {

tl::unexpected<Error> noFolder() {
  Error error;
  error.kind = ErrorKind::kInternal;
  error.what = "no temporary folder could be made";
  error.remedy = "free some space, or name a folder that can be written to in TMPDIR";
  return fail(std::move(error));
}

}  // namespace

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  if (!m_path.empty()) fs::remove_all(m_path, ignored);
}

Result<fs::path> ScratchFolder::path() {
  if (!m_path.empty()) return m_path;
  std::error_code error;
  std::string name = (fs::temp_directory_path(error) / "attnscope-XXXXXX").string();
  if (error || ::mkdtemp(name.data()) == nullptr) return noFolder();
  m_path = name;
  return m_path;
}

Result<fs::path> ScratchFolder::newFolder() {
  const Result<fs::path> parent = path();
  if (!parent) return parent;
  const fs::path folder = *parent / std::to_string(m_folders++);
  std::error_code error;
  if (!fs::create_directory(folder, error) || error) return noFolder();
  return folder;
}

}  // namespace attnscope::cli
