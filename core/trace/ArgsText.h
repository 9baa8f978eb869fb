// SPDX-License-Identifier: Apache-2.0
#pragma once

// Members of an args object as text, without decoding their values. Tolerates what the readers tolerate.

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace attnscope {

struct ArgsMember {
  std::string_view key;    // between its quotes, escapes as written
  std::string_view value;  // JSON text
};

// Empty for text that is no object. O(length).
[[nodiscard]] std::vector<ArgsMember> argsMembers(std::string_view object);
// Texts of the elements; empty for text that is no array. O(length).
[[nodiscard]] std::vector<std::string_view> arrayElements(std::string_view array);
// One object of both; where a key is in both, the value of `later` in the place of the earlier one.
[[nodiscard]] std::string mergeArgs(std::string_view earlier, std::string_view later);
// The value of a key, or nullopt.
[[nodiscard]] std::optional<std::string_view> argsValue(std::string_view object, std::string_view key);
// Decoded text of a JSON string with its quotes (bad escapes stay as written); other values as they are written.
[[nodiscard]] std::string decodeText(std::string_view value);
// Escaped for a JSON string, without quotes.
[[nodiscard]] std::string escapeText(std::string_view text);
// End of the value that begins at `at`: after its closing quote or bracket, or before what follows a bare word.
[[nodiscard]] std::size_t valueEnd(std::string_view text, std::size_t at);

}  // namespace attnscope
