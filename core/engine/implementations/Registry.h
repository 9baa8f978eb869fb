// SPDX-License-Identifier: Apache-2.0
#pragma once

// The implementations that were built, in the order of their cards. A new one is added here by its call.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/engine/Implementation.h"

namespace attnscope::engine {

[[nodiscard]] std::vector<ImplementationEntry> implementations();
[[nodiscard]] std::optional<ImplementationEntry> findImplementation(std::string_view id);
// Why this runner cannot run it on the device for this problem, which must be valid; none: it can. Asks the card first.
[[nodiscard]] std::optional<std::string> refusalHere(std::string_view id, const Problem& problem,
                                                     std::string_view device);

}  // namespace attnscope::engine
