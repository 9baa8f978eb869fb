// SPDX-License-Identifier: Apache-2.0
#include "core/import/GzipText.h"

#include <isa-l/igzip_lib.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <list>

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
    auto state = std::make_unique<inflate_state>(*from.state);
    std::uint64_t fileOffset = from.fileOffset;
    state->next_out = reinterpret_cast<std::uint8_t*>(stretch.text.data());
    state->avail_out = static_cast<std::uint32_t>(stretch.text.size());
    state->avail_in = 0;
    std::vector<std::uint8_t> input(kInputStep);
    while (state->avail_out > 0) {
      if (state->avail_in == 0) {
        const std::uint64_t count = std::min<std::uint64_t>(kInputStep, m_file->bytes() - fileOffset);
        if (count > 0) {
          if (auto got = m_file->read(reinterpret_cast<char*>(input.data()), fileOffset, count); !got)
            return tl::unexpected<Error>(got.error());
          fileOffset += count;
        }
        state->next_in = input.data();
        state->avail_in = static_cast<std::uint32_t>(count);
        if (count == 0 && state->block_state == ISAL_BLOCK_FINISH) break;
      }
      if (state->block_state == ISAL_BLOCK_FINISH) {
        const auto out = std::pair(state->next_out, state->avail_out);
        const auto in = std::pair(state->next_in, state->avail_in);
        isal_inflate_init(state.get());
        state->crc_flag = ISAL_GZIP;
        std::tie(state->next_out, state->avail_out) = out;
        std::tie(state->next_in, state->avail_in) = in;
      }
      const std::uint32_t before = state->avail_out;
      const std::uint32_t inputBefore = state->avail_in;
      const int code = isal_inflate(state.get());
      if (code != ISAL_DECOMP_OK && code != ISAL_END_INPUT && code != ISAL_INCORRECT_CHECKSUM) break;
      if (state->avail_out == before && state->avail_in == inputBefore && state->block_state != ISAL_BLOCK_FINISH)
        break;
    }
    stretch.text.resize(stretch.text.size() - state->avail_out);
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
  GzipText(std::shared_ptr<const FileHandle> file, Pages packed, Pages text, std::uint64_t room, Progress& progress,
           std::stop_token stop)
      : m_file(std::move(file)),
        m_packed(std::move(packed)),
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
    auto state = std::make_unique<inflate_state>();
    isal_inflate_init(state.get());
    state->crc_flag = ISAL_GZIP;
    std::uint8_t* const packed = reinterpret_cast<std::uint8_t*>(m_packed.data());
    const std::uint64_t packedBytes = m_file->bytes();
    std::uint64_t fileAt = 0;
    std::uint64_t produced = 0;
    std::uint64_t nextCheckpoint = 0;
    GzipFault fault = GzipFault::kNone;
    while (proceed(produced)) {
      if (produced >= nextCheckpoint) {
        m_checkpoints.push_back({produced, fileAt, std::make_shared<inflate_state>(*state)});
        nextCheckpoint = produced + kCheckpointEvery;
      }
      if (produced + kOutputStep > m_room) {
        fault = GzipFault::kLimit;
        break;
      }
      const std::uint64_t input = std::min<std::uint64_t>(packedBytes - fileAt, kInputStep * 4);
      state->next_in = packed + fileAt;
      state->avail_in = static_cast<std::uint32_t>(input);
      state->next_out = reinterpret_cast<std::uint8_t*>(m_text.data()) + produced;
      state->avail_out = kOutputStep;
      const int code = isal_inflate(state.get());
      const std::uint64_t consumed = input - state->avail_in;
      const std::uint64_t gained = kOutputStep - state->avail_out;
      fileAt += consumed;
      produced += gained;
      m_progress.advance(consumed);
      if (code == ISAL_INCORRECT_CHECKSUM) {
        fault = GzipFault::kChecksum;
        state->block_state = ISAL_BLOCK_FINISH;
      } else if (code != ISAL_DECOMP_OK && code != ISAL_END_INPUT) {
        fault = GzipFault::kDamaged;
        break;
      }
      if (state->block_state == ISAL_BLOCK_FINISH) {
        while (fileAt < packedBytes && packed[fileAt] == 0) ++fileAt;  // padding of tapes and disks
        if (fileAt == packedBytes) break;
        if (packedBytes - fileAt < 2 || packed[fileAt] != 0x1f || packed[fileAt + 1] != 0x8b) {
          fault = GzipFault::kTrailing;
          break;
        }
        isal_inflate_init(state.get());
        state->crc_flag = ISAL_GZIP;
        continue;
      }
      if (consumed == 0 && gained == 0) {
        fault = GzipFault::kCut;
        break;
      }
    }
    const std::lock_guard lock(m_mutex);
    m_produced = produced;
    m_fault = fault;
    m_final = true;
    m_changed.notify_all();
  }

  std::shared_ptr<const FileHandle> m_file;
  Pages m_packed;
  Pages m_text;
  std::uint64_t m_room;
  Progress& m_progress;
  std::stop_token m_stop;
  std::mutex m_mutex;
  std::condition_variable m_changed;
  std::uint64_t m_produced = 0;
  std::uint64_t m_released = 0;
  std::uint64_t m_needed = 0;
  bool m_final = false;
  bool m_abandoned = false;
  GzipFault m_fault = GzipFault::kNone;
  std::vector<InflateCheckpoint> m_checkpoints;
  std::thread m_thread;  // last: it uses all of the above
};

}  // namespace

Result<std::unique_ptr<TextSource>> openGzip(std::shared_ptr<const FileHandle> file, const UnpackLimits& limits,
                                             Progress& progress, std::stop_token stop) {
  Pages packed = Pages::map(*file);
  const std::uint64_t possible = std::min(kLargestText, file->bytes() * kLargestRatio);
  const std::uint64_t room = std::min(possible, mostText(limits, file->bytes())) + 2 * kOutputStep;
  Pages text = Pages::reserve(room + scan::kScanPadding);
  if (!packed || !text)
    return fail({.kind = ErrorKind::kInternal,
                 .what = "no address space to unpack the file into",
                 .remedy = "unpack it with gunzip and open the result",
                 .byte = {},
                 .event = {}});
  return std::make_unique<GzipText>(std::move(file), std::move(packed), std::move(text), room, progress,
                                    std::move(stop));
}

}  // namespace attnscope
