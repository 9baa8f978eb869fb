// SPDX-License-Identifier: Apache-2.0
#pragma once

// An open regular file that notices when it was changed behind our back. One that only grew, as traces do that are
// still written, is read as far as it went when it was opened. Any thread.

#include <cstdint>
#include <memory>
#include <string>

#include "core/base/Result.h"

namespace attnscope {

class FileHandle {
 public:
  [[nodiscard]] static Result<std::shared_ptr<const FileHandle>> open(const std::string& path);
  // The file behind an open descriptor, which is closed with it, or at once where it fails.
  [[nodiscard]] static Result<std::shared_ptr<const FileHandle>> adopt(int descriptor);
  ~FileHandle();
  FileHandle(const FileHandle&) = delete;
  FileHandle& operator=(const FileHandle&) = delete;

  [[nodiscard]] int descriptor() const { return m_descriptor; }
  [[nodiscard]] std::uint64_t bytes() const { return m_bytes; }
  // Whether the bytes that were there are there still, as far as can be told without reading them all.
  [[nodiscard]] bool unchanged() const;
  // Exactly [offset, offset + count), or why not.
  [[nodiscard]] Result<void> read(char* to, std::uint64_t offset, std::size_t count) const;

 private:
  FileHandle(int descriptor, std::uint64_t bytes, std::int64_t changedNs);
  [[nodiscard]] std::string readEnd() const;
  int m_descriptor;
  std::uint64_t m_bytes;
  std::int64_t m_changedNs;
  std::string m_end;  // the last bytes: a file that was written anew has others there
};

// Pages of memory, given back on destruction.
class Pages {
 public:
  Pages() = default;
  Pages(Pages&& other) noexcept;
  Pages& operator=(Pages&& other) noexcept;
  ~Pages();
  // Address space only, until it is written; empty where the system refuses.
  [[nodiscard]] static Pages reserve(std::uint64_t bytes);
  // The file, with a page of zeros behind it.
  [[nodiscard]] static Pages map(const FileHandle& file);
  [[nodiscard]] char* data() const { return m_data; }
  [[nodiscard]] explicit operator bool() const { return m_data != nullptr; }
  // Whole pages within [from, to) need not be kept.
  void drop(std::uint64_t from, std::uint64_t to) const;

 private:
  Pages(char* data, std::uint64_t bytes) : m_data(data), m_bytes(bytes) {}
  char* m_data = nullptr;
  std::uint64_t m_bytes = 0;
};

}  // namespace attnscope
