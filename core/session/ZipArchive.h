// SPDX-License-Identifier: Apache-2.0
#pragma once

// libzip behind values and Results: for AttnFile.cpp alone. One thread at a time.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/Result.h"

struct zip;
struct zip_source;

namespace attnscope {

struct ZipEntry {
  std::string name;
  std::uint64_t bytes = 0;  // unpacked, as the archive says
  std::uint64_t position = 0;
};

class ZipReader {
 public:
  [[nodiscard]] static Result<ZipReader> open(const std::filesystem::path& file, std::size_t mostEntries);

  [[nodiscard]] const std::vector<ZipEntry>& entries() const { return m_entries; }
  [[nodiscard]] const ZipEntry* find(std::string_view name) const;
  // Gives the entry's bytes to `take` in pieces, at most `mostBytes` whatever the archive says; `take` returns an
  // error to stop. The checksum is checked at the end.
  [[nodiscard]] Result<void> read(const ZipEntry& entry, std::uint64_t mostBytes,
                                  const std::function<Result<void>(std::string_view)>& take) const;

 private:
  friend class ZipWriter;
  struct Close {
    void operator()(zip* archive) const;
  };
  std::unique_ptr<zip, Close> m_archive;
  std::vector<ZipEntry> m_entries;
};

// Writes a whole archive in one go.
class ZipWriter {
 public:
  // `text` is kept until write().
  void addText(std::string name, std::string text);
  void addFile(std::string name, std::filesystem::path file);
  // As it is packed in `archive`, which outlives write().
  void addPacked(const ZipReader& archive, const ZipEntry& entry);
  // Over `file` where there is one.
  [[nodiscard]] Result<void> write(const std::filesystem::path& file) const;

 private:
  struct Part {
    std::string name;
    std::string text;
    std::filesystem::path file;  // empty: the text
    zip* from = nullptr;         // an archive that has it packed, and where
    std::uint64_t position = 0;
  };
  [[nodiscard]] static zip_source* sourceOf(zip* archive, const Part& part);
  std::vector<Part> m_parts;
};

}  // namespace attnscope
