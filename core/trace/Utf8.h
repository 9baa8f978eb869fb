// SPDX-License-Identifier: Apache-2.0
#pragma once

// UTF-8 as RFC 3629 has it: no overlong forms, no surrogates. Pure functions, any thread.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace attnscope {

// Bytes of the character that begins at `at`, which lies in the text; 0 where none does.
[[nodiscard]] std::size_t utf8Length(std::string_view text, std::size_t at);
// nullopt where the text is UTF-8; else a copy with U+FFFD for each byte that belongs to no character.
[[nodiscard]] std::optional<std::string> repairedUtf8(std::string_view text);

}  // namespace attnscope
