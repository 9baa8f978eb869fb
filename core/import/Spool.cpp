// SPDX-License-Identifier: Apache-2.0
#include "core/import/Spool.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

namespace attnscope {

namespace {

std::string temporaryFolder() {
  std::error_code ignored;
  const std::string folder = std::filesystem::temp_directory_path(ignored).string();
  return folder.empty() ? "/tmp" : folder;
}

tl::unexpected<Error> cannotWrite(int error) {
  return fail({.kind = ErrorKind::kInput,
               .what = "the text cannot be unpacked into " + temporaryFolder() + ": " + std::strerror(error),
               .remedy = "free space there, or set TMPDIR to a folder with more",
               .byte = {},
               .event = {}});
}

}  // namespace

Result<Spool> Spool::create() {
  const std::string folder = temporaryFolder();
  int descriptor = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (descriptor < 0) {  // some file systems have no nameless files
    std::string name = folder + "/attnscope-XXXXXX";
    descriptor = ::mkstemp(name.data());
    if (descriptor < 0) return cannotWrite(errno);
    ::unlink(name.c_str());
  }
  return Spool(descriptor);
}

Spool::Spool(Spool&& other) noexcept
    : m_descriptor(std::exchange(other.m_descriptor, -1)), m_bytes(std::exchange(other.m_bytes, 0)) {}

Spool::~Spool() {
  if (m_descriptor >= 0) ::close(m_descriptor);
}

Result<void> Spool::write(std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(m_descriptor, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return cannotWrite(errno);
    m_bytes += static_cast<std::uint64_t>(count);
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  return {};
}

Result<std::shared_ptr<const FileHandle>> Spool::finish() { return FileHandle::adopt(std::exchange(m_descriptor, -1)); }

}  // namespace attnscope
