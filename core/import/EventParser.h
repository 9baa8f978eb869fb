// SPDX-License-Identifier: Apache-2.0
#pragma once

// Reads elements of traceEvents into a RawBlock. For one thread; several parsers read parts of one text side by side.
// Keys may come in any order. O(bytes).

#include <array>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/import/EventKeys.h"
#include "core/import/EventShapes.h"
#include "core/trace/RawEvents.h"

namespace attnscope {

// What events are read with: by the grammar alone, or first by the layouts that were met before, in registers of 16, 32
// or 64 bytes. The outcome is the same.
enum class ReadWith : std::uint8_t { kGrammar, kSse, kAvx2, kAvx512 };
[[nodiscard]] bool supported(ReadWith what);
[[nodiscard]] ReadWith fastest();  // of those this machine supports

// Part of an unpacked text: `data[0]` is byte 0 of the whole; kScanPadding bytes behind `end` may be read.
struct TextWindow {
  const char* data = nullptr;
  std::uint64_t end = 0;
};

enum class ParseEnd : std::uint8_t {
  kLimit,    // an element begins at or behind the limit
  kClosed,   // the array's ] was read
  kTextEnd,  // the window ended, between elements or inside one
  kStopped,  // a stop was requested
};

struct ParseResult {
  ParseEnd end = ParseEnd::kLimit;
  std::uint64_t at = 0;        // where reading goes on; for kTextEnd the first byte of the element that is not whole
  bool insideElement = false;  // kTextEnd only
};

// What a search for events may read in vain: text full of brackets that nothing closes would be read once for each.
// When it is spent, only events of up to 2 KB are found.
struct GuessBudget {
  std::uint64_t bytes = 64 << 20;
};

class EventParser {
 public:
  // `clockOrigin` is taken off every time before it becomes 64 bits. `shapes` are what earlier blocks taught.
  EventParser(RawBlock& block, EventShapes& shapes, Int128 clockOrigin, ReadWith what = fastest())
      : m_block(block), m_shapes(shapes), m_clockOrigin(clockOrigin), m_shapedReader(shapedReader(what)) {
    m_shapes.beginBlock();
  }

  // From the first byte of an element (or space or comma before it) until an element begins at `limit` or behind.
  ParseResult parse(TextWindow text, std::uint64_t from, std::uint64_t limit, const std::stop_token& stop);

  // Where to go on behind the element at `at`, which the text's end leaves open: it may be one that was never closed,
  // with others behind it. None where no event follows. It counts as broken.
  [[nodiscard]] std::optional<std::uint64_t> skipUnfinished(TextWindow text, std::uint64_t at);

  // A time beyond 64 bits from the origin was met: the ns of the first one. Reading again with it as origin helps.
  [[nodiscard]] bool outOfRange() const { return m_outOfRange; }
  [[nodiscard]] Int128 firstOutOfRange() const { return m_firstOutOfRange; }

 private:
  using ShapedReader = const char* (EventParser::*)(const char*);
  struct Token {  // as written, with quotes
    const char* begin = nullptr;
    std::uint32_t length = 0;
    bool escaped = false;
    [[nodiscard]] bool present() const { return begin != nullptr; }
    [[nodiscard]] std::string_view text() const { return {begin, length}; }
    [[nodiscard]] bool isString() const { return begin != nullptr && *begin == '"'; }
    [[nodiscard]] bool isNull() const { return begin == nullptr || (*begin == 'n' && text() == "null"); }
  };
  static constexpr std::size_t kFields = static_cast<std::size_t>(EventKey::kFrame);
  static constexpr std::size_t kArgsField = static_cast<std::size_t>(EventKey::kArgs);
  struct StackFields {  // rare, so apart from the other fields
    Token frame, endFrame, list, endList;
    bool any = false;
    Token& operator[](EventKey key);  // of those from kFrame on
  };
  struct ArgFacts {
    std::int64_t externalId = kNoNumber;
    std::int64_t correlation = kNoNumber;
    Token inputDims;
    bool others = false;  // any of those below was met
    bool anyDevice = false;
    RawDeviceFacts device;
    bool anyMemory = false;
    RawMemory memory;
    bool markedOpen = false;
  };
  struct NameSlot {
    std::string raw;
    std::uint32_t id = kNone;
  };
  struct ThreadSlot {
    std::string_view pid, tid;  // in the text
    std::uint32_t thread = kNone;
  };
  struct CategorySlot {
    std::string_view raw;  // in the text
    std::uint16_t id = 0;
  };

  struct Arg {
    ArgKey key = ArgKey::kOther;
    Token value;
  };

  [[nodiscard]] Token& field(EventKey key) { return m_fields[static_cast<std::size_t>(key)]; }
  [[nodiscard]] static ShapedReader shapedReader(ReadWith what);
  void clearEvent();
  template <class Bytes>                  // see ReadShaped.h
  const char* readShaped(const char* p);  // nullptr: of no known layout
  template <class Bytes>
  const char* shapedValue(const char* p) const;
  const char* readNothing(const char*) { return nullptr; }
  // As far as brackets are counted for their end.
  const char* usualContainerEnd(const char* p) const {
    return m_end - p > kUsualContainer ? p + kUsualContainer : m_end;
  }
  const char* unusualValue(const char* p, bool& escaped) const;
  void takeArgs();
  const char* readElement(const char* p);  // nullptr: broken, see m_fault, or cut
  template <class Take>
  const char* readObject(const char* p, const Take& take);
  const char* readMember(EventKey key, const char* p);
  const char* readValue(const char* p, Token& token);
  const char* containerEnd(const char* p);
  void takeField(EventKey key, const Token& value);
  void takeArg(ArgKey key, const Token& value);
  void commit();
  void commitSlice();
  void commitPoint(char phase);
  void commitCounter();
  void commitMetadata();
  void addBind(std::uint32_t order);  // the event's end of a version 2 arrow
  void addStacks(std::uint32_t order);
  [[nodiscard]] bool timeOf(const Token& token, std::int64_t& ns);
  [[nodiscard]] bool durationOf(const Token& token, std::int64_t& ns, bool& negative);
  [[nodiscard]] std::int64_t clampTime(Int128 ns);
  [[nodiscard]] std::uint32_t intern(const Token& token);
  [[nodiscard]] std::uint32_t internText(std::string_view text);
  [[nodiscard]] std::uint16_t category(const Token& token);
  [[nodiscard]] std::uint16_t categoryRow(const Token& token);
  [[nodiscard]] std::uint16_t sliceCategory();  // with what other recorders say in its place
  [[nodiscard]] std::uint16_t categoryAs(std::uint16_t row, CategoryClass kind);
  [[nodiscard]] std::uint32_t thread(const Token& pid, const Token& tid);
  [[nodiscard]] std::uint32_t threadRow(const Token& pid, const Token& tid);
  [[nodiscard]] RawIdentity identity(const Token& token);
  [[nodiscard]] std::uint32_t dims(const Token& token);
  [[nodiscard]] std::uint32_t dimsText(std::string_view raw);
  [[nodiscard]] static std::size_t cacheHash(std::string_view raw);
  [[nodiscard]] std::uint32_t idOf(std::string_view text);
  [[nodiscard]] std::uint32_t eventId(bool withScope, std::uint8_t& flags);
  [[nodiscard]] std::uint64_t offset(const char* p) const { return static_cast<std::uint64_t>(p - m_text); }
  void note(const char* code, Severity severity, const char* message, const char* at);
  void noteWord(const Token& token);
  void noteUnfit(const Token& token);  // where it is a number

  RawBlock& m_block;
  EventShapes& m_shapes;
  Int128 m_clockOrigin;
  ShapedReader m_shapedReader;
  const char* m_text = nullptr;
  const char* m_end = nullptr;
  const char* m_element = nullptr;  // first byte of the element that is read
  const char* m_fault = nullptr;
  std::uint64_t m_readAgain = 0;  // bytes behind elements that were never closed
  GuessBudget m_guess;
  EventShapes::Seen m_seen;                              // of the element that is read by the grammar
  EventShapes::StepId m_firstStep = EventShapes::kRoot;  // of the last event
  std::array<Arg, 32> m_args;                            // of the element that is read by its layout
  std::size_t m_argCount = 0;
  std::uint16_t* m_categoryOfStep = nullptr;  // where what was made of its category is kept
  std::uint32_t* m_threadOfStep = nullptr;
  bool m_anyField = false;
  std::array<Token, kFields> m_fields;  // by EventKey
  StackFields m_stacks;
  ArgFacts m_facts;
  std::vector<NameSlot> m_nameCache{kNameSlots};
  std::vector<NameSlot> m_dimsCache{kDimsSlots};
  std::array<ThreadSlot, 8> m_threadCache{};
  unsigned m_nextThreadSlot = 0;
  std::unordered_map<std::string, std::uint32_t> m_threadByText;
  std::unordered_map<std::string, std::uint16_t> m_categoryByText;
  std::unordered_map<std::uint32_t, std::uint16_t> m_categoryAs;  // row and class
  std::vector<CategorySlot> m_categoryCache;
  bool m_outOfRange = false;
  Int128 m_firstOutOfRange = 0;

  static constexpr std::ptrdiff_t kUsualContainer = 64 << 10;  // longer ones are read by the grammar
  static constexpr std::size_t kNameSlots = 2048;
  static constexpr std::size_t kDimsSlots = 512;
  static constexpr std::size_t kCategorySlots = 24;
};

inline EventParser::Token& EventParser::StackFields::operator[](EventKey key) {
  static constexpr std::array<Token StackFields::*, 4> kPlaces = {&StackFields::frame, &StackFields::endFrame,
                                                                  &StackFields::list, &StackFields::endList};
  return this->*kPlaces[static_cast<std::size_t>(key) - static_cast<std::size_t>(EventKey::kFrame)];
}

// First byte of what looks like an event at or behind `from`: a { after , or [ with a "ph" of its own, whole before
// `end`. `end` where there is none. A guess: what is read before it must lead there.
[[nodiscard]] std::uint64_t guessEventStart(TextWindow text, std::uint64_t from, GuessBudget& budget);
// Whether the object at `at` has a key "ph" of its own and ends in the window.
[[nodiscard]] bool isEvent(TextWindow text, std::uint64_t at);

}  // namespace attnscope
