// SPDX-License-Identifier: Apache-2.0
#include "core/session/ZipArchive.h"

#include <fmt/format.h>
#include <zip.h>

#include <array>
#include <fstream>
#include <system_error>
#include <utility>

namespace attnscope {
namespace {

namespace fs = std::filesystem;

tl::unexpected<Error> unreadable(std::string what, std::string remedy) {
  Error error;
  error.what = std::move(what);
  error.remedy = std::move(remedy);
  return fail(std::move(error));
}

std::string textOfCode(int code) {
  zip_error_t error;
  zip_error_init_with_code(&error, code);
  std::string text = zip_error_strerror(&error);
  zip_error_fini(&error);
  return text;
}

bool beginsAsZip(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::array<char, 2> begin{};
  stream.read(begin.data(), begin.size());
  return stream.gcount() == 2 && begin[0] == 'P' && begin[1] == 'K';
}

tl::unexpected<Error> openFailed(const fs::path& file, int code) {
  std::error_code ignored;
  const std::uintmax_t bytes = fs::file_size(file, ignored);
  if (code == ZIP_ER_NOENT) return unreadable("there is no such file", "check the name");
  if (code == ZIP_ER_OPEN || code == ZIP_ER_READ || code == ZIP_ER_SEEK) {
    return unreadable("it cannot be read: " + textOfCode(code), "check that it is a file and that you may read it");
  }
  if (!beginsAsZip(file)) {
    return unreadable("it is not a session: sessions are zip files, and this is none", "choose an .attn file");
  }
  return unreadable(fmt::format("it is damaged: of a zip of {} bytes the list of contents at its end is {}", bytes,
                                code == ZIP_ER_NOZIP ? "missing" : "wrong"),
                    "copy or download it again; nothing of it could be read");
}

struct FileCloser {
  void operator()(zip_file_t* file) const { zip_fclose(file); }
};

}  // namespace

void ZipReader::Close::operator()(zip* archive) const { zip_discard(archive); }

Result<ZipReader> ZipReader::open(const fs::path& file, std::size_t mostEntries) {
  std::error_code ignored;
  const fs::file_type type = fs::status(file, ignored).type();
  if (type == fs::file_type::fifo || type == fs::file_type::character || type == fs::file_type::socket) {
    // Opening a pipe waits for its writer.
    return unreadable("it is not a session but a device or a pipe", "choose an .attn file");
  }
  int code = 0;
  ZipReader reader;
  reader.m_archive.reset(zip_open(file.c_str(), ZIP_RDONLY, &code));
  if (!reader.m_archive) return openFailed(file, code);
  const zip_int64_t count = zip_get_num_entries(reader.m_archive.get(), 0);
  if (count < 0 || static_cast<std::uint64_t>(count) > mostEntries) {
    return unreadable(
        fmt::format("it is not a session: it has {} entries, a session has at most {}", count, mostEntries),
        "choose an .attn file");
  }
  for (zip_uint64_t position = 0; position < static_cast<zip_uint64_t>(count); ++position) {
    zip_stat_t facts;
    zip_stat_init(&facts);
    if (zip_stat_index(reader.m_archive.get(), position, 0, &facts) != 0 || (facts.valid & ZIP_STAT_NAME) == 0)
      continue;
    reader.m_entries.push_back({facts.name, (facts.valid & ZIP_STAT_SIZE) != 0 ? facts.size : 0, position});
  }
  return reader;
}

const ZipEntry* ZipReader::find(std::string_view name) const {
  for (const ZipEntry& entry : m_entries) {
    if (entry.name == name) return &entry;
  }
  return nullptr;
}

Result<void> ZipReader::read(const ZipEntry& entry, std::uint64_t mostBytes,
                             const std::function<Result<void>(std::string_view)>& take) const {
  const auto tooLarge = [&] {
    return unreadable(fmt::format("{} is larger than {} bytes", entry.name, mostBytes),
                      "unpack it with a zip program if you trust it");
  };
  if (entry.bytes > mostBytes) return tooLarge();
  const std::unique_ptr<zip_file_t, FileCloser> file(zip_fopen_index(m_archive.get(), entry.position, 0));
  const auto damaged = [&](const char* why) {
    return unreadable(fmt::format("{} is damaged ({})", entry.name, why), "copy or download the session again");
  };
  if (!file) return damaged(zip_strerror(m_archive.get()));
  std::vector<char> bytes(1u << 18);
  std::uint64_t total = 0;
  while (true) {
    const zip_int64_t count = zip_fread(file.get(), bytes.data(), bytes.size());
    if (count == 0) break;
    if (count < 0) return damaged(zip_file_strerror(file.get()));
    total += static_cast<std::uint64_t>(count);
    if (total > mostBytes) return tooLarge();
    if (Result<void> taken = take({bytes.data(), static_cast<std::size_t>(count)}); !taken) return taken;
  }
  // libzip leaves it to the reader to see that an entry ends early.
  if (total != entry.bytes) return damaged("it ends early");
  return {};
}

void ZipWriter::addText(std::string name, std::string text) {
  Part& part = m_parts.emplace_back();
  part.name = std::move(name);
  part.text = std::move(text);
}

void ZipWriter::addFile(std::string name, fs::path file) {
  Part& part = m_parts.emplace_back();
  part.name = std::move(name);
  part.file = std::move(file);
}

void ZipWriter::addPacked(const ZipReader& archive, const ZipEntry& entry) {
  Part& part = m_parts.emplace_back();
  part.name = entry.name;
  part.from = archive.m_archive.get();
  part.position = entry.position;
}

zip_source* ZipWriter::sourceOf(zip* archive, const Part& part) {
  if (part.from != nullptr) return zip_source_zip(archive, part.from, part.position, ZIP_FL_COMPRESSED, 0, -1);
  return part.file.empty() ? zip_source_buffer(archive, part.text.data(), part.text.size(), 0)
                           : zip_source_file(archive, part.file.c_str(), 0, -1);
}

Result<void> ZipWriter::write(const fs::path& file) const {
  int code = 0;
  zip_t* archive = zip_open(file.c_str(), ZIP_CREATE | ZIP_TRUNCATE, &code);
  if (archive == nullptr) {
    return unreadable("it cannot be written: " + textOfCode(code), "choose a folder that you may write to");
  }
  for (const Part& part : m_parts) {
    zip_source_t* source = sourceOf(archive, part);
    const bool added = source != nullptr && zip_file_add(archive, part.name.c_str(), source, ZIP_FL_ENC_UTF_8) >= 0;
    if (!added) {
      std::string why = zip_strerror(archive);
      if (source != nullptr) zip_source_free(source);
      zip_discard(archive);
      return unreadable(fmt::format("{} cannot be packed: {}", part.name, why), "save again");
    }
  }
  if (zip_close(archive) != 0) {
    std::string why = zip_strerror(archive);
    zip_discard(archive);
    return unreadable("it cannot be written: " + why, "free space on the disk, or choose another folder");
  }
  return {};
}

}  // namespace attnscope
