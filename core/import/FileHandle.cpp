// SPDX-License-Identifier: Apache-2.0
#include "core/import/FileHandle.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace attnscope {

namespace {

constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t kEndBytes = 256;

std::int64_t changedAt(const struct stat& status) {
  return static_cast<std::int64_t>(status.st_mtim.tv_sec) * 1000000000 + status.st_mtim.tv_nsec;
}

tl::unexpected<Error> inputError(std::string what, std::string remedy) {
  return fail(
      {.kind = ErrorKind::kInput, .what = std::move(what), .remedy = std::move(remedy), .byte = {}, .event = {}});
}

}  // namespace

Result<std::shared_ptr<const FileHandle>> FileHandle::open(const std::string& path) {
  // Without waiting: a pipe that nobody writes to would never open.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) {
    if (errno == ENOENT || errno == ENOTDIR) return inputError("there is no such file", "check the path");
    if (errno == EACCES || errno == EPERM)
      return inputError("no permission to read the file", "ask its owner, or change its mode with chmod");
    return inputError(std::string("the file cannot be opened: ") + std::strerror(errno), "check the path");
  }
  return adopt(descriptor);
}

Result<std::shared_ptr<const FileHandle>> FileHandle::adopt(int descriptor) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) {
    const int error = errno;
    ::close(descriptor);
    return inputError(std::string("the file cannot be examined: ") + std::strerror(error), "check the disk");
  }
  if (!S_ISREG(status.st_mode)) {
    ::close(descriptor);
    if (S_ISDIR(status.st_mode)) return inputError("this is a directory, not a file", "name a trace file inside it");
    return inputError("this is no regular file", "save the trace to a file first");
  }
  if (status.st_size == 0) {
    ::close(descriptor);
    return inputError("the file is empty", "record the trace again; its writer has not finished, or the disk was full");
  }
  return std::shared_ptr<const FileHandle>(
      new FileHandle(descriptor, static_cast<std::uint64_t>(status.st_size), changedAt(status)));
}

FileHandle::FileHandle(int descriptor, std::uint64_t bytes, std::int64_t changedNs)
    : m_descriptor(descriptor), m_bytes(bytes), m_changedNs(changedNs), m_end(readEnd()) {}

std::string FileHandle::readEnd() const {
  std::string end(static_cast<std::size_t>(std::min<std::uint64_t>(kEndBytes, m_bytes)), '\0');
  const ssize_t got = ::pread(m_descriptor, end.data(), end.size(), static_cast<off_t>(m_bytes - end.size()));
  end.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
  return end;
}

FileHandle::~FileHandle() { ::close(m_descriptor); }

bool FileHandle::unchanged() const {
  struct stat status {};
  if (::fstat(m_descriptor, &status) != 0) return false;
  const auto bytes = static_cast<std::uint64_t>(status.st_size);
  if (bytes == m_bytes) return changedAt(status) == m_changedNs;
  return bytes > m_bytes && readEnd() == m_end;
}

Result<void> FileHandle::read(char* to, std::uint64_t offset, std::size_t count) const {
  const auto changed = [] { return inputError("the file was changed after it was opened", "open it again"); };
  if (!unchanged()) return changed();
  while (count > 0) {
    const ssize_t got = ::pread(m_descriptor, to, count, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0 && !unchanged()) return changed();  // it became shorter since the line above
    if (got <= 0) return inputError("the file cannot be read any more", "open it again");
    to += got;
    offset += static_cast<std::uint64_t>(got);
    count -= static_cast<std::size_t>(got);
  }
  return {};
}

Pages::Pages(Pages&& other) noexcept : m_data(std::exchange(other.m_data, nullptr)), m_bytes(other.m_bytes) {}

Pages& Pages::operator=(Pages&& other) noexcept {
  std::swap(m_data, other.m_data);
  std::swap(m_bytes, other.m_bytes);
  return *this;
}

Pages::~Pages() {
  if (m_data != nullptr) ::munmap(m_data, m_bytes);
}

Pages Pages::reserve(std::uint64_t bytes) {
  bytes = (bytes + kPage - 1) / kPage * kPage;
  void* data = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (data == MAP_FAILED) return {};
  return {static_cast<char*>(data), bytes};
}

Pages Pages::map(const FileHandle& file) {
  Pages pages = reserve((file.bytes() + kPage - 1) / kPage * kPage + kPage);
  if (!pages) return {};
  // The page behind the file stays as it is, so that scanning may look past the end.
  void* data = ::mmap(pages.m_data, file.bytes(), PROT_READ, MAP_PRIVATE | MAP_FIXED, file.descriptor(), 0);
  if (data == MAP_FAILED) return {};
  ::madvise(data, file.bytes(), MADV_SEQUENTIAL);
  return pages;
}

void Pages::drop(std::uint64_t from, std::uint64_t to) const {
  from = (from + kPage - 1) / kPage * kPage;
  to = to / kPage * kPage;
  if (from < to) ::madvise(m_data + from, to - from, MADV_DONTNEED);
}

}  // namespace attnscope
