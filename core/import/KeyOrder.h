// SPDX-License-Identifier: Apache-2.0
#pragma once

// Guesses the next key of an object. A recorder writes the keys of its events in a few orders and with the same space
// around them: behind each key the two that came next most recently are remembered with all that stands between two
// values, and where the text repeats that, key and value are known without looking for quotes and colons. A guess
// compares bytes, so that it is right or not made. For one thread; O(1).

#include <emmintrin.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace attnscope {

class KeyOrder {
 public:
  using Place = std::uint16_t;                 // a key, with what stands around it
  static constexpr Place kUnknown = 0;         // nothing follows it
  static constexpr Place kEventBegins = 1;     // behind the opening brace of an event
  static constexpr Place kArgsBegin = 2;       // and of its args
  static constexpr std::size_t kLongest = 48;  // of what stands between two values; as many bytes behind are read

  struct Guess {
    Place place = kUnknown;  // kUnknown: none
    std::string_view key;
    std::size_t length = 0;  // from the end of the last value to the next
  };

  // At the end of a value or behind an opening brace. The value lies before `end`.
  [[nodiscard]] Guess expect(Place last, const char* p, const char* end) const {
    for (const Place next : m_slots[last].next) {
      const Slot& slot = m_slots[next];
      // Behind it there may be more space than there was.
      if (slot.length != 0 && end - p > slot.length && static_cast<unsigned char>(p[slot.length]) > ' ' &&
          repeats(slot, p))
        return {next, {slot.text.data() + slot.keyBegin, slot.keyLength}, slot.length};
    }
    return {};
  }

  // That `between` stands behind `last` and before the next value, with the key in it.
  Place learn(Place last, std::string_view between, std::string_view key) {
    if (between.size() > kLongest) return kUnknown;
    const Place place = placeOf(between);
    if (place == kUnknown) return kUnknown;
    Slot& slot = m_slots[place];
    if (slot.length == 0) {
      std::memcpy(slot.text.data(), between.data(), between.size());
      slot.length = static_cast<std::uint8_t>(between.size());
      slot.keyBegin = static_cast<std::uint8_t>(key.data() - between.data());
      slot.keyLength = static_cast<std::uint8_t>(key.size());
    }
    std::array<Place, 2>& next = m_slots[last].next;
    if (last != kUnknown && next[0] != place) next = {place, next[0]};
    return place;
  }

 private:
  struct Slot {
    std::array<char, kLongest> text{};
    std::uint8_t length = 0;  // 0: free
    std::uint8_t keyBegin = 0;
    std::uint8_t keyLength = 0;
    std::array<Place, 2> next{};
  };
  static constexpr std::size_t kSlots = 256;
  static constexpr std::size_t kProbes = 8;

  static bool repeats(const Slot& slot, const char* p) {
    for (std::size_t at = 0; at < slot.length; at += 16) {
      const __m128i wanted = _mm_loadu_si128(reinterpret_cast<const __m128i*>(slot.text.data() + at));
      const __m128i there = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p + at));
      const unsigned differing = ~static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(wanted, there))) & 0xFFFF;
      if (differing != 0 && at + static_cast<std::size_t>(__builtin_ctz(differing)) < slot.length) return false;
    }
    return true;
  }

  // The slot of this text or a free one for it. What was learned stays: a full neighbourhood learns no more.
  [[nodiscard]] Place placeOf(std::string_view text) const {
    std::uint32_t hash = 2166136261u;
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
    for (std::size_t probe = 0; probe < kProbes; ++probe) {
      const auto place = static_cast<Place>(kArgsBegin + 1 + (hash + probe) % (kSlots - kArgsBegin - 1));
      const Slot& slot = m_slots[place];
      if (slot.length == 0 || std::string_view(slot.text.data(), slot.length) == text) return place;
    }
    return kUnknown;
  }

  std::array<Slot, kSlots> m_slots{};
};

}  // namespace attnscope
