// SPDX-License-Identifier: Apache-2.0
#include "core/import/Input.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "core/import/Sniff.h"
#include "core/import/Spool.h"
#include "core/import/ZipMembers.h"
#include "core/import/ZstdFrames.h"

namespace attnscope {

std::uint64_t mostText(const UnpackLimits& limits, std::uint64_t packed) {
  const std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  const std::uint64_t byRatio = limits.ratio != 0 && packed > most / limits.ratio ? most : packed * limits.ratio;
  return std::max(limits.always, byRatio);
}

namespace {

constexpr std::uint64_t kMostFromPipe = std::uint64_t{1} << 40;
constexpr std::size_t kPipePiece = 256 << 10;
constexpr std::size_t kEnoughToTell = 4096;
constexpr int kPollMs = 100;  // between two looks at the stop

struct Name {
  std::string file;
  std::string member;  // empty: none
};

bool isFile(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored);
}

// A # may be part of a file's name, or of a member's.
Name nameFrom(const std::string& given) {
  if (!isFile(given)) {
    for (std::size_t at = given.find('#'); at != std::string::npos; at = given.find('#', at + 1))
      if (isFile(given.substr(0, at))) return {given.substr(0, at), given.substr(at + 1)};
  }
  return {given, {}};
}

tl::unexpected<Error> inputError(std::string what, std::string remedy) {
  return fail(
      {.kind = ErrorKind::kInput, .what = std::move(what), .remedy = std::move(remedy), .byte = {}, .event = {}});
}

// All that comes through a pipe. What cannot be a trace is refused by its beginning: its end may never come.
Result<std::shared_ptr<const FileHandle>> spoolPipe(int descriptor, Progress& progress, const std::stop_token& stop) {
  progress.enter("Receive", 0);
  auto spool = Spool::create();
  if (!spool) return tl::unexpected<Error>(spool.error());
  std::string piece(kPipePiece, '\0');
  std::string head;
  for (;;) {
    if (stop.stop_requested()) return cancelled();
    pollfd waiting{descriptor, POLLIN, 0};
    const int ready = ::poll(&waiting, 1, kPollMs);
    if (ready == 0 || (ready < 0 && errno == EINTR)) continue;
    const ssize_t count = ::read(descriptor, piece.data(), piece.size());
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (count < 0) return inputError("the pipe cannot be read", "save the trace to a file first");
    if (count == 0) return spool->finish();
    const std::string_view text(piece.data(), static_cast<std::size_t>(count));
    if (head.size() < kEnoughToTell) {
      head += text.substr(0, kEnoughToTell - head.size());
      const bool packed = beginsAsZstd(head) || head.rfind("\x1f\x8b", 0) == 0 || head.rfind("PK\x03\x04", 0) == 0;
      if (head.size() >= kEnoughToTell && !packed)
        if (auto other = notATrace(head)) return fail(std::move(*other));
    }
    if (spool->bytes() + text.size() > kMostFromPipe)
      return inputError("more than 1 TB came through the pipe", "save the trace to a file first");
    if (auto written = spool->write(text); !written) return tl::unexpected<Error>(written.error());
    progress.advance(text.size());
  }
}

Result<std::shared_ptr<const FileHandle>> openFile(const std::string& name, Progress& progress,
                                                   const std::stop_token& stop) {
  struct stat status {};
  const bool isInput = name == "-";
  const bool known = isInput ? ::fstat(STDIN_FILENO, &status) == 0 : ::stat(name.c_str(), &status) == 0;
  const bool isPipe = known && (S_ISFIFO(status.st_mode) || S_ISCHR(status.st_mode) || S_ISSOCK(status.st_mode));
  if (isInput && known && !isPipe) return FileHandle::adopt(::dup(STDIN_FILENO));
  if (!isPipe) return FileHandle::open(name);
  // Without waiting for a writer: poll() does that, and sees a stop.
  const int descriptor = isInput ? ::dup(STDIN_FILENO) : ::open(name.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return FileHandle::open(name);  // which says why
  auto spooled = spoolPipe(descriptor, progress, stop);
  ::close(descriptor);
  return spooled;
}

// Takes unpacked text up to the limit.
class Unpacking {
 public:
  Unpacking(Spool& spool, std::uint64_t most, Progress& progress, const std::stop_token& stop)
      : m_spool(spool), m_most(most), m_progress(progress), m_stop(stop) {}

  Result<void> take(std::string_view text, std::uint64_t packed) {
    if (m_stop.stop_requested()) return cancelled();
    m_progress.advance(packed);
    const std::uint64_t room = m_most - std::min(m_most, m_spool.bytes());
    if (text.size() > room) m_isFull = true;
    if (auto written =
            m_spool.write(text.substr(0, static_cast<std::size_t>(std::min<std::uint64_t>(room, text.size()))));
        !written)
      return written;
    // Ends unpacking; finish() sees that it was no failure.
    if (m_isFull) return inputError("the limit of unpacking was reached", "raise it");
    return {};
  }

  [[nodiscard]] bool isFull() const { return m_isFull; }

 private:
  Spool& m_spool;
  std::uint64_t m_most;
  Progress& m_progress;
  const std::stop_token& m_stop;
  bool m_isFull = false;
};

class Opener {
 public:
  Opener(Name name, const UnpackLimits& limits, Progress& progress, const std::stop_token& stop)
      : m_name(std::move(name)), m_limits(limits), m_progress(progress), m_stop(stop) {}

  Result<Input> run() {
    auto file = openFile(m_name.file, m_progress, m_stop);
    if (!file) return tl::unexpected<Error>(file.error());
    m_input.file = std::move(*file);
    m_input.fileBytes = m_input.file->bytes();
    constexpr int kMostLayers = 4;
    for (int layer = 0; layer < kMostLayers; ++layer) {
      const auto head = firstBytes();
      if (!head) return tl::unexpected<Error>(head.error());
      Result<bool> unpacked = false;
      if (beginsAsZstd(*head)) {
        unpacked = unpackFrames();
      } else if (!m_hasArchive && (head->rfind("PK\x03\x04", 0) == 0 || head->rfind("PK\x05\x06", 0) == 0)) {
        unpacked = unpackMember();
      }
      if (!unpacked) return tl::unexpected<Error>(unpacked.error());
      if (*unpacked) continue;
      if (!m_name.member.empty() && !m_hasArchive)
        return fail({.kind = ErrorKind::kUsage,
                     .what = "this is no archive, so it has no member \"" + m_name.member + "\"",
                     .remedy = "name the file alone",
                     .byte = {},
                     .event = {}});
      return std::move(m_input);
    }
    return inputError("this is packed more than four times over", "unpack it and open the trace inside");
  }

 private:
  Result<std::string> firstBytes() const {
    std::string head(static_cast<std::size_t>(std::min<std::uint64_t>(4, m_input.file->bytes())), '\0');
    if (auto got = m_input.file->read(head.data(), 0, head.size()); !got) return tl::unexpected<Error>(got.error());
    return head;
  }

  Result<bool> unpackFrames() {
    auto spool = Spool::create();
    if (!spool) return tl::unexpected<Error>(spool.error());
    m_progress.enter("Unpack", m_input.file->bytes());
    Unpacking unpacking(*spool, mostText(m_limits, m_input.file->bytes()), m_progress, m_stop);
    const auto end = unpackZstd(
        *m_input.file, [&](std::string_view text, std::uint64_t packed) { return unpacking.take(text, packed); });
    if (!end && !unpacking.isFull()) return tl::unexpected<Error>(end.error());
    if (end && *end == ZstdEnd::kCut)
      m_input.health.note("zstd.cut", Severity::kLost, "The compressed file ends before its text does.", 1,
                          spool->bytes());
    if (end && *end == ZstdEnd::kDamaged)
      m_input.health.note("zstd.damaged", Severity::kLost,
                          "The compressed file is damaged; its text was read up to there.", 1, spool->bytes());
    return replace(*spool, unpacking, "this is compressed with zstd, and nothing of it can be unpacked");
  }

  Result<bool> unpackMember() {
    m_hasArchive = true;
    const auto archive = ZipMembers::open(*m_input.file);
    if (!archive) return tl::unexpected<Error>(archive.error());
    const auto member = m_name.member.empty() ? archive->only(m_name.file) : archive->find(m_name.file, m_name.member);
    if (!member) return tl::unexpected<Error>(member.error());
    auto spool = Spool::create();
    if (!spool) return tl::unexpected<Error>(spool.error());
    m_progress.enter("Unpack", member->bytes);
    Unpacking unpacking(*spool, mostText(m_limits, m_input.file->bytes()), m_progress, m_stop);
    const auto whole = archive->read(*member, [&](std::string_view text) { return unpacking.take(text, text.size()); });
    if (!whole && !unpacking.isFull()) return tl::unexpected<Error>(whole.error());
    if (whole && !*whole)
      m_input.health.note("zip.damaged", Severity::kLost,
                          "The member of the archive is damaged; its text was read up to there.", 1, spool->bytes());
    return replace(*spool, unpacking, "nothing can be unpacked from " + member->name + " in this zip archive");
  }

  // The unpacked text takes the place of the packed.
  Result<bool> replace(Spool& spool, const Unpacking& unpacking, std::string whenEmpty) {
    if (unpacking.isFull()) noteLimit(m_input.health, spool.bytes());
    auto file = spool.finish();
    if (!file) return inputError(std::move(whenEmpty), "copy or download it again");
    m_input.file = std::move(*file);
    return true;
  }

  Name m_name;
  const UnpackLimits& m_limits;
  Progress& m_progress;
  const std::stop_token& m_stop;
  Input m_input;
  bool m_hasArchive = false;
};

}  // namespace

void noteLimit(TraceHealth& health, std::uint64_t byte) {
  health.note("unpack.limit", Severity::kLost,
              "The file unpacks to more than the limit, as one made to fill memories does; the rest was left out. "
              "--unpack-ratio raises the limit.",
              1, byte);
}

Result<Input> openInput(const std::string& name, const UnpackLimits& limits, Progress& progress,
                        const std::stop_token& stop) {
  return Opener(nameFrom(name), limits, progress, stop).run();
}

Result<std::vector<std::string>> tracesInside(const std::string& path) {
  auto file = FileHandle::open(path);
  if (!file) return tl::unexpected<Error>(file.error());
  std::string head(static_cast<std::size_t>(std::min<std::uint64_t>(4, (*file)->bytes())), '\0');
  if (auto got = (*file)->read(head.data(), 0, head.size()); !got) return tl::unexpected<Error>(got.error());
  std::vector<std::string> names;
  if (head.rfind("PK\x03\x04", 0) != 0) return names;
  const auto archive = ZipMembers::open(**file);
  if (!archive) return tl::unexpected<Error>(archive.error());
  for (const ZipMember& member : archive->traces()) names.push_back(path + "#" + member.name);
  return names;
}

}  // namespace attnscope
