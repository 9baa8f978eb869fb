// SPDX-License-Identifier: Apache-2.0
#pragma once

// A temporary file without a name, for text that comes from a pipe or out of an archive: it is mapped and read again
// like any other, and gone when its last reader is. One thread.

#include <cstdint>
#include <memory>
#include <string_view>

#include "core/base/Result.h"
#include "core/import/FileHandle.h"

namespace attnscope {

class Spool {
 public:
  // In the folder for temporary files (TMPDIR, or /tmp).
  [[nodiscard]] static Result<Spool> create();
  Spool(Spool&& other) noexcept;
  Spool& operator=(Spool&&) = delete;
  ~Spool();

  // Fails where the disk is full.
  [[nodiscard]] Result<void> write(std::string_view text);
  [[nodiscard]] std::uint64_t bytes() const { return m_bytes; }
  // Ends writing. Fails where nothing was written.
  [[nodiscard]] Result<std::shared_ptr<const FileHandle>> finish();

 private:
  explicit Spool(int descriptor) : m_descriptor(descriptor) {}
  int m_descriptor;
  std::uint64_t m_bytes = 0;
};

}  // namespace attnscope
