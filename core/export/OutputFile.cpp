// SPDX-License-Identifier: Apache-2.0
#include "core/export/OutputFile.h"

#include <fcntl.h>
#include <isa-l/igzip_lib.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <vector>

namespace attnscope {

namespace {

tl::unexpected<Error> cannot(const std::string& path, int code) {
  const bool full = code == ENOSPC || code == EDQUOT;
  return fail({.kind = ErrorKind::kInput,
               .what = "cannot write " + path + ": " + std::strerror(code),
               .remedy = full ? "free space on that disk, or write elsewhere" : "check the folder and its permissions",
               .byte = {},
               .event = {}});
}

class PlainFile : public OutputFile {
 public:
  PlainFile(std::string path, std::string temporary, int descriptor)
      : m_path(std::move(path)), m_temporary(std::move(temporary)), m_descriptor(descriptor) {}
  PlainFile(const PlainFile&) = delete;
  PlainFile& operator=(const PlainFile&) = delete;
  ~PlainFile() override {
    if (m_descriptor >= 0) ::close(m_descriptor);
    if (!m_committed) ::unlink(m_temporary.c_str());
  }

  [[nodiscard]] Result<void> write(std::string_view text) override {
    while (!text.empty()) {
      const ssize_t written = ::write(m_descriptor, text.data(), text.size());
      if (written < 0) {
        if (errno == EINTR) continue;
        return cannot(m_path, errno);
      }
      text.remove_prefix(static_cast<std::size_t>(written));
    }
    return {};
  }

  [[nodiscard]] Result<void> commit() override {
    const int descriptor = m_descriptor;
    m_descriptor = -1;
    if (::close(descriptor) != 0) return cannot(m_path, errno);
    if (::rename(m_temporary.c_str(), m_path.c_str()) != 0) return cannot(m_path, errno);
    m_committed = true;
    return {};
  }

 private:
  std::string m_path;
  std::string m_temporary;
  int m_descriptor;
  bool m_committed = false;
};

class GzipFile final : public OutputFile {
 public:
  explicit GzipFile(std::unique_ptr<OutputFile> plain)
      : m_plain(std::move(plain)), m_levelBuffer(ISAL_DEF_LVL2_DEFAULT), m_packed(1 << 18) {
    isal_deflate_init(&m_stream);
    m_stream.level = 2;
    m_stream.level_buf = m_levelBuffer.data();
    m_stream.level_buf_size = static_cast<std::uint32_t>(m_levelBuffer.size());
    m_stream.gzip_flag = IGZIP_GZIP;
  }

  [[nodiscard]] Result<void> write(std::string_view text) override { return pack(text, false); }

  [[nodiscard]] Result<void> commit() override {
    if (auto done = pack({}, true); !done) return done;
    return m_plain->commit();
  }

 private:
  Result<void> pack(std::string_view text, bool last) {
    std::string copy(text);  // the interface of the library takes no const bytes
    m_stream.next_in = reinterpret_cast<std::uint8_t*>(copy.data());
    m_stream.avail_in = static_cast<std::uint32_t>(copy.size());
    m_stream.end_of_stream = last ? 1 : 0;
    do {
      m_stream.next_out = m_packed.data();
      m_stream.avail_out = static_cast<std::uint32_t>(m_packed.size());
      if (isal_deflate(&m_stream) != COMP_OK)
        return fail({.kind = ErrorKind::kInternal,
                     .what = "packing failed",
                     .remedy = "write without .gz",
                     .byte = {},
                     .event = {}});
      const std::size_t count = m_packed.size() - m_stream.avail_out;
      if (auto done = m_plain->write({reinterpret_cast<const char*>(m_packed.data()), count}); !done) return done;
    } while (m_stream.avail_out == 0 || (last && m_stream.internal_state.state != ZSTATE_END));
    return {};
  }

  std::unique_ptr<OutputFile> m_plain;
  std::vector<std::uint8_t> m_levelBuffer;
  std::vector<std::uint8_t> m_packed;
  isal_zstream m_stream{};
};

}  // namespace

Result<std::unique_ptr<OutputFile>> OutputFile::create(const std::string& path, bool gzip) {
  const std::string temporary = path + ".part-" + std::to_string(::getpid());
  const int descriptor = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor < 0) return cannot(path, errno);
  std::unique_ptr<OutputFile> plain = std::make_unique<PlainFile>(path, temporary, descriptor);
  if (!gzip) return plain;
  return std::make_unique<GzipFile>(std::move(plain));
}

}  // namespace attnscope
