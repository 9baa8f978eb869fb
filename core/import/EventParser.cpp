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
    const char* next = (this->*m_shapedReader)(p);
    if (next != nullptr) {
      commit();
    } else {
      next = readElement(p);
    }
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
  clearEvent();
  m_seen.begin();
  m_anyField = false;
  const char* end =
      readObject(p + 1, [this](std::string_view key, const char* at) { return readMember(eventKey(key), at); });
  if (end == nullptr) return nullptr;
  if (!m_anyField) return end;
  commit();
  m_firstStep = m_shapes.learn({p, static_cast<std::size_t>(end - p)}, m_seen);
  return end;
}

void EventParser::clearEvent() {
  // What a token without a begin says beside is not looked at. In one piece this is a call, or slow to begin.
  for (Token& token : m_fields) token.begin = nullptr;
  if (m_stacks.any) m_stacks = StackFields{};
  if (m_facts.others) m_facts = ArgFacts{};
  m_facts.externalId = m_facts.correlation = kNoNumber;
  m_facts.inputDims = Token{};
  m_facts.memory.eventIndex = kNoNumber;  // which operators have as well
  m_argCount = 0;
  m_categoryOfStep = nullptr;
  m_threadOfStep = nullptr;
}

// A bracket that is never closed swallows all that follows, unless the grammar shows where it went wrong.
const char* EventParser::containerEnd(const char* p) {
  bool mixed = false;
  if (const char* end = scan::containerEnd(p, usualContainerEnd(p), mixed)) {
    if (mixed)
      note("json.bracket", Severity::kRepaired,
           "Brackets that another kind closes, as in [1}; each was taken for the end of what was open.", p);
    return end;
  }
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
const char* EventParser::readObject(const char* p, const Take& take) {
  const auto broken = [this](const char* at) {
    m_fault = at;
    return nullptr;
  };
  for (bool isFirst = true;; isFirst = false) {
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
    p = take({key, static_cast<std::size_t>(keyEnd - key)}, p);
    if (p == nullptr) return nullptr;
  }
}

const char* EventParser::readMember(EventKey key, const char* p) {
  Token value;
  m_anyField = true;
  if (*p != '{' || key != EventKey::kArgs) {
    p = readValue(p, value);
    if (p == nullptr) return nullptr;
    m_seen.member({key, ArgKey::kOther}, false, value.text());
    takeField(key, value);
    return p;
  }
  const char* const end = readObject(p + 1, [this](std::string_view name, const char* at) {
    Token arg;
    at = readValue(at, arg);
    if (at == nullptr) return at;
    const ArgKey argument = argKey(name);
    m_seen.member({EventKey::kOther, argument}, true, arg.text());
    takeArg(argument, arg);
    return at;
  });
  if (end == nullptr) return nullptr;
  m_seen.args(p, end);
  value.begin = p;
  value.length = static_cast<std::uint32_t>(end - p);
  field(EventKey::kArgs) = value;
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

void EventParser::takeField(EventKey key, const Token& value) {
  if (key < EventKey::kFrame) {
    field(key) = value;
    return;
  }
  m_stacks.any = true;
  m_stacks[key] = value;
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

bool isEvent(TextWindow text, std::uint64_t at) {
  return at < text.end && text.data[at] == '{' && lookAt(text.data + at, text.data + text.end) == Look::kEvent;
}

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
