// SPDX-License-Identifier: Apache-2.0
#pragma once

// Layouts of the events that were read before. A recorder writes its events in a few layouts: keys in the same order,
// the same space around them, and some values that hardly change (ph, cat, pid, tid). All that stands between two
// values that do change is one text here, a step, so that an event is read as a few comparisons and its changing
// values. What does not repeat a known layout byte for byte is left to the reader that knows the grammar, and learned
// from it. For one thread; following a step is O(ways), learning an event O(its bytes).

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/import/EventKeys.h"

namespace attnscope {

class EventShapes {
 public:
  using StepId = std::uint16_t;
  static constexpr StepId kRoot = 0;  // before an event; as the result of a search: none
  static constexpr std::size_t kLongest = 64;
  static constexpr std::size_t kWays = 16;
  static constexpr std::uint8_t kNowhere = 0xFF;

  struct FixedValue {  // a value within the text of a step
    EventKey key = EventKey::kOther;
    std::uint8_t begin = 0;
    std::uint8_t length = 0;
  };

  // What comes before `fixed` is looked at for every event: it takes two lines of the cache.
  struct alignas(64) Step {
    std::array<char, kLongest> text{};
    std::uint64_t care = 0;  // bit i: byte i belongs to the text
    std::array<StepId, kWays> next{};
    std::uint8_t length = 0;
    bool ends = false;       // with the event's closing brace; else a value follows
    std::uint8_t slot = 0;   // of that value: its EventKey, or kFirstArg + its ArgKey
    bool holdsMore = false;  // any of what follows
    std::uint8_t argsBegin = kNowhere;
    std::uint8_t argsEnd = kNowhere;  // behind the closing brace
    bool holdsCategory = false;
    bool holdsThread = false;  // pid and tid
    // What the reader made of the fixed values in the block it reads; it fills them in.
    std::uint16_t category = kNoCategory;
    StepId following = kRoot;  // of a first step: that of the event that came next
    std::uint32_t thread = kNoThread;
    std::uint8_t fixedCount = 0;
    std::array<FixedValue, 6> fixed{};
  };
  static constexpr std::uint8_t kFirstArg = 32;
  static constexpr std::uint16_t kNoCategory = 0xFFFF;
  static constexpr std::uint32_t kNoThread = 0xFFFFFFFF;

  // The members of one event, in their order, as the reader that knows the grammar meets them.
  class Seen {
   public:
    void begin() {
      m_count = 0;
      m_argsBegin = m_argsEnd = nullptr;
      m_keys = 0;
      m_usable = true;
    }
    void member(KeyMeaning key, bool inArgs, std::string_view value);
    void args(const char* begin, const char* end);

   private:
    friend class EventShapes;
    struct Member {
      KeyMeaning key;
      bool inArgs = false;
      std::string_view value;
    };
    [[nodiscard]] const char* valueBegin(std::size_t i) const { return m_members[i].value.data(); }
    [[nodiscard]] const char* valueEnd(std::size_t i) const { return valueBegin(i) + m_members[i].value.size(); }

    std::array<Member, 40> m_members;
    std::size_t m_count = 0;
    const char* m_argsBegin = nullptr;
    const char* m_argsEnd = nullptr;
    std::uint32_t m_keys = 0;  // bit: EventKey that was met
    bool m_usable = true;
  };

  EventShapes() : m_steps(1) {}
  // Rows are numbered within a block: forgets what was filled in.
  void beginBlock();
  // The step behind `at` whose text stands at `p`, of which kLongest bytes can be read; kRoot where there is none,
  // which has no text and so stands everywhere. The way that was taken last is tried first. `Bytes`: see WideBytes.h.
  template <class Bytes>
  [[nodiscard]] StepId follow(StepId at, const char* p);
  // The same for an event that follows one whose first step was `before`.
  template <class Bytes>
  [[nodiscard]] StepId first(StepId before, const char* p);
  [[nodiscard]] Step& step(StepId id) { return m_steps[id]; }
  // The first step of this event, kRoot where it is no layout to know.
  StepId learn(std::string_view event, const Seen& seen);

 private:
  struct Part;
  template <class Bytes>
  [[nodiscard]] StepId otherWay(StepId at, const char* p);
  [[nodiscard]] bool isFixed(const Seen::Member& member) const;
  template <class Bytes>
  [[nodiscard]] static bool repeats(const Step& step, const char* p) {
    return (Bytes::differing(step.text.data(), p) & step.care) == 0;
  }
  StepId place(StepId at, const Part& part, const Seen& seen);
  [[nodiscard]] static std::uint8_t slotOf(const Seen::Member& member);
  [[nodiscard]] static Step stepOf(const Part& part, const Seen& seen);
  void forget();

  static constexpr std::size_t kMostSteps = 512;
  static constexpr unsigned kMostFresh = 16;  // times that learning begins anew before it is given up
  std::vector<Step> m_steps;
  bool m_threadsFixed = true;  // pid and tid are taken for values that hardly change
  unsigned m_forgotten = 0;
};

template <class Bytes>
EventShapes::StepId EventShapes::follow(StepId at, const char* p) {
  const StepId guess = m_steps[at].next.front();
  return repeats<Bytes>(m_steps[guess], p) ? guess : otherWay<Bytes>(at, p);
}

template <class Bytes>
EventShapes::StepId EventShapes::otherWay(StepId at, const char* p) {
  StepId* const next = m_steps[at].next.data();
  for (std::size_t way = 1; way < kWays && next[way] != kRoot; ++way) {
    const StepId id = next[way];
    if (!repeats<Bytes>(m_steps[id], p)) continue;
    next[way] = next[0];
    next[0] = id;
    return id;
  }
  return kRoot;
}

template <class Bytes>
EventShapes::StepId EventShapes::first(StepId before, const char* p) {
  const StepId guess = m_steps[before].following;
  if (guess != kRoot && repeats<Bytes>(m_steps[guess], p)) return guess;
  const StepId found = follow<Bytes>(kRoot, p);
  m_steps[before].following = found;
  return found;
}

}  // namespace attnscope
