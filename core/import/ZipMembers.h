// SPDX-License-Identifier: Apache-2.0
#pragma once

// Traces in a zip archive. Reads through an open file; one thread.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/Result.h"
#include "core/import/FileHandle.h"

struct zip;

namespace attnscope {

struct ZipMember {
  std::string name;
  std::uint64_t bytes = 0;  // unpacked, as the archive says
  std::uint64_t position = 0;
};

class ZipMembers {
 public:
  [[nodiscard]] static Result<ZipMembers> open(const FileHandle& file);

  // Members that begin as a trace does, plain or packed; where none does, the only member there is.
  [[nodiscard]] const std::vector<ZipMember>& traces() const { return m_traces; }
  // By its name; a kUsage error lists those that there are.
  [[nodiscard]] Result<ZipMember> find(const std::string& file, const std::string& name) const;
  // The only trace; a kUsage error lists them where there are several.
  [[nodiscard]] Result<ZipMember> only(const std::string& file) const;
  // Gives the member's bytes in pieces to `take`, which returns an error to stop. False: the archive is damaged from
  // there on.
  [[nodiscard]] Result<bool> read(const ZipMember& member,
                                  const std::function<Result<void>(std::string_view)>& take) const;

 private:
  struct Close {
    void operator()(zip* archive) const;
  };
  [[nodiscard]] bool beginsAsTrace(const ZipMember& member) const;

  std::unique_ptr<zip, Close> m_archive;
  std::vector<ZipMember> m_traces;
};

}  // namespace attnscope
