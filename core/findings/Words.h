// SPDX-License-Identifier: Apache-2.0
#pragma once

// Figures in sentences: one unit each, three digits or so, always the same way. Pure; any thread.

#include <cstdint>
#include <string>
#include <string_view>

namespace attnscope::words {

[[nodiscard]] std::string time(std::int64_t ns);      // "12.3 us", "2.77 ms"
[[nodiscard]] std::string bytes(std::int64_t bytes);  // "4.00 MiB"
[[nodiscard]] std::string percent(double share);      // 0.087 is "8.7 %"
[[nodiscard]] std::string count(std::uint64_t count, std::string_view one, std::string_view many);  // "1 call"

}  // namespace attnscope::words
