// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace attnscope {

// JSON text that strict readers take, from text that the loader took: bare words become strings, backslashes that begin
// no escape are doubled, control characters escaped, spare commas dropped, bytes that are not UTF-8 replaced, brackets
// that are missing at the end added. Text that is JSON already comes back as it is. O(length).
[[nodiscard]] std::string cleanJson(std::string_view text);

}  // namespace attnscope
