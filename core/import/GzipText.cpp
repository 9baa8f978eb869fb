// SPDX-License-Identifier: Apache-2.0
#include "core/import/GzipText.h"

#include <isa-l/igzip_lib.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <exception>
#include <list>
#include <optional>
#include <span>

#include "core/import/Input.h"
#include "core/import/JsonScan.h"

namespace attnscope {

namespace {

constexpr std::uint64_t kOutputStep = 1 << 20;       // unpacked between two looks at who waits
constexpr std::uint64_t kCheckpointEvery = 8 << 20;  // a saved state takes 88 kB
constexpr std::uint64_t kWindow = 64 << 20;          // unpacked ahead of what was read
constexpr std::uint64_t kLargestRatio = 1032;        // of deflate
constexpr std::uint64_t kLargestText = std::uint64_t{1} << 42;
constexpr std::uint64_t kInputStep = 1 << 18;

// What came of one step of unpacking.
enum class GzipFault : std::uint8_t { kNone, kCut, kDamaged, kChecksum, kTrailing, kLimit };

// The file from `offset` to its end, read a piece at a time: a mapping would break where it becomes shorter.
class PackedInput {
 public:
  PackedInput(const FileHandle& file, std::uint64_t offset) : m_file(file), m_buffer(kInputStep * 4), m_read(offset) {}

  // At least so many bytes, at most kInputStep, are there then, or all that the file has.
  Result<void> want(std::size_t count) {
    if (m_end - m_begin >= count || m_read == m_file.bytes()) return {};
    std::copy(m_buffer.begin() + static_cast<std::ptrdiff_t>(m_begin),
              m_buffer.begin() + static_cast<std::ptrdiff_t>(m_end), m_buffer.begin());
    m_end -= m_begin;
    m_begin = 0;
    const std::size_t more = std::min<std::uint64_t>(m_buffer.size() - m_end, m_file.bytes() - m_read);
    if (auto got = m_file.read(reinterpret_cast<char*>(m_buffer.data() + m_end), m_read, more); !got) return got;
    m_read += more;
    m_end += more;
    return {};
  }

  [[nodiscard]] std::span<std::uint8_t> bytes() { return std::span(m_buffer).subspan(m_begin, m_end - m_begin); }
  void skip(std::size_t count) { m_begin += count; }
  [[nodiscard]] std::uint64_t offset() const { return m_read - (m_end - m_begin); }  // of bytes() in the file

 private:
  const FileHandle& m_file;
  std::vector<std::uint8_t> m_buffer;
  std::size_t m_begin = 0;
  std::size_t m_end = 0;
  std::uint64_t m_read;
};

// Unpacks all members of a file, or goes on where a checkpoint was taken.
class Inflater {
 public:
  explicit Inflater(const FileHandle& file) : m_input(file, 0), m_state(std::make_unique<inflate_state>()) { begin(); }
  Inflater(const FileHandle& file, const InflateCheckpoint& from)
      : m_input(file, from.fileOffset), m_state(std::make_unique<inflate_state>(*from.state)) {}

  // Up to `room` bytes; 0 at the end of the text.
  Result<std::size_t> unpack(char* to, std::size_t room) {
    while (!m_ended) {
      if (auto got = m_input.want(kInputStep); !got) return tl::unexpected<Error>(got.error());
      const std::span<std::uint8_t> packed = m_input.bytes();
      m_state->next_in = packed.data();
      m_state->avail_in = static_cast<std::uint32_t>(packed.size());
      m_state->next_out = reinterpret_cast<std::uint8_t*>(to);
      m_state->avail_out = static_cast<std::uint32_t>(room);
      const int code = isal_inflate(m_state.get());
      const std::size_t consumed = packed.size() - m_state->avail_in;
      const std::size_t gained = room - m_state->avail_out;
      m_input.skip(consumed);
      if (code == ISAL_INCORRECT_CHECKSUM) {
        m_fault = GzipFault::kChecksum;
        m_state->block_state = ISAL_BLOCK_FINISH;
      } else if (code != ISAL_DECOMP_OK && code != ISAL_END_INPUT) {
        end(GzipFault::kDamaged);
      }
      if (m_state->block_state == ISAL_BLOCK_FINISH && !m_ended) {
        if (auto next = nextMember(); !next) return tl::unexpected<Error>(next.error());
      } else if (consumed == 0 && gained == 0 && !m_ended) {
        end(GzipFault::kCut);
      }
      if (gained > 0) return gained;
    }
    return 0;
  }

  [[nodiscard]] GzipFault fault() const { return m_fault; }
  [[nodiscard]] std::uint64_t fileOffset() const { return m_input.offset(); }
  [[nodiscard]] InflateCheckpoint checkpoint(std::uint64_t textOffset) const {
    return {textOffset, m_input.offset(), std::make_shared<inflate_state>(*m_state)};
  }

 private:
  void begin() {
    isal_inflate_init(m_state.get());
    m_state->crc_flag = ISAL_GZIP;
  }
  void end(GzipFault fault) {
    m_fault = fault;
    m_ended = true;
  }

  // What follows a member, behind the padding of tapes and disks.
  Result<void> nextMember() {
    for (;; m_input.skip(1)) {
      if (auto got = m_input.want(2); !got) return got;
      const std::span<const std::uint8_t> bytes = m_input.bytes();
      if (bytes.empty()) {
        m_ended = true;
        return {};
      }
      if (bytes[0] == 0) continue;
      if (bytes.size() > 1 && bytes[0] == 0x1f && bytes[1] == 0x8b) {
        begin();
      } else {
        end(GzipFault::kTrailing);
      }
      return {};
    }
  }

  PackedInput m_input;
  std::unique_ptr<inflate_state> m_state;
  GzipFault m_fault = GzipFault::kNone;
  bool m_ended = false;
};

// Reads ranges by unpacking again from the state saved before them; the last few stretches are kept.
class GzipArgs final : public ArgsSource {
 public:
  GzipArgs(std::shared_ptr<const FileHandle> file, std::vector<InflateCheckpoint> checkpoints, std::uint64_t textBytes,
           std::string appended)
      : m_file(std::move(file)),
        m_checkpoints(std::move(checkpoints)),
        m_textBytes(textBytes),
        m_appended(std::move(appended)) {}

  [[nodiscard]] Result<std::string> read(TextRange range) const override {
    if (range.begin >= m_textBytes)
      return m_appended.substr(std::min(m_appended.size(), range.begin - m_textBytes), range.length);
    std::string text;
    const std::lock_guard lock(m_mutex);
    std::uint64_t at = range.begin;
    const std::uint64_t end = range.begin + range.length;
    while (at < end) {
      auto stretch = stretchOf(at);
      if (!stretch) return tl::unexpected<Error>(stretch.error());
      const Stretch& found = **stretch;
      const std::uint64_t within = at - found.begin;
      if (within >= found.text.size()) break;
      const std::size_t count = std::min<std::uint64_t>(end - at, found.text.size() - within);
      text.append(found.text, within, count);
      at += count;
    }
    return text;
  }

 private:
  struct Stretch {
    std::uint64_t begin = 0;
    std::string text;
  };

  Result<const Stretch*> stretchOf(std::uint64_t offset) const {
    for (auto it = m_kept.begin(); it != m_kept.end(); ++it) {
      if (offset < it->begin || offset >= it->begin + it->text.size()) continue;
      m_kept.splice(m_kept.begin(), m_kept, it);
      return &m_kept.front();
    }
    const auto after =
        std::upper_bound(m_checkpoints.begin(), m_checkpoints.end(), offset,
                         [](std::uint64_t value, const InflateCheckpoint& c) { return value < c.textOffset; });
    const InflateCheckpoint& from = *(after - 1);
    const std::uint64_t end = after == m_checkpoints.end() ? m_textBytes : after->textOffset;
    Stretch stretch;
    stretch.begin = from.textOffset;
    stretch.text.resize(end - from.textOffset);
    Inflater inflater(*m_file, from);
    std::size_t size = 0;
    while (size < stretch.text.size()) {
      const auto gained = inflater.unpack(stretch.text.data() + size, stretch.text.size() - size);
      if (!gained) return tl::unexpected<Error>(gained.error());
      if (*gained == 0) break;
      size += *gained;
    }
    stretch.text.resize(size);
    m_kept.push_front(std::move(stretch));
    if (m_kept.size() > kKept) m_kept.pop_back();
    return &m_kept.front();
  }

  static constexpr std::size_t kKept = 4;
  std::shared_ptr<const FileHandle> m_file;
  std::vector<InflateCheckpoint> m_checkpoints;
  std::uint64_t m_textBytes;
  std::string m_appended;
  mutable std::mutex m_mutex;
  mutable std::list<Stretch> m_kept;
};

class GzipText final : public TextSource {
 public:
  GzipText(std::shared_ptr<const FileHandle> file, Pages text, std::uint64_t room, Progress& progress,
           std::stop_token stop)
      : m_file(std::move(file)),
        m_text(std::move(text)),
        m_room(room),
        m_progress(progress),
        m_stop(std::move(stop)),
        m_thread([this] { unpack(); }) {}

  ~GzipText() override { finish(); }

  [[nodiscard]] const char* data() const override { return m_text.data(); }

  [[nodiscard]] Available waitFor(std::uint64_t bytes) override {
    std::unique_lock lock(m_mutex);
    m_needed = std::max(m_needed, bytes);
    m_changed.notify_all();
    m_changed.wait(lock, [&] { return m_produced >= bytes || m_final; });
    return {m_produced, m_final};
  }

  void release(std::uint64_t offset) override {
    std::uint64_t from = 0;
    {
      const std::lock_guard lock(m_mutex);
      from = m_released;
      if (offset <= from) return;
      m_released = offset;
      m_changed.notify_all();
    }
    m_text.drop(from, offset);
  }

  void finish() override {
    {
      const std::lock_guard lock(m_mutex);
      m_abandoned = true;
      m_changed.notify_all();
    }
    if (m_thread.joinable()) m_thread.join();
  }

  [[nodiscard]] Result<void> intact() const override {
    const std::lock_guard lock(m_mutex);
    if (m_failure) std::rethrow_exception(m_failure);  // out of memory, as the loader meets it itself
    if (m_error) return fail(*m_error);
    return {};
  }

  void report(TraceHealth& health) const override {
    const std::uint64_t at = m_produced;
    switch (m_fault) {
      case GzipFault::kNone:
        break;
      case GzipFault::kCut:
        health.note("gzip.cut", Severity::kLost, "The compressed file ends before its text does.", 1, at);
        break;
      case GzipFault::kDamaged:
        health.note("gzip.damaged", Severity::kLost, "The compressed file is damaged; its text was read up to there.",
                    1, at);
        break;
      case GzipFault::kChecksum:
        health.note("gzip.checksum", Severity::kRepaired, "The checksum of the compressed file does not fit its text.",
                    1, at);
        break;
      case GzipFault::kLimit:
        noteLimit(health, at);
        break;
      case GzipFault::kTrailing:
        health.note("gzip.trailing", Severity::kInfo, "Bytes behind the compressed text that are no gzip were ignored.",
                    1, at);
        break;
    }
  }

  [[nodiscard]] std::shared_ptr<const ArgsSource> argsSource(std::string appended) override {
    return std::make_shared<GzipArgs>(m_file, std::move(m_checkpoints), m_produced, std::move(appended));
  }

  [[nodiscard]] std::uint64_t fileBytes() const override { return m_file->bytes(); }

 private:
  // Publishes and waits for room; false: nobody wants more.
  bool proceed(std::uint64_t produced) {
    std::unique_lock lock(m_mutex);
    m_produced = produced;
    m_changed.notify_all();
    m_changed.wait(lock, [&] {
      return m_abandoned || m_stop.stop_requested() || m_produced < std::max(m_released + kWindow, m_needed);
    });
    return !m_abandoned && !m_stop.stop_requested();
  }

  void unpack() {
    const std::stop_callback wake(m_stop, [this] {
      const std::lock_guard lock(m_mutex);
      m_changed.notify_all();
    });
    GzipFault fault = GzipFault::kNone;
    std::uint64_t produced = 0;
    std::optional<Error> error;
    std::exception_ptr failure;
    try {
      Result<GzipFault> ended = unpackMembers(produced);
      if (ended) fault = *ended;
      if (!ended) error = ended.error();
    } catch (...) {
      failure = std::current_exception();
    }
    const std::lock_guard lock(m_mutex);
    m_produced = produced;
    m_fault = fault;
    m_error = std::move(error);
    m_failure = failure;
    m_final = true;
    m_changed.notify_all();
  }

  Result<GzipFault> unpackMembers(std::uint64_t& produced) {
    Inflater inflater(*m_file);
    std::uint64_t nextCheckpoint = 0;
    while (proceed(produced)) {
      if (produced >= nextCheckpoint) {
        m_checkpoints.push_back(inflater.checkpoint(produced));
        nextCheckpoint = produced + kCheckpointEvery;
      }
      if (produced + kOutputStep > m_room) return GzipFault::kLimit;
      const std::uint64_t before = inflater.fileOffset();
      const auto gained = inflater.unpack(m_text.data() + produced, kOutputStep);
      if (!gained) return tl::unexpected<Error>(gained.error());
      if (*gained == 0) break;
      produced += *gained;
      m_progress.advance(inflater.fileOffset() - before);
    }
    return inflater.fault();
  }

  std::shared_ptr<const FileHandle> m_file;
  Pages m_text;
  std::uint64_t m_room;
  Progress& m_progress;
  std::stop_token m_stop;
  mutable std::mutex m_mutex;
  std::condition_variable m_changed;
  std::uint64_t m_produced = 0;
  std::uint64_t m_released = 0;
  std::uint64_t m_needed = 0;
  bool m_final = false;
  bool m_abandoned = false;
  GzipFault m_fault = GzipFault::kNone;
  std::optional<Error> m_error;
  std::exception_ptr m_failure;
  std::vector<InflateCheckpoint> m_checkpoints;
  std::thread m_thread;  // last: it uses all of the above
};

}  // namespace

Result<std::unique_ptr<TextSource>> openGzip(std::shared_ptr<const FileHandle> file, const UnpackLimits& limits,
                                             Progress& progress, std::stop_token stop) {
  const std::uint64_t possible = std::min(kLargestText, file->bytes() * kLargestRatio);
  const std::uint64_t room = std::min(possible, mostText(limits, file->bytes())) + 2 * kOutputStep;
  Pages text = Pages::reserve(room + scan::kScanPadding);
  if (!text)
    return fail({.kind = ErrorKind::kInternal,
                 .what = "no address space to unpack the file into",
                 .remedy = "unpack it with gunzip and open the result",
                 .byte = {},
                 .event = {}});
  return std::make_unique<GzipText>(std::move(file), std::move(text), room, progress, std::move(stop));
}

}  // namespace attnscope
