// SPDX-License-Identifier: Apache-2.0
#pragma once

// Bytes as a file that lies in memory alone: what opens files by name can be fed fast. Linux.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include <sys/mman.h>
#include <unistd.h>

namespace attnscope::fuzz {

class MemoryFile {
 public:
  MemoryFile(const std::uint8_t* data, std::size_t size) : m_descriptor(::memfd_create("fuzz", MFD_CLOEXEC)) {
    if (m_descriptor < 0 || ::write(m_descriptor, data, size) != static_cast<ssize_t>(size)) std::abort();
  }
  ~MemoryFile() { ::close(m_descriptor); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  [[nodiscard]] std::string path() const { return "/proc/self/fd/" + std::to_string(m_descriptor); }

 private:
  int m_descriptor;
};

// Ends the program where something does not hold, so that the fuzzer keeps the input.
inline void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace attnscope::fuzz
