// SPDX-License-Identifier: Apache-2.0
// Second half of EventParser: the fields of one event become rows of the block.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/import/EventParser.h"
#include "core/import/JsonScan.h"
#include "core/import/NumberText.h"
#include "core/trace/ArgsText.h"
#include "core/trace/Utf8.h"

namespace attnscope {

namespace {

constexpr std::int64_t kFarthestNs = (std::int64_t{1} << 62) - 1;

bool isDigit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

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
  if (value->splitSign)
    note("time.split-sign", Severity::kRepaired, "Times below 0 with a second sign behind the point; it was left out.",
         m_element);
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
  if (m_categoryOfStep == nullptr) return categoryRow(token);
  if (*m_categoryOfStep == EventShapes::kNoCategory) *m_categoryOfStep = categoryRow(token);
  return *m_categoryOfStep;
}

std::uint16_t EventParser::categoryRow(const Token& token) {
  const std::string_view raw = token.present() ? token.text() : std::string_view("null");
  for (const CategorySlot& slot : m_categoryCache)
    if (slot.raw.size() == raw.size() && slot.raw == raw) return slot.id;
  const std::string key(raw);
  auto place = m_categoryByText.find(key);
  if (place == m_categoryByText.end()) {
    RawCategory entry(kNone, CategoryClass::kOther);
    if (token.present() && raw != "null") {
      const std::uint32_t name = intern(token);
      const std::string_view text = m_block.strings.view(StringId{name});
      entry = RawCategory(name, token.isString() ? classifyCategory(text) : CategoryClass::kOther);
    }
    const std::size_t row = std::min<std::size_t>(m_block.categories.size(), 0xFFFE);
    if (row == m_block.categories.size()) m_block.categories.push_back(entry);
    place = m_categoryByText.emplace(key, static_cast<std::uint16_t>(row)).first;
  }
  if (m_categoryCache.size() < kCategorySlots) m_categoryCache.push_back({place->first, place->second});
  return place->second;
}

std::uint16_t EventParser::sliceCategory() {
  const std::uint16_t row = category(field(EventKey::kCategory));
  const CategoryClass kind = m_block.categories[row].kind;
  if (kind != CategoryClass::kOther) return row;
  // The autograd profiler of old: no categories, the side as a process of that name.
  if (field(EventKey::kCategory).isNull())
    return field(EventKey::kPid).isString() && unquoted(field(EventKey::kPid).text()) == "CPU functions"
               ? categoryAs(row, CategoryClass::kCpuOperator)
               : row;
  // Converters of Nsight Systems: "cuda" is what ran on "Stream 7".
  const bool isStream =
      field(EventKey::kTid).isString() && unquoted(field(EventKey::kTid).text()).substr(0, 7) == "Stream ";
  if (isStream && unquoted(field(EventKey::kCategory).text()) == "cuda") return categoryAs(row, CategoryClass::kKernel);
  return row;
}

std::uint16_t EventParser::categoryAs(std::uint16_t row, CategoryClass kind) {
  const std::uint32_t key = std::uint32_t{row} << 8 | static_cast<std::uint8_t>(kind);
  const auto [place, added] = m_categoryAs.try_emplace(key, row);
  if (added && m_block.categories.size() < 0xFFFE) {
    place->second = static_cast<std::uint16_t>(m_block.categories.size());
    m_block.categories.emplace_back(m_block.categories[row].name, kind);
  }
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
  if (!text.empty() && isDecimal(text)) noteUnfit(token);
  result.isWord = true;
  result.word = token.escaped ? decodeText(token.text()) : std::string(text);
  if (auto repaired = repairedUtf8(result.word)) result.word = *repaired;
  return result;
}

std::uint32_t EventParser::thread(const Token& pid, const Token& tid) {
  if (m_threadOfStep == nullptr) return threadRow(pid, tid);
  if (*m_threadOfStep == EventShapes::kNoThread) *m_threadOfStep = threadRow(pid, tid);
  return *m_threadOfStep;
}

std::uint32_t EventParser::threadRow(const Token& pid, const Token& tid) {
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
  Token token = field(EventKey::kId);
  std::string owned;
  std::string_view text;
  if (field(EventKey::kId2).present() && *field(EventKey::kId2).begin == '{') {
    for (const ArgsMember& member : argsMembers(field(EventKey::kId2).text())) {
      owned = std::string(unquoted(member.value));
      if (member.key == "local") flags |= kLocalId;
    }
    text = owned;
  } else if (!token.isNull()) {
    text = unquoted(token.text());
    // 7.0 and 7 are one number; strings are matched as they are written.
    if (!token.isString() && text.find_first_of(".eE") != std::string_view::npos) {
      if (const auto number = integerFrom(text)) text = owned = std::to_string(*number);
    }
  } else {
    return kNone;
  }
  if (withScope && !field(EventKey::kAsyncScope).isNull()) {
    owned = std::string(text) + '\x1f' + std::string(unquoted(field(EventKey::kAsyncScope).text()));
    text = owned;
  }
  return idOf(text);
}

void EventParser::commit() {
  Token& phase = field(EventKey::kPhase);
  const std::string_view text = phase.isString() ? unquoted(phase.text()) : std::string_view{};
  if (text.size() != 1) {
    note("phase.unknown", Severity::kLost, "Events of a kind (ph) that is not known; they are not shown.", m_element);
    return;
  }
  switch (text[0]) {
    case 'X':
      commitSlice();
      break;
    case 'T':
      // With a length and no id it is no step of an async span but a thread state, as Perfetto exports them.
      if (field(EventKey::kDuration).present() && field(EventKey::kId).isNull() && field(EventKey::kId2).isNull()) {
        commitSlice();
      } else {
        commitPoint('T');
      }
      break;
    case 'B':
    case 'E':
    case 'b':
    case 'e':
    case 'n':
    case 'S':
    case 'F':
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
      note("phase.sample", Severity::kLost, "Samples of a sampling profiler; they are not shown.", m_element);
      break;
    case 'N':
    case 'O':
    case 'D':
      note("phase.object", Severity::kLost, "Objects that were made, looked at or destroyed; they are not shown.",
           m_element);
      break;
    case 'V':
    case 'v':
      note("phase.memory-dump", Severity::kLost, "Memory dumps of processes; they are not shown.", m_element);
      break;
    case 'c':
      note("phase.clock-sync", Severity::kLost, "Marks that join clocks of several recorders; they are not applied.",
           m_element);
      break;
    case '(':
    case ')':
      note("phase.context", Severity::kLost, "Contexts that were entered and left; they are not shown.", m_element);
      break;
    case '=':
      note("phase.linked-ids", Severity::kLost, "Ids that are said to be the same; they are not joined.", m_element);
      break;
    default:
      note("phase.unknown", Severity::kLost, "Events of a kind (ph) that is not known; they are not shown.", m_element);
  }
}

void EventParser::commitSlice() {
  RawSlice slice;
  if (!timeOf(field(EventKey::kTime), slice.startNs)) {
    note("time.missing", Severity::kLost, "Events without a time that can be read.", m_element);
    return;
  }
  bool negative = false;
  if (!durationOf(field(EventKey::kDuration), slice.durationNs, negative)) {
    slice.durationNs = 0;
    slice.flags |= kNoDuration;
    note("slice.no-duration", Severity::kRepaired, "X events without a length that can be read; they get length 0.",
         m_element);
  }
  if (negative)
    note("slice.negative-duration", Severity::kRepaired, "Slices with a length below 0; they get length 0.", m_element);
  slice.name = intern(field(EventKey::kName));
  slice.category = sliceCategory();
  slice.thread = thread(field(EventKey::kPid), field(EventKey::kTid));
  slice.order = static_cast<std::uint32_t>(m_block.events);
  if (!field(EventKey::kArgs).isNull()) {
    slice.argsBegin = offset(field(EventKey::kArgs).begin);
    slice.argsLength = field(EventKey::kArgs).length;
  }
  const CategoryClass kind = m_block.categories[slice.category].kind;
  const ArgFacts& facts = m_facts;
  const bool none = facts.correlation == 0 || facts.correlation == -1 || facts.correlation == 4294967295;
  if (!none) slice.correlation = facts.correlation;
  slice.externalId = facts.externalId;
  if (slice.externalId == 0 && kind != CategoryClass::kCpuOperator) slice.externalId = kNoNumber;
  if (facts.inputDims.present()) slice.inputDims = dims(facts.inputDims);
  if (facts.markedOpen) slice.flags |= kMarkedOpen;
  m_block.add(slice);
  const bool deviceWork = kind == CategoryClass::kKernel || kind == CategoryClass::kGpuMemcpy ||
                          kind == CategoryClass::kGpuMemset || kind == CategoryClass::kSynchronisation;
  if (facts.anyDevice && deviceWork) {
    m_block.deviceFacts.push_back(facts.device);
    m_block.deviceFacts.back().order = slice.order;
  }
  if (field(EventKey::kBindId).present()) addBind(slice.order);
  if (m_stacks.any) addStacks(slice.order);
}

void EventParser::addStacks(std::uint32_t order) {
  RawStack stack;
  stack.order = order;
  const auto take = [&](const Token& frame, const Token& list, std::uint32_t& text, bool& isList) {
    isList = list.present() && *list.begin == '[';
    if (isList) {
      text = internText(list.text());
    } else if (!frame.isNull()) {
      text = internText(unquoted(frame.text()));
    }
  };
  take(m_stacks.frame, m_stacks.list, stack.begin, stack.beginIsList);
  take(m_stacks.endFrame, m_stacks.endList, stack.end, stack.endIsList);
  m_block.stacks.push_back(stack);
}

void EventParser::noteUnfit(const Token& token) {
  if (isDecimal(unquoted(token.text())))
    note("number.out-of-range", Severity::kInfo,
         "Whole numbers that 64 bits, or their column, do not hold; they are kept as text.", token.begin);
}

void EventParser::addBind(std::uint32_t order) {
  RawBind bind;
  bind.order = order;
  bind.id = idOf(unquoted(field(EventKey::kBindId).text()));
  const auto set = [](const Token& t) { return t.present() && unquoted(t.text()) != "false" && !t.isNull(); };
  if (set(field(EventKey::kFlowsIn))) bind.flags |= kFlowIn;
  if (set(field(EventKey::kFlowsOut))) bind.flags |= kFlowOut;
  m_block.binds.push_back(bind);
}

void EventParser::commitPoint(char phase) {
  RawPoint point;
  if (!timeOf(field(EventKey::kTime), point.atNs)) {
    note("time.missing", Severity::kLost, "Events without a time that can be read.", m_element);
    return;
  }
  point.phase = phase;
  point.name = intern(field(EventKey::kName));
  point.category = category(field(EventKey::kCategory));
  point.thread = thread(field(EventKey::kPid), field(EventKey::kTid));
  point.order = static_cast<std::uint32_t>(m_block.events);
  const bool instant = phase == 'i' || phase == 'I' || phase == 'R';
  const bool arrow = phase == 's' || phase == 't' || phase == 'f';
  const bool threadSpan = phase == 'B' || phase == 'E';
  if (!field(EventKey::kArgs).isNull()) {
    point.argsBegin = offset(field(EventKey::kArgs).begin);
    point.argsLength = field(EventKey::kArgs).length;
  }
  if (arrow) {
    point.id = eventId(false, point.flags);
    if (field(EventKey::kBindPoint).isString() && unquoted(field(EventKey::kBindPoint).text()) == "e")
      point.flags |= kBindsEnclosing;
  } else if (!instant && !threadSpan) {
    point.id = eventId(true, point.flags);
  }
  if (!instant && !arrow && point.argsLength != 0) {
    point.keptArgs = m_block.kept.size();
    m_block.kept += field(EventKey::kArgs).text();
  }
  if (instant) {
    const std::string_view scope =
        field(EventKey::kScope).present() ? unquoted(field(EventKey::kScope).text()) : std::string_view{};
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
  if (field(EventKey::kBindId).present() && (phase == 'B' || phase == 'b')) addBind(point.order);
  if (m_stacks.any && (threadSpan || phase == 'b' || phase == 'e')) addStacks(point.order);
}

namespace {

// Whole numbers beyond 2^53 mostly are; of fractions nobody expects all digits.
bool isRounded(std::string_view text, double value) {
  if (text.size() < 16 || text.find_first_not_of("+-0123456789") != std::string_view::npos) return false;
  const auto whole = integerFrom(text);
  return !whole || static_cast<std::int64_t>(std::min(std::max(value, -9.2e18), 9.2e18)) != *whole;
}

}  // namespace

void EventParser::commitCounter() {
  RawSample sample;
  sample.name = intern(field(EventKey::kName));
  sample.thread = thread(field(EventKey::kPid), field(EventKey::kTid));
  sample.order = static_cast<std::uint32_t>(m_block.events);
  if (!field(EventKey::kId).isNull()) sample.id = internText(unquoted(field(EventKey::kId).text()));
  std::uint64_t samples = 0;
  if (field(EventKey::kEntries).present() && *field(EventKey::kEntries).begin == '[') {
    sample.series = field(EventKey::kEventStats).isString() ? intern(field(EventKey::kEventStats)) : internText({});
    const std::string_view text = field(EventKey::kEntries).text();
    for (std::size_t at = text.find('[', 1); at != std::string_view::npos;) {
      const std::size_t close = text.find_first_of("[]", at + 1);
      if (close == std::string_view::npos) break;
      const std::string_view pair = text.substr(at + 1, close - at - 1);
      const std::size_t comma = pair.find(',');
      at = text.find('[', close);
      if (text[close] == '[' || comma == std::string_view::npos) continue;
      const auto trim = [](std::string_view part) {
        while (!part.empty() && scan::isSpace(part.front())) part.remove_prefix(1);
        while (!part.empty() && scan::isSpace(part.back())) part.remove_suffix(1);
        return unquoted(part);
      };
      const auto ns = nsFromMicroseconds(trim(pair.substr(0, comma)));
      const auto value = numberFrom(trim(pair.substr(comma + 1)));
      if (!ns || !value) continue;
      sample.atNs = clampTime(ns->ns);
      sample.value = std::isfinite(*value) ? *value : std::nan("");
      m_block.samples.push_back(sample);
      ++samples;
    }
  } else if (timeOf(field(EventKey::kTime), sample.atNs)) {
    if (field(EventKey::kArgs).present()) {
      for (const ArgsMember& member : argsMembers(field(EventKey::kArgs).text())) {
        const auto value = numberFrom(unquoted(member.value));
        if (!value) continue;
        if (isRounded(unquoted(member.value), *value))
          note("counter.rounded", Severity::kInfo,
               "Values of counters with more digits than 64-bit floating point holds; the nearest it has is shown.",
               m_element);
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
  if (!field(EventKey::kName).isString() || !field(EventKey::kArgs).present()) return;
  const std::string_view name = unquoted(field(EventKey::kName).text());
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
    note("metadata.other", Severity::kInfo,
         "Metadata events (ph M) that name neither rows nor their order; they are not shown.", m_element);
    return;
  }
  const auto value = argsValue(field(EventKey::kArgs).text(), key);
  if (!value || *value == "null") return;
  metadata.text = decodeText(*value);
  if (auto repaired = repairedUtf8(metadata.text)) metadata.text = *repaired;
  if (const auto number = numberFrom(unquoted(*value)); number && std::isfinite(*number)) {
    metadata.number = *number;
    metadata.hasNumber = true;
  }
  metadata.thread = thread(field(EventKey::kPid), field(EventKey::kTid));
  metadata.order = static_cast<std::uint32_t>(m_block.events);
  m_block.metadata.push_back(std::move(metadata));
}

}  // namespace attnscope
