// SPDX-License-Identifier: Apache-2.0
#include "core/import/EventParser.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/import/JsonScan.h"
#include "core/import/NumberText.h"
#include "core/trace/ArgsText.h"
#include "core/trace/Utf8.h"

namespace attnscope {

namespace {

constexpr std::int64_t kFarthestNs = (std::int64_t{1} << 62) - 1;

bool isDigit(char c) { return c >= '0' && c <= '9'; }

// Comparison with a literal of the same length, which the compiler turns into one or two instructions.
template <std::size_t N>
bool is(std::string_view text, const char (&literal)[N]) {
  return std::memcmp(text.data(), literal, N - 1) == 0;
}

bool isElementGap(char c) { return scan::isSpace(c) || c == ',' || c == '\0'; }

}  // namespace

void EventParser::note(const char* code, Severity severity, const char* message, const char* at) {
  m_block.health.note(code, severity, message, 1, offset(at), m_block.events);
}

ParseResult EventParser::parse(TextWindow text, std::uint64_t from, std::uint64_t limit, const std::stop_token& stop) {
  m_text = text.data;
  m_end = text.data + text.end;
  const char* p = m_text + from;
  const char* const stopAt = m_text + std::min(limit, text.end);
  bool comma = true;  // an element may begin here
  for (;;) {
    const char* gap = p;
    unsigned commas = 0;
    while (p < m_end && isElementGap(*p)) commas += *p++ == ',' ? 1u : 0u;
    if (commas > 1 || (commas == 0 && !comma && p < m_end && *p != ']'))
      note("json.comma", Severity::kInfo, "Commas between events that are missing or too many.", gap);
    if (p >= stopAt) {
      if (limit <= text.end) return {ParseEnd::kLimit, offset(p), false};
      return {ParseEnd::kTextEnd, offset(p), false};
    }
    if (*p == ']') return {ParseEnd::kClosed, offset(p) + 1, false};
    if ((m_block.events & 0xFFF) == 0 && stop.stop_requested()) return {ParseEnd::kStopped, offset(p), false};
    m_element = p;
    m_fault = nullptr;
    const char* next = readElement(p);
    comma = false;
    if (next != nullptr) {
      ++m_block.events;
      p = next;
      continue;
    }
    if (m_fault == nullptr) return {ParseEnd::kTextEnd, offset(m_element), true};
    // Broken: leave it out and go on with the next thing that looks like an event.
    const std::uint64_t resume = guessEventStart(text, offset(m_element) + 1);
    if (resume >= text.end) {
      // Perhaps only the end of the window; the caller decides.
      return {ParseEnd::kTextEnd, offset(m_element), true};
    }
    note("json.broken-event", Severity::kLost, "Events whose text is no JSON; they were left out.", m_element);
    ++m_block.events;
    p = m_text + resume;
    comma = true;
  }
}

const char* EventParser::readElement(const char* p) {
  if (*p != '{') {
    if (*p == '}' || *p == ':') {
      m_fault = p;
      return nullptr;
    }
    const char* end = scan::valueEnd(p, m_end);
    if (end == nullptr) return nullptr;
    if (end == p) {
      m_fault = p;
      return nullptr;
    }
    note("event.not-an-object", Severity::kLost, "Elements of traceEvents that are no objects.", p);
    return end;
  }
  m_fields = Fields{};
  m_facts = ArgFacts{};
  const char* end = readMembers(p + 1);
  if (end == nullptr) return nullptr;
  if (m_fields.any) commit();
  return end;
}

// Behind the opening brace; result behind the closing one.
const char* EventParser::readMembers(const char* p) {
  for (;;) {
    p = scan::skipSpace(p, m_end);
    while (p < m_end && *p == ',') p = scan::skipSpace(p + 1, m_end);
    if (p >= m_end) return nullptr;
    if (*p == '}') return p + 1;
    if (*p != '"') {
      m_fault = p;
      return nullptr;
    }
    bool escaped = false;
    const char* key = p + 1;
    const char* keyEnd = scan::closingQuote(key, m_end, escaped);
    if (keyEnd == nullptr) return nullptr;
    p = scan::skipSpace(keyEnd + 1, m_end);
    if (p >= m_end) return nullptr;
    if (*p != ':') {
      m_fault = p;
      return nullptr;
    }
    p = scan::skipSpace(p + 1, m_end);
    if (p >= m_end) return nullptr;
    m_fields.any = true;
    const std::string_view name(key, static_cast<std::size_t>(keyEnd - key));
    Token value;
    if (*p == '{' && name.size() == 4 && is(name, "args")) {
      const char* end = readArgs(p);
      if (end == nullptr) return nullptr;
      value.begin = p;
      value.length = static_cast<std::uint32_t>(end - p);
      m_fields.args = value;
      p = end;
    } else {
      p = readValue(p, value);
      if (p == nullptr) return nullptr;
      takeField(name, value);
    }
    // What follows a value shows whether it ended where it seemed to.
    if (p < m_end && *p != ',' && *p != '}') {
      p = scan::skipSpace(p, m_end);
      if (p < m_end && *p != ',' && *p != '}') {
        m_fault = p;
        return nullptr;
      }
    }
  }
}

const char* EventParser::readValue(const char* p, Token& token) {
  token.begin = p;
  const char* end = nullptr;
  if (*p == '"') {
    end = scan::closingQuote(p + 1, m_end, token.escaped);
    if (end != nullptr) ++end;
  } else if (*p == '{' || *p == '[') {
    end = scan::containerEnd(p, m_end);
  } else {
    end = scan::scalarEnd(p, m_end);
    if (end == p) {
      m_fault = p;
      return nullptr;
    }
    if (end != nullptr) {
      token.length = static_cast<std::uint32_t>(end - p);
      const char first = *p == '-' ? p[1] : *p;
      if (!isDigit(first)) noteWord(token);
    }
  }
  token.length = static_cast<std::uint32_t>(end - p);
  return end;
}

void EventParser::noteWord(const Token& token) {
  const std::string_view word = token.text();
  if (word == "true" || word == "false" || word == "null") return;
  if (isNonFiniteWord(word)) {
    note("json.non-finite", Severity::kInfo, "Numbers that are infinite or not a number.", token.begin);
  } else {
    note("json.bare-word", Severity::kRepaired, "Words without quotes, read as text.", token.begin);
  }
}

const char* EventParser::readArgs(const char* p) {
  ++p;
  for (;;) {
    p = scan::skipSpace(p, m_end);
    while (p < m_end && *p == ',') p = scan::skipSpace(p + 1, m_end);
    if (p >= m_end) return nullptr;
    if (*p == '}') return p + 1;
    if (*p != '"') {
      m_fault = p;
      return nullptr;
    }
    bool escaped = false;
    const char* key = p + 1;
    const char* keyEnd = scan::closingQuote(key, m_end, escaped);
    if (keyEnd == nullptr) return nullptr;
    p = scan::skipSpace(keyEnd + 1, m_end);
    if (p >= m_end) return nullptr;
    if (*p != ':') {
      m_fault = p;
      return nullptr;
    }
    p = scan::skipSpace(p + 1, m_end);
    if (p >= m_end) return nullptr;
    Token value;
    p = readValue(p, value);
    if (p == nullptr) return nullptr;
    takeArg({key, static_cast<std::size_t>(keyEnd - key)}, value);
    if (p < m_end && *p != ',' && *p != '}') {
      p = scan::skipSpace(p, m_end);
      if (p < m_end && *p != ',' && *p != '}') {
        m_fault = p;
        return nullptr;
      }
    }
  }
}

void EventParser::takeField(std::string_view key, const Token& value) {
  switch (key.size()) {
    case 1:
      if (is(key, "s")) m_fields.scope = value;
      break;
    case 2:
      if (is(key, "ph"))
        m_fields.phase = value;
      else if (is(key, "ts"))
        m_fields.ts = value;
      else if (is(key, "id"))
        m_fields.id = value;
      else if (is(key, "bp"))
        m_fields.bindPoint = value;
      break;
    case 3:
      if (is(key, "cat"))
        m_fields.category = value;
      else if (is(key, "pid"))
        m_fields.pid = value;
      else if (is(key, "tid"))
        m_fields.tid = value;
      else if (is(key, "dur"))
        m_fields.dur = value;
      else if (is(key, "id2"))
        m_fields.id2 = value;
      break;
    case 4:
      if (is(key, "name"))
        m_fields.name = value;
      else if (is(key, "args"))
        m_fields.args = value;
      break;
    case 5:
      if (is(key, "scope")) m_fields.asyncScope = value;
      break;
    case 7:
      if (is(key, "bind_id"))
        m_fields.bindId = value;
      else if (is(key, "flow_in"))
        m_fields.flowIn = value;
      else if (is(key, "entries"))
        m_fields.entries = value;
      break;
    case 8:
      if (is(key, "flow_out")) m_fields.flowOut = value;
      break;
    case 11:
      if (is(key, "event_stats")) m_fields.eventStats = value;
      break;
    default:
      break;
  }
}

namespace {

// Integers of args: most are short and plain.
std::optional<std::int64_t> argInteger(std::string_view text) {
  text = unquoted(text);
  if (!text.empty() && text.size() <= 18) {
    std::int64_t value = 0;
    for (const char c : text) {
      if (!isDigit(c)) return integerFrom(text);
      value = value * 10 + (c - '0');
    }
    return value;
  }
  return integerFrom(text);
}

std::array<std::int32_t, 3> dimensions(std::string_view text) {
  std::array<std::int32_t, 3> result{};
  std::size_t at = 0;
  for (const char c : text) {
    if (isDigit(c) && at < 3 && result[at] < 200000000) {
      result[at] = result[at] * 10 + (c - '0');
    } else if (c == ',') {
      ++at;
    }
  }
  return result;
}

}  // namespace

void EventParser::takeArg(std::string_view key, const Token& value) {
  const auto integer = [&](auto& field) {
    if (const auto number = argInteger(value.text()))
      field = static_cast<std::remove_reference_t<decltype(field)>>(*number);
  };
  ArgFacts& facts = m_facts;
  switch (key.size()) {
    case 4:
      if (is(key, "grid")) {
        facts.device.grid = dimensions(value.text());
        facts.anyDevice = true;
      } else if (is(key, "Addr")) {
        facts.memory.address = 0;
        if (const auto number = argInteger(value.text())) facts.memory.address = static_cast<std::uint64_t>(*number);
      }
      break;
    case 5:
      if (is(key, "block")) {
        facts.device.block = dimensions(value.text());
        facts.anyDevice = true;
      } else if (is(key, "bytes")) {
        integer(facts.device.bytes);
        facts.anyDevice = true;
      } else if (is(key, "Bytes")) {
        integer(facts.memory.bytes);
        facts.anyMemory = true;
      }
      break;
    case 6:
      if (is(key, "stream")) {
        integer(facts.device.stream);
        facts.anyDevice = true;
      } else if (is(key, "device")) {
        integer(facts.device.device);
        facts.anyDevice = true;
      } else if (is(key, "Ev Idx")) {
        integer(facts.memory.eventIndex);
      }
      break;
    case 8:
      if (is(key, "finished")) facts.markedOpen = unquoted(value.text()) == "false";
      break;
    case 9:
      if (is(key, "Device Id")) integer(facts.memory.deviceId);
      break;
    case 10:
      if (is(key, "Input Dims") || is(key, "Input dims")) facts.inputDims = value;
      break;
    case 11:
      if (is(key, "External id") || is(key, "external id") || is(key, "External Id")) {
        integer(facts.externalId);
      } else if (is(key, "correlation")) {
        integer(facts.correlation);
      } else if (is(key, "Device Type")) {
        integer(facts.memory.deviceType);
      }
      break;
    case 13:
      if (is(key, "shared memory")) integer(facts.device.sharedMemoryBytes);
      break;
    case 14:
      if (is(key, "Total Reserved")) integer(facts.memory.totalReserved);
      break;
    case 15:
      if (is(key, "Total Allocated")) integer(facts.memory.totalAllocated);
      break;
    case 20:
      if (is(key, "registers per thread"))
        integer(facts.device.registersPerThread);
      else if (is(key, "Profiler Event Index"))
        integer(facts.memory.eventIndex);
      break;
    case 25:
    case 23:
      if (key == "est. achieved occupancy %" || key == "theoretical occupancy %") {
        const auto number = numberFrom(unquoted(value.text()));
        // New devices get 0 from the recorder, which stands for "not known".
        if (number && std::isfinite(*number) && *number > 0)
          facts.device.occupancy = static_cast<float>(std::min(1.0, *number / 100));
      }
      break;
    default:
      break;
  }
}

std::int64_t EventParser::clampTime(Int128 ns) {
  const Int128 relative = ns - m_clockOrigin;
  if (relative >= -kFarthestNs && relative <= kFarthestNs) return static_cast<std::int64_t>(relative);
  if (!m_outOfRange) {
    m_outOfRange = true;
    m_firstOutOfRange = ns;
  }
  note("time.out-of-range", Severity::kRepaired, "Times that lie more than 146 years from the rest; they were clamped.",
       m_element);
  return relative < 0 ? -kFarthestNs : kFarthestNs;
}

namespace {

// Digits, a point and up to three digits, as Kineto writes: the exact ns without detours.
bool plainNs(std::string_view text, std::int64_t& ns) {
  if (text.size() > 18 || text.empty()) return false;
  std::int64_t value = 0;
  std::size_t i = 0;
  for (; i < text.size() && isDigit(text[i]); ++i) value = value * 10 + (text[i] - '0');
  if (i == 0 || i > 15) return false;
  unsigned decimals = 0;
  if (i < text.size()) {
    if (text[i] != '.') return false;
    for (++i; i < text.size(); ++i, ++decimals) {
      if (!isDigit(text[i]) || decimals == 3) return false;
      value = value * 10 + (text[i] - '0');
    }
  }
  for (; decimals < 3; ++decimals) value *= 10;
  ns = value;
  return true;
}

}  // namespace

bool EventParser::timeOf(const Token& token, std::int64_t& ns) {
  if (!token.present()) return false;
  const std::string_view text = unquoted(token.text());
  std::int64_t plain = 0;
  if (plainNs(text, plain)) {
    ns = m_clockOrigin == 0 && plain <= kFarthestNs ? plain : clampTime(plain);
    return true;
  }
  const auto value = nsFromMicroseconds(text);
  if (!value) return false;
  if (value->rounded)
    note("time.below-ns", Severity::kInfo, "Times with digits below a nanosecond; they were rounded.", m_element);
  ns = clampTime(value->ns);
  return true;
}

bool EventParser::durationOf(const Token& token, std::int64_t& ns, bool& negative) {
  if (!token.present()) return false;
  const std::string_view text = unquoted(token.text());
  if (plainNs(text, ns)) return true;
  const auto value = nsFromMicroseconds(text);
  if (!value) return false;
  if (value->rounded)
    note("time.below-ns", Severity::kInfo, "Times with digits below a nanosecond; they were rounded.", m_element);
  negative = value->ns < 0;
  ns = negative ? 0 : value->ns > kFarthestNs ? kFarthestNs : static_cast<std::int64_t>(value->ns);
  return true;
}

std::uint32_t EventParser::internText(std::string_view text) {
  if (auto repaired = repairedUtf8(text)) {
    note("text.not-utf8", Severity::kRepaired, "Names that are not UTF-8; the bytes in question show as U+FFFD.",
         m_element);
    return static_cast<std::uint32_t>(index(m_block.strings.intern(*repaired)));
  }
  return static_cast<std::uint32_t>(index(m_block.strings.intern(text)));
}

// By length, both ends and the middle of a text of any length.
std::size_t EventParser::cacheHash(std::string_view raw) {
  std::uint64_t head = 0;
  std::uint64_t tail = 0;
  std::uint64_t middle = 0;
  if (raw.size() >= 8) {
    std::memcpy(&head, raw.data(), 8);
    std::memcpy(&tail, raw.data() + raw.size() - 8, 8);
    std::memcpy(&middle, raw.data() + (raw.size() - 8) / 2, 8);
  } else {
    for (const char c : raw) head = head << 8 | static_cast<unsigned char>(c);
  }
  std::uint64_t hash = (head ^ (middle << 1) ^ raw.size()) * 0x9E3779B97F4A7C15ULL;
  hash = (hash ^ (hash >> 29) ^ tail) * 0xBF58476D1CE4E5B9ULL;
  return static_cast<std::size_t>(hash >> 40);
}

// Names repeat: a small table keyed by the text as written spares most of the hashing.
std::uint32_t EventParser::intern(const Token& token) {
  if (token.isNull()) return kNone;
  const std::string_view raw = token.text();
  NameSlot& slot = m_nameCache[cacheHash(raw) & (kNameSlots - 1)];
  if (slot.id != kNone && slot.raw == raw) return slot.id;
  std::uint32_t id = kNone;
  if (!token.isString()) {
    id = internText(raw);
  } else if (token.escaped) {
    id = internText(decodeText(raw));
  } else {
    id = internText(raw.substr(1, raw.size() - 2));
  }
  slot.raw.assign(raw);
  slot.id = id;
  return id;
}

std::uint16_t EventParser::category(const Token& token) {
  const std::string_view raw = token.present() ? token.text() : std::string_view("null");
  for (const CategorySlot& slot : m_categoryCache)
    if (slot.raw.size() == raw.size() && slot.raw == raw) return slot.id;
  const std::string key(raw);
  auto place = m_categoryByText.find(key);
  if (place == m_categoryByText.end()) {
    RawCategory entry;
    if (token.present() && raw != "null") {
      entry.name = intern(token);
      if (token.isString()) entry.kind = classifyCategory(m_block.strings.view(StringId{entry.name}));
    }
    const std::size_t row = std::min<std::size_t>(m_block.categories.size(), 0xFFFE);
    if (row == m_block.categories.size()) m_block.categories.push_back(entry);
    place = m_categoryByText.emplace(key, static_cast<std::uint16_t>(row)).first;
  }
  if (m_categoryCache.size() < kCategorySlots) m_categoryCache.push_back({place->first, place->second});
  return place->second;
}

RawIdentity EventParser::identity(const Token& token) {
  RawIdentity result;
  if (token.isNull()) {
    result.missing = true;
    return result;
  }
  const std::string_view text = unquoted(token.text());
  if (const auto number = integerFrom(text)) {
    result.number = *number;
    return result;
  }
  if (!token.isString() && (text == "true" || text == "false" || *token.begin == '{' || *token.begin == '[')) {
    result.missing = true;
    return result;
  }
  result.isWord = true;
  result.word = token.escaped ? decodeText(token.text()) : std::string(text);
  if (auto repaired = repairedUtf8(result.word)) result.word = *repaired;
  return result;
}

std::uint32_t EventParser::thread(const Token& pid, const Token& tid) {
  const std::string_view pidText = pid.present() ? pid.text() : std::string_view{};
  const std::string_view tidText = tid.present() ? tid.text() : std::string_view{};
  for (const ThreadSlot& slot : m_threadCache)
    if (slot.thread != kNone && slot.tid.size() == tidText.size() && slot.pid.size() == pidText.size() &&
        slot.tid == tidText && slot.pid == pidText)
      return slot.thread;
  std::string key(pidText);
  key += '\0';
  key += tidText;
  const auto [place, added] = m_threadByText.try_emplace(key, static_cast<std::uint32_t>(m_block.threads.size()));
  if (added) m_block.threads.push_back({identity(pid), identity(tid)});
  m_threadCache[m_nextThreadSlot] = {pidText, tidText, place->second};
  m_nextThreadSlot = (m_nextThreadSlot + 1) % m_threadCache.size();
  return place->second;
}

std::uint32_t EventParser::dims(const Token& token) {
  if (!token.present() || *token.begin != '[') return kNone;
  const std::string_view raw = token.text();
  NameSlot& slot = m_dimsCache[cacheHash(raw) & (kDimsSlots - 1)];
  if (slot.id != kNone && slot.raw == raw) return slot.id;
  slot.raw.assign(raw);
  slot.id = dimsText(raw);
  return slot.id;
}

std::uint32_t EventParser::dimsText(std::string_view raw) {
  char buffer[512];
  std::string large;
  // Nested lists with one space behind each comma, whatever the layout of the file.
  std::size_t length = 0;
  if (raw.size() * 2 <= sizeof(buffer)) {
    for (const char c : raw) {
      if (scan::isSpace(c)) continue;
      buffer[length++] = c;
      if (c == ',') buffer[length++] = ' ';
    }
    return internText({buffer, length});
  }
  for (const char c : raw) {
    if (scan::isSpace(c)) continue;
    large += c;
    if (c == ',') large += ' ';
  }
  return internText(large);
}

// Ids of arrows are mostly small numbers, and many: those are kept as themselves with the highest bit set.
std::uint32_t EventParser::idOf(std::string_view text) {
  if (!text.empty() && text.size() <= 9 && (text.size() == 1 || text[0] != '0')) {
    std::uint32_t value = 0;
    bool plain = true;
    for (const char c : text) {
      plain = plain && isDigit(c);
      value = value * 10 + static_cast<std::uint32_t>(c - '0');
    }
    if (plain) return kNumericId | value;
  }
  return internText(text);
}

std::uint32_t EventParser::eventId(bool withScope, std::uint8_t& flags) {
  Token token = m_fields.id;
  std::string owned;
  std::string_view text;
  if (m_fields.id2.present() && *m_fields.id2.begin == '{') {
    for (const ArgsMember& member : argsMembers(m_fields.id2.text())) {
      owned = std::string(unquoted(member.value));
      if (member.key == "local") flags |= kLocalId;
    }
    text = owned;
  } else if (!token.isNull()) {
    text = unquoted(token.text());
  } else {
    return kNone;
  }
  if (withScope && !m_fields.asyncScope.isNull()) {
    owned = std::string(text) + '\x1f' + std::string(unquoted(m_fields.asyncScope.text()));
    text = owned;
  }
  return idOf(text);
}

void EventParser::commit() {
  Token& phase = m_fields.phase;
  const std::string_view text = phase.isString() ? unquoted(phase.text()) : std::string_view{};
  if (text.size() != 1) {
    note("phase.unknown", Severity::kLost, "Events of a kind (ph) that is not known; they are not shown.", m_element);
    return;
  }
  switch (text[0]) {
    case 'X':
      commitSlice();
      break;
    case 'B':
    case 'E':
    case 'b':
    case 'e':
    case 'n':
    case 'S':
    case 'F':
    case 'T':
    case 'p':
    case 's':
    case 't':
    case 'f':
    case 'i':
    case 'I':
    case 'R':
      commitPoint(text[0]);
      break;
    case 'C':
      commitCounter();
      break;
    case 'M':
      commitMetadata();
      break;
    case 'P':
    case 'N':
    case 'O':
    case 'D':
    case 'V':
    case 'v':
    case 'c':
    case '(':
    case ')':
    case '=':
      note("phase.not-shown", Severity::kLost,
           "Samples, objects, memory dumps, clock syncs and contexts; these kinds of events are not shown.", m_element);
      break;
    default:
      note("phase.unknown", Severity::kLost, "Events of a kind (ph) that is not known; they are not shown.", m_element);
  }
}

void EventParser::commitSlice() {
  RawSlice slice;
  if (!timeOf(m_fields.ts, slice.startNs)) {
    note("time.missing", Severity::kLost, "Events without a time that can be read.", m_element);
    return;
  }
  bool negative = false;
  if (!durationOf(m_fields.dur, slice.durationNs, negative)) {
    slice.durationNs = 0;
    slice.flags |= kNoDuration;
    note("slice.no-duration", Severity::kRepaired, "X events without a length that can be read; they get length 0.",
         m_element);
  }
  if (negative)
    note("slice.negative-duration", Severity::kRepaired, "Slices with a length below 0; they get length 0.", m_element);
  slice.name = intern(m_fields.name);
  slice.category = category(m_fields.category);
  slice.thread = thread(m_fields.pid, m_fields.tid);
  slice.order = static_cast<std::uint32_t>(m_block.events);
  if (!m_fields.args.isNull()) {
    slice.argsBegin = offset(m_fields.args.begin);
    slice.argsLength = m_fields.args.length;
  }
  const CategoryClass kind = m_block.categories[slice.category].kind;
  const ArgFacts& facts = m_facts;
  const bool none = facts.correlation == 0 || facts.correlation == -1 || facts.correlation == 4294967295;
  if (!none) slice.correlation = facts.correlation;
  slice.externalId = facts.externalId;
  if (slice.externalId == 0 && kind != CategoryClass::kCpuOperator) slice.externalId = kNoNumber;
  if (facts.inputDims.present()) slice.inputDims = dims(facts.inputDims);
  if (facts.markedOpen) slice.flags |= kMarkedOpen;
  m_block.slices.push_back(slice);
  const bool deviceWork = kind == CategoryClass::kKernel || kind == CategoryClass::kGpuMemcpy ||
                          kind == CategoryClass::kGpuMemset || kind == CategoryClass::kSynchronisation;
  if (facts.anyDevice && deviceWork) {
    m_block.deviceFacts.push_back(facts.device);
    m_block.deviceFacts.back().order = slice.order;
  }
  if (m_fields.bindId.present()) {
    RawBind bind;
    bind.order = slice.order;
    bind.id = idOf(unquoted(m_fields.bindId.text()));
    const auto set = [](const Token& t) { return t.present() && unquoted(t.text()) != "false" && !t.isNull(); };
    if (set(m_fields.flowIn)) bind.flags |= kFlowIn;
    if (set(m_fields.flowOut)) bind.flags |= kFlowOut;
    m_block.binds.push_back(bind);
  }
}

void EventParser::commitPoint(char phase) {
  RawPoint point;
  if (!timeOf(m_fields.ts, point.atNs)) {
    note("time.missing", Severity::kLost, "Events without a time that can be read.", m_element);
    return;
  }
  point.phase = phase;
  point.name = intern(m_fields.name);
  point.category = category(m_fields.category);
  point.thread = thread(m_fields.pid, m_fields.tid);
  point.order = static_cast<std::uint32_t>(m_block.events);
  const bool instant = phase == 'i' || phase == 'I' || phase == 'R';
  const bool arrow = phase == 's' || phase == 't' || phase == 'f';
  const bool threadSpan = phase == 'B' || phase == 'E';
  if (!m_fields.args.isNull()) {
    point.argsBegin = offset(m_fields.args.begin);
    point.argsLength = m_fields.args.length;
  }
  if (arrow) {
    point.id = eventId(false, point.flags);
    if (m_fields.bindPoint.isString() && unquoted(m_fields.bindPoint.text()) == "e") point.flags |= kBindsEnclosing;
  } else if (!instant && !threadSpan) {
    point.id = eventId(true, point.flags);
  }
  if (!instant && !arrow && point.argsLength != 0) {
    point.keptArgs = m_block.kept.size();
    m_block.kept += m_fields.args.text();
  }
  if (instant) {
    const std::string_view scope = m_fields.scope.present() ? unquoted(m_fields.scope.text()) : std::string_view{};
    point.scope = scope == "g" ? 'g' : scope == "p" ? 'p' : 't';
    if (m_facts.anyMemory && point.name != kNone && m_block.strings.view(StringId{point.name}) == "[memory]") {
      m_block.memory.push_back(m_facts.memory);
      m_block.memory.back().atNs = point.atNs;
      m_block.memory.back().thread = point.thread;
      m_block.memory.back().order = point.order;
    }
  }
  if (m_facts.markedOpen && !instant) point.flags |= kMarkedOpen;
  m_block.points.push_back(point);
  if (m_fields.bindId.present() && (phase == 'B' || phase == 'b')) {
    RawBind bind;
    bind.order = point.order;
    bind.id = idOf(unquoted(m_fields.bindId.text()));
    const auto set = [](const Token& t) { return t.present() && unquoted(t.text()) != "false" && !t.isNull(); };
    if (set(m_fields.flowIn)) bind.flags |= kFlowIn;
    if (set(m_fields.flowOut)) bind.flags |= kFlowOut;
    m_block.binds.push_back(bind);
  }
}

void EventParser::commitCounter() {
  RawSample sample;
  sample.name = intern(m_fields.name);
  sample.thread = thread(m_fields.pid, m_fields.tid);
  sample.order = static_cast<std::uint32_t>(m_block.events);
  if (!m_fields.id.isNull()) sample.id = internText(unquoted(m_fields.id.text()));
  std::uint64_t samples = 0;
  if (m_fields.entries.present() && *m_fields.entries.begin == '[') {
    sample.series = m_fields.eventStats.isString() ? intern(m_fields.eventStats) : internText({});
    const std::string_view text = m_fields.entries.text();
    for (std::size_t at = text.find('[', 1); at != std::string_view::npos; at = text.find('[', at + 1)) {
      const std::size_t close = text.find(']', at);
      const std::size_t comma = text.find(',', at);
      if (close == std::string_view::npos || comma > close) continue;
      const auto trim = [](std::string_view part) {
        while (!part.empty() && scan::isSpace(part.front())) part.remove_prefix(1);
        while (!part.empty() && scan::isSpace(part.back())) part.remove_suffix(1);
        return unquoted(part);
      };
      const auto ns = nsFromMicroseconds(trim(text.substr(at + 1, comma - at - 1)));
      const auto value = numberFrom(trim(text.substr(comma + 1, close - comma - 1)));
      if (!ns || !value) continue;
      sample.atNs = clampTime(ns->ns);
      sample.value = std::isfinite(*value) ? *value : std::nan("");
      m_block.samples.push_back(sample);
      ++samples;
    }
  } else if (timeOf(m_fields.ts, sample.atNs)) {
    if (m_fields.args.present()) {
      for (const ArgsMember& member : argsMembers(m_fields.args.text())) {
        const auto value = numberFrom(unquoted(member.value));
        if (!value) continue;
        sample.series = internText(decodeText('"' + std::string(member.key) + '"'));
        sample.value = std::isfinite(*value) ? *value : std::nan("");
        m_block.samples.push_back(sample);
        samples = 1;
      }
    }
  } else {
    note("time.missing", Severity::kLost, "Events without a time that can be read.", m_element);
    return;
  }
  if (samples == 0)
    note("counter.no-number", Severity::kLost, "Counter events without a value that is a number.", m_element);
  m_block.counterSamples += samples;
}

void EventParser::commitMetadata() {
  if (!m_fields.name.isString() || !m_fields.args.present()) return;
  const std::string_view name = unquoted(m_fields.name.text());
  RawMetadata metadata;
  const char* key = "name";
  if (name == "process_name") {
    metadata.kind = RawMetadata::Kind::kProcessName;
  } else if (name == "thread_name") {
    metadata.kind = RawMetadata::Kind::kThreadName;
  } else if (name == "process_labels") {
    metadata.kind = RawMetadata::Kind::kProcessLabels;
    key = "labels";
  } else if (name == "process_sort_index") {
    metadata.kind = RawMetadata::Kind::kProcessSort;
    key = "sort_index";
  } else if (name == "thread_sort_index") {
    metadata.kind = RawMetadata::Kind::kThreadSort;
    key = "sort_index";
  } else {
    return;
  }
  const auto value = argsValue(m_fields.args.text(), key);
  if (!value || *value == "null") return;
  metadata.text = decodeText(*value);
  if (auto repaired = repairedUtf8(metadata.text)) metadata.text = *repaired;
  if (const auto number = numberFrom(unquoted(*value)); number && std::isfinite(*number)) {
    metadata.number = *number;
    metadata.hasNumber = true;
  }
  metadata.thread = thread(m_fields.pid, m_fields.tid);
  metadata.order = static_cast<std::uint32_t>(m_block.events);
  m_block.metadata.push_back(std::move(metadata));
}

namespace {

// Whether the object at `p` has a key "ph" of its own and ends before `end`.
bool looksLikeEvent(const char* p, const char* end) {
  bool phase = false;
  for (++p;;) {
    while (p < end && (scan::isSpace(*p) || *p == ',')) ++p;
    if (p >= end) return false;
    if (*p == '}') return phase;
    if (*p != '"') return false;
    bool escaped = false;
    const char* quote = scan::closingQuote(p + 1, end, escaped);
    if (quote == nullptr) return false;
    phase = phase || (quote - p == 3 && p[1] == 'p' && p[2] == 'h');
    p = scan::skipSpace(quote + 1, end);
    if (p >= end || *p != ':') return false;
    p = scan::skipSpace(p + 1, end);
    p = scan::valueEnd(p, end);
    if (p == nullptr) return false;
    p = scan::skipSpace(p, end);
    if (p >= end || (*p != ',' && *p != '}')) return false;
  }
}

}  // namespace

std::uint64_t guessEventStart(TextWindow text, std::uint64_t from) {
  const char* const end = text.data + text.end;
  for (const char* p = text.data + from; p < end; ++p) {
    p = static_cast<const char*>(std::memchr(p, '{', static_cast<std::size_t>(end - p)));
    if (p == nullptr) break;
    const char* q = scan::skipSpace(p + 1, end);
    if (q >= end || *q != '"') continue;
    const char* before = p;
    while (before > text.data && isElementGap(before[-1]) && before[-1] != ',') --before;
    if (before == text.data || (before[-1] != ',' && before[-1] != '[')) continue;
    if (looksLikeEvent(p, end)) return static_cast<std::uint64_t>(p - text.data);
  }
  return text.end;
}

}  // namespace attnscope
