// SPDX-License-Identifier: Apache-2.0
#include "core/import/NumberText.h"

#include <tmmintrin.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>

namespace attnscope {

namespace {

bool isDigit(char c) { return c >= '0' && c <= '9'; }

// Sign, digits and the place of the point of a decimal number.
struct Decimal {
  bool negative = false;
  std::string digits;      // without leading zeros
  std::int64_t scale = 0;  // value = digits x 10^scale
};

std::optional<Decimal> decimalFrom(std::string_view text) {
  Decimal result;
  std::size_t at = 0;
  if (at < text.size() && (text[at] == '-' || text[at] == '+')) result.negative = text[at++] == '-';
  bool any = false;
  bool point = false;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '.' && !point) {
      point = true;
    } else if (isDigit(c)) {
      any = true;
      if (point) --result.scale;
      if (c != '0' || !result.digits.empty()) result.digits += c;
    } else {
      break;
    }
  }
  if (!any) return std::nullopt;
  if (at < text.size()) {
    if (text[at] != 'e' && text[at] != 'E') return std::nullopt;
    ++at;
    bool negative = false;
    if (at < text.size() && (text[at] == '-' || text[at] == '+')) negative = text[at++] == '-';
    if (at == text.size()) return std::nullopt;
    std::int64_t exponent = 0;
    for (; at < text.size(); ++at) {
      if (!isDigit(text[at])) return std::nullopt;
      exponent = std::min<std::int64_t>(exponent * 10 + (text[at] - '0'), 1000000);
    }
    result.scale += negative ? -exponent : exponent;
  }
  return result;
}

constexpr std::size_t kMostDigits = 31;

// The remainder is a whole number of ns, whatever zeros stand before it.
std::optional<Int128> splitNegative(std::string_view text) {
  constexpr std::size_t kWhole = 18;
  constexpr std::size_t kRemainder = 3;
  const std::size_t point = text.find(".-");
  if (point == std::string_view::npos) return std::nullopt;
  std::string_view whole = text.substr(0, point);
  const std::string_view remainder = text.substr(point + 2);
  if (!whole.empty() && whole.front() == '-') whole.remove_prefix(1);
  if (whole.empty() || whole.size() > kWhole || remainder.empty() || remainder.size() > kRemainder) return std::nullopt;
  Int128 us = 0;
  Int128 ns = 0;
  for (const char c : whole) {
    if (!isDigit(c)) return std::nullopt;
    us = us * 10 + (c - '0');
  }
  for (const char c : remainder) {
    if (!isDigit(c)) return std::nullopt;
    ns = ns * 10 + (c - '0');
  }
  return -(us * 1000 + ns);
}

}  // namespace

std::optional<NsValue> nsFromMicroseconds(std::string_view text) {
  std::optional<Decimal> number = decimalFrom(text);
  NsValue result;
  if (!number) {
    const std::optional<Int128> negative = splitNegative(text);
    if (!negative) return std::nullopt;
    result.ns = *negative;
    result.splitSign = true;
    return result;
  }
  std::string& digits = number->digits;
  if (digits.empty()) return result;
  const std::int64_t scale = number->scale + 3;
  bool up = false;
  if (scale < 0) {
    const std::size_t cut = static_cast<std::size_t>(-scale);
    if (cut > digits.size()) {
      result.rounded = true;
      return result;
    }
    const std::size_t keep = digits.size() - cut;
    result.rounded = digits.find_first_not_of('0', keep) != std::string::npos;
    up = digits[keep] >= '5';
    digits.resize(keep);
  } else {
    if (digits.size() + static_cast<std::size_t>(scale) > kMostDigits) return std::nullopt;
    digits.append(static_cast<std::size_t>(scale), '0');
  }
  if (digits.size() > kMostDigits) return std::nullopt;
  for (const char c : digits) result.ns = result.ns * 10 + (c - '0');
  if (up) result.ns += 1;
  if (number->negative) result.ns = -result.ns;
  return result;
}

namespace {

constexpr std::size_t kWidest = 16;  // digits in a register

// Moves bytes to the end of a register: loaded from kShift + n, the first n of them.
alignas(16) constexpr std::uint8_t kShift[2 * kWidest] = {
    0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
    0,    1,    2,    3,    4,    5,    6,    7,    8,    9,    10,   11,   12,   13,   14,   15};

__m128i load(const void* from) { return _mm_loadu_si128(static_cast<const __m128i*>(from)); }

// The values of up to kWidest characters, counted from '0', at the end of a register of zeros.
__m128i atTheEnd(std::string_view text) {
  return _mm_shuffle_epi8(_mm_sub_epi8(load(text.data()), _mm_set1_epi8('0')), load(kShift + text.size()));
}

// Of 16 digits, the lowest last; false where one is none.
bool numberOf(__m128i digits, std::uint64_t& value) {
  const __m128i nine = _mm_set1_epi8(9);
  if (_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_max_epu8(digits, nine), nine)) != 0xFFFF) return false;
  const __m128i pairs = _mm_maddubs_epi16(digits, _mm_set1_epi16(10 | 1 << 8));
  const __m128i fours = _mm_madd_epi16(pairs, _mm_set1_epi32(100 | 1 << 16));
  const __m128i eights = _mm_madd_epi16(_mm_packs_epi32(fours, fours), _mm_set1_epi32(10000 | 1 << 16));
  const auto halves = static_cast<std::uint64_t>(_mm_cvtsi128_si64(eights));
  value = (halves & 0xFFFFFFFF) * 100000000 + (halves >> 32);
  return true;
}

// "403928478570.355": the point is left out of the digits, which are ns then.
bool thousandths(std::string_view text, std::int64_t& ns) {
  const __m128i withoutPoint = _mm_setr_epi8(-1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 14, 15);
  std::uint64_t value = 0;
  if (!numberOf(_mm_shuffle_epi8(atTheEnd(text), withoutPoint), value)) return false;
  ns = static_cast<std::int64_t>(value);
  return true;
}

}  // namespace

bool plainDigits(std::string_view text, std::uint64_t& value) {
  return !text.empty() && text.size() <= kWidest && numberOf(atTheEnd(text), value);
}

bool plainNs(std::string_view text, std::int64_t& ns) {
  if (text.size() > 4 && text.size() <= kWidest && text[text.size() - 4] == '.') return thousandths(text, ns);
  constexpr std::uint64_t kThousandths[] = {1000, 100, 10, 1};  // by decimals
  std::size_t decimals = 0;
  std::uint64_t fraction = 0;
  for (std::size_t count = 3; count > 0 && decimals == 0; --count)
    if (text.size() > count + 1 && text[text.size() - count - 1] == '.') decimals = count;
  if (decimals > 0) {
    if (!plainDigits(text.substr(text.size() - decimals), fraction)) return false;
    text.remove_suffix(decimals + 1);
  }
  std::uint64_t whole = 0;
  fraction *= kThousandths[decimals];
  if (!plainDigits(text, whole) || whole > (INT64_MAX - fraction) / 1000) return false;
  ns = static_cast<std::int64_t>(whole * 1000 + fraction);
  return true;
}

namespace {

template <class Integer>
std::optional<Integer> wholeNumber(std::string_view text) {
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  Integer value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc{} && stop == end && stop != text.data()) return value;
  // "1.0", "1.5e3": in thousandths, which hold all that is whole.
  if (text.find_first_of(".eE") == std::string_view::npos) return std::nullopt;
  const auto thousandths = nsFromMicroseconds(text);
  if (!thousandths || thousandths->rounded || thousandths->splitSign || thousandths->ns % 1000 != 0)
    return std::nullopt;
  const Int128 whole = thousandths->ns / 1000;
  if (whole < std::numeric_limits<Integer>::min() || whole > std::numeric_limits<Integer>::max()) return std::nullopt;
  return static_cast<Integer>(whole);
}

}  // namespace

std::optional<std::int64_t> integerFrom(std::string_view text) { return wholeNumber<std::int64_t>(text); }
std::optional<std::uint64_t> unsignedFrom(std::string_view text) { return wholeNumber<std::uint64_t>(text); }
bool isDecimal(std::string_view text) { return decimalFrom(text).has_value(); }

bool isNonFiniteWord(std::string_view text) {
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) text.remove_prefix(1);
  std::string lower(text.substr(0, 16));
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return lower == "inf" || lower == "infinity" || lower == "nan";
}

std::optional<double> numberFrom(std::string_view text) {
  if (text.empty()) return std::nullopt;
  if (isNonFiniteWord(text)) {
    const bool negative = text.front() == '-';
    const bool nan = text.find_first_of("aA") != std::string_view::npos;
    if (nan) return std::numeric_limits<double>::quiet_NaN();
    return negative ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
  }
  if (text.front() == '+') text.remove_prefix(1);
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (stop != end || (error != std::errc{} && error != std::errc::result_out_of_range)) return std::nullopt;
  return value;
}

}  // namespace attnscope
