// SPDX-License-Identifier: Apache-2.0
#include "core/import/TextSource.h"

#include <algorithm>

#include "core/import/FileHandle.h"
#include "core/import/GzipText.h"
#include "core/import/MappingGuard.h"

namespace attnscope {

namespace {

class FileArgs final : public ArgsSource {
 public:
  FileArgs(std::shared_ptr<const FileHandle> file, std::string appended)
      : m_file(std::move(file)), m_appended(std::move(appended)) {}

  [[nodiscard]] Result<std::string> read(TextRange range) const override {
    const std::uint64_t bytes = m_file->bytes();
    if (range.begin >= bytes) return m_appended.substr(std::min(m_appended.size(), range.begin - bytes), range.length);
    std::string text(std::min<std::uint64_t>(range.length, bytes - range.begin), '\0');
    if (auto got = m_file->read(text.data(), range.begin, text.size()); !got) return tl::unexpected<Error>(got.error());
    return text;
  }

 private:
  std::shared_ptr<const FileHandle> m_file;
  std::string m_appended;
};

class MappedText final : public TextSource {
 public:
  MappedText(std::shared_ptr<const FileHandle> file, Pages pages, Progress& progress)
      : m_file(std::move(file)),
        m_pages(std::move(pages)),
        m_guard(m_pages.data(), pagesOf(m_file->bytes())),
        m_progress(progress) {}

  [[nodiscard]] const char* data() const override { return m_pages.data(); }
  [[nodiscard]] Available waitFor(std::uint64_t) override { return {m_file->bytes(), true}; }
  void release(std::uint64_t offset) override {
    if (offset <= m_released) return;
    m_pages.drop(m_released, offset);
    m_progress.advance(offset - m_released);
    m_released = offset;
  }
  void finish() override {}
  [[nodiscard]] Result<void> intact() const override {
    if (!m_guard.broken()) return {};
    return fail({.kind = ErrorKind::kInput,
                 .what = "the file became shorter while it was read",
                 .remedy = "open it again when its writer is done",
                 .byte = {},
                 .event = {}});
  }
  void report(TraceHealth&) const override {}
  [[nodiscard]] std::shared_ptr<const ArgsSource> argsSource(std::string appended) override {
    return std::make_shared<FileArgs>(m_file, std::move(appended));
  }
  [[nodiscard]] std::uint64_t fileBytes() const override { return m_file->bytes(); }

 private:
  std::shared_ptr<const FileHandle> m_file;
  static std::uint64_t pagesOf(std::uint64_t bytes) { return (bytes + 4095) / 4096 * 4096; }

  Pages m_pages;
  MappingGuard m_guard;
  Progress& m_progress;
  std::uint64_t m_released = 0;
};

}  // namespace

Result<std::unique_ptr<TextSource>> openText(std::shared_ptr<const FileHandle> file, const UnpackLimits& limits,
                                             Progress& progress, std::stop_token stop) {
  progress.enter("Open", file->bytes());
  char magic[2] = {0, 0};
  const std::size_t count = std::min<std::uint64_t>(sizeof(magic), file->bytes());
  if (auto got = file->read(magic, 0, count); !got) return tl::unexpected<Error>(got.error());
  if (magic[0] == '\x1f' && magic[1] == '\x8b') return openGzip(std::move(file), limits, progress, std::move(stop));
  Pages pages = Pages::map(*file);
  if (!pages)
    return fail({.kind = ErrorKind::kInput,
                 .what = "the file cannot be mapped into memory",
                 .remedy = "copy it to a local disk",
                 .byte = {},
                 .event = {}});
  return std::make_unique<MappedText>(std::move(file), std::move(pages), progress);
}

}  // namespace attnscope
