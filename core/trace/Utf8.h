// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace attnscope {

// nullopt where the text is UTF-8; else a copy with U+FFFD for each byte that belongs to no character.
[[nodiscard]] std::optional<std::string> repairedUtf8(std::string_view text);

}  // namespace attnscope
