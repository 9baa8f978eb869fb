// SPDX-License-Identifier: Apache-2.0
#include "core/session/AttnFile.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <fstream>
#include <system_error>
#include <utility>

#include "core/session/ZipArchive.h"

namespace attnscope {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSessionEntry = "session.json";

tl::unexpected<Error> failed(std::string what, std::string remedy) {
  Error error;
  error.what = std::move(what);
  error.remedy = std::move(remedy);
  return fail(std::move(error));
}

// Beside the target, so that the rename stays within one file system; removed where it was not renamed.
class TemporaryFile {
 public:
  explicit TemporaryFile(const fs::path& target) : m_target(target), m_path(target) {
    static std::atomic<unsigned> counter{0};
    m_path += fmt::format(".{}-{}.part", ::getpid(), counter++);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    std::error_code ignored;
    fs::remove(m_path, ignored);
  }
  [[nodiscard]] const fs::path& path() const { return m_path; }

  // The bytes are on the disk before the name is: after a power failure there is the old file or the new one.
  [[nodiscard]] Result<void> moveToTarget() {
    if (!sync(m_path, O_RDONLY)) return notMoved(std::error_code(errno, std::generic_category()));
    std::error_code error;
    fs::rename(m_path, m_target, error);
    if (error) return notMoved(error);
    const fs::path folder = m_target.has_parent_path() ? m_target.parent_path() : fs::path(".");
    sync(folder, O_RDONLY | O_DIRECTORY);  // some file systems refuse this, and have the name safe without it
    return {};
  }

 private:
  static bool sync(const fs::path& path, int flags) {
    const int fd = ::open(path.c_str(), flags | O_CLOEXEC);
    if (fd < 0) return false;
    const bool synced = ::fsync(fd) == 0;
    ::close(fd);
    return synced;
  }
  [[nodiscard]] tl::unexpected<Error> notMoved(const std::error_code& error) const {
    return failed("it cannot be written: " + error.message(), "free space on the disk, or choose another folder");
  }

  fs::path m_target;
  fs::path m_path;
};

// A rename would replace a device or a pipe by a file.
Result<void> isFileOrNothing(const fs::path& file) {
  std::error_code error;
  const fs::file_status status = fs::status(file, error);
  if (status.type() == fs::file_type::not_found || status.type() == fs::file_type::regular) return {};
  if (status.type() == fs::file_type::directory) return failed("it is a folder", "name a file in it");
  if (error) return failed("it cannot be written: " + error.message(), "choose another folder");
  return failed("it is no file but a device or a pipe", "name a file");
}

bool isTraceEntry(const std::string& name) { return name.compare(0, 7, "traces/") == 0 && name.size() > 7; }

Result<void> verify(const ZipReader& archive, const ZipEntry& entry, const AttnLimits& limits) {
  return archive.read(entry, limits.traceBytes, [](std::string_view) -> Result<void> { return {}; });
}

// "2 of 3 traces in it are whole": said where session.json is not.
std::string tracesInWords(const ZipReader& archive, const AttnLimits& limits) {
  std::size_t all = 0;
  std::size_t whole = 0;
  for (const ZipEntry& entry : archive.entries()) {
    if (!isTraceEntry(entry.name)) continue;
    ++all;
    if (verify(archive, entry, limits)) ++whole;
  }
  return all == 0 ? "there is no trace in it" : fmt::format("{} of {} traces in it are whole", whole, all);
}

Result<std::string> sessionText(const ZipReader& archive, const AttnLimits& limits) {
  const ZipEntry* entry = archive.find(kSessionEntry);
  if (entry == nullptr) {
    return failed("it is not a session: it is a zip without session.json", "choose an .attn file");
  }
  std::string text;
  Result<void> read = archive.read(*entry, limits.sessionJsonBytes, [&text](std::string_view piece) -> Result<void> {
    text += piece;
    return {};
  });
  if (!read) return tl::unexpected<Error>(std::move(read.error()));
  return text;
}

// What the result says of traces and what is there: traces that are not whole are left out, with a remark.
void matchTraces(Session& session, const ZipReader& archive, const AttnLimits& limits) {
  for (std::size_t position = 0; position < session.result.implementations.size(); ++position) {
    std::string& name = session.result.implementations[position].traceFile;
    if (name.empty()) continue;
    const ZipEntry* entry = isTraceEntry(name) ? archive.find(name) : nullptr;
    if (entry == nullptr) {
      session.remarks.push_back(fmt::format("{} is not in the file: that trace cannot be shown.", name));
      name.clear();
      continue;
    }
    if (const Result<void> whole = verify(archive, *entry, limits); !whole) {
      session.remarks.push_back(fmt::format("{}: that trace cannot be shown.", whole.error().what));
      name.clear();
      continue;
    }
    session.traces.push_back({position, entry->name, entry->bytes});
  }
}

}  // namespace

Result<void> canWriteAttn(const fs::path& file) {
  if (Result<void> fit = isFileOrNothing(file); !fit) return fit;
  const TemporaryFile temporary(file);
  const int fd = ::open(temporary.path().c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0) {
    return failed("it cannot be written: " + std::error_code(errno, std::generic_category()).message(),
                  "name a file in a folder of yours");
  }
  ::close(fd);
  return {};
}

Result<void> writeAttn(const fs::path& file, const RunResult& result, const std::vector<PairRule>& pairs) {
  if (Result<void> fit = isFileOrNothing(file); !fit) return fit;
  RunResult kept = result;
  kept.plan.traceFolder.clear();  // of this machine, and of no use in the file
  std::vector<std::pair<std::string, fs::path>> traces;
  for (std::size_t position = 0; position < kept.implementations.size(); ++position) {
    ImplementationResult& implementation = kept.implementations[position];
    if (implementation.traceFile.empty()) continue;
    const fs::path trace = implementation.traceFile;
    std::error_code ignored;
    if (!fs::is_regular_file(trace, ignored)) {
      kept.warnings.push_back(fmt::format("{}: its trace was gone when the session was saved", implementation.id));
      implementation.traceFile.clear();
      continue;
    }
    implementation.traceFile = "traces/" + traceNameOf(position, implementation.id);
    traces.emplace_back(implementation.traceFile, trace);
  }
  ZipWriter archive;
  archive.addText(kSessionEntry, sessionJsonOf(kept, pairs));
  for (auto& [entry, trace] : traces) archive.addFile(entry, trace);
  TemporaryFile temporary(file);
  if (Result<void> written = archive.write(temporary.path()); !written) return written;
  return temporary.moveToTarget();
}

Result<void> rewritePairs(const fs::path& file, const std::vector<PairRule>& pairs, const AttnLimits& limits) {
  const Result<ZipReader> old = ZipReader::open(file, limits.entries);
  if (!old) return tl::unexpected<Error>(old.error());
  const Result<std::string> text = sessionText(*old, limits);
  if (!text) return tl::unexpected<Error>(text.error());
  Result<std::string> rewritten = sessionJsonWithPairs(*text, pairs);
  if (!rewritten) return tl::unexpected<Error>(std::move(rewritten.error()));
  ZipWriter archive;
  archive.addText(kSessionEntry, std::move(*rewritten));
  for (const ZipEntry& entry : old->entries()) {
    if (entry.name != kSessionEntry) archive.addPacked(*old, entry);
  }
  TemporaryFile temporary(file);
  if (Result<void> written = archive.write(temporary.path()); !written) return written;
  return temporary.moveToTarget();
}

Result<Session> readAttn(const fs::path& file, const AttnLimits& limits) {
  const Result<ZipReader> archive = ZipReader::open(file, limits.entries);
  if (!archive) return tl::unexpected<Error>(archive.error());
  Result<std::string> text = sessionText(*archive, limits);
  Result<SessionText> said =
      text ? sessionFromJson(*text) : Result<SessionText>(tl::unexpected<Error>(std::move(text.error())));
  if (!said) {
    Error error = std::move(said.error());
    if (archive->find(kSessionEntry) != nullptr) error.what += "; " + tracesInWords(*archive, limits);
    return fail(std::move(error));
  }
  Session session;
  session.result = std::move(said->result);
  session.pairs = std::move(said->pairs);
  if (said->unreadPairs > 0) {
    session.remarks.push_back(
        fmt::format("{} of the pairs made by hand cannot be read: they are left out.", said->unreadPairs));
  }
  matchTraces(session, *archive, limits);
  return session;
}

Result<void> extractTrace(const fs::path& file, const std::string& entry, const fs::path& target,
                          const AttnLimits& limits) {
  const Result<ZipReader> archive = ZipReader::open(file, limits.entries);
  if (!archive) return tl::unexpected<Error>(archive.error());
  const ZipEntry* found = archive->find(entry);
  if (found == nullptr) return failed(fmt::format("{} is not in it", entry), "choose one of its traces");
  TemporaryFile temporary(target);
  {
    std::ofstream stream(temporary.path(), std::ios::binary | std::ios::trunc);
    const auto notWritten = [] {
      return failed("the trace cannot be unpacked: its folder cannot be written to",
                    "free space on the disk, or choose another folder");
    };
    if (!stream) return notWritten();
    Result<void> read = archive->read(*found, limits.traceBytes, [&](std::string_view piece) -> Result<void> {
      stream.write(piece.data(), static_cast<std::streamsize>(piece.size()));
      if (!stream) return notWritten();
      return {};
    });
    if (!read) return read;
    stream.close();
    if (!stream) return notWritten();
  }
  return temporary.moveToTarget();
}

bool looksLikeAttn(const fs::path& file) {
  const Result<ZipReader> archive = ZipReader::open(file, AttnLimits{}.entries);
  return archive && archive->find(kSessionEntry) != nullptr;
}

}  // namespace attnscope
