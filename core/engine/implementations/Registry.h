// SPDX-License-Identifier: Apache-2.0
#pragma once

// The implementations that were built, in the order of their cards. A new one is added here by its call.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/engine/Implementation.h"
#include "core/session/RunPlan.h"

namespace attnscope::engine {

// `code` is what byo.script and byo.package run.
[[nodiscard]] std::vector<ImplementationEntry> implementations(const UserCode& code = {});
[[nodiscard]] std::optional<ImplementationEntry> findImplementation(std::string_view id, const UserCode& code = {});
// Why this runner cannot run it on the device for this problem, which must be valid; none: it can. Asks the card first.
[[nodiscard]] std::optional<std::string> refusalHere(std::string_view id, const Problem& problem,
                                                     std::string_view device, const UserCode& code = {});

}  // namespace attnscope::engine
