// SPDX-License-Identifier: Apache-2.0
#pragma once

// Numbers from text, exactly. A time never passes through a double.

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/trace/RawEvents.h"

namespace attnscope {

struct NsValue {
  Int128 ns = 0;
  bool rounded = false;    // digits below a nanosecond were rounded, half away from zero
  bool splitSign = false;  // "-5.-123", see below
};

// Microseconds as any decimal ("12", "-1.5", "1.7e15", ".5", "5.") to ns; nullopt for what is no number or lies
// beyond 10^30 ns. "-5.-123" and "0.-50" are -5,123 ns and -50 ns: writers that print the quotient and the remainder
// of a negative time one behind the other (libkineto/src/output_json.cpp) give both a sign.
[[nodiscard]] std::optional<NsValue> nsFromMicroseconds(std::string_view text);
// An integer, also as "1.0" or "1e3"; nullopt otherwise or beyond 64 bits.
[[nodiscard]] std::optional<std::int64_t> integerFrom(std::string_view text);
// The same without a sign; addresses need all 64 bits.
[[nodiscard]] std::optional<std::uint64_t> unsignedFrom(std::string_view text);
// 1 to 16 digits and nothing else; of the text 16 bytes can be read from its begin, whatever its length.
[[nodiscard]] bool plainDigits(std::string_view text, std::uint64_t& value);
// Digits, or digits with a point and one to three behind it, as most microseconds are written: exact ns. As above.
[[nodiscard]] bool plainNs(std::string_view text, std::int64_t& ns);
// Any decimal number, whatever its size.
[[nodiscard]] bool isDecimal(std::string_view text);
// A finite number, or NaN or infinity in any usual spelling.
[[nodiscard]] std::optional<double> numberFrom(std::string_view text);
[[nodiscard]] bool isNonFiniteWord(std::string_view text);
// Text without the quotes of a JSON string, if it has any.
[[nodiscard]] inline std::string_view unquoted(std::string_view text) {
  return text.size() >= 2 && text.front() == '"' && text.back() == '"' ? text.substr(1, text.size() - 2) : text;
}

}  // namespace attnscope
