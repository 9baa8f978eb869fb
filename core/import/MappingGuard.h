// SPDX-License-Identifier: Apache-2.0
#pragma once

// A mapped file that becomes shorter, or whose disk fails, ends the program with SIGBUS where it is read next. While a
// guard lives, its range reads as zeros from there on instead, and broken() says so. Other SIGBUS go where they went
// before. Any thread; up to 64 at a time, more are without protection.

#include <cstdint>

namespace attnscope {

class MappingGuard {
 public:
  MappingGuard() = default;
  MappingGuard(char* data, std::uint64_t bytes);  // whole pages
  MappingGuard(MappingGuard&& other) noexcept;
  MappingGuard& operator=(MappingGuard&& other) noexcept;
  ~MappingGuard();

  [[nodiscard]] bool broken() const;

 private:
  int m_slot = -1;
};

}  // namespace attnscope
