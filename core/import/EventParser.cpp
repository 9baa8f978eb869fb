// SPDX-License-Identifier: Apache-2.0
#include "core/import/EventParser.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>
#include <utility>

#include "core/import/JsonScan.h"
#include "core/import/NumberText.h"

namespace attnscope {

namespace {

bool isDigit(char c) { return c >= '0' && c <= '9'; }

// Comparison with a literal of the same length, which the compiler turns into one or two instructions.
template <std::size_t N>
bool is(std::string_view text, const char (&literal)[N]) {
  return std::memcmp(text.data(), literal, N - 1) == 0;
}

// As scan::containerEnd(), but knows the grammar: `fault` is set at what cannot stand there, where the other goes on to
// the end of the text. Slower, so only where that one found no end.
const char* strictContainerEnd(const char* p, const char* end, const char*& fault) {
  const auto broken = [&fault](const char* at) {
    fault = at;
    return nullptr;
  };
  std::string open(1, *p++);
  bool separated = true;
  bool escaped = false;
  for (;;) {
    p = scan::skipSpace(p, end);
    for (; p < end && *p == ','; p = scan::skipSpace(p + 1, end)) separated = true;
    if (p >= end) return nullptr;
    if (*p == '}' || *p == ']') {
      if ((*p == '}') != (open.back() == '{')) return broken(p);
      open.pop_back();
      ++p;
      if (open.empty()) return p;
      separated = false;
      continue;
    }
    if (!separated) return broken(p);
    if (open.back() == '{') {
      if (*p != '"') return broken(p);
      p = scan::closingQuote(p + 1, end, escaped);
      if (p == nullptr) return nullptr;
      p = scan::skipSpace(p + 1, end);
      if (p >= end) return nullptr;
      if (*p != ':') return broken(p);
      p = scan::skipSpace(p + 1, end);
      if (p >= end) return nullptr;
    }
    if (*p == '{' || *p == '[') {
      open += *p++;
      continue;
    }
    const char* const begin = p;
    p = scan::valueEnd(p, end);
    if (p == nullptr) return nullptr;
    if (p == begin) return broken(p);
    if (*begin != '"') {
      const std::size_t odd = std::string_view(begin, static_cast<std::size_t>(p - begin)).find_first_of("{[\":");
      if (odd != std::string_view::npos) return broken(begin + odd);
    }
    separated = false;
  }
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
    const std::uint64_t resume = guessEventStart(text, offset(m_element) + 1, m_guess);
    if (resume >= text.end) {
      // Perhaps only the end of the window; the caller decides.
      return {ParseEnd::kTextEnd, offset(m_element), true};
    }
    note("json.broken-event", Severity::kLost, "Events whose text is no JSON; they were left out.", m_element);
    m_block.repairedBytes += resume - offset(m_element);
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
    const char* end = *p == '[' ? containerEnd(p) : scan::valueEnd(p, m_end);
    if (end == nullptr) return nullptr;
    if (end == p) {
      m_fault = p;
      return nullptr;
    }
    note("event.not-an-object", Severity::kLost, "Elements of traceEvents that are no objects.", p);
    return end;
  }
  if (const char* first = scan::skipSpace(p + 1, m_end); first < m_end && *first == '}') return first + 1;
  m_fields = Fields{};
  if (m_stacks.any) m_stacks = StackFields{};
  m_facts = ArgFacts{};
  const char* end = readObject(p + 1, KeyOrder::kEventBegins,
                               [this](std::string_view key, const char* at) { return readMember(key, at); });
  if (end == nullptr) return nullptr;
  if (m_fields.any) commit();
  return end;
}

// A bracket that is never closed swallows all that follows, unless the grammar shows where it went wrong.
const char* EventParser::containerEnd(const char* p) {
  constexpr std::ptrdiff_t kUsual = 64 << 10;
  if (const char* end = scan::containerEnd(p, m_end - p > kUsual ? p + kUsual : m_end)) return end;
  return strictContainerEnd(p, m_end, m_fault);
}

std::optional<std::uint64_t> EventParser::skipUnfinished(TextWindow text, std::uint64_t at) {
  constexpr std::uint64_t kMostReadAgain = 1ull << 30;
  if (m_readAgain > kMostReadAgain) return std::nullopt;
  m_readAgain += text.end - at;
  const std::uint64_t resume = guessEventStart(text, at + 1, m_guess);
  if (resume >= text.end) return std::nullopt;
  m_text = text.data;
  note("json.broken-event", Severity::kLost, "Events whose text is no JSON; they were left out.", m_text + at);
  m_block.repairedBytes += resume - at;
  ++m_block.events;
  return resume;
}

// From behind the opening brace of an object to behind the closing one. `take(key, value)` reads each value and returns
// its end.
template <class Take>
const char* EventParser::readObject(const char* p, KeyOrder::Place last, const Take& take) {
  const auto broken = [this](const char* at) {
    m_fault = at;
    return nullptr;
  };
  for (bool isFirst = true;; isFirst = false) {
    const KeyOrder::Guess guess = m_keyOrder.expect(last, p, m_end);
    if (guess.place != KeyOrder::kUnknown) {
      last = guess.place;
      p = take(guess.key, p + guess.length);
      if (p == nullptr) return nullptr;
      continue;
    }
    const char* const between = p;
    p = scan::skipSpace(p, m_end);
    // What follows a value shows whether it ended where it seemed to.
    if (!isFirst && p < m_end && *p != ',' && *p != '}') return broken(p);
    while (p < m_end && *p == ',') p = scan::skipSpace(p + 1, m_end);
    if (p >= m_end) return nullptr;
    if (*p == '}') return p + 1;
    if (*p != '"') return broken(p);
    bool escaped = false;
    const char* const key = p + 1;
    const char* const keyEnd = scan::closingQuote(key, m_end, escaped);
    if (keyEnd == nullptr) return nullptr;
    p = scan::skipSpace(keyEnd + 1, m_end);
    if (p >= m_end) return nullptr;
    if (*p != ':') return broken(p);
    p = scan::skipSpace(p + 1, m_end);
    if (p >= m_end) return nullptr;
    const std::string_view name(key, static_cast<std::size_t>(keyEnd - key));
    last = m_keyOrder.learn(last, {between, static_cast<std::size_t>(p - between)}, name);
    p = take(name, p);
    if (p == nullptr) return nullptr;
  }
}

const char* EventParser::readMember(std::string_view key, const char* p) {
  Token value;
  m_fields.any = true;
  if (*p != '{' || key.size() != 4 || !is(key, "args")) {
    p = readValue(p, value);
    if (p != nullptr) takeField(key, value);
    return p;
  }
  const char* const end = readObject(p + 1, KeyOrder::kArgsBegin, [this](std::string_view name, const char* at) {
    Token arg;
    at = readValue(at, arg);
    if (at != nullptr) takeArg(name, arg);
    return at;
  });
  if (end == nullptr) return nullptr;
  value.begin = p;
  value.length = static_cast<std::uint32_t>(end - p);
  m_fields.args = value;
  return end;
}

const char* EventParser::readValue(const char* p, Token& token) {
  token.begin = p;
  const char* end = nullptr;
  if (*p == '"') {
    end = scan::closingQuote(p + 1, m_end, token.escaped);
    if (end != nullptr) ++end;
  } else if (*p == '{' || *p == '[') {
    end = containerEnd(p);
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

void EventParser::takeStack(Token& field, const Token& value) {
  field = value;
  m_stacks.any = true;
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
      else if (is(key, "sf"))
        takeStack(m_stacks.frame, value);
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
      else if (is(key, "esf"))
        takeStack(m_stacks.endFrame, value);
      break;
    case 4:
      if (is(key, "name"))
        m_fields.name = value;
      else if (is(key, "args"))
        m_fields.args = value;
      break;
    case 5:
      if (is(key, "scope"))
        m_fields.asyncScope = value;
      else if (is(key, "stack"))
        takeStack(m_stacks.list, value);
      break;
    case 6:
      if (is(key, "estack")) takeStack(m_stacks.endList, value);
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

// "[4, 2, 1]"; nothing where a number does not fit.
std::array<std::int32_t, 3> dimensions(std::string_view text) {
  std::array<std::int64_t, 3> numbers{};
  std::size_t at = 0;
  for (const char c : text) {
    if (isDigit(c) && at < 3) {
      numbers[at] = numbers[at] * 10 + (c - '0');
      if (numbers[at] > INT32_MAX) return {};
    } else if (c == ',') {
      ++at;
    }
  }
  std::array<std::int32_t, 3> result{};
  std::transform(numbers.begin(), numbers.end(), result.begin(),
                 [](std::int64_t number) { return static_cast<std::int32_t>(number); });
  return result;
}

}  // namespace

void EventParser::takeArg(std::string_view key, const Token& value) {
  // What does not fit the column is as if it were not there.
  const auto integer = [&](auto& field) {
    using Field = std::remove_reference_t<decltype(field)>;
    const auto number = argInteger(value.text());
    if (number && std::in_range<Field>(*number)) {
      field = static_cast<Field>(*number);
    } else {
      noteUnfit(value);
    }
  };
  ArgFacts& facts = m_facts;
  switch (key.size()) {
    case 4:
      if (is(key, "grid")) {
        facts.device.grid = dimensions(value.text());
        facts.anyDevice = true;
      } else if (is(key, "Addr")) {
        facts.memory.address = unsignedFrom(unquoted(value.text())).value_or(0);
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

namespace {

enum class Look : std::uint8_t { kEvent, kOther, kTextEnds };

// Whether the object at `p` has a key "ph" of its own and ends before `end`.
Look lookAt(const char* p, const char* end) {
  bool phase = false;
  for (++p;;) {
    while (p < end && (scan::isSpace(*p) || *p == ',')) ++p;
    if (p >= end) return Look::kTextEnds;
    if (*p == '}') return phase ? Look::kEvent : Look::kOther;
    if (*p != '"') return Look::kOther;
    bool escaped = false;
    const char* quote = scan::closingQuote(p + 1, end, escaped);
    if (quote == nullptr) return Look::kTextEnds;
    phase = phase || (quote - p == 3 && p[1] == 'p' && p[2] == 'h');
    p = scan::skipSpace(quote + 1, end);
    if (p >= end) return Look::kTextEnds;
    if (*p != ':') return Look::kOther;
    p = scan::skipSpace(p + 1, end);
    p = scan::valueEnd(p, end);
    if (p == nullptr) return Look::kTextEnds;
    p = scan::skipSpace(p, end);
    if (p >= end) return Look::kTextEnds;
    if (*p != ',' && *p != '}') return Look::kOther;
  }
}

}  // namespace

std::uint64_t guessEventStart(TextWindow text, std::uint64_t from, GuessBudget& budget) {
  constexpr std::uint64_t kLeastReach = 2048;
  const char* const end = text.data + text.end;
  for (const char* p = text.data + from; p < end; ++p) {
    p = static_cast<const char*>(std::memchr(p, '{', static_cast<std::size_t>(end - p)));
    if (p == nullptr) break;
    const char* q = scan::skipSpace(p + 1, end);
    if (q >= end || *q != '"') continue;
    const char* before = p;
    while (before > text.data && isElementGap(before[-1]) && before[-1] != ',') --before;
    if (before == text.data || (before[-1] != ',' && before[-1] != '[')) continue;
    const auto reach =
        std::min<std::uint64_t>(static_cast<std::uint64_t>(end - p), std::max(budget.bytes, kLeastReach));
    const Look look = lookAt(p, p + reach);
    if (look == Look::kEvent) return static_cast<std::uint64_t>(p - text.data);
    if (look == Look::kTextEnds) budget.bytes -= std::min(budget.bytes, reach);
  }
  return text.end;
}

}  // namespace attnscope
