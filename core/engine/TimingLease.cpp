// SPDX-License-Identifier: Apache-2.0
#include "core/engine/TimingLease.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>
#include <system_error>

namespace attnscope::engine {

std::filesystem::path TimingLease::defaultFile() {
  const char* runtime = std::getenv("XDG_RUNTIME_DIR");
  std::error_code failed;
  const std::filesystem::path folder = runtime != nullptr && std::filesystem::is_directory(runtime, failed)
                                           ? std::filesystem::path(runtime)
                                           : std::filesystem::temp_directory_path(failed);
  return folder / ("attnscope-timing-" + std::to_string(getuid()));
}

TimingLease::TimingLease(const std::filesystem::path& file) {
  m_file = open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (m_file >= 0) m_granted = flock(m_file, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
}

TimingLease::~TimingLease() {
  if (m_file >= 0) close(m_file);
}

}  // namespace attnscope::engine
