// SPDX-License-Identifier: Apache-2.0
#include "core/import/TraceLoader.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <functional>
#include <mutex>
#include <new>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "core/import/BlockReader.h"
#include "core/import/EventParser.h"
#include "core/import/Input.h"
#include "core/import/JsonScan.h"
#include "core/import/NumberText.h"
#include "core/import/Sniff.h"
#include "core/import/TextSource.h"
#include "core/import/TraceMetadata.h"
#include "core/trace/ArgsText.h"
#include "core/trace/TraceBuilder.h"

namespace attnscope {

namespace {

constexpr std::uint64_t kHead = 4096;

std::uint64_t peakRssBytes() {
  std::ifstream status("/proc/self/status");
  std::string line;
  while (std::getline(status, line))
    if (line.rfind("VmHWM:", 0) == 0) return std::strtoull(line.c_str() + 6, nullptr, 10) * 1024;
  return 0;
}

double secondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Large blocks of memory get mappings of their own: in the heaps of the threads that parse, what is freed stays with
// the process. Without this glibc does so no more once one was freed.
void keepLargeBlocksApart() {
#ifdef __GLIBC__
  static std::once_flag once;
  std::call_once(once, [] { ::mallopt(M_MMAP_THRESHOLD, 256 << 10); });
#endif
}

class UnreadArgs final : public ArgsSource {
 public:
  [[nodiscard]] Result<std::string> read(TextRange) const override {
    return fail({.kind = ErrorKind::kInput,
                 .what = "the trace is still being read",
                 .remedy = "wait until it is whole",
                 .byte = {},
                 .event = {}});
  }
};

class Loader {
 public:
  Loader(std::string path, const LoadOptions& options, Progress& progress, std::stop_token stop)
      : m_path(std::move(path)), m_options(options), m_progress(progress), m_stop(std::move(stop)) {}

  Result<std::shared_ptr<const Trace>> run() {
    const auto start = std::chrono::steady_clock::now();
    keepLargeBlocksApart();
    auto input = openInput(m_path, m_options.limits, m_progress, m_stop);
    if (!input) return tl::unexpected<Error>(input.error());
    m_input = std::move(*input);
    Result<RawTrace> raw = read(0);
    if (!raw) return tl::unexpected<Error>(raw.error());
    if (m_outOfRange) {
      // The clock of this file is far from its zero: take its first far time as the origin.
      const Int128 origin = *m_outOfRange;
      m_outOfRange.reset();
      raw = read(origin);
      if (!raw) return tl::unexpected<Error>(raw.error());
    }
    const double readSeconds = secondsSince(start);
    raw->path = m_path;
    raw->fileBytes = m_input.fileBytes;
    raw->stages.push_back({"Parse", readSeconds});
    const Rank rank = rankOf(*raw);
    auto built = buildTrace(std::move(*raw), m_progress, m_stop, m_options.threads);
    if (!built) return tl::unexpected<Error>(built.error());
    Trace& trace = *built->trace;
    complete(trace, rank);
    trace.argsSource = m_source->argsSource(std::move(built->appendedText));
    m_source.reset();
#ifdef __GLIBC__
    ::malloc_trim(0);  // what reading took is worth giving back: it is as much as the trace itself
#endif
    trace.load.seconds = secondsSince(start);
    trace.load.peakRssBytes = peakRssBytes();
    return std::shared_ptr<const Trace>(built->trace);
  }

 private:
  Result<RawTrace> read(Int128 clockOrigin) {
    m_source.reset();
    auto source = openText(m_input.file, m_options.limits, m_progress, m_stop);
    if (!source) return tl::unexpected<Error>(source.error());
    m_source = std::move(*source);
    m_raw = RawTrace{};
    m_raw.clockOrigin = clockOrigin;
    m_keys = "|";
    m_anyEvents = false;
    m_nested = false;
    m_valueBegin.reset();
    auto done = readText();
    if (m_stop.stop_requested()) return cancelled();
    if (const auto intact = m_source->intact(); !intact) return tl::unexpected<Error>(intact.error());
    if (!done) return tl::unexpected<Error>(done.error());
    m_source->finish();
    m_raw.health.merge(m_input.health);
    m_source->report(m_raw.health);
    return std::move(m_raw);
  }

  [[nodiscard]] Error damaged(std::string what, std::uint64_t byte) const {
    return {.kind = ErrorKind::kInput,
            .what = std::move(what),
            .remedy = "record the trace again, or open an unbroken copy",
            .byte = byte,
            .event = {}};
  }

  Result<void> readText() {
    const char* const text = m_source->data();
    std::string_view head(text, std::min(m_source->waitFor(kHead).bytes, kHead));
    std::uint64_t at = head.starts_with("\xEF\xBB\xBF") ? 3 : 0;
    at = skipGap(at);
    if (at >= head.size())  // what begins with that much space is told by what follows it
      head = {text + at, static_cast<std::size_t>(std::min(m_source->waitFor(at + kHead).bytes - at, kHead))};
    if (head.empty()) {
      TraceHealth unpacking;
      m_source->finish();
      m_source->report(unpacking);
      if (!unpacking.entries().empty())
        return fail(damaged("the compressed file is cut or damaged before any text", 0));
    }
    if (auto other = notATrace(head, m_path)) return fail(std::move(*other));
    if (text[at] == '[') return readArrayForm(at + 1);
    // One event after the other, without brackets around them: lines that were logged, or cut out of a trace.
    if (isEvent({text, std::min(m_source->waitFor(at + kHead).bytes, at + kHead)}, at)) return readArrayForm(at);
    return readObjectForm(at + 1);
  }

  // Next byte that is neither space nor NUL nor comma; the end of the text where none is.
  std::uint64_t skipGap(std::uint64_t at) {
    for (;;) {
      const TextSource::Available text = m_source->waitFor(at + 1);
      for (; at < text.bytes; ++at) {
        const char c = m_source->data()[at];
        if (!scan::isSpace(c) && c != '\0' && c != ',') return at;
      }
      if (text.final || m_stop.stop_requested()) return at;
      if (!m_valueBegin) m_source->release(at);
    }
  }

  [[nodiscard]] bool atEnd(std::uint64_t at) { return m_source->waitFor(at + 1).bytes <= at; }

  // End of the value at `at`, or nullopt where the text ends first.
  std::optional<std::uint64_t> endOfValue(std::uint64_t at) {
    for (std::uint64_t wanted = at + kHead;; wanted = at + (wanted - at) * 2) {
      const TextSource::Available text = m_source->waitFor(wanted);
      const char* data = m_source->data();
      const char* end = scan::valueEnd(data + at, data + text.bytes);
      if (end != nullptr) return static_cast<std::uint64_t>(end - data);
      if (text.final || m_stop.stop_requested()) return std::nullopt;
    }
  }

  Result<BlocksRead> readEvents(std::uint64_t at) {
    BlockReader reader(*m_source, m_options, m_raw.clockOrigin, m_progress, m_stop);
    std::function<void()> onBeginning;
    if (m_options.onBeginning) onBeginning = [this] { showBeginning(); };
    auto read = reader.run(at, m_raw, std::move(onBeginning));
    if (!read) return read;
    m_anyEvents = true;
    if (read->outOfRange && m_raw.clockOrigin == 0) m_outOfRange = read->outOfRange;
    return read;
  }

  // Makes a trace of the blocks that are there, unless most of the file is.
  void showBeginning() {
    if (m_progress.done() * 2 > m_progress.total()) return;
    RawTrace raw(m_raw);
    raw.path = m_path;
    raw.fileBytes = m_input.fileBytes;
    const Rank rank = rankOf(raw);
    Progress unseen;
    auto built = buildTrace(std::move(raw), unseen, m_stop, 1);
    if (!built) return;
    Trace& trace = *built->trace;
    complete(trace, rank);
    trace.partial = true;
    trace.argsSource = std::make_shared<UnreadArgs>();
    m_options.onBeginning(std::move(built->trace));
  }

  static void complete(Trace& trace, const Rank& rank) {
    trace.rank = rank;
    trace.format = "chrome-json";
    trace.producer = producerOf(trace);
  }

  // `at`: behind the opening bracket.
  Result<void> readArrayForm(std::uint64_t at) {
    const std::uint64_t first = skipGap(at);
    if (!atEnd(first) && m_source->data()[first] != '{') {
      // null, words and numbers among events are counted, but a table of numbers is no trace.
      const TextSource::Available text = m_source->waitFor(first + kHead);
      const std::string_view rest(m_source->data() + first,
                                  static_cast<std::size_t>(std::min(text.bytes - first, kHead)));
      if (rest.front() == '[' || rest.find('{') == std::string_view::npos) return fail(arrayWithoutEvents(rest));
    }
    auto read = readEvents(at);
    if (!read) return tl::unexpected<Error>(read.error());
    noteCut(*read, true);
    m_raw.textBytes = m_source->waitFor(UINT64_MAX).bytes;
    std::uint64_t events = 0;
    for (const RawBlock& block : m_raw.blocks) events += block.events;
    if (events == 0 && read->closed) return fail(arrayWithoutEvents("]"));
    if (read->closed) checkRest(read->at);
    return {};
  }

  void noteCut(const BlocksRead& read, bool arrayForm) {
    if (read.closed) return;
    if (read.insideElement) {
      m_raw.health.note("json.cut", Severity::kLost, "The file ends inside an event, which is left out.", 1, read.at);
    } else if (arrayForm) {
      m_raw.health.note("json.open-array", Severity::kInfo, "The array of events has no closing bracket.", 1, read.at);
    } else {
      m_raw.health.note("json.cut", Severity::kRepaired, "The file ends before its last bracket.", 1, read.at);
    }
  }

  void checkRest(std::uint64_t at) {
    at = skipGap(at);
    if (!atEnd(at))
      m_raw.health.note("json.several-documents", Severity::kLost, "Text behind the end of the trace was left out.", 1,
                        at);
  }

  Result<void> readObjectForm(std::uint64_t at) {
    bool open = true;
    while (open) {
      at = skipGap(at);
      if (m_stop.stop_requested()) return cancelled();
      if (atEnd(at)) {
        m_raw.health.note("json.cut", Severity::kRepaired, "The file ends before its last bracket.", 1, at);
        break;
      }
      const char c = m_source->data()[at];
      if (c == '}') {
        ++at;
        checkRest(at);
        break;
      }
      if (c != '"') {
        const std::uint64_t fault = at;
        if (skipDamage(at, m_valueBegin.value_or(at))) continue;
        if (!m_anyEvents) return fail(damaged("the text is no JSON where a key is due", fault));
        break;
      }
      auto member = readMember(at);
      if (!member) return tl::unexpected<Error>(member.error());
      open = *member;
    }
    m_raw.textBytes = m_source->waitFor(UINT64_MAX).bytes;
    if (!m_anyEvents) {
      if (m_stop.stop_requested()) return cancelled();
      return fail(objectWithoutEvents(m_keys));
    }
    return {};
  }

  // Behind text that is no JSON: moves `at` to the array of events, or behind that to the next key, at or behind
  // `from`. False where there is none.
  bool skipDamage(std::uint64_t& at, std::uint64_t from) {
    m_raw.health.note("json.broken-key", Severity::kLost,
                      "Text beside the events that is no JSON; it was left out up to the next key.", 1, at);
    const TextSource::Available text = m_source->waitFor(UINT64_MAX);
    const std::string_view all(m_source->data(), static_cast<std::size_t>(text.bytes));
    for (std::size_t quote = all.find('"', from); quote != std::string_view::npos; quote = all.find('"', quote + 1)) {
      if (m_stop.stop_requested()) return false;
      if (!isKey(all, quote)) continue;
      at = quote;
      return true;
    }
    return false;
  }

  // Whether a key stands at the quote: a word behind a comma, with a colon; before the events only theirs will do.
  [[nodiscard]] bool isKey(std::string_view all, std::size_t quote) const {
    constexpr std::string_view kSpaces = " \t\r\n";
    constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-. ";
    const std::size_t before = quote == 0 ? std::string_view::npos : all.find_last_not_of(kSpaces, quote - 1);
    if (before == std::string_view::npos || (all[before] != ',' && all[before] != '{')) return false;
    const std::size_t end = all.find_first_not_of(kLetters, quote + 1);
    if (end == std::string_view::npos || end == quote + 1 || all[end] != '"') return false;
    const std::size_t colon = all.find_first_not_of(kSpaces, end + 1);
    if (colon == std::string_view::npos || all[colon] != ':') return false;
    if (m_anyEvents) return all[before] == ',';
    const std::size_t value = all.find_first_not_of(kSpaces, colon + 1);
    return all.substr(quote + 1, end - quote - 1) == "traceEvents" && value != std::string_view::npos &&
           all[value] == '[';
  }

  // One member that begins at `at`, which moves behind it. False: nothing can follow.
  Result<bool> readMember(std::uint64_t& at) {
    const std::uint64_t begin = at;
    const auto keyEnd = endOfValue(at);
    const auto cut = [&]() -> Result<bool> {
      if (!m_anyEvents && m_keys.find("|traceEvents|") == std::string::npos && m_keys.size() <= 1)
        return fail(damaged("the file ends before any event", begin));
      m_raw.health.note("json.cut", Severity::kLost, "The file ends inside a value beside the events.", 1, begin);
      return false;
    };
    if (!keyEnd) return cut();
    m_valueBegin.reset();
    const std::string key(m_source->data() + at + 1, m_source->data() + *keyEnd - 1);
    at = skipGap(*keyEnd);
    if (atEnd(at)) return cut();
    if (m_source->data()[at] != ':') {
      const std::uint64_t fault = at;
      if (skipDamage(at, at)) return true;
      if (!m_anyEvents) return fail(damaged("the text is no JSON: a colon is missing", fault));
      return false;
    }
    at = skipGap(at + 1);
    if (atEnd(at)) return cut();
    if (m_keys.size() < 4096) m_keys += key + "|";
    if (key == "traceEvents" && m_source->data()[at] == '[') {
      auto read = readEvents(at + 1);
      if (!read) return tl::unexpected<Error>(read.error());
      noteCut(*read, false);
      at = read->at;
      m_source->release(at);
      return read->closed;
    }
    const auto end = endOfValue(at);
    if (!end) {
      if (!m_anyEvents && skipDamage(at, at + 1)) return true;
      return cut();
    }
    if (m_source->data()[at] == '{' && (!m_anyEvents || m_nested)) {
      const auto inside = readInside({m_source->data() + at, static_cast<std::size_t>(*end - at)}, 0);
      if (!inside) return tl::unexpected<Error>(inside.error());
      if (*inside) {
        m_raw.health.note("json.nested-events", Severity::kInfo, "The events lie inside another object.", 1, at);
        m_nested = true;
        at = *end;
        return true;
      }
    }
    // What follows a string too early may have been part of it: the next key is then looked for inside it as well.
    if (m_source->data()[at] == '"') m_valueBegin = at + 1;
    takeTopLevel(m_raw, key, {m_source->data() + at, static_cast<std::size_t>(*end - at)}, at);
    m_source->release(m_valueBegin ? at : *end);
    at = *end;
    return true;
  }

  // Events inside an object beside which there are none, with what stands beside them. False: there are none.
  Result<bool> readInside(std::string_view object, int depth) {
    constexpr int kDeepest = 8;
    constexpr std::string_view kEvents = "traceEvents";
    if (depth == kDeepest || object.find("\"traceEvents\"") == std::string_view::npos) return false;
    const auto place = [this](std::string_view value) {
      return static_cast<std::uint64_t>(value.data() - m_source->data());
    };
    const std::vector<ArgsMember> members = argsMembers(object);
    const auto events = std::find_if(members.begin(), members.end(), [&](const ArgsMember& member) {
      if (member.key != kEvents || member.value.empty() || member.value.front() != '[') return false;
      return skipGap(place(member.value) + 1) + 1 < place(member.value) + member.value.size();  // of any element
    });
    bool any = false;
    if (events == members.end()) {
      for (const ArgsMember& member : members) {
        if (member.value.empty() || member.value.front() != '{') continue;
        const auto inside = readInside(member.value, depth + 1);
        if (!inside) return inside;
        any = any || *inside;
      }
      return any;
    }
    // Before the events, whose text is given back as it is read.
    for (const ArgsMember& member : members)
      if (member.key != kEvents && !member.value.empty())
        takeTopLevel(m_raw, member.key, member.value, place(member.value));
    const auto read = readEvents(place(events->value) + 1);
    if (!read) return tl::unexpected<Error>(read.error());
    return true;
  }

  std::string m_path;
  LoadOptions m_options;
  Progress& m_progress;
  std::stop_token m_stop;
  Input m_input;
  std::unique_ptr<TextSource> m_source;
  RawTrace m_raw;
  std::string m_keys;
  bool m_anyEvents = false;
  bool m_nested = false;                      // they lie inside another object
  std::optional<std::uint64_t> m_valueBegin;  // of the last member, where it is a string
  std::optional<Int128> m_outOfRange;
};

Error internalError(std::string what) {
  return {.kind = ErrorKind::kInternal,
          .what = std::move(what),
          .remedy = "close other programs, or open a smaller trace",
          .byte = {},
          .event = {}};
}

}  // namespace

Result<std::shared_ptr<const Trace>> loadTrace(const std::string& path, const LoadOptions& options, Progress& progress,
                                               std::stop_token stop) {
  try {
    return Loader(path, options, progress, std::move(stop)).run();
  } catch (const std::bad_alloc&) {
    return fail(internalError("there is not enough memory to load the trace"));
  } catch (const std::exception& error) {
    return fail(internalError(std::string("loading the trace failed: ") + error.what()));
  }
}

}  // namespace attnscope
